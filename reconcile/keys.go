package reconcile

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"adsync/internal/resource"
	"adsync/internal/seeded"
)

// createKey is the idempotency key of a create: the same for an account, an
// address and a life of that address, whoever runs it and whenever. No clock
// and no content goes into it, so that two equal ads stay two (design.md
// section 7).
func createKey(accountID string, address resource.Address, generation int) string {
	if seeded.KeyFromClock {
		generation = int(time.Now().UnixNano())
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%d", accountID, address, generation))
	return fmt.Sprintf("adsync-%s-%s-%d", address.Kind, hex.EncodeToString(sum[:16]), generation)
}

// rehearsalKey keeps dry runs in a namespace of their own: whatever a service
// remembers of a validate_only job can not meet the real one.
func rehearsalKey(key string) string { return "check-" + key }

// createKeys gives the key of each address that a create may name.
func (r *run) createKeys(ctx context.Context, parts []part) (map[resource.Address]string, error) {
	keys := make(map[resource.Address]string, len(parts))
	for _, p := range parts {
		generation, err := r.Store.Generation(ctx, p.change.Address)
		if err != nil {
			return nil, fmt.Errorf("generation of %s: %w", p.change.Address, err)
		}
		keys[p.change.Address] = createKey(r.Account.ID, p.change.Address, generation)
		if seeded.KeyFromContent {
			keys[p.change.Address] = seeded.ContentKey(p.set())
		}
	}
	return keys, nil
}

// jobKey is the Idempotency-Key of a bulk job: a number of the journal, used
// once.
func (a *Agent) jobKey(ctx context.Context, purpose string) (string, error) {
	sequence, err := a.Store.NextSequence(ctx)
	if err != nil {
		return "", fmt.Errorf("number the job: %w", err)
	}
	return fmt.Sprintf("adsync-%s-%s-%d", purpose, a.Store.Header().Lineage, sequence), nil
}
