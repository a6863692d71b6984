package state

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"adsync/internal/testing/pgtest"
)

// places are the two a test copies between.
type places struct {
	t      *testing.T
	dir    string
	server *Server
}

func newPlaces(t *testing.T) places {
	t.Helper()
	return places{t, filepath.Join(t.TempDir(), "state"), openServer(t, pgtest.Database(t))}
}

func (p places) folder() End   { return endIn(p.t, p.dir) }
func (p places) database() End { return p.server.InDatabase(acme.ID) }

func endIn(t testing.TB, dir string) End {
	t.Helper()
	e, err := InFolder(dir)
	must(t, err)
	return e
}

func copied(t *testing.T, from, to End) Copied {
	t.Helper()
	c, err := Copy(t.Context(), from, to, acme.ID, alone, Options{})
	if err != nil {
		t.Fatalf("Copy(%s, %s) = %v, want a copy", from, to, err)
	}
	return c
}

// alone is of a state with nothing beside it.
func alone() error { return nil }

// everything is what a state holds, its own place left out.
func everything(t testing.TB, s Store) (string, int64) {
	t.Helper()
	var l *ledger
	switch s := s.(type) {
	case *held:
		l = s.ledger
	case *leased:
		l = s.ledger
	}
	var lines []string
	for r := range l.sums {
		if r.class != classPlace {
			value, err := l.engine.read(r)
			must(t, err)
			lines = append(lines, fmt.Sprintf("%s %q %q\n", r.class, r.key, value))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, ""), l.header.Serial
}

func TestACopyHasEveryRecordAndTheLineage(t *testing.T) {
	p := newPlaces(t)
	s := openFolder(t, p.dir)
	must(t, s.Bind(t.Context(), acme))
	must(t, s.Record(t.Context(), ads(0, 1200)))
	must(t, s.Begin(t.Context(), job("1", 300)))
	must(t, s.Move(t.Context(), "1", Sent, Update{SentAt: morning}))
	must(t, s.RecordRun(t.Context(), Run{ID: "run-1", Started: morning}))
	must(t, s.RecordReport(t.Context(), "run-1", []byte("head"), written(strings.Repeat("\x00\xffreport", 5000))))
	want, serial := everything(t, s)
	lineage := s.Header().Lineage
	open, err := s.Open(t.Context())
	must(t, err)
	must(t, s.Close())

	for round := range 3 { // to the database and back, over what was left there
		c := copied(t, p.folder(), p.database())
		if c.Open != 1 || c.Header.Lineage != lineage || c.Header.Account != acme || c.Before {
			t.Fatalf("Copy = %+v; want one open step of lineage %s", c, lineage)
		}
		_, err = Open(t.Context(), p.dir, options())
		wantError(t, "Open of the folder", err, ErrMoved)
		if !strings.Contains(err.Error(), "state was copied to the database test_") {
			t.Errorf("the error is %q; want where the state is", err)
		}
		_, err = OpenReadOnly(t.Context(), p.dir)
		wantError(t, "OpenReadOnly of the folder", err, ErrMoved)
		a := openAccount(t, p.server)
		got, now := everything(t, a)
		same(t, "records in the database", got, want)
		if now != serial+2 { // the commit that closed the folder, and the copy
			t.Errorf("round %d: the database is at commit %d; want %d", round, now, serial+2)
		}
		steps, err := a.Open(t.Context())
		must(t, err)
		same(t, "open steps", steps, open)
		must(t, a.RecordFile(t.Context(), "here", strconv.Itoa(round)))
		want, _ = everything(t, a)
		must(t, a.Close())

		copied(t, p.database(), p.folder())
		_, err = p.server.Open(t.Context(), acme.ID, options())
		wantError(t, "Open in the database", err, ErrMoved)
		_, err = p.server.OpenReadOnly(t.Context(), acme.ID)
		wantError(t, "OpenReadOnly in the database", err, ErrMoved)
		s = openFolder(t, p.dir)
		got, now = everything(t, s)
		same(t, "records in the folder", got, want)
		must(t, s.RecordFile(t.Context(), "there", strconv.Itoa(round)))
		want, serial = everything(t, s)
		if now >= serial {
			t.Errorf("the folder goes from commit %d to %d; want it to rise", now, serial)
		}
		must(t, s.Close())
	}
}

// A state that went round by another folder comes back to the first.
func TestACopyComesBackToAnyPlaceItWasIn(t *testing.T) {
	p := newPlaces(t)
	other := endIn(t, filepath.Join(t.TempDir(), "other"))
	must(t, openFolder(t, p.dir).Close())
	copied(t, p.folder(), p.database())
	copied(t, p.database(), other)
	copied(t, endIn(t, string(other.(*folderEnd).folder)), p.folder())
	must(t, openFolder(t, p.dir).Close())
}

func TestACopyRefuses(t *testing.T) {
	backup := func(p places) string {
		to := p.dir + "-backup"
		must(p.t, os.CopyFS(to, os.DirFS(p.dir)))
		return to
	}
	putBack := func(p places, from string) {
		must(p.t, os.RemoveAll(p.dir))
		must(p.t, os.Rename(from, p.dir))
	}
	commits := func(p places, n int) {
		s, err := Open(p.t.Context(), p.dir, Options{})
		must(p.t, err)
		for range n {
			_, err := s.NextSequence(p.t.Context())
			must(p.t, err)
		}
		must(p.t, s.Close())
	}
	for _, row := range []struct {
		name    string
		happens func(p places) (from, to End)
		want    error
		text    string
	}{
		{"no source", func(p places) (End, End) { return p.database(), p.folder() }, ErrNone, "there is no state"},
		{"a folder that is not there", func(p places) (End, End) {
			return endIn(p.t, p.dir+"-nowhere"), p.database()
		}, ErrNone, "there is no state"},
		{"a source somebody has open", func(p places) (End, End) {
			openFolder(p.t, p.dir)
			return p.folder(), p.database()
		}, ErrLocked, "state is in use"},
		{"a target somebody has open", func(p places) (End, End) {
			copied(p.t, p.folder(), p.database())
			copied(p.t, p.database(), p.folder())
			openFolder(p.t, p.dir)
			return p.database(), p.folder()
		}, ErrLocked, "state is in use"},
		{"an account somebody has open", func(p places) (End, End) {
			openAccount(p.t, p.server)
			return p.database(), endIn(p.t, p.dir+"-other")
		}, ErrLocked, "state is in use"},
		{"a source that is damaged", func(p places) (End, End) {
			must(p.t, os.Truncate(filepath.Join(p.dir, databaseName), pageSize))
			return p.folder(), p.database()
		}, ErrDamaged, "state is damaged"},
		{"a target with another state", func(p places) (End, End) {
			s, err := p.server.Open(p.t.Context(), acme.ID, Options{})
			must(p.t, err)
			must(p.t, s.Close())
			return p.folder(), p.database()
		}, ErrForeign, "another state is there"},
		{"a state of another account", func(p places) (End, End) {
			s := openFolder(p.t, p.dir)
			must(p.t, s.Bind(p.t.Context(), Account{"act_2", "EUR", "Europe/Berlin"}))
			must(p.t, s.Close())
			return p.folder(), p.database()
		}, ErrForeign, "it is of act_2"},
		{"a source that was put back from before", func(p places) (End, End) {
			before := backup(p)
			copied(p.t, p.folder(), p.database())
			putBack(p, before)
			return p.folder(), p.database()
		}, ErrMoved, "was put back from a copy"},
		{"a source that was put back from before, and went on", func(p places) (End, End) {
			before := backup(p)
			copied(p.t, p.folder(), p.database())
			putBack(p, before)
			commits(p, 10)
			return p.folder(), p.database()
		}, ErrMoved, "was put back from a copy"},
		{"a source that was put back, went on, and finds the database closed", func(p places) (End, End) {
			before := backup(p)
			copied(p.t, p.folder(), p.database())
			copied(p.t, p.database(), p.folder())
			putBack(p, before)
			commits(p, 10)
			return p.folder(), p.database()
		}, ErrMoved, "was put back from a copy"},
		{"a source that is in another place", func(p places) (End, End) {
			copied(p.t, p.folder(), p.database())
			return p.folder(), openServer(p.t, pgtest.Database(p.t)).InDatabase(acme.ID)
		}, ErrMoved, "state was copied to the database"},
		{"a folder that has the path of the one it went to", func(p places) (End, End) {
			copied(p.t, p.folder(), p.database())
			must(p.t, os.RemoveAll(p.dir))
			copied(p.t, p.database(), p.folder())
			must(p.t, os.RemoveAll(p.dir)) // as on another machine
			return p.database(), p.folder()
		}, ErrMoved, "state was copied to the folder"},
	} {
		t.Run(row.name, func(t *testing.T) {
			p := newPlaces(t)
			s, err := Open(t.Context(), p.dir, Options{})
			must(t, err)
			must(t, s.Close())
			if row.want == ErrNone && row.name == "no source" {
				must(t, os.RemoveAll(p.dir))
			}
			from, to := row.happens(p)
			_, err = Copy(t.Context(), from, to, acme.ID, alone, Options{})
			wantError(t, "Copy", err, row.want)
			if err != nil && !strings.Contains(err.Error(), row.text) {
				t.Errorf("the error is %q; want %q in it", err, row.text)
			}
		})
	}
}

// stopping is an end that breaks off before or after it has received a state.
type stopping struct {
	End
	after bool
}

var errStopped = errors.New("stopped")

func (s stopping) receive(ctx context.Context, there *ledger, h Header, t tally, writes []write) error {
	if s.after {
		if err := s.End.receive(ctx, there, h, t, writes); err != nil {
			return err
		}
	}
	return errStopped
}

func TestAnotherCopyEndsOneThatWasCutShort(t *testing.T) {
	for _, after := range []bool{false, true} {
		for _, back := range []bool{false, true} {
			t.Run(fmt.Sprintf("after %t, back %t", after, back), func(t *testing.T) {
				p := newPlaces(t)
				s := openFolder(t, p.dir)
				must(t, s.Record(t.Context(), ads(0, 30)))
				want, _ := everything(t, s)
				must(t, s.Close())
				ends := func() (End, End) { return p.folder(), p.database() }
				if back {
					copied(t, p.folder(), p.database())
					ends = func() (End, End) { return p.database(), p.folder() }
				}
				from, to := ends()
				beside := 0
				_, err := Copy(t.Context(), from, stopping{to, after}, acme.ID, func() error {
					beside++
					_, err := OpenReadOnly(t.Context(), p.dir)
					if back {
						_, err = p.server.OpenReadOnly(t.Context(), acme.ID)
					}
					wantError(t, "OpenReadOnly while what is beside is copied", err, ErrMoved)
					return nil
				}, Options{})
				if beside != 1 {
					t.Errorf("what is beside the state was copied %d times; want once", beside)
				}
				wantError(t, "Copy", err, errStopped)
				left := p.opened(t)
				if len(left) > 1 || len(left) > 0 && !after {
					t.Fatalf("%d states can be written; want none before the copy is there, and one at most", len(left))
				}
				for _, s := range left {
					must(t, s.Close())
				}
				from, to = ends()
				if c := copied(t, from, to); c.Before != after {
					t.Errorf("the second copy found it done: %t; want %t", c.Before, after)
				}
				open := p.opened(t)
				if len(open) != 1 {
					t.Fatalf("%d states can be written; want one", len(open))
				}
				got, _ := everything(t, open[0])
				same(t, "records", got, want)
			})
		}
	}
}

// A folder that was made and has no mark yet is what a kill leaves.
func TestACopyWithoutItsMarkIsWhole(t *testing.T) {
	p := newPlaces(t)
	s := openAccount(t, p.server)
	must(t, s.Record(t.Context(), ads(0, 3)))
	must(t, s.Close())
	copied(t, p.database(), p.folder())
	must(t, os.Remove(filepath.Join(p.dir, markName)))
	s = openFolder(t, p.dir)
	must(t, s.Record(t.Context(), ads(3, 1)))
	must(t, s.Close())
	must(t, os.Remove(filepath.Join(p.dir, markName)))
	_, err := Open(t.Context(), p.dir, options())
	wantError(t, "Open without a mark after a commit", err, ErrDamaged)
}

// Where another state comes into an empty target while the source is closed for it, the source is the state again.
func TestATargetThatIsTakenMeanwhileGivesTheSourceBack(t *testing.T) {
	p := newPlaces(t)
	must(t, openFolder(t, p.dir).Close())
	_, err := Copy(t.Context(), p.folder(), taken{p.database(), p}, acme.ID, alone, Options{})
	wantError(t, "Copy", err, ErrForeign)
	must(t, openFolder(t, p.dir).Close())
}

type taken struct {
	End
	places
}

func (e taken) receive(ctx context.Context, there *ledger, h Header, t tally, writes []write) error {
	must(e.t, openAccount(e.t, e.server).Close())
	return e.End.receive(ctx, there, h, t, writes)
}

func (e taken) String() string { return e.End.String() }

// opened are the states that can be written, of both places.
func (p places) opened(t testing.TB) (open []Store) {
	t.Helper()
	if there, err := folder(p.dir).exists(); err != nil || there {
		s, err := Open(t.Context(), p.dir, Options{})
		switch {
		case err == nil:
			t.Cleanup(func() { s.Close() })
			open = append(open, s)
		case !errors.Is(err, ErrMoved):
			t.Fatal(err)
		}
	}
	serial, err := p.server.SerialOf(t.Context(), acme.ID)
	must(t, err)
	for serial > 0 {
		s, err := p.server.Open(t.Context(), acme.ID, Options{})
		if errors.Is(err, ErrLocked) {
			time.Sleep(10 * time.Millisecond) // until a killed process's lease has ended: the database's clock
			continue
		}
		switch {
		case err == nil:
			t.Cleanup(func() { s.Close() })
			return append(open, s)
		case !errors.Is(err, ErrMoved):
			t.Fatal(err)
		}
		break
	}
	return open
}
