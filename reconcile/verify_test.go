package reconcile_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"adsync/internal/testing/emulatortest"
	"adsync/state"
)

// frozen has reads of a resource give what they gave at first, for so long after
// the first write, as a replica that lags does.
func (w *world) frozen(path string, lag time.Duration) (reads *int) {
	reads = new(int)
	old, until := "", time.Time{}
	w.agent = w.through(line(func(r *http.Request) (*http.Response, error) {
		response, err := send(r)
		switch {
		case err != nil:
		case r.Method == http.MethodPost && until.IsZero() && old != "" && !validates(r):
			until = w.now().Add(lag)
		case r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, path):
			*reads++
			if !until.IsZero() && w.now().Before(until) {
				_ = response.Body.Close()
				return answer(r, 200, old)
			}
			if until.IsZero() {
				content := new(strings.Builder)
				copied := copyBody(response, content)
				old = content.String()
				return copied, nil
			}
		}
		return response, err
	}), w.store)
	return reads
}

// N23, B30: a read that lags behind a write is waited for, with a bound, and not
// for longer than it lags.
func TestReadThatLagsIsWaitedFor(t *testing.T) {
	for lag, verified := range map[time.Duration]bool{45 * time.Second: true, time.Hour: false} {
		w := newWorld(t)
		w.tree("spring", "active")
		w.clean()
		id := w.plan().Live.Snapshot.Get(address("campaign/spring")).ID
		w.frozen("/campaigns/"+id, lag)
		w.spend("spring", 150_000_000) // read again before it is raised
		before := w.slept
		report := w.apply()
		waited := w.slept - before
		if (report.Verified == report.Touched) != verified || waited < 40*time.Second || waited > 80*time.Second {
			t.Errorf("a lag of %s: verified %d/%d after %s; want it waited for up to a little over a minute",
				lag, report.Verified, report.Touched, waited)
		}
		for _, o := range report.Outcomes {
			says := strings.Contains(o.Message, "budget.lifetime is 100") && strings.Contains(o.Message, "want 150")
			if o.Outcome != state.OutcomeApplied || says == verified {
				t.Errorf("a lag of %s: %s %q; want both values, where they differ", lag, o.Outcome, o.Message)
			}
		}
	}
}

// spend gives a campaign another lifetime budget.
func (w *world) spend(key string, micros int) {
	w.write("campaign/"+key, map[string]any{
		"name": "Campaign " + key, "status": "active",
		"bidding_type": "clicks", "budget.lifetime": micros, "targeting.countries": []string{"CA", "US"},
	})
}

// A value the service makes something else of is told at once, with both values;
// nothing waits for it.
func TestWhatReadsBackAsSomethingElseIsTold(t *testing.T) {
	w := newWorld(t)
	w.tree("spring", "paused")
	w.agent = w.through(line(func(r *http.Request) (*http.Response, error) {
		response, err := send(r)
		if err == nil && r.Method == http.MethodGet && strings.Contains(r.URL.Path, "/ad_groups") {
			return answered(response, "Group of spring", "Group of SPRING 2"), nil
		}
		return response, err
	}), w.store)
	before := w.slept
	report := w.apply()
	if waited := w.slept - before; waited > 5*time.Second {
		t.Errorf("waited %s for a value that is another; want no wait", waited)
	}
	if report.Touched-report.Verified != 1 {
		t.Errorf("verified %d/%d; want all but the ad group", report.Verified, report.Touched)
	}
	for _, o := range report.Outcomes {
		if o.Address == address("ad_group/spring/g") && (!strings.Contains(o.Message, "Group of SPRING 2") ||
			!strings.Contains(o.Message, `want "Group of spring"`) || o.Code != "ADS2007") {
			t.Errorf("the ad group says %s %q; want both values (ADS2007)", o.Code, o.Message)
		}
	}
}

// A decrease that does not read back frees no money: nothing is raised on it.
func TestNothingIsRaisedOnADecreaseThatDoesNotShow(t *testing.T) {
	w := newWorld(t)
	w.tree("down", "active")
	w.tree("up", "active")
	w.clean()
	id := w.plan().Live.Snapshot.Get(address("campaign/down")).ID
	w.frozen("/campaigns/"+id, time.Hour)
	w.spend("down", 50_000_000)
	w.spend("up", 140_000_000)
	_, _ = w.agent.Service.Read(t.Context(), "campaigns", id, nil)
	report := w.apply()
	if got := outcomes(report); got["campaign/down"] != state.OutcomeApplied ||
		got["campaign/up"] != state.OutcomeSkipped {
		t.Errorf("outcomes are %v; want the raise to wait for the decrease that does not show", got)
	}
	w.agent = w.newAgent()
	w.clean()
}

// Many of a kind are read back by lists, few by their ids, each kind by itself.
func TestReadingBackTakesFewRequests(t *testing.T) {
	w := newWorld(t)
	for n := range 60 {
		w.write(fmt.Sprintf("campaign/c%02d", n), map[string]any{
			"name":   fmt.Sprintf("Campaign %02d", n),
			"status": "paused", "bidding_type": "clicks", "budget.lifetime": 100_000_000,
		})
	}
	w.write("ad_group/c00/g", map[string]any{"name": "Group", "status": "paused", "bid.max": 1_250_000})
	view := w.plan()
	paths := map[string]int{}
	w.agent = w.through(line(func(r *http.Request) (*http.Response, error) {
		if r.Method == http.MethodGet && !strings.Contains(r.URL.Path, "bulk") &&
			!strings.HasSuffix(r.URL.Path, "ad_account") {
			paths[strings.SplitN(r.URL.Path, "/", 4)[2]]++
		}
		return send(r)
	}), w.store)
	report, err := w.agent.Apply(t.Context(), view)
	if err != nil || report.Verified != 61 || paths["campaigns"] != 1 || paths["ad_groups"] != 1 {
		t.Errorf("apply: %v, verified %d/61 with %v; want one list of campaigns and one ad group",
			err, report.Verified, paths)
	}
}

// A strategy that the files name, and that the service does not show as it is its
// default, was applied: reading back shows it, the second plan is empty, and nobody
// changed it when the files ask for another.
func TestAStrategyThatIsNotShownIsThere(t *testing.T) {
	w := newWorld(t, emulatortest.WithPoints(t, "normalise_strategy=left_out"))
	w.permitAll("raises-spend")
	group := map[string]any{"name": "Group", "status": "paused", "bid.max": 1_250_000, "bid.strategy": "fixed_bid"}
	w.write("campaign/spring", map[string]any{
		"name": "Spring", "status": "paused", "bidding_type": "clicks", "budget.daily": 50_000_000,
	})
	w.write("ad_group/spring/g", group)
	w.clean()
	group["bid.strategy"], group["bid.max"] = "maximize_clicks", nil
	w.write("ad_group/spring/g", group)
	w.clean()
}
