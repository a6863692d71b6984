package state

import (
	"context"
	"encoding/json"
	"fmt"
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

// CanMove reports whether the life cycle has the move.
func (p Point) CanMove(to Point) bool { return slices.Contains(moves[p], to) }

// IsOpen reports whether a step at this point still asks for something to be done.
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

// keptSubmissions is how many submissions of jobs are remembered: as many as the
// service takes within ten seconds (interface, part 8).
const keptSubmissions = 10

var submissions = record{classSubmitted, "jobs"}

// Submitted returns when jobs were last submitted, oldest first.
func (l journal) Submitted(_ context.Context) ([]time.Time, error) {
	var millis []int64
	err := l.view(func(b *batch) (err error) {
		millis, err = b.submitted()
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read when jobs were submitted: %w", err)
	}
	times := make([]time.Time, len(millis))
	for i, at := range millis {
		times[i] = time.UnixMilli(at)
	}
	return times, nil
}

// RecordSubmitted adds a submission.
func (l journal) RecordSubmitted(_ context.Context, at time.Time) error {
	return l.change(func(b *batch) error {
		millis, err := b.submitted()
		if err != nil {
			return err
		}
		millis = append(millis, at.UnixMilli())
		value, err := json.Marshal(millis[max(0, len(millis)-keptSubmissions):])
		if err == nil {
			b.put(submissions.class, submissions.key, string(value))
		}
		return err
	})
}

func (b *batch) submitted() (millis []int64, err error) {
	value, there, err := b.get(submissions)
	if err == nil && there && json.Unmarshal([]byte(value), &millis) != nil {
		err = unreadable(submissions)
	}
	return millis, err
}

// Wrote is a write that the service confirmed in an answer: by it an audit log tells how
// it names who writes with the key of this state.
type Wrote struct {
	Kind    resource.Kind `json:"kind"`
	ID      string        `json:"id"`
	Created bool          `json:"created,omitempty"`
	SentAt  time.Time     `json:"sent_at"`
}

// keptWrites is how many writes are remembered: where they do not name one and the same,
// nobody knows who this is.
const keptWrites = 4

var confirmed = record{classWrote, "last"}

// Wrote returns the last writes that were confirmed, oldest first: of a resource its create
// and one update at the most.
func (l journal) Wrote(context.Context) (wrote []Wrote, err error) {
	err = l.view(func(b *batch) (err error) {
		wrote, err = b.wrote()
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read which writes were confirmed: %w", err)
	}
	return wrote, nil
}

func (b *batch) wrote() (wrote []Wrote, err error) {
	value, there, err := b.get(confirmed)
	if err == nil && there && json.Unmarshal([]byte(value), &wrote) != nil {
		err = unreadable(confirmed)
	}
	return wrote, err
}

// confirm remembers one write of a step that was answered, a create before others.
func (b *batch) confirm(stepID string, outcomes []OperationOutcome) error {
	if !slices.ContainsFunc(outcomes, OperationOutcome.confirmed) {
		return nil
	}
	step, err := b.step(stepID)
	if err != nil {
		return err
	}
	var one Wrote
	for _, o := range outcomes {
		if o.confirmed() && (one.ID == "" || o.Made && !one.Created) {
			one = Wrote{Kind: o.Address.Kind, ID: o.ResourceID, Created: o.Made, SentAt: step.SentAt}
		}
	}
	wrote, err := b.wrote()
	if err != nil {
		return err
	}
	wrote = append(slices.DeleteFunc(wrote, func(w Wrote) bool {
		return w.ID == one.ID && w.Created == one.Created
	}), one)
	value, err := json.Marshal(wrote[max(0, len(wrote)-keptWrites):])
	if err == nil {
		b.put(confirmed.class, confirmed.key, string(value))
	}
	return err
}

func (o OperationOutcome) confirmed() bool {
	return o.Answered && o.Outcome == OutcomeApplied && o.ResourceID != ""
}
