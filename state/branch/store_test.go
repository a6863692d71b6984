package branch

import (
	"strings"
	"testing"
	"time"

	"adsync/internal/gitstore"
	"adsync/internal/resource"
	"adsync/state"
)

// sent moves a step to sent, at a moment of the run.
func sent(t *testing.T, s *Store, id string, at time.Time) error {
	t.Helper()
	return s.Move(t.Context(), id, state.Sent, state.Update{SentAt: at})
}

// wantOnBranch holds that the branch has a step as sent, with its bytes and its key.
func (h *hub) wantOnBranch(t *testing.T, want state.Step) {
	t.Helper()
	got := h.left(t)[want.ID]
	if got.Point != state.Sent || got.Key != want.Key || string(got.Body) != string(want.Body) {
		t.Errorf("the branch has step %s at %q with key %q and body %q; want it sent with %q and %q",
			want.ID, got.Point, got.Key, got.Body, want.Key, want.Body)
	}
}

func TestAWaveIsPushedOnceBeforeItsFirstRequest(t *testing.T) {
	h, c := begun(t)
	s := h.open(t, c)
	wave := []state.Step{step("1", "a", "first"), step("2", "b", "second"), step("3", "c", "third")}
	must(t, s.Begin(t.Context(), wave...))
	if n := h.pushes("journal"); n != 0 {
		t.Errorf("%d pushes before anything is sent; want none", n)
	}
	for _, one := range wave {
		must(t, sent(t, s, one.ID, morning))
		h.wantOnBranch(t, one)
	}
	if n := h.pushes("journal"); n != 1 {
		t.Errorf("%d pushes for a wave of three; want one", n)
	}
	again := step("1+1", "d", "first") // a repetition has a key of its own
	must(t, s.Begin(t.Context(), again))
	must(t, sent(t, s, again.ID, morning))
	h.wantOnBranch(t, again)
	if n := h.pushes("journal"); n != 2 {
		t.Errorf("%d pushes with a new key; want two", n)
	}
}

func TestAnnouncedStepsGoWithTheFirst(t *testing.T) {
	h, c := begun(t)
	s := h.open(t, c)
	wave := []state.Step{step("1", "a", "first"), step("2", "b", "second"), step("3", "c", "third")}
	must(t, s.Announce(t.Context(), wave...))
	for _, one := range wave[:2] {
		must(t, s.Begin(t.Context(), one))
		must(t, sent(t, s, one.ID, morning))
		h.wantOnBranch(t, one)
	}
	h.wantOnBranch(t, wave[2])
	if n := h.pushes("journal"); n != 1 {
		t.Errorf("%d pushes for an announced wave; want one", n)
	}
	fewer := step("3", "c", "fewer") // newer files have taken something back
	must(t, s.Begin(t.Context(), fewer))
	must(t, sent(t, s, fewer.ID, morning))
	h.wantOnBranch(t, fewer)
	must(t, s.Close())
	if left := h.left(t); left["3"].Point != state.Sent || len(left) != 3 {
		t.Errorf("after the end the branch has %v; want the three steps", left)
	}
}

// A moment of sending on the branch that is much older than that of the request would have recovery take a job that
// may still run for one that is over.
func TestAJournalThatIsOldIsPushedAgain(t *testing.T) {
	h, c := begun(t)
	s := h.open(t, c)
	must(t, s.Begin(t.Context(), step("1", "a", "first"), step("2", "b", "second"), step("3", "c", "third")))
	must(t, sent(t, s, "1", morning))
	must(t, sent(t, s, "2", morning.Add(fresh-time.Second)))
	late := morning.Add(fresh + time.Second)
	must(t, sent(t, s, "3", late))
	if n := h.pushes("journal"); n != 2 {
		t.Errorf("%d pushes; want one more for what is sent late", n)
	}
	left := h.left(t)
	if got := left["1"].SentAt; !got.Equal(morning) {
		t.Errorf("the first step was sent at %s; want %s", got, morning)
	}
	if got := left["3"].SentAt; !got.Equal(late) {
		t.Errorf("the last step was sent at %s; want %s", got, late)
	}
}

// What is sent without a step, such as a verb, stands in the history before.
func TestARunWithoutAPlanIsPushedAsItBegins(t *testing.T) {
	h, c := begun(t)
	s := h.open(t, c)
	must(t, s.RecordRun(t.Context(), state.Run{ID: "run-1", Started: morning, PlanHash: "1"}))
	if n := h.pushes("journal"); n != 0 {
		t.Errorf("%d pushes for a run whose steps are pushed; want none", n)
	}
	must(t, s.RecordRun(t.Context(), state.Run{ID: "direct-1", Started: morning, Summary: "unknown"}))
	reader, err := h.runner(t).OpenReadOnly(t.Context())
	must(t, err)
	runs, err := reader.Runs(t.Context(), 0)
	must(t, err)
	if n := h.pushes("journal"); n != 1 || len(runs) != 2 {
		t.Errorf("%d pushes, and the branch has %v; want one, with both runs", n, runs)
	}
	h.away = -1
	wantError(t, "RecordRun without the repository",
		s.RecordRun(t.Context(), state.Run{ID: "direct-2", Started: morning}), state.ErrAway)
}

