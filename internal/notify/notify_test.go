package notify

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"adsync/internal/daemon"
	"adsync/internal/secret"

	"github.com/google/go-cmp/cmp"
)

// desk collects what is sent, and fails as often as it is told to.
type desk struct {
	mu    sync.Mutex
	sent  []string
	at    []time.Time
	tries int
	fails func(try int) error
}

func (d *desk) Send(_ context.Context, _ *Destination, m *Message) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.tries++
	if d.fails != nil {
		if err := d.fails(d.tries); err != nil {
			return err
		}
	}
	d.sent, d.at = append(d.sent, m.Title), append(d.at, time.Now())
	return nil
}

func (d *desk) all() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]string{}, d.sent...)
}

// telling runs a story with a notifier of one destination.
func telling(t *testing.T, d *desk, to Destination, story func(n *Notifier)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		to.Name, to.Form, to.URL, to.Key = "hook",
			Webhook, secret.New("https://hooks.example/secret-path"), secret.New("0123456789abcdef")
		n, err := New("shop", []Destination{to}, Options{Send: d})
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
	})
}

func (n *Notifier) tell(s Situation) {
	s.Time = time.Now()
	n.Tell(s)
	synctest.Wait()
}

func inSync() Situation { return Situation{Class: daemon.InSync, Planned: true} }

func held(texts ...string) Situation {
	s := Situation{Class: daemon.Held, Planned: true}
	for _, text := range texts {
		s.Held = append(s.Held, Item{Text: text, Command: "adsync apply --allow " + text})
	}
	return s
}

func failed(class daemon.Class, message string) Situation {
	return Situation{Class: class, Message: message}
}

