package emulator_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"adsync/internal/emulator"
	"adsync/internal/emulator/world"
	"adsync/internal/testing/emulatortest"
)

func TestAccountRecordIsAsPublished(t *testing.T) { // service facts 9.1
	s := emulatortest.Start(t, func(o *emulator.Options) { o.Accounts[0].Country = "US" })
	want := emulatortest.Reply{Body: []byte(`{
		"id": "adacct_test", "name": "Test account", "legal_name": "Test account", "account_name": "Test account",
		"brand_name": "Test account", "url": "https://www.example.com", "preview_url": null, "status": "active",
		"timezone": "America/New_York", "currency_code": "USD", "origin_country_code": "US",
		"review": {"status": "approved"}, "account_integrity_review": {"review": {"status": "approved"}}}`)}.Map(t)
	if diff := cmp.Diff(want, s.Must(t, "GET", "/ad_account", nil).Map(t)); diff != "" {
		t.Errorf("record (-want +got):\n%s", diff)
	}
}

func TestAccountActivateAndPause(t *testing.T) { // part 3
	s := emulatortest.Start(t)
	w := newTree(t, s)
	for _, step := range []struct{ action, want string }{{"pause", "paused"},
		{"pause", "paused"}, {"activate", "active"}, {"activate", "active"}} {
		if got := s.Must(t, "POST", "/ad_account/"+step.action, nil).Map(t)["status"]; got != step.want {
			t.Errorf("%s gives %v, want %s", step.action, got, step.want)
		}
	}
	s.Must(t, "POST", "/campaigns/"+w.campaign+"/activate", nil)
	s.Must(t, "POST", "/ad_account/pause", nil)
	if !hasIssue(t, s, w.campaign, "ad_account_suspended") {
		t.Error("a campaign of a paused account shows no ad_account_suspended")
	}
	if got := s.Must(t, "GET", "/campaigns/"+w.campaign, nil).Map(t)["status"]; got != "active" {
		t.Errorf("pausing the account made a campaign %v; want its status kept", got)
	}
	expect(t, "a body", s.Do(t, "POST", "/ad_account/pause", `{"status":"paused"}`), bad("unexpected_body", ""))
	s.Must(t, "POST", "/_emulator/open_points", object{"account_status_again": "refused"})
	expect(t, "account_status_again=refused", s.Do(t, "POST", "/ad_account/pause", nil),
		refusal{409, "status_unchanged", ""})
}

func TestAccountsAreListedByPage(t *testing.T) {
	s := emulatortest.Start(t, twoAccounts)
	got := s.Must(t, "GET", "/ad_accounts", nil).Map(t)
	if got["first_id"] != "adacct_test" || got["last_id"] != "adacct_test" ||
		got["has_more"] != false || len(got["data"].([]any)) != 1 {
		t.Errorf("accounts of a key = %v, want its own", got)
	}
	for query, want := range map[string]refusal{
		"limit=0":                   bad("integer_below_min_value", "limit"),
		"limit=1":                   fine,
		"limit=500":                 fine,
		"limit=501":                 bad("integer_above_max_value", "limit"),
		"after=adacct_other":        bad("invalid_cursor", "after"),
		"after=adacct_test":         fine,
		"after=x&before=y":          bad("invalid_value", "before"),
		"order=sideways":            fine, // the interface gives this list no order
		"limit=1&after=adacct_test": fine,
	} {
		expect(t, "GET /ad_accounts?"+query, s.Do(t, "GET", "/ad_accounts?"+query, nil), want)
	}
	user := login(t, s, "usr_owner", "ads.admin.all.read")
	page := func(query string) (ids []string, more any) {
		got := s.Must(t, "GET", "/ad_accounts?"+query, nil, user...).Map(t)
		for _, each := range got["data"].([]any) {
			ids = append(ids, each.(map[string]any)["id"].(string))
		}
		return ids, got["has_more"]
	}
	for _, row := range []struct {
		query string
		ids   []string
		more  bool
	}{
		{"", []string{"adacct_other", "adacct_test"}, false},
		{"limit=1", []string{"adacct_other"}, true},
		{"limit=1&after=adacct_other", []string{"adacct_test"}, false},
		{"limit=1&before=adacct_test", []string{"adacct_other"}, false},
	} {
		ids, more := page(row.query)
		if diff := cmp.Diff(row.ids, ids); diff != "" || more != row.more {
			t.Errorf("accounts of a user, %q: more %v, want %v (-want +got):\n%s", row.query, more, row.more, diff)
		}
	}
}

