package notify

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"adsync/internal/daemon"
	"adsync/internal/orders"
	"adsync/internal/secret"
	"adsync/state/kv"

	"github.com/google/go-cmp/cmp"
)

var pausedAt = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func pause(became orders.Paused) daemon.StandingPause {
	return daemon.StandingPause{Pause: orders.Pause{ID: "0a", By: "ann", Reason: "wrong page", Since: pausedAt,
		Resource: "cmpn_1", Name: "Spring"}, Paused: became}
}

func settled() orders.Paused {
	return orders.Paused{Settled: true, At: pausedAt.Add(time.Minute),
		All:   []orders.Was{{ID: "cmpn_1", Name: "Spring"}},
		Could: orders.Possible{Currency: "USD", Day: 80_000_000}}
}

func named(p daemon.StandingPause, name string) daemon.StandingPause {
	p.Name = name
	return p
}

func nobody() ([]daemon.Ordered, error) { return nil, errors.New("the log is away") }

func bob() ([]daemon.Ordered, error) {
	on := func(at time.Time, by, of string) daemon.Ordered {
		return daemon.Ordered{Time: at, Order: orders.GoingOn, By: by, Reason: "mended", Of: of}
	}
	return []daemon.Ordered{on(pausedAt.Add(-time.Hour), "too early", "Spring"),
		on(pausedAt.Add(time.Hour), "bob", "Spring"),
		on(pausedAt.Add(time.Hour), "of another", "Autumn")}, nil
}

func again() ([]daemon.Ordered, error) {
	all, err := bob()
	return append(all, daemon.Ordered{Time: pausedAt.Add(2 * time.Hour), Order: orders.GoingOn, By: "bob",
		Reason: "mended", Of: "Spring"}), err
}

// TestPausesAreToldOnce: what became of each, whatever the process that tells, and nothing twice.
func TestPausesAreToldOnce(t *testing.T) {
	const ordered = "paused by ann on 2026-03-01 12:00 UTC: wrong page"
	const done = "Spring is paused: carried out at the service on 2026-03-01 12:01 UTC; " +
		"it could spend 80.00 USD a day; " + ordered
	const stays = "Spring does not go on: Spring was not started: it waits for approval; " +
		"ordered by bob on 2026-03-01 13:00 UTC: mended"
	refused, away := settled(), errors.New("HTTP 503").Error()
	refused.Said = "Spring was not started: it waits for approval"
	going := pause(settled())
	going.GoOn = &orders.GoOn{By: "bob"}
	unable := orders.Paused{Said: "Spring still delivers: archived"}
	type run struct {
		standing []daemon.StandingPause
		failure  string
		by       func() ([]daemon.Ordered, error)
	}
	nothing := run{by: nobody}
	of := func(p daemon.StandingPause) run { return run{[]daemon.StandingPause{p}, "", bob} }
	for _, tc := range []struct {
		name string
		runs []run
		want []string
	}{
		{"there is none", []run{nothing, nothing}, nil},
		{"carried out", []run{of(pause(settled())), of(pause(settled()))}, []string{done}},
		{"not reached yet", []run{of(pause(orders.Paused{})), of(pause(settled()))}, []string{done}},
		{"the service is away", []run{{[]daemon.StandingPause{pause(orders.Paused{})}, away, nobody},
			{[]daemon.StandingPause{pause(orders.Paused{})}, "HTTP 502", nobody}, of(pause(settled()))},
			[]string{"Spring is not paused yet: HTTP 503; " + ordered, done}},
		{"the service refuses it", []run{of(pause(unable)), of(pause(unable))},
			[]string{"Spring is not paused yet: Spring still delivers: archived; " + ordered}},
		{"it had paused nothing", []run{of(pause(orders.Paused{Settled: true, At: pausedAt}))},
			[]string{"Spring is paused: carried out at the service on 2026-03-01 12:00 UTC; " +
				"nothing of it delivered; " + ordered}},
		{"its name was not known", []run{of(named(pause(settled()), "cmpn_1"))}, []string{done}},
		{"and goes on", []run{of(pause(settled())), of(going), {by: bob}, {by: bob}},
			[]string{done, "Spring goes on: ordered by bob on 2026-03-01 13:00 UTC: mended; it was " + ordered}},
		{"and nobody says who had it go on", []run{of(pause(settled())), nothing},
			[]string{done, "Spring is not paused any more: nothing is left of what was " + ordered}},
		{"and does not go on", []run{of(pause(settled())), of(pause(refused)), of(pause(refused)), of(going),
			of(pause(refused))}, []string{done, stays}},
		{"and does not, as it is ordered anew", []run{of(pause(settled())), of(pause(refused)),
			{[]daemon.StandingPause{pause(refused)}, "", again}},
			[]string{done, stays, strings.Replace(stays, "13:00", "14:00", 1)}},
		{"and nobody says who ordered it", []run{of(pause(settled())),
			{[]daemon.StandingPause{pause(refused)}, "", nobody},
			{[]daemon.StandingPause{pause(refused)}, "", nobody}},
			[]string{done, "Spring does not go on: " + refused.Said}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var got []string
				kept := kv.Folder{Dir: t.TempDir()}
				for _, r := range tc.runs { // each by another process
					n := notifierOf(t, kept, func(m *Message) {
						for _, s := range m.Sections {
							got = append(got, s.Title+": "+s.Items[0].Text)
						}
					})
					n.TellPauses(r.standing, r.failure, r.by)
					n.Flush(t.Context())
				}
				if d := cmp.Diff(tc.want, got); d != "" {
					t.Errorf("people hear (-want +got):\n%s", d)
				}
			})
		})
	}
}

