package world

import "fmt"

// Job is a bulk mutation job (interface, part 4).
type Job struct {
	ID             string `json:"id"`
	Status         string `json:"status"` // pending, in_progress, completed, partially_failed, failed
	CreatedAt      int64  `json:"created_at_ms"`
	CompletedAt    int64  `json:"completed_at_ms"` // 0 while it runs
	Key            string `json:"key"`             // Idempotency-Key; "" is none
	BodySHA256     string `json:"body_sha256"`
	JSONSHA256     string `json:"json_sha256"` // of the body with its keys in order
	Actor          string `json:"actor"`
	ValidateOnly   bool   `json:"validate_only"`
	PartialFailure bool   `json:"partial_failure"`
	Count          int    `json:"count"`
	Error          string `json:"error"` // of the job as a whole; "" is none
}

// Terminal reports whether the job has ended.
func (j Job) Terminal() bool { return j.CompletedAt != 0 }

// JobResult is the outcome of one operation.
type JobResult struct {
	JobID       string `json:"job_id"`
	Index       int    `json:"index"`
	OperationID string `json:"operation_id"`
	Type        string `json:"type"`
	Status      string `json:"status"` // created, updated, validated, failed, skipped
	ResourceID  string `json:"resource_id"`
	VersionID   string `json:"version_id"`
	ErrorCode   string `json:"error_code"`
	Error       string `json:"error"`
	Retryable   *bool  `json:"retryable"`
	RetryAfter  *int64 `json:"retry_after_seconds"`
}

func (r JobResult) id() string { return fmt.Sprintf("%s/%04d", r.JobID, r.Index) }

// JobBody is the submitted body of a job, kept until the job ends.
type JobBody struct {
	JobID string `json:"job_id"`
	Body  []byte `json:"body"`
}
