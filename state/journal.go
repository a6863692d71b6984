package state

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// stepRecord is a step without its operations and its body, which are records
// of their own so that a move writes neither.
type stepRecord struct {
	Sequence    int64     `json:"sequence"` // order of beginning
	Run         string    `json:"run"`
	Route       Route     `json:"route"`
	Path        string    `json:"path"`
	Key         string    `json:"key,omitzero"`
	ContentType string    `json:"content_type,omitzero"`
	BodySum     string    `json:"body_sha256"`
	PlanHash    string    `json:"plan_hash,omitzero"`
	Point       Point     `json:"point"`
	JobID       string    `json:"job_id,omitzero"`
	SentAt      time.Time `json:"sent_at,omitzero"`
	Note        string    `json:"note,omitzero"`
	Uses        []string  `json:"uses,omitempty"`
}

// Begin journals steps at the point intent, all of them or none.
func (l journal) Begin(ctx context.Context, steps ...Step) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return l.change(func(b *batch) error {
		for _, s := range steps {
			if err := b.begin(s); err != nil {
				return fmt.Errorf("begin step %q: %w", s.ID, err)
			}
		}
		return nil
	})
}

// Announce does nothing: what is begun here is durable at once.
func (l journal) Announce(context.Context, ...Step) error { return nil }

func (b *batch) begin(s Step) error {
	if err := b.refuseBegin(s); err != nil {
		return err
	}
	sequence, err := b.next("step")
	if err != nil {
		return err
	}
	sum := sha256.Sum256(s.Body)
	r := stepRecord{
		Sequence: sequence, Run: s.Run, Route: s.Route, Path: s.Path, Key: s.Key, ContentType: s.ContentType,
		BodySum: hex.EncodeToString(sum[:]), PlanHash: s.PlanHash,
		Point: Intent, JobID: s.JobID, SentAt: s.SentAt.UTC(), Note: s.Note, Uses: s.Uses,
	}
	if err := b.refuseKey(r); err != nil {
		return err
	}
	operations, err := encodeOperations(s.Operations)
	if err != nil {
		return err
	}
	b.put(classBody, s.ID, string(s.Body))
	b.put(classOperations, s.ID, operations)
	if err := (usedKeys{b}).use(s.Uses, s.ID); err != nil {
		return err
	}
	return b.putStep(s.ID, r)
}

func (b *batch) refuseBegin(s Step) error {
	if s.ID == "" {
		return fmt.Errorf("id is empty; want run/wave/index")
	}
	if s.Point != "" && s.Point != Intent {
		return fmt.Errorf("%w: it begins at %q; want %q", errMove, s.Point, Intent)
	}
	if _, there, err := b.get(record{classStep, s.ID}); there || err != nil {
		return cmp.Or(err, errExists)
	}
	return nil
}

// refuseKey refuses a key that has been on the wire with other bytes: the
// service may answer for either (faults.md, invariant 4).
func (b *batch) refuseKey(r stepRecord) error {
	if r.Key == "" {
		return nil
	}
	used, there, err := b.get(record{classKey, r.Key})
	if err != nil || !there || used == r.sentAs() {
		return err
	}
	return fmt.Errorf("%w: key %q; take the next generation or sequence number for other bytes", errKeyUsed, r.Key)
}

// sentAs is what a key stands for once it has been on the wire.
func (r stepRecord) sentAs() string { return r.BodySum + " " + r.Path }

// Move journals the next point of a step.
func (l journal) Move(_ context.Context, stepID string, to Point, update Update) error {
	if to == Bound {
		return fmt.Errorf("move step %q: %w: only Finish reaches %q", stepID, errMove, to)
	}
	return l.change(func(b *batch) error {
		if err := b.move(stepID, to, update); err != nil {
			return fmt.Errorf("move step %q: %w", stepID, err)
		}
		return nil
	})
}

// Finish records outcomes, bindings and last-applied with the point bound, or
// with unknown where an outcome is.
func (l journal) Finish(_ context.Context, stepID string, applied []Applied, outcomes []OperationOutcome) error {
	to := Bound
	if slices.ContainsFunc(outcomes, func(o OperationOutcome) bool { return o.Outcome == OutcomeUnknown }) {
		to = Unknown
	}
	return l.change(func(b *batch) error {
		if err := b.move(stepID, to, Update{Outcomes: outcomes}); err != nil {
			return fmt.Errorf("finish step %q: %w", stepID, err)
		}
		if err := b.confirm(stepID, outcomes); err != nil {
			return fmt.Errorf("finish step %q: %w", stepID, err)
		}
		return b.record(applied)
	})
}

func (b *batch) move(stepID string, to Point, u Update) error {
	r, err := b.step(stepID)
	if err != nil {
		return err
	}
	if !r.Point.CanMove(to) {
		return fmt.Errorf("%w: it is %q; want one of %q, not %q", errMove, r.Point, moves[r.Point], to)
	}
	r.Point = to
	r.JobID = cmp.Or(u.JobID, r.JobID)
	r.Note = cmp.Or(u.Note, r.Note)
	if !u.SentAt.IsZero() {
		r.SentAt = u.SentAt.UTC()
	}
	if err := b.enter(stepID, r); err != nil {
		return err
	}
	if r.Point.IsOpen() { // a step that has ended keeps no operations
		if err := b.setOutcomes(stepID, u.Outcomes); err != nil {
			return err
		}
	}
	return b.putStep(stepID, r)
}