func TestBrandFields(t *testing.T) {
	rows := []struct {
		name string
		body string
		want refusal
	}{
		{"no field", `{}`, bad("missing_required_parameter", "")},
		{"name", `{"name":"Acme"}`, fine},
		{"name and legal name", `{"name":"Acme","legal_name":"Acme Inc."}`, bad("invalid_value", "name")},
		{"name and account name", `{"name":"Acme","account_name":"Acme"}`, bad("invalid_value", "name")},
		{"name and brand name", `{"name":"Acme","brand_name":"Acme"}`, bad("invalid_value", "name")},
		{"the three together", `{"legal_name":"Acme Inc.","account_name":"A","brand_name":"B"}`, fine},
		{"name and url", `{"name":"Acme","url":"https://acme.example.com"}`, fine},
		{"1,000 characters", `{"brand_name":"` + text(1000) + `"}`, fine},
		{"1,001 characters", `{"brand_name":"` + text(1001) + `"}`, bad("string_above_max_length", "brand_name")},
		{"blanks", `{"brand_name":"  "}`, bad("invalid_value", "brand_name")},
		{"null", `{"brand_name":null}`, bad("invalid_type", "brand_name")},
		{"no address", `{"url":"acme"}`, bad("invalid_value", "url")},
		{"another scheme", `{"url":"ftp://acme.example.com"}`, bad("invalid_value", "url")},
		{"unknown icon", `{"favicon_file_id":"file_none"}`, bad("file_not_found", "favicon_file_id")},
		{"unknown field", `{"timezone":"UTC"}`, bad("unknown_parameter", "timezone")},
	}
	s := emulatortest.Start(t)
	for _, row := range rows {
		expect(t, "brand: "+row.name, s.Do(t, "POST", "/ad_account/brand", row.body), row.want)
	}
}

func TestBrandNames(t *testing.T) { // part 4, POST /ad_account/brand
	s := emulatortest.Start(t)
	steps := []struct{ body, legal, account, brand string }{
		{`{"name":"Acme"}`, "Acme", "Acme", "Acme"},
		{`{"brand_name":"Zoom"}`, "Acme", "Acme", "Zoom"},
		{`{"legal_name":"Acme Inc.","account_name":"Shoes"}`, "Acme Inc.", "Shoes", "Zoom"},
	}
	for _, step := range steps {
		got := s.Must(t, "POST", "/ad_account/brand", step.body).Map(t)
		if diff := cmp.Diff([]any{step.legal, step.legal, step.account, step.brand},
			[]any{got["name"], got["legal_name"], got["account_name"], got["brand_name"]}); diff != "" {
			t.Errorf("after %s: name, legal, account, brand (-want +got):\n%s", step.body, diff)
		}
	}
}

func TestBrandNeedsTheFeature(t *testing.T) {
	s := emulatortest.Start(t, func(o *emulator.Options) { o.Accounts[0].Features.Brand = false })
	expect(t, "brand without the feature", s.Do(t, "POST", "/ad_account/brand", `{"name":"Acme"}`),
		refusal{403, "brand_update_not_enabled", ""})
}

func TestBrandAdditions(t *testing.T) {
	s := emulatortest.Start(t, emulatortest.WithPoints(t, "profile:interface"))
	expect(t, "interface only: url", s.Do(t, "POST", "/ad_account/brand", `{"url":"https://acme.example.com"}`),
		bad("unknown_parameter", "url"))
	expect(t, "interface only: brand name", s.Do(t, "POST", "/ad_account/brand", `{"brand_name":"Acme"}`), fine)
}