// What lasts is told as it comes, as it changes, and once more a day; what passes
// is told once.
func TestOnlyWhatChangedIsTold(t *testing.T) {
	transient := func(n int) Situation {
		return Situation{Class: daemon.Transient, Message: "no answer", Failures: n}
	}
	stopped := func(reason string) Situation {
		s := Situation{
			Class: daemon.Suspended, Planned: true, Suspended: &daemon.Suspension{By: "anna", Reason: reason},
		}
		return s
	}
	applied := func(run string) Situation {
		return Situation{Class: daemon.Applied, Planned: true, Applied: 3, Run: run}
	}
	drifted := Situation{Class: daemon.InSync, Planned: true, Drift: []Item{{Text: "campaign/x: name changed outside"}}}
	type run struct {
		after time.Duration // below zero: the clock was put back by so much
		Situation
	}
	items := func(addresses []string) (all []Item) {
		for _, at := range addresses {
			all = append(all, Item{Text: at + " in words", At: at})
		}
		return all
	}
	refused := func(id string, addresses ...string) Situation {
		return Situation{
			Class: daemon.Partial, Planned: true, Message: fmt.Sprintf("%d failed", len(addresses)),
			Run: id, Failed: items(addresses),
		}
	}
	standing := func(addresses ...string) Situation {
		return Situation{Class: daemon.Held, Planned: true, Failed: items(addresses)}
	}
	locked := func(n int) Situation {
		return Situation{Class: daemon.Locked, Message: "process 7 has it", Failures: n}
	}
	looked := func(class daemon.Class) Situation { return Situation{Class: class} }
	for _, tc := range []struct {
		name string
		on   []Topic
		runs []run
		want []string
	}{
		{"nothing to say", nil, []run{{0, inSync()}, {time.Minute, inSync()}}, nil},
		{"the same is held run after run", nil, []run{{0, held("activates")},
			{time.Minute, held("activates")}, {time.Hour, held("activates")}}, []string{"1 waiting for approval"}},
		{"more is held", nil, []run{{0, held("activates")}, {time.Minute, held("activates", "archives")}},
			[]string{"1 waiting for approval", "2 waiting for approval"}},
		{"it is held after a day", nil, []run{{0, held("activates")}, {day, held("activates")},
			{time.Hour, held("activates")}}, []string{"1 waiting for approval", "still 1 waiting for approval"}},
		{"it comes back", nil, []run{{0, held("activates")}, {time.Minute, inSync()}, {time.Minute, held("activates")}},
			[]string{"1 waiting for approval", "1 waiting for approval"}},
		{"a run that did not get to a plan forgets nothing", nil, []run{{0, held("activates")},
			{time.Minute, transient(1)}, {time.Minute, held("activates")}}, []string{"1 waiting for approval"}},
		{"files that cannot be read", nil, []run{{0, failed(daemon.Input, "2 errors")}, {time.Minute,
			failed(daemon.Input, "2 errors")}, {time.Minute, inSync()}}, []string{"2 errors", "works again"}},
		{"the service fails in other words each time", nil, []run{{0, transient(3)},
			{time.Minute, Situation{Class: daemon.Transient, Message: "no answer (request req_2)", Failures: 4}},
			{time.Minute, Situation{Class: daemon.Transient, Message: "no answer (request req_3)", Failures: 5}},
			{0, inSync()}}, []string{"fails again and again: no answer", "works again"}},
		{"a key that is refused, in other words each time", nil,
			[]run{{0, failed(daemon.Credentials, "401 (request req_1)")}, {10 * time.Minute, failed(daemon.Credentials,
				"401 (request req_2)")}, {0, inSync()}}, []string{"401 (request req_1)", "works again"}},
		{"looks that find nothing new, after something was refused", nil, []run{{0, refused("run-1", "ad/x")},
			{time.Minute, looked(daemon.Partial)}, {time.Minute, standing("ad/x")}, {time.Minute, looked(daemon.Held)},
			{time.Minute, standing("ad/x")}, {time.Minute, inSync()}}, []string{"1 failed", "works again"}},
		{"the same row is refused in another run", nil, []run{{0, refused("run-1", "ad/x")}, {time.Minute,
			standing("ad/x")}, {time.Minute, refused("run-2", "ad/x")}}, []string{"1 failed", "1 failed"}},
		{"another row is refused as well", nil, []run{{0, refused("run-1", "ad/x")},
			{time.Minute, standing("ad/x", "ad/y")}}, []string{"1 failed", "2 refused by the service"}},
		{"what is refused stands while something else is applied", nil, []run{{0, refused("run-1", "ad/x")}, {
			time.Minute, func() Situation { s := standing("ad/x"); s.Run, s.Applied = "run-2", 1; return s }()}},
			[]string{"1 failed"}},
		{"an outcome nobody knows, look after look", nil, []run{{0, Situation{Class: daemon.Undecided,
			Planned: true, Message: "1 unknown", Run: "run-1", Failed: []Item{{Text: "ad/x is unknown", At: "ad/x"}}}},
			{0, Situation{Class: daemon.Undecided, Planned: true, Message: "1 outcome unknown; adsync resolve " +
				"decides: ad/x"}}, {0, looked(daemon.Undecided)}, {0, inSync()}}, []string{"1 unknown", "works again"}},
		{"looks that find nothing new, and a day passes",
			nil, []run{{0, held("activates")}, {time.Hour, looked(daemon.Held)}, {day, looked(daemon.Held)},
				{time.Minute, looked(daemon.Held)}},
			[]string{"1 waiting for approval", "still 1 waiting for approval"}},
		{"the service works again, as a look finds", nil, []run{{0, inSync()}, {0, transient(3)},
			{0, looked(daemon.InSync)}}, []string{"fails again and again: no answer", "works again"}},
		{"files break while something is held", nil,
			[]run{{0, held("activates")}, {time.Minute, failed(daemon.Input, "2 errors")},
				{time.Minute, held("activates")}}, []string{"1 waiting for approval", "2 errors", "works again"}},
		{"the clock is put back", nil, []run{{0, held("activates")}, {-time.Hour, held("activates")},
			{0, held("activates")}}, []string{"1 waiting for approval", "still 1 waiting for approval"}},
		{"the service fails for a moment",
			nil, []run{{0, transient(1)}, {time.Minute, transient(2)}, {time.Minute, inSync()}}, nil},
		{"the service fails for long", nil, []run{{0, transient(1)}, {0, transient(2)}, {0, transient(3)},
			{0, transient(4)}, {0, inSync()}}, []string{"fails again and again: no answer", "works again"}},
		{"a key that is refused", nil, []run{{0, failed(daemon.Credentials, "the key is refused")},
			{time.Hour, failed(daemon.Credentials, "the key is refused")}, {0, inSync()}},
			[]string{"the key is refused", "works again"}},
		{"one failure becomes another", nil, []run{{0, failed(daemon.Credentials, "the key is refused")},
			{0, failed(daemon.Input, "2 errors")}, {0, inSync()}},
			[]string{"the key is refused", "2 errors", "works again"}},
		{"a lock says nothing of a failure", nil, []run{{0, failed(daemon.Input, "2 errors")},
			{0, failed(daemon.Locked, "locked")}, {0, failed(daemon.Input, "2 errors")}}, []string{"2 errors"}},
		{"another adsync keeps the state", nil, []run{{0, locked(1)},
			{0, locked(lockedAfter - 1)}, {0, locked(lockedAfter)}, {0, locked(lockedAfter + 1)}, {0, inSync()}},
			[]string{"does not get its turn: process 7 has it", "works again"}},
		{"suspended and resumed", nil, []run{{0, stopped("prices")}, {0, stopped("prices")}, {0, inSync()}},
			[]string{"suspended by anna: prices", "goes on: what stopped it was lifted"}},
		{"drift is told who asks for it", nil, []run{{0, drifted}}, nil},
		{"drift", []Topic{topicDrift}, []run{{0, drifted}, {0, drifted}, {0, inSync()}, {0, drifted}},
			[]string{"1 changed outside", "1 changed outside"}},
		{"what was applied", []Topic{topicApplied}, []run{{0, applied("run-1")}, {0, inSync()}, {0, applied("run-2")}},
			[]string{"3 applied (run-1)", "3 applied (run-2)"}},
		{"one run is one message", []Topic{topicApplied, topicHeld}, []run{{0,
			Situation{Class: daemon.Held, Planned: true, Applied: 3, Run: "run-1", Held: []Item{{Text: "a"}}}}},
			[]string{"1 waiting for approval; 3 applied (run-1)"}},
		{"only what is asked for", []Topic{topicFailed},
			[]run{{0, held("activates")}, {0, failed(daemon.Internal, "a fault")}}, []string{"a fault"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d := &desk{}
			telling(t, d, Destination{On: tc.on}, func(n *Notifier) {
				for _, r := range tc.runs {
					if r.after < 0 {
						r.Time = time.Now().Add(r.after)
						n.Tell(r.Situation)
						synctest.Wait()
						continue
					}
					time.Sleep(r.after)
					n.tell(r.Situation)
				}
			})
			if diff := cmp.Diff(tc.want, d.all(),
				cmp.Transformer("nil", func(s []string) []string { return append([]string{}, s...) })); diff != "" {
				t.Errorf("told (-want +have):\n%s", diff)
			}
		})
	}
}

