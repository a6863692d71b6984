// Package words has what marketers read in the place of the terms of plans: on the
// page, in copies of workbooks and in notifications. Commands, JSON and explain keep
// the engineers' words. todo.go has what to do about a held row; numbers with their nouns (2 changes) are in
// internal/diag/count.go, the sentences of notifications in internal/notify/news.go.
package words

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
	"adsync/plan"
)

// Becomes is what becomes of a change, by its text.
type Becomes string

// What becomes of changes.
const (
	Waits       Becomes = "becomes.waits"      // for an approval
	WaitsElse   Becomes = "becomes.waits-else" // for something that nobody can approve
	WaitsPart   Becomes = "becomes.waits-part"
	Waiting     Becomes = "becomes.waiting" // counts of both
	Outside     Becomes = "becomes.outside"
	WaitsTitle  Becomes = "becomes.waits-title"
	AlsoPending Becomes = "becomes.also-pending"
)

// Words is what becomes of it, as people read it.
func (b Becomes) Words() string { return catalogue.Say(string(b)) }

// Action returns what a plan does to a resource.
func Action(a plan.Action) string {
	if !slices.Contains(plan.Actions, a) {
		return string(a)
	}
	return catalogue.Say("action.plan." + string(a))
}

// Will returns what is to become of the row of a resource.
func Will(a plan.Action) string {
	if !slices.Contains(plan.Actions, a) {
		return "to " + string(a)
	}
	return catalogue.Say("action.will." + string(a))
}

// Done returns what a run has done to a resource.
func Done(a plan.Action) string {
	if !slices.Contains(plan.Actions, a) {
		return string(a)
	}
	return catalogue.Say("action.done." + string(a))
}

// because are the hazards that complete "needs a yes because …".
var because = []plan.Hazard{
	plan.RaisesSpend, plan.Exposure, plan.ExceedsFiles, plan.Activates, plan.Unattended, plan.WidensTargeting,
	plan.Archives, plan.RestartsReview, plan.Conflicts, plan.Adopts, plan.Drifts, plan.Replaces,
	plan.RemovedByHand, plan.Twins, plan.ShrinksAudience, plan.Unavailable, plan.Incomplete, plan.Updates,
	plan.Protected, plan.Frozen, plan.Undecided, plan.Late, plan.Invalid, plan.WasRefused, plan.Shifted,
	plan.Series, plan.Scale, plan.MassEdit, plan.Unselected, plan.Outdated,
}

// Because returns what completes "needs a yes because …".
func Because(h plan.Hazard) string {
	if !slices.Contains(because, h) {
		return string(h)
	}
	return catalogue.Say("because." + string(h))
}

// Hold returns how a hold begins: with a yes that releases it, or without one.
func Hold(h plan.Hazard, released bool) string {
	if released {
		return catalogue.Say("hold.yes", "why", Because(h))
	}
	return catalogue.Say("hold.waits", "why", Because(h))
}

// causes have the texts of why a field changes.
var causes = map[plan.Cause]string{
	plan.Edit: "cause.edit", plan.Drift: "cause.drift", plan.Default: "cause.default",
	plan.CarryOver: "cause.before", plan.SentAlong: "cause.sent-along",
}

// Cause returns why a field changes, before the cell it stands in.
func Cause(c plan.Cause) string {
	if causes[c] == "" {
		return ""
	}
	return catalogue.Say(causes[c])
}

// Label returns what people call an attribute: the header of its column.
func Label(s *resource.Schema, attribute string) string {
	if s != nil {
		if a, known := s.Attribute(attribute); known && a.Header != "" {
			return a.Header
		}
	}
	return Upper(strings.NewReplacer(".", " ", "_", " ").Replace(attribute))
}

// Upper begins a text with a capital.
func Upper(text string) string { return begun(text, unicode.ToUpper) }

// Lower begins a text with a small letter.
func Lower(text string) string { return begun(text, unicode.ToLower) }

func begun(text string, letter func(rune) rune) string {
	r, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return text
	}
	return string(letter(r)) + text[size:]
}

// And joins texts: a, b and c.
func And(texts []string) string {
	if len(texts) < 2 {
		return strings.Join(texts, "")
	}
	last := len(texts) - 1
	return catalogue.Fill("list.and", "list", Commas(texts[:last]), "last", texts[last])
}

// Commas joins texts: a, b, c.
func Commas(texts []string) string {
	return catalogue.Commas(texts)
}
