package page_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"adsync/internal/testing/emulatortest"
)

const account = "/_emulator/page/accounts/" + emulatortest.AccountID

// evil is text that would be a script, an image and an attribute if it were not escaped.
const evil = `"><script>document.title='owned'</script><img src=x onerror=alert(1)>{{.}}`

// get is what an address answers.
func get(t *testing.T, s *emulatortest.Service, path string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", root(s)+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := s.Client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

func root(s *emulatortest.Service) string { return strings.TrimSuffix(s.BaseURL, "/v1") }

// tree makes a campaign with an ad group and an ad, all named so.
func tree(t *testing.T, s *emulatortest.Service, name string) (campaign, group, ad string) {
	t.Helper()
	campaign = s.Campaign(t, name)
	group = s.AdGroup(t, campaign, name)
	return campaign, group, s.Ad(t, group, name)
}

func TestEveryPartOfTheServiceIsShown(t *testing.T) {
	s := emulatortest.Start(t)
	campaign, group, ad := tree(t, s, "Trail shoes")
	job := s.Must(t, "POST", "/bulk_mutation_jobs", `{"operations":[
		{"operation_id":"one","type":"campaign.create","idempotency_key":"k1","input":{"name":"Bulk boots","max_budget_micros":5000000}},
		{"operation_id":"two","type":"campaign.update","target_resource_id":"cmpn_none","input":{"name":"Nobody"}}]}`, "Idempotency-Key", "job-key").ID(t)
	s.JobEnd(t, job)
	s.Must(t, "POST", "/_emulator/open_points", `{"list_default_order":"asc"}`)
	s.Must(t, "POST", "/_emulator/faults", faults)
	s.Do(t, "GET", "/campaigns/cmpn_none", nil)
	for _, row := range []struct {
		name, path string
		want       []string
	}{
		{"the first page has accounts", "/", []string{"Test account", emulatortest.AccountID, "America/New_York, USD"}},
		{"the first page has the clock and its form",
			"/", []string{"It runs with the real clock.", `action="/_emulator/page/clock"`}},
		{"the first page has armed faults", "/", []string{"<b>slow-reads</b>", "/ad_account", "2s"}},
		{"the first page has open points that were chosen", "/", []string{"list_default_order", "<b>asc</b>"}},
		{"the first page has the latest requests", "/", []string{"/v1/campaigns/cmpn_none", `answer bad">404`}},
		{"an account has its tree", account, []string{campaign,
			"50.00 USD a day", group, "1.25 USD a click", ad, `status in_review`, "https://shop.example.com/trail"}},
		{"an account counts statuses", account, []string{"all 2", "paused 2", "active 0"}},
		{"an account by status", account + "?status=active", []string{"No campaigns."}},
		{"a campaign", account + "/campaigns/" + campaign, []string{"Trail shoes", group, "Ad groups"}},
		{"an ad group", account + "/ad_groups/" + group, []string{"fixed_bid", ad, "Shoes for mud"}},
		{"jobs", account + "/jobs", []string{job, "partially_failed", "job-key"}},
		{"a job with its operations", account + "/jobs/" + job,
			[]string{"one", "campaign.create", "created", "two", "failed", "not_found"}},
		{"the request log", "/_emulator/page/requests",
			[]string{"POST</b> /v1/bulk_mutation_jobs", "job-key", emulatortest.AccountID}},
		{"open points with their values", "/_emulator/page/open_points",
			[]string{"error_body", "nested · flat · text · html", `class="changed"`}},
	} {
		t.Run(row.name, func(t *testing.T) {
			status, text := get(t, s, row.path)
			if status != http.StatusOK {
				t.Fatalf("GET %s = %d %s, want 200", row.path, status, text)
			}
			for _, want := range row.want {
				if !strings.Contains(text, want) {
					t.Errorf("GET %s has no %q:\n%s", row.path, want, text)
				}
			}
		})
	}
}

func TestWhatIsNotThere(t *testing.T) {
	s := emulatortest.Start(t)
	for _, path := range []string{
		"/_emulator/page/accounts/adacct_none", account + "/campaigns/cmpn_none",
		account + "/ad_groups/adgrp_none", account + "/jobs/none",
		"/_emulator/page/accounts/adacct_none/jobs",
	} {
		if status, text := get(t, s, path); status != http.StatusNotFound ||
			!strings.Contains(text, "There is nothing at this address.") {
			t.Errorf("GET %s = %d, want 404 and a page that says so", path, status)
		}
	}
}

// TestWhatUsersWroteIsText: names, keys, paths and open text are escaped.
func TestWhatUsersWroteIsText(t *testing.T) {
	s := emulatortest.Start(t)
	campaign, group, _ := tree(t, s, evil)
	s.Do(t, "GET", "/campaigns?name="+url.QueryEscape(evil), nil)
	s.Do(t, "POST", "/campaigns", `{}`, "Idempotency-Key", evil)
	for _, path := range []string{"/", account, account + "/campaigns/" + campaign,
		account + "/ad_groups/" + group, "/_emulator/page/requests", account + "?status=" + url.QueryEscape(evil)} {
		_, text := get(t, s, path)
		for _, tag := range []string{"<script", "<img"} {
			if strings.Contains(text, tag) {
				t.Errorf("GET %s has a %s> that a user wrote", path, tag)
			}
		}
	}
	if _, text := get(t, s, account); !strings.Contains(text, "&lt;script&gt;") {
		t.Errorf("GET %s does not show the name %q", account, evil)
	}
}

func TestLargeAccountsArePaged(t *testing.T) {
	s := emulatortest.Start(t)
	var operations []map[string]any
	for i := range 60 {
		operations = append(operations, map[string]any{
			"operation_id":    fmt.Sprintf("op-%02d", i),
			"idempotency_key": fmt.Sprintf("key-%02d", i), "type": "campaign.create",
			"input": map[string]any{"name": fmt.Sprintf("Campaign %02d", i), "max_budget_micros": 1_000_000},
		})
	}
	text, err := json.Marshal(map[string]any{"operations": operations})
	if err != nil {
		t.Fatal(err)
	}
	s.JobEnd(t, s.Must(t, "POST", "/bulk_mutation_jobs", string(text)).ID(t))
	for _, row := range []struct {
		name, query string
		want        []string
		not         string
	}{
		{"newest first", "", []string{"1 to 25 of 60", "Campaign 59", "Campaign 35", "page=2"}, "Campaign 34"},
		{"the second page", "?page=2", []string{"26 to 50 of 60", "Campaign 34", "page=1", "page=3"}, "Campaign 35"},
		{"the last page", "?page=3", []string{"51 to 60 of 60", "Campaign 00"}, "page=4"},
		{"a filter goes with the pages", "?status=paused&page=2",
			[]string{"page=3&amp;status=paused", "26 to 50"}, "Campaign 35"},
		{"a page too far is the last", "?page=99", []string{"51 to 60 of 60"}, "page=4"},
		{"a page that is no number is the first", "?page=x", []string{"1 to 25 of 60"}, "page=0"},
		{"a page below the first is the first", "?page=-1", []string{"1 to 25 of 60"}, "page=0"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, text := get(t, s, account+row.query)
			for _, want := range row.want {
				if !strings.Contains(text, want) {
					t.Errorf("GET %s has no %q", row.query, want)
				}
			}
			if strings.Contains(text, row.not) {
				t.Errorf("GET %s has %q", row.query, row.not)
			}
		})
	}
}

