package compare_test

import (
	"slices"
	"strings"
	"testing"

	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/plan/compare"
)

// What bounds the whole account may bound more by itself, and less only where
// somebody allows it by name (interface, part 4, spend limit rules 1 to 9).
func TestALimitThatBoundsLessIsHeld(t *testing.T) {
	const held = "raises-spend=spend_limit_window/w"
	tests := []struct {
		name          string
		live, desired string // last is live
		allow         []string
		held          string
	}{
		{name: "an end that comes earlier leaves days out",
			live: "start=2026-11-01 end=2026-12-31", desired: "start=2026-11-01 end=2026-12-30", held: held},
		{name: "unless it is allowed", live: "start=2026-11-01 end=2026-12-31",
			desired: "start=2026-11-01 end=2026-12-30", allow: []string{held}},
		{name: "another allowance does not", live: "start=2026-11-01 end=2026-12-31", desired: "start=2026-11-01 " +
			"end=2026-12-30", allow: []string{"raises-spend=spend_limit_window/v"}, held: held},
		{name: "an end that comes later bounds more",
			live: "start=2026-11-01 end=2026-12-31", desired: "start=2026-11-01 end=2027-01-01"},
		{name: "a start that comes later leaves days out",
			live: "start=2026-11-25 end=2026-12-31", desired: "start=2026-11-26 end=2026-12-31", held: held},
		{name: "a start that comes earlier bounds more",
			live: "start=2026-11-25 end=2026-12-31", desired: "start=2026-11-24 end=2026-12-31"},
		{name: "without it nothing is bounded", live: "start=2026-11-01 end=2026-12-31",
			desired: "start=2026-11-01 end=2026-12-31 status=archived", held: held},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			const limit = "spend_limit_window/w#1 amount=50 "
			p := on(t, "2026-11-21", nil, limit+tt.live, limit+tt.desired, limit+tt.live, tt.allow...)
			if got := asked(p); got != tt.held {
				t.Errorf("the plan asks for %q; want %q:\n%s", got, tt.held, sketch(p.Changes))
			}
			if len(p.Problems) > 0 || len(p.Changes) != 1 {
				t.Errorf("%d changes, problems %v; want the one of the limit", len(p.Changes), p.Problems)
			}
		})
	}
}

// A limit that comes after another has made way waits while that is held: the service
// refuses two that share a day (interface, part 4, spend limit rule 2).
func TestALimitWaitsForTheOneThatMakesWay(t *testing.T) {
	const (
		long, short = "spend_limit_window/a#1 amount=50 start=2026-12-01 end=2026-12-31",
			"spend_limit_window/a#1 amount=50 start=2026-12-01 end=2026-12-10"
		second = "spend_limit_window/b amount=60 start=2026-12-11 end=2026-12-20"
		third  = "spend_limit_window/c amount=60 start=2026-12-21 end=2026-12-31"
		moved  = "spend_limit_window/m#2 amount=50 start=2027-01-01 end=2027-01-31"
	)
	for _, tt := range []struct {
		name, live, desired, allow, want string
	}{
		{"two come where one is held", long, short + "\n" + second + "\n" + third,
			"", "b:incomplete c:incomplete a:raises-spend"},
		{"it makes way first", long, short + "\n" + second, "raises-spend=spend_limit_window/a", "b:incomplete"},
		{"where it has made way", short, short + "\n" + second, "", ""},
		{"two change places", short + "\n" + "spend_limit_window/b#2 amount=60 start=2026-12-11 end=2026-12-20",
			"spend_limit_window/a#1 amount=50 start=2026-12-11 end=2026-12-20\nspend_limit_window/b#2 " +
				"amount=60 start=2026-12-01 end=2026-12-10", "raises-spend", "a:incomplete b:incomplete"},
		{"one comes before its days", long, "spend_limit_window/a#1 amount=50 start=2026-12-20 end=2026-12-31\n" +
			"spend_limit_window/b amount=60 start=2026-12-05 end=2026-12-19", "", "b:incomplete a:raises-spend"},
		{"its amount alone is held", long, "spend_limit_window/a#1 amount=500 start=2026-12-01 " +
			"end=2026-12-31\nspend_limit_window/b amount=60 start=2027-01-01 end=2027-01-31", "", "a:raises-spend"},
		{"an earlier one is lengthened", long + "\n" + moved, "spend_limit_window/a#1 amount=50 " +
			"start=2026-12-01 end=2027-01-10\nspend_limit_window/m#2 amount=50 start=2027-01-11 end=2027-01-31", "",
			"a:incomplete m:raises-spend"},
		{"one is archived, and another takes its days",
			long, long + " status=archived\n" + second, "raises-spend", "b:incomplete"},
		{"whose archive is held", long, long + " status=archived\n" + second, "", "b:incomplete a:raises-spend"},
		{"on days it leaves free", short, short + " status=archived\n" + second, "raises-spend", ""},
		{"one is taken out of the files and stays", long, second, "", "b:incomplete"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var allow []string
			if tt.allow != "" {
				allow = []string{tt.allow}
			}
			p := on(t, "2026-11-21", nil, tt.live, tt.desired, tt.live, allow...)
			var got []string
			for i := range p.Changes {
				for _, h := range p.Changes[i].Holds() {
					if word := p.Changes[i].Address.Key + ":" + string(h.Hazard); !slices.Contains(got, word) &&
						h.Hazard != "exposure" {
						got = append(got, word)
					}
				}
			}
			if len(p.Problems) > 0 || strings.Join(got, " ") != tt.want {
				t.Errorf("held is %q, problems %v; want %q:\n%s",
					strings.Join(got, " "), p.Problems, tt.want, sketch(p.Changes))
			}
		})
	}
}

