package reconcile_test

import (
	"fmt"
	"strings"
	"testing"

	"adsync/internal/resource"
	"adsync/state"
)

// leaving has newer files say otherwise of some addresses.
func leaving(addresses ...string) func(resource.Address) string {
	return func(a resource.Address) string {
		for _, one := range addresses {
			if a.String() == one {
				return "left out: commit 0123456789ab says otherwise"
			}
		}
		return ""
	}
}

// G18: what newer files say otherwise is not sent any more, nor what hangs on it; all
// else ends as it was planned. A pause and a decrease go all the same.
func TestG18WhatNewerFilesTakeBackIsNotSent(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, overtaken string
		left            []string // what is skipped
		live            []string // address, attribute and value afterwards, "" where it is not there
	}{
		{name: "nothing", overtaken: ""},
		{name: "a raise", overtaken: "campaign/high",
			left: []string{"campaign/high"}, live: []string{"campaign/high", "budget.lifetime", "100000000"}},
		{name: "an activation", overtaken: "campaign/sleeping",
			left: []string{"campaign/sleeping"}, live: []string{"campaign/sleeping", "status", `"paused"`}},
		{name: "what moves no money", overtaken: "ad_group/low/g",
			left: []string{"ad_group/low/g"}, live: []string{"ad_group/low/g", "name", `"Group of low"`}},
		{name: "a create", overtaken: "ad_group/high/new", left: []string{"ad_group/high/new"}},
		{name: "the root of a new tree", overtaken: "campaign/spring", left: []string{"campaign/spring",
			"ad_group/spring/g", "ad_group/spring/more", "ad/spring/g/a", "ad/spring/g/local"}},
		{name: "a leaf of a new tree", overtaken: "ad/spring/g/a", left: []string{"ad/spring/g/a", "campaign/spring"},
			live: []string{"campaign/spring", "status", `"paused"`}},
		{name: "a decrease", overtaken: "campaign/low", live: []string{"campaign/low", "budget.lifetime", "60000000"}},
		{name: "a pause", overtaken: "campaign/stop", live: []string{"campaign/stop", "status", `"paused"`}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.before()
			w.clean()
			w.after()
			w.agent.Superseded = leaving(row.overtaken)
			report := w.apply()
			for _, o := range report.Outcomes {
				want := state.OutcomeApplied
				for _, left := range row.left {
					if o.Address.String() == left {
						want = state.OutcomeSkipped
					}
				}
				if o.Outcome != want {
					t.Errorf("%s is %s %s; want %s", o.Address, o.Outcome, o.Message, want)
				}
				if o.Address.String() == row.overtaken &&
					want == state.OutcomeSkipped && !strings.Contains(o.Message, "commit 0123456789ab says otherwise") {
					t.Errorf("%s says %q; want the commit", o.Address, o.Message)
				}
			}
			if len(row.live) > 0 {
				if got := w.live(row.live[0], row.live[1]); got != row.live[2] {
					t.Errorf("%s of %s is %s; want %s", row.live[1], row.live[0], got, row.live[2])
				}
			}
			w.agent.Superseded = nil
			w.clean()
		})
	}
}

// G18: what cannot be taken back waits, though it lowers spend.
func TestG18AnArchiveThatNewerFilesTakeBackIsNotSent(t *testing.T) {
	w := newWorld(t)
	w.tree("spring", "active")
	w.clean()
	w.campaign("spring", "archived", 100_000_000)
	w.permitAll("archives")
	w.agent.Superseded = leaving("campaign/spring")
	if report := w.apply(); report.Count(state.OutcomeApplied) != 0 {
		t.Errorf("the apply ends %s; want nothing applied", report.Summary())
	}
	w.agent.Superseded = nil
	w.campaign("spring", "active", 100_000_000)
	if again := w.plan().Plan; len(again.Changes) != 0 {
		t.Errorf("as it was before, the plan has %d changes; want none: %s", len(again.Changes), describe(again))
	}
}

// G18: newer files are heard of in the middle of a wave, too: each job asks when its
// turn has come.
func TestG18AJobThatWaitsForItsTurnHearsOfNewerFiles(t *testing.T) {
	w := newWorld(t)
	w.bulk.Most = 1
	w.agent = w.newAgent()
	const jobs = 20
	for i := range jobs {
		w.campaign(fmt.Sprintf("c%02d", i), "paused", 100_000_000)
	}
	w.clean()
	for i := range jobs {
		w.campaign(fmt.Sprintf("c%02d", i), "paused", 100_000_000, "name", fmt.Sprintf("Renamed %02d", i))
	}
	s, before := &sent{}, -1
	agent := w.through(s, w.store)
	agent.Superseded = func(a resource.Address) string {
		if a.String() != "campaign/c19" {
			return ""
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		before = len(s.jobs)
		return "left out: commit 0123456789ab says otherwise"
	}
	report, err := agent.Apply(t.Context(), w.plan())
	if err != nil {
		t.Fatal(err)
	}
	if before != jobs-1 || len(s.jobs) != jobs-1 ||
		report.Count(state.OutcomeApplied) != jobs-1 || report.Count(state.OutcomeSkipped) != 1 {
		t.Errorf("asked after %d jobs, %d sent, %s; want the last one asked after %d, and left out",
			before, len(s.jobs), report.Summary(), jobs-1)
	}
	w.clean()
}
