package bulk

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"time"

	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/service"
	"adsync/internal/emulator/wire"
	"adsync/internal/emulator/world"
)

// jobView is a job as the service shows it.
type jobView struct {
	ID             string `json:"id"`
	Status         string `json:"status"`
	OperationCount int    `json:"operation_count"`
	CreatedAt      int64  `json:"created_at"` // Unix seconds
	CompletedAt    *int64 `json:"completed_at"`
}

func (r *Room) view(job world.Job) jobView {
	v := jobView{ID: job.ID, Status: job.Status, OperationCount: job.Count, CreatedAt: job.CreatedAt / 1000}
	if job.Terminal() && r.Points.Is(openpoint.BulkCompletedAt, "set") {
		at := job.CompletedAt / 1000
		v.CompletedAt = &at
	}
	return v
}

// submit accepts a job: 202 with the job, or the job that the same key and body
// made before, or a conflict (bulk rule 10).
func (r *Room) submit(c *service.Call) (any, error) {
	s, err := readSubmission(c.Body, r.Points)
	if err == nil {
		err = s.refusedWhole(r.Points)
	}
	if err != nil {
		return nil, err
	}
	var job world.Job
	fresh := false
	err = c.Update(func(tx *world.Tx) error {
		prior, err := r.priorJob(tx, c)
		if prior != nil || err != nil {
			job = orNone(prior)
			return err
		}
		job, fresh = r.keep(tx, c, s), true
		return nil
	})
	if err != nil {
		return nil, err
	}
	if fresh {
		r.start(c.Account, job.ID, s)
	}
	return service.Answer{Status: http.StatusAccepted, Value: r.view(job)}, nil
}

func orNone(job *world.Job) world.Job {
	if job == nil {
		return world.Job{}
	}
	return *job
}

// keep makes the job and its body durable; the worker takes it from there.
func (r *Room) keep(tx *world.Tx, c *service.Call, s *submission) world.Job {
	job := world.Job{
		ID: tx.NewID("blkmtnjob_"), Status: "pending", CreatedAt: tx.Now.UnixMilli(),
		Key: c.Key, BodySHA256: c.BodyHash, JSONSHA256: r.jsonHash(c.Body), Actor: c.Principal.Actor,
		ValidateOnly: s.validateOnly, PartialFailure: s.partialFailure, Count: len(s.operations),
	}
	if job.ValidateOnly && r.Points.Is(openpoint.KeyValidateOnly, "no") {
		job.Key = ""
	}
	tx.Account.Jobs.Put(tx, job)
	tx.Account.JobBodies.Put(tx, world.JobBody{JobID: job.ID, Body: c.Body})
	return job
}

// priorJob is the job that this key made before, while the key is known.
func (r *Room) priorJob(tx *world.Tx, c *service.Call) (*world.Job, error) {
	if c.Key == "" {
		return nil, nil
	}
	jobs := tx.Account.JobsByKey.Of(c.Key)
	if len(jobs) == 0 {
		return nil, nil
	}
	job := jobs[len(jobs)-1]
	age := tx.Now.Sub(time.UnixMilli(job.CreatedAt))
	if !r.Points.Is(openpoint.KeyTTL, "never") && age >= r.Points.Duration(openpoint.KeyTTL) {
		return nil, nil
	}
	if job.BodySHA256 != c.BodyHash && (job.JSONSHA256 == "" || job.JSONSHA256 != r.jsonHash(c.Body)) {
		return nil, wire.Conflictf("idempotency_conflict",
			"The Idempotency-Key %q was used with a different body.", c.Key)
	}
	return &job, nil
}

// jsonHash is equal for bodies that say the same in another order of keys; ""
// where only equal bytes count.
func (r *Room) jsonHash(body []byte) string {
	if r.Points.Is(openpoint.BulkSameBody, "bytes") {
		return ""
	}
	var value any
	if err := json.Unmarshal(body, &value); err != nil {
		return ""
	}
	text, err := json.Marshal(value)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
