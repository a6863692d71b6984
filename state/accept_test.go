package state

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
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
	_, err = server.Accept(t.Context(), "act_2", "anna", options(), nil)
	wantError(t, "Accept of another account", err, ErrNone)
	h, err := server.Accept(t.Context(), acme.ID, "anna", options(), nil)
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
	_, err = server.Accept(t.Context(), acme.ID, "anna", options(), nil)
	wantError(t, "Accept of a state that is open", err, ErrLocked)
}

// A state in a database is removed after its export alone, and nobody opens it meanwhile.
func TestAnAccountIsRemovedAfterItsExportAlone(t *testing.T) {
	address := pgtest.Database(t)
	server, other := openServer(t, address), openServer(t, address)
	s := openAccount(t, server)
	must(t, s.Record(t.Context(), ads(0, 3)))
	want, _ := everything(t, s)
	must(t, s.Close())
	refuses := errors.New("refused")
	yes := func(Store) error { return nil }
	retire := func(dir string, look func(Store) error, export func() error) error {
		return server.Retire(t.Context(), acme.ID, dir, Options{}, look, export)
	}
	err := retire(t.TempDir(), func(Store) error { return refuses }, func() error { panic("exported") })
	wantError(t, "Retire that is refused", err, refuses)
	err = retire(t.TempDir(), yes, func() error { return refuses })
	wantError(t, "Retire whose export fails", err, refuses)
	got, _ := everything(t, openAccount(t, other))
	same(t, "records", got, want)
	err = retire(t.TempDir(), yes, func() error { return nil })
	wantError(t, "Retire of a state that is open", err, ErrLocked)
	must(t, other.Close())

	other = openServer(t, address)
	dir := filepath.Join(t.TempDir(), "copy")
	must(t, os.Mkdir(dir, 0o700))
	must(t, retire(dir, yes, func() error {
		_, err := other.Open(t.Context(), acme.ID, Options{})
		wantError(t, "Open meanwhile", err, ErrLocked)
		return nil
	}))
	got, _ = everything(t, openFolder(t, dir))
	same(t, "records in the folder", got, want)
	wantError(t, "Retire of nothing", retire(t.TempDir(), yes, nil), fs.ErrNotExist)
	s = openAccount(t, other)
	if last, err := s.Last(t.Context()); err != nil || last.Len() != 0 {
		t.Errorf("the next state has %d resources, %v; want none", last.Len(), err)
	}
}