// TestPausesThatWaitAreOneMessage, of which each is named.
func TestPausesThatWaitAreOneMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []Section
		n := notifierOf(t, kv.Folder{Dir: t.TempDir()}, func(m *Message) {
			if got = append(got, m.Sections...); m.Page != page {
				t.Errorf("it links to %q; want the page", m.Page)
			}
		})
		other := pause(settled())
		other.ID, other.Resource, other.Name = "0b", "cmpn_2", "Autumn\x1b[2J\u202e"
		n.TellPauses([]daemon.StandingPause{pause(settled()), other}, "", nobody)
		n.TellPauses(nil, "", bob)
		n.Flush(t.Context())
		if len(got) != 1 || got[0].Title != "4 orders to pause or to go on" || len(got[0].Items) != 4 {
			t.Fatalf("people hear %+v; want four in one", got)
		}
		for _, item := range got[0].Items {
			if strings.ContainsAny(item.Text, "\x1b\u202e") {
				t.Errorf("it says %q; want nothing that hides", item.Text)
			}
		}
	})
}

const page = "https://ads.example.com/accounts/shop"

// TestALongNamePushesNoFigureOut of what people hear of a pause, nor a long reason.
func TestALongNamePushesNoFigureOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []Section
		n := notifierOf(t, kv.Folder{Dir: t.TempDir()}, func(m *Message) { got = append(got, m.Sections...) })
		long := pause(settled())
		long.Name, long.Reason = strings.Repeat("ä", 1000), strings.Repeat("why ", 125)
		n.TellPauses([]daemon.StandingPause{long}, "", nobody)
		n.Flush(t.Context())
		if len(got) != 1 || !strings.HasSuffix(got[0].Title, "… is paused") ||
			!strings.Contains(got[0].Items[0].Text, "80.00 USD a day; paused by ann") {
			t.Errorf("people hear %+v; want what is paused, and what it could spend", got)
		}
	})
}

// sees is a place that takes each message.
type sees func(*Message)

// notifierOf tells one place, and keeps what it told.
func notifierOf(t *testing.T, kept kv.Store, see sees) *Notifier {
	t.Helper()
	n, err := New("shop", []Destination{{Name: "hook", Form: Slack, URL: secret.New("https://hooks.example/x")}},
		Options{Send: see, Kept: kept, Page: page})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func (s sees) Send(_ context.Context, _ *Destination, m *Message) error {
	s(m)
	return nil
}
