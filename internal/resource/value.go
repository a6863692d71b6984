package resource

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"adsync/internal/diag"
)

type form uint8

const (
	absent form = iota
	null
	text
	number
	list
)

// Value is what an attribute holds. The zero Value is absent: not decided here.
// Null asks for the value to be removed. The two are never the same
// (formats.md section 1).
type Value struct {
	form     form
	text     string
	number   int64
	more     *more         // what few values have; nil where there is none
	Position diag.Position // where the value is written
}

// more is never changed once a value has it: values share it.
type more struct {
	list      []string
	written   string          // the text as written where the canonical value is another: the path of an image
	positions []diag.Position // where each item of a list is written, if known
}

// Null is the explicit wish to clear an attribute.
func Null() Value { return Value{form: null} }

// Text is a canonical text: a name, a choice, a day, a URL.
func Text(s string) Value { return Value{form: text, text: s} }

// Number is an integer, for money its micros of the account's currency.
func Number(n int64) Value { return Value{form: number, number: n} }

// List is a list of texts. Sets are given sorted by whoever makes them canonical.
func List(items []string) Value { return Value{form: list, more: &more{list: items}} }

// At returns the same value written at a position.
func (v Value) At(p diag.Position) Value {
	v.Position = p
	return v
}

// ItemsAt returns the same list with the position of each item.
func (v Value) ItemsAt(positions []diag.Position) Value {
	with := v.rest()
	with.positions = positions
	v.more = &with
	return v
}

// As keeps how the value was written, for people; it takes no part in Equal.
func (v Value) As(written string) Value {
	with := v.rest()
	with.written = written
	v.more = &with
	return v
}

// Written returns the text as written, else the canonical text.
func (v Value) Written() string {
	if written := v.rest().written; written != "" {
		return written
	}
	return v.text
}

func (v Value) rest() more {
	if v.more == nil {
		return more{}
	}
	return *v.more
}

// IsAbsent reports whether nothing is decided.
func (v Value) IsAbsent() bool { return v.form == absent }

// IsNull reports whether the attribute is to be cleared.
func (v Value) IsNull() bool { return v.form == null }

// IsSet reports whether there is a value: neither absent nor null.
func (v Value) IsSet() bool { return v.form > null }

// Text returns the text of a text value and "" otherwise.
func (v Value) Text() string { return v.text }

// Number returns the integer and whether the value is one.
func (v Value) Number() (int64, bool) { return v.number, v.form == number }

// Items returns the items of a list; the caller does not change them.
func (v Value) Items() []string {
	if v.more == nil {
		return nil
	}
	return v.more.list
}

// Entries returns the items of a list, or the one text of a text value.
func (v Value) Entries() []string {
	if v.form == text {
		return []string{v.text}
	}
	return v.Items()
}

// ItemPosition is where item i is written, as near as is known.
func (v Value) ItemPosition(i int) diag.Position {
	if v.more != nil && i >= 0 && i < len(v.more.positions) {
		return v.more.positions[i]
	}
	return v.Position
}

// Equal compares meaning, not position.
func (v Value) Equal(w Value) bool {
	return v.form == w.form && v.text == w.text && v.number == w.number && slices.Equal(v.Items(), w.Items())
}

// String is for failure texts of tests and for debugging; people see Display.
func (v Value) String() string {
	switch v.form {
	case absent:
		return "(absent)"
	case null:
		return "null"
	case text:
		return strconv.Quote(v.text)
	case number:
		return strconv.FormatInt(v.number, 10)
	default:
		return fmt.Sprintf("%q", v.Items())
	}
}

// MarshalJSON writes null, a string, an integer or an array of strings; money
// is in micros. An absent value has no JSON form.
func (v Value) MarshalJSON() ([]byte, error) {
	switch v.form {
	case absent:
		return nil, fmt.Errorf("an absent value has no JSON form")
	case null:
		return []byte("null"), nil
	case text:
		return json.Marshal(v.text)
	case number:
		return strconv.AppendInt(nil, v.number, 10), nil
	default:
		if v.Items() == nil {
			return []byte("[]"), nil
		}
		return json.Marshal(v.Items())
	}
}

// UnmarshalJSON reads what MarshalJSON wrote, exactly.
func (v *Value) UnmarshalJSON(data []byte) error {
	switch {
	case string(data) == "null":
		*v = Null()
		return nil
	case len(data) > 0 && data[0] == '"':
		*v = Value{form: text}
		return json.Unmarshal(data, &v.text)
	case len(data) > 0 && data[0] == '[':
		var items []string
		err := json.Unmarshal(data, &items)
		*v = List(items)
		return err
	}
	n, err := strconv.ParseInt(string(data), 10, 64)
	if err != nil {
		return fmt.Errorf("value is %s; want null, a string, an integer or a list", data)
	}
	*v = Number(n)
	return nil
}
