package wire

import (
	"errors"
	"slices"
	"testing"
)

func TestThreeValuedFields(t *testing.T) {
	for body, want := range map[string]Opt[string]{
		`{}`:         {},
		`{"a":null}`: {Set: true, Null: true},
		`{"a":""}`:   {Set: true},
		`{"a":"x"}`:  {Set: true, V: "x"},
	} {
		o, werr := ParseObject([]byte(body))
		if werr != nil {
			t.Fatal(werr)
		}
		o.AllowNull("a")
		if got := o.Text("a", 0, 0); got != want || o.Err() != nil {
			t.Errorf("Text of %s = %+v (%v), want %+v", body, got, o.Err(), want)
		}
	}
}

func TestIntegersAreExact(t *testing.T) {
	for text, ok := range map[string]bool{
		"9007199254740993": true, "-1": true, "9223372036854775807": true,
		"9223372036854775808": false, "1.0": false, "1e6": false, `"1"`: false, "true": false, "[]": false,
	} {
		o, werr := ParseObject([]byte(`{"n":` + text + `}`))
		if werr != nil {
			t.Fatal(werr)
		}
		o.Int("n", -10, 1<<63-1)
		if got := o.Err() == nil; got != ok {
			t.Errorf("Int of %s is accepted: %v, want %v", text, got, ok)
		}
	}
}

func TestTheFirstProblemIsKeptAndNested(t *testing.T) {
	o, werr := ParseObject([]byte(`{"list":[{"x":1},{"x":"a","y":2}],"z":3}`))
	if werr != nil {
		t.Fatal(werr)
	}
	for _, each := range o.Objects("list", 0, 2).V {
		each.Int("x", 0, 9)
	}
	var e *Error
	if err := o.Err(); !errors.As(err, &e) || e.Param != "list[1].x" || e.Code != "invalid_type" {
		t.Errorf("Err = %+v, want invalid_type of list[1].x", e)
	}
}

func TestFieldsNobodyTookAreRefused(t *testing.T) {
	o, werr := ParseObject([]byte(`{"list":[{"x":1,"y":2}]}`))
	if werr != nil {
		t.Fatal(werr)
	}
	for _, each := range o.Objects("list", 0, 0).V {
		each.Int("x", 0, 9)
	}
	var e *Error
	if err := o.Err(); !errors.As(err, &e) || e.Param != "list[0].y" || e.Code != "unknown_parameter" {
		t.Errorf("Err = %+v, want unknown_parameter list[0].y", e)
	}
}

func TestAllProblems(t *testing.T) {
	o, werr := ParseObject([]byte(`{"list":[{"x":"a","y":2},7,{"x":12}],"z":3}`))
	if werr != nil {
		t.Fatal(werr)
	}
	o.Require("name")
	for _, each := range o.Objects("list", 0, 0).V {
		each.Int("x", 0, 9)
	}
	o.Text("name", 1, 9)
	o.Fail("name", "invalid_value", "a second problem of one field")
	var got []string
	for _, e := range o.Problems() {
		got = append(got, e.Code+" "+e.Param)
	}
	want := []string{
		"missing_required_parameter name", "invalid_type list[1]", "invalid_type list[0].x",
		"integer_above_max_value list[2].x", "unknown_parameter z", "unknown_parameter list[0].y",
	}
	if !slices.Equal(got, want) {
		t.Errorf("Problems = %q\nwant %q", got, want)
	}
}

func TestQueryArrays(t *testing.T) {
	q := NewQuery("a=1&a[]=2&a[]=3", false)
	if got := q.Texts("a", 0); len(got) != 3 || q.Err() != nil {
		t.Errorf("Texts = %v, %v; want both forms", got, q.Err())
	}
	if q.Texts("a", 2); q.Err() == nil {
		t.Error("three entries pass a bound of two")
	}
	if q := NewQuery("a=%zz", false); q.Err() == nil {
		t.Error("a broken query passes")
	}
}
