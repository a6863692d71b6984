package send

import (
	"context"
	"encoding/json"
	"fmt"

	"adsync/internal/resource"
	"adsync/reconcile/env"
	"adsync/reconcile/wire"
	"adsync/state"
)

// Keyring hands out keys, and remembers which of them may be used again.
type Keyring struct {
	*env.Env
}

// RecordReusableKeys notes what was sent of creates that made nothing, under their keys.
func (a *Keyring) RecordReusableKeys(ctx context.Context, step state.Step, operations []state.Operation) error {
	if len(operations) == 0 {
		return nil
	}
	var body wire.JobBody
	if err := json.Unmarshal(step.Body, &body); err != nil {
		return fmt.Errorf("read its body: %w", err)
	}
	sums := map[string]string{}
	for _, raw := range body.Operations {
		key, sum, err := wire.SumOf(raw)
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
func (a *Keyring) recordReusableKey(ctx context.Context, step state.Step) error {
	o := step.Operations[0]
	if !wire.Keyed(o) {
		return a.AdvanceCreates(ctx, step.Operations)
	}
	if err := a.Store.RecordNotCreated(ctx,
		[]state.NotCreated{{Address: o.Address, Key: o.Key, Sum: wire.SingleSum(step)}}); err != nil {
		return fmt.Errorf("journal the refused create: %w", err)
	}
	return nil
}

// AdvanceCreates gives creates that surely did not happen another life: the key
// they were sent under is never used for other bytes.
func (a *Keyring) AdvanceCreates(ctx context.Context, operations []state.Operation) error {
	var creates []resource.Address
	for _, o := range operations {
		if o.ResourceID == "" {
			creates = append(creates, o.Address)
		}
	}
	if err := a.Store.Advance(ctx, creates); err != nil {
		return fmt.Errorf("journal the refused creates: %w", err)
	}
	return nil
}

// JobKey is the Idempotency-Key of a bulk job: a number of the journal, used
// once.
func (a *Keyring) JobKey(ctx context.Context, purpose string) (string, error) {
	sequence, err := a.Store.NextSequence(ctx)
	if err != nil {
		return "", fmt.Errorf("number the job: %w", err)
	}
	return fmt.Sprintf("adsync-%s-%s-%d", purpose, a.Store.Header().Lineage, sequence), nil
}
