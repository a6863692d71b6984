package emulator_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"adsync/internal/emulator"
	"adsync/internal/testing/emulatortest"
)

func TestWhoMayComeIn(t *testing.T) {
	s := emulatortest.Start(t)
	rows := []struct {
		name    string
		headers []string
		want    refusal
	}{
		{"the key", nil, fine},
		{"bearer in small letters", []string{"Authorization", "bearer " + s.Key}, fine},
		{"no credential", []string{"Authorization", ""}, refusal{401, "missing_api_key", ""}},
		{"another scheme", []string{"Authorization", "Basic " + s.Key}, refusal{401, "missing_api_key", ""}},
		{"unknown key", []string{"Authorization", "Bearer sk-unknown"}, refusal{401, "invalid_api_key", ""}},
		{"the key and an account", []string{"OpenAI-Ad-Account", emulatortest.AccountID},
			bad("invalid_header", "OpenAI-Ad-Account")},
	}
	for _, row := range rows {
		expect(t, row.name, s.Do(t, "GET", "/campaigns", nil, row.headers...), row.want)
	}
}

func TestAKeySeesOneAccount(t *testing.T) {
	s := emulatortest.Start(t, twoAccounts)
	w := newTree(t, s)
	other := []string{"Authorization", "Bearer sk-other"}
	missing := refusal{404, "not_found", ""}
	for _, path := range []string{"/campaigns/{campaign}", "/ad_groups/{ad_group}", "/ads/{ad}"} {
		expect(t, "foreign GET "+path, s.Do(t, "GET", w.fill(path), nil, other...), missing)
		expect(t, "foreign pause "+path, s.Do(t, "POST", w.fill(path)+"/pause", nil, other...), missing)
	}
	expect(t, "child of a foreign campaign",
		s.Do(t, "POST", "/ad_groups", emulatortest.AdGroupBody(w.campaign, "Group"), other...), missing)
	if got := s.Must(t, "GET", "/ad_account", nil, other...).Map(t)["id"]; got != "adacct_other" {
		t.Errorf("account of the other key = %v", got)
	}
}

func TestAddressesThatAreNotThere(t *testing.T) {
	s := emulatortest.Start(t)
	for _, path := range []string{"/nothing", "/campaigns/", "/campaigns//pause", "/campaigns/x/y/z"} {
		got := s.Do(t, "GET", path, nil)
		expect(t, "GET "+path, got, refusal{404, "not_found", ""})
		if !strings.HasPrefix(got.Header.Get("X-Request-Id"), "req_") {
			t.Errorf("GET %s has request id %q", path, got.Header.Get("X-Request-Id"))
		}
	}
	expect(t, "DELETE", s.Do(t, "DELETE", "/campaigns", nil), refusal{404, "not_found", ""})
}

func TestABrokenQueryChangesNothing(t *testing.T) {
	s := emulatortest.Start(t)
	expect(t, "create with a broken query", s.Do(t, "POST", "/campaigns?a=%zz", emulatortest.CampaignBody("Spring")),
		bad("invalid_query", ""))
	if n := s.World().MutationCount(); n != 0 {
		t.Errorf("a refused create left %d mutations", n)
	}
}

// TestInterfaceOnlyLeavesOutAdditions asks for every published addition: with
// the profile interface it is an address that is not there, and without it is served.
func TestInterfaceOnlyLeavesOutAdditions(t *testing.T) {
	all := emulatortest.Start(t)
	only := emulatortest.Start(t, emulatortest.WithPoints(t, "profile:interface"))
	additions := 0
	for _, rt := range all.Routes() {
		path := regexp.MustCompile(`{[^}]*}`).ReplaceAllString(rt.Pattern, "x")
		unknown := fmt.Sprintf("Invalid URL (%s /v1%s)", rt.Method, path)
		if body := string(all.Do(t, rt.Method, path, nil).Body); strings.Contains(body, unknown) {
			t.Errorf("%s %s is not served: %s", rt.Method, rt.Pattern, body)
		}
		body := string(only.Do(t, rt.Method, path, nil).Body)
		if strings.Contains(body, unknown) != rt.Addition() {
			t.Errorf("%s %s with the interface only = %s; it is an addition: %v",
				rt.Method, rt.Pattern, body, rt.Addition())
		}
		if rt.Addition() {
			additions++
		}
	}
	if additions == 0 {
		t.Error("no route is an addition")
	}
}

func TestErrorBodies(t *testing.T) {
	for shape, want := range map[string]string{
		"nested": `{"error":{"message":"No campaign ` +
			`found with id 'x'.","type":"invalid_request_error","param":null,"code":"not_found"}}` + "\n",
		"flat": `{"message":"No campaign found with id 'x'."}` + "\n",
		"text": "No campaign found with id 'x'.\n",
		"html": "<html><body><h1>404</h1><p>No campaign found with id &#39;x&#39;.</p></body></html>\n",
	} {
		s := emulatortest.Start(t, emulatortest.WithPoints(t, "error_body="+shape))
		if got := s.Do(t, "GET", "/campaigns/x", nil); string(got.Body) != want || got.Status != 404 {
			t.Errorf("error_body=%s: %d %q, want 404 %q", shape, got.Status, got.Body, want)
		}
	}
}

func limited(endpoint, overall, bulk int) func(*emulator.Options) {
	return func(o *emulator.Options) {
		start := time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC)
		o.Now = func() time.Time { return start }
		o.Limits = emulator.RateLimits{EndpointPerMinute: endpoint, OverallPerMinute: overall, BulkPer10Seconds: bulk}
	}
}

