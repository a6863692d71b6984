package reconcile_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"adsync/internal/emulator"
	"adsync/internal/emulator/population"
	"adsync/internal/resource"
	"adsync/internal/testing/emulatortest"
	"adsync/reconcile/apply"
	"adsync/reconcile/env"
	"adsync/state"
)

// List is the people of a members file, from one person to before another.
func (w *world) List(from, to int) (digest string) {
	var content strings.Builder
	for n := from; n < to; n++ {
		hash := population.HashOf(population.Email, n)
		fmt.Fprintln(&content, hex.EncodeToString(hash[:]))
	}
	sum := sha256.Sum256([]byte(content.String()))
	digest = "sha256:" + hex.EncodeToString(sum[:])
	w.people[digest] = content.String()
	return digest
}

// audience writes an audience and its members file.
func (w *world) audience(key string, from, to int, more ...string) {
	attributes := map[string]any{
		"name": "Audience " + key, "members.file": w.List(from, to),
		"members.identifier": "email", "members.people": to - from,
	}
	for i := 0; i+1 < len(more); i += 2 {
		attributes[more[i]] = more[i+1]
	}
	w.write("audience/"+key, attributes)
}

// matched is how many people the service has in an audience.
func (w *world) matched(key string) int {
	w.t.Helper()
	id := w.last("audience/" + key).ID
	account := w.service.World().Account(emulatortest.AccountID)
	users := -1
	if err := account.View(func() error {
		d, _ := account.Audiences.Get(id)
		users = int(d.Users)
		return nil
	}); err != nil {
		w.t.Fatal(err)
	}
	return users
}

