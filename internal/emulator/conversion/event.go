package conversion

import (
	"bytes"
	"encoding/json"
	"net/url"
	"time"

	"adsync/internal/emulator/wire"
	"adsync/internal/emulator/world"
)

// The bounds of events (service facts 11).
const (
	maxEvents = 1000
	maxPast   = 7 * 24 * time.Hour
	maxFuture = 10 * time.Minute
)

var (
	actionSources = []string{"web", "mobile_app", "offline", "physical_store", "phone_call", "email", "other"}
	dataTypes     = []string{"contents", "customer_action", "plan_enrollment", "custom"}
)

// readEvent reads one event. assumption: the fields of user and of data beyond
// type, amount and currency are not published, so they pass as they are; obref
// may stand beside or instead of oppref.
func readEvent(o *wire.Object, now time.Time, browser bool) world.ConversionEvent {
	o.Require("id", "type", "timestamp_ms", "action_source")
	e := world.ConversionEvent{
		EventID:      o.Name("id", 1, 255).V,
		Type:         readType(o, browser),
		At:           o.Int("timestamp_ms", now.Add(-maxPast).UnixMilli(), now.Add(maxFuture).UnixMilli()).V,
		ActionSource: o.Choice("action_source", actionSources...).V,
		CustomName:   readCustomName(o, "type"),
		Ref:          o.Text("oppref", 1, 2048).V,
		OptOut:       o.Bool("opt_out").V,
	}
	if other := o.Text("obref", 1, 2048).V; e.Ref == "" {
		e.Ref = other
	}
	checkSource(o, e, browser)
	checkURL(o)
	checkUser(o)
	readData(o, &e)
	return e
}

func readType(o *wire.Object, browser bool) string {
	choices := append(standardEvents(), custom)
	if browser {
		choices = append(choices, sdkInit)
	}
	return o.Choice("type", choices...).V
}

// checkSource keeps app events to mobile apps and the server, and the browser pixel to web.
func checkSource(o *wire.Object, e world.ConversionEvent, browser bool) {
	if browser && e.ActionSource != "web" {
		o.Fail("action_source", "invalid_value", "Invalid '%s': the browser pixel sends web only.",
			o.At("action_source"))
	}
	if !standard[e.Type].app {
		return
	}
	if browser {
		o.Fail("type", "invalid_value", "Invalid '%s': '%s' is taken from servers only.", o.At("type"), e.Type)
	}
	if e.ActionSource != "mobile_app" {
		o.Fail("action_source", "invalid_value", "Invalid '%s': '%s' needs mobile_app.", o.At("action_source"), e.Type)
	}
}

func checkURL(o *wire.Object) {
	v := o.Text("source_url", 1, 2048)
	if !v.Given() {
		return
	}
	u, err := url.Parse(v.V)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		o.Fail("source_url", "invalid_value", "Invalid '%s': want an http or https address.", o.At("source_url"))
	}
}

// checkUser looks at who did it and forgets it; what was sent is never repeated
// in an error.
func checkUser(o *wire.Object) {
	if v := o.Raw("user"); v.Given() && v.V[0] != '{' {
		o.Fail("user", "invalid_type", "Invalid type for '%s': expected an object.", o.At("user"))
	}
}

// readData reads the event's own data: amounts are whole minor units of a currency.
func readData(o *wire.Object, e *world.ConversionEvent) {
	if e.Type != sdkInit {
		o.Require("data")
	}
	e.Data = world.Raw("{}")
	data, _ := o.Object("data")
	if data == nil {
		return
	}
	data.Choice("type", dataTypes...)
	e.Amount = data.Int("amount", 0, 1<<53).Ptr()
	e.Currency = data.Text("currency", 0, 0).V
	if e.Amount != nil {
		data.Require("currency")
	}
	if data.Has("currency") && !isCurrency(e.Currency) {
		data.Fail("currency", "invalid_value", "Invalid '%s': want a code such as USD.", data.At("currency"))
	}
	data.Ignore(data.Names()...)
	var compact bytes.Buffer
	if json.Compact(&compact, o.Raw("data").V) == nil {
		e.Data = compact.Bytes()
	}
}

func isCurrency(code string) bool {
	if len(code) != 3 {
		return false
	}
	for _, r := range code {
		if r < 'A' || r > 'Z' {
			return false
		}
	}
	return true
}

// Problems are all problems of one event as a server sends it, the first of each field.
func Problems(event []byte, now time.Time) []*wire.Error {
	o, problem := wire.ParseObject(event)
	if problem != nil {
		return []*wire.Error{problem}
	}
	readEvent(o, now, false)
	return o.Problems()
}
