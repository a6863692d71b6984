package wire

import (
	"encoding/json"
	"testing"
	"time"

	"adsync/internal/adsapi"
	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/plan"

	"github.com/google/go-cmp/cmp"
)

func testEncoder(t *testing.T, bidding string) Encoder {
	t.Helper()
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	return Encoder{
		Schemas: kinds.All(), Zone: zone,
		Files: func(source string) string { return map[string]string{"sha256:aa": "file_1"}[source] },
		Value: func(a resource.Address, name string) resource.Value {
			if a.Kind == kinds.Campaign && name == "bidding_type" {
				return resource.Text(bidding)
			}
			return resource.Value{}
		},
	}
}

func change(kind resource.Kind, key string) *plan.Change {
	return &plan.Change{Address: resource.Address{Kind: kind, Key: key}}
}

func field(name string, v resource.Value) plan.Field { return plan.Field{Name: name, Desired: v} }

// TestUpdatesSayWhatTheFilesSay: plain fields alone, settings whole on top of
// what the service holds, and null, absent and a value as three things.
func TestUpdatesSayWhatTheFilesSay(t *testing.T) {
	const live = `{"name":"Old","description":"d","budget":{"lifetime_spend_limit_micros":5000000},
		"targeting":{"locations":{"countries":["US"],"include":[{"id":"2000043","name":"California","type":"region","country_code":"US","region_code":"US-CA"}]},"platforms":{"included":["web"]},"later_setting":{"a":1}},
		"landing_page_configuration":{"query_string_template":"a=b"},
		"bidding_config":{"billing_event_type":"click","strategy":"fixed_bid","max_bid_micros":900000},
		"creative":{"type":"chat_card","title":"T","body":"B","target_url":"https://e.example","file_id":"file_0","image_url":"https://signed"}}`
	for _, row := range []struct {
		name   string
		kind   resource.Kind
		fields []plan.Field
		want   string
	}{
		{"a name alone", kinds.Campaign, []plan.Field{field("name", resource.Text("New"))}, `{"name":"New"}`},
		{"a cleared plain field is null", kinds.Campaign,
			[]plan.Field{field("description", resource.Null())}, `{"description":null}`},
		{"a budget half replaces the other", kinds.Campaign, []plan.Field{field("budget.daily",
			resource.Number(50_000_000))}, `{"budget":{"daily_spend_limit_micros":50000000}}`},
		{"a last day is the first moment after it",
			kinds.Campaign, []plan.Field{field("end", resource.Text("2027-05-31"))}, `{"end_time":1811822400}`},
		{"targeting goes whole, with what no file manages",
			kinds.Campaign, []plan.Field{field("targeting.countries", resource.List([]string{"CA", "US"}))},
			`{"targeting":{"locations":{"countries":["CA","US"],"include":[{"id":"2000043"}]},"platforms":{"included":["web"]},"later_setting":{"a":1}}}`},
		{"cleared platforms are null", kinds.Campaign, []plan.Field{field("targeting.platforms", resource.Null())},
			`{"targeting":{"locations":{"countries":["US"],"include":[{"id":"2000043"}]},"platforms":null,"later_setting":{"a":1}}}`},
		{"the last parameter cleared clears the setting",
			kinds.Campaign, []plan.Field{field("tracking", resource.Null())}, `{"landing_page_configuration":null}`},
		{"a bid keeps the rest of its configuration",
			kinds.AdGroup, []plan.Field{field("bid.max", resource.Number(1_250_000))},
			`{"bidding_config":{"billing_event_type":"click","strategy":"fixed_bid","max_bid_micros":1250000}}`},
		{"a bid that is cleared goes, and is not 0", kinds.AdGroup,
			[]plan.Field{field("bid.max", resource.Null()), field("bid.strategy", resource.Text("maximize_clicks"))},
			`{"bidding_config":{"billing_event_type":"click","strategy":"maximize_clicks"}}`},
		{"hints cleared are an empty list", kinds.AdGroup,
			[]plan.Field{field("context_hints", resource.Null())}, `{"context_hints":[]}`},
		{"a creative goes whole, without what is only for reading", kinds.Ad,
			[]plan.Field{field("title", resource.Text("New title")), field("image", resource.Text("sha256:aa"))},
			`{"creative":{"type":"chat_card","title":"New ` +
				`title","body":"B","target_url":"https://e.example","file_id":"file_1"}}`},
	} {
		t.Run(row.name, func(t *testing.T) {
			body, err := testEncoder(t, "clicks").SingleUpdate(Part{Change: change(row.kind, "a/b/c"),
				Fields: row.fields}, resource.Call{}, "id", json.RawMessage(live))
			if err != nil {
				t.Fatal(err)
			}
			sameJSON(t, body, row.want)
		})
	}
}

