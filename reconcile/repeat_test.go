package reconcile_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"adsync/internal/resource"
	"adsync/internal/testing/emulatortest"
	"adsync/reconcile/apply"
	"adsync/state"

	"github.com/google/go-cmp/cmp"
)

// wide writes a campaign with ad groups of two ads each, too large for a job of
// eight operations: a first job with two ad groups, and three that repeat the
// campaign.
func (w *world) wide(key string, groups int) {
	w.tree(key, "active")
	for g := 1; g < groups; g++ {
		group := fmt.Sprintf("ad_group/%s/g%d", key, g)
		w.write(group, map[string]any{
			"name": fmt.Sprintf("Group %d of %s", g, key), "status": "active", "bid.max": 1_250_000,
		})
		for a := range 2 {
			w.write(fmt.Sprintf("ad/%s/g%d/a%d", key, g, a), map[string]any{
				"status": "active", "title": fmt.Sprintf("Shoes %d of group %d", a, g), "body": "Light.",
				"target_url": "https://shop.example/x", "image": "https://images.shop.example/x.jpg",
			})
		}
	}
}

// small takes at most eight operations a job.
func small(w *world) *world {
	w.bulk.Most = 8
	w.agent = w.newAgent()
	return w
}

// sent counts the requests of an apply by method and last words of the path.
type sent struct {
	mu     sync.Mutex
	jobs   []string // bodies of those that are not only validated
	checks int      // those that are
	counts map[string]int
}

func (s *sent) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.counts == nil {
		s.counts = map[string]int{}
	}
	path := strings.TrimPrefix(r.URL.Path, "/v1/")
	words := strings.Split(path, "/")
	for i, word := range words {
		if strings.ContainsAny(word, "0123456789") {
			words[i] = "id"
		}
	}
	s.counts[r.Method+" "+strings.Join(words, "/")]++
	if posts(r, "bulk_mutation_jobs") {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		if bytes.Contains(body, []byte(`"validate_only":true`)) {
			s.checks++
		} else {
			s.jobs = append(s.jobs, string(body))
		}
	}
	return send(r)
}

func (w *world) applyCounting() (*apply.Report, *sent) {
	w.t.Helper()
	s := &sent{}
	report, err := w.through(s, w.store).Apply(w.t.Context(), w.plan())
	if err != nil {
		w.t.Fatalf("apply: %v", err)
	}
	return report, s
}

func (w *world) allApplied(report *apply.Report) {
	w.t.Helper()
	for _, o := range report.Outcomes {
		if o.Outcome != state.OutcomeApplied || o.Message != "" {
			w.t.Errorf("%s is %s %s; want applied", o.Address, o.Outcome, o.Message)
		}
	}
	if report.Verified != report.Touched {
		w.t.Errorf("verified %d of %d", report.Verified, report.Touched)
	}
	if again := w.plan().Plan; len(again.Changes) != 0 {
		w.t.Errorf("second plan has %d changes; want none: %s", len(again.Changes), describe(again))
	}
}

// B16, design section 4: a tree no job holds goes on by repeating its parents'
// creates byte for byte. The first repetition of an account goes alone, with one
// child; later ones fill their jobs.
func TestTreeLargerThanAJobRepeatsItsParents(t *testing.T) {
	w := small(newWorld(t))
	w.wide("spring", 6)
	report, s := w.applyCounting()
	w.allApplied(report)
	if n := s.counts["POST ad_groups"] + s.counts["POST ads"]; n != 0 {
		t.Errorf("%d single creates; want none", n)
	}
	var sizes []int
	for _, body := range s.jobs {
		if strings.Contains(body, "campaign.create") {
			sizes = append(sizes, strings.Count(body, `"operation_id"`))
		}
	}
	slices.Sort(sizes)
	if diff := cmp.Diff([]int{3, 4, 7, 7}, sizes); diff != "" {
		t.Errorf("operations a job (-want +got):\n%s\n%s", diff, strings.Join(s.jobs, "\n"))
	}
	first := regexp.MustCompile(`{"operation_id":"c1",.*?}}`).FindString(s.jobs[0])
	for _, body := range s.jobs[1:4] {
		if first == "" || !strings.Contains(body, first) {
			t.Errorf("a later job has another create of the campaign than\n%s\nin\n%s", first, body)
		}
	}
	w.onceEach()
	w.wide("autumn", 6)
	_, s = w.applyCounting()
	if n := strings.Count(strings.Join(s.jobs, ""), "campaign.create"); n != 3 {
		t.Errorf("%d jobs for the next tree; want 3 now that repeating is known", n)
	}
	w.onceEach()
}

func (w *world) onceEach() {
	w.t.Helper()
	for name, n := range w.creates(w.mutations()) {
		if n != 1 && !strings.HasPrefix(name, "ad ") {
			w.t.Errorf("%s was created %d times; want once", name, n)
		}
	}
}

