package adsapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
)

const (
	bulkPath = "/bulk_mutation_jobs"
	// resultsPerPage is the largest page of bulk operation results
	// (interface, part 8).
	resultsPerPage = 100
)

// Job is a bulk mutation job (interface, part 2).
type Job struct {
	ID             string
	Status         string // pending, in_progress, completed, partially_failed, failed, or a word of a later service
	OperationCount int
	CreatedAt      int64  // Unix seconds
	CompletedAt    *int64 // Unix seconds; nil may be seen on a finished job too
}

// Terminal reports whether the job will not move any more (interface, part 3). A
// status this program does not know is not terminal.
func (j Job) Terminal() bool {
	return j.Status == "completed" || j.Status == "partially_failed" || j.Status == "failed"
}

// OperationResult is what became of one operation of a job (interface,
// parts 2 and 3). An unknown Status is kept as it came.
type OperationResult struct {
	OperationID        string
	Type               string
	Status             string // created, updated, validated, failed, skipped
	ResourceID         *string
	SubmittedVersionID *string
	ErrorCode          *string
	Error              *string // the service's words as they came; clean before showing
	Retryable          *bool
	RetryAfterSeconds  *int64
}

// OperationPage is a page of results, or with AllOperations all of them.
// Results are final only when Complete is true and HasMore is false
// (interface, part 4, bulk rule 11).
type OperationPage struct {
	Results  []OperationResult
	HasMore  bool
	Complete bool
	Error    *string // of the whole job
}

// SubmitJob submits a bulk job: POST /bulk_mutation_jobs. body is sent as it
// is, and again only as it is, under the same key; without a key what may
// have changed something is not repeated. key is "" or 1 to 255 characters.
func (c *Client) SubmitJob(ctx context.Context, key string, body []byte) (Job, error) {
	e, err := parseEndpoint(bulkPath)
	if err == nil {
		err = checkKey(key)
	}
	if err == nil && len(body) > maxBulkBody {
		err = fmt.Errorf("body of the bulk job is %d bytes; want at most %d", len(body), maxBulkBody)
	}
	if err != nil {
		return Job{}, refuse(http.MethodPost, bulkPath, err)
	}
	r := request{
		method: http.MethodPost, endpoint: e, body: body, contentType: "application/json", key: key,
		bulk: true, repeatable: key != "",
	}
	var job Job
	err = c.do(ctx, r, func(body []byte) (err error) {
		job, err = decodeJob(body, "")
		return err
	})
	if failed, ok := errors.AsType[*Error](err); ok {
		failed.dryRun = saysValidateOnly(body)
	}
	return job, err
}

// Job reads a job: GET /bulk_mutation_jobs/{id}.
func (c *Client) Job(ctx context.Context, id string) (Job, error) {
	path, err := JoinPath("bulk_mutation_jobs", id)
	if err != nil {
		return Job{}, refuse(http.MethodGet, bulkPath, fmt.Errorf("job id: %w", err))
	}
	var job Job
	err = c.get(ctx, path, nil, func(body []byte) (err error) {
		job, err = decodeJob(body, id)
		return err
	})
	return job, err
}

// Operations reads one page of results, those after the operation id
// `after`, or the first ones when it is "".
func (c *Client) Operations(ctx context.Context, id, after string) (OperationPage, error) {
	path, err := JoinPath("bulk_mutation_jobs", id, "operations")
	if err != nil {
		return OperationPage{}, refuse(http.MethodGet, bulkPath, fmt.Errorf("job id: %w", err))
	}
	query := url.Values{"limit": {strconv.Itoa(resultsPerPage)}}
	if after != "" {
		query.Set("after", after)
	}
	var p OperationPage
	err = c.get(ctx, path, query, func(body []byte) (err error) {
		p, err = decodeOperations(body)
		return err
	})
	return p, err
}

