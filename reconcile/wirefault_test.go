package reconcile_test

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"adsync/internal/adsapi"
	"adsync/internal/resource"
	"adsync/reconcile"
	"adsync/state"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"
)

var wireStride = flag.Int("wire-stride", 9, "every how manieth request of an apply a toxic strikes")

// toxicLine is a line to the service through toxiproxy, every request on a
// connection of its own, that is sick while the chosen request is under way.
type toxicLine struct {
	t     *testing.T
	proxy *toxiproxy.Proxy
	plain *http.Transport
	toxic string // as toxiproxy reads it
	at    int    // the request it strikes, from 1; 0 none
	stays bool   // for all requests after it, too

	mu    sync.Mutex
	count int
	broke int // requests that got no whole answer
}

func newToxicLine(t *testing.T, w *world) *toxicLine {
	t.Helper()
	service, err := url.Parse(w.service.BaseURL)
	if err != nil {
		t.Fatal(err)
	}
	zerolog.SetGlobalLevel(zerolog.Disabled) // one toxic writes to a logger of its own
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())
	proxy := toxiproxy.NewProxy(server, "service", "127.0.0.1:0", service.Host)
	if err := proxy.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(proxy.Stop)
	return &toxicLine{t: t, proxy: proxy, plain: &http.Transport{DisableKeepAlives: true}}
}

// RoundTrip is one request at a time: the toxic is for it alone.
func (l *toxicLine) RoundTrip(r *http.Request) (*http.Response, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.count++
	struck := l.at > 0 && (l.count == l.at || l.stays && l.count > l.at)
	if l.count == l.at {
		if _, err := l.proxy.Toxics.AddToxicJson(strings.NewReader(l.toxic)); err != nil {
			l.t.Errorf("toxic %s: %v", l.toxic, err)
		}
	}
	response, err := l.plain.RoundTrip(r)
	if err != nil {
		l.broke++
	}
	if !struck || err != nil {
		l.heal()
		return response, err
	}
	response.Body = &watched{response.Body, l}
	return response, nil
}

// heal takes the toxic away once its request has ended.
func (l *toxicLine) heal() {
	if !l.stays {
		l.proxy.Toxics.ResetToxics(l.t.Context())
	}
}

// watched counts bodies that break, and heals the line when one is closed.
type watched struct {
	io.ReadCloser
	line *toxicLine
}

func (b *watched) Read(into []byte) (int, error) {
	n, err := b.ReadCloser.Read(into)
	if err != nil && err != io.EOF {
		b.line.broke++
	}
	return n, err
}

func (b *watched) Close() error {
	defer b.line.heal()
	return b.ReadCloser.Close()
}

// agent is one that reaches the service through the line, and does not wait long.
func (l *toxicLine) agent(w *world) *reconcile.Agent {
	l.t.Helper()
	agent := w.newAgent()
	client, err := adsapi.New(adsapi.Config{
		BaseURL: "http://" + l.proxy.Listen + "/v1", Key: adsapi.NewSecret(w.service.Key), Transport: l,
		Limits: adsapi.Limits{PerEndpoint: 1e6, Overall: 1e6, Bulk: 1e6}, Now: w.now, Sleep: w.sleep,
		RequestTimeout: 250 * time.Millisecond, MaxAttempts: 3,
	})
	if err != nil {
		l.t.Fatal(err)
	}
	agent.Service = client
	return agent
}

// mixed has a clean tree, and files that ask for a new tree in a job, an ad group
// beneath the old one, an update and a pause.
func mixed(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.tree("spring", "active")
	w.clean()
	w.tree("autumn", "active")
	w.group("New")
	w.write("campaign/spring", map[string]any{
		"name": "Renamed", "status": "active", "bidding_type": "clicks",
		"budget.lifetime": 90_000_000, "targeting.countries": []string{"CA", "US"},
	})
	w.desired.Get(address("ad/spring/g/a")).Set("status", resource.Text("paused"))
	return w
}

