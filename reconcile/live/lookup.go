package live

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/reconcile/wire"
	"adsync/state"
)

// Named is what a list shows of a create's name beneath its parent.
type Named struct {
	IDs     []string // what stands
	ended   []string // what is archived
	removed bool     // the list shows what is archived, whatever its name
}

// MayHide reports whether the list does not rule out that what was made is archived.
func (n Named) MayHide() bool { return len(n.ended) > 0 || !n.removed }

// madeBy reports whether a resource is what a create asked for: by its name, and by
// all that was sent where no key tells one create from another.
func madeBy(schema *resource.Schema, operation state.Operation, live *resource.Resource) bool {
	if !schema.Calls.Keyless {
		return SameName(schema, operation.Set, live)
	}
	_, differs := Compare(schema, Expectation{Sent: operation.Set, Created: true}, live)
	return len(differs) == 0
}

func BoundElsewhere(ids map[resource.Address]string, own resource.Address, id string) bool {
	for address, bound := range ids {
		if bound == id && address != own && address.Kind == own.Kind {
			return true
		}
	}
	return false
}

// SameName compares by every naming attribute the create gave.
func SameName(schema *resource.Schema, sent resource.Attributes, live *resource.Resource) bool {
	for _, name := range schema.NameFrom {
		if want := sent.Value(name); want.IsSet() &&
			normalizedText(want.Text()) != normalizedText(live.Value(name).Text()) {
			return false
		}
	}
	return true
}

// WithName returns the resources under a parent that carry the name of a create.
func (a *Lists) WithName(ctx context.Context, schema *resource.Schema,
	operation state.Operation, ids map[resource.Address]string) (Named, error) {
	query, parentID := url.Values{}, ids[a.Schemas.Parent(operation.Address)]
	if schema.ParentWire != "" {
		query.Set(schema.ParentWire, parentID)
	}
	var found Named
	d := wire.Decoder{Zone: a.Zone}
	for record, err := range a.Reader().List(ctx, schema, query) {
		if err != nil {
			return Named{}, fmt.Errorf("look for %s: %w", operation.Address, UnlistedBeneath(schema, err))
		}
		live, err := d.Decode(schema, record)
		if err != nil {
			return Named{}, err
		}
		removed := schema.Removed(live)
		found.removed = found.removed || removed
		elsewhere := live.ParentID != "" && parentID != "" && live.ParentID != parentID
		switch {
		case elsewhere || !madeBy(schema, operation, live) || BoundElsewhere(ids, operation.Address, record.ID):
		case removed:
			found.ended = append(found.ended, record.ID)
		default:
			found.IDs = append(found.IDs, record.ID)
		}
	}
	return found, nil
}

// BoundIDs returns the id of every address that is recorded.
func (a *Lists) BoundIDs(ctx context.Context) (map[resource.Address]string, error) {
	last, err := a.Store.Last(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the last-applied record: %w", err)
	}
	ids := map[resource.Address]string{}
	for bound := range last.All() {
		ids[bound.Address] = bound.ID
	}
	return ids, nil
}

// NotShown is what is known of a write to a kind the account may not use any more.
func NotShown(operation state.Operation, refusal error) state.OperationOutcome {
	return state.OperationOutcome{
		Address: operation.Address, ResourceID: operation.ResourceID,
		Outcome: state.OutcomeUnknown, Code: string(diag.NeedsDecision),
		Message: fmt.Sprintf("the service does not "+
			"show it any more: %s; apply again when it does, or adsync resolve %s", refusal, operation.Address),
	}
}

func (n Named) EndedWords() string {
	if len(n.ended) == 0 {
		return ""
	}
	return ", such as " + strings.Join(n.ended, ", ")
}
