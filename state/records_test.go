package state

import (
	"strings"
	"testing"

	"adsync/internal/resource"

	"pgregory.net/rapid"
)

// TestARecordIsALineAndBack writes records of any bytes as a line of JSON, and reads them again.
func TestARecordIsALineAndBack(t *testing.T) {
	texts := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
		"", "{}", "[1, 2]", `{"a":1}`, "{\"a\":\n1}", "\xff\x00", "null", "</script>\u2028", `{"a":1.50}`, " {}",
	}))
	value := rapid.Custom(func(t *rapid.T) resource.Value {
		switch rapid.IntRange(0, 3).Draw(t, "form") {
		case 0:
			return resource.Null()
		case 1:
			return resource.Number(rapid.Int64().Draw(t, "number"))
		case 2:
			return resource.List(rapid.SliceOf(texts).Draw(t, "items"))
		}
		return resource.Text(texts.Draw(t, "text"))
	})
	rapid.Check(t, func(t *rapid.T) {
		row := Row{
			Class: string(rapid.SampledFrom([]class{classStep, classBody, classLast, classReport}).Draw(t, "class")),
			Key:   texts.Draw(t, "key"), Value: texts.Draw(t, "value"),
		}
		if row.Class == string(classLast) {
			r := &resource.Resource{Address: address("campaign/a"), ID: texts.Draw(t, "id")}
			for _, name := range rapid.SliceOfDistinct(rapid.StringMatching("[a-z]{1,3}"), rapid.ID).Draw(t, "names") {
				r.Attributes.Set(name, value.Draw(t, name))
			}
			encoded, err := encodeLast(r)
			if err != nil {
				t.Fatal(err)
			}
			row.Key, row.Value = r.Address.String(), encoded
		}
		line, err := row.Line()
		if err != nil || strings.Contains(string(line), "\n") {
			t.Fatalf("Line(%q) = %q, %v; want one line", row, line, err)
		}
		if again, err := ParseRow(row.Class, line); err != nil || again != row {
			t.Fatalf("ParseRow(%s) = %q, %v; want %q", line, again, err, row)
		}
	})
}

// People read and compare what was applied.
func TestWhatWasAppliedReadsAsJSON(t *testing.T) {
	r := &resource.Resource{Address: address("campaign/a"), ID: "1"}
	r.Attributes.Set("budget", resource.Number(50_000_000))
	r.Attributes.Set("countries", resource.List([]string{"DE", "US"}))
	r.Attributes.Set("ends", resource.Null())
	r.Attributes.Set("name", resource.Text("Spring"))
	value, err := encodeLast(r)
	must(t, err)
	line, err := Row{string(classLast), "campaign/a", value}.Line()
	must(t, err)
	want := `{"key":"campaign/a","applied":{"id":"1","attributes":` +
		`{"budget":50000000,"countries":["DE","US"],"ends":null,"name":"Spring"}}}`
	if string(line) != want {
		t.Errorf("line is %s\nwant    %s", line, want)
	}
}
