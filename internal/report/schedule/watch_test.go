package schedule

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"adsync/internal/figures"
	"adsync/internal/insights"
	"adsync/state/kv"

	"github.com/google/go-cmp/cmp"
)

// story is an account in New York whose figures are read at some moments, and the daemon that sends its reports.
type story struct {
	name  string
	plan  Plan
	begin string   // when the daemon begins
	reads []string // when the days until then are read, also before the daemon begins
	fails int      // how many attempts fail, or queued
	until string
	want  []string
}

// queued in the place of failures: others send the report, and have not done so by then.
const queued = -1

// local is a moment in New York.
const local = "2006-01-02 15:04"

func TestReportsAreSentAtTheirHours(t *testing.T) {
	monday := Plan{Day: "monday", At: 8 * time.Hour, Span: "last-week", To: []string{"email-1"}}
	daily := Plan{Day: "daily", At: 7 * time.Hour, Span: "yesterday", To: []string{"email-1"}}
	for _, s := range []story{
		{"figures were read after midnight: at the hour", monday, "2026-11-22 12:00",
			[]string{"2026-11-22 12:05", "2026-11-23 00:40", "2026-11-23 01:40"}, 0, "2026-11-29 12:00",
			[]string{"2026-11-23 08:00 2026-11-16..2026-11-22 to email-1"}},
		{"to two places", Plan{Day: "monday", At: 8 * time.Hour, Span: "last-week", To: []string{"email-1", "slack-2"}},
			"2026-11-23 07:00", []string{"2026-11-23 07:05"}, 0, "2026-11-24 12:00",
			[]string{"2026-11-23 08:00 2026-11-16..2026-11-22 to email-1",
				"2026-11-23 08:00 2026-11-16..2026-11-22 to slack-2"}},
		{"the daemon was down at the hour: once the figures are read", monday, "2026-11-23 16:00",
			[]string{"2026-11-21 09:00", "2026-11-23 16:01"}, 0, "2026-11-24 12:00",
			[]string{"2026-11-23 16:01 2026-11-16..2026-11-22 to email-1"}},
		{"the daemon was down for the day", monday, "2026-11-24 09:00",
			[]string{"2026-11-24 09:01"}, 0, "2026-11-25 12:00", nil},
		{"figures come late", monday, "2026-11-22 12:00",
			[]string{"2026-11-22 12:05", "2026-11-23 09:10"}, 0, "2026-11-24 12:00",
			[]string{"2026-11-23 09:10 2026-11-16..2026-11-22 to email-1"}},
		{"figures do not come: after two hours", monday, "2026-11-22 12:00",
			[]string{"2026-11-22 12:05"}, 0, "2026-11-24 12:00",
			[]string{"2026-11-23 10:00 2026-11-16..2026-11-22 to email-1"}},
		{"figures do not come after a start: after twenty minutes", monday, "2026-11-23 16:00",
			[]string{"2026-11-22 12:05"}, 0, "2026-11-24 12:00",
			[]string{"2026-11-23 16:20 2026-11-16..2026-11-22 to email-1"}},
		{"figures do not come before the day ends", monday, "2026-11-23 23:50",
			[]string{"2026-11-22 12:05"}, 0, "2026-11-24 12:00",
			[]string{"2026-11-23 23:55 2026-11-16..2026-11-22 to email-1"}},
		{"nothing was ever read: nobody knows the zone", monday, "2026-11-23 07:00", nil, 0, "2026-11-24 12:00", nil},
		{"today is not waited for", Plan{Day: "daily", At: 18 * time.Hour, Span: "today", To: []string{"email-1"}},
			"2026-11-23 12:00", []string{"2026-11-23 12:01"}, 0, "2026-11-23 23:00",
			[]string{"2026-11-23 18:00 2026-11-23..2026-11-23 to email-1"}},
		{"each day, over the night that is an hour longer", daily, "2026-10-31 06:00",
			[]string{"2026-10-31 06:05", "2026-11-01 00:30", "2026-11-02 00:30"}, 0, "2026-11-02 12:00",
			[]string{"2026-10-31 07:00 2026-10-30..2026-10-30 to email-1",
				"2026-11-01 07:00 2026-10-31..2026-10-31 to email-1",
				"2026-11-02 07:00 2026-11-01..2026-11-01 to email-1"}},
		{"each day of the same days: once", Plan{Day: "daily", At: 7 * time.Hour, Span: "last-week",
			To: []string{"email-1"}}, "2026-11-23 06:00",
			[]string{"2026-11-23 06:05"}, 0, "2026-11-28 12:00",
			[]string{"2026-11-23 07:00 2026-11-16..2026-11-22 to email-1"}},
		{"the place is away: until it is back, whatever is read meanwhile", daily, "2026-11-23 06:00",
			[]string{"2026-11-23 06:05", "2026-11-23 07:02"}, 2, "2026-11-23 12:00",
			[]string{"2026-11-23 07:00 fails", "2026-11-23 07:01 fails",
				"2026-11-23 07:03 2026-11-22..2026-11-22 to email-1"}},
		{"the place is away for the day", daily, "2026-11-23 23:58",
			[]string{"2026-11-23 23:50"}, 100, "2026-11-24 06:00",
			[]string{"2026-11-23 23:58 fails", "2026-11-23 23:59 fails"}},
		{"others send it: it is queued once", daily, "2026-11-23 06:00",
			[]string{"2026-11-23 06:05", "2026-11-23 07:30", "2026-11-23 08:30"}, queued, "2026-11-23 12:00",
			[]string{"2026-11-23 07:00 2026-11-22..2026-11-22 to email-1"}},
	} {
		t.Run(s.name, func(t *testing.T) { synctest.Test(t, s.run) })
	}
}