func TestNothingIsSentThatTheBranchDoesNotHold(t *testing.T) {
	h, c := begun(t)
	s := h.open(t, c)
	must(t, s.Begin(t.Context(), step("1", "a", "first")))
	h.away = -1
	wantError(t, "Move to sent without the repository", sent(t, s, "1", morning), state.ErrAway, "cannot be written")
	open, err := s.Store.Open(t.Context())
	must(t, err)
	if len(open) != 1 || open[0].Point != state.Intent {
		t.Errorf("the step stands at %q; want intent", open[0].Point)
	}
	h.away = 0
	must(t, sent(t, s, "1", morning))
	h.wantOnBranch(t, open[0])
}

func TestAPushThatTakesTwoTriesIsMadeOnce(t *testing.T) {
	h, c := begun(t)
	s := h.open(t, c)
	must(t, s.Begin(t.Context(), step("1", "a", "first")))
	h.lost = 1 // it arrives, and its answer does not
	must(t, sent(t, s, "1", morning))
	h.wantOnBranch(t, step("1", "a", "first"))
	h.away = 2
	must(t, s.Close())
	if got := h.left(t)["1"].Point; got != state.Sent {
		t.Errorf("after the end the step stands at %q; want sent", got)
	}
	if locked, err := h.runner(t).Locked(t.Context()); locked != nil || err != nil {
		t.Errorf("after the end: %v, %v; want no lock", locked, err)
	}
}

func TestAnEndThatCannotBePushedIsAnError(t *testing.T) {
	h, c := begun(t)
	s := h.open(t, c)
	must(t, s.Record(t.Context(), []state.Applied{{Address: address("campaign/a"), ID: "1"}}))
	h.away = -1
	wantError(t, "Close", s.Close(), state.ErrAway, "is not on the branch", "finds it out at the service")
	h.away = 0
	if _, err := h.runner(t).Open(t.Context(), state.Options{Now: c.now}); err == nil {
		t.Error("the account is free although its run did not end; want it locked")
	}
}

func TestTheNextRunHasWhatTheLastLeft(t *testing.T) {
	h, c := begun(t)
	s := h.open(t, c)
	bound := state.Account{ID: "act_1", Currency: "EUR", TimeZone: "Europe/Berlin"}
	must(t, s.Bind(t.Context(), bound))
	var set resource.Attributes
	set.Set("name", resource.Text(`a "name"`))
	must(t, s.Record(t.Context(), []state.Applied{{Address: address("campaign/a"), ID: "1", Attributes: set}}))
	first, err := s.NextSequence(t.Context())
	must(t, err)
	must(t, s.Close())
	next := h.open(t, c)
	last, err := next.Last(t.Context())
	must(t, err)
	if r := last.Get(address("campaign/a")); r == nil || r.ID != "1" || r.Value("name").Text() != `a "name"` {
		t.Errorf("the next run has %v; want the campaign", r)
	}
	if next.TakenOver() || next.Header().Account != bound {
		t.Errorf("the next run has the account %s, taken over %t; want %s, given back",
			next.Header().Account, next.TakenOver(), bound)
	}
	second, err := next.NextSequence(t.Context())
	must(t, err)
	if second != first+1 {
		t.Errorf("the next number is %d after %d; want the next one", second, first)
	}
}

// What a run that died has given since its last push is not known: no number is given again.
func TestNumbersOfARunThatDiedAreNotGivenAgain(t *testing.T) {
	h, c := begun(t)
	dead := h.open(t, c)
	must(t, dead.Begin(t.Context(), step("1", "a", "first")))
	must(t, sent(t, dead, "1", morning))
	var given int64
	for range 5 {
		var err error
		given, err = dead.NextSequence(t.Context())
		must(t, err)
	}
	c.Time = c.Add(lasts + 2*apart)
	next := h.open(t, c)
	if !next.TakenOver() {
		t.Error("the run after a dead one takes nothing over; want it to")
	}
	number, err := next.NextSequence(t.Context())
	must(t, err)
	if number <= given {
		t.Errorf("the next number is %d, and %d was given before", number, given)
	}
}

