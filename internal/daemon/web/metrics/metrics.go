// Package metrics counts the runs of a daemon, and writes them with what its accounts are now in the form Prometheus
// reads.
//
// It refuses to keep what an account is: that is read when somebody asks. Its invariant: there is no series of an
// account that is not configured.
package metrics

import (
	"maps"
	"net/http"
	"sync"
	"time"

	"adsync/internal/daemon"
	"adsync/internal/planview"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Counts counts the runs, as a daemon.Observer. What an account is now is read
// from the desk when somebody asks.
type Counts struct {
	registry *prometheus.Registry
	runs     *prometheus.CounterVec
	took     *prometheus.HistogramVec
	changes  *prometheus.CounterVec
	requests *prometheus.CounterVec
	looks    *prometheus.CounterVec
	broke    *prometheus.CounterVec

	mu   sync.Mutex
	held map[string]map[string]int // of the last plan of each account that ran, by hazard
}

// New returns counts with a registry of their own.
func New() *Counts {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	m := &Counts{
		registry: prometheus.NewRegistry(), held: map[string]map[string]int{},
		runs: counter("adsync_runs_total", "Runs that ended, by how they ended.", "account", "class"),
		looks: counter("adsync_looks_total",
			"Looks at files and account that found all as it was, and began no run.", "account"),
		changes: counter("adsync_changes_total", "Changes of runs, by action and outcome.",
			"account", "action", "outcome"),
		broke: counter("adsync_panics_total", "What broke off by a mistake of adsync: a run, the loop, watching.",
			"account", "what"),
		requests: counter("adsync_requests_total", "Requests sent to the service.", "account"),
		took: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "adsync_run_seconds",
			Help:    "How long runs took.",
			Buckets: []float64{.05, .25, 1, 5, 15, 60, 300, 900, 3600}}, []string{"account"}),
	}
	m.registry.MustRegister(m.runs, m.took, m.changes, m.requests, m.looks, m.broke,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Ran counts a run that ended. A look that found nothing new is no run, however the
// one before it ended.
func (m *Counts) Ran(account string, r daemon.Result, took time.Duration) {
	m.requests.WithLabelValues(account).Add(float64(r.Requests))
	if r.Skipped {
		m.looks.WithLabelValues(account).Inc()
		return
	}
	m.runs.WithLabelValues(account, string(r.Class)).Inc()
	m.took.WithLabelValues(account).Observe(took.Seconds())
	if r.Run != nil {
		for i := range r.Run.Outcomes {
			o := &r.Run.Outcomes[i]
			m.changes.WithLabelValues(account, string(o.Action), string(o.Outcome)).Inc()
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case r.Plan != nil && r.Plan.Error == "": // else nobody knows of others than before
		m.held[account] = planview.HeldBy(r.Plan)
	case m.held[account] == nil:
		m.held[account] = map[string]int{}
	}
}

// Broke counts what broke off.
func (m *Counts) Broke(account, what string) { m.broke.WithLabelValues(account, what).Inc() }

func (m *Counts) heldOf(account string) map[string]int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.held[account])
}

// keep drops what is known of accounts that are no longer configured, so that
// there are never more series than accounts ask for.
func (m *Counts) keep(accounts []daemon.Status) {
	m.mu.Lock()
	defer m.mu.Unlock()
	there := map[string]bool{}
	for i := range accounts {
		there[accounts[i].Name] = true
	}
	for account := range m.held {
		if there[account] {
			continue
		}
		delete(m.held, account)
		of := prometheus.Labels{"account": account}
		for _, vec := range []interface {
			DeletePartialMatch(prometheus.Labels) int
		}{m.runs, m.took, m.changes, m.requests, m.looks, m.broke} {
			vec.DeletePartialMatch(of)
		}
	}
}

// Handler writes them, and what accounts are at this moment, in the form Prometheus reads.
func (m *Counts) Handler(accounts []daemon.Status, version string) http.Handler {
	m.keep(accounts)
	now := prometheus.NewRegistry()
	now.MustRegister(&present{accounts, m, version})
	return promhttp.HandlerFor(prometheus.Gatherers{m.registry, now}, promhttp.HandlerOpts{})
}
