// Package fault makes the emulator misbehave on request. A fault is data: what
// it strikes, when, and what it does. Each kind of fault is one file here and
// one row of the table; docs/develop/emulator-faults.md describes them all.
//
// It refuses faults that could never strike as written, such as a path for one
// that strikes jobs. Its invariant: it stands above the store, so what it drops,
// delays or distorts is still written to the mutation log exactly when it
// happened, and never otherwise.
//
// table.go lists the kinds of faults, armed.go
// decides whether one strikes and match.go has its conditions, layer.go
// stands in front of the handlers, document.go reads what an operator sends.
package fault

import (
	"encoding/json"

	"adsync/internal/emulator/service"
	"adsync/internal/emulator/world"
)

// Fault is one that was read from a document and can be armed.
type Fault struct {
	Name   string
	Kind   string
	Match  json.RawMessage // as written; null: everything
	Action json.RawMessage // as written
	match  match
	action action
	seed   uint64
}

// Kind is a row of the table: how a document names a fault, and what real
// trouble it stands for.
type Kind struct {
	Name     string
	Imitates string
	read     reader
}

// action is what a fault does. Exactly one of its functions is set: that is
// where it takes hold.
type action struct {
	request   func(x *exchange) service.Response
	operation func(op service.Operation, next func() world.JobResult) world.JobResult
	job       func() service.JobFault
	results   func([]world.JobResult) []world.JobResult

	route string // of request: the only route it strikes, as method and pattern; "": every one
	index int    // of operation: the only place in the job it strikes, from 1; 0: every one
	step  string // that the fault waits for; "" is none
}

// exchange is one request under a fault.
type exchange struct {
	call  *service.Call
	next  func() service.Response
	layer *Layer
	armed *armed
}
