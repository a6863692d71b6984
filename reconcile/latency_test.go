package reconcile_test

import (
	"net/http"
	"path"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// performance.md: with 50 ms a request and the limits of the service on, a full
// create takes little more than four fifths of the limits let it, with lists and
// without; none is refused. At a tenth of its size there are too few requests for
// the limits to matter, so that only the whole says how much time is lost.
func TestAFullCreateWaitsForTheLimitsAlone(t *testing.T) {
	if testing.Short() {
		return
	}
	for _, row := range []struct {
		name     string
		unlisted bool
		small    int // campaigns, where not all is tried
		percent  time.Duration
	}{
		{"with lists", false, 5000, 105},
		{"without lists", true, 1000, 105},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSimulation(t, always(0))
				s.unlisted = row.unlisted
				campaigns := row.small
				if *whole {
					campaigns = 5000
				}
				s.fill(account{campaigns, 1, 1, 0})
				took, least := s.applied(), s.dictated()
				if 100*took > row.percent*least || s.limited > 0 {
					t.Errorf("it took %s, %d refused; want at most %d %% of %s, and none: %s",
						took, s.limited, row.percent, least, s.counter)
				}
				t.Logf("%d campaigns %s: %s of %s, %.3f; %s",
					campaigns, row.name, took, least, took.Seconds()/least.Seconds(), s.counter)
			})
		})
	}
}

// timed notes when requests went out; each takes its time.
type timed struct {
	next http.RoundTripper

	mu   sync.Mutex
	sent map[string][]time.Time // by endpoint, "" is all
}

func (l *timed) RoundTrip(r *http.Request) (*http.Response, error) {
	endpoint := r.Method + " " + path.Dir(r.URL.Path)
	if path.Dir(r.URL.Path) == "/v1" { // a list
		endpoint = r.Method + " " + r.URL.Path
	}
	l.mu.Lock()
	if l.sent == nil {
		l.sent = map[string][]time.Time{}
	}
	for _, name := range []string{"", endpoint} {
		l.sent[name] = append(l.sent[name], time.Now())
	}
	l.mu.Unlock()
	time.Sleep(latency)
	return l.next.RoundTrip(r)
}

// most is how many requests went out in any minute, in all and to one endpoint.
func (l *timed) most() (all, one int) {
	for name, times := range l.sent {
		from := 0
		for i, at := range times {
			for at.Sub(times[from]) >= time.Minute {
				from++
			}
			if name == "" {
				all = max(all, i-from+1)
				continue
			}
			one = max(one, i-from+1)
		}
	}
	return all, one
}
