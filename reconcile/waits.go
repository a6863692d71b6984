package reconcile

import (
	"adsync/reconcile/wire"
	"time"
)

// What does not show yet is asked for again, as reads may lag behind writes: seven
// times, within little over a minute.
const (
	readAgain     = 7
	firstReadWait = 500 * time.Millisecond
)

// lagMargin keeps two readings further apart than the lag.
const lagMargin = time.Second

// How soon a job is asked for at first, and for how long. A larger job takes longer.
const (
	firstPoll     = 250 * time.Millisecond
	leastPatience = 15 * time.Minute
	patienceEach  = 900 * time.Millisecond // an operation
	jobPatience   = leastPatience + wire.MaxOperations*patienceEach
)
