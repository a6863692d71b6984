package reconcile

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"adsync/internal/adsapi"
	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/state"
)

// A create whose key the service holds with other bytes is contested. The key of
// an address is the same for every state of an account, and this state never
// uses one for two bodies: somebody with a state of his own has made the
// resource. Another key would make a second one, so the address does not advance
// (faults.md, S16), and a person says which resource it is.

// contests says that the words of a refusal are about a key that was used before.
// The interface gives them no name (docs/assumptions.md).
func contests(operation state.Operation, code, message string) bool {
	said := strings.ToLower(code + " " + message)
	return operation.ResourceID == "" && operation.Key != "" && (strings.Contains(said, "idempoten") || strings.Contains(said, "key_conflict"))
}

// refusesKey says so of a single request.
func refusesKey(operation state.Operation, failure error) bool {
	var refused *adsapi.Error
	return errors.Is(failure, adsapi.ErrConflict) && errors.As(failure, &refused) && contests(operation, refused.Code, refused.Message)
}

// conflicted is the outcome of a create that met a conflict: whatever the service
// means by it, nothing goes under another key before that is known.
func conflicted(operation state.Operation, failure error) settled {
	o := settled{Address: operation.Address, Outcome: state.OutcomeUnknown, Code: string(diag.OutcomeUnknown), Message: failure.Error()}
	if refusesKey(operation, failure) {
		o.Code = string(diag.KeyConflict)
	}
	return o
}

func isContested(code string) bool { return code == string(diag.KeyConflict) }

// contested leaves a create to a person, and names what may be its resource.
// What has the name is not taken by itself: others have made it as they wanted it.
func (a *Agent) contested(ctx context.Context, operation state.Operation, ids map[resource.Address]string) (settled, error) {
	address := operation.Address
	if id := ids[address]; id != "" {
		return settled{Address: address, Outcome: state.OutcomeSkipped, Message: "it is recorded as " + id + " by now"}, nil
	}
	if id := a.Given[address]; id != "" {
		return settled{Address: address, ResourceID: id, Outcome: state.OutcomeApplied}, nil
	}
	var named []string
	var err error
	if parent := a.Schemas.Parent(address); parent.IsZero() || ids[parent] != "" {
		named, err = a.withName(ctx, a.Schemas.Of(address.Kind), operation, ids)
		if err != nil && !errors.Is(err, errUnlisted) {
			return settled{}, err
		}
	}
	which := "nothing that is listed has its name"
	if len(named) > 0 {
		which = "its name has " + strings.Join(named, ", ")
	}
	return settled{
		Address: address, Outcome: state.OutcomeUnknown, Code: string(diag.KeyConflict),
		Message: fmt.Sprintf("the service holds another create under its key, so somebody with another state of this account has made it (%s); give its id as id: in the files, or adsync resolve %s", which, address),
	}, nil
}
