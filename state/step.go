package state

import (
	"slices"
	"time"

	"adsync/internal/resource"
)

// Point is where a step stands in its life (design.md section 7).
type Point string

// The points of a step's life, and its side exits.
const (
	Intent      Point = "intent"       // exact bytes, key and plan hash are durable
	Sent        Point = "sent"         // the first byte may have left
	Accepted    Point = "accepted"     // the service gave a job id
	Terminal    Point = "terminal"     // the job has ended
	ResultsRead Point = "results_read" // every result was read and the listing is complete
	Bound       Point = "bound"        // ids, outcomes and last-applied are recorded
	Verified    Point = "verified"     // read back
	Closed      Point = "closed"

	Abandoned   Point = "abandoned" // certain to have had no effect
	BlockedStep Point = "blocked"   // refused, or a person has to decide
	Unknown     Point = "unknown"   // may or may not have had an effect
)

// moves is the life cycle. Sent to sent is the same bytes going again under the
// same key, unknown to unknown a decision on a part of a step. Single requests and uploads have no
// job and go from sent to bound; a job whose ids are all known needs no result pages. A step whose
// read-back shows something else closes without being verified.
var moves = map[Point][]Point{
	Intent:      {Sent, Abandoned, BlockedStep},
	Sent:        {Sent, Accepted, Terminal, Bound, Unknown, BlockedStep, Abandoned},
	Accepted:    {Terminal, Unknown},
	Terminal:    {ResultsRead, Bound, Unknown},
	ResultsRead: {Bound, Unknown},
	Bound:       {Verified, Closed},
	Verified:    {Closed},
	Unknown:     {Unknown, Sent, Accepted, Terminal, Bound, BlockedStep, Abandoned},
	BlockedStep: {Sent, Unknown, Bound, Abandoned},
}

// CanMove says whether the life cycle has the move.
func (p Point) CanMove(to Point) bool { return slices.Contains(moves[p], to) }

// IsOpen says that a step at this point still asks for something to be done.
func (p Point) IsOpen() bool { return p != Closed && p != Abandoned }

// Route is how a step reaches the service.
type Route string

// The routes.
const (
	Bulk   Route = "bulk"
	Single Route = "single"
	Upload Route = "upload"

	Membership Route = "membership" // an operation on people, whose id is the job's
)

// Step is one request of an apply, as the journal holds it.
type Step struct {
	ID          string // run/wave/index, unique
	Run         string
	Route       Route
	Path        string // path of the POST below /v1
	Key         string // Idempotency-Key; "" where the interface has none
	ContentType string
	Body        []byte // the exact bytes; an upload journals JSON with hash and name instead
	PlanHash    string
	Operations  []Operation // each address at most once
	Point       Point       // "" is Intent when the step begins
	JobID       string
	SentAt      time.Time
	Note        string
	Uses        []string // keys of what was agreed to and goes with the step; taken back once it is abandoned
}

// Operation is one change inside a step.
type Operation struct {
	ID         string // operation_id in a job; "" for a single request
	Address    resource.Address
	Action     string              // the plan's action: create, update, …
	Key        string              // idempotency key of the create
	ResourceID string              // target of an update; of a create once it is bound
	Set        resource.Attributes // becomes last-applied when the operation is applied
	Complete   bool                // Set is the whole record, not a part of it
	Outcome    Outcome             // "" until it is known
	Code       string
	Message    string
}

// Outcome is what became of an operation.
type Outcome string

// The outcomes an operation that was sent can have.
const (
	OutcomeApplied Outcome = "applied"
	OutcomeFailed  Outcome = "failed"
	OutcomeSkipped Outcome = "skipped"
	OutcomeUnknown Outcome = "unknown"
)

// OperationOutcome is the outcome of the operation on one address of a step.
type OperationOutcome struct {
	Address    resource.Address
	ResourceID string // "" keeps what the operation holds
	Outcome    Outcome
	Code       string
	Message    string
	Final      bool // failed, and trying again cannot cure it; not part of the record
	Answered   bool // the service said so in an answer; only Wrote keeps it
	Made       bool // by a create; only Wrote keeps it
}

// Update is what a move adds to a step. A zero field leaves what is there.
type Update struct {
	JobID    string
	SentAt   time.Time
	Outcomes []OperationOutcome
	Note     string
}
