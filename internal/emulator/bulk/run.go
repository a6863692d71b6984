package bulk

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"adsync/internal/emulator/images"
	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/service"
	"adsync/internal/emulator/world"
)

const (
	batchSize    = 200
	parallelGets = 8 // images fetched at once
)

// run works a job from where it is to its end, batch by batch.
func (r *Room) run(ctx context.Context, a *world.Account, jobID string, s *submission) error {
	job, s, err := r.open(a, jobID, s)
	if err != nil {
		return err
	}
	if err := r.begin(ctx, a, job); err != nil {
		return err
	}
	batches := slices.Collect(slices.Chunk(inOrder(s.operations, r.Points.Of(openpoint.BulkOrder)), batchSize))
	for i, batch := range batches {
		fault, err := r.pace(ctx, job, i+1, len(batches))
		if err != nil {
			return err
		}
		if fault.Error != "" {
			return r.fail(a, jobID, s, fault.Error)
		}
		if err := r.runBatch(ctx, a, jobID, s, batch, i == len(batches)-1); err != nil {
			return err
		}
	}
	return nil
}

// open reads a job and, unless s is given, its body: what an operation does
// follows from the body alone.
func (r *Room) open(a *world.Account, jobID string, s *submission) (world.Job, *submission, error) {
	var job world.Job
	var body world.JobBody
	err := a.View(func() error {
		var ok bool
		if job, ok = a.Jobs.Get(jobID); !ok {
			return fmt.Errorf("job %s is not there", jobID)
		}
		body, _ = a.JobBodies.Get(jobID)
		return nil
	})
	if err != nil || s != nil {
		return job, s, err
	}
	s, err = readSubmission(body.Body, r.Points)
	if err != nil {
		return job, nil, fmt.Errorf("read job %s again: %w", jobID, err)
	}
	return job, s, nil
}

// begin turns a pending job in_progress when a quarter of its time is over.
func (r *Room) begin(ctx context.Context, a *world.Account, job world.Job) error {
	if job.Status != "pending" {
		return nil
	}
	if err := r.waitFor(ctx, job, r.Points.Duration(openpoint.BulkDuration)/4); err != nil {
		return err
	}
	if _, err := r.unheld(ctx, job); err != nil {
		return err
	}
	return a.Update(r.cause(job), func(tx *world.Tx) error {
		job, _ := a.Jobs.Get(job.ID)
		job.Status = "in_progress"
		a.Jobs.Put(tx, job)
		return nil
	})
}

// pace waits until it is time for batch n of all, and while a fault holds the job.
func (r *Room) pace(ctx context.Context, job world.Job, n, all int) (service.JobFault, error) {
	share := r.Points.Duration(openpoint.BulkDuration) * time.Duration(n) / time.Duration(all)
	if err := r.waitFor(ctx, job, share); err != nil {
		return service.JobFault{}, err
	}
	return r.unheld(ctx, job)
}

// unheld asks for the job's fault, again while it holds the job: each second at
// first, each minute once the job was held for a quarter of an hour.
func (r *Room) unheld(ctx context.Context, job world.Job) (service.JobFault, error) {
	for {
		fault := r.jobFault(job)
		if !fault.Hold {
			return fault, nil
		}
		now := r.World.Clock.Now()
		again := min(max(now.Sub(time.UnixMilli(job.CreatedAt))/16, time.Second), time.Minute)
		if err := r.World.Clock.Rest(ctx, now.Add(again)); err != nil {
			return service.JobFault{}, err
		}
	}
}

func (r *Room) waitFor(ctx context.Context, job world.Job, after time.Duration) error {
	if after == 0 {
		return ctx.Err()
	}
	return r.World.Clock.Rest(ctx, time.UnixMilli(job.CreatedAt).Add(after))
}

func (r *Room) jobFault(job world.Job) service.JobFault {
	if ask := r.Hooks().Job; ask != nil {
		return ask(job)
	}
	return service.JobFault{}
}

func (r *Room) cause(job world.Job) world.Cause {
	return world.Cause{
		Actor: job.Actor, Endpoint: "POST /bulk_mutation_jobs",
		IdempotencyKey: job.Key, BodySHA256: job.BodySHA256, JobID: job.ID,
	}
}