func (s *story) run(t *testing.T) {
	zone, store := in(t, "America/New_York"), kv.Folder{Dir: t.TempDir()}
	at := func(text string) time.Time {
		moment, err := time.ParseInLocation(local, text, zone)
		if err != nil {
			t.Fatal(err)
		}
		return moment
	}
	origin, bell := time.Now(), make(chan struct{}, 1)
	now := func() time.Time { return at(s.begin).Add(time.Since(origin)) }
	var have []string
	left := s.fails
	w := &Watch{
		Plans: []Plan{s.plan}, Kept: figures.Kept{Store: store}, Now: now, Bell: bell,
		Wait: func(attempt int, _ error) time.Duration { return time.Duration(attempt) * time.Minute },
		Note: func(error) {},
		Send: func(_ context.Context, d Due) error {
			if left--; left >= 0 {
				have = append(have, now().In(zone).Format(local)+" fails")
				return errors.New("away")
			}
			place := s.plan.To[d.To]
			have = append(have, fmt.Sprintf("%s %s to %s", now().In(zone).Format(local), name(d.Span), place))
			if s.fails == queued {
				return nil
			}
			return Note(store, place, d.Span, Sent{Begun: now(), Ended: now()})
		},
	}
	read := func(moment time.Time) {
		taken := map[string]int64{}
		for back := range 28 {
			taken[moment.In(zone).AddDate(0, 0, -back).Format(time.DateOnly)] = moment.Unix()
		}
		index := figures.Index{FormatVersion: 1, Currency: "USD", Zone: zone.String(), Taken: taken}
		content, err := json.Marshal(index)
		if err == nil {
			err = store.Put("figures/index.json", content)
		}
		if err != nil {
			t.Error(err)
		}
	}
	later := s.reads
	for len(later) > 0 && at(later[0]).Before(at(s.begin)) {
		read(at(later[0]))
		later = later[1:]
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); w.Run(ctx) }()
	for _, moment := range later {
		time.Sleep(at(moment).Sub(now()))
		read(at(moment))
		bell <- struct{}{}
	}
	time.Sleep(at(s.until).Sub(now()))
	stop()
	<-ended
	if diff := cmp.Diff(s.want, have); diff != "" {
		t.Error(diff)
	}
}

