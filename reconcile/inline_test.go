package reconcile_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"

	"adsync/internal/emulator"
	"adsync/internal/testing/emulatortest"
	"adsync/reconcile/apply"
	"adsync/state"
)

// withoutUploads is a world whose service has no POST /uploads, as the interface has none.
func withoutUploads(t *testing.T, change ...func(*emulator.Options)) *world {
	t.Helper()
	return newWorld(t, append([]func(*emulator.Options){emulatortest.WithPoints(t, "audience_uploads=absent")},
		change...)...)
}

// inlineSent notes the requests with people in them.
type inlineSent struct {
	sizes   []int // people of each, in order
	largest int   // bytes
	keys    []string
	after   func(n int) error // what comes in place of the n-th answer; nil: the answer
}

func (s *inlineSent) RoundTrip(r *http.Request) (*http.Response, error) {
	if !strings.HasSuffix(r.URL.Path, "/add") && !strings.HasSuffix(r.URL.Path, "/remove") {
		return send(r)
	}
	body := peek(r)
	var said struct {
		Identifiers []struct {
			Type       string `json:"identifier_type"`
			Identifier string `json:"identifier"`
		} `json:"identifiers"`
	}
	if err := json.Unmarshal(body, &said); err != nil {
		return nil, err
	}
	for _, one := range said.Identifiers {
		if one.Type != "email_sha256" || len(one.Identifier) != 64 {
			return nil, errCrash // nobody leaves unhashed
		}
	}
	s.sizes, s.largest = append(s.sizes, len(said.Identifiers)), max(s.largest, len(body))
	s.keys = append(s.keys, r.Header.Get("Idempotency-Key"))
	answer, err := send(r)
	if err == nil && s.after != nil {
		if lost := s.after(len(s.sizes)); lost != nil {
			_ = answer.Body.Close()
			return nil, lost
		}
	}
	return answer, err
}

// The interface alone (part 4) has no call for a file of people: the audience is made
// empty, and its people follow in requests of at most 10,000, far below 16 MiB, each
// under a key of its own. The second plan is empty, and /uploads is asked for once.
func TestWithoutUploadsPeopleGoInRequests(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	w := withoutUploads(t)
	sent, asked := &inlineSent{}, 0
	w.agent = w.through(line(func(r *http.Request) (*http.Response, error) {
		if posts(r, "uploads") {
			asked++
		}
		return sent.RoundTrip(r)
	}), w.store)
	w.audience("customers", 0, 25_001)
	w.clean()
	if n := w.matched("customers"); n != 25_001 {
		t.Errorf("%d people are in the new audience; want 25001", n)
	}
	w.audience("customers", 25_001, 36_000, "members.do", "add")
	w.clean()
	w.audience("customers", 0, 11_000, "members.do", "remove")
	w.permitAll("shrinks-audience")
	w.clean()
	if n := w.matched("customers"); n != 25_000 {
		t.Errorf("%d people are in it; want 25000", n)
	}
	w.audience("others", 0, 10)
	w.Merged("all", "audience/customers", "audience/others")
	w.clean()
	if want := []int{10_000, 10_000, 5_001, 10_000, 999, 10_000, 1_000, 10}; !slices.Equal(sent.sizes, want) ||
		sent.largest > 16<<20 {
		t.Errorf("requests had %v people and at most %d bytes; want %v", sent.sizes, sent.largest, want)
	}
	if slices.Sort(sent.keys); len(slices.Compact(sent.keys)) != len(sent.sizes) || slices.Contains(sent.keys, "") {
		t.Errorf("the keys are %q; want one for each request", sent.keys)
	}
	if asked != 1 {
		t.Errorf("/uploads was asked for %d times; want once, and remembered", asked)
	}
}

// A replace has no inline form (interface, part 4): it is held, with what can be done.
func TestWithoutUploadsAReplaceIsHeld(t *testing.T) {
	w := withoutUploads(t)
	w.audience("customers", 0, 100)
	w.clean()
	w.audience("customers", 50, 150)
	report := w.apply()
	i := slices.IndexFunc(report.Outcomes, func(o apply.Outcome) bool {
		return o.Address == address("audience/customers")
	})
	if i < 0 || report.Outcomes[i].Outcome != apply.OutcomeHeld ||
		!strings.Contains(report.Outcomes[i].Message, "want do: add") {
		t.Errorf("the report is %+v; want the replace held, and what can be done", report.Outcomes)
	}
	if n := w.matched("customers"); n != 100 {
		t.Errorf("%d people are in it; want the 100 who were", n)
	}
	w.audience("customers", 0, 100)
	w.clean()
}

