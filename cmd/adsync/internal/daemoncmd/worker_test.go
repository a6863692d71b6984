package daemoncmd

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"adsync/cmd/adsync/internal/session"
	"adsync/internal/daemon"
	"adsync/internal/eyes"
	"adsync/internal/gitstore"
	"adsync/internal/orders"
	"adsync/plan"
	"adsync/reconcile"
	"adsync/state"
)

// An approval is good for a day, and not for longer where the clock was put back since
// it was given.
func TestAnApprovalIsGoodForADay(t *testing.T) {
	for ago, want := range map[time.Duration]bool{
		time.Minute: true, 23 * time.Hour: true, 25 * time.Hour: false, 400 * 24 * time.Hour: false,
		-30 * time.Minute: true, -2 * time.Hour: false, -400 * 24 * time.Hour: false,
	} {
		at := &session.Lease{Place: orders.Folder(t.TempDir())}
		asked := plan.Ask{
			Hazard: plan.Activates, Allow: "activates=campaign/x",
			Parts: []plan.Part{{Address: "campaign/x", Field: "status"}},
		}
		given := time.Now().Add(-ago)
		noError(t, at.Approve(daemon.Approval{
			PlanHash: "c0ffee", Allow: []string{"activates=campaign/x"},
			Asks: []plan.Ask{asked}, Lineage: "l", Serial: 7, By: "ann", Time: given,
		}))
		// of an earlier version
		noError(t, at.Approve(daemon.Approval{
			PlanHash: "c0ffee", Allow: []string{"activates"}, By: "bob", Time: given,
		}))
		w := &worker{env: &session.Env{}, orders: at}
		var desired reconcile.Desired
		_, err := w.approved(t.Context(), "", &desired, plan.Policy{ApprovalExpires: 24 * 60}, nil)
		noError(t, err)
		if got := len(desired.Consents) == 1; got != want {
			t.Errorf("an approval given %s ago is good: %t; want %t", ago, got, want)
		}
		if got := desired.Consents; want && (got[0].By != "ann" ||
			got[0].Serial != 7 || got[0].Lineage != "l" || len(got[0].Parts) != 1) || len(desired.Bound) != 0 {
			t.Errorf("consents are %+v, bound %+v; want that of ann as it was given, and no other", got, desired.Bound)
		}
		desired = reconcile.Desired{}
		_, err = w.approved(t.Context(), "", &desired, plan.Policy{ApprovalExpires: 2 * 60}, nil)
		noError(t, err)
		if got, want := len(desired.Consents) == 1, want && ago < 2*time.Hour; got != want {
			t.Errorf("an approval given %s ago is good where it expires after 2 hours: %t; want %t", ago, got, want)
		}
	}
}

// G1: a server of git that asks to be left alone for a while is, as the service is.
// What a process that is gone sent last may come late: whoever takes its account over reads it again a minute later,
// and leaves no run out until then.
func TestAnAccountThatWasTakenOverIsReadAgain(t *testing.T) {
	began := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	thaws := began.Add(30 * time.Second)
	var r rereading
	for _, row := range []struct {
		name      string
		after     time.Duration
		takenOver bool
		wants     bool
		until     time.Time // with a window that ends in 30 s
	}{
		{"a run as any other", 0, false, false, thaws},
		{"a run that takes it over", time.Second, true, true, thaws},
		{"another before the time", 50 * time.Second, false, true, thaws},
		{"one after the time", 62 * time.Second, false, false, thaws},
		{"it is taken over again", 2 * time.Minute, true, true, thaws},
	} {
		r.opened(began.Add(row.after), row.takenOver)
		if r.wants() != row.wants || !r.until(thaws).Equal(row.until) {
			t.Errorf("%s: wants %t, until %s; want %t, %s", row.name, r.wants(), r.until(thaws), row.wants, row.until)
		}
	}
	if at := r.until(time.Time{}); !at.Equal(began.Add(3 * time.Minute)) {
		t.Errorf("it is read again at %s; want a minute after it was taken over", at)
	}
}