// last is what the state has of an address.
func (w *world) last(address string) *resource.Resource {
	w.t.Helper()
	last, err := w.store.Last(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	a, _ := resource.ParseAddress(address)
	if r := last.Get(a); r != nil {
		return r
	}
	return &resource.Resource{}
}

// Issue 5, audiences: create with people, add, remove, replace and archive, each
// with an empty second plan.
func TestAudienceFromItsCreateToItsArchive(t *testing.T) {
	w := newWorld(t)
	w.permitAll("shrinks-audience") // what adsync knows is the most that can be in it
	w.audience("customers", 0, 100)
	w.clean()
	if n := w.matched("customers"); n != 100 {
		t.Fatalf("%d people are in the new audience; want 100", n)
	}
	for _, step := range []struct {
		do       string
		from, to int
		want     int
	}{
		{"add", 100, 150, 150}, {"remove", 0, 10, 140},
		{"replace", 0, 120, 120}, {"add", 0, 120, 120}, {"replace", 0, 120, 120},
		// what a list does is said with the next one, though it is no edit
		{"add", 120, 130, 130}, {"add", 130, 140, 140}, {"remove", 0, 5, 135}, {"remove", 5, 11, 129},
	} {
		w.audience("customers", step.from, step.to, "members.do", step.do)
		w.clean()
		if n := w.matched("customers"); n != step.want {
			t.Fatalf("after %s of %d to %d there are %d people; want %d", step.do, step.from, step.to, n, step.want)
		}
	}
	w.audience("customers", 0, 120, "members.do", "replace", "status", "archived")
	w.permitAll("archives")
	w.clean()
	if got := w.live("audience/customers", "status"); got != `"archived"` {
		t.Errorf("the audience is %s; want archived", got)
	}
}

// Open points: however long the service works, wherever it stops and whatever it
// calls a small audience, the second plan is empty.
func TestAudienceOpenPointsDoNotMatter(t *testing.T) {
	for _, points := range []string{
		"audience_duration=60s,audience_operation_stalls=half_way", "audience_duration=0s,audience_below_minimum=ready",
		"key_with_other_body=refused,short_pages=yes", "list_archived=no",
	} {
		t.Run(points, func(t *testing.T) {
			w := newWorld(t, emulatortest.WithPoints(t, points))
			w.audience("customers", 0, 50)
			w.clean()
			w.audience("customers", 50, 60, "members.do", "add")
			w.clean()
			w.audience("customers", 50, 100)
			w.clean()
			w.audience("others", 0, 50)
			w.Merged("all", "audience/customers", "audience/others")
			w.clean()
			w.audience("customers", 50, 100, "status", "archived")
			w.permitAll("archives")
			w.clean()
		})
	}
}

// The interface, part 4: an audience without a file is for accounts with small
// audiences; elsewhere its row says so, and the others go on.
func TestEmptyAudienceIsRefusedWhereTheAccountHasNone(t *testing.T) {
	w := newWorld(t, func(o *emulator.Options) { o.Accounts[0].Features.SmallAudiences = false })
	w.write("audience/empty", map[string]any{"name": "Nobody yet"})
	w.tree("spring", "paused")
	report := w.apply()
	got := outcomes(report)
	if got["audience/empty"] != state.OutcomeFailed || got["campaign/spring"] != state.OutcomeApplied {
		t.Errorf("outcomes are %v; want the audience failed and the campaign applied", got)
	}
}

func TestEmptyAudienceIsFilledLater(t *testing.T) {
	w := newWorld(t)
	w.write("audience/customers", map[string]any{"name": "Customers"})
	w.clean()
	w.write("audience/customers", map[string]any{
		"name": "Customers", "members.file": w.List(0, 20), "members.identifier": "email", "members.people": 20,
	})
	w.clean()
	if n := w.matched("customers"); n != 20 {
		t.Errorf("%d people are in the audience; want 20", n)
	}
}

// A8: what somebody else did to the membership is never overwritten: not where
// the plan shows it, and not where it happens between plan and apply.
func TestA8ForeignChangeOfAMembershipIsNotOverwritten(t *testing.T) {
	w := newWorld(t)
	w.audience("customers", 0, 100)
	w.clean()
	w.addByHand("customers", 500)
	w.audience("customers", 0, 110)
	report := w.apply()
	if got := outcomes(report)["audience/customers"]; got != apply.OutcomeHeld || w.matched("customers") != 101 {
		t.Fatalf("the replacement is %s and %d people are in; want it held, and 101", got, w.matched("customers"))
	}
	w.permitAll("conflict")
	view := w.plan()
	w.addByHand("customers", 501)
	report, err := w.agent.Apply(t.Context(), view)
	if err != nil {
		t.Fatal(err)
	}
	o := report.Outcomes[0]
	if o.Outcome != state.OutcomeSkipped || !strings.Contains(o.Message, "its revision was 2 and is 3; plan again") {
		t.Errorf("outcome is %s %q; want it left out, with both revisions", o.Outcome, o.Message)
	}
	if n := w.matched("customers"); n != 102 {
		t.Errorf("%d people are in; want the 102 somebody left there", n)
	}
	w.clean()
	if n := w.matched("customers"); n != 110 {
		t.Errorf("%d people are in once it is allowed; want 110", n)
	}
}

// addByHand adds one person as somebody else.
func (w *world) addByHand(key string, person int) {
	w.t.Helper()
	w.addTo(w.last("audience/"+key).ID, person)
}

// addTo does so where the state does not have the audience.
func (w *world) addTo(id string, person int) {
	w.t.Helper()
	body := map[string]any{
		"identifiers": []map[string]string{{"identifier_type": "email",
			"identifier": population.Identifier(population.Email, person)}},
	}
	w.service.Must(w.t, "POST", "/custom_audiences/"+id+"/add",
		body, "Idempotency-Key", fmt.Sprintf("somebody-%d", person))
	w.service.Advance(w.t, 61)
	w.service.Must(w.t, "GET", "/custom_audiences/"+id, nil)
}

// A7: an operation that stops at a checkpoint is made to go on, without a key.
func TestA7StoppedOperationIsResumed(t *testing.T) {
	w := newWorld(t, emulatortest.WithPoints(t, "audience_operation_stalls=half_way"))
	w.audience("customers", 0, 100)
	w.clean()
	w.audience("customers", 100, 150, "members.do", "add")
	w.clean()
	if n := w.matched("customers"); n != 150 {
		t.Errorf("%d people are in the audience; want 150", n)
	}
}

// A7: nor can an audience be archived before what somebody left standing has ended.
func TestA7StoppedOperationIsResumedBeforeAnArchive(t *testing.T) {
	for _, body := range []string{"nested", "flat", "text", "html"} {
		w := newWorld(t, emulatortest.WithPoints(t, "audience_operation_stalls=half_way,error_body="+body))
		w.audience("customers", 0, 100)
		w.clean()
		w.addByHand("customers", 500)
		w.permitAll("archives", "drift")
		w.audience("customers", 0, 100, "status", "archived")
		w.clean()
		if got := w.live("audience/customers", "status"); got != `"archived"` {
			t.Errorf("with refusals as %s the audience is %s; want archived", body, got)
		}
	}
}

// A6, A7: an answer that was lost long ago is decided once what somebody left
// standing has gone on: recovery sees to that itself.
func TestA7RecoveryMakesAStoppedOperationGoOn(t *testing.T) {
	w := newWorld(t, emulatortest.WithPoints(t, "audience_operation_stalls=half_way"))
	w.audience("customers", 0, 100)
	w.clean()
	w.audience("customers", 0, 110)
	agent := w.through(&lost{suffix: "/replace"}, w.store)
	if _, err := agent.Apply(t.Context(), w.plan()); err != nil {
		t.Fatal(err)
	}
	for _, wait := range []time.Duration{time.Minute, env.TrustWindow} {
		if err := w.sleep(t.Context(), wait); err != nil {
			t.Fatal(err)
		}
		if wait == time.Minute {
			w.addByHand("customers", 500)
		}
	}
	w.agent = w.newAgent()
	for run, want := range []int{1, 0} {
		recovered, err := w.agent.Recover(t.Context())
		if err != nil || len(recovered.Undecided) != want {
			t.Fatalf("recovery %d = %+v, %v; want %d undecided", run+1, recovered, err, want)
		}
		if err := w.sleep(t.Context(), time.Minute); err != nil {
			t.Fatal(err)
		}
	}
}

// A7: an operation somebody else cancels ends as failed. The list before it
// counts on, so that the next plan asks for it again.
func TestA7CancelledOperationFailsAtItsRow(t *testing.T) {
	w := newWorld(t)
	w.audience("customers", 0, 100)
	w.clean()
	w.audience("customers", 100, 150, "members.do", "add")
	view := w.plan()
	agent := w.through(&cancelling{w: w}, w.store)
	report, err := agent.Apply(t.Context(), view)
	if err != nil {
		t.Fatal(err)
	}
	o := report.Outcomes[0]
	if o.Outcome != state.OutcomeFailed || !strings.Contains(o.Message, "ended the operation as failed") {
		t.Errorf("outcome is %s %q; want failed", o.Outcome, o.Message)
	}
	w.clean()
	if n := w.matched("customers"); n != 150 {
		t.Errorf("%d people are in the audience once it went again; want 150", n)
	}
}

// cancelling cancels each operation as soon as it was accepted.
type cancelling struct{ w *world }

func (c *cancelling) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := http.DefaultTransport.RoundTrip(r)
	if err == nil && r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/add") {
		id := strings.Split(r.URL.Path, "/")[3]
		all := c.w.service.Must(c.w.t, "GET", "/custom_audiences/"+id+"/operations", nil).Map(c.w.t)["data"].([]any)
		operation := all[0].(map[string]any)["operation_id"].(string)
		c.w.service.Must(c.w.t, "POST", "/custom_audiences/"+id+"/operations/"+operation+"/cancel", nil)
	}
	return response, err
}