// enter does what belongs to arriving at a point.
func (b *batch) enter(stepID string, r stepRecord) error {
	switch {
	case r.Point == Sent && r.Key != "":
		if err := b.refuseKey(r); err != nil {
			return err
		}
		b.put(classKey, r.Key, r.sentAs())
	case r.Point == Abandoned:
		if err := (usedKeys{b}).unuse(r.Uses, stepID); err != nil {
			return err
		}
		fallthrough
	case !r.Point.IsOpen():
		b.remove(classBody, stepID)
		b.remove(classOperations, stepID)
	}
	return nil
}

func (b *batch) setOutcomes(stepID string, outcomes []OperationOutcome) error {
	if len(outcomes) == 0 {
		return nil
	}
	operations, err := b.operations(stepID)
	if err != nil {
		return err
	}
	if err := settle(operations, outcomes); err != nil {
		return err
	}
	value, err := encodeOperations(operations)
	if err == nil {
		b.put(classOperations, stepID, value)
	}
	return err
}

func (b *batch) step(id string) (stepRecord, error) {
	value, there, err := b.get(record{classStep, id})
	if err == nil && !there {
		err = errNoStep
	}
	if err != nil {
		return stepRecord{}, err
	}
	return decodeStep(id, value)
}

func decodeStep(id, value string) (r stepRecord, err error) {
	if json.Unmarshal([]byte(value), &r) != nil {
		err = unreadable(record{classStep, id})
	}
	return r, err
}

func (b *batch) putStep(id string, r stepRecord) error {
	value, err := json.Marshal(r)
	if err == nil {
		b.put(classStep, id, string(value))
	}
	return err
}

// Heads returns the open steps without their bodies and operations, oldest first.
func (l journal) Heads(context.Context) ([]Step, error) {
	var heads []Step
	err := l.view(func(b *batch) error {
		open, err := b.openRecords(nil)
		for id, r := range open {
			heads = append(heads, r.head(id))
		}
		inOrder(heads, open)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the journal: %w", err)
	}
	return heads, nil
}

// Operations returns those of an open step, without its body; none of another.
func (l journal) Operations(_ context.Context, stepID string) ([]Operation, error) {
	var operations []Operation
	err := l.view(func(b *batch) error {
		open, err := b.openRecords([]string{stepID})
		if err == nil && len(open) > 0 {
			operations, err = b.operations(stepID)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the journal: %w", err)
	}
	return operations, nil
}

// Open returns the steps that are neither closed nor abandoned, oldest first; where
// ids are given, those of them alone.
func (l journal) Open(_ context.Context, ids ...string) ([]Step, error) {
	var steps []Step
	err := l.view(func(b *batch) (err error) {
		steps, err = b.open(ids)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the journal: %w", err)
	}
	return steps, nil
}

func (b *batch) open(ids []string) ([]Step, error) {
	open, err := b.openRecords(ids)
	if err != nil {
		return nil, err
	}
	steps := make([]Step, 0, len(open))
	for id, r := range open {
		s, err := b.whole(id, r)
		if err != nil {
			return nil, err
		}
		steps = append(steps, s)
	}
	inOrder(steps, open)
	return steps, nil
}

func inOrder(steps []Step, open map[string]stepRecord) {
	slices.SortFunc(steps, func(s, t Step) int { return cmp.Compare(open[s.ID].Sequence, open[t.ID].Sequence) })
}

// openRecords are the steps that have not ended; where ids are given, those of them
// alone. Of those that have not ended alone operations are kept, so that the journal
// of all that ever ended is not read.
func (b *batch) openRecords(ids []string) (map[string]stepRecord, error) {
	open := map[string]stepRecord{}
	if b.counts[classOperations] == 0 {
		return open, nil
	}
	if len(ids) == 0 {
		for r := range b.sums {
			if r.class == classOperations {
				ids = append(ids, r.key)
			}
		}
	}
	for _, id := range ids {
		if _, kept := b.sums[record{classOperations, id}]; !kept {
			continue
		}
		step, err := b.step(id)
		if err != nil {
			return nil, err
		}
		if step.Point.IsOpen() {
			open[id] = step
		}
	}
	return open, nil
}

// whole returns a step with its body and its operations.
func (b *batch) whole(id string, r stepRecord) (Step, error) {
	operations, err := b.operations(id)
	if err != nil {
		return Step{}, err
	}
	body, _, err := b.get(record{classBody, id})
	s := r.head(id)
	s.Body, s.Operations = []byte(body), operations
	return s, err
}

// head is a step without its body and operations.
func (r stepRecord) head(id string) Step {
	return Step{
		ID: id, Run: r.Run, Route: r.Route, Path: r.Path, Key: r.Key, ContentType: r.ContentType,
		PlanHash: r.PlanHash, Point: r.Point, JobID: r.JobID, SentAt: r.SentAt, Note: r.Note, Uses: r.Uses,
	}
}
