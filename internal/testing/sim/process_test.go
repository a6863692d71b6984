package sim

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"adsync/internal/adsapi"
	"adsync/internal/kinds"
	"adsync/internal/testing/oracle"
	"adsync/reconcile"
)

// process is one start of the program: an agent that can die at any effect.
type process struct {
	number   int
	agent    int
	commit   int
	readOnly bool
	disk     *disk
	ctx      context.Context
	end      context.CancelFunc
	left     func()  // beside end, once it has come to its end; nil: nothing
	worker   *worker // of those that share a state; nil: it has one of its own

	mu    sync.Mutex
	count int
	death death
	dead  bool
	said  bool // its last write was kept

	reverts  *reverting    // nil: it carries out the files
	reverted *oracle.Apply // the run that is
	run      *oracle.Apply // its own
}

// death is where a process dies: at its nth effect, counted from 1; 0 never. A
// write under way is lost, or kept.
type death struct {
	At   int
	Keep bool
}

// effect counts; false means that the process is dead.
func (p *process) effect() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.count++
	if p.death.At != 0 && p.count >= p.death.At && !p.dead {
		p.dead = true
		p.end()
	}
	return !p.dead
}

// leave ends a process that has come to its end, or is dead.
func (p *process) leave() {
	if p.left != nil {
		p.left()
	}
	p.end()
}

// die ends a process that is alive.
func (p *process) die() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dead = true
	p.end()
}

func (p *process) ended() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dead
}

// lastWords says once whether the write at which the process died was kept, and
// that this is that write.
func (p *process) lastWords() (keep, first bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	first = !p.said && p.count == p.death.At
	p.said = true
	return first && p.death.Keep, first
}

// start begins a process of an agent with what the files say now.
func (w *world) start(agent int, readOnly bool, d death, c cut) (*process, *reconcile.Agent) {
	if w.shared != nil {
		return w.shared.start(readOnly, d, c)
	}
	p := w.process(agent, readOnly, d)
	w.reopen(agent)
	p.disk = w.disks[agent].of(p)
	return p, w.agent(p, adsapi.Config{}, c)
}

func (w *world) process(agent int, readOnly bool, d death) *process {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.processes++
	p := &process{number: w.processes, agent: agent, commit: len(w.history.Commits) - 1, readOnly: readOnly, death: d}
	p.ctx, p.end = context.WithCancel(w.ctx)
	return p
}

// agent is that of a process that has its state.
func (w *world) agent(p *process, config adsapi.Config, c cut) *reconcile.Agent {
	agent, readOnly := p.agent, p.readOnly
	l := &line{world: w, process: p, carry: w.carry, cut: c}
	key := w.history.Credentials[agent]
	if w.wrongKey {
		key = foreignKey
	}
	config.BaseURL, config.Key, config.UserAgent = "http://127.0.0.1/v1", adsapi.NewSecret(key), "sim"
	config.Transport, config.ReadOnly, config.Logger, config.Rand = l, readOnly, w.logger, w.random.Float64
	service, err := adsapi.New(config)
	if err != nil {
		panic(err)
	}
	a := &reconcile.Agent{Env: reconcile.Env{
		Service: service, Store: p.disk, Schemas: kinds.All(), Logger: w.logger, Now: time.Now, Sleep: sleep,
	}}
	a.People = w.people
	a.Account.ID, a.Account.Currency, a.Account.TimeZone = account, "USD", "America/New_York"
	if w.turns && !readOnly {
		w.keepReports(p, a)
	}
	return a
}

// sleep is that of the bubble.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// logged keeps what is logged, for invariant 22.
type logged struct{ w *world }

func (l logged) Write(b []byte) (int, error) {
	l.w.said(string(b))
	return len(b), nil
}

func newLogger(w *world) *slog.Logger {
	return slog.New(slog.NewTextHandler(logged{w}, &slog.HandlerOptions{Level: slog.LevelWarn}))
}

// wire is a transport over pipes to a server in this process.
func wire(p *pipes) *http.Transport {
	return &http.Transport{DialContext: p.dial, MaxIdleConnsPerHost: 16}
}
