package fault

import (
	"adsync/internal/emulator/service"
	"adsync/internal/emulator/wire"
)

// readDuplicate: {}. The request is carried out twice; the caller gets the second answer.
func readDuplicate(*wire.Object) action {
	return action{request: func(x *exchange) service.Response {
		x.next()
		return x.next()
	}}
}
