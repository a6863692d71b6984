package reconcile_test

import (
	"net/http"
	"testing"
	"time"

	"adsync/internal/diag"
	"adsync/internal/emulator"
	"adsync/internal/testing/emulatortest"
	"adsync/plan"
	"adsync/reconcile/recover"
	"adsync/state"
)

// S16: the state was lost, and somebody archived an ad group meanwhile. The ad group that is made in its place has none
// of its ads, though the service answers the key of an ad with the one that stands beneath what is archived: a person
// decides, and it is made.
func TestAnAdBeneathWhatIsArchivedIsNotTakenForOneBeneathAnother(t *testing.T) {
	for _, row := range []struct {
		points string
		bulk   bool
	}{
		{"parent_id_echoed=yes,list_ads=account", false},
		{"parent_id_echoed=yes,list_ads=absent", true},
		{"parent_id_echoed=no,list_ads=by_ad_group", true},
		{"parent_id_echoed=no,list_ads=absent", false},
	} {
		t.Run(row.points, func(t *testing.T) {
			w, former := lostTree(t, row.bulk, "key_of_archived=refused,"+row.points)
			for _, asked := range []string{"ad_group/spring/g", "ad/spring/g/a"} {
				w.apply()
				undecided, err := w.agent.Undecided(t.Context())
				noErr(t, err)
				if len(undecided) != 1 || undecided[0].Operation.Address.String() != asked {
					t.Fatalf("undecided are %+v; want %s", undecided, asked)
				}
				noErr(t, w.agent.Resolve(t.Context(), w.evidence(asked),
					recover.Decision{As: state.OutcomeSkipped, By: "ann", Unproven: true}))
			}
			w.clean()
			if id := w.last("ad/spring/g/a").ID; id == former["ad/spring/g/a"] {
				t.Errorf("the ad is %s, which stands beneath what is archived; want another", id)
			}
		})
	}
}

// The same where a job makes the tree anew: what its answer names is read back, and is let go of. Nothing delivers
// before the next run has made it.
func TestAnAdThatAJobFindsBeneathWhatIsArchivedIsMadeAnew(t *testing.T) {
	for _, points := range []string{
		"parent_id_echoed=yes,list_ads=account", "parent_id_echoed=no,list_ads=account",
		"parent_id_echoed=no,list_ads=by_ad_group", "parent_id_echoed=no,list_ads=absent",
	} {
		t.Run(points, func(t *testing.T) {
			w, former := lostTree(t, true, "key_of_archived=created,"+points)
			w.service.Must(t, http.MethodPost, "/campaigns/"+former["campaign/spring"]+"/archive", nil)
			report := w.apply()
			for _, o := range report.Outcomes {
				if o.Address.Kind == "ad" && (o.Outcome != state.OutcomeFailed || o.Code != string(diag.KeyConflict)) {
					t.Errorf("the ad is %+v; want that it stands beneath another ad group", o)
				}
			}
			if is := w.live("campaign/spring", "status"); is != `"paused"` {
				t.Errorf("the campaign is %s while its ad is not there; want it paused", is)
			}
			w.clean()
			if id := w.last("ad/spring/g/a").ID; id == former["ad/spring/g/a"] {
				t.Errorf("the ad is %s, which stands beneath what is archived; want another", id)
			}
		})
	}
}

// lostTree is an account with a tree whose ad group somebody has archived, ten minutes before the state was lost; and
// the ids that it had.
func lostTree(t *testing.T, bulk bool, points string) (w *world, former map[string]string) {
	w = newWorld(t, emulatortest.WithPoints(t,
		"key_scope_bulk=shared,key_with_other_body=returned,list_archived=no,"+points),
		func(o *emulator.Options) { o.Accounts[0].Features.Bulk = bulk })
	w.tree("spring", "active")
	w.clean()
	former = map[string]string{}
	for address, id := range w.ids() {
		former[address.String()] = id
	}
	w.service.Must(t, http.MethodPost, "/ad_groups/"+former["ad_group/spring/g"]+"/archive", nil)
	noErr(t, w.sleep(t.Context(), 10*time.Minute)) // no clock is as far off
	store, err := state.NewMemory(state.Options{Now: w.now})
	noErr(t, err)
	w.store = store
	w.agent = w.newAgent()
	w.allow = []plan.Allowance{{Hazard: plan.Adopts}}
	return w, former
}
