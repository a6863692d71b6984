package reconcile_test

import (
	"net/http"
	"strings"
	"testing"

	"adsync/internal/emulator"
	"adsync/internal/resource"
	"adsync/internal/testing/emulatortest"
	"adsync/plan"
	"adsync/reconcile"
)

// B23: what was archived, by hand or by the policy, and is asked for again under
// the same address: it is made anew, and what is archived is not taken for it,
// whatever the service says of the keys of its creates.
func TestB23WhatComesBackIsNotBoundToWhatIsArchived(t *testing.T) {
	byHand := func(w *world) {
		w.service.Must(w.t, http.MethodPost, "/campaigns/"+w.last("campaign/spring").ID+"/archive", nil)
	}
	away := func(w *world) { // out of the files, and in again
		tree := w.desired
		w.desired = &resource.Snapshot{}
		w.tree("kept", "paused")
		w.apply()
		if w.last("campaign/spring").ID != "" {
			w.t.Fatalf("campaign/spring is on record after it is gone on both sides; want it forgotten")
		}
		w.desired = tree
	}
	byHandAndAway := func(w *world) { byHand(w); away(w) }
	pruned := func(w *world) {
		w.also = func(d *reconcile.Desired) { d.Policy.Prune, d.Policy.ShrinkPercent = plan.PruneArchive, 100 }
		w.permitAll("archives")
		away(w)
	}
	allowed := func(w *world) { byHand(w); w.permitAll("removed-by-hand") }
	for _, row := range []struct {
		name    string
		archive func(*world)
		lists   string
		bulk    bool
	}{
		{"archived by hand, made by a job", byHandAndAway, "yes", true},
		{"archived by hand and in no list, made by a job", byHandAndAway, "no", true},
		{"archived by hand, made by single requests", byHandAndAway, "yes", false},
		{"pruned, made by a job", pruned, "yes", true},
		{"pruned and in no list, made by single requests", pruned, "no", false},
		{"archived by hand and allowed again, made by a job", allowed, "yes", true},
		{"archived by hand and allowed again, made by single requests", allowed, "no", false},
	} {
		for _, key := range []string{"returned", "created", "refused"} {
			t.Run(row.name+", key "+key, func(t *testing.T) {
				w := newWorld(t, func(o *emulator.Options) { o.Accounts[0].Features.Bulk = row.bulk },
					emulatortest.WithPoints(t, "key_of_archived="+key+",list_archived="+row.lists))
				w.tree("kept", "paused")
				w.tree("spring", "active")
				w.clean()
				first := w.ids()
				row.archive(w)
				w.clean()
				for address, id := range first {
					if again := w.last(address.String()).ID; strings.Contains(address.String(), "/spring") &&
						(again == id || again == "") {
						t.Errorf("%s is bound to %q after %q was archived; want what was made anew", address, again, id)
					}
				}
			})
		}
	}
}

// ids are the bindings on record.
func (w *world) ids() map[resource.Address]string {
	w.t.Helper()
	last, err := w.store.Last(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	ids := map[resource.Address]string{}
	for r := range last.All() {
		ids[r.Address] = r.ID
	}
	return ids
}