// A service that makes a second parent is noticed with one child: the second one
// is paused from the start, archived with its child, said aloud, remembered, and
// the rest goes through single requests.
func TestStrayParentIsArchivedAndRemembered(t *testing.T) {
	for _, points := range []string{"bulk_parent_repeat=stray", "key_ttl=30m,key_visibility_lag=60s"} {
		t.Run(points, func(t *testing.T) {
			w := small(newWorld(t, emulatortest.WithPoints(t, points)))
			w.wide("spring", 6)
			report, s := w.applyCounting()
			w.allApplied(report)
			if len(w.said) != 1 || !strings.Contains(w.said[0], "campaign/spring a second time") {
				t.Errorf("said %q; want the second campaign", w.said)
			}
			if n := s.counts["POST ad_groups"]; n != 4 {
				t.Errorf("%d ad groups by single requests; want the 4 that are left", n)
			}
			w.strays(1)
			known, err := w.store.Capabilities(t.Context())
			if reused, asked := known[resource.RepeatParent]; err != nil || reused || !asked {
				t.Errorf("remembered %v, %v; want that parents are not to be repeated", known, err)
			}
			w.wide("autumn", 6)
			report, s = w.applyCounting()
			w.allApplied(report)
			if n := len(slices.DeleteFunc(s.jobs, func(b string) bool {
				return !strings.Contains(b, "campaign.create")
			})); n != 1 {
				t.Errorf("%d jobs create the next tree; want 1, and single requests", n)
			}
			w.strays(1)
		})
	}
}

// strays holds that n campaigns were ever made too many.
func (w *world) strays(n int) {
	w.t.Helper()
	if made := w.oneStandsOfEach(); made != n {
		w.t.Errorf("%d campaigns were made too many; want %d", made, n)
	}
}

// oneStandsOfEach holds that of every campaign and ad group one is not archived,
// and gives how many campaigns are, none of which was ever active.
func (w *world) oneStandsOfEach() int {
	w.t.Helper()
	type object struct{ kind, id string }
	name, status, active := map[object]string{}, map[object]string{}, map[object]bool{}
	for _, m := range w.mutations() {
		o := object{m.Resource, m.ResourceID}
		if m.Resource == "campaign" || m.Resource == "ad_group" {
			name[o], status[o] = between(string(m.After), `"name":"`), between(string(m.After), `"status":"`)
			active[o] = active[o] || status[o] == "active"
		}
	}
	standing, archived := map[string]int{}, 0
	for o := range name {
		switch {
		case status[o] != "archived":
			standing[o.kind+" "+name[o]]++
		case o.kind == "campaign":
			archived++
			if active[o] {
				w.t.Errorf("the second %s was active", name[o])
			}
		}
	}
	for name, count := range standing {
		if count != 1 {
			w.t.Errorf("%d of %s stand; want one", count, name)
		}
	}
	return archived
}

func between(text, before string) string {
	_, after, _ := strings.Cut(text, before)
	value, _, _ := strings.Cut(after, `"`)
	return value
}

// bulk.repeat_parent: never.
func TestParentsAreNotRepeatedWhereTheFilesForbidIt(t *testing.T) {
	w := small(newWorld(t))
	w.bulk.NeverRepeat = true
	w.agent = w.newAgent()
	w.wide("spring", 6)
	report, s := w.applyCounting()
	w.allApplied(report)
	if n := strings.Count(strings.Join(s.jobs, ""), "campaign.create"); n != 1 {
		t.Errorf("the campaign's create was sent %d times; want once", n)
	}
	if n := s.counts["POST ad_groups"]; n != 4 {
		t.Errorf("%d ad groups by single requests; want 4", n)
	}
	w.onceEach()
}

// S1 to S8, invariants 1, 9 and 27, where parents are repeated: wherever the
// apply dies, the next one ends where the first would have. A service that makes
// a second parent is left with it archived, and what spends is never doubled.
func TestCrashAtEveryEffectOfALargeTree(t *testing.T) {
	for _, points := range []string{"", "bulk_parent_repeat=stray"} {
		whole := small(newWorld(t, emulatortest.WithPoints(t, points)))
		whole.wide("spring", 4)
		whole.permit()
		effects := whole.stopped(0)
		want := whole.own()
		t.Logf("%q: %d effects", points, effects)
		for at := 1; at <= effects; at += *stride {
			t.Run(fmt.Sprintf("%s effect %d", points, at), func(t *testing.T) {
				t.Parallel()
				w := small(newWorld(t, emulatortest.WithPoints(t, points)))
				w.wide("spring", 4)
				w.permit()
				w.stopped(at)
				w.agent = w.newAgent()
				if _, err := w.agent.Recover(t.Context()); err != nil {
					t.Fatalf("recover: %v", err)
				}
				w.clean()
				if got := w.own(); got != want {
					t.Errorf("account is\n%s\nwant\n%s", got, want)
				}
				if strays := w.oneStandsOfEach(); strays > 1 || strays > 0 && points == "" {
					t.Errorf("%d campaigns were made too many", strays)
				}
				if open, err := w.store.Open(t.Context()); err != nil || len(open) != 0 {
					t.Errorf("%d steps are open at the end, %v; want none", len(open), err)
				}
			})
		}
	}
}

// own is the picture of what the files name.
func (w *world) own() string {
	lines := strings.Split(w.picture(), "\n")
	return strings.Join(slices.DeleteFunc(lines, func(line string) bool { return strings.Contains(line, "/~") }), "\n")
}
