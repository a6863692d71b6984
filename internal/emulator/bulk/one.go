package bulk

import (
	"adsync/internal/emulator/service"
	"adsync/internal/emulator/wire"
	"adsync/internal/emulator/world"
)

// progress is what a job has done so far: a result by operation, Status "" for
// what has not run.
type progress struct {
	account *world.Account
	results []world.JobResult
}

func (r *Room) progressOf(a *world.Account, job world.Job) *progress {
	p := &progress{account: a, results: make([]world.JobResult, job.Count)}
	for _, result := range a.ResultsOf.Of(job.ID) {
		p.results[result.Index] = result
	}
	return p
}

// broken reports whether an operation did not succeed, when later ones must not run.
func (p *progress) broken() bool {
	for _, result := range p.results {
		if result.Status == "failed" || result.Status == "skipped" {
			return true
		}
	}
	return false
}

// runOne decides about one operation and does it. A failed one leaves nothing behind.
func (r *Room) runOne(tx *world.Tx, job world.Job, p *progress, op *operation, got fetched) world.JobResult {
	next := func() world.JobResult { return r.attempt(tx, job, p, op, got) }
	hook := r.Hooks().Operation
	if hook == nil {
		return next()
	}
	result := hook(service.Operation{
		Account: p.account.ID, Actor: job.Actor, JobID: job.ID, Index: op.index, ID: op.id, Type: op.kind, Key: op.key,
	}, next)
	result.JobID, result.Index, result.OperationID, result.Type = job.ID, op.index, op.id, op.kind
	return result
}

func (r *Room) attempt(tx *world.Tx, job world.Job, p *progress, op *operation, got fetched) world.JobResult {
	if !job.PartialFailure && p.broken() {
		return skipped(job, op, "earlier_operation_failed", "An earlier operation of the job failed.")
	}
	if op.parent >= 0 && !succeeded(p.results[op.parent]) {
		return skipped(job, op, "dependency_failed", "The operation that creates its parent did not succeed.")
	}
	if op.problem != nil {
		return failed(job, op, op.problem)
	}
	if op.bidsBy == "impression" && !p.account.Profile().Features.BulkCPM {
		return failed(job, op, wire.Refusef(403, "cpm_not_enabled",
			"max_cpm_bid_micros", "The ad account has no access to CPM bids."))
	}
	if job.ValidateOnly {
		return newResult(job, op, "validated")
	}
	s := &step{tx: tx, op: op, job: job, image: got.image, imageErr: got.err}
	if op.parent >= 0 {
		s.parentID = p.results[op.parent].ResourceID
	}
	mark := tx.Mark()
	id, version, err := op.effect(s)
	if err != nil {
		tx.Rollback(mark)
		return failed(job, op, err)
	}
	result := newResult(job, op, "updated")
	if op.isCreate() {
		result.Status = "created"
	}
	result.ResourceID, result.VersionID = id, version
	return result
}

func newResult(job world.Job, op *operation, status string) world.JobResult {
	return world.JobResult{JobID: job.ID, Index: op.index, OperationID: op.id, Type: op.kind, Status: status}
}

// failed says whether the same operation may succeed later: only what is the
// service's own or another host's trouble.
func failed(job world.Job, op *operation, err error) world.JobResult {
	e := wire.AsError(err)
	retryable := e.Status >= 500
	result := newResult(job, op, "failed")
	result.ErrorCode, result.Error, result.Retryable = e.Code, e.Message, &retryable
	return result
}

func skipped(job world.Job, op *operation, code, message string) world.JobResult {
	result := newResult(job, op, "skipped")
	result.ErrorCode, result.Error = code, message
	return result
}
