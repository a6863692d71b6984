package fault

import (
	"adsync/internal/emulator/service"
	"adsync/internal/emulator/wire"
)

// readDropBefore: {}. The connection closes and nothing was carried out.
func readDropBefore(*wire.Object) action {
	return action{request: func(*exchange) service.Response { return dropped() }}
}
