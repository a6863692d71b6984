package emulator_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"adsync/internal/emulator"
	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/service"
	"adsync/internal/emulator/world"
	"adsync/internal/testing/emulatortest"
)

func frozen(o *emulator.Options) {
	start := time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC)
	o.Now = func() time.Time { return start }
}

func TestClockIsDriven(t *testing.T) {
	s := emulatortest.Start(t, frozen)
	now := func() any { return s.Must(t, "GET", "/_emulator/clock", nil).Map(t)["now"] }
	for _, step := range []struct{ body, want string }{
		{`{"advance_seconds": 90}`, "2026-12-01T08:01:30Z"},
		{`{"advance_seconds": -30}`, "2026-12-01T08:01:00Z"},
		{`{"now": "2027-01-01T00:00:00Z"}`, "2027-01-01T00:00:00Z"},
		{`{"now": 1800000000}`, "2027-01-15T08:00:00Z"},
	} {
		s.Must(t, "POST", "/_emulator/clock", step.body)
		if got := now(); got != step.want {
			t.Errorf("after %s it is %v, want %s", step.body, got, step.want)
		}
	}
	for _, body := range []string{`{}`, `{"now":1,"advance_seconds":1}`, `{"now":"soon"}`, `{"later":1}`, ``} {
		if got := s.Do(t, "POST", "/_emulator/clock", body); got.Status != 400 {
			t.Errorf("clock %s = %d, want 400", body, got.Status)
		}
	}
}

func TestEveryAcceptedChangeIsInTheLog(t *testing.T) {
	s := emulatortest.Start(t, frozen)
	body := emulatortest.CampaignBody("Spring")
	id := s.Must(t, "POST", "/campaigns", body, "Idempotency-Key", "k").ID(t)
	s.Must(t, "POST", "/campaigns", body, "Idempotency-Key", "k")
	s.Do(t, "POST", "/campaigns/"+id, `{"nmae":"x"}`)
	s.Must(t, "POST", "/campaigns/"+id, `{"name":"Summer"}`)
	s.Must(t, "POST", "/campaigns/"+id+"/pause", nil)
	s.Must(t, "POST", "/campaigns/"+id+"/archive", nil)
	s.Do(t, "POST", "/campaigns/"+id+"/activate", nil)

	type line struct{ seq, endpoint, key, action, before, after string }
	var got []line
	all := s.Must(t, "GET", "/_emulator/mutations", nil).Map(t)["data"].([]any)
	for _, one := range all {
		m := one.(map[string]any)
		if m["resource_id"] != id || m["account_id"] != emulatortest.AccountID || m["body_sha256"] == "" {
			t.Errorf("entry = %v", m)
		}
		got = append(got, line{fmt.Sprint(m["seq"]), fmt.Sprint(m["endpoint"]), fmt.Sprint(m["idempotency_key"]),
			fmt.Sprint(m["action"]), nameAndStatus(m["before"]), nameAndStatus(m["after"])})
	}
	want := []line{
		{"1", "POST /campaigns", "k", "create", "", "Spring paused"},
		{"2", "POST /campaigns/{campaign_id}", "", "update", "Spring paused", "Summer paused"},
		{"3", "POST /campaigns/{campaign_id}/archive", "", "archive", "Summer paused", "Summer archived"},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(line{})); diff != "" {
		t.Errorf("mutations (-want +got):\n%s", diff)
	}
	page := s.Must(t, "GET", "/_emulator/mutations?after=1&limit=1", nil).Map(t)
	if n := len(page["data"].([]any)); n != 1 || page["has_more"] != true {
		t.Errorf("one page of mutations has %d entries, has_more %v", n, page["has_more"])
	}
}

func nameAndStatus(record any) string {
	m, ok := record.(map[string]any)
	if !ok {
		return ""
	}
	return fmt.Sprint(m["name"], " ", m["status"])
}

