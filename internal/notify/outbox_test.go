package notify

import (
	"context"
	"errors"
	"log/slog"
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

// office is an outbox in memory, and what is queued in it.
type office struct {
	t      *testing.T
	kept   kv.Store
	mu     sync.Mutex
	queued map[string]time.Time
	lost   []string
	away   bool
	writes int
}

func newOffice(t *testing.T) *office {
	return &office{t: t, kept: kv.Folder{Dir: t.TempDir()}, queued: map[string]time.Time{}}
}

var errAway = errors.New("the database is away")

func (o *office) change(_ context.Context, change func(kv.Store) (Next, error)) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.away {
		return errAway
	}
	next, err := change(o.kept)
	if err != nil {
		return err
	}
	o.writes++
	if next.Done {
		clear(o.queued)
	}
	if next.Lost != nil {
		o.lost = append(o.lost, next.Lost.Error())
	}
	for _, d := range next.Queue {
		if at, there := o.queued[d.To]; !there || d.At.Before(at) {
			o.queued[d.To] = d.At
		}
	}
	return nil
}

var hook = Destination{Name: "chat", Form: Slack, URL: secret.New("https://hooks.example/secret-path")}

func (o *office) notifier() *Notifier {
	o.t.Helper()
	n, err := New("shop", []Destination{hook}, Options{Kept: o.kept, Outbox: o.change})
	if err != nil {
		o.t.Fatal(err)
	}
	return n
}

// deliver does what a process does that has taken an errand.
func (o *office) deliver(d Sender) error {
	return Deliver(o.t.Context(), hook, Options{Send: d, Outbox: o.change})
}

// due is when the errand is to be done; false where there is none.
func (o *office) due() (time.Time, bool) {
	at, there := o.queued[hook.Identity()]
	return at, there
}

// TestWhatIsToldThroughAnOutboxIsDeliveredByAnybody: news are queued with what is kept, one errand a destination, and
// are delivered as one message by whoever does it; a run that tells nothing new writes nothing.
func TestWhatIsToldThroughAnOutboxIsDeliveredByAnybody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, d := newOffice(t), &desk{}
		n := o.notifier()
		n.tell(held("activates"))
		n.tell(failed(daemon.Input, "2 errors"))
		writes := o.writes
		n.tell(failed(daemon.Input, "2 errors"))
		if o.writes != writes {
			t.Errorf("a run that tells nothing new changes the outbox")
		}
		if _, there := o.due(); !there {
			t.Fatal("nothing is queued")
		}
		if err := o.deliver(d); err != nil {
			t.Fatal(err)
		}
		told(t, d, "2 errors; 1 waiting for approval")
		if at, there := o.due(); there {
			t.Errorf("it is delivered, and another is queued for %v", at)
		}
		if err := o.deliver(d); err != nil {
			t.Fatal(err)
		}
		told(t, d, "2 errors; 1 waiting for approval")
		restarted := o.notifier()
		restarted.tell(failed(daemon.Input, "2 errors"))
		restarted.tell(held("activates"))
		if err := o.deliver(d); err != nil {
			t.Fatal(err)
		}
		told(t, d, "2 errors; 1 waiting for approval", "works again")
	})
}

// TestAMessageWhoseProcessDiedGoesOutAgainAsItWas: with its id, whatever came meanwhile, which goes after it.
func TestAMessageWhoseProcessDiedGoesOutAgainAsItWas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t)
		n := o.notifier()
		n.tell(held("activates"))
		var ids, titles []string
		note := func(m *Message) { ids, titles = append(ids, m.ID), append(titles, m.Title) }
		dying, die := context.WithCancel(t.Context())
		killed := senderFunc(func(_ context.Context, m *Message) error {
			note(m)
			die()
			return context.Canceled
		})
		err := Deliver(dying, hook, Options{Outbox: o.change, Send: killed})
		if err == nil {
			t.Fatal("a delivery that was cut off says that it is done")
		}
		n.tell(held("activates", "archives"))
		sends := senderFunc(func(_ context.Context, m *Message) error { note(m); return nil })
		for range 2 {
			if err := o.deliver(sends); err != nil {
				t.Fatal(err)
			}
		}
		want := []string{"1 waiting for approval", "1 waiting for approval", "2 waiting for approval"}
		if diff := cmp.Diff(want, titles); diff != "" || ids[0] != ids[1] || ids[1] == ids[2] {
			t.Errorf("sent %q; want the first once more with its id, then the other (-want +have):\n%s", ids, diff)
		}
	})
}

