package notify

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"adsync/internal/daemon"

	"github.com/google/go-cmp/cmp"
)

func applied(run, count int) Situation {
	return Situation{Class: daemon.Applied, Planned: true, Applied: count, Run: fmt.Sprintf("run-%d", run)}
}

func drifted(name string) Situation {
	return Situation{Class: daemon.InSync, Planned: true, Drift: []Item{{Text: name + ": budget changed outside"}}}
}

func suspended(reason string) Situation {
	return Situation{Class: daemon.Suspended, Planned: true, Suspended: &daemon.Suspension{By: "anna", Reason: reason}}
}

// A topic of which much was told keeps no other from being told at once.
func TestNoTopicSilencesAnother(t *testing.T) {
	for _, tc := range []struct {
		name  string
		comes Situation
		want  string
	}{
		{"the service refuses a row", Situation{Class: daemon.Partial, Planned: true,
			Message: "1 failed", Run: "run-900", Failed: []Item{{Text: "ad/x is failed", At: "ad/x"}}}, "1 failed"},
		{"files cannot be read", failed(daemon.Input, "2 errors"), "2 errors"},
		{"the key is refused", failed(daemon.Credentials, "the key is refused"), "the key is refused"},
		{"somebody suspends the account", suspended("prices"), "suspended by anna: prices"},
		{"somebody stops all with pause-all", suspended("pause-all"), "suspended by anna: pause-all"},
		{"somebody changes a budget outside", drifted("campaign/x"), "1 changed outside"},
		{"something waits for a yes", held("activates"), "1 waiting for approval"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			d := &desk{}
			telling(t, d, Destination{On: Topics()}, func(n *Notifier) {
				for run := range 3 * perHour {
					n.tell(applied(run, 1))
				}
				n.tell(tc.comes)
				if all := d.all(); len(all) != perHour+1 || all[perHour] != tc.want {
					t.Errorf("told at once, after %d runs that applied something:\n%q\nwant %d of them, and then %q",
						3*perHour, all, perHour, tc.want)
				}
			})
		})
	}
}

// What urgent topics have left says nothing of each other, and a flood of one is
// bounded.
func TestAFloodOfOneUrgentTopicIsBounded(t *testing.T) {
	d := &desk{}
	telling(t, d, Destination{On: Topics()}, func(n *Notifier) {
		for i := range 3 * urgentPerHour {
			n.tell(failed(daemon.Input, fmt.Sprintf("%d errors", i+1)))
		}
		if have := len(d.all()); have != urgentPerHour {
			t.Errorf("%d of `failed` left at once; want %d", have, urgentPerHour)
		}
		n.tell(failed(daemon.Credentials, "the key is refused"))
		if all := d.all(); all[len(all)-1] != "the key is refused" {
			t.Errorf("told last %q; want that the key is refused", all[len(all)-1])
		}
	})
}

// Many of one kind are one digest, which counts them and names the newest.
func TestManyOfOneKindAreOneDigest(t *testing.T) {
	var messages []*Message
	synctest.Test(t, func(t *testing.T) {
		n := newNotifier(t, senderFunc(func(_ context.Context, m *Message) error {
			messages = append(messages, m)
			return nil
		}))
		n.posts[0].On = Topics()
		for run := range perHour + 30 {
			n.tell(applied(run+1, 2))
			n.Flush(t.Context())
		}
		time.Sleep(time.Hour)
		n.Flush(t.Context())
	})
	if len(messages) != perHour+1 {
		t.Fatalf("%d messages; want %d and a digest", len(messages), perHour)
	}
	digest := messages[perHour]
	text := plainText(digest)
	for _, want := range []string{"60 applied in 30 runs",
		"- 2 applied (run-50)", "- 2 applied (run-49)", "… and 20 more", "one message in the place of 30"} {
		if !strings.Contains(text, want) {
			t.Errorf("the digest lacks %q:\n%s", want, text)
		}
	}
	if body := string(webhookBody(digest)); !strings.Contains(body, `"of":30,"count":60`) {
		t.Errorf("the digest as JSON is %s; want of 30 and count 60", body)
	}
}

