// Package bulk is the room of bulk mutation jobs (interface, part 4): it accepts
// a job, runs its operations in batches, each batch one durable transaction, and
// lists results. It refuses jobs whose shape is wrong; a wrong operation fails
// alone. Its invariant: an operation's effect and its result are committed
// together, so a job that is killed goes on without doing an operation twice.
//
// submit.go accepts a job, inputs.go refuses wrong ones, run.go runs batches and one.go an operation, results.go lists
// what became of them.
package bulk

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"adsync/internal/emulator/images"
	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/service"
	"adsync/internal/emulator/world"
)

// Options of the room.
type Options struct {
	World         *world.World
	Points        *openpoint.Settings
	Images        *images.Source
	Hooks         func() *service.Hooks
	Logger        *slog.Logger
	PerTenSeconds int // submissions per account; negative: no limit
}

// Room accepts and runs jobs.
type Room struct {
	Options
	context context.Context // of the workers; ends with Close
	stop    context.CancelFunc
	workers sync.WaitGroup
}

// The limits of part 8.
const (
	maxOperations = 1000
	maxBody       = 16 << 20 // bytes
	maxOperation  = 512 << 10
	maxID         = 255 // characters
)

// NewRoom goes on with every job that has not ended.
func NewRoom(o Options) *Room {
	r := &Room{Options: o}
	r.context, r.stop = context.WithCancel(context.Background())
	for _, a := range o.World.Accounts() {
		r.resume(a)
	}
	return r
}

func (r *Room) resume(a *world.Account) {
	var open []string
	err := a.View(func() error {
		for _, job := range a.Jobs.All() {
			if !job.Terminal() {
				open = append(open, job.ID)
			}
		}
		return nil
	})
	if err != nil {
		r.Logger.Error("open jobs could not be read", "account", a.ID, "error", err)
	}
	for _, id := range open {
		r.start(a, id, nil)
	}
}

// start gives a job its worker. s is its body, nil to read it again.
func (r *Room) start(a *world.Account, jobID string, s *submission) {
	end := r.World.Clock.Begin()
	r.workers.Go(func() {
		defer end()
		if err := r.run(r.context, a, jobID, s); err != nil && r.context.Err() == nil {
			r.Logger.Error("job stopped", "job", jobID, "error", err)
		}
	})
}

// Close waits until every worker has finished its batch.
func (r *Room) Close() error {
	r.stop()
	r.workers.Wait()
	return nil
}

// Routes of the room. Accounts without access get 404 (part 7).
func (r *Room) Routes() []service.Route {
	enabled := func(f world.Features) bool { return f.Bulk }
	return []service.Route{
		{
			Method: http.MethodPost, Pattern: "/bulk_mutation_jobs", Auth: service.Write,
			Key: service.KeyOptional, Body: service.JSONBody, MaxBody: maxBody,
			Burst:   &service.Burst{Requests: r.PerTenSeconds, Window: 10 * time.Second},
			Feature: enabled, Handle: r.submit,
		},
		{Method: http.MethodGet, Pattern: "/bulk_mutation_jobs/{job_id}",
			Auth: service.Read, Feature: enabled, Handle: r.readJob},
		{Method: http.MethodGet, Pattern: "/bulk_mutation_jobs/{job_id}/operations",
			Auth: service.Read, Feature: enabled, Handle: r.listResults},
	}
}
