package orders_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"adsync/internal/orders"
	"adsync/state/kv"

	"github.com/google/go-cmp/cmp"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// A place that cannot be asked stops everything, and does not say that a file lies there.
func TestAPlaceThatCannotBeAskedStops(t *testing.T) {
	p := orders.Place{Store: kv.Unreachable{Err: errors.New("the database is away")}}
	err := orders.Standing(p)
	if !errors.Is(err, orders.ErrStop) || strings.Contains(err.Error(), "lies there") ||
		!strings.Contains(err.Error(), "the database is away") {
		t.Errorf("Standing() = %v, want a stop that says why nobody can ask", err)
	}
}

func TestASuspensionStandsUntilItIsOver(t *testing.T) {
	for _, tc := range []struct {
		name   string
		until  time.Time
		at     time.Time
		stands bool
	}{
		{"without an end", time.Time{}, noon.AddDate(10, 0, 0), true},
		{"before its end", noon.Add(2 * time.Hour), noon.Add(2*time.Hour - 1), true},
		{"at its end", noon.Add(2 * time.Hour), noon.Add(2 * time.Hour), false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := orders.Folder(filepath.Join(t.TempDir(), "not", "there", "yet"))
			if s := f.Suspension(noon); s != nil {
				t.Fatalf("Suspension = %+v before there is one", s)
			}
			said := orders.Suspension{By: "anna", Reason: "budget review", Since: noon, Until: tc.until}
			if err := f.Suspend(said); err != nil {
				t.Fatal(err)
			}
			if s := f.Suspension(tc.at); (s != nil) != tc.stands || s != nil && !cmp.Equal(*s, said) {
				t.Errorf("Suspension = %+v; want it to stand: %t", s, tc.stands)
			}
			if err := f.Suspended(tc.at); errors.Is(err, orders.ErrSuspended) != tc.stands {
				t.Errorf("Suspended = %v; want it to stand: %t", err, tc.stands)
			}
			if s, err := f.Resume(orders.Ordered{Time: tc.at, By: "bert"}); err != nil || (s != nil) != tc.stands {
				t.Errorf("Resume = %+v, %v", s, err)
			}
			if s := f.Suspension(noon); s != nil {
				t.Errorf("Suspension = %+v after it was lifted", s)
			}
		})
	}
}

func TestASuspensionSaysWhoAndWhy(t *testing.T) {
	f := orders.Folder(t.TempDir())
	if err := f.Suspend(orders.Suspension{By: "anna",
		Reason: "budget review", Since: noon, Until: noon.Add(2 * time.Hour)}); err != nil {
		t.Fatal(err)
	}
	const want = "suspended by anna since 2026-03-01 " +
		"12:00 UTC until 2026-03-01 14:00 UTC: budget review; adsync resume lifts it"
	if err := f.Suspended(noon); err == nil || err.Error() != want {
		t.Errorf("Suspended = %v\nwant %s", err, want)
	}
}

// What cannot be read stands: nothing is sent because a file is damaged.
func TestASuspensionThatCannotBeReadStands(t *testing.T) {
	for name, put := range map[string]func(path string) error{
		"cut off":      func(path string) error { return os.WriteFile(path, []byte(`{"by":"an`), 0o600) },
		"empty":        func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"a moment ago": func(path string) error { return os.WriteFile(path, []byte(`{"until":"yesterday"}`), 0o600) },
		"very large": func(path string) error {
			return os.WriteFile(path, []byte(`{"by":"`+strings.Repeat("a", 1<<20)), 0o600)
		},
		"a folder":      func(path string) error { return os.Mkdir(path, 0o700) },
		"a pipe":        func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"a broken link": func(path string) error { return os.Symlink("nowhere", path) },
		"a link to one that is over": func(path string) error {
			if err := os.WriteFile(path+".over", []byte(`{"until":"2020-01-01T00:00:00Z"}`), 0o600); err != nil {
				return err
			}
			return os.Symlink(path+".over", path)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := put(filepath.Join(dir, orders.SuspendName)); err != nil {
				t.Fatal(err)
			}
			s := orders.Folder(dir).Suspension(noon)
			if s == nil || !strings.Contains(s.Reason, orders.SuspendName) ||
				!strings.Contains(s.Reason, "adsync resume") {
				t.Fatalf("Suspension = %+v; want one that names the file and what takes it away", s)
			}
			if _, err := orders.Folder(dir).Resume(orders.Ordered{Time: noon, By: "bert"}); err != nil {
				t.Fatal(err)
			}
			if s := orders.Folder(dir).Suspension(noon); s != nil {
				t.Errorf("Suspension = %+v after it was lifted", s)
			}
		})
	}
}

