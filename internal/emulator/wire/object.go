package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Opt is a field that may be absent, null, or a value: three different things.
type Opt[T any] struct {
	Set  bool // the field is in the body
	Null bool // and it is null
	V    T    // its value otherwise
}

// Given reports a value that is not null.
func (o Opt[T]) Given() bool { return o.Set && !o.Null }

// Or is the value, or other when the field is absent or null.
func (o Opt[T]) Or(other T) T {
	if o.Given() {
		return o.V
	}
	return other
}

// Ptr is the value, or nil when the field is absent or null.
func (o Opt[T]) Ptr() *T {
	if o.Given() {
		return &o.V
	}
	return nil
}

// Object is a JSON object whose fields are taken one by one. Problems are kept:
// Err gives the first, or names a field that nobody took; Problems gives all.
type Object struct {
	path   string // "" at the top
	fields map[string]json.RawMessage
	order  []string
	taken  map[string]bool
	nulls  []string
	failed *[]*Error // shared by nested objects
	nested *[]*Object
}

// ParseObject reads a body that must be one JSON object.
func ParseObject(body []byte) (*Object, *Error) {
	o := &Object{failed: new([]*Error), nested: new([]*Object)}
	if !utf8.Valid(body) {
		return nil, Invalidf("", "invalid_json", "The body is not valid UTF-8; want a JSON object.")
	}
	if err := o.read(body); err != nil {
		return nil, Invalidf("", "invalid_json", "The body is not one JSON object: %v.", err)
	}
	return o, nil
}

// ParseAt reads a part of a body that is judged by itself; path says where it is.
func ParseAt(path string, raw []byte) (*Object, *Error) {
	o := &Object{path: path, failed: new([]*Error), nested: new([]*Object)}
	if err := o.read(raw); err != nil {
		return nil, Invalidf(path, "invalid_type",
			"Invalid type for '%s': expected an object, but got %s instead.", path, short(raw))
	}
	return o, nil
}

func (o *Object) read(raw []byte) error {
	if trimmed := bytes.TrimSpace(raw); len(trimmed) == 0 || trimmed[0] != '{' {
		return fmt.Errorf("it does not start with {")
	}
	if err := json.Unmarshal(raw, &o.fields); err != nil {
		return err
	}
	o.taken = make(map[string]bool, len(o.fields))
	for name := range o.fields {
		o.order = append(o.order, name)
	}
	slices.Sort(o.order)
	*o.nested = append(*o.nested, o)
	return nil
}

// Has reports whether a field is in the body, and takes nothing.
func (o *Object) Has(name string) bool { _, ok := o.fields[name]; return ok }

// Len is the number of fields.
func (o *Object) Len() int { return len(o.fields) }

// Names are the fields in alphabetical order.
func (o *Object) Names() []string { return o.order }

// AllowNull says which fields may be null; every other null is refused.
func (o *Object) AllowNull(names ...string) { o.nulls = append(o.nulls, names...) }

// Ignore takes fields without reading them.
func (o *Object) Ignore(names ...string) {
	for _, name := range names {
		o.taken[name] = true
	}
}

// Require refuses a body without these fields.
func (o *Object) Require(names ...string) {
	for _, name := range names {
		if !o.Has(name) {
			o.Fail(name, "missing_required_parameter", "Missing required parameter: '%s'.", o.At(name))
		}
	}
}

// At is the full name of a field, such as budget.daily_spend_limit_micros.
func (o *Object) At(name string) string {
	switch {
	case o.path == "":
		return name
	case name == "":
		return o.path
	}
	return o.path + "." + name
}

// Fail keeps a problem with a field.
func (o *Object) Fail(name, code, format string, args ...any) {
	*o.failed = append(*o.failed, Invalidf(o.At(name), code, format, args...))
}

// Err is the first problem, or a field that nobody took, in this object or the ones in it.
func (o *Object) Err() error {
	if len(*o.failed) > 0 {
		return (*o.failed)[0]
	}
	for unknown := range o.untaken {
		return unknown
	}
	return nil
}

// Problems are all problems in this object and the ones in it, the first of each
// field, in the order they were met; those nobody took come last.
func (o *Object) Problems() []*Error {
	var all []*Error
	seen := map[string]bool{}
	for _, each := range slices.AppendSeq(slices.Clone(*o.failed), o.untaken) {
		if !seen[each.Param] {
			seen[each.Param] = true
			all = append(all, each)
		}
	}
	return all
}

