package conversion

import (
	"maps"
	"regexp"
	"slices"
	"sync"

	"adsync/internal/emulator/wire"
)

const custom = "custom"

// standard are the supported events (service facts 11). app is for those that
// only the server-side interface takes, from mobile apps.
var standard = map[string]struct{ app bool }{
	"app_installed":          {app: true},
	"app_opened":             {app: true},
	"appointment_scheduled":  {},
	"checkout_started":       {},
	"contents_viewed":        {},
	"items_added":            {},
	"lead_created":           {},
	"order_created":          {},
	"page_viewed":            {},
	"registration_completed": {},
	"subscription_created":   {},
	"trial_started":          {},
}

func standardEvents() []string { return slices.Sorted(maps.Keys(standard)) }

// sdkInit is what the browser pixel sends when it starts, as seen live.
const sdkInit = "openai::sdk_init"

var customName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9_-]{1,64}$`) })

// readCustomName reads custom_event_name, which is needed when the field typeField
// is custom and refused otherwise: 1 to 64 of a-z, 0-9, _ and -, and no name that
// the service has itself.
func readCustomName(o *wire.Object, typeField string) *string {
	name := o.Text("custom_event_name", 0, 0)
	kind := o.Text(typeField, 0, 0).V
	switch {
	case kind != custom && name.Given():
		o.Fail("custom_event_name", "invalid_value",
			"Invalid '%s': it goes with %s custom only.", o.At("custom_event_name"), typeField)
	case kind != custom:
		return nil
	case !name.Given():
		o.Fail("custom_event_name", "missing_required_parameter",
			"Missing required parameter: '%s'.", o.At("custom_event_name"))
	case !customName().MatchString(name.V):
		o.Fail("custom_event_name", "invalid_value",
			"Invalid '%s': want 1 to 64 of the characters a-z, 0-9, _ and -.", o.At("custom_event_name"))
	case builtIn(name.V):
		o.Fail("custom_event_name", "invalid_value",
			"Invalid '%s': '%s' is the name of a standard event.", o.At("custom_event_name"), name.V)
	}
	return name.Ptr()
}

func builtIn(name string) bool {
	_, ok := standard[name]
	return ok || name == custom
}
