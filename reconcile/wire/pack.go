package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// The limits of a bulk job (interface, part 8), counted on serialised bytes.
const (
	MaxOperations     = 1000
	MaxOperationBytes = 512 << 10
	MaxBodyBytes      = 16 << 20
	BodyOverhead      = 256 // what stands around the operations
)

// Room is what one job can hold.
type Room struct{ Operations, Bytes int }

// Packed is an operation ready to go into a job.
type Packed struct {
	Part   Part
	ID     string // operation_id
	Key    string
	JSON   json.RawMessage
	Repeat bool // a create that an earlier job of this run carried out, byte for byte
}

// Batch is the content of one job.
type Batch []Packed

func (b Batch) Bytes() int { return BodyOverhead + b.Weight() }

// Weight is what the operations add to a body.
func (b Batch) Weight() int {
	total := 0
	for _, p := range b {
		total += len(p.JSON) + 1
	}
	return total
}

func (b Batch) Parts() []Part {
	parts := make([]Part, len(b))
	for i, p := range b {
		parts[i] = p.Part
	}
	return parts
}

// Pack puts units of operations that must share a job into as few jobs as
// first-fit decreasing finds, by the limit each unit comes nearest to. Every
// unit fits into a job by itself; see split.
func Pack(units []Batch, r Room) (jobs []Batch) {
	units = slices.Clone(units)
	share := make(map[*Packed]int, len(units))
	for _, unit := range units {
		share[&unit[0]] = max(len(unit)*r.Bytes, unit.Bytes()*r.Operations)
	}
	slices.SortStableFunc(units, func(a, b Batch) int { return share[&b[0]] - share[&a[0]] })
	var bytes []int
	for _, unit := range units {
		weight := unit.Weight()
		i := 0
		for i < len(jobs) && (len(jobs[i])+len(unit) > r.Operations || bytes[i]+weight > r.Bytes) {
			i++
		}
		if i == len(jobs) {
			jobs, bytes = append(jobs, nil), append(bytes, BodyOverhead)
		}
		jobs[i] = append(jobs[i], unit...)
		bytes[i] += weight
	}
	return jobs
}

// Body serialises a job. The same batch gives the same bytes.
func (b Batch) Body(validateOnly bool) ([]byte, error) {
	operations := make([]json.RawMessage, len(b))
	for i, p := range b {
		operations[i] = p.JSON
	}
	return json.Marshal(JobBody{Operations: operations, ValidateOnly: validateOnly})
}

var ErrTooLarge = errors.New("too large for a bulk operation")

// EncodeOperation serialises one operation and refuses one over the limit.
func EncodeOperation(p Part, operation BulkOperation) (Packed, error) {
	raw, err := json.Marshal(operation)
	if err != nil {
		return Packed{}, fmt.Errorf("encode %s: %w", p.Change.Address, err)
	}
	if len(raw) > MaxOperationBytes {
		return Packed{}, fmt.Errorf("%s takes %d bytes in a bulk job; want at most %d: %w",
			p.Change.Address, len(raw), MaxOperationBytes, ErrTooLarge)
	}
	return Packed{Part: p, ID: operation.OperationID, Key: operation.IdempotencyKey, JSON: raw}, nil
}

func (p Packed) IsNew() bool { return !p.Repeat }
