package reconcile

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/state"
)

// createKey is the idempotency key of a create: the same for an account, an
// address and a life of that address, whoever runs it and whenever. No clock
// and no content goes into it, so that two equal ads stay two (design.md
// section 7).
func createKey(accountID string, address resource.Address, generation int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%d", accountID, address, generation))
	return fmt.Sprintf("adsync-%s-%s-%d", address.Kind, hex.EncodeToString(sum[:16]), generation)
}

// preflightKey keeps dry runs in a namespace of their own: whatever a service
// remembers of a validate_only job can not meet the real one.
func preflightKey(key string) string { return "check-" + key }

// createKeys returns the key of each address that a create may name.
func (r *run) createKeys(ctx context.Context, parts []part) (map[resource.Address]string, error) {
	keys := make(map[resource.Address]string, len(parts))
	for _, p := range parts {
		generation, err := r.Store.Generation(ctx, p.change.Address)
		if err != nil {
			return nil, fmt.Errorf("generation of %s: %w", p.change.Address, err)
		}
		keys[p.change.Address] = createKey(r.Account.ID, p.change.Address, generation)
	}
	return keys, nil
}

// knownNotCreated reports whether a job's own result is that a create did not happen. As that
// of one that was refused, its key goes with the same bytes again (interface, part 4, bulk rule 10): whoever
// has made it under that key in the meantime, with a state of his own, has made
// this one.
func knownNotCreated(step state.Step, operation state.Operation, o opOutcome) bool {
	said := o.Outcome == state.OutcomeFailed || o.Outcome == state.OutcomeSkipped &&
		(o.Code == string(diag.OperationSkipped) || o.Code == string(diag.ServiceUnavailable))
	return step.Route == state.Bulk && keyed(operation) && said
}

// keyring hands out keys, and remembers which of them may be used again.
type keyring struct {
	*Env
}

// recordReusableKeys notes what was sent of creates that made nothing, under their keys.
func (a *keyring) recordReusableKeys(ctx context.Context, step state.Step, operations []state.Operation) error {
	if len(operations) == 0 {
		return nil
	}
	var body jobBody
	if err := json.Unmarshal(step.Body, &body); err != nil {
		return fmt.Errorf("read its body: %w", err)
	}
	sums := map[string]string{}
	for _, raw := range body.Operations {
		key, sum, err := sumOf(raw)
		if err != nil {
			return err
		}
		sums[key] = sum
	}
	unmade := make([]state.NotCreated, len(operations))
	for i, o := range operations {
		unmade[i] = state.NotCreated{Address: o.Address, Key: o.Key, Sum: sums[o.Key]}
	}
	return a.Store.RecordNotCreated(ctx, unmade)
}

// recordReusableKey is recordReusableKeys for a single request; without a key its address advances.
func (a *keyring) recordReusableKey(ctx context.Context, step state.Step) error {
	o := step.Operations[0]
	if !keyed(o) {
		return a.advanceCreates(ctx, step.Operations)
	}
	if err := a.Store.RecordNotCreated(ctx,
		[]state.NotCreated{{Address: o.Address, Key: o.Key, Sum: singleSum(step)}}); err != nil {
		return fmt.Errorf("journal the refused create: %w", err)
	}
	return nil
}

// singleSum is the hash of what a single request asks for. It is never that of an
// operation of a job.
func singleSum(step state.Step) string {
	hash := sha256.Sum256(fmt.Appendf(nil, "%s\n%s", step.Path, step.Body))
	return hex.EncodeToString(hash[:])
}

// sumOf returns the key of an operation and the hash of what it asks for.
func sumOf(raw json.RawMessage) (key, sum string, err error) {
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

// keyReusableFor reports whether the key an address has now may carry an operation: it
// never went with other bytes.
func keyReusableFor(unmade state.NotCreated, one packed) (bool, error) {
	if unmade.Key != one.key {
		return true, nil
	}
	_, sum, err := sumOf(one.json)
	return sum == unmade.Sum, err
}

// nextKey returns an address the key of its next attempt.
func (r *run) nextKey(ctx context.Context, address resource.Address) (string, error) {
	generation, err := r.Store.Generation(ctx, address)
	if err == nil && !r.dry {
		err = r.Store.Advance(ctx, []resource.Address{address})
	}
	if err != nil {
		return "", fmt.Errorf("generation of %s: %w", address, err)
	}
	return createKey(r.Account.ID, address, generation+1), nil
}

// jobKey is the Idempotency-Key of a bulk job: a number of the journal, used
// once.
func (a *keyring) jobKey(ctx context.Context, purpose string) (string, error) {
	sequence, err := a.Store.NextSequence(ctx)
	if err != nil {
		return "", fmt.Errorf("number the job: %w", err)
	}
	return fmt.Sprintf("adsync-%s-%s-%d", purpose, a.Store.Header().Lineage, sequence), nil
}