func TestAServerOfGitIsLeftAloneForAsLongAsItAsks(t *testing.T) {
	w := &worker{env: &session.Env{}}
	r := w.failed(t.Context(), daemon.Revision{}, session.GitExit(&gitstore.Error{
		Class: gitstore.Transient, RetryAfter: 7 * time.Minute,
	}))
	if r.Class != daemon.Transient || r.After != 7*time.Minute {
		t.Errorf("the run ends %s, and waits %s; want transient, and 7m", r.Class, r.After)
	}
	if r := w.failed(t.Context(), daemon.Revision{}, errors.New("else")); r.After != 0 {
		t.Errorf("another error waits %s; want none", r.After)
	}
}

// Who approves much at once writes a long line: it is read, and so is what comes after it.
func TestALongApprovalIsRead(t *testing.T) {
	at := &session.Lease{Place: orders.Folder(t.TempDir())}
	long := daemon.Approval{PlanHash: "c0ffee", By: "ann", Time: time.Now()}
	for i := range 3000 {
		long.Allow = append(long.Allow, fmt.Sprintf("drift=campaign/one-of-very-many-%d", i))
	}
	noError(t, at.Approve(long))
	noError(t, at.Approve(daemon.Approval{PlanHash: "beef", Allow: []string{"activates"}, By: "bob", Time: time.Now()}))
	all, err := at.Approvals()
	noError(t, err)
	if len(all) != 2 || len(all[0].Allow) != 3000 || all[1].By != "bob" {
		t.Errorf("%d approvals are read; want both", len(all))
	}
}

// In the run itself it is decided whose yes counts: of a raise that a pull request of ann's brought, anna's does not,
// who is ann at the forge, and ben's does; nor does that of a program, nor any by an approval of before they proved it.
func TestARunDecidesWhoseYesCounts(t *testing.T) {
	store, err := state.NewMemory(state.Options{})
	noError(t, err)
	asked := plan.Ask{Hazard: plan.RaisesSpend, Allow: "raises-spend=campaign/x",
		Parts: []plan.Part{{Address: "campaign/x", Field: "budget.daily", After: "200", Before: "80"}}}
	policy := plan.Policy{ApprovalExpires: 60, NotAuthor: eyes.Of("raises")}
	for _, row := range []struct {
		who    *eyes.Who
		policy plan.Policy
		want   int
	}{
		{&eyes.Who{Name: "anna", Login: "ann"}, policy, 0},
		{&eyes.Who{Name: "ben"}, policy, 0}, // who may be ann at the forge
		{&eyes.Who{Name: "ben", Login: "ben-gh"}, policy, 1},
		{nil, policy, 0},
		{nil, plan.Policy{ApprovalExpires: 60}, 1},
		{nil, plan.Policy{ApprovalExpires: 60, NotAuthor: eyes.Of("archives")}, 1},
	} {
		at := &session.Lease{Place: orders.Folder(t.TempDir())}
		lineage := store.Header().Lineage
		noError(t, eyes.Note(at.Place, eyes.Wrote{Time: time.Now(), By: []eyes.Who{{Login: "ann"}}, Lineage: lineage,
			Keys: []string{asked.Parts[0].Key(asked.Hazard)}}))
		noError(t, at.Approve(daemon.Approval{Asks: []plan.Ask{asked}, Allow: []string{asked.Allow}, Lineage: lineage,
			By: "somebody", Who: row.who, Time: time.Now()}))
		var desired reconcile.Desired
		w := &worker{env: &session.Env{}, orders: at}
		_, err := w.approved(t.Context(), "", &desired, row.policy, store)
		noError(t, err)
		if len(desired.Consents) != row.want {
			t.Errorf("%v, %v: %d consents; want %d", row.who, row.policy.NotAuthor, len(desired.Consents), row.want)
		}
	}
}
