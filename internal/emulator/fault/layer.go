package fault

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"adsync/internal/emulator/service"
	"adsync/internal/emulator/wire"
	"adsync/internal/emulator/world"
)

// Layer is the faults that are armed, in the order in which they were.
type Layer struct {
	world *world.World
	send  Sender
	armed atomic.Pointer[[]*armed]
	alive context.Context
	end   context.CancelFunc

	mu    sync.Mutex // of what follows, and of changes to armed
	named int        // names given so far
	steps map[string]chan struct{}
}

// Sender sends a request of somebody else, named by the context, below /v1.
type Sender func(ctx context.Context, method, path string, body []byte) service.Response

// NewLayer is one without faults.
func NewLayer(w *world.World, send Sender) *Layer {
	alive, end := context.WithCancel(context.Background())
	l := &Layer{world: w, send: send, alive: alive, end: end, steps: map[string]chan struct{}{}}
	l.armed.Store(&[]*armed{})
	return l
}

// Close drops whatever is held or delayed.
func (l *Layer) Close() error {
	l.end()
	return nil
}

// Arm adds faults, or none when a name is taken.
func (l *Layer) Arm(faults ...Fault) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := slices.Clone(*l.armed.Load())
	for _, f := range faults {
		if f.Name == "" {
			l.named++
			f.Name = fmt.Sprintf("%s-%d", f.Kind, l.named)
		}
		if slices.ContainsFunc(all, func(a *armed) bool { return a.Name == f.Name }) {
			return wire.Conflictf("name_taken", "A fault called %q is armed already.", f.Name)
		}
		all = append(all, arm(f))
	}
	l.armed.Store(&all)
	return nil
}

// Disarm takes the fault of that name away, or all of them when name is "". It
// frees what they hold and gives how many they were. Steps that were reached
// are forgotten with the last fault.
func (l *Layer) Disarm(name string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	var kept []*armed
	n := 0
	for _, a := range *l.armed.Load() {
		if name != "" && a.Name != name {
			kept = append(kept, a)
			continue
		}
		close(a.gone)
		n++
	}
	l.armed.Store(&kept)
	if len(kept) == 0 {
		l.steps = map[string]chan struct{}{}
	}
	return n
}

// States are the armed faults.
func (l *Layer) States() []State {
	states := []State{}
	for _, a := range *l.armed.Load() {
		states = append(states, a.state())
	}
	return states
}

// Release says that a step is reached: what waits for it goes on, and later
// requests do not wait. It gives how many waited, and refuses a step that no
// armed fault waits for.
func (l *Layer) Release(step string) (int, error) {
	waiting, known := 0, false
	for _, a := range *l.armed.Load() {
		if a.action.step == step && step != "" {
			waiting += a.state().Held
			known = true
		}
	}
	if !known {
		return 0, wire.NotFoundf("No armed fault waits for the step %q.", step)
	}
	reached := l.reached(step)
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-reached:
	default:
		close(reached)
	}
	return waiting, nil
}

// reached is closed when the step is.
func (l *Layer) reached(step string) chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.steps[step] == nil {
		l.steps[step] = make(chan struct{})
	}
	return l.steps[step]
}

// Around puts the faults around other hooks, which see what the faults let
// through. What faults send themselves passes by both.
func (l *Layer) Around(inner *service.Hooks) *service.Hooks {
	return &service.Hooks{
		Request: func(c *service.Call, next func() service.Response) service.Response {
			if _, foreign := Stranger(c.Context()); foreign {
				return next()
			}
			if inner.Request != nil {
				return l.request(c, func() service.Response { return inner.Request(c, next) })
			}
			return l.request(c, next)
		},
		Operation: func(op service.Operation, next func() world.JobResult) world.JobResult {
			if inner.Operation != nil {
				return l.operation(op, func() world.JobResult { return inner.Operation(op, next) })
			}
			return l.operation(op, next)
		},
		Job: func(job world.Job) service.JobFault {
			if fault := l.job(job); fault != (service.JobFault{}) || inner.Job == nil {
				return fault
			}
			return inner.Job(job)
		},
		Results: func(job world.Job, results []world.JobResult) []world.JobResult {
			if inner.Results != nil {
				results = inner.Results(job, results)
			}
			return l.results(job, results)
		},
	}
}

// request passes a request through every fault that strikes it; the first one
// armed is the outermost.
func (l *Layer) request(c *service.Call, next func() service.Response) service.Response {
	var struck []*armed
	for _, a := range *l.armed.Load() {
		if a.strikesRequest(c) {
			struck = append(struck, a)
		}
	}
	for _, a := range slices.Backward(struck) {
		x := &exchange{call: c, next: next, layer: l, armed: a}
		next = func() service.Response { return a.action.request(x) }
	}
	return next()
}

func (l *Layer) operation(op service.Operation, next func() world.JobResult) world.JobResult {
	for _, a := range *l.armed.Load() {
		if a.strikesOperation(op) {
			return a.action.operation(op, next)
		}
	}
	return next()
}

func (l *Layer) job(job world.Job) service.JobFault {
	for _, a := range *l.armed.Load() {
		if a.strikesJob(job) {
			return a.action.job()
		}
	}
	return service.JobFault{}
}

func (l *Layer) results(job world.Job, results []world.JobResult) []world.JobResult {
	for _, a := range *l.armed.Load() {
		if a.strikesResults(job) {
			results = a.action.results(results)
		}
	}
	return results
}

// detach lets the request go on when its caller has gone.
func (x *exchange) detach() {
	x.call.Request = x.call.Request.WithContext(context.WithoutCancel(x.call.Request.Context()))
}

// wait passes time on the emulator's clock. It reports false when the emulator closes.
func (x *exchange) wait(d time.Duration) bool {
	clock := x.layer.world.Clock
	return clock.WaitUntil(x.layer.alive, clock.Now().Add(d)) == nil
}

// dropped is no answer: the connection is closed.
func dropped() service.Response { return service.Response{Drop: true} }