// TestTheClockForm: the form moves the clock when the page itself sends it, and
// for nobody else.
func TestTheClockForm(t *testing.T) {
	for _, row := range []struct {
		name, form, host string
		headers          [2]string
		status           int
		moved            float64 // seconds
	}{
		{name: "an hour", form: "amount=1&unit=hours",
			headers: [2]string{"Sec-Fetch-Site", "same-origin"}, status: 303, moved: 3600},
		{name: "ten days", form: "amount=10&unit=days", status: 303, moved: 864_000},
		{name: "nothing", form: "amount=0&unit=hours", status: 400},
		{name: "back", form: "amount=-1&unit=hours", status: 400},
		{name: "more than ten years", form: "amount=3651&unit=days", status: 400},
		{name: "ten years", form: "amount=3650&unit=days", status: 303, moved: 3650 * 86_400},
		{name: "another unit", form: "amount=1&unit=years", status: 400},
		{name: "no number", form: "amount=1h&unit=hours", status: 400},
		{name: "another site", form: "amount=1&unit=hours",
			headers: [2]string{"Sec-Fetch-Site", "cross-site"}, status: 403},
		{name: "another port of this machine", form: "amount=1&unit=hours",
			headers: [2]string{"Sec-Fetch-Site", "same-site"}, status: 403},
		{name: "an old browser on another site", form: "amount=1&unit=hours",
			headers: [2]string{"Origin", "https://evil.example"}, status: 403},
		{name: "a page without an origin", form: "amount=1&unit=hours",
			headers: [2]string{"Origin", "null"}, status: 403},
		{name: "a name that is made to point here", form: "amount=1&unit=hours", host: "evil.example", status: 403},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := emulatortest.Start(t)
			r := httptest.NewRequest("POST", "/_emulator/page/clock", strings.NewReader(row.form))
			r.Host = "127.0.0.1:8080"
			if row.host != "" {
				r.Host = row.host
			}
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			if row.headers[0] != "" {
				r.Header.Set(row.headers[0], row.headers[1])
			}
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			if moved := s.World().Clock.Offset().Seconds(); w.Code != row.status || moved != row.moved {
				t.Errorf("status %d, clock moved by %v s; want %d and %v", w.Code, moved, row.status, row.moved)
			}
		})
	}
}

// TestHosts: the page answers to this machine's own names only.
func TestHosts(t *testing.T) {
	s := emulatortest.Start(t)
	for host, want := range map[string]int{
		"localhost": 200, "localhost:8080": 200, "127.0.0.1:1": 200, "[::1]:8080": 200, "::1": 200,
		"evil.example": 403, "localhost.evil.example": 403, "10.0.0.1": 403, "": 403,
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Host = host
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != want {
			t.Errorf("GET / with Host %q = %d, want %d", host, w.Code, want)
		}
	}
}
