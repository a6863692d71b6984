package wire

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"adsync/internal/resource"
	"adsync/plan"
)

// saying is how bulk jobs can say one field.
type saying uint8

const (
	said       saying = iota // an input field carries it, or its absence says it
	later                    // not on the create; a follow-up can
	SingleOnly               // bulk cannot: the resource needs a single request
	unneeded                 // there is nothing to say: a value cleared on a create
)

// OnCreate reports whether campaign.create, ad_group.create or ad.create can carry
// a field (interface, part 4, bulk operation table).
func (e Encoder) OnCreate(address resource.Address, f plan.Field, caps map[resource.Capability]bool) saying {
	a, _ := e.Schemas.Of(address.Kind).Attribute(f.Name)
	missing := later
	if a.Bulk.AtCreate {
		missing = SingleOnly
	}
	switch {
	case !f.Desired.IsSet():
		return unneeded
	case a.Bulk.Needs != "" && !caps[a.Bulk.Needs], !e.holds(a.Bulk.When, address), !fetchable(a, f.Desired):
		return missing
	case a.Bulk.Map != nil:
		if _, ok := a.Bulk.Map[f.Desired.Text()]; !ok {
			return missing
		}
		return said
	case a.Bulk.Create == "":
		return missing
	}
	return said
}

// OnUpdate reports whether the update operation can carry a field. Of what is cleared
// it can say lists, which are then empty.
func (e Encoder) OnUpdate(address resource.Address, f plan.Field) bool {
	a, _ := e.Schemas.Of(address.Kind).Attribute(f.Name)
	return a.Bulk.Update != "" && (f.Desired.IsSet() || a.Type.IsList()) && e.holds(a.Bulk.When, address)
}

// LeftOut reports whether an update operation says a field by leaving it out: it only goes
// along with its setting, which bulk does not send whole.
func (e Encoder) LeftOut(address resource.Address, f plan.Field) bool {
	a, _ := e.Schemas.Of(address.Kind).Attribute(f.Name)
	said, is := a.Bulk.Map[f.Desired.Text()]
	return f.Cause == plan.SentAlong && is && said == ""
}

// fetchable is false for an image the service cannot fetch itself.
func fetchable(a *resource.Attribute, v resource.Value) bool {
	return a.Wire.Codec != resource.FileID || strings.Contains(v.Text(), "://")
}

func (e Encoder) holds(c *resource.Condition, address resource.Address) bool {
	return c == nil || e.Value(e.Schemas.Ancestor(address, c.Ancestor), c.Attribute).Text() == c.Value
}

// BulkOperation is one entry of a job's operations.
type BulkOperation struct {
	OperationID      string         `json:"operation_id"`
	Type             string         `json:"type"`
	IdempotencyKey   string         `json:"idempotency_key,omitempty"`
	TargetResourceID string         `json:"target_resource_id,omitempty"`
	Input            map[string]any `json:"input"`
}

// JobBody is the body of POST /bulk_mutation_jobs.
type JobBody struct {
	Operations   []json.RawMessage `json:"operations"`
	ValidateOnly bool              `json:"validate_only,omitempty"`
}

// BulkCreate is a create operation; key gives the idempotency key of an address.
func (e Encoder) BulkCreate(c *plan.Change, fields []plan.Field,
	id string, key func(resource.Address) string) (BulkOperation, error) {
	schema := e.Schemas.Of(c.Address.Kind)
	input := map[string]any{}
	for kind, field := range schema.Bulk.Parents {
		input[field] = key(e.Schemas.Ancestor(c.Address, kind))
	}
	for _, f := range fields {
		a, _ := schema.Attribute(f.Name)
		if a.Bulk.Create == "" || !f.Desired.IsSet() {
			continue
		}
		w, err := e.bulkWire(a, f.Desired, false)
		if err != nil {
			return BulkOperation{}, err
		}
		put(input, a.Bulk.Create, w)
		putWith(input, a.Bulk.With)
	}
	return BulkOperation{OperationID: id, Type: schema.Bulk.Create, IdempotencyKey: key(c.Address), Input: input}, nil
}

// BulkUpdate is an update operation. A creative is sent whole (interface, part
// 4, bulk rule 8), on top of what the service holds.
func (e Encoder) BulkUpdate(c *plan.Change, fields []plan.Field,
	id string, record json.RawMessage) (BulkOperation, error) {
	schema := e.Schemas.Of(c.Address.Kind)
	input := map[string]any{}
	for _, f := range fields {
		a, _ := schema.Attribute(f.Name)
		if a.Bulk.Update == "" { // left out
			continue
		}
		if err := e.fillNested(schema, a, input, record); err != nil {
			return BulkOperation{}, err
		}
		w, err := e.bulkWire(a, f.Desired, true)
		if err != nil {
			return BulkOperation{}, err
		}
		put(input, a.Bulk.Update, w)
		putWith(input, a.Bulk.With)
	}
	return BulkOperation{OperationID: id, Type: schema.Bulk.Update, TargetResourceID: c.ID, Input: input}, nil
}

// fillNested starts a nested input field with every attribute bulk knows of it.
func (e Encoder) fillNested(schema *resource.Schema,
	a *resource.Attribute, input map[string]any, record json.RawMessage) error {
	root, _, nested := strings.Cut(a.Bulk.Update, ".")
	if !nested || input[root] != nil {
		return nil
	}
	live, err := Object(record)
	if err != nil {
		return fmt.Errorf("read the live record: %w", err)
	}
	for _, other := range schema.Attributes {
		if held := At(live, other.Wire.Path); strings.HasPrefix(other.Bulk.Update, root+".") && held != nil {
			put(input, other.Bulk.Update, held)
		}
	}
	return nil
}

func putWith(input map[string]any, with map[string]string) {
	for field, value := range with {
		input[field] = value
	}
}

func (e Encoder) bulkWire(a *resource.Attribute, v resource.Value, update bool) (any, error) {
	switch {
	case a.Bulk.Map != nil:
		return a.Bulk.Map[v.Text()], nil
	case a.Wire.Codec == resource.IDObjects:
		return v.Items(), nil
	case a.Wire.Codec == resource.FileID && !update:
		return v.Text(), nil
	case v.IsNull() && a.Type.IsList():
		return []string{}, nil
	}
	return e.wire(a, v)
}

// BulkCreatable reports whether a whole create can go into a job, and which of its
// fields a follow-up must bring.
func (e Encoder) BulkCreatable(c *plan.Change, caps map[resource.Capability]bool) (followUp []string, ok bool) {
	schema := e.Schemas.Of(c.Address.Kind)
	if schema.Bulk.Create == "" || !caps[resource.BulkJobs] {
		return nil, false
	}
	for _, f := range c.Fields {
		switch e.OnCreate(c.Address, f, caps) {
		case SingleOnly:
			return nil, false
		case later:
			followUp = append(followUp, f.Name)
		}
	}
	slices.Sort(followUp)
	return followUp, true
}