// TestADestinationThatIsAwayGetsTheNewestOnce: an attempt that fails says so, and what came meanwhile goes along.
func TestADestinationThatIsAwayGetsTheNewestOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, d := newOffice(t), &desk{}
		n := o.notifier()
		n.tell(held("activates"))
		away := &desk{fails: func(int) error { return errors.New("no route") }}
		if err := o.deliver(away); err == nil || !strings.Contains(err.Error(), "no route") {
			t.Errorf("Deliver = %v; want what was wrong", err)
		}
		n.tell(held("activates", "archives"))
		if err := o.deliver(d); err != nil {
			t.Fatal(err)
		}
		told(t, d, "2 waiting for approval")
		n.tell(held("activates"))
		refuses := &desk{fails: func(int) error { return &refusal{said: "the answer was 404 Not Found", final: true} }}
		if err := o.deliver(refuses); err != nil {
			t.Errorf("Deliver = %v; want nil: another attempt changes nothing", err)
		}
		if len(o.lost) != 1 || o.lost[0] != "not delivered: the answer was 404 Not Found" {
			t.Errorf("lost: %q; want the message that was refused", o.lost)
		}
		var missing int
		n.tell(held("activates", "raises"))
		sends := senderFunc(func(_ context.Context, m *Message) error { missing = m.Missing; return nil })
		if err := o.deliver(sends); err != nil {
			t.Fatal(err)
		}
		if missing != 1 {
			t.Errorf("the next message says that %d are missing, want 1", missing)
		}
	})
}

// TestQuietHoursQueueForLater: what is not urgent is queued for when it may leave, and what is urgent for now.
func TestQuietHoursQueueForLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t)
		n := o.notifier()
		n.posts[0].Quiet = Quiet{From: 0, To: 6 * time.Hour} // it is midnight, in UTC
		n.tell(held("activates"))
		at, _ := o.due()
		if wait := time.Until(at); wait != 6*time.Hour {
			t.Errorf("it is queued for in %s, want in 6h", wait)
		}
		n.tell(failed(daemon.Input, "2 errors"))
		if at, _ = o.due(); time.Until(at) > 0 {
			t.Errorf("what is urgent is queued for %s later", time.Until(at))
		}
	})
}

// TestNewsWaitForAnOutboxThatIsAway: they are handed over once it is back, and none is lost.
func TestNewsWaitForAnOutboxThatIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, d := newOffice(t), &desk{}
		n := o.notifier()
		var log strings.Builder
		n.o.Log = slog.New(slog.NewTextHandler(&log, nil))
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { n.Run(ctx) })
		o.away = true
		n.tell(held("activates"))
		time.Sleep(time.Minute)
		synctest.Wait()
		if n := strings.Count(log.String(), "cannot be queued"); n != 1 {
			t.Errorf("the log says %d times that it cannot be queued, want once", n)
		}
		o.mu.Lock()
		o.away = false
		o.mu.Unlock()
		time.Sleep(time.Minute)
		if _, there := o.due(); !there {
			t.Error("nothing is queued once the outbox is back")
		}
		if err := o.deliver(d); err != nil {
			t.Fatal(err)
		}
		told(t, d, "1 waiting for approval")
		stop()
		running.Wait()
	})
}
