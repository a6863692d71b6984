package planview

import (
	"strings"
	"testing"

	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/internal/resource"
)

// snapshot reads one resource a line: `campaign/x#id name=Spring budget.daily=50`.
// Values are written as in a cell, with `_` for a space and `|` between entries
// of a list; `[clear]` is null. The id may be left out.
func snapshot(t testing.TB, text string) *resource.Snapshot {
	t.Helper()
	s := &resource.Snapshot{}
	for _, line := range strings.Split(text, "\n") {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		if !s.Add(parse(t, fields)) {
			t.Fatalf("%s stands there twice", fields[0])
		}
	}
	return s
}

func parse(t testing.TB, fields []string) *resource.Resource {
	t.Helper()
	name, id, _ := strings.Cut(fields[0], "#")
	address, ok := resource.ParseAddress(name)
	if !ok {
		t.Fatalf("address is %q", name)
	}
	r := &resource.Resource{Address: address, ID: id}
	for _, field := range fields[1:] {
		attribute, text, _ := strings.Cut(field, "=")
		r.Set(attribute, value(t, address.Kind, attribute, text))
	}
	return r
}

func value(t testing.TB, kind resource.Kind, attribute, text string) resource.Value {
	t.Helper()
	if text == "[clear]" {
		return resource.Null()
	}
	a, ok := kinds.All().Of(kind).Attribute(attribute)
	if !ok {
		t.Fatalf("%s has no attribute %q", kind, attribute)
	}
	text = strings.ReplaceAll(text, "_", " ")
	if a.Type.IsList() {
		items := strings.FieldsFunc(text, func(r rune) bool { return r == '|' })
		v, findings := a.ParseList(items)
		if len(findings) > 0 {
			t.Fatalf("%s: %s", attribute, findings[0].Message)
		}
		return v
	}
	if a.Type == resource.TypeChoice {
		text = strings.ReplaceAll(text, " ", "_")
	}
	v, finding := a.Parse(text, resource.Env{Currency: "USD"})
	if finding != nil {
		t.Fatalf("%s: %s", attribute, finding.Message)
	}
	return v
}

// written adds a position to every value of a snapshot, as a workbook would.
func written(s *resource.Snapshot) *resource.Snapshot {
	row := 1
	for r := range s.All() {
		row++
		sheet := kinds.All().Of(r.Address.Kind).Sheet
		r.Position = diag.Cell("q4.xlsx", sheet, row, 0)
		for i := range r.Attributes {
			r.Attributes[i].Value = r.Attributes[i].Value.At(diag.Cell("q4.xlsx", sheet, row, i+1))
		}
	}
	return s
}
