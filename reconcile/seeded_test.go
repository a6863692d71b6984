package reconcile_test

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"testing"

	"adsync/state"
)

// Two ads that say the same are two ads: their keys are of their addresses.
func TestSeededTwoEqualAdsStayTwo(t *testing.T) {
	w := newWorld(t)
	w.tree("spring", "paused")
	same := map[string]any{
		"name": "Ad of spring", "status": "active", "title": "Shoes for mud", "body": "Light shoes.",
		"target_url": "https://shop.example/spring", "image": "https://images.shop.example/spring.jpg",
	}
	w.write("ad/spring/g/b", same)
	w.write("ad/spring/g/c", same)
	w.clean()
	ids := map[string]bool{}
	for _, a := range []string{"ad/spring/g/a", "ad/spring/g/b", "ad/spring/g/c"} {
		ids[w.plan().Live.Snapshot.Get(address(a)).ID] = true
	}
	if len(ids) != 3 {
		t.Errorf("three equal ads have the ids %v; want one each", ids)
	}
}

// Whatever may change the account stands in the journal as sent, with its bytes
// and its key, before the first of them leaves.
func TestSeededEveryRequestIsInTheJournalBeforeItIsSent(t *testing.T) {
	w := newWorld(t)
	w.before()
	seen := 0
	w.agent = w.through(line(func(r *http.Request) (*http.Response, error) {
		if body := peek(r); r.Method == http.MethodPost && !bytes.Contains(body, []byte(`"validate_only":true`)) {
			seen++
			w.wantJournalled(r, body)
		}
		return send(r)
	}), w.store)
	w.clean()
	w.after()
	w.clean()
	if seen < 5 {
		t.Errorf("%d requests changed something; want some of every route", seen)
	}
}

// wantJournalled finds the step of a request. That of an upload notes the file
// and does not hold its bytes.
func (w *world) wantJournalled(r *http.Request, body []byte) {
	w.t.Helper()
	open, err := w.store.Open(w.t.Context())
	if err != nil {
		w.t.Error(err)
	}
	if !slices.ContainsFunc(open, func(s state.Step) bool {
		return s.Point == state.Sent && s.Key == r.Header.Get("Idempotency-Key") &&
			strings.HasSuffix(r.URL.Path, s.Path) &&
			(s.Route == state.Upload || bytes.Equal(s.Body, body))
	}) {
		w.t.Errorf("%s %s is sent and no step of the journal says so", r.Method, r.URL.Path)
	}
}

// What reads back as something else leaves its tree paused.
func TestSeededNothingIsActivatedBeforeItReadsBackAsSent(t *testing.T) {
	w := newWorld(t)
	w.tree("spring", "active")
	w.agent = w.through(line(func(r *http.Request) (*http.Response, error) {
		response, err := send(r)
		if err == nil && r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/ad_groups") {
			return answered(response, "Group of spring", "Group of SPRING 2"), nil
		}
		return response, err
	}), w.store)
	w.apply()
	if got := w.plan().Live.Snapshot.Get(address("campaign/spring")).Value("status").Text(); got != "paused" {
		t.Errorf("the campaign is %s while its ad group is not as sent; want it paused", got)
	}
}

// Results count only once the service says that they are complete: what is missing
// before that is not unknown, and nothing is sent again for it.
func TestSeededResultsCountOnceTheyAreComplete(t *testing.T) {
	w := newWorld(t)
	w.tree("spring", "paused")
	early, jobs := 0, 0
	w.agent = w.through(line(func(r *http.Request) (*http.Response, error) {
		if body := peek(r); posts(r, "bulk_mutation_jobs") &&
			bytes.Contains(body, []byte(`"campaign.create"`)) && !bytes.Contains(body, []byte(`"validate_only":true`)) {
			jobs++
		}
		if jobs == 1 && early == 0 && strings.HasSuffix(r.URL.Path, "/operations") {
			early++
			return answer(r, 200, `{"object":"list","data":[],"complete":false,"has_more":false}`)
		}
		return send(r)
	}), w.store)
	report := w.apply()
	if early != 1 || jobs != 1 {
		t.Errorf("%d pages came early, and the creates were sent %d times; want once each", early, jobs)
	}
	if n := report.Count(state.OutcomeApplied); n != len(report.Outcomes) {
		t.Errorf("%d of %d applied", n, len(report.Outcomes))
	}
}
