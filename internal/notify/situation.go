package notify

import (
	"fmt"
	"strings"
	"time"

	"adsync/internal/daemon"
	"adsync/internal/diag"
	"adsync/internal/planview"
	"adsync/internal/resource"
	"adsync/internal/runview"
	"adsync/internal/words"
	"adsync/plan"
	"adsync/state"
)

// Situation is what a run came to, as far as people are told.
type Situation struct {
	Time     time.Time
	Class    daemon.Class
	Message  string
	Failures int // runs in a row that failed for the time being, or that met a lock

	Planned bool     // a plan was computed: Held and Drift say all there is
	Held    []Item   // what a person may allow; without a plan, a commit that waits to be accepted
	Drift   []Item   // what others changed, and is not taken back
	Failed  []Item   // what the service refused, or nobody knows
	Applied int      // changes that were made
	Writers []Item   // who else writes to the account, and was not told of yet
	Money   []string // what the plan does to possible spend

	Zone      string // the account's time zone, as a plan names it; "" without one
	Run       string
	Commit    string
	Suspended *daemon.Suspension
}

// Item is one thing of a message.
type Item struct {
	Text    string `json:"text"`
	Command string `json:"command,omitempty"` // what allows or cures it
	At      string `json:"-"`                 // what tells it from others, where its words may be others each time
}

// Commands are how a command on the daemon's machine is told which account it is
// about, to be put behind its own words.
type Commands struct {
	Files  string // of those that read files: " /srv/ads/shop", " --git …"
	Orders string // of those that order something: " --account shop --config …"
}

// Of reads what a run of the daemon came to. Of what it tells, the schemas know the
// words that people use.
func Of(r daemon.Result, s daemon.Status, now time.Time, schemas resource.Schemas, c Commands) Situation {
	one := Situation{
		Time: now, Class: r.Class, Message: diag.Printable(r.Message), Failures: s.Failures, Commit: r.Revision.Commit,
	}
	if s.Suspended != nil {
		order := *s.Suspended
		order.By, order.Reason = diag.Printable(order.By), diag.Printable(order.Reason)
		one.Suspended = &order
	}
	if r.Plan != nil && r.Class != daemon.Input { // else it is of files nothing is planned from
		one.plan(r.Plan, words.NamesOf(schemas, r.Plan.Changes), c)
	}
	if w := r.Rewritten; w != nil {
		one.Held = []Item{{Text: fmt.Sprintf("history was rewritten: %.12s stands in the place of %.12s",
			w.Commit, w.Before), Command: fmt.Sprintf("adsync reconcile --accept-commit %.12s", w.Commit) + c.Orders}}
	}
	for _, who := range r.Writers {
		one.Writers = append(one.Writers, Item{Text: diag.Printable(who), Command: "adsync audit" + c.Files})
	}
	if r.Run != nil {
		one.run(r.Run, words.NamesOf(schemas, nil), c)
	}
	return one
}

func (s *Situation) plan(d *planview.Document, called *words.Names, c Commands) {
	s.Planned, s.Zone = true, d.Account.TimeZone
	for _, release := range planview.Releases(d) {
		text := called.Allowance(release.Allow)
		if len(release.First) > 0 {
			text = words.Upper(called.In(release.First[0]))
		}
		text += more(release.Holds - 1)
		if at := planview.AsksAgain(release.Allow); at != "" {
			s.Failed = append(s.Failed, Item{
				Text: text, Command: "adsync reconcile --retry " + quoted(at) + c.Orders, At: at,
			})
			continue
		}
		s.Held = append(s.Held, Item{Text: text, Command: "adsync apply --allow " + quoted(release.Allow) + c.Files})
	}
	for _, u := range planview.AllUnreleased(d) {
		if u.Hazard != plan.Drifts { // which is told as such
			s.Held = append(s.Held, Item{Text: words.Upper(called.In(u.Text)) + more(u.With)})
		}
	}
	for i := range d.Changes {
		change := &d.Changes[i]
		if change.Urgent {
			text := diag.Printable("urgent: " + called.Of(change.Address) + ": " + called.In(change.Held.Message))
			s.Failed = append(s.Failed, Item{
				Text: text, Command: "adsync validate" + c.Files, At: change.Address + " goes on",
			})
		}
		var names []string
		for k := range change.Fields {
			if change.Fields[k].Cause == plan.Drift {
				names = append(names, called.Label(change.Kind, change.Fields[k].Name))
			}
		}
		if len(names) > 0 {
			s.Drift = append(s.Drift, Item{
				Text: diag.Printable(words.Upper(called.Of(change.Address)) +
					": " + strings.Join(names, ", ") + " changed outside"), Command: "adsync drift" + c.Files,
			})
		}
	}
	currency, money := d.Account.Currency, d.Possible()
	s.Money = append(s.Money, "Possible spend a day: "+planview.Sum(money.Day, currency))
	if all := money.IfAllowed; all != nil && all.Day.After != money.Day.After {
		s.Money = append(s.Money, "Were all approved that waits: "+planview.Sum(all.Day, currency))
	}
	if money.Lifetime != (plan.Moved{}) {
		s.Money = append(s.Money, "Lifetime budgets left: "+planview.Sum(money.Lifetime, currency))
	}
}

func more(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(" (and %d more)", n)
}

// quoted is a word for a shell.
func quoted(word string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' ||
			r >= '0' && r <= '9' || strings.ContainsRune("=/._~@:,+-", r)
	}
	if strings.ContainsFunc(word, func(r rune) bool { return !plain(r) }) {
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return word
}

func (s *Situation) run(d *runview.Document, called *words.Names, c Commands) {
	s.Run = d.Run
	for i := range d.Outcomes {
		o := &d.Outcomes[i]
		switch o.Outcome {
		case state.OutcomeApplied:
			s.Applied++
		case state.OutcomeFailed, state.OutcomeUnknown:
			text := fmt.Sprintf("%s is %s: %s", words.Upper(called.Of(o.Address)), o.Outcome, called.In(o.Message))
			s.Failed = append(s.Failed, Item{
				Text: diag.Printable(text), Command: "adsync show " + d.Run + c.Files, At: o.Address,
			})
		}
	}
}
