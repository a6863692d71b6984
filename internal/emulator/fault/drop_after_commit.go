package fault

import (
	"adsync/internal/emulator/service"
	"adsync/internal/emulator/wire"
)

// readDropAfter: {}. The request is carried out and the connection closes.
func readDropAfter(*wire.Object) action {
	return action{request: func(x *exchange) service.Response {
		x.detach()
		x.next()
		return dropped()
	}}
}