func TestRateLimitOfAnEndpoint(t *testing.T) {
	s := emulatortest.Start(t, limited(0, 0, 0), twoAccounts, emulatortest.WithPoints(t, "rate_limit_per_address=no"))
	for i := range 600 {
		if got := s.Do(t, "GET", "/campaigns", nil); got.Status != 200 {
			t.Fatalf("request %d = %d %s", i+1, got.Status, got.Body)
		}
	}
	tooMany := refusal{429, "rate_limit_exceeded", ""}
	got := s.Do(t, "GET", "/campaigns", nil)
	expect(t, "request 601", got, tooMany)
	if got.Header.Get("Retry-After") != "60" {
		t.Errorf("Retry-After = %q, want 60", got.Header.Get("Retry-After"))
	}
	expect(t, "another endpoint", s.Do(t, "GET", "/ad_groups", nil), fine)
	expect(t, "another account", s.Do(t, "GET", "/campaigns", nil, "Authorization", "Bearer sk-other"), fine)
	s.Advance(t, 59)
	expect(t, "a second too early", s.Do(t, "GET", "/campaigns", nil), tooMany)
	s.Advance(t, 1)
	expect(t, "when Retry-After is over", s.Do(t, "GET", "/campaigns", nil), fine)
}

func TestRateLimitOfAnAccount(t *testing.T) {
	s := emulatortest.Start(t, limited(0, 0, 0))
	for i := range 1200 {
		path := []string{"/campaigns", "/ad_groups"}[i%2]
		if got := s.Do(t, "GET", path, nil); got.Status != 200 {
			t.Fatalf("request %d = %d %s", i+1, got.Status, got.Body)
		}
	}
	expect(t, "request 1,201", s.Do(t, "GET", "/ads", nil), refusal{429, "rate_limit_exceeded", ""})
}

func TestRateLimitOfAnAddress(t *testing.T) {
	s := emulatortest.Start(t, limited(3, 5, 0), twoAccounts)
	keys := []string{s.Key, "sk-other"}
	for i := range 3 {
		s.Must(t, "GET", "/campaigns", nil, "Authorization", "Bearer "+keys[i%2])
	}
	tooMany := refusal{429, "rate_limit_exceeded", ""}
	expect(t, "request 4 of one address to one endpoint", s.Do(t, "GET", "/campaigns", nil), tooMany)
	s.Must(t, "GET", "/ad_groups", nil)
	s.Must(t, "GET", "/ads", nil, "Authorization", "Bearer sk-other")
	expect(t, "request 6 of one address", s.Do(t, "GET", "/ad_account", nil), tooMany)
}

func TestBulkSubmissionLimit(t *testing.T) {
	s := emulatortest.Start(t, limited(0, 0, 0))
	for i := range 10 {
		s.Must(t, "POST", "/bulk_mutation_jobs", job(campaignOp(fmt.Sprint("k", i))))
	}
	got := s.Do(t, "POST", "/bulk_mutation_jobs", job(campaignOp("k10")))
	expect(t, "submission 11 in 10 s", got, refusal{429, "rate_limit_exceeded", ""})
	if got.Header.Get("Retry-After") != "10" {
		t.Errorf("Retry-After = %q, want 10", got.Header.Get("Retry-After"))
	}
	s.Advance(t, 10)
	s.Must(t, "POST", "/bulk_mutation_jobs", job(campaignOp("k10")))
}

func TestRateLimitHeaders(t *testing.T) {
	s := emulatortest.Start(t, limited(0, 0, 0), emulatortest.WithPoints(t, "rate_limit_headers=present"))
	if got := s.Do(t, "GET", "/campaigns", nil).Header.Get("X-Ratelimit-Remaining-Requests"); got != "599" {
		t.Errorf("remaining = %q, want 599", got)
	}
	s = emulatortest.Start(t, limited(0, 0, 0))
	if got := s.Do(t, "GET", "/campaigns", nil).Header.Get("X-Ratelimit-Remaining-Requests"); got != "" {
		t.Errorf("remaining = %q, want no header", got)
	}
}

func TestBodySize(t *testing.T) {
	s := emulatortest.Start(t)
	body := func(n int) string { return `{"name":"` + strings.Repeat("x", n-11) + `"}` }
	expect(t, "1 MiB", s.Do(t, "POST", "/campaigns", body(1<<20)), bad("missing_required_parameter", "budget"))
	expect(t, "1 MiB and a byte", s.Do(t, "POST", "/campaigns", body(1<<20+1)), refusal{413, "request_too_large", ""})
}

func TestEntityLimits(t *testing.T) {
	s := emulatortest.Start(t, func(o *emulator.Options) {
		f := &o.Accounts[0].Features
		f.MaxCampaigns, f.MaxAdGroups, f.MaxAds = 2, 1, 1
	})
	w := newTree(t, s)
	w.Campaign(t, "Second")
	for path, code := range map[string]string{
		"/campaigns": "campaign_limit_reached", "/ad_groups": "ad_group_limit_reached", "/ads": "ad_limit_reached",
	} {
		expect(t, "one too many on "+path, w.Do(t, "POST", path, w.creates()[path]), bad(code, ""))
	}
	w.Must(t, "POST", "/campaigns/"+w.campaign+"/archive", nil)
	w.Campaign(t, "In the place of the archived")
}

// TestDateFollowsTheClock: a client that asks what time it is at the service sees the
// emulator's own clock.
func TestDateFollowsTheClock(t *testing.T) {
	s := emulatortest.Start(t, func(o *emulator.Options) {
		o.Now = func() time.Time { return time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC) }
	})
	s.Advance(t, 365*24*3600)
	const want = "Wed, 01 Dec 2027 08:00:00 GMT"
	for _, path := range []string{"/ad_account", "/nowhere"} {
		if got := s.Do(t, "GET", path, nil).Header.Get("Date"); got != want {
			t.Errorf("Date of %s a year ahead = %q, want %q", path, got, want)
		}
	}
}
