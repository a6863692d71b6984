package ads

import (
	"time"

	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/wire"
	"adsync/internal/emulator/world"
)

// Where a create's key comes from.
const (
	ViaHeader = "header" // Idempotency-Key of a single request
	ViaBulk   = "bulk"   // idempotency_key of a bulk operation
)

// KeyUse is one use of a create's key.
type KeyUse struct {
	Via      string
	Resource string // campaign, ad_group, ad
	Key      string // "" is none
	BodyHash string
	// Job is the hash of the whole job's body, for ViaBulk.
	Job string
}

// Find returns the id of the object an earlier, visible create with this key made,
// or "" (interface, part 1, Idempotency). status is the status of an object.
func (k KeyUse) Find(tx *world.Tx, points *openpoint.Settings, status func(id string) world.Status) (string, error) {
	if k.Key == "" {
		return "", nil
	}
	if err := k.usedElsewhere(tx, points); err != nil {
		return "", err
	}
	for _, via := range k.sources(points) {
		row, ok := visibleKey(tx, points, via, k.Resource, k.Key)
		if !ok || k.isStray(points, row) {
			continue
		}
		return k.judge(row, points, status(row.ResourceID))
	}
	return "", nil
}

// isStray reports a parent's create that is repeated in another job than a rerun
// of the one that made it: where the open point says so, it makes a new object.
func (k KeyUse) isStray(points *openpoint.Settings, row world.CreateKey) bool {
	return k.Via == ViaBulk && k.Resource != "ad" &&
		row.JobSHA256 != k.Job && points.Is(openpoint.BulkParentRepeat, "stray")
}

func (k KeyUse) judge(row world.CreateKey, points *openpoint.Settings, status world.Status) (string, error) {
	if row.BodySHA256 != k.BodyHash && points.Is(openpoint.KeyBody, "refused") {
		return "", wire.Conflictf("idempotency_conflict",
			"The idempotency key %q was used with a different body.", k.Key)
	}
	if status != world.Archived {
		return row.ResourceID, nil
	}
	switch points.Of(openpoint.KeyArchived) {
	case "created":
		return "", nil
	case "refused":
		return "", wire.Conflictf("idempotency_conflict",
			"The idempotency key %q belongs to the archived %s %s.", k.Key, k.Resource, row.ResourceID)
	}
	return row.ResourceID, nil
}

// Remember binds the key to the object it made.
func (k KeyUse) Remember(tx *world.Tx, id string) {
	if k.Key == "" {
		return
	}
	tx.Account.Keys.Put(tx, world.CreateKey{
		Via: k.Via, Resource: k.Resource, Key: k.Key,
		ResourceID: id, BodySHA256: k.BodyHash, JobSHA256: k.Job, At: tx.Now.UnixMilli(),
	})
}

// sources are the spaces a key is looked for in.
func (k KeyUse) sources(points *openpoint.Settings) []string {
	if points.Is(openpoint.KeyScopeBulk, "separate") {
		return []string{k.Via}
	}
	return []string{ViaHeader, ViaBulk}
}

// usedElsewhere refuses a key that made another kind of object, where keys are
// one space for the whole account.
func (k KeyUse) usedElsewhere(tx *world.Tx, points *openpoint.Settings) error {
	if points.Is(openpoint.KeyScopeRoutes, "endpoint") {
		return nil
	}
	for _, resource := range []string{"campaign", "ad_group", "ad"} {
		for _, via := range k.sources(points) {
			if _, ok := visibleKey(tx, points, via, resource, k.Key); ok && resource != k.Resource {
				return wire.Conflictf("idempotency_conflict",
					"The idempotency key %q was used to create an object of another kind.", k.Key)
			}
		}
	}
	return nil
}

// visibleKey is the key's record while it is known.
func visibleKey(tx *world.Tx, points *openpoint.Settings, via, resource, key string) (world.CreateKey, bool) {
	row, ok := tx.Account.Keys.Get(world.CreateKeyID(via, resource, key))
	if !ok {
		return row, false
	}
	age := tx.Now.Sub(time.UnixMilli(row.At))
	if lag := points.Duration(openpoint.KeyLag); lag > 0 && age < lag {
		return row, false
	}
	if ttl := points.Of(openpoint.KeyTTL); ttl != "never" && age >= points.Duration(openpoint.KeyTTL) {
		return row, false
	}
	return row, true
}