func TestRemindersComeAsOftenAsIsWanted(t *testing.T) {
	d := &desk{}
	telling(t, d, Destination{Remind: time.Hour}, func(n *Notifier) {
		for range 240 { // four hours
			n.tell(held("activates"))
			time.Sleep(time.Minute)
		}
	})
	if n := len(d.all()); n != 4 {
		t.Errorf("told %d times in four hours; want 4", n)
	}
}

func TestADeliveryIsTriedAgain(t *testing.T) {
	for _, tc := range []struct {
		name  string
		fails func(try int) error
		tries int
		sent  int
		after time.Duration
	}{
		{"fails twice", func(try int) error {
			if try <= 2 {
				return errors.New("no answer")
			}
			return nil
		}, 3, 1, 15 * time.Second},
		{"is told when to come again", func(try int) error {
			if try == 1 {
				return &refusal{said: "429", after: 3 * time.Minute}
			}
			return nil
		}, 2, 1, 3 * time.Minute},
		{"is refused for good", func(int) error { return &refusal{said: "404", final: true} }, 1, 0, 0},
		{"never works for two hours", func(int) error { return errors.New("no answer") }, attempts + 10, 0, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d := &desk{fails: tc.fails}
			var began time.Time
			telling(t, d, Destination{}, func(n *Notifier) {
				began = time.Now()
				n.tell(held("activates"))
				time.Sleep(2 * time.Hour)
			})
			if d.tries != tc.tries || len(d.sent) != tc.sent {
				t.Fatalf("%d tries, %d delivered; want %d and %d", d.tries, len(d.sent), tc.tries, tc.sent)
			}
			if tc.sent == 1 && d.at[0].Sub(began) != tc.after {
				t.Errorf("delivered after %s; want %s", d.at[0].Sub(began), tc.after)
			}
		})
	}
}

// Telling never waits for a destination: what comes while it stands still is one
// message, of what is so by then.
func TestTellingNeverBlocks(t *testing.T) {
	var titles []string
	var joined int
	synctest.Test(t, func(t *testing.T) {
		hanging := make(chan struct{})
		n := newNotifier(t, senderFunc(func(ctx context.Context, m *Message) error {
			select {
			case <-hanging:
				titles, joined = append(titles, m.Title), m.Joined
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}))
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { n.Run(ctx) })
		began := time.Now()
		for i := range 100 {
			n.tell(held(fmt.Sprint(i)))
		}
		n.tell(held("the last", "and another"))
		if took := time.Since(began); took > 0 {
			t.Errorf("telling took %s", took)
		}
		time.Sleep(time.Hour)
		close(hanging)
		time.Sleep(time.Hour)
		stop()
		running.Wait()
	})
	if diff := cmp.Diff([]string{"2 waiting for approval"}, titles); diff != "" || joined != 100 {
		t.Errorf("told (-want +have):\n%s and that %d came before; want 100", diff, joined)
	}
}

