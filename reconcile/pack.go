package reconcile

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"adsync/internal/resource"
)

// The limits of a bulk job (interface, part 8), counted on serialised bytes.
const (
	maxOperations     = 1000
	maxOperationBytes = 512 << 10
	maxBodyBytes      = 16 << 20
	bodyOverhead      = 256 // what stands around the operations
)

// packed is an operation ready to go into a job.
type packed struct {
	part part
	id   string // operation_id
	key  string
	json json.RawMessage
}

// batch is the content of one job.
type batch []packed

func (b batch) bytes() int {
	total := bodyOverhead
	for _, p := range b {
		total += len(p.json) + 1
	}
	return total
}

// pack puts units of operations that must share a job into as few jobs as
// first-fit decreasing finds, within every limit. A unit that fits no job is cut
// at the front; what is left over is given back, in order.
func pack(units []batch) (jobs []batch, left []packed) {
	var whole []batch
	for _, unit := range units {
		fits, rest := cut(unit)
		whole = append(whole, fits)
		left = append(left, rest...)
	}
	slices.SortStableFunc(whole, func(a, b batch) int { return len(b) - len(a) })
	var sizes []int
	for _, unit := range whole {
		size := unit.bytes() - bodyOverhead
		i := slices.IndexFunc(jobs, func(job batch) bool { return len(job)+len(unit) <= maxOperations })
		for ; i >= 0 && i < len(jobs); i++ {
			if len(jobs[i])+len(unit) <= maxOperations && sizes[i]+size <= maxBodyBytes {
				break
			}
		}
		if i < 0 || i == len(jobs) {
			jobs, sizes = append(jobs, unit), append(sizes, unit.bytes())
			continue
		}
		jobs[i] = append(jobs[i], unit...)
		sizes[i] += size
	}
	return jobs, left
}

// cut takes the longest front of a unit that one job can hold. Parents stand
// before their children, so a front is always whole in itself.
func cut(unit batch) (fits batch, rest []packed) {
	size := bodyOverhead
	for i, p := range unit {
		size += len(p.json) + 1
		if i == maxOperations || size > maxBodyBytes {
			return unit[:i:i], unit[i:]
		}
	}
	return unit[:len(unit):len(unit)], nil
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
		return packed{}, fmt.Errorf("%s takes %d bytes in a bulk job; want at most %d: %w", p.change.Address, len(raw), maxOperationBytes, errTooLarge)
	}
	return packed{part: p, id: operation.OperationID, key: operation.IdempotencyKey, json: raw}, nil
}

// trees groups packed creates by their highest new resource.
func (r *run) trees(creates []packed) []batch {
	index := map[resource.Address]int{}
	var units []batch
	for _, p := range creates {
		root := r.rootOf(p.part.change.Address)
		i, ok := index[root]
		if !ok {
			i = len(units)
			index[root] = i
			units = append(units, nil)
		}
		units[i] = append(units[i], p)
	}
	return units
}

// rootOf is the highest resource above an address that this run creates.
func (r *run) rootOf(address resource.Address) resource.Address {
	for {
		c := r.byAddr[address]
		if c == nil || r.isRoot(c) {
			return address
		}
		address = r.Schemas.Parent(address)
	}
}
