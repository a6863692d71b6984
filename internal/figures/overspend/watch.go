package overspend

import (
	"sync"
	"time"
)

// Watch knows whether figures were read of which nobody has said whether they pass what is allowed. It is asked
// after a run that began later, which knows the budgets as they are by then.
type Watch struct {
	mu    sync.Mutex
	began bool
	fresh bool
	ahead time.Duration // the service's clock, of that of the machine
	zone  *time.Location
}

// Passed notes a pass over the figures at a moment of the account; read says that it read some. The first counts in any
// case: a restart knows nothing of what was found.
func (w *Watch) Passed(read bool, now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fresh, w.began = w.fresh || read || !w.began, true
	w.ahead, w.zone = time.Until(now), now.Location()
}

// Take returns the moment of the account now where figures wait to be looked at, and has them wait no more; zero where
// none do.
func (w *Watch) Take() (now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.fresh {
		now = time.Now().Add(w.ahead).In(w.zone)
	}
	w.fresh = false
	return now
}

// Back has figures wait again that were taken and could not be looked at.
func (w *Watch) Back() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fresh = true
}
