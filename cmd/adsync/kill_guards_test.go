package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// killsUnderGuards is how many of the kills meet the guards: one in so many.
const killsUnderGuards = 20

// TestKilledApplyGoesOnUnderTheGuards kills apply with SIGKILL while it moves money
// from some campaigns to others, and makes new ones of it, under the guards of the default
// policy and with nothing allowed. Wherever it dies, the applies after it reach what
// the files say: nothing of a plan that passed is held by a part of itself
// (faults.md, invariant 27).
func TestKilledApplyGoesOnUnderTheGuards(t *testing.T) {
	kills := max(*kills/killsUnderGuards, 4)
	for n := 0; n*killsOfAHistory < kills; n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			h := newHistory(t, rand.New(rand.NewPCG(*killSeed, uint64(n)^0x677561)), "policy: {}\n")
			h.trade(min(killsOfAHistory, kills-n*killsOfAHistory))
			t.Logf("seed %d: %s", *killSeed, h.tally)
		})
	}
}

// trade is a history of days: money moves once on each, and apply is killed on the way.
func (h *history) trade(kills int) {
	h.t.Helper()
	for range 5 {
		h.shop.addActive(100 + h.random.IntN(100))
	}
	for days := 0; h.tally.kills < kills; days++ {
		if days > 4*kills {
			h.t.Fatalf("%d kills in %d days; want %d", h.tally.kills, days, kills)
		}
		h.shop.write(h.t, h.dir)
		h.unheld()
		for tries := 0; tries < 4 && h.tally.kills < kills && h.killed(); tries++ {
			if h.random.IntN(6) == 0 {
				h.sleep(time.Hour)
			}
		}
		h.finish()
		h.check()
		h.sleep(25 * time.Hour)
		h.shop.move()
	}
}

// unheld holds that the guards let the whole of a plan pass where nothing was cut off: what
// they hold after a kill is then held because of it.
func (h *history) unheld() {
	h.t.Helper()
	c, said := h.command("plan", "-o", "json", "--quiet")
	out, err := c.Output()
	var planned struct{ Summary struct{ Held int } }
	if err := cmp.Or(err, json.Unmarshal(out, &planned)); err != nil || planned.Summary.Held != 0 {
		h.t.Fatalf("plan of what nothing cut off: %v, %d held; want none\n%s%s", err, planned.Summary.Held, out, said)
	}
}

func (h *history) sleep(d time.Duration) {
	h.t.Helper()
	noError(h.t, emulatorClock(h.line.URL+clockPath).Sleep(h.t.Context(), d))
}

// The least a campaign has, so that its bids are no large part of it, and how many there
// are at most, so that no share of them counts.
const (
	leastBudget   = 20
	mostCampaigns = 9
)

// move takes half of one campaign's budget, or all of it, and gives it to the others: to
// each at most four tenths of what it has, and to a new one what is left.
func (s *shop) move() {
	var active []*shopCampaign
	for _, c := range s.campaigns {
		if c.status == "active" {
			active = append(active, c)
		}
	}
	s.random.Shuffle(len(active), func(i, j int) { active[i], active[j] = active[j], active[i] })
	payer, left := active[0], active[0].budget/2
	switch {
	case len(active) > 4 && s.random.IntN(4) == 0:
		payer.status, left = "paused", payer.budget
	case payer.budget-left < leastBudget:
		left = 0
	}
	if payer.status == "active" {
		payer.budget -= left
	}
	for _, c := range active[1:] {
		more := min(left, c.budget*4/10)
		c.budget, left = c.budget+more, left-more
	}
	if left < leastBudget || len(s.campaigns) >= mostCampaigns {
		return
	}
	s.addActive(left)
}

// addActive adds a campaign that runs, with a daily budget: what is spent of a budget for a
// whole life is free for nobody, so to take half of that pays for less than half.
func (s *shop) addActive(budget int) {
	s.addCampaign()
	c := s.campaigns[len(s.campaigns)-1]
	c.status, c.daily, c.budget = "active", true, budget
}
