package notify

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"adsync/internal/daemon"
	"adsync/internal/secret"
	"adsync/state/kv"

	"github.com/google/go-cmp/cmp"
)

// lives is one life of a notifier of shop that keeps what it told in a file.
func lives(t *testing.T, file string, d *desk, story func(*Notifier)) {
	t.Helper()
	to := Destination{
		Name: "hook", Form: Webhook, URL: secret.New("https://hooks.example/secret-path"),
		Key: secret.New("0123456789abcdef"),
	}
	n, err := New("shop", []Destination{to}, Options{Send: d, Kept: kv.Folder{Dir: filepath.Dir(file)}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { n.Run(ctx) })
	story(n)
	synctest.Wait()
	stop()
	running.Wait()
}

func told(t *testing.T, d *desk, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, append([]string(nil), d.all()...)); diff != "" {
		t.Errorf("told (-want +have):\n%s", diff)
	}
}

// TestARestartRepeatsNothingAndLosesNothing: what lasts is not told again, what has
// ended is told, what changed is told, and what did not leave leaves.
func TestARestartRepeatsNothingAndLosesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "told.json")
		first := &desk{}
		lives(t, file, first, func(n *Notifier) {
			n.tell(held("activates"))
			n.tell(failed(daemon.Input, "2 errors"))
		})
		told(t, first, "1 waiting for approval", "2 errors")
		second := &desk{}
		lives(t, file, second, func(n *Notifier) {
			n.tell(failed(daemon.Input, "2 errors"))
			n.tell(held("activates"))
			n.tell(held("activates", "archives"))
		})
		told(t, second, "works again", "2 waiting for approval")
		time.Sleep(day)
		away := &desk{fails: func(int) error { return errors.New("no route") }}
		lives(t, file, away, func(n *Notifier) { n.tell(held("activates", "archives")) })
		told(t, away)
		content, err := os.ReadFile(file)
		if err != nil || strings.Contains(string(content), "secret-path") ||
			strings.Contains(string(content), "0123456789abcdef") {
			t.Errorf("%v; what is kept shows a secret:\n%s", err, content)
		}
		third := &desk{}
		lives(t, file, third, func(n *Notifier) { n.tell(held("activates", "archives")) })
		told(t, third, "still 2 waiting for approval")
		last := &desk{}
		lives(t, file, last, func(n *Notifier) { n.tell(held("activates", "archives")) })
		told(t, last)
	})
}

// What cannot be read costs a repetition, and neither a run nor a message.
func TestWhatIsKeptAndDamagedIsToldAgain(t *testing.T) {
	for name, content := range map[string]string{
		"cut off": `{"format_version":1,"posts":{`, "of another version": `{"format_version":9}`, "empty": "",
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				file := filepath.Join(t.TempDir(), "told.json")
				if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
				d := &desk{}
				lives(t, file, d, func(n *Notifier) { n.tell(held("activates")) })
				told(t, d, "1 waiting for approval")
				again := &desk{}
				lives(t, file, again, func(n *Notifier) { n.tell(held("activates")) })
				told(t, again)
			})
		})
	}
}

// Flush is for a daemon that has one run and ends.
func TestFlushDeliversWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &desk{}
		to := Destination{Name: "chat", Form: Slack, URL: secret.New("https://hooks.example/secret-path")}
		n, err := New("shop", []Destination{to}, Options{Send: d})
		if err != nil {
			t.Fatal(err)
		}
		n.tell(held("activates"))
		told(t, d)
		n.Flush(t.Context())
		told(t, d, "1 waiting for approval")
	})
}

// A reminder says what the message said, also where the run that is due saw nothing
// new, after a restart.
func TestAReminderSaysWhatWasSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "told.json")
		lives(t, file, &desk{}, func(n *Notifier) { n.tell(held("activates")) })
		time.Sleep(day)
		var items []Item
		n := newNotifier(t, senderFunc(func(_ context.Context, m *Message) error {
			items = m.Sections[0].Items
			return nil
		}))
		n.o.Kept = kv.Folder{Dir: filepath.Dir(file)}
		n.tell(Situation{Class: daemon.Held})
		n.Flush(t.Context())
		if len(items) != 1 || items[0].Command != "adsync apply --allow activates" {
			t.Errorf("reminded of %+v; want what is held, and what allows it", items)
		}
	})
}
