package emulator_test

import (
	"bytes"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"adsync/internal/emulator"
	"adsync/internal/testing/emulatortest"
)

// stopped is a clock that stands still until it is moved.
func stopped(o *emulator.Options) {
	o.Now = func() time.Time { return time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC) }
}

func TestReceivedEvents(t *testing.T) {
	m := newMeasured(t, stopped)
	const day = 24 * 60 * 60 * 1000
	param := func(name string) string { return "events[0]." + name }
	rows := []struct {
		name  string
		field string
		value any
		want  refusal
	}{
		{"as published", "id", "e1", fine},
		{"without id", "id", absent, bad("missing_required_parameter", param("id"))},
		{"without type", "type", absent, bad("missing_required_parameter", param("type"))},
		{"unknown type", "type", "purchase", bad("invalid_value", param("type"))},
		{"the pixel's own event", "type", "openai::sdk_init", bad("invalid_value", param("type"))},
		{"without timestamp", "timestamp_ms", absent, bad("missing_required_parameter", param("timestamp_ms"))},
		{"7 days ago", "timestamp_ms", m.now() - 7*day, fine},
		{"7 days and a millisecond ago", "timestamp_ms",
			m.now() - 7*day - 1, bad("integer_below_min_value", param("timestamp_ms"))},
		{"10 minutes ahead", "timestamp_ms", m.now() + 600_000, fine},
		{"10 minutes and a millisecond ahead", "timestamp_ms",
			m.now() + 600_001, bad("integer_above_max_value", param("timestamp_ms"))},
		{"without action_source", "action_source", absent, bad("missing_required_parameter", param("action_source"))},
		{"in a shop", "action_source", "physical_store", fine},
		{"unknown action_source", "action_source", "tv", bad("invalid_value", param("action_source"))},
		{"app event from the web", "type", "app_opened", bad("invalid_value", param("action_source"))},
		{"custom without its name", "type", "custom", bad("missing_required_parameter", param("custom_event_name"))},
		{"a name of its own on a standard event", "custom_event_name",
			"gift", bad("invalid_value", param("custom_event_name"))},
		{"without data", "data", absent, bad("missing_required_parameter", param("data"))},
		{"data that is text", "data", "x", bad("invalid_type", param("data"))},
		{"unknown data type", "data.type", "cart", bad("invalid_value", param("data.type"))},
		{"amount with a fraction", "data.amount", 19.99, bad("invalid_type", param("data.amount"))},
		{"amount without a currency", "data.currency",
			absent, bad("missing_required_parameter", param("data.currency"))},
		{"currency in small letters", "data.currency", "usd", bad("invalid_value", param("data.currency"))},
		{"source_url", "source_url", "https://shop.example.com/thanks", fine},
		{"source_url without a host", "source_url", "/thanks", bad("invalid_value", param("source_url"))},
		{"user", "user", object{"email": "someone@example.com"}, fine},
		{"user that is text", "user", "someone@example.com", bad("invalid_type", param("user"))},
		{"opt_out that is text", "opt_out", "no", bad("invalid_type", param("opt_out"))},
		{"unknown field", "ip", "127.0.0.1", bad("unknown_parameter", param("ip"))},
	}
	for _, row := range rows {
		batch := object{"validate_only": true, "events": []object{with(m.order("e1"), row.field, row.value)}}
		expect(t, "facts 11, event: "+row.name, m.post(t, "events", batch), row.want)
	}
}

func TestReceivedBatches(t *testing.T) {
	m := newMeasured(t, stopped)
	orders := func(n int) []object {
		all := make([]object, n)
		for i := range all {
			all[i] = m.order(fmt.Sprint("many", i))
		}
		return all
	}
	expect(t, "facts 11, no event", m.post(t, "events", object{"events": []object{}}),
		bad("array_below_min_length", "events"))
	expect(t, "facts 11, 1,001 events", m.post(t, "events", object{"events": orders(1001)}),
		bad("array_above_max_length", "events"))
	half := []object{m.order("a"), with(m.order("b"), "type", "purchase")}
	expect(t, "facts 11, one bad event of two", m.post(t, "events", object{"events": half}),
		bad("invalid_value", "events[1].type"))
	expect(t, "facts 11, validate_only", m.post(t, "events", object{"events": orders(3), "validate_only": true}), fine)
	if n := m.conversions(t); n != 0 {
		t.Errorf("facts 11: %d events are kept after refused and validated batches, want 0", n)
	}
	expect(t, "facts 11, 1,000 events", m.post(t, "events", object{"events": orders(1000)}), fine)
	if n := m.conversions(t); n != 1000 {
		t.Errorf("%d events are kept, want 1,000", n)
	}
}

