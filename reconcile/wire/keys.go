package wire

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/state"
)

// CreateKey is the idempotency key of a create: the same for an account, an
// address and a life of that address, whoever runs it and whenever. No clock
// and no content goes into it, so that two equal ads stay two (design.md
// section 7).
func CreateKey(accountID string, address resource.Address, generation int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%d", accountID, address, generation))
	return fmt.Sprintf("adsync-%s-%s-%d", address.Kind, hex.EncodeToString(sum[:16]), generation)
}

// PreflightKey keeps dry runs in a namespace of their own: whatever a service
// remembers of a validate_only job can not meet the real one.
func PreflightKey(key string) string { return "check-" + key }

// KnownNotCreated reports whether a job's own result is that a create did not happen. As that
// of one that was refused, its key goes with the same bytes again (interface, part 4, bulk rule 10): whoever
// has made it under that key in the meantime, with a state of his own, has made
// this one.
func KnownNotCreated(step state.Step, operation state.Operation, o state.OperationOutcome) bool {
	said := o.Outcome == state.OutcomeFailed || o.Outcome == state.OutcomeSkipped &&
		(o.Code == string(diag.OperationSkipped) || o.Code == string(diag.ServiceUnavailable))
	return step.Route == state.Bulk && Keyed(operation) && said
}

// SingleSum is the hash of what a single request asks for. It is never that of an
// operation of a job.
func SingleSum(step state.Step) string {
	hash := sha256.Sum256(fmt.Appendf(nil, "%s\n%s", step.Path, step.Body))
	return hex.EncodeToString(hash[:])
}

// SumOf returns the key of an operation and the hash of what it asks for.
func SumOf(raw json.RawMessage) (key, sum string, err error) {
	var o struct {
		Type  string          `json:"type"`
		Key   string          `json:"idempotency_key"`
		Input json.RawMessage `json:"input"`
	}
	if err := json.Unmarshal(raw, &o); err != nil {
		return "", "", fmt.Errorf("read an operation: %w", err)
	}
	hash := sha256.Sum256(fmt.Appendf(nil, "%s\n%s", o.Type, o.Input))
	return o.Key, hex.EncodeToString(hash[:]), nil
}

// KeyReusableFor reports whether the key an address has now may carry an operation: it
// never went with other bytes.
func KeyReusableFor(unmade state.NotCreated, one Packed) (bool, error) {
	if unmade.Key != one.Key {
		return true, nil
	}
	_, sum, err := SumOf(one.JSON)
	return sum == unmade.Sum, err
}
