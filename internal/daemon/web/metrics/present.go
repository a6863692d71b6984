package metrics

import (
	"time"

	"adsync/internal/daemon"

	"github.com/prometheus/client_golang/prometheus"
)

// present is what the accounts are at one moment, as gauges.
type present struct {
	accounts []daemon.Status
	runs     *Counts
	version  string
}

// gauge is a figure that each account has one of.
type gauge struct {
	name, help string
	of         func(*daemon.Status) float64
}

// figure is a gauge of a plan's figures, absent before the first plan.
type figure struct {
	name, help string
	of         func(*daemon.Figures) float64
}

// micros is a millionth of the account's currency, in units; a float only here,
// where no money is decided.
func micros(n int64) float64 { return float64(n) / 1e6 }

func seconds(t time.Time) float64 {
	if t.IsZero() {
		return 0
	}
	return float64(t.Unix())
}

func yes(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

var gauges = []gauge{
	{"adsync_running", "1 while a run goes on.", func(s *daemon.Status) float64 { return yes(s.Running) }},
	{"adsync_suspended", "1 while somebody stopped the account.", func(s *daemon.Status) float64 {
		return yes(s.Suspended != nil)
	}},
	{"adsync_failures_in_a_row", "Runs in a row that failed for the time being.", func(s *daemon.Status) float64 {
		return float64(s.Failures)
	}},
	{"adsync_last_run_timestamp_seconds", "When the last run ended; 0 before the first.",
		func(s *daemon.Status) float64 { return seconds(s.Last) }},
	{"adsync_last_good_timestamp_seconds", "When files and account were last " +
		"seen to be equal, or made so; 0 before that.", func(s *daemon.Status) float64 { return seconds(s.Good) }},
	{"adsync_next_run_timestamp_seconds", "When the next run begins by itself; 0 where none does.",
		func(s *daemon.Status) float64 { return seconds(s.Next) }},
	{"adsync_rate_limit", "Requests a minute the service takes; 0 where that is not known.",
		func(s *daemon.Status) float64 { return float64(s.Rate.Limit) }},
	{"adsync_rate_left", "Requests the service still takes this minute.", func(s *daemon.Status) float64 {
		return float64(s.Rate.Left)
	}},
	{"adsync_journal_steps", "Steps of the journal that are not closed.", func(s *daemon.Status) float64 {
		return float64(s.Journal)
	}},
	{"adsync_unplanned_timestamp_seconds", "Since when nothing could be planned; 0 where the last run could.",
		func(s *daemon.Status) float64 { return seconds(s.Unplanned) }},
}

var planFigures = []figure{
	{"adsync_pending_changes", "Changes of the last plan that would go.", func(f *daemon.Figures) float64 {
		return float64(f.Pending)
	}},
	{"adsync_held_changes", "Changes of the last plan that are held, wholly or in part.",
		func(f *daemon.Figures) float64 { return float64(f.Held) }},
	{"adsync_drift_fields", "Values of the last plan that somebody changed at the service.",
		func(f *daemon.Figures) float64 { return float64(f.Drift) }},
	{"adsync_exposure_daily", "Possible spend a day, in the account's currency.", func(f *daemon.Figures) float64 {
		return micros(f.Exposure.Daily)
	}},
	{"adsync_exposure_lifetime", "What is left of lifetime budgets, in the account's currency.",
		func(f *daemon.Figures) float64 { return micros(f.Exposure.Lifetime) }},
	{"adsync_exposure_month_end", "Possible spend until the month ends, in the account's currency.",
		func(f *daemon.Figures) float64 { return micros(f.Exposure.MonthEnd) }},
	{"adsync_figures_timestamp_seconds", "When the figures of the last plan were true.",
		func(f *daemon.Figures) float64 { return seconds(f.Taken) }},
}

func description(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(name, help, labels, nil)
}

// Describe sends nothing, so that what is collected is checked as it comes.
func (p *present) Describe(chan<- *prometheus.Desc) {}

// Collect collects each account's figures.
func (p *present) Collect(to chan<- prometheus.Metric) {
	give := func(d *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	give(description("adsync_build_info", "The version.", "version"), 1, p.version)
	state := description("adsync_state_info", "How the last run of an account ended, as its class.", "account", "class")
	revision := description("adsync_applied_revision_info",
		"The newest version of the files that was applied whole.", "account", "commit", "content")
	held := description("adsync_held", "Changes of the last plan, by the hazard that holds them.", "account", "hazard")
	currency := description("adsync_account_info",
		"The ad account, and the currency its money is in.", "account", "id", "currency")
	for i := range p.accounts {
		a := &p.accounts[i]
		for _, g := range gauges {
			give(description(g.name, g.help, "account"), g.of(a), a.Name)
		}
		for _, f := range planFigures {
			if a.Figures != nil {
				give(description(f.name, f.help, "account"), f.of(a.Figures), a.Name)
			}
		}
		give(currency, 1, a.Name, a.Account.ID, a.Account.Currency)
		if a.State != "" {
			give(state, 1, a.Name, string(a.State))
		}
		if a.Applied != (daemon.Revision{}) {
			give(revision, 1, a.Name, a.Applied.Commit, a.Applied.Content)
		}
		for hazard, n := range p.runs.heldOf(a.Name) {
			give(held, float64(n), a.Name, hazard)
		}
	}
}
