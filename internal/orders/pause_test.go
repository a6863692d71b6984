package orders_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"adsync/internal/orders"
	"adsync/state/kv"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// A pause stops all else until something was sent of it, stands until it ends, and rings for whoever works on the
// account.
func TestAPauseStandsUntilItEnds(t *testing.T) {
	f := orders.Folder(filepath.Join(t.TempDir(), "not", "there", "yet"))
	if err := f.PauseFirst(); err != nil {
		t.Fatalf("PauseFirst() = %v before a pause", err)
	}
	ordered := orders.Pause{By: "ann", Reason: "wrong page", Since: noon, Resource: "cmpn_1", Name: "Spring"}
	noError(t, f.Pause(ordered))
	if err := f.PauseFirst(); !errors.Is(err, orders.ErrSuspended) ||
		!strings.Contains(err.Error(), "paused by ann on 2026-03-01 12:00 UTC: wrong page") {
		t.Errorf("PauseFirst() = %v; want a stop that says who, when and why", err)
	}
	if asks := f.Asks(); len(asks) != 1 {
		t.Errorf("%d wishes for a run; want 1", len(asks))
	}
	all, err := f.Pauses()
	noError(t, err)
	first := []orders.StandingPause{{Pause: ordered}}
	if d := cmp.Diff(first, all, cmpopts.IgnoreFields(orders.Pause{}, "ID")); d != "" {
		t.Fatal(d)
	}
	id := all[0].ID
	became := orders.Paused{Settled: true, All: []orders.Was{{ID: "cmpn_1", Name: "Spring"}}}
	noError(t, f.KeepPaused(id, became))
	if err := f.PauseFirst(); err != nil {
		t.Errorf("PauseFirst() = %v once it was sent", err)
	}
	noError(t, f.GoOn(id, orders.GoOn{By: "bob", Since: noon.Add(time.Hour)}))
	all, err = f.Pauses()
	noError(t, err)
	want := orders.StandingPause{Pause: ordered, Paused: became, Begun: true,
		GoOn: &orders.GoOn{By: "bob", Since: noon.Add(time.Hour)}}
	want.ID = id
	if d := cmp.Diff([]orders.StandingPause{want}, all); d != "" {
		t.Error(d)
	}
	noError(t, f.EndPause(id))
	if all, err = f.Pauses(); err != nil || len(all) != 0 {
		t.Errorf("Pauses() = %v, %v after its end; want none", all, err)
	}
	if err := f.GoOn(id, orders.GoOn{By: "bob"}); !errors.Is(err, orders.ErrNoPause) {
		t.Errorf("GoOn() of a pause that ended: %v; want %v", err, orders.ErrNoPause)
	}
	log, err := f.Ordered()
	noError(t, err)
	if d := cmp.Diff([]orders.Ordered{
		{Time: noon, Order: orders.Pausing, By: "ann", Reason: "wrong page", Of: "Spring"},
		{Time: noon.Add(time.Hour), Order: orders.GoingOn, By: "bob", Of: "Spring"},
	}, log); d != "" {
		t.Error(d)
	}
}

// An id comes from whoever sends a form.
func TestGoingOnTakesAnIDAndNoPath(t *testing.T) {
	dir := t.TempDir()
	f := orders.Folder(filepath.Join(dir, "state"))
	noError(t, f.Pause(orders.Pause{By: "ann", Reason: "why", Since: noon}))
	for _, id := range []string{"../x", "x/../../pause-x", "", "00", "zz", strings.Repeat("a", 1000)} {
		if err := f.GoOn(id, orders.GoOn{By: "bob"}); !errors.Is(err, orders.ErrNoPause) {
			t.Errorf("GoOn(%.20q) = %v; want %v", id, err, orders.ErrNoPause)
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("beside the state: %v, %v; want nothing else", entries, err)
	}
}

// What cannot be read stands, and is of all.
func TestAPauseThatCannotBeReadStands(t *testing.T) {
	for _, tc := range []struct {
		name, content string
	}{
		{"cut off", `{"by":"an`},
		{"empty", ""},
		{"of another shape", `{"since":"yesterday"}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			noError(t, os.WriteFile(filepath.Join(dir, "pause-0a.json"), []byte(tc.content), 0o600))
			all, err := orders.Folder(dir).Pauses()
			if err != nil || len(all) != 1 || all[0].Resource != "" ||
				!strings.Contains(all[0].Reason, "cannot be read") {
				t.Errorf("Pauses() = %+v, %v; want one of everything", all, err)
			}
			if err := orders.Folder(dir).PauseFirst(); !errors.Is(err, orders.ErrSuspended) {
				t.Errorf("PauseFirst() = %v; want a stop", err)
			}
		})
	}
	away := orders.Place{Store: kv.Unreachable{Err: errors.New("the database is away")}}
	if err := away.PauseFirst(); !errors.Is(err, orders.ErrSuspended) {
		t.Errorf("PauseFirst() where nobody can say: %v; want a stop", err)
	}
}

func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
