package env

import (
	"time"

	"adsync/reconcile/wire"
)

// What does not show yet is asked for again, as reads may lag behind writes: seven
// times, within little over a minute.
const (
	ReadAgain     = 7
	FirstReadWait = 500 * time.Millisecond
)

// LagMargin keeps two readings further apart than the lag.
const LagMargin = time.Second

// How soon a job is asked for at first, and for how long. A larger job takes longer.
const (
	FirstPoll     = 250 * time.Millisecond
	LeastPatience = 15 * time.Minute
	PatienceEach  = 900 * time.Millisecond // an operation
	jobPatience   = LeastPatience + wire.MaxOperations*PatienceEach
)