// toxics are the faults of a line; downstream is the way of answers.
var toxics = []struct {
	name, toxic string
	harmless    bool // the apply goes on as if nothing was
}{
	{"a slow line", `{"name":"x","type":"latency","stream":"downstream","attributes":{"latency":20,"jitter":10}}`,
		true},
	{"answers in slices",
		`{"name":"x","type":"slicer","stream":"downstream","attributes":{"average_size":16,"size_variation":8,"delay":50}}`,
		true},
	{"requests in slices",
		`{"name":"x","type":"slicer","stream":"upstream","attributes":{"average_size":64,"size_variation":8,"delay":50}}`,
		true},
	{"a request that never arrives",
		`{"name":"x","type":"timeout","stream":"upstream","attributes":{"timeout":20}}`, false},
	{"an answer that never arrives",
		`{"name":"x","type":"timeout","stream":"downstream","attributes":{"timeout":0}}`, false},
	{"a reset before the request is whole",
		`{"name":"x","type":"reset_peer","stream":"upstream","attributes":{"timeout":0}}`, false},
	{"a reset after the service has done it",
		`{"name":"x","type":"reset_peer","stream":"downstream","attributes":{"timeout":30}}`, false},
	{"a request cut in the middle",
		`{"name":"x","type":"limit_data","stream":"upstream","attributes":{"bytes":120}}`, false},
	{"no byte of an answer", `{"name":"x","type":"limit_data","stream":"downstream","attributes":{"bytes":0}}`, false},
	{"an answer cut in its body",
		`{"name":"x","type":"limit_data","stream":"downstream","attributes":{"bytes":260}}`, false},
	{"an answer at a crawl", `{"name":"x","type":"bandwidth","stream":"downstream","attributes":{"rate":1}}`, false},
}

// N1 to N4, L5: whatever request of an apply a line fails at, and in whatever way,
// the account ends as the files say, and everything is made once.
func TestApplyThroughABrokenLineDoublesAndLosesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	whole := mixed(t)
	healthy := newToxicLine(t, whole)
	whole.agent = healthy.agent(whole)
	whole.apply()
	total, want, born := healthy.count, whole.picture(), whole.creates(whole.mutations())
	for i, toxic := range toxics {
		t.Run(toxic.name, func(t *testing.T) {
			broke := 0
			for at := 1 + i%*wireStride; at <= total; at += *wireStride {
				w := mixed(t)
				l := newToxicLine(t, w)
				l.toxic, l.at = toxic.toxic, at
				err := l.through(w)
				if toxic.harmless && err != nil {
					t.Errorf("request %d of %d: %v; want the apply to go on", at, total, err)
				}
				w.ends(fmt.Sprintf("request %d of %d", at, total), want, born)
				broke += l.broke
			}
			if broke == 0 != toxic.harmless {
				t.Errorf("%d requests broke; want none exactly where the toxic is harmless", broke)
			}
		})
	}
}

// L5: a line that stays broken ends the run; once it is whole again, the next
// apply ends what this one left open.
func TestApplyThroughALineThatStaysBroken(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	whole := mixed(t)
	whole.apply()
	want, born := whole.picture(), whole.creates(whole.mutations())
	for i, toxic := range toxics {
		if toxic.harmless {
			continue
		}
		t.Run(toxic.name, func(t *testing.T) {
			w := mixed(t)
			l := newToxicLine(t, w)
			l.toxic, l.at, l.stays = toxic.toxic, 5+2*i, true
			if err := l.through(w); err == nil && !strings.Contains(toxic.name, "crawl") {
				t.Error("the apply ended well; want an error")
			}
			w.ends("afterwards", want, born)
		})
	}
}

// through is one run of the command over the line.
func (l *toxicLine) through(w *world) error {
	w.agent = l.agent(w)
	err := w.run()
	w.agent = w.newAgent()
	return err
}

// ends holds that the next runs, over a whole line, come to the wanted end.
func (w *world) ends(when, want string, born map[string]int) {
	w.t.Helper()
	for range 3 {
		if err := w.run(); err != nil && !errors.Is(err, errInPart) {
			w.t.Errorf("%s: the run afterwards: %v", when, err)
		}
	}
	if diff := cmp.Diff(want, w.picture()); diff != "" {
		w.t.Errorf("%s: the account differs (-want +got):\n%s", when, diff)
	}
	if diff := cmp.Diff(born, w.creates(w.mutations())); diff != "" {
		w.t.Errorf("%s: creates differ (-want +got):\n%s", when, diff)
	}
	if again := w.plan().Plan; len(again.Changes) != 0 {
		w.t.Errorf("%s: the last plan has %d changes; want none: %s", when, len(again.Changes), describe(again))
	}
}

// run is recover, plan and apply, as the command does it.
func (w *world) run() error {
	if _, err := w.agent.Recover(w.t.Context()); err != nil {
		return err
	}
	view, err := w.agent.Plan(w.t.Context(), w.asks())
	if err != nil {
		return err
	}
	report, err := w.agent.Apply(w.t.Context(), view)
	if err == nil && report.Count(state.OutcomeApplied) < len(report.Outcomes) {
		return errInPart
	}
	return err
}

// errInPart is an apply that ended with less than everything applied.
var errInPart = errors.New("applied in part")
