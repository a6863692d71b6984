package page_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"adsync/internal/testing/emulatortest"
)

const faults = `{"faults":[{"name":"slow-reads","match":{"path":"/ad_account","method":"GET"},"action":{"delay":{"for":"2s"}}}]}`

// TestInChromium: the page as people see it, with names that are scripts if a
// browser runs them.
func TestInChromium(t *testing.T) {
	s := emulatortest.Start(t)
	for _, name := range []string{"Trail shoes", "Winter boots", evil} {
		campaign, group, _ := tree(t, s, name)
		s.AdGroup(t, campaign, "Second group of "+name)
		s.Must(t, "POST", "/campaigns/"+campaign+"/activate", nil)
		s.Must(t, "POST", "/ad_groups/"+group+"/activate", nil)
	}
	job := s.Must(t, "POST", "/bulk_mutation_jobs", `{"operations":[
		{"operation_id":"spring","type":"campaign.create","idempotency_key":"k1","input":{"name":"Bulk boots","max_budget_micros":5000000}},
		{"operation_id":"nobody","type":"campaign.update","target_resource_id":"cmpn_none","input":{"name":"Nobody"}}]}`).ID(t)
	s.JobEnd(t, job)
	s.Must(t, "POST", "/_emulator/faults", faults)
	s.Must(t, "POST", "/_emulator/open_points", `{"list_default_order":"asc"}`)
	s.Do(t, "POST", "/campaigns", `{"name":"x"}`, "Idempotency-Key", "a-key-of-somebody")
	s.Advance(t, 90_000)
	campaign := s.Must(t, "GET", "/campaigns?order=asc&limit=1", nil).Map(t)["first_id"].(string)
	for _, row := range []struct {
		name, path, title string
		want              []string
	}{
		{"home", "/", "Emulator", []string{"Test account",
			"1 d 1 h ahead of the real clock", "slow-reads", "list_default_order", "a-key-of-somebody"}},
		{"tree", account, "Test account · adsync emulator",
			[]string{"Winter boots", "Second group of Trail shoes", "Shoes for mud", "&lt;script&gt;"}},
		{"campaign", account + "/campaigns/" + campaign,
			"Trail shoes · adsync emulator", []string{"Second group of Trail shoes", "https://shop.example.com/trail"}},
		{"job", account + "/jobs/" + job, job + " · adsync emulator",
			[]string{"spring", "campaign.update", "partially_failed"}},
	} {
		dom := chromium(t, "--dump-dom", root(s)+row.path)
		if !strings.Contains(dom, "<title>"+row.title+"</title>") {
			t.Errorf("%s has another title than %q: a script ran, or the page is not there:\n%.800s",
				row.path, row.title, dom)
		}
		for _, want := range row.want {
			if !strings.Contains(dom, want) {
				t.Errorf("%s has no %q in Chromium:\n%s", row.path, want, dom)
			}
		}
		screenshot(t, root(s)+row.path, row.name)
	}
}

// TestAFormOfAnotherSite: a page elsewhere that sends the form by itself, in a
// real browser, does not move the clock.
func TestAFormOfAnotherSite(t *testing.T) {
	s := emulatortest.Start(t)
	evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<form method="post" action="%s/_emulator/page/clock"><input name="amount" value="1"><input name="unit" value="days"></form>
			<script>document.forms[0].submit()</script>`, root(s))
	}))
	defer evil.Close()
	dom := chromium(t, "--dump-dom", "--virtual-time-budget=5000", evil.URL)
	if !strings.Contains(dom, "was sent by another site") {
		t.Errorf("the browser shows %q, want that the form was refused", dom)
	}
	if moved := s.World().Clock.Offset(); moved != 0 {
		t.Errorf("the clock moved by %v, want it to stay", moved)
	}
}