func TestSuspendWritesNowhereElse(t *testing.T) {
	dir := t.TempDir()
	other := filepath.Join(dir, "other")
	if err := os.WriteFile(other, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(other, filepath.Join(dir, orders.SuspendName)); err != nil {
		t.Fatal(err)
	}
	if err := orders.Folder(dir).Suspend(orders.Suspension{By: "anna", Since: noon}); err == nil {
		t.Error("Suspend wrote in the place of a link; want an error that names it")
	}
	if text, err := os.ReadFile(other); err != nil || string(text) != "mine" {
		t.Errorf("the file behind the link is %q, %v", text, err)
	}
}

// Whatever has the name STOP counts, in any of the folders.
func TestStopStandsWhateverItIs(t *testing.T) {
	for name, put := range map[string]func(path string) error{
		"a file":        func(path string) error { return os.WriteFile(path, []byte("anything"), 0o600) },
		"an empty file": func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"a folder":      func(path string) error { return os.Mkdir(path, 0o700) },
		"a broken link": func(path string) error { return os.Symlink("nowhere", path) },
	} {
		t.Run(name, func(t *testing.T) {
			account, shared := orders.Folder(t.TempDir()), orders.Folder(t.TempDir())
			if err := orders.Standing(account, shared); err != nil {
				t.Fatalf("Standing = %v before there is one", err)
			}
			path := shared.Where(orders.StopName)
			if err := put(path); err != nil {
				t.Fatal(err)
			}
			if err := orders.Standing(account, shared); !errors.Is(err, orders.ErrStop) ||
				!strings.Contains(err.Error(), path) {
				t.Errorf("Standing = %v; want ErrStop with %s", err, path)
			}
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if err := orders.Standing(account, shared); err != nil {
				t.Errorf("Standing = %v after it was taken away", err)
			}
		})
	}
}

func TestStopStandsInAFolderNobodyCanLookInto(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := orders.Standing(orders.Folder(dir)); !errors.Is(err, orders.ErrStop) {
		t.Errorf("Standing = %v where the folder is a file; want ErrStop", err)
	}
	if err := orders.Standing(orders.Folder(filepath.Join(t.TempDir(), "absent"))); err != nil {
		t.Errorf("Standing = %v where there is no folder yet; want none", err)
	}
}

func TestAsksAreTakenOnce(t *testing.T) {
	f := orders.Folder(t.TempDir())
	second, err := f.Ask(orders.Ask{By: "bert", Since: noon.Add(time.Second), Full: true})
	if err != nil {
		t.Fatal(err)
	}
	first, err := f.Ask(orders.Ask{By: "anna", Since: noon})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]orders.Ask{first, second}, f.Asks()); diff != "" {
		t.Errorf("Asks (-want +have):\n%s", diff)
	}
	if err := f.Take([]orders.Ask{first, first}); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]orders.Ask{second}, f.Asks()); diff != "" {
		t.Errorf("Asks once the first is taken (-want +have):\n%s", diff)
	}
}

