package fault

import (
	"encoding/json"
	"hash/fnv"
	"math/rand/v2"
	"sync"

	"adsync/internal/emulator/service"
	"adsync/internal/emulator/world"
)

// armed is a fault at work, with its counters.
type armed struct {
	Fault
	gone chan struct{} // closed when it is disarmed

	mu      sync.Mutex
	random  *rand.Rand
	jobs    map[string]bool // job id: whether the fault struck it
	matched int
	fired   int
	held    int
	problem string
}

func arm(f Fault) *armed {
	h := fnv.New64a()
	h.Write([]byte(f.Name))
	return &armed{
		Fault: f, gone: make(chan struct{}), jobs: map[string]bool{},
		random: rand.New(rand.NewPCG(f.seed, h.Sum64())),
	}
}

// strikes counts something that meets the conditions and decides whether the
// fault takes hold of it.
func (a *armed) strikes() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.decide()
}

func (a *armed) decide() bool {
	m := a.match
	a.matched++
	switch {
	case m.nth > 0 && a.matched != m.nth,
		m.every > 0 && a.matched%m.every != 0,
		m.times > 0 && a.fired >= m.times,
		m.probability > 0 && a.random.Float64() >= m.probability:
		return false
	}
	a.fired++
	return true
}

func (a *armed) strikesRequest(c *service.Call) bool {
	if a.action.request == nil || a.action.route != "" && a.action.route != c.Route.Method+" "+c.Route.Pattern {
		return false
	}
	return a.match.meetsRequest(c) && a.strikes()
}

func (a *armed) strikesOperation(op service.Operation) bool {
	if a.action.operation == nil || a.action.index > 0 && a.action.index != op.Index+1 {
		return false
	}
	return a.match.meetsOperation(op) && a.strikes()
}

func (a *armed) strikesResults(job world.Job) bool {
	return a.action.results != nil && (a.match.actor == "" || a.match.actor == job.Actor) && a.strikes()
}

// strikesJob decides once for a job, however often it is asked.
func (a *armed) strikesJob(job world.Job) bool {
	if a.action.job == nil || a.match.actor != "" && a.match.actor != job.Actor {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	struck, known := a.jobs[job.ID]
	if !known {
		struck = a.decide()
		a.jobs[job.ID] = struck
	}
	return struck
}

func (a *armed) hold(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.held += n
}

func (a *armed) failed(problem string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.problem = problem
}

// State is an armed fault and its counters.
type State struct {
	Name    string          `json:"name"`
	Kind    string          `json:"kind"`
	Match   json.RawMessage `json:"match"`
	Action  json.RawMessage `json:"action"`
	Matched int             `json:"matched"`           // met the conditions on what is struck
	Fired   int             `json:"fired"`             // and was struck
	Held    int             `json:"held"`              // is held at this moment
	Problem string          `json:"problem,omitempty"` // why the fault could not do the last thing it was to do
}

func (a *armed) state() State {
	a.mu.Lock()
	defer a.mu.Unlock()
	return State{a.Name, a.Kind, a.Match, a.Action, a.matched, a.fired, a.held, a.problem}
}
