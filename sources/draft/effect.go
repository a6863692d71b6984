package draft

import (
	"adsync/internal/diag"
	"adsync/internal/resource"
)

// Effect is what cells that are wrong could have done.
type Effect struct{ Lowers, Stops bool }

// OfCell adds that of a cell of an attribute, nil where nobody knows of which.
func (f *Effect) OfCell(a *resource.Attribute) {
	f.Lowers = f.Lowers || a == nil || a.OfMoney()
	f.Stops = f.Stops || a != nil && (a.Spend == resource.Delivery || a.Type == resource.TypeLast)
}

// And adds what other cells could have done.
func (f *Effect) And(other Effect) {
	f.Lowers, f.Stops = f.Lowers || other.Lowers, f.Stops || other.Stops
}

// ErrorsOf returns the errors among problems.
func ErrorsOf(problems []diag.Problem) []diag.Problem {
	var errors []diag.Problem
	for _, p := range problems {
		if p.Severity == diag.Error {
			errors = append(errors, p)
		}
	}
	return errors
}
