package resource

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"adsync/internal/diag"
	"adsync/internal/pattern"

	"golang.org/x/text/unicode/norm"
)

// Finding is what is wrong with a value, without a position: the reader that
// knows where the value stands adds it.
type Finding struct {
	Code      diag.Code
	Severity  diag.Severity // "" is an error
	Attribute string        // for rules: the attribute whose position is best
	Once      string        // for rules: of findings with the same text here only the first is said
	Message   string
	Hint      string
}

// Env is what canonical values depend on: the account's currency (ISO 4217) and
// time zone.
type Env struct {
	Currency string
	Zone     *time.Location
}

// Parse makes the canonical value of a scalar attribute from the text as
// written. A text that is empty after trimming is absent. Images are left as
// written: whoever can read files turns them into content hashes.
func (a *Attribute) Parse(s string, env Env) (Value, *Finding) {
	s = Clean(s)
	if s == "" {
		return Value{}, nil
	}
	switch a.Type {
	case TypeChoice:
		return a.parseChoice(s)
	case TypeMoney:
		return a.parseMoney(s, env)
	case TypeDay, TypeLast:
		day, finding := parseDay(s)
		return orFinding(Text(day), finding)
	case TypeURL:
		return a.parseURL(s)
	case TypeImage:
		return a.parseImage(s)
	case TypeObject:
		return parseObject(s)
	case TypeCount:
		return parseCount(s)
	case TypeID:
		return orFinding(Text(s), a.badName(s))
	}
	return a.parseText(s)
}

func parseCount(s string) (Value, *Finding) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 {
		return Value{}, &Finding{Code: diag.BadValue, Message: fmt.Sprintf("count is %q; want a whole number", s)}
	}
	return Number(n), nil
}

func orFinding(v Value, f *Finding) (Value, *Finding) {
	if f != nil {
		return Value{}, f
	}
	return v, nil
}

func (a *Attribute) parseText(s string) (Value, *Finding) {
	if strings.ContainsAny(s, "\n\r") && a.Type == TypeQuery {
		return Value{}, &Finding{
			Code: diag.BadValue, Message: fmt.Sprintf("%s holds a line break; want one line", a.Name),
		}
	}
	if a.Type == TypeQuery {
		return orFinding(Text(s), badQuery(s))
	}
	if f := Garbled(s); f != nil {
		return Value{}, f
	}
	return orFinding(Text(s), a.badLength(s))
}

func (a *Attribute) badLength(s string) *Finding {
	n := int64(utf8.RuneCountInString(s))
	switch {
	case a.Max > 0 && n > a.Max:
		return &Finding{
			Code: diag.TooLong, Message: fmt.Sprintf("%s has %s; want at most %d",
				a.Name, diag.Plural(n, "character"), a.Max),
		}
	case n < a.Min:
		return &Finding{
			Code: diag.TooLong, Message: fmt.Sprintf("%s has %s; want at least %d",
				a.Name, diag.Plural(n, "character"), a.Min),
		}
	}
	return nil
}

func (a *Attribute) parseChoice(s string) (Value, *Finding) {
	if c, ok := a.choice(s); ok {
		return Text(c), nil
	}
	return Value{}, a.badChoice(s)
}

func (a *Attribute) choice(s string) (string, bool) {
	folded := Fold(s)
	for _, c := range a.Choices {
		if Fold(c.Value) == folded || slices.ContainsFunc(c.Synonyms, func(y string) bool {
			return Fold(y) == folded
		}) {
			return c.Value, true
		}
	}
	return "", false
}

func (a *Attribute) badChoice(s string) *Finding {
	var values []string
	for _, c := range a.Choices {
		values = append(values, c.Value)
	}
	return &Finding{
		Code:    diag.BadChoice,
		Message: fmt.Sprintf("%s is %q; want %s", a.Name, s, diag.OrList(values)),
		Hint:    diag.DidYouMean(s, values),
	}
}

// Fold makes choices, headers and names of sheets comparable: without case,
// spaces, underscores, hyphens, and in one Unicode form.
func Fold(s string) string {
	s = norm.NFKC.String(s) // without a copy where nothing changes
	return strings.Map(func(r rune) rune {
		switch {
		case 'A' <= r && r <= 'Z':
			return r + ('a' - 'A')
		case blank(r) || r == '_' || r == '-' || r == '*':
			return -1
		case r < utf8.RuneSelf:
			return r
		}
		return unicode.ToLower(r)
	}, s)
}

func (a *Attribute) parseMoney(s string, env Env) (Value, *Finding) {
	micros, finding := ParseMoney(s, env.Currency)
	if finding != nil {
		return Value{}, finding
	}
	if micros < a.Min || a.Max > 0 && micros > a.Max {
		return Value{}, &Finding{
			Code: diag.BadMoney, Message: fmt.Sprintf("%s is %s; want %s", a.Name, FormatMoney(micros), a.moneyRange()),
		}
	}
	if coin := coinOf(env.Currency); a.WholeCoins && env.Currency != "" && micros%coin != 0 {
		return Value{}, &Finding{
			Code: diag.BadMoney, Message: fmt.Sprintf("%s is %s; want whole coins of %s, such as %s", a.Name,
				FormatMoney(micros), env.Currency, FormatMoney(max(micros-micros%coin, coin))),
		}
	}
	return Number(micros), nil
}

func (a *Attribute) moneyRange() string {
	if a.Max == 0 {
		return "at least " + FormatMoney(a.Min)
	}
	return FormatMoney(a.Min) + " to " + FormatMoney(a.Max)
}

