package fault

import (
	"slices"

	"adsync/internal/emulator/service"
	"adsync/internal/emulator/wire"
	"adsync/internal/emulator/world"
)

// jobFaults are what can befall a bulk job, by the name a document gives in "do".
var jobFaults = map[string]reader{
	"stuck":              readStuck,
	"job_error":          readJobError,
	"fail_op":            readFailOp,
	"skip":               readSkip,
	"incomplete_listing": readIncomplete,
	"lose_result":        readLoseResult,
	"repeat_result":      readRepeatResult,
}

// readJob: {"do": NAME, …}.
func readJob(o *wire.Object) action {
	o.Require("do")
	do := o.Choice("do", "stuck", "fail_op", "skip",
		"job_error", "incomplete_listing", "lose_result", "repeat_result").V
	if read := jobFaults[do]; read != nil {
		return read(o)
	}
	return action{}
}

// place takes n, the place of an operation in its job, from 1; 0 when left out.
func place(o *wire.Object) int { return int(o.Int("n", 1, 1000).V) }

// readStuck: the job stays as it is until the fault is disarmed.
func readStuck(*wire.Object) action {
	return action{job: func() service.JobFault { return service.JobFault{Hold: true} }}
}

// readJobError: {"message": TEXT}. The job fails as a whole; what has not run is skipped.
func readJobError(o *wire.Object) action {
	message := o.Name("message", 1, 1000).Or("The job could not be processed.")
	return action{job: func() service.JobFault { return service.JobFault{Error: message} }}
}

// readFailOp: {"n": 2, "retryable": true, "retry_after": 30, "code": …, "message": …}.
// The operation is not carried out. Without n every operation that is struck fails.
func readFailOp(o *wire.Object) action {
	retryable := o.Bool("retryable").Or(true)
	after := o.Int("retry_after", 0, 1<<31).Ptr()
	code := o.Name("code", 1, 255).Or("internal_error")
	message := o.Name("message", 1, 1000).Or("The operation could not be processed.")
	return action{index: place(o), operation: func(service.Operation, func() world.JobResult) world.JobResult {
		return world.JobResult{
			Status: "failed", ErrorCode: code, Error: message, Retryable: &retryable, RetryAfter: after,
		}
	}}
}

// readSkip: {"n": 2}. The operation is not carried out and says so.
func readSkip(o *wire.Object) action {
	return action{index: place(o), operation: func(service.Operation, func() world.JobResult) world.JobResult {
		return world.JobResult{Status: "skipped", ErrorCode: "skipped", Error: "The operation was skipped."}
	}}
}

// readIncomplete: a listing of results shows the first half of them and complete
// false, whatever the job's status.
func readIncomplete(*wire.Object) action {
	return action{route: "GET /bulk_mutation_jobs/{job_id}/operations", request: func(x *exchange) service.Response {
		resp := x.next()
		resp.Body = eachRecord(resp.Body, func(top map[string]any) {
			if rows, ok := top["data"].([]any); ok {
				top["data"], top["complete"], top["has_more"] = rows[:len(rows)/2], false, false
			}
		})
		return resp
	}}
}

// readLoseResult: {"n": 2}. A listing does not have that result; the operation was carried out.
func readLoseResult(o *wire.Object) action {
	o.Require("n")
	n := place(o)
	return action{results: func(results []world.JobResult) []world.JobResult {
		return slices.DeleteFunc(slices.Clone(results), func(r world.JobResult) bool { return r.Index == n-1 })
	}}
}

// readRepeatResult: {"n": 2}. A listing has that result twice.
func readRepeatResult(o *wire.Object) action {
	o.Require("n")
	n := place(o)
	return action{results: func(results []world.JobResult) []world.JobResult {
		i := slices.IndexFunc(results, func(r world.JobResult) bool { return r.Index == n-1 })
		if i < 0 {
			return results
		}
		return slices.Insert(slices.Clone(results), i, results[i])
	}}
}
