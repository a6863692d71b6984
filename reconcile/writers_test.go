package reconcile_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"adsync/internal/emulator"
	"adsync/reconcile/live"

	"github.com/google/go-cmp/cmp"
)

// Who else changes several resources of an account is told by the audit log: under
// another name, or with adsync's own key at a time in which this adsync wrote nothing.
// Its own applies are nobody else, and a change or two are no tool.
func TestWhoElseWritesToTheAccount(t *testing.T) {
	const stranger = "sk-a-stranger"
	for _, tc := range []struct {
		name    string
		key     string // of who renames campaigns; "" is adsync's own
		renames int
		fights  bool          // it renames in the minutes of the apply as well
		after   time.Duration // the last apply ended
		ahead   time.Duration // how much the clock of this machine is ahead of the service's
		log     http.RoundTripper
		want    []string
	}{
		{name: "nobody", want: nil},
		{name: "another tool", key: stranger, renames: 3, want: []string{"another, 3 changed, 3 managed"}},
		{name: "another tool, as adsync applies", key: stranger,
			renames: 4, want: []string{"another, 4 changed, 4 managed"}},
		{name: "another adsync with the same key",
			renames: 3, after: time.Hour, want: []string{"adsync's own, 3 changed, 3 managed"}},
		{name: "another that fights over the same campaigns",
			key: stranger, renames: 3, fights: true, after: time.Hour, want: []string{"another, 3 changed, 3 managed"}},
		{name: "adsync itself", renames: 3, want: nil},
		{name: "adsync itself, by a clock that is ahead", renames: 3, ahead: 10 * time.Minute, want: nil},
		{name: "another adsync with the same key, by a clock that is behind", renames: 3, after: time.Hour,
			ahead: -10 * time.Minute, want: []string{"adsync's own, 3 changed, 3 managed"}},
		{name: "somebody who changes two", key: stranger, renames: 2, want: nil},
		{name: "the log cannot be read", key: stranger, renames: 3, log: refusing{"/audit_logs"}, want: nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t, func(o *emulator.Options) {
				o.Accounts[0].Keys = append(o.Accounts[0].Keys, emulator.APIKey{Name: "stranger", Key: stranger})
			})
			w.slept += tc.ahead
			for i := range 4 {
				w.tree(fmt.Sprint("c", i), "active")
			}
			began := w.now()
			w.clean()
			ended := w.now()
			shown := w.plan().Live.Snapshot
			rename := func(words string) {
				for i := range tc.renames {
					id := shown.Get(address(fmt.Sprint("campaign/c", i))).ID
					var headers []string
					if tc.key != "" {
						headers = []string{"Authorization", "Bearer " + tc.key}
					}
					w.service.Must(t, http.MethodPost,
						"/campaigns/"+id, map[string]any{"description": words}, headers...)
				}
			}
			if tc.fights {
				rename("early")
			}
			if tc.after > 0 {
				noErr(t, w.sleep(t.Context(), tc.after))
			}
			rename("late")
			if tc.log != nil {
				w.agent = w.through(tc.log, w.store)
			}
			writers, err := w.agent.OtherWriters(t.Context(),
				w.now().Add(-24*time.Hour), []live.Span{{From: began, To: ended}})
			noErr(t, err)
			var have []string
			for _, one := range writers {
				who := "another"
				if one.OwnKey {
					who = "adsync's own"
				}
				if !strings.HasPrefix(one.Actor, "api_key ") {
					t.Errorf("the actor is %q; want the one of the log", one.Actor)
				}
				have = append(have, fmt.Sprintf("%s, %d changed, %d managed", who, one.Resources, one.Managed))
			}
			if diff := cmp.Diff(tc.want, have); diff != "" {
				t.Errorf("OtherWriters (-want +have):\n%s", diff)
			}
		})
	}
}

// What others did is kept from what is read of the audit log to see what changed: not what adsync did itself, nor what
// was before, and without a request more.
func TestWhatOthersDidIsHeard(t *testing.T) {
	const stranger = "sk-a-stranger"
	for _, tc := range []struct {
		name  string
		key   string        // of who changes a campaign; "" is adsync's own
		own   []string      // by which names adsync was known before
		after time.Duration // the apply
		log   http.RoundTripper
		want  int
	}{
		{name: "a stranger, at the same time", key: stranger, want: 2},
		{name: "a stranger, later", key: stranger, after: time.Hour, want: 2},
		{name: "a stranger, where adsync had another name", key: stranger, own: []string{"api_key former"}, want: 2},
		{name: "adsync's own key, at the same time", want: 0},
		{name: "adsync's own key, while it wrote nothing", after: time.Hour, want: 2},
		{name: "the log cannot be read", key: stranger, log: refusing{"/audit_logs"}, want: 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t, func(o *emulator.Options) {
				o.Accounts[0].Keys = append(o.Accounts[0].Keys, emulator.APIKey{Name: "stranger", Key: stranger})
			})
			headers := []string{}
			if tc.key != "" {
				headers = []string{"Authorization", "Bearer " + tc.key}
			}
			w.tree("before", "active")
			w.tree("spring", "active")
			w.agent.Incremental = true
			began := w.now()
			w.clean()
			busy := []live.Span{{From: began, To: w.now()}}
			id := w.plan().Live.Snapshot.Get(address("campaign/spring")).ID
			_, own, err := w.agent.Heard(t.Context(), began, busy, tc.own)
			noErr(t, err)
			noErr(t, w.sleep(t.Context(), tc.after))
			for _, words := range []string{"theirs", "as it was"} {
				w.service.Must(t, http.MethodPost, "/campaigns/"+id, map[string]any{"description": words}, headers...)
			}
			if tc.log != nil {
				w.agent = w.through(tc.log, w.store)
				w.agent.Incremental = true
			}
			w.plan()
			others, known, err := w.agent.Heard(t.Context(), began, busy, own)
			noErr(t, err)
			if len(others) != tc.want || !slices.Equal(known, own) || len(own) != len(tc.own)+1 {
				t.Errorf("Heard(%q) = %v, %q; want %d entries", own, others, known, tc.want)
			}
			for _, o := range others {
				if o.Object != id || o.Address != "campaign/spring" || o.Action != "update_campaign" ||
					len(o.Changes) != 1 || slices.Contains(own, o.Actor) != (tc.key == "") {
					t.Errorf("it is %+v; want what was done to %s", o, id)
				}
			}
			late, _, err := w.agent.Heard(t.Context(), w.now().Add(time.Hour), busy, own)
			if err != nil || late != nil {
				t.Errorf("since a time to come there is %v, %v", late, err)
			}
		})
	}
}

func noErr(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
