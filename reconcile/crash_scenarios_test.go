package reconcile_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"adsync/internal/emulator"
	"adsync/internal/emulator/openpoint"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/reconcile"
	"adsync/reconcile/env"
)

// one writes a tree that is applied before.
func one(status string) func(*world) { return func(w *world) { w.tree("spring", status) } }

// campaign writes the campaign of a tree anew.
func (w *world) campaign(key, status string, budget int, more ...string) {
	attributes := map[string]any{
		"name": "Campaign " + key, "status": status,
		"bidding_type": "clicks", "budget.lifetime": budget, "targeting.countries": []string{"CA", "US"},
	}
	for i := 0; i+1 < len(more); i += 2 {
		attributes[more[i]] = more[i+1]
	}
	w.write("campaign/"+key, attributes)
}

// Without takes what stands beneath a prefix out of the files.
func (w *world) Without(prefix string) {
	left := &resource.Snapshot{}
	for r := range w.desired.All() {
		if !strings.HasPrefix(r.Address.String(), prefix) {
			left.Put(r)
		}
	}
	w.desired = left
}

func scenarios() []scenario {
	return []scenario{
		{name: "a bit of everything", before: (*world).before, next: (*world).after},
		{name: "a small tree", next: one("active")},
		{name: "a tree with follow-ups", next: func(w *world) {
			w.tree("spring", "active")
			w.write("campaign/spring", map[string]any{
				"name": "Spring", "status": "active",
				"bidding_type": "clicks", "budget.daily": 50_000_000, "start": "2027-03-01", "end": "2027-05-31",
				"tracking": "utm_source=chat", "targeting.countries": []string{"US"},
				"targeting.platforms": []string{"web"}, "description": "for spring",
			})
			w.write("ad_group/spring/max", map[string]any{
				"name": "Maximise", "status": "active",
				"bid.strategy": "maximize_clicks", "exclusion_hints": []string{"football boots"},
			})
		}},
		{name: "updates of every sort", before: one("active"), next: func(w *world) {
			w.campaign("spring", "active", 100_000_000, "tracking", "utm_source=chat", "description", "edited")
			w.write("ad_group/spring/g", map[string]any{
				"name": "Renamed", "status": "active",
				"bid.max": 1_150_000, "context_hints": []string{"people who swim"},
			})
			w.write("ad/spring/g/a", map[string]any{
				"name": "Ad of spring", "status": "active", "title": "Shoes for snow", "body": "Warm shoes.",
				"target_url": "https://shop.example/snow", "image": "https://images.shop.example/spring.jpg",
			})
		}},
		{name: "a pause", before: one("active"), next: func(w *world) { w.campaign("spring", "paused", 100_000_000) }},
		{name: "an archive", before: one("active"), next: func(w *world) {
			w.write("ad/spring/g/a", map[string]any{
				"name": "Ad of spring", "status": "archived", "title": "Shoes for mud", "body": "Light shoes.",
				"target_url": "https://shop.example/spring", "image": "https://images.shop.example/spring.jpg",
			})
			w.permitAll("archives")
		}},
		{name: "a replacement", before: func(w *world) {
			w.tree("spring", "active")
			w.tree("autumn", "paused")
		}, next: func(w *world) {
			w.campaign("spring", "active", 100_000_000, "product_feed", "fd_test")
			w.permitAll("replace", "archives", "activates", "raises-spend")
		}},
		{name: "a raise beside a decrease", before: func(w *world) {
			w.tree("up", "active")
			w.tree("down", "active")
		}, next: func(w *world) {
			w.campaign("up", "active", 140_000_000)
			w.campaign("down", "active", 60_000_000)
			w.write("ad_group/up/g", map[string]any{
				"name": "Group of up", "status": "active",
				"bid.max": 1_500_000, "context_hints": []string{"people who run", "people who hike"},
			})
		}},
		{name: "raises that decreases pay for", before: func(w *world) {
			for _, key := range []string{"a", "b", "c", "d"} {
				w.tree(key, "active")
			}
		}, next: func(w *world) {
			w.campaign("a", "active", 20_000_000)
			w.campaign("b", "active", 148_000_000)
			w.campaign("c", "active", 140_000_000, "description", "edited")
			w.campaign("d", "paused", 100_000_000)
			w.tree("e", "active")
		}},
		{name: "a new account of which the last is the largest", next: func(w *world) {
			for i, budget := range []int{20_000_000, 90_000_000, 2_000_000_000} {
				w.tree(fmt.Sprint("t", i), "active")
				w.campaign(fmt.Sprint("t", i), "active", budget, "tracking", "utm_source=chat")
			}
		}},
		{name: "an activation", before: one("paused"), next: func(w *world) {
			w.campaign("spring", "active", 100_000_000)
			w.permitAll("activates")
		}},
		{name: "uploads", before: one("active"), next: func(w *world) {
			for i := range 2 {
				w.write(fmt.Sprintf("ad/spring/g/local-%d", i), map[string]any{
					"name": fmt.Sprintf("Local %d", i), "status": "active", "title": "Local picture",
					"body": "Text.", "target_url": "https://shop.example/l", "image": w.image(testImage(w.t)),
				})
			}
		}},
		{name: "children of an older tree", before: one("active"), next: func(w *world) {
			w.write("ad_group/spring/new", map[string]any{
				"name": "New group", "status": "active", "bid.max": 1_250_000,
			})
			w.write("ad/spring/new/a", map[string]any{
				"name": "Its ad", "status": "active", "title": "More shoes", "body": "Light shoes.",
				"target_url": "https://shop.example/n", "image": "https://images.shop.example/n.jpg",
			})
			w.write("ad/spring/g/b", map[string]any{
				"name": "Second ad", "status": "active", "title": "More shoes", "body": "Light shoes.",
				"target_url": "https://shop.example/b", "image": "https://images.shop.example/b.jpg",
			})
		}},
		{name: "an account without jobs", with: []func(*emulator.Options){
			func(o *emulator.Options) { o.Accounts[0].Features.Bulk = false }}, next: one("active")},
		{name: "people of audiences", before: func(w *world) {
			w.audience("grown", 0, 50)
			w.audience("replaced", 0, 50)
			w.audience("ended", 0, 50)
		}, next: func(w *world) {
			w.audience("grown", 50, 60, "members.do", "add")
			w.audience("replaced", 10, 60)
			w.audience("ended", 0, 50, "status", "archived")
			w.audience("made", 0, 30)
			w.permitAll("archives=audience/ended")
		}},
		{name: "people in requests", with: []func(*emulator.Options){points("audience_uploads=absent")},
			sparse: 2, before: func(w *world) {
				w.audience("grown", 0, 50)
			}, next: func(w *world) {
				w.audience("grown", 50, 10_060, "members.do", "add")
				w.audience("made", 0, 30)
			}},
		{name: "a merge of audiences", before: func(w *world) { w.audience("one", 0, 50) }, next: func(w *world) {
			w.audience("two", 40, 60)
			w.Merged("all", "audience/one", "audience/two")
		}},
		{name: "spend limits and the account", before: func(w *world) {
			w.write("daily_spend_limit/winter", map[string]any{
				"amount": 300_000_000, "start": w.day(1), "end": w.day(9),
			})
			w.write("spend_limit_window/gone", map[string]any{
				"amount": 500_000_000, "start": w.day(2), "end": w.day(3),
			})
		}, next: (*world).limitsAfter},
		{name: "a failure that is tried again", next: func(w *world) {
			w.failing("ad_group.create", 1, new(true), new(int64(1)))
			w.tree("spring", "active")
		}},
		{name: "a recovery after a job was sent", next: func(w *world) {
			w.tree("spring", "active")
			w.diesBefore("answer of POST /bulk_mutation_jobs")
		}},
		{name: "a recovery of a job that was accepted", next: func(w *world) {
			w.tree("spring", "active")
			w.diesBefore("move terminal")
		}},
		{name: "a recovery of results", next: func(w *world) { w.tree("spring", "active"); w.diesBefore("finish") }},
		{name: "a recovery of a single create", before: one("active"), next: func(w *world) {
			w.group("New")
			w.diesBefore("answer of POST /ad_groups")
		}},
		{name: "a recovery after the trust window", before: one("active"), next: func(w *world) {
			w.group("New")
			w.diesBefore("answer of POST /ad_groups")
			_ = w.sleep(w.t.Context(), 2*env.TrustWindow)
		}},
		{name: "an adoption that is allowed", next: func(w *world) {
			w.foreignTwin()
			w.tree("spring", "paused")
			w.permitAll("adopt")
		}},
		{name: "an adoption by command", next: func(w *world) { w.foreignTwin(); w.tree("spring", "paused") },
			process: (*world).adoptAll},
		{name: "an import", before: one("active"), next: (*world).foreignTwin, process: (*world).importAll,
			again: func(w *world) { w.permitAll("adopt") }}, // the files stand, and nothing binds them yet
		{name: "what is gone on both sides", with: []func(*emulator.Options){points("list_archived=no")},
			before: func(w *world) { w.tree("spring", "active"); w.tree("gone", "active") }, next: func(w *world) {
				w.service.Must(w.t, http.MethodPost, "/campaigns/"+w.last("campaign/gone").ID+"/archive", nil)
				w.Without("campaign/gone")
				w.Without("ad_group/gone")
				w.Without("ad/gone")
			}},
		{name: "what is pruned", before: func(w *world) {
			w.tree("spring", "active")
			w.tree("gone", "active")
		}, next: func(w *world) {
			w.Without("campaign/gone")
			w.Without("ad_group/gone")
			w.Without("ad/gone")
			w.also = func(d *reconcile.Desired) { d.Policy.Prune = plan.PruneArchive; d.Policy.ShrinkPercent = 100 }
			w.permitAll("archives")
		}},
		{name: "a key that moved", before: one("active"), next: func(w *world) {
			w.Without("ad_group/spring/g")
			w.Without("ad/spring/g/a")
			w.write("ad_group/spring/moved", map[string]any{
				"name": "Moved group", "status": "active",
				"bid.max": 1_250_000, "context_hints": []string{"people who run", "people who hike"},
			})
			w.write("ad/spring/moved/a", map[string]any{
				"name": "Ad of spring", "status": "active", "title": "Shoes for mud", "body": "Light shoes.",
				"target_url": "https://shop.example/spring", "image": "https://images.shop.example/spring.jpg",
			})
			from, _ := resource.ParseAddress("ad_group/spring/g")
			to, _ := resource.ParseAddress("ad_group/spring/moved")
			w.also = func(d *reconcile.Desired) { d.Moves = []plan.Move{{From: from, To: to}} }
		}},
		{name: "a saved plan", before: one("active"), next: func(w *world) {
			w.campaign("spring", "active", 80_000_000, "description", "as agreed")
			w.tree("autumn", "paused")
			saved, err := json.Marshal(w.plan().Plan)
			if err != nil {
				w.t.Fatal(err)
			}
			agreed, err := plan.ReadSavedPlan(saved)
			if err != nil {
				w.t.Fatal(err)
			}
			w.also = func(d *reconcile.Desired) { d.Agreed = agreed }
		}, again: func(w *world) { w.also = nil }}, // what is left of it is planned anew
		{name: "a tree larger than a job", sparse: 8, next: func(w *world) {
			w.campaign("large", "active", 100_000_000)
			for i := range 1005 {
				w.write(fmt.Sprintf("ad_group/large/g%04d", i), map[string]any{
					"name": fmt.Sprintf("Group %04d", i), "status": "active", "bid.max": 1_250_000,
				})
			}
		}},
	}
}

