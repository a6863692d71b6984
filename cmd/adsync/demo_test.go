package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"math/big"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"adsync/cmd/adsync/internal/console"
)

// TestDemo: the demo has what it promises, and what its page adds up is to the cent what the emulator's ledger has.
func TestDemo(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "demo")
	c := asAdsync("demo", "--no-browser", "--listen", "127.0.0.1:0", "--folder", folder)
	out, err := c.StdoutPipe()
	noError(t, err)
	said := &sharedText{}
	c.Stderr, c.SysProcAttr = said, &syscall.SysProcAttr{Setpgid: true}
	noError(t, c.Start())
	ended := false
	end := func() {
		if !ended {
			ended = true
			noError(t, syscall.Kill(-c.Process.Pid, syscall.SIGINT)) // as a terminal does
			_ = c.Wait()                                             // its code is looked at
		}
	}
	t.Cleanup(func() {
		end()
		if t.Failed() {
			t.Log(said)
		}
	})
	printed := make([]byte, 4096)
	n, err := out.Read(printed)
	noError(t, err)
	address := func(name string) string {
		m := regexp.MustCompile(name + `: +(http://[0-9.:]+)`).FindSubmatch(printed[:n])
		if m == nil {
			t.Fatalf("the demo says no %s:\n%s", name, printed[:n])
		}
		return string(m[1])
	}
	page, service := address("The page"), address("The service")
	read := func(at string, into any) bool {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, at, nil)
		noError(t, err)
		if strings.HasPrefix(at, service) {
			r.Header.Set("Authorization", "Bearer "+demoKey)
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			return false
		}
		defer answer.Body.Close()
		return answer.StatusCode == http.StatusOK && json.NewDecoder(answer.Body).Decode(into) == nil
	}
	until := func(what string, is func() bool) {
		t.Helper()
		for deadline := time.Now().Add(patience); !is(); time.Sleep(100 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("after %v the demo has no %s", patience, what)
			}
		}
	}
	var plan struct {
		Changes []struct {
			Address string
			Fields  []struct{ Held *struct{ Hazard string } }
		}
		Review struct{ Rejected int }
	}
	until("plan", func() bool {
		return read(page+"/api/v1/accounts/demo/plan", &plan)
	})
	hazards := map[string]string{}
	for _, change := range plan.Changes {
		for _, f := range change.Fields {
			if f.Held != nil {
				hazards[change.Address] = f.Held.Hazard
			}
		}
	}
	if hazards["campaign/hiking-boots"] != "raises-spend" || hazards["campaign/trail-shoes"] != "conflict" {
		t.Errorf("held are %v; want the raise of Hiking boots and the conflict of Trail shoes", hazards)
	}
	const path = "/api/v1/accounts/demo/figures"
	var figures struct {
		Since, Until string
		Gaps         []string
		Total        map[string]string
		Lines        []struct {
			ID, Cell string
			Settings map[string]string
			Figures  map[string]string
			Paced    struct {
				Spent, Due string
				Days       int
			}
		}
	}
	until("figures", func() bool { return read(page+path+"?span=21d", &figures) && len(figures.Gaps) == 0 })
	if len(figures.Lines) != len(demoNames) {
		t.Errorf("%d campaigns have figures; want %d", len(figures.Lines), len(demoNames))
	}
	var ads struct {
		Ads []struct{ Review, Do, Picture string }
	}
	if !read(page+"/api/v1/accounts/demo/ads", &ads) || len(ads.Ads) != 4*len(demoNames) ||
		ads.Ads[0].Review != "rejected" || ads.Ads[0].Do == "" {
		t.Errorf("the ads are %+v; want %d, the rejected one first", ads.Ads, 4*len(demoNames))
	}
	for _, ad := range ads.Ads[:min(3, len(ads.Ads))] {
		answer, err := http.Get(page + ad.Picture)
		noError(t, err)
		_, _, err = image.Decode(answer.Body)
		noError(t, errors.Join(err, answer.Body.Close()))
	}
	var live struct {
		Data []struct {
			ID, Status string
			Budget     struct {
				Daily int64 `json:"daily_spend_limit_micros"`
			}
		}
	}
	if !read(service+"/v1/campaigns?limit=100", &live) || len(live.Data) != len(demoNames) {
		t.Fatalf("the service has %d campaigns; want %d", len(live.Data), len(demoNames))
	}
	exactly := func(text string) *big.Rat {
		n, _ := new(big.Rat).SetString(cmp.Or(text, "no number"))
		return cmp.Or(n, big.NewRat(-1, 1))
	}
	due := map[string]string{}
	settings := map[string]map[string]string{}
	for _, l := range figures.Lines {
		settings[l.ID], due[l.ID] = l.Settings, l.Paced.Due
		if l.Paced.Days != 21 || exactly(l.Paced.Spent).Cmp(exactly(l.Figures["spend"])) != 0 {
			t.Errorf("%s is paced by %+v; want 21 days in which it spent %s", l.ID, l.Paced, l.Figures["spend"])
		}
		if !strings.HasSuffix(l.Cell, ".yaml:1:1") {
			t.Errorf("%s is written at %q; want the first line of its file", l.ID, l.Cell)
		}
	}
	for _, c := range live.Data {
		if want := big.NewRat(21*c.Budget.Daily, 1e6); exactly(due[c.ID]).Cmp(want) != 0 {
			t.Errorf("%s had %s to spend; want %s", c.ID, due[c.ID], want.FloatString(2))
		}
		daily, ok := new(big.Rat).SetString(settings[c.ID]["daily_budget"])
		if !ok || daily.Cmp(big.NewRat(c.Budget.Daily, 1e6)) != 0 || settings[c.ID]["status"] != c.Status {
			t.Errorf("%s is set to %v; the service has %s and %d micros",
				c.ID, settings[c.ID], c.Status, c.Budget.Daily)
		}
	}
	ledgered := func(since, until string) map[string]*big.Rat {
		t.Helper()
		span := fmt.Sprintf(`{"type":"date_range","since":%q,"until":%q,"timezone":"America/New_York"}`, since, until)
		var ledger struct{ Data []map[string]json.RawMessage }
		q := url.Values{"aggregation_level": {"ad_account"}, "time_granularity": {"none"}, "time_ranges": {span},
			"fields": {"spend", "clicks", "impressions"}}
		if !read(service+"/v1/ad_account/insights?"+q.Encode(), &ledger) || len(ledger.Data) != 1 {
			t.Fatalf("the ledger says %v", ledger)
		}
		kept := map[string]*big.Rat{}
		for metric, said := range ledger.Data[0] {
			if exact, is := new(big.Rat).SetString(string(said)); is {
				kept[metric] = exact
			}
		}
		return kept
	}
	kept := ledgered(figures.Since, figures.Until)
	for _, metric := range []string{"spend", "clicks", "impressions"} {
		shown, ok := new(big.Rat).SetString(figures.Total[metric])
		if !ok || kept[metric] == nil || shown.Cmp(kept[metric]) != 0 || shown.Sign() <= 0 {
			t.Errorf("the page adds up %s to %v from %s to %s; the ledger has %v",
				metric, figures.Total[metric], figures.Since, figures.Until, kept[metric])
		}
	}
	var account struct {
		Spent *struct {
			Day  string
			Week *int64 `json:"week_micros"`
		}
		Paced *struct {
			Spent      int64 `json:"spent_micros"`
			Due        int64 `json:"due_micros"`
			Known      int
			Delivering int
		}
	}
	until("spend of the last days", func() bool {
		return read(page+"/api/v1/accounts/demo", &account) && account.Spent != nil && account.Spent.Week != nil
	})
	last, err := time.Parse(time.DateOnly, account.Spent.Day)
	noError(t, err)
	if kept := ledgered(last.AddDate(0, 0, -6).Format(time.DateOnly), account.Spent.Day)["spend"]; kept == nil ||
		new(big.Rat).Mul(kept, big.NewRat(1e6, 1)).Cmp(big.NewRat(*account.Spent.Week, 1)) != 0 {
		t.Errorf("the account spent %d micros in the week to %s; the ledger has %v",
			*account.Spent.Week, account.Spent.Day, kept)
	}
	until("pacing of the account", func() bool {
		return read(page+"/api/v1/accounts/demo", &account) && account.Paced != nil
	})
	if p := account.Paced; p.Spent <= 0 || p.Spent > *account.Spent.Week || p.Due <= 0 || p.Known != p.Delivering {
		t.Errorf("the account is paced as %+v; want some of %d, against the budgets of all that delivers",
			p, *account.Spent.Week)
	}
	var gallery struct{ Brand string }
	until("brand", func() bool { return read(page+"/api/v1/accounts/demo/ads", &gallery) && gallery.Brand != "" })
	until("rejected ad", func() bool {
		return read(page+"/api/v1/accounts/demo/plan", &plan) && plan.Review.Rejected == 1
	})
	reportOfTheDemo(t, folder, figures.Since+".."+figures.Until, figures.Total["spend"])
	until("line of the rejected ad", func() bool {
		return read(page+path+"?level=ad&review=rejected", &figures) && len(figures.Lines) == 1
	})
	end()
	if code := c.ProcessState.ExitCode(); code != console.ExitDone && code != console.ExitInterrupted {
		t.Errorf("the demo ends with %d", code)
	}
	if !strings.Contains(said.String(), "the daemon has ended") {
		t.Error("the daemon was ended in the middle")
	}
	if again, err := asAdsync("demo", "--no-browser", "--folder", folder).CombinedOutput(); err == nil ||
		!strings.Contains(string(again), "is there already") {
		t.Errorf("a demo in a folder that is there says %q, %v", again, err)
	}
}

// reportOfTheDemo: what the daemon keeps is enough for a report, which says the same sum and what waits.
func reportOfTheDemo(t *testing.T, folder, span, spend string) {
	t.Helper()
	said, err := asAdsync("report", "--span", span, "-o", "json", folder).Output()
	noError(t, err)
	var report struct {
		Source string
		Totals []struct{ Name, Value string }
		Waits  []struct{ What string }
		At     string `json:"waits_at"`
	}
	noError(t, json.Unmarshal(said, &report))
	if report.Source != "kept" || len(report.Totals) == 0 || report.Totals[0].Name != "spend" ||
		report.Totals[0].Value != spend {
		t.Errorf("the report is of what is %s, with %v; want %s spent by what is kept",
			report.Source, report.Totals, spend)
	}
	const waits = "2 changes waiting; first campaign “Trail shoes”"
	if len(report.Waits) != 1 || !strings.HasPrefix(report.Waits[0].What, waits) || report.At == "" {
		t.Errorf("as of %q %+v waits; want both changes", report.At, report.Waits)
	}
}
