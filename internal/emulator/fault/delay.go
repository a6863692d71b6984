package fault

import (
	"adsync/internal/emulator/service"
	"adsync/internal/emulator/wire"
)

// readDelay: {"for": "2s"}. The request waits before it is carried out, on the
// emulator's clock, whether or not its caller still does.
func readDelay(o *wire.Object) action {
	d := duration(o, "for")
	return action{request: func(x *exchange) service.Response {
		x.detach()
		if !x.wait(d) {
			return dropped()
		}
		return x.next()
	}}
}