// X15: of the people in a list the state holds counts and a digest, and nothing
// of a request that a step was sent with, even while it is open.
func TestX15StateHoldsNobody(t *testing.T) {
	w := newWorld(t)
	w.audience("customers", 0, 50)
	w.clean()
	w.audience("customers", 50, 60, "members.do", "add")
	agent := w.through(&lost{suffix: "/add"}, w.store)
	if _, err := agent.Apply(t.Context(), w.plan()); err != nil {
		t.Logf("apply: %v", err)
	}
	open, err := w.store.Open(t.Context())
	if err != nil || len(open) == 0 {
		t.Fatalf("%d steps are open, %v; want the operation whose answer was lost", len(open), err)
	}
	for _, step := range open {
		for _, content := range w.people {
			for hash := range strings.Lines(content) {
				if strings.Contains(string(step.Body), strings.TrimSpace(hash)) {
					t.Fatalf("step %s holds the hash of a person", step.ID)
				}
			}
		}
	}
}

// lost drops the answers of requests whose path ends so, after the service acted.
type lost struct {
	suffix string
	count  int
}

func (l *lost) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := http.DefaultTransport.RoundTrip(r)
	if err == nil && r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, l.suffix) {
		l.count++
		_ = response.Body.Close()
		return nil, errCrash
	}
	return response, err
}