func (m *measured) conversions(t testing.TB) (n int) {
	t.Helper()
	a := m.World().Account(emulatortest.AccountID)
	if err := a.View(func() error { n = a.Conversions.Len(); return nil }); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestEventsSentAgain: that the browser and a server send one event is published, that a server
// sends it twice is not.
func TestEventsSentAgain(t *testing.T) {
	for _, row := range []struct {
		points        string
		events, twice int
	}{
		{"", 2, 0},
		{"event_repeated=again", 5, 3},
	} {
		t.Run(row.points, func(t *testing.T) {
			m := newMeasured(t, stopped, emulatortest.WithPoints(t, row.points))
			batch := object{"events": []object{m.order("a"), m.order("b")}}
			for range 2 {
				m.post(t, "pixel", batch)
				m.post(t, "events", batch)
			}
			m.post(t, "events", object{"events": []object{m.order("a")}})
			got := m.Must(t, "GET", "/_emulator/events", nil).Map(t)
			if fmt.Sprint(got) != fmt.Sprint(map[string]any{"events": row.events, "twice": row.twice}) {
				t.Errorf("%v, want %d events, %d of them twice", got, row.events, row.twice)
			}
		})
	}
}

func TestReceipts(t *testing.T) {
	for points, want := range map[string]string{
		"":                    `{"object":"conversion_events","events_received":1}`,
		"event_receipt=empty": `{}`,
	} {
		m := newMeasured(t, stopped, emulatortest.WithPoints(t, points))
		got := bytes.TrimSpace(m.post(t, "events", object{"events": []object{m.order("a")}}).Body)
		if string(got) != want {
			t.Errorf("%q: %s, want %s", points, got, want)
		}
	}
}

// TestCheckedEvents: one event is held to what the receiver holds a batch to.
func TestCheckedEvents(t *testing.T) {
	now := time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC)
	for event, want := range map[string]string{
		`{"id":"a","type":"lead_created","timestamp_ms":1796112000000,"action_source":"web","data":{}}`: "[]",
		`{"id":"a","type":"lead","timestamp_ms":1,"action_source":"web","data":{"amount":1}}`: "[{type invalid_value} " +
			"{timestamp_ms integer_below_min_value} {data.currency missing_required_parameter}]",
		`[]`: "[{ invalid_json}]",
	} {
		if got := fmt.Sprint(emulator.CheckEvent([]byte(event), now)); got != want {
			t.Errorf("%s: %s, want %s", event, got, want)
		}
	}
}

func TestReceiverCredentials(t *testing.T) {
	m := newMeasured(t)
	batch := object{"events": []object{m.order("e1")}}
	rows := []struct {
		name, path, key string
		want            refusal
	}{
		{"facts 11, no key", "events?pid=" + m.pixel, "", refusal{401, "invalid_api_key", ""}},
		{"facts 11, an account's API key is no conversion key",
			"events?pid=" + m.pixel, m.Key, refusal{401, "invalid_api_key", ""}},
		{"facts 11, no pixel named", "events", m.key, bad("missing_required_parameter", "pid")},
		{"facts 11, pixel of nobody", "events?pid=px_none", m.key, refusal{404, "not_found", ""}},
		{"the browser has no key", "pixel?pid=" + m.pixel, "", fine},
		{"facts 11, conversion key", "events?pid=" + m.pixel, m.key, fine},
	}
	for _, row := range rows {
		expect(t, row.name, m.postAs(t, row.path, row.key, batch), row.want)
	}
	expect(t, "a conversion key opens nothing else", m.Do(t, "GET",
		"/ad_account", nil, "Authorization", "Bearer "+m.key), refusal{http.StatusUnauthorized, "invalid_api_key", ""})
}