// A limit of somebody else's in the way stops nothing but what needs its days.
func TestALimitInTheWayStopsNothingElse(t *testing.T) {
	const foreign = "campaign/c#1 status=active\nspend_limit_window/f#2 amount=50 start=2026-12-01 end=2026-12-31"
	p := on(t, "2026-11-21", nil, "campaign/c#1 status=active",
		"campaign/c#1 status=paused\nspend_limit_window/b amount=60 start=2026-12-11 end=2026-12-20", foreign)
	want := "its days overlap those that spend_limit_window 2 (at the service, " +
		"not in the files) has, from 2026-12-01 to 2026-12-31; want other days, adopt that one, or end it there"
	if len(p.Problems) > 0 || len(p.Changes) != 2 ||
		p.Changes[0].Held == nil || p.Changes[0].Held.Message != want || len(p.Changes[1].Holds()) > 0 {
		t.Errorf("problems %v; want the pause to go, and b to be held as %q:\n%s", p.Problems, want, sketch(p.Changes))
	}
}

// A daily limit may have no end, which bounds the most.
func TestALimitWithoutAnEndBoundsMost(t *testing.T) {
	const limit, ends, open = "daily_spend_limit/d#1 amount=50 start=2026-11-01 ", "end=2026-12-31", "end=[clear]"
	if p := on(t, "2026-11-21", nil, limit+ends, limit+open, limit+ends); asked(p) != "" || len(p.Changes) != 1 {
		t.Errorf("to take the end away asks for %q; want nothing:\n%s", asked(p), sketch(p.Changes))
	}
	if p := on(t, "2026-11-21", nil, limit, limit+ends, limit); asked(p) != "raises-spend=daily_spend_limit/d" {
		t.Errorf("to give it an end asks for %q; want its allowance:\n%s", asked(p), sketch(p.Changes))
	}
}

// Edits of what the account may not use any more are held with the reason,
// whatever is edited, and nothing of them is looked at.
func TestALimitTheAccountMayNotUseIsHeld(t *testing.T) {
	const last = "spend_limit_window/w#1 name=W " +
		"amount=50 start=2026-11-01 end=2026-12-31\n daily_spend_limit/d#2 amount=50 start=2026-11-01"
	for _, tt := range []struct{ name, desired string }{
		{"an amount", "spend_limit_window/w#1 name=W " +
			"amount=40 start=2026-11-01 end=2026-12-31\n daily_spend_limit/d#2 amount=60 start=2026-11-01"},
		{"a name and an end", "spend_limit_window/w#1 name=V amount=50 " +
			"start=2026-11-01 end=2026-12-30\n daily_spend_limit/d#2 amount=50 start=2026-11-01 end=2026-12-01"},
		{"they end", "spend_limit_window/w#1 name=W amount=50 start=2026-11-01 " +
			"end=2026-12-31 status=archived\n daily_spend_limit/d#2 amount=50 start=2026-11-01 status=archived"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := compare.Diff(plan.Input{
				Schemas: kinds.All(), Policy: plan.DefaultPolicy(),
				Last: snapshot(t, last), Desired: snapshot(t, tt.desired), Live: snapshot(t, ""),
				Today: "2026-11-21", Currency: "EUR", Lacking: map[resource.Kind]string{
					"spend_limit_window": "not billed so", "daily_spend_limit": "not billed so",
				},
			})
			if len(p.Changes) != 2 {
				t.Fatalf("%d changes; want that of each limit:\n%s", len(p.Changes), sketch(p.Changes))
			}
			for _, c := range p.Changes {
				if !slices.ContainsFunc(c.Holds(), func(h plan.Hold) bool { return h.Hazard == plan.Unavailable }) {
					t.Errorf("%s is held by %v; want %s", c.Address, c.Holds(), plan.Unavailable)
				}
			}
		})
	}
}