// inOrder is the order operations run in: an open point, but parents always first.
func inOrder(operations []*operation, order string) []*operation {
	wanted := slices.Clone(operations)
	switch order {
	case "by_type":
		slices.SortStableFunc(wanted, func(a, b *operation) int {
			return slices.Index(kindNames, a.kind) - slices.Index(kindNames, b.kind)
		})
	case "reverse":
		slices.Reverse(wanted)
	}
	done := make([]bool, len(operations))
	var ordered []*operation
	var add func(op *operation)
	add = func(op *operation) {
		if done[op.index] {
			return
		}
		if op.parent >= 0 {
			add(operations[op.parent])
		}
		done[op.index] = true
		ordered = append(ordered, op)
	}
	for _, op := range wanted {
		add(op)
	}
	return ordered
}

// fetched is an image, or why there is none.
type fetched struct {
	image images.Image
	err   error
}

// fetch gets the images of a batch before its transaction, so that nobody waits
// for another host under the account's lock.
func (r *Room) fetch(ctx context.Context, job world.Job, batch []*operation) (map[string]fetched, error) {
	if job.ValidateOnly {
		return nil, nil
	}
	var addresses []string
	for _, op := range batch {
		if op.imageURL != "" && op.problem == nil {
			addresses = append(addresses, op.imageURL)
		}
	}
	slices.Sort(addresses)
	addresses = slices.Compact(addresses)
	results := make([]fetched, len(addresses))
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(parallelGets)
	for i, address := range addresses {
		g.Go(func() error {
			results[i].image, results[i].err = r.Images.Fetch(gctx, address, images.MinSide)
			return ctx.Err()
		})
	}
	err := g.Wait()
	byURL := make(map[string]fetched, len(addresses))
	for i, address := range addresses {
		byURL[address] = results[i]
	}
	return byURL, err
}

// runBatch runs operations that have no result yet, in one transaction with their results.
func (r *Room) runBatch(ctx context.Context, a *world.Account,
	jobID string, s *submission, batch []*operation, last bool) error {
	job := world.Job{ID: jobID, ValidateOnly: s.validateOnly}
	got, err := r.fetch(ctx, job, batch)
	if err != nil {
		return err
	}
	return a.Update(world.Cause{}, func(tx *world.Tx) error {
		job, ok := a.Jobs.Get(jobID)
		if !ok || job.Terminal() {
			return errors.New("the job has ended")
		}
		p := r.progressOf(a, job)
		for _, op := range batch {
			if p.results[op.index].Status != "" {
				continue
			}
			tx.Cause = r.cause(job)
			tx.Cause.OperationID, tx.Cause.OperationKey = op.id, op.key
			result := r.runOne(tx, job, p, op, got[op.imageURL])
			p.results[op.index] = result
			a.JobResults.Put(tx, result)
		}
		if last {
			r.end(tx, job, p.results, "")
		}
		return nil
	})
}

// fail ends a job with a job-level error; what has not run is skipped.
func (r *Room) fail(a *world.Account, jobID string, s *submission, message string) error {
	return a.Update(world.Cause{}, func(tx *world.Tx) error {
		job, _ := a.Jobs.Get(jobID)
		p := r.progressOf(a, job)
		for _, op := range s.operations {
			if p.results[op.index].Status == "" {
				p.results[op.index] = skipped(job, op, "job_failed", message)
				a.JobResults.Put(tx, p.results[op.index])
			}
		}
		r.end(tx, job, p.results, message)
		return nil
	})
}

// end gives the job its terminal status (part 3).
func (r *Room) end(tx *world.Tx, job world.Job, results []world.JobResult, message string) {
	good := 0
	for _, result := range results {
		if succeeded(result) {
			good++
		}
	}
	switch good {
	case len(results):
		job.Status = "completed"
	case 0:
		job.Status = "failed"
	default:
		job.Status = "partially_failed"
	}
	job.Error = message
	job.CompletedAt = tx.Now.UnixMilli()
	tx.Account.Jobs.Put(tx, job)
	tx.Account.JobBodies.Delete(tx, job.ID)
}

func succeeded(r world.JobResult) bool {
	return r.Status == "created" || r.Status == "updated" || r.Status == "validated"
}
