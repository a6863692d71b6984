package drafting

import (
	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
	"adsync/plan"
)

// Waits is why a row waits; of what lies beneath one it is that of the row.
type Waits struct {
	*plan.InvalidRow
	Hold  plan.Hold
	Whose resource.Address
	Lost  bool // it may be what an adrift row is
}

// WaitsAt is why what is at a place waits, nil where it does not.
func (d *Tree) WaitsAt(place int) *Waits {
	if d.Waits == nil {
		return nil
	}
	return d.Waits[place]
}

// Beneath is why what lies beneath a row that waits does so too.
func (w *Waits) Beneath() *Waits {
	hold := plan.Hold{Hazard: plan.Invalid, Message: catalogue.Fill("guard.with", "what", w.Whose.String())}
	return &Waits{InvalidRow: &plan.InvalidRow{}, Hold: hold, Whose: w.Whose}
}

// Holds reports whether the resource is left as it is. What an adrift row may be is:
// nobody can tell.
func (w *Waits) Holds() bool { return w != nil && !w.Lost }
