package state

import (
	"testing"

	"adsync/internal/testing/pgtest"

	"github.com/jackc/pgx/v5"
)

// A consent is used with the very commit that journals the intent, and is not where a
// step certainly had no effect.
func TestAConsentIsUsedWithTheIntent(t *testing.T) {
	both(t, func(t *testing.T, s Store, again func() Store) {
		ctx := t.Context()
		used := func(want map[string]int64) {
			t.Helper()
			got, err := s.Used(ctx)
			must(t, err)
			same(t, "used", got, want)
		}
		first := job("run-1/1/0", 1)
		first.Uses = []string{"a", "b"}
		must(t, s.Begin(ctx, first))
		serial := s.Header().Serial
		used(map[string]int64{"a": serial, "b": serial})
		open, err := s.Open(ctx)
		must(t, err)
		same(t, "uses of the open step", open[0].Uses, first.Uses)

		refused := job("run-1/1/0", 1) // of an id that is there: nothing of it counts
		refused.Uses = []string{"c"}
		wantError(t, "Begin", s.Begin(ctx, refused), errExists)
		used(map[string]int64{"a": serial, "b": serial})

		second := job("run-1/1/1", 1)
		second.Uses = []string{"b", "c"}
		must(t, s.Begin(ctx, second))
		later := s.Header().Serial
		used(map[string]int64{"a": serial, "b": later, "c": later})
		must(t, s.Move(ctx, second.ID, Abandoned, Update{}))
		used(map[string]int64{"a": serial, "b": serial})
		must(t, s.Move(ctx, first.ID, Sent, Update{SentAt: morning}))
		must(t, s.Finish(ctx, first.ID, nil, nil))
		must(t, s.Move(ctx, first.ID, Closed, Update{}))
		used(map[string]int64{"a": serial, "b": serial})
		must(t, s.Record(ctx, []Applied{{Address: address("campaign/shoes"), ID: "1", Uses: []string{"d"}}}))
		used(map[string]int64{"a": serial, "b": serial, "d": s.Header().Serial})
		s = again()
		used(map[string]int64{"a": serial, "b": serial, "d": s.Header().Serial})
	})
}

// Two workers that both hold themselves for the owner of an account use a consent once: a commit of the one that lost
// the account counts for nothing, the use of the consent with it.
func TestTwoWorkersUseAConsentOnce(t *testing.T) {
	address := pgtest.Database(t)
	was, is := openServer(t, address), openServer(t, address)
	lost := openAccount(t, was)
	db, err := pgx.Connect(t.Context(), address)
	must(t, err)
	defer db.Close(t.Context())
	_, err = db.Exec(t.Context(), `UPDATE adsync.head SET worker = NULL`) // as where a lease ends that nobody renewed
	must(t, err)
	owner := openAccount(t, is)

	begins := func(s Store, step string) error {
		one := job(step, 1)
		one.Uses = []string{"approval 1"}
		return s.Begin(t.Context(), one)
	}
	used := func(want map[string]int64) {
		t.Helper()
		got, err := owner.Used(t.Context())
		must(t, err)
		same(t, "used", got, want)
	}
	if err := begins(lost, "run-1/1/0"); err == nil {
		t.Error("Begin of the worker that lost the account = nil; want an error")
	}
	used(map[string]int64{})
	must(t, begins(owner, "run-2/1/0"))
	used(map[string]int64{"approval 1": owner.Header().Serial})
	if err := begins(lost, "run-1/1/1"); err == nil {
		t.Error("Begin of the worker that lost the account = nil; want an error")
	}
	used(map[string]int64{"approval 1": owner.Header().Serial})
	open, err := owner.Open(t.Context())
	must(t, err)
	if len(open) != 1 || open[0].ID != "run-2/1/0" {
		t.Errorf("%d steps are open; want the owner's alone", len(open))
	}
}
