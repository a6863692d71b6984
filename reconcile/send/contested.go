package send

import (
	"errors"
	"strings"

	"adsync/internal/adsapi"
	"adsync/internal/diag"
	"adsync/reconcile/wire"
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
	return wire.Keyed(operation) && (strings.Contains(said, "idempoten") || strings.Contains(said, "key_conflict"))
}

// ConflictOf returns the code of a create that met a conflict, "" for what is none.
// The words tell that the key is meant, whatever the status is.
func ConflictOf(operation state.Operation, failure error) diag.Code {
	refused := new(adsapi.Error)
	switch {
	case errors.As(failure, new(elsewhereError)):
		return diag.KeyConflict
	case !errors.As(failure, &refused) || !wire.Keyed(operation):
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
	case wire.Keyed(operation) && strings.Contains(strings.ToLower(code), "conflict"):
		return diag.CreateConflict
	}
	return ""
}

func IsContested(code string) bool { return code == string(diag.KeyConflict) }

// InConflict reports whether a create has met a conflict at the service.
func InConflict(code string) bool { return IsContested(code) || code == string(diag.CreateConflict) }
