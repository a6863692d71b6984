package state

import (
	"context"
	"fmt"
	"time"

	"adsync/internal/resource"
)

// operations returns the operations of an open step.
func (b *batch) operations(stepID string) ([]Operation, error) {
	r := record{classOperations, stepID}
	value, _, err := b.get(r)
	if err != nil {
		return nil, err
	}
	d := decoder{rest: value}
	return d.operations(), d.end(r)
}

func (d *decoder) operations() []Operation {
	operations := make([]Operation, d.count())
	for i := range operations {
		operations[i] = d.operation()
	}
	return operations
}

// usualOperation is about how many bytes an operation takes.
const usualOperation = 512

// encodeOperations refuses two operations on one address: an outcome would not
// know which is meant.
func encodeOperations(operations []Operation) (string, error) {
	seen := make(map[resource.Address]bool, len(operations))
	e := encoder{bytes: make([]byte, 0, len(operations)*usualOperation)}
	e.count(len(operations))
	for _, o := range operations {
		if seen[o.Address] {
			return "", fmt.Errorf("operation on %s is there twice; want each address once", o.Address)
		}
		seen[o.Address] = true
		e.operation(o)
	}
	return string(e.bytes), e.err
}

func (e *encoder) operation(o Operation) {
	address, err := addressKey(o.Address)
	if err != nil {
		e.err = err
	}
	complete := 0
	if o.Complete {
		complete = 1
	}
	for _, text := range []string{o.ID, address, o.Action, o.Key, o.ResourceID, string(o.Outcome), o.Code, o.Message} {
		e.text(text)
	}
	e.attributes(o.Set)
	e.count(complete)
}

func (d *decoder) operation() Operation {
	return Operation{
		ID: d.text(), Address: d.address(), Action: d.text(), Key: d.text(), ResourceID: d.text(),
		Outcome: Outcome(d.text()), Code: d.text(), Message: d.text(),
		Set: d.attributes(), Complete: d.unsigned() == 1,
	}
}

// settle writes outcomes into the operations they are of.
func settle(operations []Operation, outcomes []OperationOutcome) error {
	index := make(map[resource.Address]int, len(operations))
	for i, o := range operations {
		index[o.Address] = i
	}
	for _, outcome := range outcomes {
		i, ok := index[outcome.Address]
		if !ok {
			return fmt.Errorf("outcome is for %s; want an address of the step", outcome.Address)
		}
		o := &operations[i]
		o.Outcome, o.Code, o.Message = outcome.Outcome, outcome.Code, outcome.Message
		if outcome.ResourceID != "" {
			o.ResourceID = outcome.ResourceID
		}
	}
	return nil
}

// Late is what an earlier process sent of a step that recovery found open: it may still arrive, whatever became of the
// step.
type Late struct {
	Step       string
	Since      time.Time // when recovery found it
	Operations []Operation
}

// keptLate is how long that is remembered: longer than a process sleeps that wakes and sends.
const keptLate = 24 * time.Hour

// RecordLate adds what is not known yet, and drops what is too old to arrive.
func (l journal) RecordLate(_ context.Context, late []Late) error {
	return l.change(func(b *batch) error {
		for _, one := range late {
			_, known, err := b.get(record{classLate, one.Step})
			if err != nil {
				return err
			}
			if known {
				continue
			}
			operations, err := encodeOperations(one.Operations)
			if err != nil {
				return fmt.Errorf("record what may arrive late of step %q: %w", one.Step, err)
			}
			e := &encoder{}
			e.number(one.Since.UnixMilli())
			b.put(classLate, one.Step, string(e.bytes)+operations)
		}
		return b.engine.each(classLate, func(step, value string) error {
			one, err := decodeLate(step, value)
			if err == nil && l.now().Sub(one.Since) > keptLate {
				b.remove(classLate, step)
			}
			return err
		})
	})
}

// Late returns what may still arrive.
func (l journal) Late(context.Context) ([]Late, error) {
	var late []Late
	err := l.view(func(b *batch) error {
		if b.counts[classLate] == 0 { // as always, unless a process was killed
			return nil
		}
		return b.engine.each(classLate, func(step, value string) error {
			one, err := decodeLate(step, value)
			if err == nil && l.now().Sub(one.Since) <= keptLate {
				late = append(late, one)
			}
			return err
		})
	})
	return late, err
}

func decodeLate(step, value string) (Late, error) {
	d := &decoder{rest: value}
	one := Late{Step: step, Since: time.UnixMilli(d.number()).UTC()}
	one.Operations = d.operations()
	return one, d.end(record{classLate, step})
}