func TestOpenPointsAreChangedWhileItRuns(t *testing.T) {
	s := emulatortest.Start(t)
	s.Must(t, "POST", "/_emulator/open_points", `{"error_body":"flat"}`)
	if got := string(s.Do(t, "GET", "/campaigns/x", nil).Body); got !=
		"{\"message\":\"No campaign found with id 'x'.\"}\n" {
		t.Errorf("error body = %s, want the flat one", got)
	}
	shown := string(s.Do(t, "GET", "/_emulator/open_points", nil).Body)
	for _, p := range openpoint.Table() {
		value := p.Default
		if p.Name == openpoint.ErrorBody {
			value = "flat"
		}
		if want := fmt.Sprintf(`"where":%q,"value":%q`, p.Where, value); !strings.Contains(shown, want) {
			t.Errorf("open point %s is not shown with %s", p.Name, want)
		}
	}
	expect(t, "unknown value", s.Do(t, "POST", "/_emulator/open_points", `{"error_body":"xml"}`),
		bad("invalid_value", ""))
	expect(t, "unknown name", s.Do(t, "POST", "/_emulator/open_points", `{"colour":"red"}`), bad("invalid_value", ""))
}

func TestRequestsAreLogged(t *testing.T) {
	s := emulatortest.Start(t)
	got := s.Do(t, "GET", "/campaigns/x?include[]=serving_issues", nil)
	last := s.Requests()[len(s.Requests())-1]
	if last.Status != 404 || last.Path != "/v1/campaigns/x?include[]=serving_issues" ||
		last.AccountID != emulatortest.AccountID || last.RequestID != got.Header.Get("X-Request-Id") {
		t.Errorf("entry = %+v", last)
	}
}

func TestOpenPointsOfRecords(t *testing.T) {
	rows := []struct {
		points, field string
		there         bool
	}{
		{"", "x_experimental", false},
		{"extra_response_fields=yes", "x_experimental", true},
		{"", "campaign_id", true},
		{"parent_id_echoed=no", "campaign_id", false},
		{"", "user_external_id", false},
		{"user_external_id=present", "user_external_id", true},
	}
	for _, row := range rows {
		s := emulatortest.Start(t, emulatortest.WithPoints(t, row.points))
		body := emulatortest.AdGroupBody(s.Campaign(t, "Spring"), "Group")
		got := s.Must(t, "POST", "/ad_groups", body, "Idempotency-Key", "k").Map(t)
		if _, there := got[row.field]; there != row.there {
			t.Errorf("%q: %s is there: %v, want %v", row.points, row.field, there, row.there)
		}
	}
}

func TestOpenPointsOfValues(t *testing.T) {
	rows := []struct{ points, name, countries, host string }{
		{"", "  Spring  ", "[US CA]", "https://Shop.Example/A"},
		{"normalise_names=trimmed,normalise_arrays=sorted,normalise_url_host=lowered",
			"Spring", "[CA US]", "https://shop.example/A"},
	}
	for _, row := range rows {
		w := newTree(t, emulatortest.Start(t, emulatortest.WithPoints(t, row.points)))
		body := with(emulatortest.CampaignBody("  Spring  "), "targeting", object{
			"locations": object{"countries": []string{"US", "CA"}},
		})
		got := w.Must(t, "POST", "/campaigns", body).Map(t)
		countries := got["targeting"].(map[string]any)["locations"].(map[string]any)["countries"]
		if got["name"] != row.name || fmt.Sprint(countries) != row.countries {
			t.Errorf("%q: name %q, countries %v; want %q, %s",
				row.points, got["name"], countries, row.name, row.countries)
		}
		ad := w.Must(t, "POST", "/ads/"+w.ad,
			object{"creative": with(emulatortest.CreativeBody(w.file), "target_url", "https://Shop.Example/A")}).Map(t)
		if target := ad["creative"].(map[string]any)["target_url"]; target != row.host {
			t.Errorf("%q: target_url = %v, want %s", row.points, target, row.host)
		}
	}
}

