package sources

import (
	"adsync/internal/diag"
	"adsync/internal/resource"
)

// effect is what cells that are wrong could have done.
type effect struct{ lowers, stops bool }

// ofCell adds that of a cell of an attribute, nil where nobody knows of which.
func (f *effect) ofCell(a *resource.Attribute) {
	f.lowers = f.lowers || a == nil || a.OfMoney()
	f.stops = f.stops || a != nil && (a.Spend == resource.Delivery || a.Type == resource.TypeLast)
}

func (f *effect) and(other effect) {
	f.lowers, f.stops = f.lowers || other.lowers, f.stops || other.stops
}

func errorsOf(problems []diag.Problem) []diag.Problem {
	var errors []diag.Problem
	for _, p := range problems {
		if p.Severity == diag.Error {
			errors = append(errors, p)
		}
	}
	return errors
}
