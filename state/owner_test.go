package state_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"adsync/internal/resource"
	"adsync/internal/testing/pgtest"
	"adsync/internal/testing/twin"
	"adsync/state"
	"adsync/state/postgres"
)

var (
	shoes = resource.Address{Kind: "campaign", Key: "shoes"}
	boots = resource.Address{Kind: "campaign", Key: "boots"}
	hats  = resource.Address{Kind: "campaign", Key: "hats"}
	noon  = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
)

// world is one database with two processes, of which the second can take over what the first has.
type world struct {
	first, second *state.Server
	endLeases     func() // whatever the first process knows
}

var worlds = map[string]func(t *testing.T) world{
	"in a database": func(t *testing.T) world {
		address := pgtest.Database(t)
		open := func() *state.Server {
			s, err := state.OpenServer(t.Context(), address, state.Options{})
			must(t, err)
			t.Cleanup(func() { s.Close() })
			return s
		}
		return world{open(), open(), func() { must(t, pgtest.Exec(address, `UPDATE adsync.head SET worker = NULL`)) }}
	},
	"in its twin": func(t *testing.T) world {
		database := twin.New(time.Now)
		open := func() *state.Server {
			s := state.NewServer(database.Open(context.Background(), postgres.Options{}, nil))
			t.Cleanup(func() { s.Close() })
			return s
		}
		return world{open(), open(), database.EndLeases}
	},
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// clock has each state that is opened be of a minute of its own.
var clock atomic.Int64

func openState(t *testing.T, s *state.Server, account string) state.Store {
	t.Helper()
	at := noon.Add(time.Duration(clock.Add(1)) * time.Minute)
	store, err := s.Open(t.Context(), account, state.Options{Now: func() time.Time { return at }})
	must(t, err)
	return store
}

// step is one with an operation on an address.
func step(id string, address resource.Address) state.Step {
	return state.Step{ID: id, Run: "run-1", Route: state.Bulk, Path: "jobs", Key: "key-" + id, Body: []byte(id),
		Operations: []state.Operation{{ID: "1", Address: address, Action: "create"}}}
}

// fill writes a record of every class, whose contents are those of a mark.
func fill(t *testing.T, s state.Store, mark string) {
	t.Helper()
	ctx := t.Context()
	snapshot := &resource.Snapshot{}
	snapshot.Add(&resource.Resource{Address: shoes,
		Attributes: resource.Attributes{{Name: "name", Value: resource.Text(mark)}}})
	at := noon
	if mark != "" {
		at = at.Add(time.Minute)
	}
	must(t, errors.Join(
		s.Record(ctx, []state.Applied{{Address: shoes, ID: "id" + mark, Uses: []string{"used" + mark}}}),
		s.Record(ctx, []state.Applied{{Address: hats, ID: "id" + mark}}),
		s.Advance(ctx, []resource.Address{shoes, boots}),
		s.RecordNotCreated(ctx, []state.NotCreated{{Address: boots, Key: "key", Sum: "sum" + mark}}),
		s.RecordFile(ctx, "sha256:1", "file"+mark),
		s.RecordCapability(ctx, resource.BulkJobs, mark == ""),
		s.RecordMirror(ctx, state.Mirror{Full: at, Log: json.RawMessage(`{}`),
			Mirrored: []state.Mirrored{{Kind: "campaign", ID: "id", Record: json.RawMessage(`"` + mark + `"`)}}}),
		s.Await(ctx, []string{"id" + mark}),
		s.RecordWaiting(ctx, snapshot),
		s.RecordReverted(ctx, snapshot),
		s.Block(ctx, []state.Blocked{{Address: shoes, InputHash: mark, Since: noon}}),
		s.RecordMove(ctx, state.Move{Run: "run-1", At: at}),
		s.RecordCredits(ctx, []state.Credit{{Run: "run-1", At: at,
			Desired: snapshot, Last: snapshot, Live: snapshot}}),
		s.RecordRun(ctx, state.Run{ID: "run-1", Started: noon, Summary: mark}),
		s.RecordReport(ctx, "run-1", []byte("head"+mark), report("report"+mark)),
		s.RecordSubmitted(ctx, at),
		s.RecordLate(ctx, []state.Late{{Step: "late" + mark, Since: noon}}),
	))
	_, err := s.NextSequence(ctx)
	must(t, err)
}

func report(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

// calls are the methods of a store that ask the database, each in a way that another process can be in the way of.
var calls = map[string]func(ctx context.Context, s state.Store) error{
	"Begin": func(ctx context.Context, s state.Store) error { return s.Begin(ctx, step("new", boots)) },
	"Move": func(ctx context.Context, s state.Store) error {
		return s.Move(ctx, "moved", state.Accepted, state.Update{JobID: "job"})
	},
	"Finish": func(ctx context.Context, s state.Store) error {
		return s.Finish(ctx, "moved", []state.Applied{{Address: shoes, ID: "id"}}, applied("id"))
	},
	"Heads":      func(ctx context.Context, s state.Store) error { return second(s.Heads(ctx)) },
	"Open":       func(ctx context.Context, s state.Store) error { return second(s.Open(ctx, "moved")) },
	"Operations": func(ctx context.Context, s state.Store) error { return second(s.Operations(ctx, "moved")) },
	"Late":       func(ctx context.Context, s state.Store) error { return second(s.Late(ctx)) },
	"RecordLate": func(ctx context.Context, s state.Store) error {
		return s.RecordLate(ctx, []state.Late{{Step: "more", Since: noon}})
	},
	"Used":      func(ctx context.Context, s state.Store) error { return second(s.Used(ctx)) },
	"Wrote":     func(ctx context.Context, s state.Store) error { return second(s.Wrote(ctx)) },
	"Submitted": func(ctx context.Context, s state.Store) error { return second(s.Submitted(ctx)) },
	"RecordSubmitted": func(ctx context.Context, s state.Store) error {
		return s.RecordSubmitted(ctx, noon)
	},
	"Last": func(ctx context.Context, s state.Store) error { return second(s.Last(ctx)) },
	"Bindings": func(ctx context.Context, s state.Store) error {
		return second(s.Bindings(ctx, []resource.Address{shoes}))
	},
	"Record": func(ctx context.Context, s state.Store) error {
		return s.Record(ctx, []state.Applied{{Address: shoes, ID: "id"}})
	},
	"Forget": func(ctx context.Context, s state.Store) error { return s.Forget(ctx, []resource.Address{shoes}) },
	"Rename": func(ctx context.Context, s state.Store) error {
		return s.Rename(ctx, []state.Renamed{{From: hats, To: boots}})
	},
	"Generation": func(ctx context.Context, s state.Store) error { return second(s.Generation(ctx, shoes)) },
	"Advance":    func(ctx context.Context, s state.Store) error { return s.Advance(ctx, []resource.Address{shoes}) },
	"NotCreated": func(ctx context.Context, s state.Store) error { return second(s.NotCreated(ctx)) },
	"RecordNotCreated": func(ctx context.Context, s state.Store) error {
		return s.RecordNotCreated(ctx, []state.NotCreated{{Address: shoes, Key: "key", Sum: "sum"}})
	},
	"NextSequence": func(ctx context.Context, s state.Store) error { return second(s.NextSequence(ctx)) },
	"Files":        func(ctx context.Context, s state.Store) error { return second(s.Files(ctx)) },
	"RecordFile":   func(ctx context.Context, s state.Store) error { return s.RecordFile(ctx, "sha256:1", "file") },
	"Capabilities": func(ctx context.Context, s state.Store) error { return second(s.Capabilities(ctx)) },
	"RecordCapability": func(ctx context.Context, s state.Store) error {
		return s.RecordCapability(ctx, resource.BulkJobs, true)
	},
	"Asked":      func(ctx context.Context, s state.Store) error { return second(s.Asked(ctx)) },
	"Mirror":     func(ctx context.Context, s state.Store) error { return second(s.Mirror(ctx)) },
	"MirrorHead": func(ctx context.Context, s state.Store) error { return second(s.MirrorHead(ctx)) },
	"RecordMirror": func(ctx context.Context, s state.Store) error {
		return s.RecordMirror(ctx, state.Mirror{Full: noon})
	},
	"Await":   func(ctx context.Context, s state.Store) error { return s.Await(ctx, []string{"another"}) },
	"Waiting": func(ctx context.Context, s state.Store) error { return second(s.Waiting(ctx)) },
	"RecordWaiting": func(ctx context.Context, s state.Store) error {
		return s.RecordWaiting(ctx, &resource.Snapshot{})
	},
	"Reverted": func(ctx context.Context, s state.Store) error { return second(s.Reverted(ctx)) },
	"RecordReverted": func(ctx context.Context, s state.Store) error {
		return s.RecordReverted(ctx, &resource.Snapshot{})
	},
	"Blocked": func(ctx context.Context, s state.Store) error { return second(s.Blocked(ctx)) },
	"Block": func(ctx context.Context, s state.Store) error {
		return s.Block(ctx, []state.Blocked{{Address: boots, Since: noon}})
	},
	"Unblock": func(ctx context.Context, s state.Store) error { return s.Unblock(ctx, []resource.Address{shoes}) },
	"Moves":   func(ctx context.Context, s state.Store) error { return second(s.Moves(ctx, noon.Add(-time.Hour))) },
	"RecordMove": func(ctx context.Context, s state.Store) error {
		return s.RecordMove(ctx, state.Move{Run: "2", At: noon})
	},
	"Credits": func(ctx context.Context, s state.Store) error {
		return second(s.Credits(ctx, noon.Add(-time.Hour)))
	},
	"RecordCredits": func(ctx context.Context, s state.Store) error { return s.RecordCredits(ctx, nil) },
	"RecordRun": func(ctx context.Context, s state.Store) error {
		return s.RecordRun(ctx, state.Run{ID: "run-2", Started: noon})
	},
	"Runs": func(ctx context.Context, s state.Store) error { return second(s.Runs(ctx, 0)) },
	"RecordReport": func(ctx context.Context, s state.Store) error {
		return s.RecordReport(ctx, "run-1", []byte("head"), report("another"))
	},
	"Report": func(ctx context.Context, s state.Store) error { return second(s.Report(ctx, "run-1")) },
}

func second[V any](_ V, err error) error { return err }

// asksNobody are the methods of a store that answer from memory, or only give back.
var asksNobody = []string{"Announce", "Bind", "Close", "Header"}

func TestEveryCallOfAStoreIsTried(t *testing.T) {
	for m := range reflect.TypeFor[state.Store]().Methods() {
		if calls[m.Name] == nil && !slices.Contains(asksNobody, m.Name) {
			t.Errorf("no call of %s says what becomes of a process that lost its account", m.Name)
		}
	}
}

// A process that was frozen past its lease goes on with a state that another one has by now. Whatever it finds there is
// no damage, and no mistake: the account is another's.
func TestWhoLostTheAccountIsToldSo(t *testing.T) {
	for where, open := range worlds {
		t.Run(where, func(t *testing.T) {
			w := open(t)
			for name, call := range calls {
				t.Run(name, func(t *testing.T) {
					kept := begun(t, w.first, "kept by the owner of "+name)
					must(t, call(t.Context(), kept))

					frozen := begun(t, w.first, name)
					w.endLeases()
					owner := openState(t, w.second, name)
					fill(t, owner, " by another")
					must(t, owner.Move(t.Context(), "ended", state.Closed, state.Update{}))
					must(t, owner.Finish(t.Context(), "moved", nil, applied("id_2")))
					if err := call(t.Context(), frozen); !errors.Is(err, state.ErrLocked) ||
						errors.Is(err, state.ErrDamaged) || !strings.Contains(err.Error(), "took the account over") {
						t.Errorf("%s = %v; want that another process has the account", name, err)
					}
				})
			}
		})
	}
}

// begun is a state with a record of every class, one step that was sent and one that is bound.
func begun(t *testing.T, s *state.Server, account string) state.Store {
	t.Helper()
	store := openState(t, s, account)
	fill(t, store, "")
	for _, id := range []string{"moved", "ended"} {
		must(t, store.Begin(t.Context(), step(id, shoes)))
		must(t, store.Move(t.Context(), id, state.Sent, state.Update{SentAt: noon}))
	}
	must(t, store.Finish(t.Context(), "ended", nil, applied("id_1")))
	return store
}

func applied(id string) []state.OperationOutcome {
	return []state.OperationOutcome{
		{Address: shoes, ResourceID: id, Outcome: state.OutcomeApplied, Answered: true},
	}
}

// While the account is this process's, a record that is not as it was written is damage.
func TestARecordThatNobodyWroteIsDamage(t *testing.T) {
	for what, sql := range map[string]string{
		"another value": `UPDATE adsync.record SET value = 'x' WHERE class = 'file'`,
		"a value with its sum, of another moment": `UPDATE adsync.record SET (value, sum) =
			(SELECT value, sum FROM adsync.record WHERE class = 'file' AND key = 'b') WHERE class = 'file' AND key = 'a'`,
		"none": `DELETE FROM adsync.record WHERE class = 'file' AND key = 'a'`,
	} {
		t.Run(what, func(t *testing.T) {
			address := pgtest.Database(t)
			server, err := state.OpenServer(t.Context(), address, state.Options{})
			must(t, err)
			defer server.Close()
			s := openState(t, server, "act_1")
			must(t, errors.Join(s.RecordFile(t.Context(), "a", "file_1"), s.RecordFile(t.Context(), "b", "file_2")))
			must(t, pgtest.Exec(address, sql))
			if _, err := s.Files(t.Context()); !errors.Is(err, state.ErrDamaged) {
				t.Errorf("Files() = %v; want that the state is damaged", err)
			}
		})
	}
}

// Nobody knows what the database has after a write that failed: what was to be written is no damage where it is not.
func TestWhatAFailedWriteDidNotWriteIsNoDamage(t *testing.T) {
	cut := false
	process := twin.New(time.Now).Open(t.Context(), postgres.Options{},
		func(_ context.Context, what string, ask func() error) error {
			if cut && what == "commit" {
				return twin.ErrCut
			}
			return ask()
		})
	server := state.NewServer(process)
	defer server.Close()
	s := begun(t, server, "act_1")
	cut = true
	if err := s.Begin(t.Context(), step("new", boots)); !errors.Is(err, state.ErrSuspect) {
		t.Errorf("Begin() over a line that is cut = %v; want that the state is suspect", err)
	}
	if _, err := s.Heads(t.Context()); !errors.Is(err, state.ErrSuspect) || errors.Is(err, state.ErrDamaged) {
		t.Errorf("Heads() after that = %v; want that the state is suspect", err)
	}
}

// An account that is taken over between its claim and the first look at its records is another's, and not damaged.
func TestWhoLosesTheAccountAsItOpensIsToldSo(t *testing.T) {
	database := twin.New(time.Now)
	takeOver := func() {}
	first := state.NewServer(database.Open(t.Context(), postgres.Options{},
		func(_ context.Context, what string, ask func() error) error {
			if what == "sums" {
				takeOver()
			}
			return ask()
		}))
	second := state.NewServer(database.Open(t.Context(), postgres.Options{}, nil))
	defer first.Close()
	defer second.Close()
	takeOver = func() {
		database.EndLeases()
		fill(t, openState(t, second, "act_1"), "")
	}
	_, err := first.Open(t.Context(), "act_1", state.Options{})
	if !errors.Is(err, state.ErrLocked) || errors.Is(err, state.ErrDamaged) {
		t.Errorf("Open() = %v; want that another process has the account", err)
	}
}