// AllOperations reads the results page by page. Complete is true only when
// every page was complete. It stops at a page that is not: cursors exist
// only after completion (interface, part 4, bulk rule 11). A result that comes
// twice alike is one; two that differ are both given. A page with nothing new
// is an error: its cursor leads in a circle.
func (c *Client) AllOperations(ctx context.Context, id string) (OperationPage, error) {
	var all OperationPage
	seen := make(map[string][]OperationResult)
	after := ""
	for {
		p, err := c.Operations(ctx, id, after)
		if err != nil {
			return OperationPage{}, err
		}
		fresh := 0
		for _, result := range p.Results {
			if slices.ContainsFunc(seen[result.OperationID], result.alike) {
				continue
			}
			if len(seen[result.OperationID]) == 0 {
				fresh++
			}
			seen[result.OperationID] = append(seen[result.OperationID], result)
			all.Results = append(all.Results, result)
		}
		all.HasMore, all.Complete = p.HasMore, p.Complete
		if all.Error == nil {
			all.Error = p.Error
		}
		if !p.HasMore || !p.Complete {
			return all, nil
		}
		if fresh == 0 {
			return OperationPage{}, endless("bulk_mutation_jobs/"+id+"/operations",
				fmt.Sprintf("the page after %q came before", clean(after, 80)))
		}
		after = p.Results[len(p.Results)-1].OperationID
	}
}

// alike reports whether two results of an operation say the same.
func (r OperationResult) alike(other OperationResult) bool {
	return r.Status == other.Status && samePointee(r.ResourceID, other.ResourceID) &&
		samePointee(r.Retryable, other.Retryable)
}

func samePointee[T comparable](a, b *T) bool {
	return a == b || a != nil && b != nil && *a == *b
}

func decodeJob(body []byte, wanted string) (Job, error) {
	record, err := decodeRecord(body, wanted, true)
	if err != nil {
		return Job{}, err
	}
	var wire struct {
		Status         text  `json:"status"`
		OperationCount whole `json:"operation_count"`
		CreatedAt      whole `json:"created_at"`
		CompletedAt    whole `json:"completed_at"`
	}
	if err := unmarshalObject(body, &wire); err != nil {
		return Job{}, err
	}
	return Job{
		ID: record.ID, Status: wire.Status.value, OperationCount: int(wire.OperationCount.value),
		CreatedAt: wire.CreatedAt.value, CompletedAt: wire.CompletedAt.pointer(),
	}, nil
}

func decodeOperations(body []byte) (OperationPage, error) {
	var wire struct {
		Data     *[]wireResult `json:"data"`
		HasMore  flag          `json:"has_more"`
		Complete flag          `json:"complete"`
		Error    text          `json:"error"`
	}
	if err := unmarshalObject(body, &wire); err != nil {
		return OperationPage{}, err
	}
	if wire.Data == nil {
		return OperationPage{}, errors.New("it has no data; want a list of operation results")
	}
	p := OperationPage{HasMore: wire.HasMore.value, Complete: wire.Complete.value, Error: wire.Error.pointer()}
	if !wire.HasMore.set && len(*wire.Data) >= resultsPerPage {
		return OperationPage{}, errors.New("it is a full page without has_more; want true or false")
	}
	if p.HasMore && p.Complete && len(*wire.Data) == 0 {
		return OperationPage{}, errors.New("has_more is true on an empty page; want results")
	}
	p.Results = make([]OperationResult, len(*wire.Data))
	for i, result := range *wire.Data {
		if result.OperationID.value == "" {
			return OperationPage{}, fmt.Errorf("result %d of the page has no operation_id; want one", i+1)
		}
		p.Results[i] = result.plain()
	}
	return p, nil
}

type wireResult struct {
	OperationID        text  `json:"operation_id"`
	Type               text  `json:"type"`
	Status             text  `json:"status"`
	ResourceID         text  `json:"resource_id"`
	SubmittedVersionID text  `json:"submitted_version_id"`
	ErrorCode          text  `json:"error_code"`
	Error              text  `json:"error"`
	Retryable          flag  `json:"retryable"`
	RetryAfterSeconds  whole `json:"retry_after_seconds"`
}

func (w wireResult) plain() OperationResult {
	return OperationResult{
		OperationID: w.OperationID.value, Type: w.Type.value, Status: w.Status.value,
		ResourceID: w.ResourceID.pointer(), SubmittedVersionID: w.SubmittedVersionID.pointer(),
		ErrorCode: w.ErrorCode.pointer(), Error: w.Error.pointer(),
		Retryable: w.Retryable.pointer(), RetryAfterSeconds: w.RetryAfterSeconds.pointer(),
	}
}
