package state

import (
	"strings"
	"testing"

	"adsync/internal/testing/pgtest"
)

func TestAnAcceptedStateGivesNoNumberAgain(t *testing.T) {
	address := pgtest.Database(t)
	server := openServer(t, address)
	s := openAccount(t, server)
	before, err := s.NextSequence(t.Context())
	must(t, err)
	must(t, s.Record(t.Context(), ads(0, 3)))
	must(t, s.Close())
	must(t, server.Close())
	must(t, pgtest.Exec(address, `UPDATE adsync.head SET timeline = timeline - 1`)) // as after a promotion

	server = openServer(t, address)
	_, err = server.Open(t.Context(), acme.ID, options())
	wantError(t, "Open", err, ErrLost)
	_, err = server.Accept(t.Context(), "act_2", "anna", options())
	wantError(t, "Accept of another account", err, ErrNone)
	h, err := server.Accept(t.Context(), acme.ID, "anna", options())
	must(t, err)
	s = openAccount(t, server)
	same(t, "header", s.Header(), h)
	after, err := s.NextSequence(t.Context())
	must(t, err)
	if after <= before+mostLost {
		t.Errorf("the next number is %d after %d; want one that was given to nobody", after, before)
	}
	runs, err := s.Runs(t.Context(), 1)
	must(t, err)
	if len(runs) != 1 || !strings.HasPrefix(runs[0].ID, AcceptPrefix) || !strings.Contains(runs[0].Summary, "by anna") {
		t.Errorf("the runs are %+v; want who accepted it", runs)
	}
	last, err := s.Last(t.Context())
	must(t, err)
	same(t, "resources", last.Len(), 3)
	_, err = server.Accept(t.Context(), acme.ID, "anna", options())
	wantError(t, "Accept of a state that is open", err, ErrLocked)
}
