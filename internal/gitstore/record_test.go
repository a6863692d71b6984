package gitstore

import (
	"errors"
	"testing"

	"adsync/state/kv"
)

// whereAccepted is the file with what was accepted.
func whereAccepted(s *Store) string { return s.config.Records.Where(s.recordName()) }

// Machines that follow one source keep what was accepted in one place: what one accepted counts for the next, which
// has fetched nothing yet.
func TestMachinesShareWhatWasAccepted(t *testing.T) {
	u := filled(t)
	u.write("ads/autumn.yaml", "kind: campaign\n")
	accepted := u.push("accepted")
	records := kv.Folder{Dir: t.TempDir()}
	machine := func() *Store { return opened(t, Config{URL: u.bare, Ref: "main", Records: records}) }
	first, second := machine(), machine()
	if r := fetched(t, first); r.Movement != firstSeen || r.Commit != accepted {
		t.Errorf("the first fetch of the first machine is %+v; want %s, first", r, accepted)
	}
	if r := fetched(t, second); r.Movement != unmoved || r.Accepted != accepted {
		t.Errorf("the first fetch of the second machine is %+v; want it to know %s", r, accepted)
	}
	next := u.push("next")
	if r := fetched(t, second); r.Movement != fastForward || r.Accepted != accepted {
		t.Errorf("the next fetch of the second machine is %+v; want %s, forward", r, next)
	}
	if r := fetched(t, first); r.Movement != unmoved || r.Accepted != next {
		t.Errorf("the next fetch of the first machine is %+v; want it to know %s", r, next)
	}

	u.git("reset", "-q", "--hard", "HEAD~1")
	u.git("push", "-q", "--force", "origin", "main")
	for name, row := range map[string]struct {
		store *Store
		moved Movement
		says  string
	}{
		"one that fetched what was accepted": {first, rewind, "went back: it stands at"},
		"one that did not":                   {machine(), elsewhere, "went back or was rewritten: it stands at"},
	} {
		r, err := row.store.Fetch(t.Context())
		wantError(t, err, Held, row.says, next[:12])
		if r.Movement != row.moved || r.Accepted != next {
			t.Errorf("%s says %+v; want %s after %s", name, r, row.moved, next)
		}
	}
	third := machine()
	r, err := third.Fetch(t.Context())
	wantError(t, err, Held, "want somebody to accept")
	must(t, third.Accept(t.Context(), r))
	if r := fetched(t, first); r.Movement != unmoved || r.Commit != accepted {
		t.Errorf("after somebody accepted it at one machine another says %+v; want %s, same", r, accepted)
	}
}

// Where what was accepted is on another machine a commit waits for somebody, as a first one does for its signature.
func TestAMachineWithoutWhatWasAcceptedWantsASignature(t *testing.T) {
	s := signingBy(t)
	s.by("ann", "accepted")
	s.pushMain()
	c := s.store.config
	c.Records = kv.Folder{Dir: t.TempDir()}
	fetched(t, opened(t, c))
	for by, want := range map[string]struct {
		class Class
		says  string
	}{"": {Input, "is not signed"}, "ann": {Held, "want somebody to accept"}} {
		s.git("reset", "-q", "--hard", "HEAD~1")
		s.by(by, "put otherwise")
		s.pushMain()
		c.Dir = t.TempDir()
		_, err := opened(t, c).Fetch(t.Context())
		wantError(t, err, want.class, want.says)
	}
}

// What this machine accepted before there was a place for all counts until there is something in that.
func TestTheOwnRecordCountsUntilThereIsASharedOne(t *testing.T) {
	u := filled(t)
	c := Config{URL: u.bare, Ref: "main", Dir: t.TempDir()}
	accepted := fetched(t, opened(t, c)).Commit
	u.push("put otherwise", "--amend")
	c.Records = kv.Folder{Dir: t.TempDir()}
	s := opened(t, c)
	r, err := s.Fetch(t.Context())
	wantError(t, err, Held, "was rewritten")
	must(t, s.Accept(t.Context(), r))
	if r := fetched(t, s); r.Movement != unmoved || r.Accepted == accepted {
		t.Errorf("after it was accepted %+v; want it to be so in the shared place", r)
	}
}

func TestWhatWasAcceptedCannotBeAsked(t *testing.T) {
	u := filled(t)
	s := opened(t, Config{URL: u.bare, Ref: "main", Records: kv.Unreachable{Err: errors.New("the database is away")}})
	_, err := s.Fetch(t.Context())
	wantError(t, err, Transient, "which says what was accepted last", "the database is away")
}
