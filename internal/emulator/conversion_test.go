package emulator_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"adsync/internal/emulator"
	"adsync/internal/testing/emulatortest"
)

// measured is an emulator with a pixel, its setting and a conversion key.
type measured struct {
	*emulatortest.Service
	source, pixel, key string
}

func newMeasured(t testing.TB, change ...func(*emulator.Options)) *measured {
	t.Helper()
	m := &measured{Service: emulatortest.Start(t, change...)}
	pixel := m.Must(t, "POST", "/conversions/pixels", `{"name":"Shop","client_type":"web"}`).Map(t)
	m.source, m.pixel = fmt.Sprint(pixel["id"]), fmt.Sprint(pixel["pixel_id"])
	m.key = fmt.Sprint(m.Must(t, "POST", "/conversions/api_keys", `{"name":"Server"}`).Map(t)["api_key"])
	return m
}

// post sends a batch to the receiver; path is events or pixel.
func (m *measured) post(t testing.TB, path string, batch any) emulatortest.Reply {
	t.Helper()
	return m.postAs(t, path+"?pid="+m.pixel, m.key, batch)
}

func (m *measured) postAs(t testing.TB, path, key string, batch any) emulatortest.Reply {
	t.Helper()
	body, err := json.Marshal(batch)
	if err != nil {
		t.Fatal(err)
	}
	address := strings.TrimSuffix(m.BaseURL, "/v1") + "/_events/v1/" + path
	req, err := http.NewRequestWithContext(t.Context(), "POST", address, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	resp, err := m.Client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var text bytes.Buffer
	if _, err := text.ReadFrom(resp.Body); err != nil {
		t.Fatal(err)
	}
	return emulatortest.Reply{Status: resp.StatusCode, Header: resp.Header, Body: text.Bytes()}
}

func (m *measured) order(id string) object {
	return object{
		"id": id, "type": "order_created", "timestamp_ms": m.now(), "action_source": "web",
		"data": object{"type": "contents", "amount": 1999, "currency": "USD"},
	}
}

func (m *measured) now() int64 { return m.World().Clock.Now().UnixMilli() }

func (m *measured) stream(t testing.TB) []any {
	t.Helper()
	return m.Must(t, "GET", "/conversions/events?pid="+m.pixel, nil).Map(t)["data"].([]any)
}

func TestPixelsAndConversionKeys(t *testing.T) {
	rows := []struct {
		name, path, body string
		want             refusal
	}{
		{"part 2, pixel", "pixels", `{"name":"Shop","client_type":"web"}`, fine},
		{"part 8, pixel name of 2", "pixels", `{"name":"Sh","client_type":"web"}`,
			bad("string_below_min_length", "name")},
		{"part 8, pixel name of 3", "pixels", `{"name":"Sho","client_type":"web"}`, fine},
		{"part 8, pixel name of 1,000", "pixels", `{"name":"` + text(1000) + `","client_type":"web"}`, fine},
		{"part 8, pixel name of 1,001", "pixels", `{"name":"` + text(1001) + `","client_type":"web"}`,
			bad("string_above_max_length", "name")},
		{"part 4, pixel without a name", "pixels", `{"client_type":"web"}`, bad("missing_required_parameter", "name")},
		{"part 4, pixel without client_type", "pixels",
			`{"name":"Shop"}`, bad("missing_required_parameter", "client_type")},
		{"part 2, client_type other than web", "pixels",
			`{"name":"Shop","client_type":"ios"}`, bad("invalid_value", "client_type")},
		{"facts 11, automatic matching is always on",
			"pixels", `{"name":"Shop","client_type":"web","automatic_advanced_matching_enabled":true}`,
			bad("unknown_parameter", "automatic_advanced_matching_enabled")},
		{"part 2, key", "api_keys", `{"name":"Server"}`, fine},
		{"part 8, key name of 2", "api_keys", `{"name":"Se"}`, bad("string_below_min_length", "name")},
		{"part 8, key name of 1,001", "api_keys", `{"name":"` + text(1001) + `"}`,
			bad("string_above_max_length", "name")},
		{"part 4, key without a name", "api_keys", `{}`, bad("missing_required_parameter", "name")},
	}
	s := emulatortest.Start(t)
	for _, row := range rows {
		expect(t, row.name, s.Do(t, "POST", "/conversions/"+row.path, row.body), row.want)
	}
}

func TestConversionFeatureOff(t *testing.T) {
	s := emulatortest.Start(t, func(o *emulator.Options) { o.Accounts[0].Features.Conversions = false })
	rows := []struct {
		name, method, path, body string
		status                   int
	}{
		{"part 7, pixels", "POST", "/conversions/pixels", `{"name":"Shop","client_type":"web"}`, 404},
		{"part 7, keys", "POST", "/conversions/api_keys", `{"name":"Server"}`, 404},
		{"part 7, events", "GET", "/conversions/events?pid=x", "", 404},
		{"part 4, event settings have no switch", "GET", "/conversions/event_settings", "", 200},
	}
	for _, row := range rows {
		got := s.Do(t, row.method, row.path, row.body)
		if got.Status != row.status || row.status == 404 && !strings.Contains(string(got.Body), "Not found") {
			t.Errorf("%s = %d %s, want %d", row.name, got.Status, got.Body, row.status)
		}
	}
}

func TestConversionKeyIsShownOnceAndNotKept(t *testing.T) {
	m := newMeasured(t)
	if !strings.HasPrefix(m.key, "sk-conv-") {
		t.Fatalf("part 2, the creation response has api_key %q", m.key)
	}
	log := m.Must(t, "GET", "/_emulator/mutations", nil).Body
	if strings.Contains(string(log), strings.TrimPrefix(m.key, "sk-conv-")) {
		t.Errorf("part 5, rule 7: the mutation log holds the secret")
	}
}

func TestEventSettings(t *testing.T) {
	m := newMeasured(t)
	base := object{
		"name": "Orders", "event_type": "order_created",
		"attribution_window_days": 30, "source_ids": []string{m.source},
	}
	own := with(with(base, "event_type", "custom"), "custom_event_name", "gift_sent")
	rows := []struct {
		name  string
		body  object
		field string
		value any
		want  refusal
	}{
		{"part 4, as published", base, "name", "Orders", fine},
		{"part 4, without a name", base, "name", absent, bad("missing_required_parameter", "name")},
		{"facts 11, name of 1", base, "name", "o", fine},
		{"facts 11, empty name", base, "name", "", bad("string_below_min_length", "name")},
		{"part 4, without event_type", base, "event_type", absent, bad("missing_required_parameter", "event_type")},
		{"facts 11, every standard event", base, "event_type", "subscription_created", fine},
		{"facts 11, no such event", base, "event_type", "purchase", bad("invalid_value", "event_type")},
		{"part 4, without a window", base, "attribution_window_days",
			absent, bad("missing_required_parameter", "attribution_window_days")},
		{"part 2, window of 7", base, "attribution_window_days", 7, bad("invalid_value", "attribution_window_days")},
		{"part 2, window of 31", base, "attribution_window_days",
			31, bad("integer_above_max_value", "attribution_window_days")},
		{"part 4, no source", base, "source_ids", []string{}, bad("array_below_min_length", "source_ids")},
		{"part 4, two sources", base, "source_ids",
			[]string{m.source, m.source}, bad("array_above_max_length", "source_ids")},
		{"part 7, source of nobody", base, "source_ids",
			[]string{"clidsrc_none"}, bad("source_not_found", "source_ids")},
		{"part 2, a name of its own on a standard event",
			base, "custom_event_name", "gift", bad("invalid_value", "custom_event_name")},
		{"part 2, null on a standard event", base, "custom_event_name", nil, fine},
		{"part 2, custom", own, "name", "Gifts", fine},
		{"part 4, custom without its name", own, "custom_event_name",
			absent, bad("missing_required_parameter", "custom_event_name")},
		{"facts 11, custom name of 64", own, "custom_event_name", strings.Repeat("a", 64), fine},
		{"facts 11, custom name of 65", own, "custom_event_name",
			strings.Repeat("a", 65), bad("invalid_value", "custom_event_name")},
		{"facts 11, custom name in capitals", own,
			"custom_event_name", "Gift", bad("invalid_value", "custom_event_name")},
		{"facts 11, custom name of a standard event",
			own, "custom_event_name", "page_viewed", bad("invalid_value", "custom_event_name")},
	}
	for _, row := range rows {
		expect(t, row.name, m.Do(t, "POST", "/conversions/event_settings",
			with(row.body, row.field, row.value)), row.want)
	}
	if body := m.Do(t, "POST", "/conversions/event_settings",
		with(base, "source_ids", []string{"x"})).Body; !strings.Contains(string(body), "Client data source not found") {
		t.Errorf("part 7: %s, want the message Client data source not found", body)
	}
}

func TestEventSettingRecord(t *testing.T) {
	m := newMeasured(t)
	body := object{
		"name": "Orders", "event_type": "order_created",
		"attribution_window_days": 30, "source_ids": []string{m.source},
	}
	id := m.Must(t, "POST", "/conversions/event_settings", body).ID(t)
	campaign := m.Must(t, "POST", "/campaigns", with(with(emulatortest.CampaignBody("Goals"),
		"bidding_type", "conversions"), "conversion_event_setting_ids", []string{id})).ID(t)
	list := m.Must(t, "GET", "/conversions/event_settings?order=asc&limit=500", nil).Map(t)
	want := emulatortest.Reply{Body: fmt.Appendf(nil, `{"object":"list","first_id":%[1]q,"last_id":%[1]q,"has_more":false,"data":[{
		"id":%[1]q,"name":"Orders","event_type":"order_created","custom_event_name":null,"attribution_window_days":30,
		"source_ids":[%[2]q],"sources":[{"id":%[2]q,"name":"Shop"}],"campaigns":[{"id":%[3]q,"name":"Goals"}],
		"ad_account_id":%[4]q,"archived":false,"version":1}]}`, id, m.source, campaign, emulatortest.AccountID)}.Map(t)
	if diff := cmp.Diff(want, list); diff != "" {
		t.Errorf("part 2, event setting (-want +got):\n%s", diff)
	}
	expect(t, "part 8, limit of 501", m.Do(t, "GET", "/conversions/event_settings?limit=501", nil),
		bad("integer_above_max_value", "limit"))
	expect(t, "part 4, unknown order", m.Do(t, "GET", "/conversions/event_settings?order=up", nil),
		bad("invalid_value", "order"))
}

func TestConversionGoalNeedsAStandardSettingOfThisAccount(t *testing.T) {
	m := newMeasured(t)
	own := object{
		"name": "Gifts", "event_type": "custom", "custom_event_name": "gift",
		"attribution_window_days": 30, "source_ids": []string{m.source},
	}
	id := m.Must(t, "POST", "/conversions/event_settings", own).ID(t)
	body := with(emulatortest.CampaignBody("Goals"), "bidding_type", "conversions")
	expect(t, "part 2, conversion rule 4", m.Do(t, "POST", "/campaigns", with(body,
		"conversion_event_setting_ids", []string{id})), bad("custom_event_setting", "conversion_event_setting_ids"))
	expect(t, "part 2, no such setting", m.Do(t, "POST", "/campaigns", with(body, "conversion_event_setting_ids",
		[]string{"ces_none"})), bad("event_setting_not_found", "conversion_event_setting_ids"))
}

func TestOpenPointsOfEventSettings(t *testing.T) {
	m := newMeasured(t, emulatortest.WithPoints(t,
		"event_setting_window_days=7_14_30,event_setting_source_name=null,event_setting_source_status=404"))
	base := object{
		"name": "Orders", "event_type": "order_created", "attribution_window_days": 7, "source_ids": []string{m.source},
	}
	made := m.Must(t, "POST", "/conversions/event_settings", base).Map(t)
	if got := made["sources"].([]any)[0].(object)["name"]; got != nil {
		t.Errorf("event_setting_source_name=null: name %v", got)
	}
	expect(t, "event_setting_window_days=7_14_30, window of 8", m.Do(t, "POST", "/conversions/event_settings",
		with(base, "attribution_window_days", 8)), bad("invalid_value", "attribution_window_days"))
	expect(t, "event_setting_source_status=404", m.Do(t, "POST", "/conversions/event_settings",
		with(base, "source_ids", []string{"x"})), refusal{404, "source_not_found", "source_ids"})
}

func TestPixelListIsAnAddition(t *testing.T) {
	m := newMeasured(t)
	got := m.Must(t, "GET", "/conversions/pixels", nil).Map(t)
	want := emulatortest.Reply{Body: fmt.Appendf(nil, `{"object":"list","first_id":%[1]q,"last_id":%[1]q,"has_more":false,
		"data":[{"id":%[1]q,"client_type":"web","name":"Shop","pixel_id":%[2]q}]}`, m.source, m.pixel)}.Map(t)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("facts 11, pixels (-want +got):\n%s", diff)
	}
	off := emulatortest.Start(t, emulatortest.WithPoints(t, "profile:interface"))
	if got := off.Do(t, "GET", "/conversions/pixels", nil).Status; got == 200 {
		t.Errorf("interface only: list of pixels = %d, want a refusal", got)
	}
}