// Two daemons never look after one account; the death of one frees it.
// A program that asks for a run every minute fills no log: the same within an hour is one line. A reason, another
// person and another place are lines of their own.
func TestWhatIsAskedEveryMinuteIsNotedEveryHour(t *testing.T) {
	f := orders.Folder(t.TempDir())
	at := noon
	for range 150 {
		if err := orders.NoteAsk(f, orders.Ask{By: "pipeline", From: "API 192.0.2.7", Since: at}); err != nil {
			t.Fatal(err)
		}
		at = at.Add(time.Minute)
	}
	for _, a := range []orders.Ask{
		{By: "pipeline", From: "API 192.0.2.7", Note: "the feed is new", Since: at},
		{By: "pipeline", From: "API 192.0.2.7", Note: "the feed is new", Since: at},
		{By: "anna", From: "API 192.0.2.7", Since: at},
		{By: "pipeline", From: "API 192.0.2.8", Since: at},
		{By: "pipeline", From: "API 192.0.2.7", Since: at},
	} {
		if err := orders.NoteAsk(f, a); err != nil {
			t.Fatal(err)
		}
	}
	if noted, err := f.Ordered(); err != nil || len(noted) != 3+4 {
		t.Errorf("Ordered() = %v, %v; want a line each hour, and four more", noted, err)
	}
}

func TestOneDaemonAttends(t *testing.T) {
	f := orders.Folder(t.TempDir())
	if _, _, err := f.Daemon(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Daemon = %v before there is one; want fs.ErrNotExist", err)
	}
	var paused time.Duration
	sleep := func(d time.Duration) { paused += d }
	one, err := f.Attend(sleep)
	if err != nil {
		t.Fatal(err)
	}
	said := orders.Daemon{PID: 7, Host: "here", Since: noon, Account: "shop"}
	said.Answer([]orders.Ask{{ID: "a"}})
	if err := one.Say(said); err != nil {
		t.Fatal(err)
	}
	if d, lives, err := f.Daemon(); err != nil || !lives || !cmp.Equal(d, said) {
		t.Errorf("Daemon = %+v, %t, %v; want %+v, alive", d, lives, err, said)
	}
	if _, err := f.Attend(sleep); !errors.Is(err, orders.ErrAttended) ||
		!strings.Contains(err.Error(), "process 7 on here") || paused == 0 {
		t.Errorf("a second Attend = %v after %s; want ErrAttended with who has it", err, paused)
	}
	if err := one.End(); err != nil {
		t.Fatal(err)
	}
	two, err := f.Attend(sleep)
	if err != nil {
		t.Fatalf("Attend once the first has ended = %v", err)
	}
	if err := two.End(); err != nil {
		t.Error(err)
	}
}

func TestWhatADeadDaemonSaidIsNoDaemon(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, orders.DaemonName), []byte(`{"pid":7}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if d, lives, err := orders.Folder(dir).Daemon(); err != nil || lives || d.PID != 7 {
		t.Errorf("Daemon = %+v, %t, %v; want process 7, dead", d, lives, err)
	}
}

func TestAnswersKeepTheNewest(t *testing.T) {
	var d orders.Daemon
	for range 40 {
		d.Answer([]orders.Ask{{ID: "old"}})
	}
	d.Answer([]orders.Ask{{ID: "new"}})
	if n := len(d.Answered); n > 32 || d.Answered[n-1] != "new" {
		t.Errorf("%d answers end with %q; want 32 at most, the newest last", n, d.Answered[n-1])
	}
}

// What rings without a person is one wish for each reason, however often it rings, and is noted under nobody's name.
func TestWhatRingsIsOneWishAReason(t *testing.T) {
	f := orders.Folder(t.TempDir())
	now := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	for _, why := range []string{"push", "approved", "push"} {
		if err := f.Ring(why, now); err != nil {
			t.Fatal(err)
		}
	}
	asks := f.Asks()
	if len(asks) != 2 || asks[0].Why != "approved" || asks[1].Why != "push" || asks[1].By != "" {
		t.Errorf("Asks() = %+v; want one for each reason", asks)
	}
	if noted, err := f.Ordered(); err != nil || len(noted) != 0 {
		t.Errorf("Ordered() = %+v, %v; want none", noted, err)
	}
	if err := f.Take(asks); err != nil || len(f.Asks()) != 0 {
		t.Errorf("%d wishes are left, %v", len(f.Asks()), err)
	}
}