// points sets open points where no test is at hand.
func points(text string) func(*emulator.Options) {
	return func(o *emulator.Options) {
		settings, err := openpoint.Parse(text)
		if err != nil {
			panic(err)
		}
		o.OpenPoints = settings
	}
}

// diesBefore applies as a process that dies before the first effect of a name.
func (w *world) diesBefore(effect string) { w.dies(&crash{first: effect}, (*world).work) }

// foreignTwin has somebody else make the campaign of a tree.
func (w *world) foreignTwin() {
	w.service.Must(w.t, http.MethodPost, "/campaigns", map[string]any{
		"name": "Campaign spring", "status": "paused",
		"bidding_type": "clicks", "budget": map[string]any{"lifetime_spend_limit_micros": 100_000_000},
		"targeting": map[string]any{"locations": map[string]any{"countries": []string{"CA", "US"}}},
	})
}

// adoptAll is adsync adopt, of everything the files name.
func (w *world) adoptAll() error {
	adoptions, problems, err := w.agent.Adoptions(w.ctx, w.asks(), nil)
	if err != nil || len(problems) > 0 {
		return fmt.Errorf("adopt: %v %v", err, problems)
	}
	return w.agent.Adopt(w.ctx, adoptions)
}

// importAll is adsync import: the files come first, then the record.
func (w *world) importAll() error {
	found, err := w.agent.Import(w.ctx, w.desired)
	if err != nil {
		return err
	}
	for r := range found.Snapshot.All() {
		w.desired.Put(r)
	}
	applied, err := found.Agreeing(w.agent.Schemas, w.desired)
	if err != nil {
		return err
	}
	return w.agent.Store.Record(w.ctx, applied)
}

// limitsAfter is what the files ask for: creates that take no key, an edit that
// names a revision, a removal, and the account's own calls.
func (w *world) limitsAfter() {
	w.write("daily_spend_limit/winter", map[string]any{"amount": 200_000_000, "start": w.day(1), "end": w.day(9)})
	w.write("daily_spend_limit/spring", map[string]any{"amount": 150_000_000, "start": w.day(10)})
	w.write("spend_limit_window/gone", map[string]any{
		"amount": 500_000_000, "start": w.day(2), "end": w.day(3), "status": "archived",
	})
	w.write("spend_limit_window/new", map[string]any{"amount": 600_000_000, "start": w.day(5), "end": w.day(6)})
	w.write("pixel/shop", map[string]any{"name": "Web shop"})
	w.write("account/account", map[string]any{"brand_name": "Trail", "status": "paused"})
	w.permitAll("raises-spend")
}
