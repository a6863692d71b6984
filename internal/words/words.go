// Package words has what marketers read in the place of the terms of plans: on the
// page, in copies of workbooks and in notifications. Commands, JSON and explain keep
// the engineers' words. todo.go has what to do about a held row; numbers with their nouns (2 changes) are in
// internal/diag/count.go, the sentences of notifications in internal/notify/news.go.
package words

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"adsync/internal/resource"
	"adsync/plan"
)

// What becomes of a change, as people read it.
const (
	Waits       = "waits for approval"
	WaitsElse   = "waits" // for something that nobody can approve
	WaitsPart   = "waits in part"
	Waiting     = "waiting" // counts of both
	Outside     = "changed outside"
	WaitsTitle  = "Waits, and is not sent:"
	AlsoPending = "Waits without this change, too"
)

// actions are what a plan does, what it will have done to a row, and what a run has done.
var actions = map[plan.Action]struct{ plan, will, done string }{
	plan.Create:  {"new", "to create", "created"},
	plan.Update:  {"change", "to change", "changed"},
	plan.Replace: {"end and make anew", "to end and make anew", "made anew"},
	plan.Archive: {"end for good", "to end for good", "ended"},
	plan.Adopt:   {"already live: take over", "to take over", "taken over"},
	plan.Record:  {"agrees already", "no change", "agrees already"},
	plan.Forget:  {"gone: forget", "no change", "forgotten"},
}

// Action returns what a plan does to a resource.
func Action(a plan.Action) string {
	if w, known := actions[a]; known {
		return w.plan
	}
	return string(a)
}

// Will returns what is to become of the row of a resource.
func Will(a plan.Action) string {
	if w, known := actions[a]; known {
		return w.will
	}
	return "to " + string(a)
}

// Done returns what a run has done to a resource.
func Done(a plan.Action) string {
	if w, known := actions[a]; known {
		return w.done
	}
	return string(a)
}

// because completes "needs a yes because …".
var because = map[plan.Hazard]string{
	plan.RaisesSpend:     "a budget, a bid or a limit rises",
	plan.Exposure:        "the guard on possible spend stops it",
	plan.ExceedsFiles:    "with what waits, more could be spent than before",
	plan.Activates:       "it starts",
	plan.Unattended:      "it raises spend while nobody looks",
	plan.WidensTargeting: "it reaches more people",
	plan.Archives:        "it ends for good",
	plan.RestartsReview:  "its ads are reviewed again",
	plan.Conflicts:       "it was changed here and outside",
	plan.Adopts:          "it is already live, and nobody said that it is this row",
	plan.Drifts:          "it was changed outside",
	plan.Replaces:        "it has to end and be made anew",
	plan.RemovedByHand:   "somebody ended it outside",
	plan.Twins:           "it may be there already under another name",
	plan.ShrinksAudience: "most people leave an audience",
	plan.Unavailable:     "the account may not use it",
	plan.Incomplete:      "something it needs is missing",
	plan.Updates:         "many change at once",
	plan.Protected:       "the files protect it",
	plan.Frozen:          "nothing changes in these days",
	plan.Undecided:       "it is not known yet what became of an earlier change",
	plan.Late:            "one of its days has passed",
	plan.Invalid:         "a cell of its row, or of one above it, is not valid",
	plan.WasRefused:      "the service refused it before",
	plan.Shifted:         "its column looks shifted",
	plan.Series:          "its values count up from row to row",
	plan.Scale:           "an amount looks ten or a hundred times too large or too small",
	plan.MassEdit:        "many rows have the same edit",
	plan.Unselected:      "it needs what was left out",
	plan.Outdated:        "it is not what was shown",
}

// Because returns what completes "needs a yes because …".
func Because(h plan.Hazard) string {
	if text, known := because[h]; known {
		return text
	}
	return string(h)
}

// Hold returns how a hold begins: with a yes that releases it, or without one.
func Hold(h plan.Hazard, released bool) string {
	if released {
		return "Needs a yes because " + Because(h)
	}
	return "Waits because " + Because(h)
}

// causes are why a field changes.
var causes = map[plan.Cause]string{
	plan.Edit: "changed in", plan.Drift: Outside + ", and not in", plan.Default: "as a new one has it",
	plan.CarryOver: "changed before in", plan.SentAlong: "sent along unchanged",
}

// Cause returns why a field changes, before the cell it stands in.
func Cause(c plan.Cause) string { return causes[c] }

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
func Upper(text string) string {
	r, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return text
	}
	return string(unicode.ToUpper(r)) + text[size:]
}
