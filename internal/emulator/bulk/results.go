package bulk

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/service"
	"adsync/internal/emulator/wire"
	"adsync/internal/emulator/world"
)

func (r *Room) readJob(c *service.Call) (view any, err error) {
	err = c.View(func() error {
		job, err := findJob(c)
		view = r.view(job)
		return err
	})
	return view, err
}

// findJob: an id that cannot be one is a 422, as seen live; an unknown one a 404.
func findJob(c *service.Call) (world.Job, error) {
	id := c.Path("job_id")
	digits, ok := strings.CutPrefix(id, "blkmtnjob_")
	if !ok || digits == "" || strings.Trim(digits, "0123456789abcdef") != "" {
		return world.Job{}, wire.Refusef(http.StatusUnprocessableEntity,
			"invalid_identifier", "job_id", "Invalid Identifier")
	}
	job, ok := c.Account.Jobs.Get(id)
	if !ok {
		return job, wire.NotFoundf("No bulk mutation job found with id '%s'.", id)
	}
	return job, nil
}

// resultView is an operation result as the service shows it.
type resultView struct {
	OperationID string  `json:"operation_id"`
	Type        string  `json:"type"`
	Status      string  `json:"status"`
	ResourceID  *string `json:"resource_id"`
	VersionID   *string `json:"submitted_version_id"`
	ErrorCode   *string `json:"error_code"`
	Error       *string `json:"error"`
	Retryable   *bool   `json:"retryable"`
	RetryAfter  *int64  `json:"retry_after_seconds"`
}

// listing is the operation listing envelope.
type listing struct {
	Object   string       `json:"object"`
	Data     []resultView `json:"data"`
	HasMore  bool         `json:"has_more"`
	Complete bool         `json:"complete"`
	Error    *string      `json:"error"`
}

// listResults lists results in the order of the job's operations. While the job
// is not complete it is a snapshot without cursors (bulk rule 11).
func (r *Room) listResults(c *service.Call) (view any, err error) {
	limit := int(c.Query.Int("limit", 1, 100, 100))
	after := c.Query.Text("after", 1, maxID)
	if err := c.Query.Err(); err != nil {
		return nil, err
	}
	err = c.View(func() error {
		job, err := findJob(c)
		if err != nil {
			return err
		}
		complete := r.complete(job, c.Now())
		if after != "" && !complete {
			return wire.Invalidf("after", "job_not_complete", "Result cursors are available when the job is complete.")
		}
		results := r.results(c.Account, job)
		page, more, err := cut(results, after, limit)
		if err != nil {
			return err
		}
		l := listing{
			Object: "list", Data: []resultView{}, HasMore: more &&
				complete, Complete: complete, Error: orNull(job.Error),
		}
		for _, result := range page {
			l.Data = append(l.Data, r.viewResult(result))
		}
		view = l
		return nil
	})
	return view, err
}

func (r *Room) complete(job world.Job, now time.Time) bool {
	return job.Terminal() &&
		!now.Before(time.UnixMilli(job.CompletedAt).Add(r.Points.Duration(openpoint.BulkCompleteLag)))
}

func (r *Room) results(a *world.Account, job world.Job) []world.JobResult {
	results := a.ResultsOf.Of(job.ID)
	slices.SortFunc(results, func(a, b world.JobResult) int { return a.Index - b.Index })
	if hook := r.Hooks().Results; hook != nil {
		return hook(job, results)
	}
	return results
}

func cut(results []world.JobResult, after string, limit int) (page []world.JobResult, more bool, err error) {
	if after != "" {
		i := slices.IndexFunc(results, func(r world.JobResult) bool { return r.OperationID == after })
		if i < 0 {
			return nil, false, wire.BadCursor()
		}
		results = results[i+1:]
	}
	n := min(limit, len(results))
	return results[:n], n < len(results), nil
}

func (r *Room) viewResult(result world.JobResult) resultView {
	v := resultView{
		OperationID: result.OperationID, Type: result.Type, Status: result.Status,
		ResourceID: orNull(result.ResourceID), VersionID: orNull(result.VersionID),
		ErrorCode: orNull(result.ErrorCode), Error: orNull(result.Error),
		Retryable: result.Retryable, RetryAfter: result.RetryAfter,
	}
	if result.Retryable == nil {
		return v
	}
	if *result.Retryable && result.RetryAfter == nil && !r.Points.Is(openpoint.BulkRetryAfter, "null") {
		seconds := r.Points.Int(openpoint.BulkRetryAfter)
		v.RetryAfter = &seconds
	}
	if r.Points.Is(openpoint.BulkRetryable, "null") {
		v.Retryable, v.RetryAfter = nil, nil
	}
	return v
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
