package env

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"adsync/internal/adsapi"
	"adsync/state"
)

// grace is how long what was sent is waited for after an interrupt.
const grace = 30 * time.Second

// How long a plan may be carried out after it was read, how long nothing may be
// sent in between, and how long one request may take at the most. What is beyond
// is a process that stood still, such as one that was stopped or a machine that
// slept: what it knows of the account is old.
const (
	PlanLife    = 30 * time.Minute
	stillFor    = 15 * time.Minute
	requestLife = jobPatience + 15*time.Minute
)

// ErrStale means that what a plan was computed from is too old to be applied.
var ErrStale = errors.New("the plan is too old")

// errGrace is why a request that was waited for after an interrupt was given up.
var errGrace = Interrupted{"interrupted, and given up after " + grace.String()}

// Interrupted is context.Canceled in words.
type Interrupted struct{ Words string }

func (e Interrupted) Error() string { return e.Words }
func (e Interrupted) Unwrap() error { return context.Canceled }

// InWave names the wave an error came from. An interrupt that kept a wave from
// sending is said in words.
func InWave(when, wave string, err error) error {
	request := new(adsapi.Error)
	if errors.Is(err, context.Canceled) && !errors.As(err, &request) {
		return Interrupted{fmt.Sprintf("interrupted %s wave %q: nothing more was sent", when, wave)}
	}
	return fmt.Errorf("%s wave %q: %w", when, wave, err)
}

// InFlight are the requests that are under way, and the last sign of life. The nil
// Flights watch nothing.
type InFlight struct {
	mu         sync.Mutex
	steps      map[string]state.Step
	alive      time.Time
	stoodStill time.Duration
}

// Steps returns the steps whose request was sent and not answered yet.
func (f *InFlight) Steps() []state.Step {
	f.mu.Lock()
	defer f.mu.Unlock()
	var steps []state.Step
	for _, s := range f.steps {
		steps = append(steps, s)
	}
	slices.SortFunc(steps, func(s, t state.Step) int { return s.SentAt.Compare(t.SentAt) })
	return steps
}

// BeginRequest journals that a step is sent, unless the run is to stop, by an interrupt
// or an order (adsapi.Config.Halt): then it stays where it is, never sent. The context it gives
// goes on for a while after an interrupt, so that what was sent is heard of; done ends it.
func (a *Env) BeginRequest(ctx context.Context, step state.Step) (sendCtx context.Context, done func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	if err := a.Service.Halted(); err != nil {
		return nil, nil, err
	}
	step.SentAt = a.Now()
	if err := a.InFlight.begin(step); err != nil {
		return nil, nil, err
	}
	if err := a.Store.Move(ctx, step.ID, state.Sent, state.Update{SentAt: step.SentAt}); err != nil {
		a.InFlight.done(step, a.Now())
		return nil, nil, fmt.Errorf("journal %s: %w", step.ID, err)
	}
	sendCtx, end := context.WithCancelCause(context.WithoutCancel(ctx))
	interrupted := context.AfterFunc(ctx, func() {
		if a.Sleep(sendCtx, grace) == nil {
			end(errGrace)
		}
	})
	return sendCtx, func() {
		interrupted()
		end(nil)
		a.InFlight.done(step, a.Now())
	}, nil
}

// Start is the moment from which standing still is counted.
func (f *InFlight) Start(now time.Time) {
	if f == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.alive, f.stoodStill = now, 0
}

func (f *InFlight) begin(step state.Step) error {
	if f == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.SignOfLife(step.SentAt)
	if f.stoodStill > 0 {
		return fmt.Errorf("%w: adsync stood still for %s in the middle of it, and nothing more was sent; plan again",
			ErrStale, f.stoodStill.Round(time.Second))
	}
	if f.steps == nil {
		f.steps = map[string]state.Step{}
	}
	f.steps[step.ID] = step
	return nil
}

// SignOfLife is a sign of life of what sends nothing that is journalled: a job that only
// asks and is waited for, a resource of many that is read.
func (a *Env) SignOfLife() {
	if a.InFlight == nil {
		return
	}
	a.InFlight.mu.Lock()
	defer a.InFlight.mu.Unlock()
	a.InFlight.SignOfLife(a.Now())
}

// SignOfLife notes a sign of life, and how long there was none.
func (f *InFlight) SignOfLife(now time.Time) {
	if gap := Since(f.alive, now); !f.alive.IsZero() && gap > stillFor {
		f.stoodStill = gap
	}
	f.alive = now
}

func (f *InFlight) done(step state.Step, now time.Time) {
	if f == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.steps, step.ID)
	if took := Since(step.SentAt, now); took > requestLife {
		f.stoodStill = took
	}
	f.alive = now
}

// Since is the longer of what the two clocks of a machine say has passed: one of
// them stands still while it sleeps, the other can be set.
func Since(then, now time.Time) time.Duration {
	return max(now.Sub(then), now.Round(0).Sub(then.Round(0)))
}
