package state

import (
	"fmt"

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
	operations := make([]Operation, d.count())
	for i := range operations {
		operations[i] = d.operation()
	}
	return operations, d.end(r)
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