func TestOfTwoRunsOneGetsTheAccount(t *testing.T) {
	h, c := begun(t)
	first := h.open(t, c)
	_, err := h.runner(t).Open(t.Context(), state.Options{Now: c.now})
	wantError(t, "Open of an account that is taken", err, state.ErrLocked,
		"run "+first.lock.Owner, "adsync apply", "adsync unlock --owner "+first.lock.Owner)
	must(t, first.Close())

	var faster *Store
	h.moving = func() { faster = h.open(t, c) }
	_, err = h.runner(t).Open(t.Context(), state.Options{Now: c.now})
	wantError(t, "Open of an account that somebody takes at the same moment", err, state.ErrLocked,
		"run "+faster.lock.Owner)
	must(t, faster.Begin(t.Context(), step("1", "a", "first")))
	must(t, sent(t, faster, "1", morning))
}

func TestARunThatLostItsLockSendsNothing(t *testing.T) {
	h, c := begun(t)
	slow := h.open(t, c)
	must(t, slow.Begin(t.Context(), step("1", "a", "first")))
	must(t, sent(t, slow, "1", morning))
	must(t, slow.Valid())
	c.Time = c.Add(lasts - apart/2)
	wantError(t, "Valid right before the lock ends", slow.Valid(), state.ErrLocked, "not renewed in time")
	_, err := h.runner(t).Open(t.Context(), state.Options{Now: c.now})
	wantError(t, "Open right before the lock ends", err, state.ErrLocked)
	c.Time = c.Add(2 * apart)
	next := h.open(t, c)
	stood := h.at
	c.Time = c.Add(-3 * apart) // the clock of the first is slow
	must(t, slow.Begin(t.Context(), step("2", "b", "second")))
	wantError(t, "Move to sent after another took over", sent(t, slow, "2", morning), state.ErrLocked,
		"lost the account", "run "+next.lock.Owner)
	wantError(t, "Valid after another took over", slow.Valid(), state.ErrLocked)
	wantError(t, "Close after another took over", slow.Close(), state.ErrLocked)
	if h.at != stood {
		t.Error("the branch moved; want it as the other run left it")
	}
}

func TestALockIsPutOffAndBroken(t *testing.T) {
	h, c := begun(t)
	s := h.open(t, c)
	c.Time = c.Add(renew + time.Second)
	s.renew(t.Context())
	if n := h.pushes("run "); n != 1 || !s.lock.Expires.Equal(c.Add(lasts)) {
		t.Errorf("%d pushes, and the lock ends at %s; want one, and %s", n, s.lock.Expires, c.Add(lasts))
	}
	s.renew(t.Context())
	if n := h.pushes("run "); n != 1 {
		t.Errorf("%d pushes for a lock that is fresh; want no more", n)
	}
	err := h.runner(t).Unlock(t.Context(), "somebody")
	if err == nil || !strings.Contains(err.Error(), "not locked by") {
		t.Errorf("Unlock of another run = %v; want it refused", err)
	}
	must(t, h.runner(t).Unlock(t.Context(), s.lock.Owner))
	must(t, s.Begin(t.Context(), step("1", "a", "first")))
	wantError(t, "Move to sent after the lock was broken", sent(t, s, "1", morning), state.ErrLocked)
}

func TestABranchIsNeverBegunByItself(t *testing.T) {
	h, c := newHub(), &clockwork{morning}
	o := state.Options{Now: c.now}
	_, err := h.runner(t).Open(t.Context(), o)
	wantError(t, "Open of no branch", err, state.ErrNone, "adsync state begin")
	noted := ""
	reader := h.runner(t)
	reader.Notice = func(text string) { noted = text }
	s, err := reader.OpenReadOnly(t.Context())
	must(t, err)
	if s.Header().Lineage != "" || !strings.Contains(noted, "is not there") {
		t.Errorf("no branch is read as lineage %q with the note %q; want an empty state, and it said",
			s.Header().Lineage, noted)
	}
	h.away = -1
	_, err = h.runner(t).Open(t.Context(), o)
	wantError(t, "Open without the repository", err, state.ErrAway, "not taken for an empty one")
	_, err = h.runner(t).OpenReadOnly(t.Context())
	wantError(t, "OpenReadOnly without the repository", err, state.ErrAway)
	wantError(t, "Begin without the repository", h.runner(t).Begin(t.Context(), o), state.ErrAway)
	h.away = 0
	must(t, h.runner(t).Begin(t.Context(), o))
	if err := h.runner(t).Begin(t.Context(), o); err == nil || !strings.Contains(err.Error(), "there already") {
		t.Errorf("a second Begin = %v; want it refused", err)
	}
	h.at = ""
	h.moving = func() { must(t, h.runner(t).Begin(t.Context(), o)) }
	wantError(t, "Begin where another was faster", h.runner(t).Begin(t.Context(), o), gitstore.ErrRaced)
}
