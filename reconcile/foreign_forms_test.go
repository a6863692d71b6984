package reconcile_test

import (
	"net/http"
	"strings"
	"testing"

	"adsync/internal/resource"
	"adsync/plan"
	"adsync/reconcile"
	"adsync/reconcile/apply"
)

// C6, C7: a service that trims names, sorts lists and lowers hosts makes something
// else of what is written. That is no drift, also where drift is written back: the
// cycles after it change nothing, and an edit beside it changes that alone.
func TestC6C7WhatTheServiceNormalisesIsNotWrittenAgain(t *testing.T) {
	w := newWorld(t, points("normalise_names=trimmed,normalise_arrays=sorted,normalise_url_host=lowered"))
	w.tree("spring", "paused")
	w.desired.Get(address("campaign/spring")).Set("name", resource.Text("  Campaign spring "))
	w.desired.Get(address("ad/spring/g/a")).Set("target_url", resource.Text("https://Shop.Example/Spring"))
	w.also = func(d *reconcile.Desired) { d.Policy.Drift = plan.Revert }
	w.clean()
	for _, row := range []struct{ at, path, shows string }{
		{"campaign/spring", "/campaigns/", `"name":"Campaign spring"`},
		{"ad_group/spring/g", "/ad_groups/", `"context_hints":["people who hike","people who run"]`},
		{"ad/spring/g/a", "/ads/", `"https://shop.example/Spring"`},
	} {
		if have := string(w.service.Must(t, http.MethodGet,
			row.path+w.last(row.at).ID, nil).Body); !strings.Contains(have, row.shows) {
			t.Fatalf("the service has %s as %s; want it normalised, %s", row.at, have, row.shows)
		}
	}
	for cycle := range 4 {
		before := len(w.mutations())
		w.clean()
		if made := len(w.mutations()) - before; made != 0 {
			t.Errorf("cycle %d changes %d things; want none", cycle, made)
		}
	}
	before := len(w.mutations())
	w.group("Renamed")
	w.clean()
	if made := w.mutations()[before:]; len(made) == 0 {
		t.Error("an edit beside it changes nothing")
	}
}

// C3: what somebody archives is not made anew, in this apply or a later one, and
// the plan says what would.
func TestC3WhatSomebodyArchivesIsNotMadeAnew(t *testing.T) {
	w := newWorld(t)
	w.tree("spring", "active")
	w.clean()
	w.service.Must(t, http.MethodPost, "/campaigns/"+w.last("campaign/spring").ID+"/archive", nil)
	before := len(w.mutations())
	for range 2 {
		for _, o := range w.apply().Outcomes {
			if o.Outcome != apply.OutcomeHeld || !strings.Contains(o.Message, "--allow") {
				t.Errorf("%s %s is %s %q; want it held, and what would allow it",
					o.Action, o.Address, o.Outcome, o.Message)
			}
		}
	}
	if outcomes := outcomes(w.apply()); outcomes["campaign/spring"] != apply.OutcomeHeld {
		t.Errorf("outcomes are %v; want the campaign held", outcomes)
	}
	if made := len(w.mutations()) - before; made != 0 {
		t.Errorf("%d mutations after it was archived; want none", made)
	}
}
