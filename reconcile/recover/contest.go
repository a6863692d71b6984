package recover

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/reconcile/live"
	"adsync/state"
)

// contested leaves a create to a person, and names what may be its resource.
// What has the name is not taken by itself: others have made it as they wanted it.
func (a *deciding) contested(ctx context.Context, operation state.Operation,
	ids map[resource.Address]string) (state.OperationOutcome, error) {
	address := operation.Address
	if id := ids[address]; id != "" {
		return state.OperationOutcome{
			Address: address, Outcome: state.OutcomeSkipped, Message: "it is recorded as " + id + " by now",
		}, nil
	}
	if id := a.Given[address]; id != "" {
		return state.OperationOutcome{Address: address, ResourceID: id, Outcome: state.OutcomeApplied}, nil
	}
	var shown live.Named
	var err error
	if parent := a.Schemas.Parent(address); parent.IsZero() || ids[parent] != "" {
		shown, err = a.WithName(ctx, a.Schemas.Of(address.Kind), operation, ids)
		if err != nil && !errors.Is(err, live.ErrUnlisted) {
			return state.OperationOutcome{}, err
		}
	}
	which := "nothing that is listed has its name"
	if len(shown.IDs) > 0 {
		which = "its name has " + strings.Join(shown.IDs, ", ")
	}
	return state.OperationOutcome{
		Address: address, Outcome: state.OutcomeUnknown, Code: string(diag.KeyConflict),
		Message: fmt.Sprintf("the service holds another create under its key, so somebody with another state of "+
			"this account has made it (%s); give its id as id: in the files, or adsync resolve %s", which, address),
	}, nil
}

// stillInConflict keeps a create that met a conflict unknown where reading back
// shows nothing of it. What would stand beneath a parent that is not there was
// not made.
func (a *deciding) stillInConflict(operation state.Operation,
	o state.OperationOutcome, ids map[resource.Address]string) state.OperationOutcome {
	parent := a.Schemas.Parent(operation.Address)
	switch id := a.Given[operation.Address]; {
	case o.Outcome == state.OutcomeApplied, ids[operation.Address] != "", !parent.IsZero() && ids[parent] == "":
		return o
	case id != "":
		return state.OperationOutcome{Address: o.Address, ResourceID: id, Outcome: state.OutcomeApplied}
	case o.Outcome != state.OutcomeUnknown:
		o.Outcome = state.OutcomeUnknown
		o.Message = fmt.Sprintf("the service answered "+
			"its create with a conflict, and nothing shows whether it is there; look in the ad manager: "+
			"if it is, give its id as id: in the files; if not, adsync resolve %s --as not-applied", operation.Address)
	}
	o.Code = string(diag.CreateConflict)
	return o
}