// A destination that was away for an hour gets one message of what is so by then,
// and nothing of what ended meanwhile.
func TestADestinationThatIsBackGetsTheNewestOnce(t *testing.T) {
	var back atomic.Bool
	d := &desk{fails: func(int) error {
		if !back.Load() {
			return errors.New("no answer")
		}
		return nil
	}}
	telling(t, d, Destination{On: Topics()}, func(n *Notifier) {
		applied := func(run string, count int, s Situation) Situation {
			s.Applied, s.Run = count, run
			return s
		}
		n.tell(held("activates"))
		time.Sleep(10 * time.Minute)
		n.tell(failed(daemon.Input, "2 errors"))
		time.Sleep(10 * time.Minute)
		n.tell(applied("run-1", 3, held("activates", "archives")))
		time.Sleep(10 * time.Minute)
		n.tell(failed(daemon.Credentials, "the key is refused"))
		time.Sleep(10 * time.Minute)
		n.tell(applied("run-2", 1, inSync()))
		time.Sleep(20 * time.Minute)
		back.Store(true)
		time.Sleep(longestWait)
	})
	if diff := cmp.Diff([]string{"works again; 4 applied in 2 runs"}, d.all()); diff != "" {
		t.Errorf("told (-want +have):\n%s", diff)
	}
}

// At most so many messages leave in an hour; what comes beyond is one, later.
func TestOnlySoManyLeaveInAnHour(t *testing.T) {
	d := &desk{}
	telling(t, d, Destination{}, func(n *Notifier) {
		for i := range 10 * perHour {
			n.tell(held(fmt.Sprint(i)))
		}
		if have := len(d.all()); have != perHour {
			t.Errorf("%d left at once; want %d", have, perHour)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if have := len(d.all()); have != perHour+1 {
			t.Errorf("%d left within an hour; want one more", have)
		}
	})
}

func newNotifier(t *testing.T, d Sender) *Notifier {
	t.Helper()
	n, err := New("shop", []Destination{{Name: "hook", Form: Webhook,
		URL: secret.New("https://hooks.example/secret-path"), Key: secret.New("0123456789abcdef")}}, Options{Send: d})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// What was refused for good is gone; the next message says so, and the log says
// nothing secret.
func TestWhatIsRefusedForGoodIsCounted(t *testing.T) {
	var log strings.Builder
	var missing []int
	d := senderFunc(func(_ context.Context, m *Message) error {
		if missing = append(missing, m.Missing); len(missing) == 1 {
			return &refusal{said: "404", final: true}
		}
		return nil
	})
	synctest.Test(t, func(t *testing.T) {
		n := newNotifier(t, d)
		n.o.Log = slog.New(slog.NewTextHandler(&log, nil))
		for i := range 3 {
			n.tell(held(fmt.Sprint(i)))
			n.Flush(t.Context())
		}
	})
	if diff := cmp.Diff([]int{0, 1, 0}, missing); diff != "" || strings.Contains(log.String(), "secret-path") ||
		strings.Count(log.String(), "notification not delivered") != 1 {
		t.Errorf("missing (-want +have):\n%s and logged:\n%s", diff, &log)
	}
}

type senderFunc func(context.Context, *Message) error

func (f senderFunc) Send(ctx context.Context, _ *Destination, m *Message) error { return f(ctx, m) }

func TestDestinationsAreChecked(t *testing.T) {
	url, key := secret.New("https://hooks.example/x"), secret.New("0123456789abcdef")
	for _, tc := range []struct {
		name string
		to   Destination
		want string
	}{
		{"a form nobody knows", Destination{Form: "pager", URL: url}, "want webhook, slack, teams or email"},
		{"a topic nobody knows", Destination{Form: Slack, URL: url, On: []Topic{"everything"}},
			`on names "everything"`},
		{"a webhook without a key", Destination{Form: Webhook, URL: url}, "shorter than 16"},
		{"an address without TLS", Destination{Form: Slack, URL: secret.New("http://hooks.example/secret-path")},
			"want https"},
		{"an address with a name", Destination{Form: Webhook,
			URL: secret.New("https://u:secret-path@hooks.example/"), Key: key}, "cannot be read"},
		{"a mail to nobody", Destination{Form: Email,
			Mail: Mail{Host: "mail.example", From: "a@b.example", TLS: "tls"}}, "want all three"},
		{"a mail without TLS", Destination{Form: Email, Mail: Mail{Host: "mail.example",
			From: "a@b.example", To: []string{"c@d.example"}}}, "want starttls or tls"},
		{"a mail to no address", Destination{Form: Email, Mail: Mail{Host: "mail.example",
			From: "a@b.example", To: []string{"nobody"}, TLS: "tls"}}, "want addresses"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := New("shop", []Destination{tc.to}, Options{})
			if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "secret-path") {
				t.Errorf("New = %v; want %q, and no secret", err, tc.want)
			}
		})
	}
}