func TestOpenPointsOfWhatWasNotSent(t *testing.T) {
	rows := []struct{ points, path, field, want string }{
		{"", "/ad_groups", "context_hints", "[]"},
		{"normalise_empty_lists=dropped", "/ad_groups", "context_hints", "absent"},
		{"", "/campaigns", "conversion_event_setting_ids", "[]"},
		{"normalise_empty_lists=dropped", "/campaigns", "conversion_event_setting_ids", "absent"},
		{"", "/campaigns", "description", "<nil>"},
		{"normalise_description=empty", "/campaigns", "description", ""},
		{"", "/ad_groups", "description", "<nil>"},
		{"normalise_description=empty", "/ad_groups", "description", ""},
		{"", "/ad_groups", "bidding_config", "map[billing_event_type:click max_bid_micros:1250000 strategy:fixed_bid]"},
		{"normalise_strategy=left_out", "/ad_groups",
			"bidding_config", "map[billing_event_type:click max_bid_micros:1250000]"},
	}
	for _, row := range rows {
		w := newTree(t, emulatortest.Start(t, emulatortest.WithPoints(t, row.points)))
		id := map[string]string{"/campaigns": w.campaign, "/ad_groups": w.adGroup}[row.path]
		got, there := w.Must(t, "GET", row.path+"/"+id, nil).Map(t)[row.field]
		if text := fmt.Sprint(got); there && text != row.want || !there && row.want != "absent" {
			t.Errorf("%q: %s of %s = %v (there: %v), want %s", row.points, row.field, row.path, got, there, row.want)
		}
	}
	w := newTree(t, emulatortest.Start(t, emulatortest.WithPoints(t,
		"normalise_empty_lists=dropped,normalise_description=empty,normalise_strategy=left_out")))
	body := object{"description": "Boots", "context_hints": []string{"hiking"}}
	if got := w.Must(t, "POST", "/ad_groups/"+w.adGroup, body).Map(t); got["description"] != "Boots" ||
		fmt.Sprint(got["context_hints"]) != "[hiking]" {
		t.Errorf("what was sent is shown as %v and %v, want Boots and [hiking]",
			got["description"], got["context_hints"])
	}
}

func TestRequestHooks(t *testing.T) {
	create := func(t *testing.T,
		hook func(c *service.Call, next func() service.Response) service.Response) (status string, made int) {
		s := emulatortest.Start(t, func(o *emulator.Options) { o.Hooks = &service.Hooks{Request: hook} })
		resp, err := s.Send(t, "POST", "/campaigns", emulatortest.CampaignBody("Spring"))
		status = "no answer"
		if err == nil {
			status = fmt.Sprint(resp.Status)
		}
		s.SetHooks(nil)
		return status, len(s.Must(t, "GET", "/campaigns", nil).Map(t)["data"].([]any))
	}
	rows := []struct {
		name   string
		hook   func(c *service.Call, next func() service.Response) service.Response
		status string
		made   int
	}{
		{"dropped before it commits", func(_ *service.Call, _ func() service.Response) service.Response {
			return service.Response{Drop: true}
		}, "no answer", 0},
		{"dropped after it commits", func(_ *service.Call, next func() service.Response) service.Response {
			next()
			return service.Response{Drop: true}
		}, "no answer", 1},
		{"delivered twice", func(_ *service.Call, next func() service.Response) service.Response {
			next()
			return next()
		}, "200", 2},
		{"cut in the middle", func(_ *service.Call, next func() service.Response) service.Response {
			resp := next()
			resp.CutAfter = 10
			return resp
		}, "no answer", 1},
		{"slow", func(_ *service.Call, next func() service.Response) service.Response {
			resp := next()
			resp.BytesPerSecond = 10_000
			return resp
		}, "200", 1},
	}
	for _, row := range rows {
		if status, made := create(t, row.hook); status != row.status || made != row.made {
			t.Errorf("%s: %s and %d campaigns, want %s and %d", row.name, status, made, row.status, row.made)
		}
	}
}

func TestAPanicChangesNothing(t *testing.T) {
	s := emulatortest.Start(t)
	a := s.World().Account(emulatortest.AccountID)
	before := a.Campaigns.Len()
	func() {
		defer func() { recover() }()
		a.Update(world.Cause{}, func(tx *world.Tx) error {
			a.Campaigns.Put(tx, world.Campaign{ID: "cmpn_half"})
			panic("in the middle")
		})
	}()
	if got := a.Campaigns.Len(); got != before {
		t.Errorf("after a panic there are %d campaigns, want %d", got, before)
	}
	s.Campaign(t, "Still works")
}