// untaken yields a problem for every field that nobody took.
func (o *Object) untaken(yield func(*Error) bool) {
	for _, each := range *o.nested {
		for _, name := range each.order {
			if !each.taken[name] && !yield(Invalidf(each.At(name),
				"unknown_parameter", "Unknown parameter: '%s'.", each.At(name))) {
				return
			}
		}
	}
}

// take returns the raw value of a field that is there and not null.
func (o *Object) take(name string) (raw json.RawMessage, set, null bool) {
	raw, set = o.fields[name]
	if !set {
		return nil, false, false
	}
	o.taken[name] = true
	if !bytes.Equal(raw, []byte("null")) {
		return raw, true, false
	}
	if !slices.Contains(o.nulls, name) {
		o.Fail(name, "invalid_type", "Invalid type for '%s': null is not accepted.", o.At(name))
	}
	return nil, true, true
}

func field[T any](o *Object, name, want string, read func(json.RawMessage) (T, bool)) Opt[T] {
	raw, set, null := o.take(name)
	if !set || null {
		return Opt[T]{Set: set, Null: null}
	}
	v, ok := read(raw)
	if !ok {
		o.Fail(name, "invalid_type", "Invalid type for '%s': expected %s, but got %s instead.",
			o.At(name), want, short(raw))
	}
	return Opt[T]{Set: true, V: v}
}

func short(raw json.RawMessage) string {
	if len(raw) > 40 {
		return strings.ToValidUTF8(string(raw[:40]), "") + "…"
	}
	return string(raw)
}

// Text takes a string of min to max code points (max 0: no bound).
func (o *Object) Text(name string, min, max int) Opt[string] {
	v := field(o, name, "a string", readString)
	if !v.Given() {
		return v
	}
	o.checkLength(name, v.V, min, max)
	return v
}

func (o *Object) checkLength(name, text string, min, max int) {
	n := utf8.RuneCountInString(text)
	if n < min {
		o.Fail(name, "string_below_min_length", "Invalid '%s': string too short. "+
			"Expected a string with minimum length %d, but got a string with length %d instead.", o.At(name), min, n)
	}
	if max > 0 && n > max {
		o.Fail(name, "string_above_max_length", "Invalid '%s': string too long. "+
			"Expected a string with maximum length %d, but got a string with length %d instead.", o.At(name), max, n)
	}
}

// Name takes a string of min to max code points with at least one that is no blank.
func (o *Object) Name(name string, min, max int) Opt[string] {
	v := o.Text(name, min, max)
	if v.Given() && strings.TrimFunc(v.V, unicode.IsSpace) == "" {
		o.Fail(name, "invalid_value", "Invalid '%s': want at least one character that is not white space.", o.At(name))
	}
	return v
}

func readString(raw json.RawMessage) (s string, ok bool) {
	return s, raw[0] == '"' && json.Unmarshal(raw, &s) == nil
}

// Int takes a whole number from min to max, written without fraction or exponent.
func (o *Object) Int(name string, min, max int64) Opt[int64] {
	v := field(o, name, "an integer", func(raw json.RawMessage) (int64, bool) {
		n, err := strconv.ParseInt(string(raw), 10, 64)
		return n, err == nil
	})
	if !v.Given() {
		return v
	}
	if v.V < min {
		o.Fail(name, "integer_below_min_value", "Invalid '%s': "+
			"integer below minimum value. Expected a value >= %d, but got %d instead.", o.At(name), min, v.V)
	}
	if v.V > max {
		o.Fail(name, "integer_above_max_value", "Invalid '%s': "+
			"integer above maximum value. Expected a value <= %d, but got %d instead.", o.At(name), max, v.V)
	}
	return v
}

// Time takes Unix seconds in the published range, 946684800 to 4102444800.
func (o *Object) Time(name string) Opt[int64] { return o.Int(name, MinTime, MaxTime) }

// The range of times the service accepts, Unix seconds (interface, part 8).
const (
	MinTime = 946684800
	MaxTime = 4102444800
)

// Number takes any JSON number.
func (o *Object) Number(name string) Opt[json.Number] {
	return field(o, name, "a number", func(raw json.RawMessage) (n json.Number, ok bool) {
		return n, raw[0] != '"' && json.Unmarshal(raw, &n) == nil
	})
}