// In quiet hours of the account's time zone what is urgent leaves at once. The rest
// leaves as one message when they end.
func TestQuietHours(t *testing.T) {
	const night = "2026-11-24 22:30"
	quiet := Quiet{From: 20 * time.Hour, To: 7*time.Hour + 30*time.Minute}
	noon := Quiet{From: 12 * time.Hour, To: 13 * time.Hour}
	refused := Situation{
		Class: daemon.Partial, Planned: true, Message: "1 failed",
		Run: "run-9", Failed: []Item{{Text: "ad/x is failed", At: "ad/x"}},
	}
	for _, tc := range []struct {
		name  string
		zone  string
		at    string // on the wall there
		quiet Quiet
		comes []Situation
		want  []string // when each leaves, on the wall there, and its title
	}{
		{"nothing is quiet", "Europe/Berlin", night,
			Quiet{}, []Situation{held("activates")}, []string{"24 22:30 1 waiting for approval"}},
		{"held in the evening", "Europe/Berlin", night,
			quiet, []Situation{held("activates")}, []string{"25 07:30 1 waiting for approval"}},
		{"held after midnight", "Europe/Berlin", "2026-11-25 03:00",
			quiet, []Situation{held("activates")}, []string{"25 07:30 1 waiting for approval"}},
		{"held by day", "Europe/Berlin", "2026-11-24 15:00",
			quiet, []Situation{held("activates")}, []string{"24 15:00 1 waiting for approval"}},
		{"at their end", "Europe/Berlin", "2026-11-25 07:30",
			quiet, []Situation{held("activates")}, []string{"25 07:30 1 waiting for approval"}},
		{"at their beginning", "Europe/Berlin", "2026-11-24 20:00",
			quiet, []Situation{held("activates")}, []string{"25 07:30 1 waiting for approval"}},
		{"within a day", "Europe/Berlin", "2026-11-24 12:15",
			noon, []Situation{held("activates")}, []string{"24 13:00 1 waiting for approval"}},
		{"in the zone of the account, not of the machine", "America/New_York",
			night, quiet, []Situation{held("activates")}, []string{"25 07:30 1 waiting for approval"}},
		{"as the clocks go back", "Europe/Berlin",
			"2026-10-24 22:30", quiet, []Situation{held("activates")}, []string{"25 07:30 1 waiting for approval"}},
		{"as the clocks go forward", "Europe/Berlin",
			"2026-03-28 22:30", quiet, []Situation{held("activates")}, []string{"29 07:30 1 waiting for approval"}},
		{"what is refused", "Europe/Berlin", night, quiet, []Situation{refused}, []string{"24 22:30 1 failed"}},
		{"the key", "Europe/Berlin", night, quiet, []Situation{held("activates"), failed(daemon.Credentials,
			"the key is refused")}, []string{"24 22:30 the key is refused", "25 07:30 1 waiting for approval"}},
		{"a suspension", "Europe/Berlin", night, quiet,
			[]Situation{suspended("prices")}, []string{"24 22:30 suspended by anna: prices"}},
		{"drift", "Europe/Berlin", night, quiet, []Situation{drifted("campaign/x")},
			[]string{"24 22:30 1 changed outside"}},
		{"three runs that applied something", "Europe/Berlin", night,
			quiet, []Situation{applied(1, 2), applied(2, 1), applied(3, 4)}, []string{"25 07:30 7 applied in 3 runs"}},
		{"what is not held any more in the morning",
			"Europe/Berlin", night, quiet, []Situation{held("activates"), inSync()}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			zone, err := time.LoadLocation(tc.zone)
			if err != nil {
				t.Fatal(err)
			}
			at, err := time.ParseInLocation("2006-01-02 15:04", tc.at, zone)
			if err != nil {
				t.Fatal(err)
			}
			d := &desk{}
			telling(t, d, Destination{On: Topics(), Quiet: tc.quiet}, func(n *Notifier) {
				time.Sleep(time.Until(at))
				for _, s := range tc.comes {
					s.Zone = tc.zone
					n.tell(s)
				}
				time.Sleep(13 * time.Hour)
			})
			var have []string
			for i, title := range d.sent {
				have = append(have, d.at[i].In(zone).Format("02 15:04 ")+title)
			}
			if diff := cmp.Diff(tc.want, have); diff != "" {
				t.Errorf("told (-want +have):\n%s", diff)
			}
		})
	}
}
