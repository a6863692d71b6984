package schema

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"adsync/internal/jsonschema"
	"adsync/internal/resource"
)

// The patterns of values that are written in more than one way. They are those
// of every dialect of regular expressions, so that editors understand them.
const (
	visible      = `[^ \t\r\n]`
	ownSign      = `(?:[^0-9+,.'_\s-]+|[Ff][Rr]\.)?`
	patternMoney = `^\s*` + ownSign + `\s*[0-9]+(?:\.[0-9]{1,6})?\s*` + ownSign + `\s*$`
	patternDay   = `^\s*[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|` +
		`[12][0-9]|3[01])(?:T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?(?:Z|[+-][0-9]{2}:[0-9]{2}))?\s*$`
	patternURL = `^\s*[hH][tT][tT][pP][sS]?://\S+\s*$`
	patternID  = `^\s*[!-.0-~]+\s*$`
	patternKey = `^\s*[A-Za-z0-9._-]{1,200}\s*$`
	// Clearing is said in words, too (formats.md section 1).
	clearingWords = `^(?:delete_value|CLEAR|remove_content)$`
)

// valueSchema describes what may be written for an attribute in YAML. It takes
// whatever the reader takes, so that an editor marks nothing that is right; a
// number may stand for a text, as the reader goes by what is written.
func valueSchema(a *resource.Attribute) *jsonschema.Schema {
	s := scalarSchema(a)
	if a.Type.IsList() {
		s = listSchema(a)
	}
	s.Description = a.Help
	if a.Required {
		s.Description += " Must be given: here, by a template or by defaults."
	}
	if a.Example != "" && !a.Type.IsList() {
		s.Examples = []string{a.Example}
	}
	if a.Clearable {
		allowClearing(s)
	}
	return s
}

func scalarSchema(a *resource.Attribute) *jsonschema.Schema {
	switch a.Type {
	case resource.TypeChoice:
		return choiceSchema(a)
	case resource.TypeMoney:
		s := &jsonschema.Schema{
			Type: jsonschema.Types{"number", "string"}, Pattern: patternMoney,
			ErrorMessage: "want units of the account's currency, such as 25.00", Minimum: unitsOf(a.Min),
		}
		if a.Max > 0 {
			s.Maximum = unitsOf(a.Max)
		}
		return s
	case resource.TypeDay, resource.TypeLast:
		return &jsonschema.Schema{
			Type: jsonschema.Types{"string"}, Pattern: patternDay, ErrorMessage: "want a day such as 2026-12-01",
		}
	case resource.TypeURL:
		return &jsonschema.Schema{
			Type: jsonschema.Types{"string"}, Pattern: patternURL, ErrorMessage: "want an http or https address",
		}
	case resource.TypeImage, resource.TypeMembers:
		return &jsonschema.Schema{Type: jsonschema.Types{"string"}, Pattern: visible}
	case resource.TypeID:
		id := &jsonschema.Schema{
			Type:    jsonschema.Types{"string", "integer"},
			Pattern: patternID, ErrorMessage: "want an id as the service gives it",
		}
		return orAddress(a, id)
	case resource.TypeObject:
		return &jsonschema.Schema{Type: jsonschema.Types{"object", "string"}, Pattern: visible}
	}
	return textSchema(a)
}

// textSchema counts the characters of a text unless there is space around it,
// which the reader trims: a block of text ends with a line break.
func textSchema(a *resource.Attribute) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: jsonschema.Types{"string", "number", "boolean"}, Pattern: visible}
	if a.Min > 1 || a.Max > 0 {
		s.AnyOf = []*jsonschema.Schema{{MinLength: a.Min, MaxLength: a.Max}, {Pattern: `^\s|\s$`}}
	}
	return s
}

func unitsOf(micros int64) json.Number {
	return json.Number(strings.TrimSuffix(resource.FormatMoney(micros), ".00"))
}

// choiceSchema offers the choices, and takes every way of writing them.
func choiceSchema(a *resource.Attribute) *jsonschema.Schema {
	var values, written []string
	for _, c := range a.Choices {
		values = append(values, c.Value)
		for _, word := range append([]string{c.Value}, c.Synonyms...) {
			written = append(written, anyCase(word))
		}
	}
	s := &jsonschema.Schema{AnyOf: []*jsonschema.Schema{
		{Enum: values}, {Type: jsonschema.Types{"string"},
			Pattern: `^` + ignored + `(?:` + strings.Join(written, "|") + `)$`},
	}}
	for _, value := range values {
		if _, err := strconv.Atoi(value); err == nil {
			s.AnyOf = append(s.AnyOf, &jsonschema.Schema{Const: json.Number(value)})
		}
	}
	return s
}

// ignored is what a choice may hold without meaning another (resource.Fold).
const ignored = `[\s_*-]*`

func anyCase(word string) string {
	var b strings.Builder
	for _, r := range resource.Fold(word) {
		if upper := strings.ToUpper(string(r)); upper != string(r) {
			b.WriteString("[" + string(r) + upper + "]")
		} else {
			b.WriteString(regexp.QuoteMeta(string(r)))
		}
		b.WriteString(ignored)
	}
	return b.String()
}

func listSchema(a *resource.Attribute) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: jsonschema.Types{"array", "string"}, Pattern: visible, MaxItems: a.Max}
	if !a.Clearable {
		s.MinItems = 1
	}
	switch a.Type {
	case resource.TypeHints:
		s.Type = append(s.Type, "number", "boolean")
		s.Items = jsonschema.Refer("hint")
	case resource.TypeRegion:
		s.Items = &jsonschema.Schema{AnyOf: []*jsonschema.Schema{
			{Enum: append(resource.CountryCodes(), "UK"),
				ErrorMessage: "want a two-letter code such as US, or the country's name"},
			{Type: jsonschema.Types{"string"}, Pattern: `^\s*(?:[A-Z][a-z]|[a-z][A-Za-z]|[^0-9\s][^0-9]+[^0-9\s])\s*$`},
		}}
	case resource.TypeSet:
		s.Items = choiceSchema(a)
	case resource.TypeFactors:
		s.Items = &jsonschema.Schema{Type: jsonschema.Types{"string", "object"}, Pattern: visible}
	default:
		s.Type = append(s.Type, "integer")
		s.Items = orAddress(a, &jsonschema.Schema{Type: jsonschema.Types{"string", "integer"}, Pattern: patternID})
	}
	return s
}

// orAddress takes the address of what an attribute names, too.
func orAddress(a *resource.Attribute, id *jsonschema.Schema) *jsonschema.Schema {
	if a.Addressed == "" {
		return id
	}
	return &jsonschema.Schema{
		AnyOf: []*jsonschema.Schema{id,
			{Type: jsonschema.Types{"string"}, Pattern: `^\s*` + string(a.Addressed) + `/[A-Za-z0-9._-]{1,200}\s*$`}},
	}
}

// allowClearing adds null, and the words that mean it.
func allowClearing(s *jsonschema.Schema) {
	if s.Type == nil {
		s.AnyOf = append(s.AnyOf, &jsonschema.Schema{Type: jsonschema.Types{"null"}}, &jsonschema.Schema{
			Type: jsonschema.Types{"string"}, Pattern: clearingWords,
		})
		return
	}
	s.Type = append(s.Type, "null")
	if s.Pattern != "" && s.Pattern != visible {
		s.Pattern = clearingWords + "|" + s.Pattern
	}
}
