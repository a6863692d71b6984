package emulatortest

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"adsync/internal/emulator/openapi"
)

// checker compares a value, decoded with numbers as json.Number, with a schema.
type checker struct {
	schemas   map[string]*openapi.Schema
	extra     string   // a field every object may have; "" is none
	openEnums bool     // values that no document names are let through
	dropped   []string // fields that no object needs to have
	problems  []string
}

func (c *checker) failf(at, format string, args ...any) {
	c.problems = append(c.problems, at+" "+fmt.Sprintf(format, args...))
}

// follow is the schema that s stands for.
func (c *checker) follow(s *openapi.Schema) *openapi.Schema {
	for s.Ref != "" {
		s = c.schemas[strings.TrimPrefix(s.Ref, "#/components/schemas/")]
	}
	return s
}

func (c *checker) check(at string, s *openapi.Schema, value any) {
	s = c.follow(s)
	if s.AnyOf != nil {
		c.checkAny(at, s.AnyOf, value)
		return
	}
	kind := kindOf(value)
	if len(s.Type) > 0 && !slices.Contains(s.Type, kind) && !(kind == "integer" && slices.Contains(s.Type, "number")) {
		c.failf(at, "is %s %s; want %s", kind, show(value), strings.Join(s.Type, " or "))
		return
	}
	switch v := value.(type) {
	case string:
		c.checkText(at, s, v)
	case json.Number:
		c.checkNumber(at, s, v)
	case []any:
		c.checkList(at, s, v)
	case map[string]any:
		c.checkObject(at, s, v)
	}
}

// checkAny takes the first schema that fits. Without one it gives the problems of
// the one that fits best.
func (c *checker) checkAny(at string, choices []*openapi.Schema, value any) {
	var best []string
	for i, s := range choices {
		try := checker{schemas: c.schemas, extra: c.extra, openEnums: c.openEnums, dropped: c.dropped}
		try.check(at, s, value)
		if len(try.problems) == 0 {
			return
		}
		if i == 0 || len(try.problems) < len(best) {
			best = try.problems
		}
	}
	c.problems = append(c.problems, best...)
}

func (c *checker) checkText(at string, s *openapi.Schema, v string) {
	n := utf8.RuneCountInString(v)
	switch {
	case n < s.MinLength || (s.MaxLength > 0 && n > s.MaxLength):
		c.failf(at, "has %d characters; want %d to %d", n, s.MinLength, s.MaxLength)
	case s.Enum != nil && !c.openEnums && !slices.Contains(s.Enum, v):
		c.failf(at, "is %q; want one of %s", v, strings.Join(s.Enum, ", "))
	case !hasFormat(s.Format, v):
		c.failf(at, "is %q; want a %s", v, s.Format)
	}
}

func hasFormat(format, v string) bool {
	var err error
	switch format {
	case "date":
		_, err = time.Parse(time.DateOnly, v)
	case "date-time":
		_, err = time.Parse(time.RFC3339, v)
	case "uri":
		var u *url.URL
		u, err = url.Parse(v)
		return err == nil && u.IsAbs()
	}
	return err == nil
}

func (c *checker) checkNumber(at string, s *openapi.Schema, v json.Number) {
	n, err := strconv.ParseFloat(string(v), 64)
	switch {
	case err != nil:
		c.failf(at, "is %s; want a number", v)
	case s.Minimum != nil && n < float64(*s.Minimum):
		c.failf(at, "is %s; want at least %d", v, *s.Minimum)
	case s.Maximum != nil && n > float64(*s.Maximum):
		c.failf(at, "is %s; want at most %d", v, *s.Maximum)
	}
}

func (c *checker) checkList(at string, s *openapi.Schema, v []any) {
	if n := len(v); n < s.MinItems || (s.MaxItems > 0 && n > s.MaxItems) {
		c.failf(at, "has %d entries; want %d to %d", n, s.MinItems, s.MaxItems)
	}
	if s.Items == nil {
		return
	}
	for i, each := range v {
		c.check(fmt.Sprintf("%s[%d]", at, i), s.Items, each)
	}
}

func (c *checker) checkObject(at string, s *openapi.Schema, v map[string]any) {
	for _, name := range s.Required {
		if _, ok := v[name]; !ok && !slices.Contains(c.dropped, name) {
			c.failf(at, "lacks the field %q", name)
		}
	}
	if len(v) < s.MinFields {
		c.failf(at, "has %d fields; want at least %d", len(v), s.MinFields)
	}
	for name, each := range v {
		if field := s.Fields.Named(name); field != nil {
			c.check(at+"."+name, field, each)
			continue
		}
		switch {
		case s.Others == nil || (name == c.extra && name != ""):
		case s.Others.Schema == nil:
			c.failf(at, "has the field %q, which is not in the document", name)
		default:
			c.check(at+"."+name, s.Others.Schema, each)
		}
	}
}

func kindOf(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case string:
		return "string"
	case bool:
		return "boolean"
	case []any:
		return "array"
	case json.Number:
		if strings.ContainsAny(string(v), ".eE") {
			return "number"
		}
		return "integer"
	}
	return "object"
}

func show(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(text[:min(len(text), 80)])
}