func (a *Attribute) parseURL(s string) (Value, *Finding) {
	if strings.ContainsAny(s, " \t\r\n\u00a0") {
		return Value{}, a.spacedURL(s)
	}
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return Value{}, &Finding{
			Code: diag.BadURL, Message: fmt.Sprintf("%s is %q; want an http or https address", a.Name, s),
			Hint: withScheme(s),
		}
	}
	return orFinding(Text(s), a.badLength(s))
}

// spacedURL refuses an address with a space or a line break in it: one that was typed,
// or two of them.
func (a *Attribute) spacedURL(s string) *Finding {
	f := &Finding{
		Code: diag.BadURL, Message: fmt.Sprintf("%s is %q, which "+
			"has a space in it; want one http or https address without", a.Name, s),
	}
	parts := strings.Fields(s)
	addresses := 0
	for _, part := range parts {
		if strings.Contains(part, "://") {
			addresses++
		}
	}
	switch {
	case addresses > 1:
		f.Hint = "write one address, and the others in rows of their own"
	case addresses == 1 && strings.Contains(parts[0], "://"):
		f.Hint = "write " + strings.Join(parts, "%20") + ", or " + strings.Join(parts, "") + " if the space slipped in"
	}
	return f
}

var bareHost = pattern.Of(`^[a-zA-Z0-9-]+(\.[a-zA-Z0-9-]+)*\.[a-zA-Z]{2,}(/\S*)?$`)

// withScheme helps with an address that lacks its beginning.
func withScheme(s string) string {
	if bareHost.MatchString(s) {
		return "write https://" + s
	}
	return ""
}

func (a *Attribute) parseImage(s string) (Value, *Finding) {
	if strings.HasPrefix(strings.ToLower(s[:min(len(s), 5)]), "data:") {
		return Value{}, &Finding{
			Code: diag.BadURL, Message: a.Name +
				" is a data: address; want a file of the project, or an http or https address",
			Hint: "save the picture as a file beside this one",
		}
	}
	if strings.Contains(s, "://") {
		return a.parseURL(s)
	}
	return Text(s), nil
}

// badName holds an entry of ids to its two forms: an id, or the address of what
// the files have.
func (a *Attribute) badName(s string) *Finding {
	address, byKey := ParseAddress(s)
	if byKey = byKey && a.Addressed != "" && badID(address.Key) == nil; byKey && address.Kind == a.Addressed {
		return nil
	}
	f := badID(s)
	if f != nil && a.Addressed != "" {
		f.Message += fmt.Sprintf(", or %s/ and a key of your files", a.Addressed)
	}
	if byKey && diag.Nearest(string(address.Kind), []string{string(a.Addressed)}) != "" {
		f.Hint = diag.Suggest(Address{Kind: a.Addressed, Key: address.Key}.String())
	}
	return f
}

// lostDigits is what a spreadsheet program makes of an id that looks like a number.
var lostDigits = pattern.Of(`^[0-9](?:[.,][0-9]+)?[eE]\+[0-9]+$`)

// RuinedID returns what is wrong with a text that surely is no id of the service any more, and
// nil of any other: ids are opaque.
func RuinedID(s string) *Finding {
	switch {
	case lostDigits.MatchString(s):
		return &Finding{
			Code: diag.BadValue, Message: fmt.Sprintf("id is %q, a "+
				"number in which a spreadsheet program has lost digits; want the id as it was", s),
			Hint: "give the column the format Text and copy the id from adsync export",
		}
	case strings.ContainsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }):
		return &Finding{Code: diag.BadValue, Message: fmt.Sprintf("id is %q; want an id as the service gives it", s)}
	}
	return nil
}

func badID(s string) *Finding {
	if f := RuinedID(s); f != nil {
		return f
	}
	if strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == '/' || r > '~' }) {
		return &Finding{Code: diag.BadValue, Message: fmt.Sprintf("id is %q; want an id as the service gives it", s)}
	}
	return nil
}

func parseObject(s string) (Value, *Finding) {
	var object map[string]any
	decoder := json.NewDecoder(strings.NewReader(s))
	decoder.UseNumber()
	if err := decoder.Decode(&object); err != nil {
		return Value{}, &Finding{Code: diag.BadValue, Message: fmt.Sprintf("value is %q; want a JSON object", s)}
	}
	v, err := Object(object)
	if err != nil {
		return Value{}, &Finding{Code: diag.BadValue, Message: fmt.Sprintf("value is %q; want a JSON object", s)}
	}
	return v, nil
}

// Object returns a JSON object as a value, in one form: keys in order, and numbers without
// zeros that end them, so that 0.10 is 0.1. Every other digit stays.
func Object(object map[string]any) (Value, error) {
	canonical, err := json.Marshal(shortest(object))
	return Text(string(canonical)), err
}

func shortest(part any) any {
	switch part := part.(type) {
	case map[string]any:
		short := make(map[string]any, len(part))
		for key, value := range part {
			short[key] = shortest(value)
		}
		return short
	case []any:
		short := make([]any, len(part))
		for i := range part {
			short[i] = shortest(part[i])
		}
		return short
	case json.Number:
		if text := part.String(); strings.Contains(text, ".") && !strings.ContainsAny(text, "eE") {
			return json.Number(strings.TrimRight(strings.TrimRight(text, "0"), "."))
		}
	}
	return part
}
