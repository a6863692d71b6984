package fault

import (
	"adsync/internal/emulator/service"
	"adsync/internal/emulator/wire"
	"adsync/internal/emulator/world"
)

// features are those a document can flip.
var features = map[string]func(*world.Features) *bool{
	"bulk":            func(f *world.Features) *bool { return &f.Bulk },
	"bulk_cpm":        func(f *world.Features) *bool { return &f.BulkCPM },
	"conversions":     func(f *world.Features) *bool { return &f.Conversions },
	"hotel_reporting": func(f *world.Features) *bool { return &f.HotelReporting },
	"small_audiences": func(f *world.Features) *bool { return &f.SmallAudiences },
	"brand":           func(f *world.Features) *bool { return &f.Brand },
}

// readFlip: {"what": "account" | "billing" | "feature", "feature": NAME, "when":
// "before"}. An active account is paused and a paused one activated; postpaid
// billing or a feature is taken away, or given when it was not there. A request
// that finds its route closed by a feature is refused before any fault, so only
// what comes after a flip is.
func readFlip(o *wire.Object) action {
	o.Require("what")
	what := o.Choice("what", "account", "billing", "feature").V
	if what == "feature" {
		o.Require("feature")
	}
	name := o.Choice("feature", "bulk", "bulk_cpm", "conversions", "hotel_reporting", "small_audiences", "brand").V
	if name != "" && what != "feature" {
		o.Fail("feature", "invalid_value", "'%s' is for what = feature; 'what' is %q.", o.At("feature"), what)
	}
	flip := map[string]func(*exchange){
		"account": flipAccount,
		"billing": flipFeature(func(f *world.Features) *bool { return &f.Postpaid }),
		"feature": flipFeature(features[name]),
	}[what]
	after := o.Choice("when", "before", "after").V == "after"
	return action{request: func(x *exchange) service.Response {
		if after {
			resp := x.next()
			flip(x)
			return resp
		}
		flip(x)
		return x.next()
	}}
}

// flipper is how the mutation log names who flips.
const flipper = "service"

func flipAccount(x *exchange) {
	if x.call.Account == nil {
		x.armed.failed("the request has no ad account")
		return
	}
	action := "pause"
	err := x.call.View(func() error {
		if x.call.Account.Profile().Status != world.Active {
			action = "activate"
		}
		return nil
	})
	if err != nil {
		x.armed.failed(err.Error())
		return
	}
	x.write(flipper, "/ad_account/"+action, nil, nil)
}

// flipFeature changes what the account may use. As with POST
// /_emulator/accounts/{id}/features the mutation log has no entry: it is no
// change of a resource.
func flipFeature(of func(*world.Features) *bool) func(*exchange) {
	return func(x *exchange) {
		if x.call.Account == nil {
			x.armed.failed("the request has no ad account")
			return
		}
		cause := world.Cause{Actor: flipper, Endpoint: "flip"}
		err := x.call.Account.Update(cause, func(tx *world.Tx) error {
			p := x.call.Account.Profile()
			feature := of(&p.Features)
			*feature = !*feature
			x.call.Account.Profiles.Put(tx, p)
			return nil
		})
		if err != nil {
			x.armed.failed(err.Error())
		}
	}
}