// Killed at any request with people, before it or after it, the next run goes on where
// the list stood: nobody joins twice, and nothing is held.
func TestWithoutUploadsAKilledListGoesOn(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	for _, row := range []struct {
		exists bool
		n      int
	}{{false, 1}, {true, 2}, {false, 3}} {
		t.Run(fmt.Sprintf("%+v", row), func(t *testing.T) {
			exists, n := row.exists, row.n
			w, want := withoutUploads(t), 3
			w.audience("others", 0, 10)
			if exists {
				w.audience("customers", 0, 100)
				w.clean()
				w.audience("customers", 100, 25_000, "members.do", "add")
				want++ // that of the first hundred
			} else {
				w.clean()
				w.audience("customers", 0, 25_000)
			}
			sent := &inlineSent{after: func(i int) error {
				if i >= n {
					return errCrash
				}
				return nil
			}}
			w.agent = w.through(sent, w.store)
			if _, err := w.agent.Apply(t.Context(), w.plan()); err != nil {
				t.Logf("apply: %v", err)
			}
			w.wantNobodyInTheState()
			again := &inlineSent{}
			w.agent = w.through(again, w.store)
			if _, err := w.agent.Recover(t.Context()); err != nil {
				t.Fatal(err)
			}
			w.clean()
			if got := w.matched("customers"); got != 25_000 {
				t.Errorf("killed at request %d: %d people are in it; want 25000", n, got)
			}
			if made := w.operations(); made != want {
				t.Errorf("killed at request %d (there: %v): the service has %d operations; want %d",
					n, exists, made, want)
			}
		})
	}
}

// What was cut off between two requests begins at the second: of the list nothing goes
// twice. Other files in the meantime begin anew.
func TestWithoutUploadsAListThatWasCutOffGoesOnWhereItStood(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	for _, row := range []struct {
		name  string
		edit  func(*world)
		sizes []int
	}{
		{"the same files", func(*world) {}, []int{2_000}},
		{"more people", func(w *world) {
			w.audience("customers", 0, 12_500, "members.do", "add")
		}, []int{10_000, 2_500}},
		{"other words for the same", func(w *world) {
			w.audience("customers", 0, 12_000, "members.do", "add")
		}, []int{2_000}},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := withoutUploads(t)
			w.audience("customers", 0, 12_000)
			first, cut := &inlineSent{}, false
			w.agent = w.through(line(func(r *http.Request) (*http.Response, error) {
				if cut = cut || len(first.sizes) == 1 && strings.HasSuffix(r.URL.Path, "/add"); cut {
					return nil, syscall.ECONNREFUSED
				}
				return first.RoundTrip(r)
			}), w.store)
			if _, err := w.agent.Apply(t.Context(), w.plan()); !cut {
				t.Fatalf("Apply = %v; want it cut off at the second request", err)
			}
			row.edit(w)
			second := &inlineSent{}
			w.agent = w.through(second, w.store)
			if _, err := w.agent.Recover(t.Context()); err != nil {
				t.Fatal(err)
			}
			w.clean()
			if !slices.Equal(first.sizes, []int{10_000}) || !slices.Equal(second.sizes, row.sizes) {
				t.Errorf("requests had %v and then %v people; want 10000 and then %v",
					first.sizes, second.sizes, row.sizes)
			}
		})
	}
}

// wantNobodyInTheState looks through the journal and the record for the people of every
// list.
func (w *world) wantNobodyInTheState() {
	w.t.Helper()
	open, err := w.store.Open(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	last, err := w.store.Last(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	var all strings.Builder
	for _, step := range open {
		all.Write(step.Body)
		for _, o := range step.Operations {
			for _, v := range o.Set {
				all.WriteString(v.Value.Text())
			}
		}
	}
	for r := range last.All() {
		for _, v := range r.Attributes {
			all.WriteString(v.Value.Text())
		}
	}
	for _, content := range w.people {
		for hash := range strings.Lines(content) {
			if strings.Contains(all.String(), strings.TrimSpace(hash)) {
				w.t.Fatal("the state holds the hash of a person")
			}
		}
	}
}

// Where the account has no small audiences either, the row says so, and the rest goes on.
func TestWithoutUploadsAndSmallAudiencesTheRowFails(t *testing.T) {
	w := withoutUploads(t, func(o *emulator.Options) { o.Accounts[0].Features.SmallAudiences = false })
	w.audience("customers", 0, 100)
	w.tree("spring", "paused")
	got := outcomes(w.apply())
	if got["audience/customers"] != state.OutcomeFailed || got["campaign/spring"] != state.OutcomeApplied {
		t.Errorf("outcomes are %v; want the audience failed and the campaign applied", got)
	}
}

// Somebody's operation stands still where a list is to be all of an audience: it is made to
// go on, and the list does not join whom it put in. Where the list only adds, it does.
func TestWithoutUploadsAListThatIsToBeAllJoinsNobody(t *testing.T) {
	for do, want := range map[string]int{"replace": 1, "add": 101} {
		w := newWorld(t, emulatortest.WithPoints(t, "audience_uploads=absent,audience_operation_stalls=half_way"))
		w.write("audience/customers", map[string]any{"name": "Audience customers"})
		w.clean()
		w.addTo(w.onlyAudience(), 500)
		w.audience("customers", 0, 100, "members.do", do)
		report := w.apply()
		if n := w.matched("customers"); n != want {
			t.Errorf("do: %s: %d people are in it; want %d: %+v", do, n, want, report.Outcomes)
		}
		if do == "replace" && !strings.Contains(fmt.Sprint(report.Outcomes), "somebody else is changing who is in it") {
			t.Errorf("the report is %+v; want it to say why the list did not go", report.Outcomes)
		}
	}
}
