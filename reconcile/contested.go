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
//
// A conflict in words that do not name the key may be that as well. Such a create
// is there when reading back shows it; that nothing shows it proves nothing, as
// what somebody else made may have another name.

// contests reports whether the words of a refusal are about a key that was used before.
// The interface gives them no name (docs/develop/assumptions.md).
func contests(operation state.Operation, code, message string) bool {
	said := strings.ToLower(code + " " + message)
	return keyed(operation) && (strings.Contains(said, "idempoten") || strings.Contains(said, "key_conflict"))
}

// keyed reports whether an operation is a create that a key tells from others.
func keyed(o state.Operation) bool { return o.ResourceID == "" && o.Key != "" }

// conflictOf returns the code of a create that met a conflict, "" for what is none.
// The words tell that the key is meant, whatever the status is.
func conflictOf(operation state.Operation, failure error) diag.Code {
	refused := new(adsapi.Error)
	switch {
	case !errors.As(failure, &refused) || !keyed(operation):
		return ""
	case !errors.Is(failure, adsapi.ErrUnavailable) && contests(operation, refused.Code, refused.Message):
		return diag.KeyConflict
	case errors.Is(failure, adsapi.ErrConflict):
		return diag.CreateConflict
	}
	return ""
}

// conflictIn returns the code of a conflict that a job's result tells of.
func conflictIn(operation state.Operation, code, message string) diag.Code {
	switch {
	case contests(operation, code, message):
		return diag.KeyConflict
	case keyed(operation) && strings.Contains(strings.ToLower(code), "conflict"):
		return diag.CreateConflict
	}
	return ""
}

func isContested(code string) bool { return code == string(diag.KeyConflict) }

// inConflict reports whether a create has met a conflict at the service.
func inConflict(code string) bool { return isContested(code) || code == string(diag.CreateConflict) }

// stillInConflict keeps a create that met a conflict unknown where reading back
// shows nothing of it. What would stand beneath a parent that is not there was
// not made.
func (a *deciding) stillInConflict(operation state.Operation, o opOutcome, ids map[resource.Address]string) opOutcome {
	parent := a.Schemas.Parent(operation.Address)
	switch id := a.Given[operation.Address]; {
	case o.Outcome == state.OutcomeApplied, ids[operation.Address] != "", !parent.IsZero() && ids[parent] == "":
		return o
	case id != "":
		return opOutcome{Address: o.Address, ResourceID: id, Outcome: state.OutcomeApplied}
	case o.Outcome != state.OutcomeUnknown:
		o.Outcome = state.OutcomeUnknown
		o.Message = fmt.Sprintf("the service answered "+
			"its create with a conflict, and nothing shows whether it is there; look in the ad manager: "+
			"if it is, give its id as id: in the files; if not, adsync resolve %s --as not-applied", operation.Address)
	}
	o.Code = string(diag.CreateConflict)
	return o
}

// contested leaves a create to a person, and names what may be its resource.
// What has the name is not taken by itself: others have made it as they wanted it.
func (a *deciding) contested(ctx context.Context, operation state.Operation,
	ids map[resource.Address]string) (opOutcome, error) {
	address := operation.Address
	if id := ids[address]; id != "" {
		return opOutcome{
			Address: address, Outcome: state.OutcomeSkipped, Message: "it is recorded as " + id + " by now",
		}, nil
	}
	if id := a.Given[address]; id != "" {
		return opOutcome{Address: address, ResourceID: id, Outcome: state.OutcomeApplied}, nil
	}
	var shown named
	var err error
	if parent := a.Schemas.Parent(address); parent.IsZero() || ids[parent] != "" {
		shown, err = a.withName(ctx, a.Schemas.Of(address.Kind), operation, ids)
		if err != nil && !errors.Is(err, errUnlisted) {
			return opOutcome{}, err
		}
	}
	which := "nothing that is listed has its name"
	if len(shown.ids) > 0 {
		which = "its name has " + strings.Join(shown.ids, ", ")
	}
	return opOutcome{
		Address: address, Outcome: state.OutcomeUnknown, Code: string(diag.KeyConflict),
		Message: fmt.Sprintf("the service holds another create under its key, so somebody with another state of "+
			"this account has made it (%s); give its id as id: in the files, or adsync resolve %s", which, address),
	}, nil
}