// What was sent is known after a restart, and what was begun alone is sent again. A record that is damaged costs a
// repetition and nothing else.
func TestWhatWasSentIsKept(t *testing.T) {
	store := kv.Folder{Dir: t.TempDir()}
	week := insights.Span{From: "2026-11-16", To: "2026-11-22"}
	monday := time.Date(2026, 11, 23, 13, 0, 0, 0, time.UTC)
	note := func(place string, days insights.Span, is Sent) {
		t.Helper()
		if err := Note(store, place, days, is); err != nil {
			t.Fatal(err)
		}
	}
	of := func(place string, days insights.Span) Sent {
		t.Helper()
		r, err := Read(store)
		if err != nil {
			t.Fatal(err)
		}
		return r.Of(place, days)
	}
	note("email-1", week, Sent{Begun: monday, Reached: map[int]bool{1: true}})
	if is := of("email-1", week); !is.Ended.IsZero() || !is.Reached[1] {
		t.Errorf("of a report that was begun it says %+v", is)
	}
	note("email-1", week, Sent{Begun: monday, Ended: monday})
	sunday := insights.Span{From: "2026-11-22", To: "2026-11-22"}
	note("slack-2", sunday, Sent{Begun: monday, Refused: true, Ended: monday})
	if is := of("email-1", week); is.Ended.IsZero() || of("slack-2", week).Ended.Equal(monday) {
		t.Errorf("of a report that was sent it says %+v", is)
	}
	note("slack-2", week, Sent{Begun: monday.AddDate(0, 0, 61)})
	if is := of("email-1", week); !is.Begun.IsZero() {
		t.Errorf("after two months it still says %+v", is)
	}
	if err := store.Put(RecordName, []byte("{damaged")); err != nil {
		t.Fatal(err)
	}
	if is := of("slack-2", week); !is.Begun.IsZero() {
		t.Errorf("a damaged record says %+v", is)
	}
	note("slack-2", week, Sent{Begun: monday})
	if is := of("slack-2", week); !is.Begun.Equal(monday) {
		t.Errorf("after a damaged record it says %+v", is)
	}
}

// A key leads any process with the same plans to the same report, and to none where it has others.
func TestAReportIsFoundByItsKey(t *testing.T) {
	zone := in(t, "America/New_York")
	plans := []Plan{
		{Day: "daily", At: 7 * time.Hour, Span: "yesterday", To: []string{"email-1"}},
		{Day: "first-of-month", At: 8 * time.Hour, Span: "last-month", To: []string{"slack-2", "email-1"}},
	}
	for _, row := range []struct{ key, want string }{
		{"email-1 yesterday 2026-11-23",
			"email-1 gets 2026-11-22..2026-11-22 of 2026-11-23 07:00 until 2026-11-24 00:00"},
		{"email-1 last-month 2026-12-01",
			"email-1 gets 2026-11-01..2026-11-30 of 2026-12-01 08:00 until 2026-12-02 00:00"},
		{"email-1 last-month 2026-12-02", ""},
		{"slack-2 yesterday 2026-11-23", ""},
		{"email-1 yesterday", ""},
		{"email-1 yesterday monday", ""},
	} {
		d, found := Find(plans, row.key, zone)
		have := ""
		if found {
			have = fmt.Sprintf("%s gets %s of %s until %s", plans[d.Plan].To[d.To], name(d.Span), d.Hour.Format(local),
				d.Ends.Format(local))
		}
		if have != row.want || found && d.Key(plans) != row.key {
			t.Errorf("Find(%s) = %q, want %q; its key is that again", row.key, have, row.want)
		}
	}
}
