package state

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"adsync/internal/resource"
)

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

// Wrote gives the last writes that were confirmed, oldest first: of a resource its create
// and one update at the most.
func (l *ledger) Wrote(context.Context) (wrote []Wrote, err error) {
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