func TestEventStream(t *testing.T) {
	m := newMeasured(t, stopped)
	at := m.now()
	m.post(t, "pixel", object{"events": []object{m.order("first")}})
	m.post(t, "events", object{"events": []object{m.order("from a server")}})
	want := emulatortest.Reply{Body: fmt.Appendf(nil, `{"object":"list","data":[{
		"action_source":"web","api_channel":"pixel_sdk","custom_event_name":null,"data_source_id":%q,
		"event_data_json":"{\"amount\":1999,\"currency\":\"USD\",\"type\":\"contents\"}",
		"event_timestamp_ms":%d,"event_type":"order_created","received_at_ms":%d}]}`, m.source, at, at)}.Map(t)
	if diff := cmp.Diff(want, m.Must(t, "GET", "/conversions/events?pid="+m.pixel, nil).Map(t)); diff != "" {
		t.Errorf("part 4, browser pixel events only (-want +got):\n%s", diff)
	}
	m.Advance(t, 15*60)
	if n := len(m.stream(t)); n != 1 {
		t.Errorf("part 8: %d events 15 minutes later, want 1", n)
	}
	for i := range 51 {
		m.post(t, "pixel", object{"events": []object{m.order(fmt.Sprint(i))}})
		m.Advance(t, 0.001)
	}
	events := m.stream(t)
	if n := len(events); n != 50 {
		t.Errorf("part 8: %d events of 51, want 50", n)
	}
	if newest := events[0].(object)["event_timestamp_ms"]; fmt.Sprint(newest) != fmt.Sprint(m.now()-1) {
		t.Errorf("part 4: the first of the stream happened at %v, want the most recent, %d", newest, m.now()-1)
	}
	m.Advance(t, 15*60)
	if n := len(m.stream(t)); n != 0 {
		t.Errorf("part 8: %d events more than 15 minutes later, want 0", n)
	}
	expect(t, "part 4, without pid", m.Do(t, "GET", "/conversions/events", nil),
		bad("missing_required_parameter", "pid"))
	expect(t, "part 4, pid of nobody", m.Do(t, "GET", "/conversions/events?pid=px_none", nil),
		refusal{404, "not_found", ""})
	expect(t, "facts 14.16, limit of 51", m.Do(t, "GET", "/conversions/events?limit=51&pid="+m.pixel, nil),
		bad("integer_above_max_value", "limit"))
}

func TestAnEventIDCountsOncePerPixel(t *testing.T) {
	m := newMeasured(t)
	batch := object{"events": []object{m.order("shared"), m.order("shared")}}
	m.post(t, "events", batch)
	m.post(t, "pixel", batch)
	m.post(t, "events", batch)
	if n := m.conversions(t); n != 1 {
		t.Errorf("part 4, shared event ID: %d events are kept, want 1", n)
	}
	if n := len(m.stream(t)); n != 1 {
		t.Errorf("the stream has %d events, want 1", n)
	}
}

func TestConversionsAreCreditedToTheAdThatWasClicked(t *testing.T) {
	m := newMeasured(t)
	ad := newTree(t, m.Service).ad
	ref := fmt.Sprint(m.Must(t, "POST", "/_emulator/clicks", object{"ad_id": ad}).Map(t)["ref"])
	m.Advance(t, 60)
	m.post(t, "events", object{"events": []object{
		with(m.order("clicked"), "oppref", ref),
		with(m.order("other ref"), "obref", ref),
		with(with(m.order("opted out"), "oppref", ref), "opt_out", true),
		with(with(m.order("before the click"), "oppref", ref), "timestamp_ms", m.now()-120_000),
		m.order("without a ref"),
	}})
	a := m.World().Account(emulatortest.AccountID)
	var credited []string
	if err := a.View(func() error {
		for _, e := range a.ConversionsOfAd.Of(ad) {
			credited = append(credited, e.EventID)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"clicked", "other ref"}, credited); diff != "" {
		t.Errorf("events credited to the ad (-want +got):\n%s", diff)
	}
}

func TestWhoDidItIsNotKept(t *testing.T) {
	dir := t.TempDir()
	m := newMeasured(t, func(o *emulator.Options) { o.Dir = dir })
	m.post(t, "events", object{"events": []object{with(m.order("e1"), "user", object{"email": canary})}})
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	noCanary(t, dir)
}
