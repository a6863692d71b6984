package fault

import (
	"adsync/internal/emulator/service"
	"adsync/internal/emulator/wire"
)

// readHold: {"step": NAME, "side": "request"}. The request is kept back, or with
// side "answer" its answer, until POST /_emulator/faults/release names the step.
// It goes on even when its caller has gone: it arrives late. Disarming the fault
// frees it as well.
func readHold(o *wire.Object) action {
	o.Require("step")
	step := o.Name("step", 1, 255).V
	answer := o.Choice("side", "request", "answer").V == "answer"
	return action{step: step, request: func(x *exchange) service.Response {
		x.detach()
		if answer {
			resp := x.next()
			if !x.held(step) {
				return dropped()
			}
			return resp
		}
		if !x.held(step) {
			return dropped()
		}
		return x.next()
	}}
}

// held waits for a step. It reports false when the emulator closes.
func (x *exchange) held(step string) bool {
	x.armed.hold(1)
	defer x.armed.hold(-1)
	select {
	case <-x.layer.reached(step):
	case <-x.armed.gone:
	case <-x.layer.alive.Done():
		return false
	}
	return true
}
