package web

import (
	"fmt"
	"time"

	"adsync/internal/comments"
	"adsync/internal/daemon"
	"adsync/internal/figures/overspend"
	"adsync/internal/orders"
)

// sight is a page, and what the daemon has to be like for it.
type sight struct {
	path string
	with func(*fakeDesk)
	all  bool // where it stands is looked at, though a page like it has the same controls
}

// sights are all pages that an address leads to.
func sights() []sight {
	var all []sight
	for _, path := range looksOf {
		all = append(all, sight{path: path})
	}
	return append(all,
		sight{path: "/accounts/shoes", with: (*fakeDesk).conflicts},
		sight{path: "/accounts/shoes", with: func(d *fakeDesk) {
			d.accounts[0].Suspended = &daemon.Suspension{By: "Ann", Reason: "the sale", Since: noon}
			d.accounts[0].Passed = []overspend.Passing{{Rule: "daily", ID: "campaign_1", Name: "Hero <b>",
				Day: "2026-11-22", Currency: "USD", Spent: 83_100_000, Allowed: 80_000_000, Since: noon}}
			d.accounts[0].Pauses = []daemon.Pause{{Settled: true, Paused: 1, First: []string{"Spring"},
				Pause: orders.Pause{ID: "0001", By: "Ann", Reason: "why", Since: noon, Resource: "c", Name: "Spring"}}}
		}},
		sight{path: "/accounts/hats", with: raising(12)},
		sight{path: "/accounts/hats", with: raising(15_000), all: true},
		sight{path: "/accounts/hats", with: func(d *fakeDesk) {
			p := *d.plans["shoes"]
			d.plans["hats"] = &p
			d.takesOver("hats", 60)
		}},
		sight{path: "/?mood=ill", with: func(d *fakeDesk) { d.many(1000) }},
		sight{path: "/accounts/shoes/activity", with: (*fakeDesk).busy},
		sight{path: "/accounts/shoes/campaigns?page=2", with: (*fakeDesk).grown},
		sight{path: "/accounts/shoes/ads?page=2", with: (*fakeDesk).grown},
		sight{path: "/accounts/shoes/runs/run-000042", with: func(d *fakeDesk) {
			mine := comments.Comment{Run: "run-000042", By: "ann", Text: "mine", Time: noon}
			if _, err := d.comments.Add(mine); err != nil {
				panic(err)
			}
		}})
}

// raising has an account in which so many budgets rise, and wait.
func raising(campaigns int) func(*fakeDesk) {
	return func(d *fakeDesk) {
		p := *d.plans["shoes"]
		d.plans["hats"] = &p
		d.accounts[2].State, d.accounts[2].Unplanned = daemon.Held, time.Time{}
		d.raises("hats", campaigns, 3)
	}
}

// grown has an account of more campaigns and ads than two pages show.
func (d *fakeDesk) grown() {
	for i := range 250 {
		id := fmt.Sprintf("more_%03d", i)
		d.settings["campaign"][id] = daemon.Setting{Name: "More " + id, Status: "active", Daily: 80_000_000}
		d.settings["ad"][id] = daemon.Setting{Name: "More " + id, Parent: "ad_group_0", Status: "active",
			Review: "approved"}
	}
}

// again has the daemon as a page wants it.
func (w *walker) again(s *sight) {
	if !w.dirty && (w.at == s || w.at != nil && w.at.with == nil && s.with == nil) {
		return
	}
	fresh := theDesk(w.T)
	fresh.full()
	if s.with != nil {
		s.with(fresh)
	}
	d := w.desk
	d.mu.Lock()
	defer d.mu.Unlock()
	d.accounts, d.plans, d.runs, d.points = fresh.accounts, fresh.plans, fresh.runs, fresh.points
	d.ordered, d.comments, d.settings = fresh.ordered, fresh.comments, fresh.settings
	d.approvals, d.accepted = fresh.approvals, fresh.accepted
	d.upload, d.draft, d.edited, d.edits, d.handed = fresh.upload, fresh.draft, fresh.edited, nil, nil
	d.pictures, d.pulls, d.broken = fresh.pictures, fresh.pulls, nil
	w.at, w.dirty = s, false
}
