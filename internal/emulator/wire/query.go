package wire

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Query takes query parameters. The first problem is kept; Err gives it.
// Parameters nobody asks for are ignored, as they are live.
type Query struct {
	values   url.Values
	brackets bool // array parameters must be written name[]
	first    *Error
}

// NewQuery reads a raw query. With brackets, an array written as name=a is
// refused, as it is live; otherwise both forms are read.
func NewQuery(raw string, brackets bool) *Query {
	values, err := url.ParseQuery(raw)
	q := &Query{values: values, brackets: brackets}
	if err != nil {
		q.Fail("", "invalid_query", "Invalid query: %v.", err)
	}
	return q
}

// Fail keeps a problem with a parameter, unless there is one already.
func (q *Query) Fail(name, code, format string, args ...any) {
	if q.first == nil {
		q.first = Invalidf(name, code, format, args...)
	}
}

// Err is the first problem.
func (q *Query) Err() error {
	if q.first != nil {
		return q.first
	}
	return nil
}

// Has reports whether a parameter is given, in either form.
func (q *Query) Has(name string) bool { return q.values.Has(name) || q.values.Has(name+"[]") }

// Text is a parameter of min to max code points; "" when absent.
func (q *Query) Text(name string, min, max int) string {
	if !q.values.Has(name) {
		return ""
	}
	v := q.values.Get(name)
	if n := utf8.RuneCountInString(v); n < min || (max > 0 && n > max) {
		q.Fail(name, "invalid_value", "Invalid '%s': want %d to %d characters, but got %d.", name, min, max, n)
	}
	return v
}

// Name is a list filter: 3 to 1,000 characters, at least one of them no blank (interface, part 2).
func (q *Query) Name(name string) string {
	v := q.Text(name, 3, 1000)
	if v != "" && strings.TrimFunc(v, unicode.IsSpace) == "" {
		q.Fail(name, "invalid_value", "Invalid '%s': want at least one character that is not white space.", name)
	}
	return v
}

// Int is a whole number from min to max, or other when absent.
func (q *Query) Int(name string, min, max, other int64) int64 {
	if !q.values.Has(name) {
		return other
	}
	text := q.values.Get(name)
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case err != nil:
		q.Fail(name, "invalid_type", "Invalid type for '%s': expected an integer, but got '%s' instead.", name, text)
	case n < min:
		q.Fail(name, "integer_below_min_value",
			"Invalid '%s': integer below minimum value. Expected a value >= %d, but got %d instead.", name, min, n)
	case n > max:
		q.Fail(name, "integer_above_max_value",
			"Invalid '%s': integer above maximum value. Expected a value <= %d, but got %d instead.", name, max, n)
	}
	return n
}

// Choice is one of the given values, or other when absent.
func (q *Query) Choice(name, other string, choices ...string) string {
	if !q.values.Has(name) {
		return other
	}
	v := q.values.Get(name)
	if !slices.Contains(choices, v) {
		q.Fail(name, "invalid_value", "Invalid value: '%s'. Supported values for '%s' are: '%s'.",
			v, name, strings.Join(choices, "', '"))
	}
	return v
}

// Texts is an array parameter of at most max entries.
func (q *Query) Texts(name string, max int) []string {
	if q.brackets && q.values.Has(name) {
		q.Fail(name, "invalid_type",
			"Invalid type for '%s': expected an array of strings, but got a string instead.", name)
	}
	all := append(slices.Clone(q.values[name+"[]"]), q.values[name]...)
	if max > 0 && len(all) > max {
		q.Fail(name, "array_above_max_length", "Invalid '%s': array too long. Expected "+
			"an array with maximum length %d, but got an array with length %d instead.", name, max, len(all))
	}
	return all
}

// Choices is an array parameter whose entries are among choices.
func (q *Query) Choices(name string, choices ...string) []string {
	all := q.Texts(name, 0)
	for _, v := range all {
		if !slices.Contains(choices, v) {
			q.Fail(name, "invalid_value", "Invalid value: '%s'. Supported values for '%s' are: '%s'.",
				v, name, strings.Join(choices, "', '"))
		}
	}
	return all
}
