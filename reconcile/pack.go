package reconcile

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// The limits of a bulk job (interface, part 8), counted on serialised bytes.
const (
	maxOperations     = 1000
	maxOperationBytes = 512 << 10
	maxBodyBytes      = 16 << 20
	bodyOverhead      = 256 // what stands around the operations
)

// room is what one job can hold.
type room struct{ operations, bytes int }

// packed is an operation ready to go into a job.
type packed struct {
	part   part
	id     string // operation_id
	key    string
	json   json.RawMessage
	repeat bool // a create that an earlier job of this run carried out, byte for byte
}

// batch is the content of one job.
type batch []packed

func (b batch) bytes() int { return bodyOverhead + b.weight() }

// weight is what the operations add to a body.
func (b batch) weight() int {
	total := 0
	for _, p := range b {
		total += len(p.json) + 1
	}
	return total
}

func (b batch) parts() []part {
	parts := make([]part, len(b))
	for i, p := range b {
		parts[i] = p.part
	}
	return parts
}

// pack puts units of operations that must share a job into as few jobs as
// first-fit decreasing finds, by the limit each unit comes nearest to. Every
// unit fits into a job by itself; see split.
func pack(units []batch, r room) (jobs []batch) {
	units = slices.Clone(units)
	share := make(map[*packed]int, len(units))
	for _, unit := range units {
		share[&unit[0]] = max(len(unit)*r.bytes, unit.bytes()*r.operations)
	}
	slices.SortStableFunc(units, func(a, b batch) int { return share[&b[0]] - share[&a[0]] })
	var bytes []int
	for _, unit := range units {
		weight := unit.weight()
		i := 0
		for i < len(jobs) && (len(jobs[i])+len(unit) > r.operations || bytes[i]+weight > r.bytes) {
			i++
		}
		if i == len(jobs) {
			jobs, bytes = append(jobs, nil), append(bytes, bodyOverhead)
		}
		jobs[i] = append(jobs[i], unit...)
		bytes[i] += weight
	}
	return jobs
}

// body serialises a job. The same batch gives the same bytes.
func (b batch) body(validateOnly bool) ([]byte, error) {
	operations := make([]json.RawMessage, len(b))
	for i, p := range b {
		operations[i] = p.json
	}
	return json.Marshal(jobBody{Operations: operations, ValidateOnly: validateOnly})
}

var errTooLarge = errors.New("too large for a bulk operation")

// encodeOperation serialises one operation and refuses one over the limit.
func encodeOperation(p part, operation bulkOperation) (packed, error) {
	raw, err := json.Marshal(operation)
	if err != nil {
		return packed{}, fmt.Errorf("encode %s: %w", p.change.Address, err)
	}
	if len(raw) > maxOperationBytes {
		return packed{}, fmt.Errorf("%s takes %d bytes in a bulk job; want at most %d: %w",
			p.change.Address, len(raw), maxOperationBytes, errTooLarge)
	}
	return packed{part: p, id: operation.OperationID, key: operation.IdempotencyKey, json: raw}, nil
}

func (p packed) isNew() bool { return !p.repeat }