func TestBrandReview(t *testing.T) { // part 3 and service facts 5 and 9.2
	rows := []struct{ name, body, during, after, reason, issue string }{
		{"account name only", `{"account_name":"Shoes"}`, "approved", "approved", "", ""},
		{"nothing new", `{"brand_name":"Test account"}`, "approved", "approved", "", ""},
		{"brand name", `{"brand_name":"Zoom"}`, "in_review", "approved", "", ""},
		{"legal name", `{"legal_name":"Zoom Inc."}`, "in_review", "approved", "", ""},
		{"address", `{"url":"https://zoom.example.com"}`, "in_review", "approved", "", ""},
		{"a name that is rejected", `{"brand_name":"Casino"}`,
			"in_review", "rejected", "gambling", "ad_account_brand_review_rejected"},
		{"no icon found", `{"url":"https://x.example.com/review/missing_favicon/"}`,
			"in_review", "rejected", "missing_favicon", "ad_account_brand_review_missing_favicon"},
		{"escalated", `{"url":"https://x.example.com/review/escalated_review/"}`,
			"in_review", "rejected", "escalated_review", "ad_account_brand_review_escalated_review"},
	}
	for _, row := range rows {
		s := emulatortest.Start(t, frozen, func(o *emulator.Options) {
			o.Review = emulator.Review{
				Delay: time.Minute, Rules: []world.ReviewRule{{Contains: "Casino", Reason: "gambling"}},
			}
		})
		campaign := s.Campaign(t, "Spring")
		review := func(reply emulatortest.Reply) map[string]any { return reply.Map(t)["review"].(map[string]any) }
		if got := review(s.Must(t, "POST", "/ad_account/brand", row.body))["status"]; got != row.during {
			t.Errorf("%s: review = %v at first, want %s", row.name, got, row.during)
		}
		s.Advance(t, 59)
		if got := review(s.Must(t, "GET", "/ad_account", nil))["status"]; got != row.during {
			t.Errorf("%s: review = %v after 59 s, want %s", row.name, got, row.during)
		}
		if got, want := hasIssue(t, s, campaign, "ad_account_brand_review_in_progress"),
			row.during == "in_review"; got != want {
			t.Errorf("%s: brand_review_in_progress = %v during the review, want %v", row.name, got, want)
		}
		s.Advance(t, 1)
		got := review(s.Must(t, "GET", "/ad_account", nil))
		if reason, _ := got["reason"].(string); got["status"] != row.after || reason != row.reason {
			t.Errorf("%s: review = %v after a minute, want %s for %q", row.name, got, row.after, row.reason)
		}
		if row.issue != "" && !hasIssue(t, s, campaign, row.issue) {
			t.Errorf("%s: the campaign shows no %s", row.name, row.issue)
		}
	}
}

func TestBrandIcon(t *testing.T) {
	s := emulatortest.Start(t)
	creative := s.File(t)
	expect(t, "an icon that is a creative's image", s.Do(t,
		"POST", "/ad_account/brand", object{"favicon_file_id": creative}), bad("file_not_found", "favicon_file_id"))
	icon := s.Must(t, "POST",
		"/upload", `{"image_url":"https://images.example.com/icon.png","purpose":"account_favicon"}`).Map(t)["file_id"]
	got := s.Must(t, "POST", "/ad_account/brand", object{"favicon_file_id": icon}).Map(t)
	if got["preview_url"] == nil || got["review"].(map[string]any)["status"] != "in_review" {
		t.Errorf("after a new icon: preview %v, review %v; want an address and in_review",
			got["preview_url"], got["review"])
	}
}

func TestHoldsOfAnAccount(t *testing.T) {
	s := emulatortest.Start(t, func(o *emulator.Options) {
		o.Accounts[0].Holds = []string{"ad_account_threshold_payment_failed", "ad_account_suspended"}
	})
	campaign := s.Campaign(t, "Spring")
	for _, hold := range []string{"ad_account_threshold_payment_failed", "ad_account_suspended"} {
		if !hasIssue(t, s, campaign, hold) {
			t.Errorf("the campaign shows no %s", hold)
		}
	}
	got := s.Must(t, "GET", "/ad_account", nil).Map(t)["account_integrity_review"]
	if fmt.Sprint(got) != "map[review:map[reason:ad_account_suspended status:rejected]]" {
		t.Errorf("integrity review of a suspended account = %v", got)
	}
}

func TestASecretIsInOneAnswerOnly(t *testing.T) { // part 5 and service facts 9.5
	s := emulatortest.Start(t)
	made := s.Must(t, "POST", "/api_keys", `{"key_name":"colleague"}`)
	secret := made.Map(t)["api_key"].(string)
	for _, path := range []string{"/audit_logs", "/_emulator/credentials",
		"/_emulator/mutations", "/_emulator/requests"} {
		if body := s.Must(t, "GET", path, nil).Body; bytes.Contains(body, []byte(secret)) {
			t.Errorf("GET %s shows the secret of a key", path)
		}
	}
}