// Bool takes true or false.
func (o *Object) Bool(name string) Opt[bool] {
	return field(o, name, "a boolean", func(raw json.RawMessage) (b bool, ok bool) {
		return b, json.Unmarshal(raw, &b) == nil
	})
}

// Choice takes one of the given strings.
func (o *Object) Choice(name string, choices ...string) Opt[string] {
	v := field(o, name, "a string", readString)
	if v.Given() && !slices.Contains(choices, v.V) {
		o.Fail(name, "invalid_value", "Invalid value: '%s'. Supported values for '%s' are: '%s'.",
			v.V, o.At(name), strings.Join(choices, "', '"))
	}
	return v
}

// Texts takes an array of min to max strings; check refuses one with a reason.
func (o *Object) Texts(name string, min, max int, check func(string) error) Opt[[]string] {
	v := field(o, name, "an array of strings", readStrings)
	if !v.Given() {
		return v
	}
	o.checkCount(name, len(v.V), min, max)
	if check == nil {
		return v
	}
	for i, text := range v.V {
		if err := check(text); err != nil {
			o.Fail(fmt.Sprintf("%s[%d]", name, i), "invalid_value", "Invalid '%s[%d]': %v.", o.At(name), i, err)
		}
	}
	return v
}

func (o *Object) checkCount(name string, n, min, max int) {
	if n < min {
		o.Fail(name, "array_below_min_length", "Invalid '%s': array too short. "+
			"Expected an array with minimum length %d, but got an array with length %d instead.", o.At(name), min, n)
	}
	if max > 0 && n > max {
		o.Fail(name, "array_above_max_length", "Invalid '%s': array too long. Expected "+
			"an array with maximum length %d, but got an array with length %d instead.", o.At(name), max, n)
	}
}

func readStrings(raw json.RawMessage) ([]string, bool) {
	var items []*string
	if raw[0] != '[' || json.Unmarshal(raw, &items) != nil || slices.Contains(items, nil) {
		return nil, false
	}
	texts := make([]string, len(items))
	for i, item := range items {
		texts[i] = *item
	}
	return texts, true
}

// Object takes a nested object. Absent or null gives nil.
func (o *Object) Object(name string) (*Object, Opt[struct{}]) {
	raw, set, null := o.take(name)
	seen := Opt[struct{}]{Set: set, Null: null}
	if !set || null {
		return nil, seen
	}
	child := o.child(name, raw)
	if child == nil {
		o.Fail(name, "invalid_type", "Invalid type for '%s': expected an object, but got %s instead.",
			o.At(name), short(raw))
		seen.Null = true
	}
	return child, seen
}

func (o *Object) child(name string, raw json.RawMessage) *Object {
	child := &Object{path: o.At(name), failed: o.failed, nested: o.nested}
	if child.read(raw) != nil {
		return nil
	}
	return child
}

// Raw takes a field as it is written, whatever it is.
func (o *Object) Raw(name string) Opt[json.RawMessage] {
	raw, set, null := o.take(name)
	return Opt[json.RawMessage]{Set: set, Null: null, V: raw}
}

// Raws takes an array of min to max values as they are written.
func (o *Object) Raws(name string, min, max int) Opt[[]json.RawMessage] {
	v := field(o, name, "an array", func(raw json.RawMessage) (items []json.RawMessage, ok bool) {
		return items, raw[0] == '[' && json.Unmarshal(raw, &items) == nil
	})
	if v.Given() {
		o.checkCount(name, len(v.V), min, max)
	}
	return v
}

// Objects takes an array of min to max objects.
func (o *Object) Objects(name string, min, max int) Opt[[]*Object] {
	raws := field(o, name, "an array of objects", func(raw json.RawMessage) (items []json.RawMessage, ok bool) {
		return items, raw[0] == '[' && json.Unmarshal(raw, &items) == nil
	})
	v := Opt[[]*Object]{Set: raws.Set, Null: raws.Null}
	if !raws.Given() {
		return v
	}
	o.checkCount(name, len(raws.V), min, max)
	for i, raw := range raws.V {
		at := fmt.Sprintf("%s[%d]", name, i)
		child := o.child(at, raw)
		if child == nil {
			o.Fail(at, "invalid_type", "Invalid type for '%s': expected an object, but got %s instead.",
				o.At(at), short(raw))
			continue
		}
		v.V = append(v.V, child)
	}
	return v
}