// A6, N3: an operation whose answer was lost goes again under its key, and is
// done once.
func TestA6LostAnswerOfAnOperationIsFoundUnderItsKey(t *testing.T) {
	w := newWorld(t)
	w.audience("customers", 0, 100)
	w.clean()
	w.audience("customers", 100, 150, "members.do", "add")
	agent := w.through(&lost{suffix: "/add"}, w.store)
	report, err := agent.Apply(t.Context(), w.plan())
	if err != nil || outcomes(report)["audience/customers"] != state.OutcomeUnknown {
		t.Fatalf("apply: %v, %v; want unknown", outcomes(report), err)
	}
	w.agent = w.newAgent()
	recovered, err := w.agent.Recover(t.Context())
	if err != nil || recovered.Finished != 1 || len(recovered.Undecided) != 0 {
		t.Fatalf("Recover = %+v, %v", recovered, err)
	}
	if again := w.plan().Plan; len(again.Changes) != 0 || w.matched("customers") != 150 {
		t.Errorf("%d people are in, and the plan is %s; want 150 and nothing", w.matched("customers"), describe(again))
	}
	if n := w.operations(); n != 1 {
		t.Errorf("the service has %d operations; want one", n)
	}
}

// operations counts what the service accepted on the audience of these tests.
func (w *world) operations() int {
	w.t.Helper()
	reply := w.service.Must(w.t, "GET", "/custom_audiences/"+w.last("audience/customers").ID+"/operations",
		nil).Map(w.t)
	return len(reply["data"].([]any))
}

// A6: where the key is too old to be trusted, the revision decides. It has moved,
// so that nothing is sent again before a person has said so.
func TestA6LostAnswerOfLongAgoIsHeldForAPerson(t *testing.T) {
	w := newWorld(t)
	w.audience("customers", 0, 100)
	w.clean()
	w.audience("customers", 100, 150, "members.do", "add")
	agent := w.through(&lost{suffix: "/add"}, w.store)
	if _, err := agent.Apply(t.Context(), w.plan()); err != nil {
		t.Fatal(err)
	}
	if err := w.sleep(t.Context(), 2*env.TrustWindow); err != nil {
		t.Fatal(err)
	}
	w.agent = w.newAgent()
	recovered, err := w.agent.Recover(t.Context())
	if err != nil || recovered.Abandoned != 1 {
		t.Fatalf("Recover = %+v, %v", recovered, err)
	}
	report := w.apply()
	if got := outcomes(report)["audience/customers"]; got != apply.OutcomeHeld || w.operations() != 1 {
		t.Errorf("the operation is %s, and the service has %d; want it held, and one", got, w.operations())
	}
}
