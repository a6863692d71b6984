package compare_test

import (
	"fmt"
	"strings"
	"testing"

	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/plan/compare"
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
	if a.Of == "" {
		text = strings.ReplaceAll(text, "_", " ")
	}
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

// written returns a snapshot a position for every value, as a workbook would.
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

// diff plans with the default policy and the allowances given.
func diff(t testing.TB, last, desired, live string, allow ...string) *plan.Plan {
	t.Helper()
	return compare.Diff(plan.Input{
		Schemas: kinds.All(), Policy: plan.DefaultPolicy(), Allow: allowances(t, allow...),
		Last: snapshot(t, last), Desired: snapshot(t, desired), Live: snapshot(t, live),
	})
}

func allowances(t testing.TB, texts ...string) []plan.Allowance {
	t.Helper()
	var allow []plan.Allowance
	for _, s := range texts {
		a, err := plan.ParseAllowance(s)
		if err != nil {
			t.Fatal(err)
		}
		allow = append(allow, a)
	}
	return allow
}

// sketch writes changes in one line each, as a test's row reads.
func sketch(changes []plan.Change) string {
	var lines []string
	for _, c := range changes {
		line := string(c.Action) + " " + c.Address.String()
		if c.Pruned {
			line += " (pruned)"
		}
		line += held(c.Held)
		for _, f := range c.Fields {
			line += fmt.Sprintf("; %s %s %s %s%s",
				f.Name, show(c.Address.Kind, f.Name, f.Desired), f.Cause, f.Phase, held(f.Held))
		}
		for _, f := range c.Recorded {
			line += "; record " + f.Name + " " + show(c.Address.Kind, f.Name, f.Desired)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func held(h *plan.Hold) string {
	c := plan.Change{Held: h}
	text := ""
	for _, h := range c.Holds() {
		text += " HELD(" + string(h.Hazard) + ")"
	}
	return text
}

func show(kind resource.Kind, attribute string, v resource.Value) string {
	a, _ := kinds.All().Of(kind).Attribute(attribute)
	return a.Format(v)
}

func hazards(changes []plan.Change) string {
	var all []string
	for _, c := range changes {
		for _, h := range c.Hazards {
			all = append(all, string(h))
		}
	}
	return strings.Join(all, " ")
}

func problems(list []diag.Problem) string {
	var lines []string
	for _, p := range list {
		lines = append(lines, p.String())
	}
	return strings.Join(lines, "\n")
}

func dropIDs(s *resource.Snapshot) *resource.Snapshot {
	for r := range s.All() {
		r.ID = ""
	}
	return s
}