func sameJSON(t *testing.T, got []byte, want string) {
	t.Helper()
	var g, w any
	if err := json.Unmarshal(got, &g); err != nil {
		t.Fatalf("body %s: %v", got, err)
	}
	if err := json.Unmarshal([]byte(want), &w); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(w, g); d != "" {
		t.Errorf("body %s (-want +got):\n%s", got, d)
	}
}

func TestCreatesCarryWhatNoAttributeDecides(t *testing.T) {
	e := testEncoder(t, "impressions")
	body, err := e.SingleCreate(Part{Change: change(kinds.AdGroup, "c/g"),
		Fields: []plan.Field{field("name", resource.Text("Group")), field("bid.max", resource.Number(60_000)),
			field("status", resource.Text("paused"))}}, resource.Call{}, "cmpn_1")
	if err != nil {
		t.Fatal(err)
	}
	sameJSON(t, body,
		`{"campaign_id":"cmpn_1","name":"Group","status":"paused","bidding_config":{"billing_event_type":"impression","max_bid_micros":60000}}`)
	body, err = e.SingleCreate(Part{Change: change(kinds.Ad, "c/g/a"), Fields: []plan.Field{field("title",
		resource.Text("Title")), field("image", resource.Text("sha256:aa"))}}, resource.Call{}, "adgrp_1")
	if err != nil {
		t.Fatal(err)
	}
	sameJSON(t, body,
		`{"ad_group_id":"adgrp_1","name":"Title","creative":{"type":"chat_card","title":"Title","file_id":"file_1"}}`)
	body, err = e.SingleCreate(Part{Change: change(kinds.Campaign, "c"), Fields: []plan.Field{field("name",
		resource.Text("Feed")), field("product_feed", resource.Text("fd_1"))}}, resource.Call{}, "")
	if err != nil {
		t.Fatal(err)
	}
	sameJSON(t, body, `{"name":"Feed","mode":"product_feed","product_feed_id":"fd_1"}`)
}

// A job says of a strategy that only goes along with its bid no more than that it is a
// fixed one: any other goes with the bid in a single request.
func TestWhatAnUpdateOperationLeavesOut(t *testing.T) {
	e := testEncoder(t, "clicks")
	for _, row := range []struct {
		name  string
		field plan.Field
		cause plan.Cause
		want  bool
	}{
		{"a fixed bid that goes along", field("bid.strategy", resource.Text("fixed_bid")), plan.SentAlong, true},
		{"another strategy that goes along", field("bid.strategy", resource.Text("maximize_clicks")),
			plan.SentAlong, false},
		{"a strategy that is edited", field("bid.strategy", resource.Text("fixed_bid")), plan.Edit, false},
		{"a bid", field("bid.max", resource.Number(1)), plan.SentAlong, false},
	} {
		row.field.Cause = row.cause
		if got := e.LeftOut(resource.Address{Kind: kinds.AdGroup, Key: "c/g"}, row.field); got != row.want {
			t.Errorf("%s: leftOut = %t, want %t", row.name, got, row.want)
		}
	}
}

