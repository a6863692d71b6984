package fault

import (
	"time"

	"adsync/internal/emulator/service"
	"adsync/internal/emulator/wire"
)

// readKeyTTL: {"for": "30m"}. Before a request that is struck is carried out, its
// account forgets for good every key that was first used that long ago or longer.
func readKeyTTL(o *wire.Object) action {
	d := duration(o, "for")
	return action{request: func(x *exchange) service.Response {
		if x.call.Account != nil {
			if _, err := x.forget(func(_ string, age time.Duration) bool { return age >= d }); err != nil {
				x.armed.failed(err.Error())
			}
		}
		return x.next()
	}}
}
