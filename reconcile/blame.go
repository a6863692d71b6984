package reconcile

import (
	"strings"

	"adsync/internal/diag"
)

// blame finds the cell or line a refusal is about: the attribute whose wire
// name, on either route, the service's words hold; else the row.
func (r *run) blame(p part, words ...string) diag.Position {
	if name := r.blamed(p, words...); name != "" {
		for _, f := range p.fields {
			if f.Name == name {
				return f.Desired.Position
			}
		}
	}
	return p.change.Position
}

func (r *run) blamed(p part, words ...string) string {
	all := strings.Join(words, " ")
	best, length := "", 0
	for _, f := range p.fields {
		a, ok := r.Schemas.Of(p.change.Address.Kind).Attribute(f.Name)
		if !ok || f.Desired.Position.IsZero() {
			continue
		}
		for _, wire := range []string{a.Wire.Path, a.Bulk.Create, a.Bulk.Update, lastSegment(a.Wire.Path)} {
			if wire != "" && len(wire) > length && strings.Contains(all, wire) {
				best, length = f.Name, len(wire)
			}
		}
	}
	return best
}

func lastSegment(path string) string {
	_, key, _ := cutLast(path)
	return key
}
