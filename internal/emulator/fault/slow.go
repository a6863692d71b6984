package fault

import (
	"adsync/internal/emulator/service"
	"adsync/internal/emulator/wire"
)

// readSlow: {"bytes_per_second": 100}. The answer's body comes no faster than
// that, on the emulator's clock.
func readSlow(o *wire.Object) action {
	o.Require("bytes_per_second")
	rate := int(o.Int("bytes_per_second", 1, 1<<30).V)
	return action{request: func(x *exchange) service.Response {
		resp := x.next()
		resp.BytesPerSecond = rate
		return resp
	}}
}
