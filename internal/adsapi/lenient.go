package adsapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
)

// The types below read members that the service may one day send in another
// JSON type than it documents. What cannot mean anything is absent, so that
// one odd member does not hide the rest of an answer; where absence matters,
// the reader of the whole says so.

// text reads a string, or a whole number as its digits. null is absent.
type text struct {
	value string
	set   bool
}

func (t *text) UnmarshalJSON(raw []byte) error {
	*t = text{}
	if raw[0] == '"' {
		t.set = true
		return json.Unmarshal(raw, &t.value)
	}
	if _, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		*t = text{value: string(raw), set: true}
	}
	return nil
}

// pointer is nil for an absent or an empty text.
func (t text) pointer() *string {
	if t.value == "" {
		return nil
	}
	return &t.value
}

// flag reads true or false, also as a string or as 1 or 0.
type flag struct {
	value bool
	set   bool
}

func (f *flag) UnmarshalJSON(raw []byte) error {
	*f = flag{}
	switch string(bytes.Trim(raw, `"`)) {
	case "true", "1":
		*f = flag{value: true, set: true}
	case "false", "0":
		*f = flag{set: true}
	}
	return nil
}

func (f flag) pointer() *bool {
	if !f.set {
		return nil
	}
	return &f.value
}

// whole reads a number, also as a string or with a fraction, which is
// rounded up: a wait is never cut short.
type whole struct {
	value int64
	set   bool
}

func (w *whole) UnmarshalJSON(raw []byte) error {
	*w = whole{}
	digits := string(bytes.Trim(raw, `"`))
	if n, err := strconv.ParseInt(digits, 10, 64); err == nil {
		*w = whole{value: n, set: true}
		return nil
	}
	f, err := strconv.ParseFloat(digits, 64)
	if err != nil || math.IsNaN(f) {
		return nil
	}
	f = math.Ceil(f)
	switch {
	case f >= math.MaxInt64:
		*w = whole{value: math.MaxInt64, set: true}
	case f <= math.MinInt64:
		*w = whole{value: math.MinInt64, set: true}
	default:
		*w = whole{value: int64(f), set: true}
	}
	return nil
}

func (w whole) pointer() *int64 {
	if !w.set {
		return nil
	}
	return &w.value
}

// unmarshalObject reads a body that must be one JSON object with nothing
// after it.
func unmarshalObject(body []byte, into any) error {
	trimmed := bytes.TrimSpace(body)
	if len(trimmed) == 0 {
		return errors.New("it is empty; want a JSON object")
	}
	err := json.Unmarshal(trimmed, into)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && trimmed[0] == '{' {
		return fmt.Errorf("its member %q is a JSON %s; want another type", wrong.Field, wrong.Value)
	}
	if err != nil || trimmed[0] != '{' {
		return fmt.Errorf("it is not a whole JSON object: %s", trimmed[:min(len(trimmed), maxShown)])
	}
	return nil
}
