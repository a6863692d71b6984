package replica

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"adsync/internal/orders"
	"adsync/state"
	"adsync/state/kv"
)

// database is one that shares accounts as the test says.
type database struct {
	share   state.Share
	failure error
	given   []string
	ordered map[string]string
	asked   int // how often for ordered
	all     kv.Store
}

func (d *database) Configure(context.Context, []string) error { return d.failure }

func (d *database) Pull(context.Context, []string) (state.Share, error) {
	share := d.share
	share.Held = slices.Clone(share.Held)
	return share, d.failure
}

func (d *database) Ordered(context.Context) (map[string]string, error) {
	d.asked++
	if names, err := d.all.Names(orders.StopName); err != nil || len(names) == 0 {
		return d.ordered, d.failure
	}
	with := maps.Clone(d.ordered)
	if with == nil {
		with = map[string]string{}
	}
	with[""] += orders.StopName + " 7\n"
	return with, d.failure
}

func (d *database) GiveBack(_ context.Context, account string) error {
	d.given = append(d.given, account)
	d.share.Held = slices.DeleteFunc(d.share.Held, func(held string) bool { return held == account })
	return nil
}

func (d *database) Beside(string) kv.Store { return d.all }

func newReplica(t *testing.T) (*Replica, *database) {
	d := &database{all: kv.Folder{Dir: t.TempDir()}}
	r := &Replica{Database: d, Log: slog.New(slog.DiscardHandler), Host: "here"}
	r.Configure([]string{"a", "b", "c", "d"})
	return r, d
}

func wantHeld(t *testing.T, r *Replica, want ...string) {
	t.Helper()
	if held, _ := r.Pull(t.Context()); !slices.Equal(held, want) {
		t.Errorf("held = %q, want %q", held, want)
	}
}

func TestAReplicaLeavesWhatIsMoreThanItsShare(t *testing.T) {
	r, d := newReplica(t)
	d.share = state.Share{Held: []string{"d", "a", "c", "b"}}
	wantHeld(t, r, "a", "b", "c", "d")
	d.share.Excess = 2
	wantHeld(t, r, "a", "b")
	wantHeld(t, r, "a", "b") // their loops have not ended yet: nothing more is left
	r.Leave("c")
	r.Leave("d")
	d.share.Excess = 0
	wantHeld(t, r, "a", "b")
	if !slices.Equal(d.given, []string{"c", "d"}) {
		t.Errorf("given back: %q, want c and d", d.given)
	}
}

// What was left may be this daemon's again before it pulls next, as who took it is gone.
func TestAnAccountThatComesBackAtOnceIsHeld(t *testing.T) {
	r, d := newReplica(t)
	d.share = state.Share{Held: []string{"a", "b"}, Excess: 1}
	wantHeld(t, r, "a")
	r.Leave("b")
	d.share = state.Share{Held: []string{"a", "b"}}
	wantHeld(t, r, "a", "b")
}

func TestAReplicaKeepsWhatItHasWhileTheDatabaseIsAway(t *testing.T) {
	r, d := newReplica(t)
	d.share = state.Share{Held: []string{"a"}}
	wantHeld(t, r, "a")
	d.failure = errors.New("away")
	if held, moved := r.Pull(t.Context()); moved || !slices.Equal(held, []string{"a"}) {
		t.Errorf("held = %q, moved: %t; want a, as leases say for how long", held, moved)
	}
}

func TestABellRingsForOrdersOfItsAccountAndOfAll(t *testing.T) {
	r, d := newReplica(t)
	a, b := r.Bell("a"), r.Bell("b")
	rings := func(bell <-chan struct{}) bool {
		select {
		case <-bell:
			return true
		default:
			return false
		}
	}
	for _, row := range []struct {
		name    string
		ordered map[string]string
		a, b    bool
	}{
		{"nothing", nil, false, false},
		{"a is suspended", map[string]string{"a": "suspend.json 1"}, true, false},
		{"it stays", map[string]string{"a": "suspend.json 1"}, false, false},
		{"all stop", map[string]string{"a": "suspend.json 1", "": "STOP 2"}, true, true},
		{"all go on", map[string]string{"a": "suspend.json 1"}, true, true},
		{"a goes on", nil, true, false},
	} {
		d.ordered = row.ordered
		r.hear(t.Context())
		if gotA, gotB := rings(a), rings(b); gotA != row.a || gotB != row.b {
			t.Errorf("%s: the bells of a and b ring: %t, %t; want %t, %t", row.name, gotA, gotB, row.a, row.b)
		}
	}
}

// A pull says whether orders came or went: they are asked for where it cannot say, and once for each that did.
func TestOrdersAreAskedForWhereTheyChanged(t *testing.T) {
	r, d := newReplica(t)
	for _, row := range []struct {
		name    string
		orders  string
		failure error
		asked   int
	}{
		{"the first pull", "none", nil, 1},
		{"nothing since", "none", nil, 0},
		{"an order came", "one", nil, 1},
		{"it stays", "one", nil, 0},
		{"the database is away", "one", errors.New("away"), 1},
		{"it is back", "one", nil, 0},
		{"a pull that cannot say", "", nil, 1},
	} {
		d.share.Orders, d.failure, d.asked = row.orders, row.failure, 0
		r.Pull(t.Context())
		r.hear(t.Context())
		if d.asked != row.asked {
			t.Errorf("%s: orders are asked for %d times; want %d", row.name, d.asked, row.asked)
		}
	}
}

func TestAFileStopOfThisMachineStopsAll(t *testing.T) {
	r, d := newReplica(t)
	r.Shared = t.TempDir()
	file := filepath.Join(r.Shared, orders.StopName)
	stands := func() bool {
		t.Helper()
		r.hear(t.Context())
		_, err := d.all.Get(orders.StopName, 1000)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		return err == nil
	}
	if stands() {
		t.Error("STOP stands and nobody said so")
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if !stands() {
		t.Error("a file STOP of this machine is not told to others")
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if stands() {
		t.Error("STOP stands although its file is gone")
	}
	if err := d.all.Put(orders.StopName, []byte("there /etc/adsync/STOP")); err != nil {
		t.Fatal(err)
	}
	if !stands() {
		t.Error("the STOP of another machine was taken away")
	}
}