// TestRouteOfEachField is the route table for creates: what a job carries, what
// a follow-up brings, and what forces a single request (design.md section 4).
func TestRouteOfEachField(t *testing.T) {
	caps := map[resource.Capability]bool{resource.BulkJobs: true}
	daily := map[resource.Capability]bool{resource.BulkJobs: true, resource.BulkDailyBudget: true}
	for _, row := range []struct {
		name    string
		kind    resource.Kind
		bidding string
		field   plan.Field
		caps    map[resource.Capability]bool
		want    saying
	}{
		{"lifetime budget", kinds.Campaign, "clicks", field("budget.lifetime", resource.Number(1)), caps, said},
		{"daily budget where bulk does not take it",
			kinds.Campaign, "clicks", field("budget.daily", resource.Number(1)), caps, SingleOnly},
		{"daily budget where bulk takes it", kinds.Campaign,
			"clicks", field("budget.daily", resource.Number(1)), daily, said},
		{"conversions", kinds.Campaign, "clicks", field("bidding_type", resource.Text("conversions")),
			caps, SingleOnly},
		{"clicks", kinds.Campaign, "clicks", field("bidding_type", resource.Text("clicks")), caps, said},
		{"schedule", kinds.Campaign, "clicks", field("start", resource.Text("2027-01-01")), caps, later},
		{"tracking", kinds.Campaign, "clicks", field("tracking", resource.Text("a=b")), caps, later},
		{"platforms", kinds.Campaign, "clicks", field("targeting.platforms", resource.List([]string{"web"})),
			caps, later},
		{"cost per click", kinds.AdGroup, "clicks", field("bid.max", resource.Number(1)), caps, said},
		{"bid for impressions, whose unit in bulk is not published",
			kinds.AdGroup, "impressions", field("bid.max", resource.Number(1)), caps, later},
		{"fixed bid", kinds.AdGroup, "clicks", field("bid.strategy", resource.Text("fixed_bid")), caps, said},
		{"maximised clicks", kinds.AdGroup, "clicks",
			field("bid.strategy", resource.Text("maximize_clicks")), caps, SingleOnly},
		{"hints to avoid", kinds.AdGroup, "clicks", field("exclusion_hints", resource.List([]string{"a"})), caps, said},
		{"image by address", kinds.Ad, "clicks", field("image", resource.Text("https://e.example/a.png")), caps, said},
		{"image of the tree", kinds.Ad, "clicks", field("image", resource.Text("sha256:aa")), caps, SingleOnly},
		{"name of an ad", kinds.Ad, "clicks", field("name", resource.Text("Hero")), caps, later},
		{"something cleared", kinds.Campaign, "clicks", field("description", resource.Null()), caps, unneeded},
	} {
		if got := testEncoder(t, row.bidding).OnCreate(resource.Address{Kind: row.kind, Key: "a/b/c"},
			row.field, row.caps); got != row.want {
			t.Errorf("%s: %d; want %d", row.name, got, row.want)
		}
	}
}

// A default that the service need not show is read as what it means, where the object
// around it is shown; nothing is made up of one that is not there.
func TestADefaultThatIsLeftOutIsRead(t *testing.T) {
	d := Decoder{Zone: testEncoder(t, "clicks").Zone}
	for record, want := range map[string]string{
		`{"bidding_config":{"billing_event_type":"click","max_bid_micros":1000000}}`:     "fixed_bid",
		`{"bidding_config":{"billing_event_type":"click","strategy":"maximize_clicks"}}`: "maximize_clicks",
		`{"bidding_config":null}`: "",
		`{"name":"Runners"}`:      "",
	} {
		live, err := d.Decode(kinds.All().Of(kinds.AdGroup),
			adsapi.Record{ID: "adgrp_1", JSON: json.RawMessage(record)})
		if err != nil || live.Value("bid.strategy").Text() != want {
			t.Errorf("%s: strategy %q, %v; want %q", record, live.Value("bid.strategy").Text(), err, want)
		}
	}
}

// TestRecordsAreReadTolerantly: what no attribute names is left alone, and an
// unknown word is kept (service facts, decision 5; fault N25).
func TestRecordsAreReadTolerantly(t *testing.T) {
	const record = `{"id":"cmpn_1","name":"Spring","status":"sleeping","brand_new":{"x":1},"budget":{"daily_spend_limit_micros":50000000},
		"start_time":1806033600,"end_time":1811822400,"description":null,"conversion_event_setting_ids":[],
		"targeting":{"locations":{"countries":["US","CA"],"include":[{"id":"3000194","name":"San Francisco"}]}}}`
	d := Decoder{Zone: testEncoder(t, "clicks").Zone}
	live, err := d.Decode(kinds.All().Of(kinds.Campaign), adsapi.Record{ID: "cmpn_1", JSON: json.RawMessage(record)})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, n := range live.Attributes {
		got[n.Name] = n.Value.String()
	}
	want := map[string]string{
		"name": `"Spring"`, "status": `"sleeping"`,
		"budget.daily": "50000000", "start": `"2027-03-26"`, "end": `"2027-05-31"`,
		"targeting.countries": `["CA" "US"]`, "targeting.locations": `["3000194"]`,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("decode (-want +got):\n%s", d)
	}
}
