package reconcile

import (
	"strconv"
	"strings"

	"adsync/internal/diag"
	"adsync/plan"
)

// blame finds the cell or line a refusal is about: the entry or the attribute
// whose wire name, on either route, the service's words hold; the one attribute
// that was to change; else the row.
func (r *run) blame(p part, words ...string) diag.Position {
	all := strings.Join(words, " ")
	best, at := "", onlyEdit(p)
	for _, f := range p.fields {
		a, ok := r.Schemas.Of(p.change.Address.Kind).Attribute(f.Name)
		if !ok || f.Desired.Position.IsZero() {
			continue
		}
		for _, wire := range []string{a.Wire.Path, a.Bulk.Create, a.Bulk.Update, lastSegment(a.Wire.Path)} {
			if wire != "" && len(wire) > len(best) && strings.Contains(all, wire) {
				best, at = wire, f.Desired.ItemPosition(entryNamed(all, wire))
			}
		}
	}
	return at
}

// onlyEdit is where the one attribute is written that a part changes, the row
// where it changes several.
func onlyEdit(p part) diag.Position {
	at, edits := p.change.Position, 0
	for _, f := range p.fields {
		if f.Cause == plan.SentAlong {
			continue
		}
		if edits++; !f.Desired.Position.IsZero() {
			at = f.Desired.Position
		}
	}
	if edits != 1 || p.change.Action == plan.Create {
		return p.change.Position
	}
	return at
}

// entryNamed is the number of the entry that follows a wire name, as in
// `context_hints[3]`; -1 where none does.
func entryNamed(words, wire string) int {
	_, after, _ := strings.Cut(words, wire+"[")
	digits, _, closed := strings.Cut(after, "]")
	n, err := strconv.Atoi(digits)
	if !closed || err != nil {
		return -1
	}
	return n
}

func lastSegment(path string) string {
	_, key, _ := cutLast(path)
	return key
}
