package notify

import (
	"testing"
	"time"

	"adsync/internal/daemon"
	"adsync/internal/kinds"
	"adsync/internal/planview"
	"adsync/internal/runview"
	"adsync/plan"
	"adsync/state"

	"github.com/google/go-cmp/cmp"
)

// A run of the daemon becomes what people are told: what they may allow, with the
// command that does; what others changed; what failed; money.
func TestOfARun(t *testing.T) {
	p := &planview.Document{Account: planview.Account{Currency: "USD"}}
	p.Money = &plan.Money{}
	p.Money.Day = plan.Moved{Before: 50_000_000, After: 50_000_000}
	p.Money.IfAllowed = &plan.Totals{Day: plan.Moved{Before: 50_000_000, After: 120_000_000}}
	hold := func(message, allow string) *plan.HoldDocument {
		return &plan.HoldDocument{Hazard: "activates", Message: message, Allow: allow}
	}
	p.Changes = []plan.ChangeDocument{
		{Address: "campaign/a", Fields: []plan.FieldDocument{{Name: "status",
			Cause: plan.Edit, Held: hold("would start", "activates=campaign/a")}}},
		{Address: "campaign/it's", Held: hold("would start", "activates=campaign/it's")},
		{Address: "ad/w", Held: hold("the service refused it", "refused=ad/w=1f2e3d4c5b6a")},
		{Address: "campaign/c", Fields: []plan.FieldDocument{{Name: "budget.daily", Held: &plan.HoldDocument{
			Hazard: plan.Unattended, Message: "no ceiling is set",
		}}}},
		{Address: "ad_group/c/g", Held: &plan.HoldDocument{Hazard: plan.Unattended, Message: "held with campaign/c"}},
		{Address: "ad/c/g/a", Held: &plan.HoldDocument{Hazard: plan.Unattended, Message: "held with ad_group/c/g"}},
		{Address: "campaign/d", Fields: []plan.FieldDocument{{Name: "status",
			Cause: plan.Edit, Held: &plan.HoldDocument{Hazard: plan.Drifts, Message: "somebody paused it"}}}},
		{Address: "campaign/b", Kind: "campaign",
			Fields: []plan.FieldDocument{{Name: "name", Cause: plan.Drift}, {Name: "budget.daily", Cause: plan.Drift}}},
	}
	r := &runview.Document{Head: runview.Head{Run: "run-000007"}, Outcomes: []runview.Outcome{
		{Address: "ad/x", Outcome: state.OutcomeApplied}, {Address: "ad/y",
			Outcome: state.OutcomeFailed, Message: "too long\x1b[2J"}, {Address: "ad/z", Outcome: runview.Held},
	}}
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	have := Of(daemon.Result{Class: daemon.Partial,
		Message: "1 failed", Plan: p, Run: r, Revision: daemon.Revision{Commit: "abc"}},
		daemon.Status{Failures: 2}, now, kinds.All(), Commands{Files: " /srv/shop", Orders: " --account shop"})
	want := Situation{
		Time: now, Class: daemon.Partial, Message: "1 failed",
		Failures: 2, Planned: true, Applied: 1, Run: "run-000007", Commit: "abc",
		Held: []Item{
			{Text: "Campaign “a”: would start", Command: "adsync apply --allow activates=campaign/a /srv/shop"},
			{Text: "Campaign “it”'s: would start",
				Command: `adsync apply --allow 'activates=campaign/it'\''s' /srv/shop`},
			{Text: "Campaign “c”: no ceiling is set (and 2 more)"},
		},
		Drift: []Item{{Text: "Campaign “b”: Campaign, Daily budget changed outside",
			Command: "adsync drift /srv/shop"}},
		Failed: []Item{
			{Text: "Ad “w”: the service refused it",
				Command: "adsync reconcile --retry ad/w --account shop", At: "ad/w"},
			{Text: `Ad “y” is failed: too long\x1b[2J`, Command: "adsync show run-000007 /srv/shop", At: "ad/y"},
		},
		Money: []string{"Possible spend a day: 50.00 USD (no change)",
			"Were all approved that waits: 50.00 → 120.00 USD (+70.00, ×2.40)"},
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("Of (-want +have):\n%s", diff)
	}
}

// History that was rewritten is held by no plan, and told all the same.
func TestOfAHistoryThatWasRewritten(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	r := daemon.Result{
		Class: daemon.Held, Rewritten: &daemon.Rewritten{
			Revision: daemon.Revision{Commit: "973fd1f7f63f0000"}, Before: "92537cd632570000",
		},
	}
	s := Of(r, daemon.Status{}, now, kinds.All(), Commands{Orders: " --account shop"})
	m := (&memory{}).news(s, Usual(), day)
	if m == nil || m.Title != "1 waiting for approval" ||
		m.Sections[0].Items[0].Command != "adsync reconcile --accept-commit 973fd1f7f63f --account shop" {
		t.Errorf("told %+v; want the commit, and what accepts it", m)
	}
}

// Of files that cannot be planned nothing is known of money, nor of what is held.
func TestOfFilesThatCannotBePlanned(t *testing.T) {
	r := daemon.Result{
		Class: daemon.Input, Message: "ads.yaml:3:1: name is missing",
		Plan: &planview.Document{Error: "1 error; nothing was changed"},
	}
	if s := Of(r, daemon.Status{}, time.Time{}, kinds.All(), Commands{}); s.Planned || len(s.Money) > 0 {
		t.Errorf("%+v; want nothing said of a plan", s)
	}
}
