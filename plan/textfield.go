package plan

import (
	"fmt"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
)

// fields writes the fields of a change, one a line, and those sent along
// unchanged in one.
func (t *printer) fields(indent int, c *Change) {
	if c.Action == Create && t.folds && !c.isHeld() {
		if len(c.Fields) > 0 {
			t.linef(indent, "%d attributes, all in -o json", len(c.Fields))
		}
		return
	}
	schema := t.plan.schemas.Of(c.Address.Kind)
	var along []Field
	for i := range c.Fields {
		f := &c.Fields[i]
		if f.Cause == SentAlong {
			along = append(along, *f)
			continue
		}
		a, _ := schema.Attribute(f.Name)
		t.linef(indent, "%s: %s  (%s)", f.Name, t.values(a, f, c.Action), origin(f))
		t.hold(indent+1, f.Held)
	}
	if len(along) > 0 {
		t.linef(indent, "sent along unchanged: %s", namesOf(along))
	}
}

func origin(f *Field) string {
	if f.Desired.Position.IsZero() {
		return string(f.Cause)
	}
	return string(f.Cause) + ", " + f.Desired.Position.String()
}

// values writes what is live and what the files want; where the service does
// not show the attribute, what was sent last.
func (t *printer) values(a *resource.Attribute, f *Field, action Action) string {
	from := f.Live
	if !readable(a) {
		from = f.Last
	}
	switch {
	case action == Create || action == Replace && f.Phase == Creates:
		return t.one(a, f.Desired, resource.Value{})
	case a.Type.IsList():
		return t.one(a, from, f.Desired) + " → " + t.one(a, f.Desired, from) + difference(a, from.Items(), f.Desired.Items())
	}
	return t.one(a, from, f.Desired) + " → " + t.one(a, f.Desired, from)
}

// one writes a value. A long text is cut, aloud, around where it differs.
func (t *printer) one(a *resource.Attribute, v, other resource.Value) string {
	shown := a.Show(v)
	if a.Type == resource.TypeImage && v.IsSet() {
		shown = diag.Printable(v.Written())
	}
	letters := []rune(shown)
	room := max(t.Width/2, 30)
	if len(letters) <= room {
		return shown
	}
	start := 0
	if differs := commonPrefix(letters, []rune(a.Show(other))); differs > room/2 && other.IsSet() {
		start = min(differs-room/4, len(letters)-room)
	}
	cut := string(letters[start : start+room])
	if start > 0 {
		cut = "…" + cut
	}
	if start+room < len(letters) {
		cut += "…"
	}
	return fmt.Sprintf("%s (%d characters)", cut, len(letters))
}

func commonPrefix(a, b []rune) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// entriesShown is how many entries of a list are named as added or taken away.
const entriesShown = 5

// difference names what a list gains and loses.
func difference(a *resource.Attribute, from, to []string) string {
	var parts []string
	for _, d := range []struct {
		sign string
		some []string
	}{{"+", missingFrom(from, to)}, {"-", missingFrom(to, from)}} {
		for _, item := range d.some[:min(len(d.some), entriesShown)] {
			parts = append(parts, d.sign+entry(a, item))
		}
		if more := len(d.some) - entriesShown; more > 0 {
			parts = append(parts, fmt.Sprintf("%s%d more", d.sign, more))
		}
	}
	switch {
	case len(parts) > 0:
		return " [" + strings.Join(parts, " ") + "]"
	case len(from) != len(to):
		return " [repeated entries]"
	case !slices.Equal(from, to):
		return " [another order]"
	}
	return ""
}

func entry(a *resource.Attribute, item string) string {
	if a.Type == resource.TypeHints {
		return `"` + diag.Printable(item) + `"`
	}
	return diag.Printable(item)
}

// missingFrom gives the entries of some that all does not hold.
func missingFrom(all, some []string) []string {
	held := make(map[string]bool, len(all))
	for _, item := range all {
		held[item] = true
	}
	return slices.DeleteFunc(slices.Clone(some), func(item string) bool { return held[item] })
}
