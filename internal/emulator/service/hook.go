package service

import (
	"net/http"

	"adsync/internal/emulator/world"
)

// Response is a whole answer, not yet on the line, so that a fault can change,
// cut, slow or drop it.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
	// Drop closes the connection instead of answering.
	Drop bool
	// CutAfter closes the connection after that many bytes of the body; 0 sends all.
	CutAfter int
	// BytesPerSecond slows the body down; 0 sends at once.
	BytesPerSecond int
}

// Hooks is where a fault layer takes hold: above the store, below the limits.
// A nil hook lets everything pass. One Hooks serves all requests at once.
type Hooks struct {
	// Request wraps one request. Not calling next drops it before it commits;
	// calling it and answering otherwise is a loss after it committed; calling
	// it twice is a duplicate delivery.
	Request func(c *Call, next func() Response) Response
	// Operation wraps one operation of a bulk job, inside the transaction of its
	// batch: it must neither wait nor call next twice. Not calling next gives a
	// result without the effect; its Status must be set.
	Operation func(op Operation, next func() world.JobResult) world.JobResult
	// Job is asked before each batch of a job runs.
	Job func(job world.Job) JobFault
	// Results may change what a listing of results shows.
	Results func(job world.Job, results []world.JobResult) []world.JobResult
}

// Operation is one operation about to run.
type Operation struct {
	Account string
	Actor   string
	JobID   string
	Index   int // from 0
	ID      string
	Type    string
	Key     string
}

// JobFault is what befalls a job; the zero value is nothing.
type JobFault struct {
	Hold  bool   // leave the job as it is; ask again when the clock moves or a second later
	Error string // end the job as failed with this job-level error
}
