package world

import (
	"encoding/json"
	"slices"
	"sync"

	"adsync/internal/emulator/store"
)

// Cause says who changes something and with what request.
type Cause struct {
	Actor          string `json:"actor"`
	Endpoint       string `json:"endpoint"` // method and pattern, such as POST /campaigns
	IdempotencyKey string `json:"idempotency_key"`
	BodySHA256     string `json:"body_sha256"`
	JobID          string `json:"job_id"`
	OperationID    string `json:"operation_id"`
	OperationKey   string `json:"operation_key"`
}

// Mutation is one accepted change of one resource: an entry of W (invariants
// vocabulary), and what audit logs are made of. It is written below the faults,
// in the same transaction as the change.
type Mutation struct {
	Seq       int64  `json:"seq"`
	At        int64  `json:"at"` // Unix milliseconds
	AccountID string `json:"account_id"`
	Cause
	Action     string          `json:"action"`   // create, update, activate, pause, archive, …
	Resource   string          `json:"resource"` // campaign, ad_group, ad, file, ad_account, …
	ResourceID string          `json:"resource_id"`
	CampaignID string          `json:"campaign_id,omitempty"` // the resource or its ancestor
	AdGroupID  string          `json:"ad_group_id,omitempty"`
	Before     json.RawMessage `json:"before"` // null for a create
	After      json.RawMessage `json:"after"`
}

const bucketMutations = "mutations"

type mutationLog struct {
	mu      sync.Mutex
	entries []Mutation // entry i has Seq i+1
}

func (l *mutationLog) load(st *store.Store) error {
	return st.Load(bucketMutations, func(_ string, value []byte) error {
		var m Mutation
		if err := json.Unmarshal(value, &m); err != nil {
			return err
		}
		l.entries = append(l.entries, m)
		return nil
	})
}

// Record adds a log entry for a change made in this transaction. before and
// after are the record; before is nil for a create.
func (tx *Tx) Record(m Mutation, before, after any) {
	m.At, m.AccountID, m.Cause = tx.Now.UnixMilli(), tx.Account.ID, tx.Cause
	m.Before, m.After = mustJSON(before), mustJSON(after)
	tx.mutations = append(tx.mutations, m)
}

// MutationCount is the Seq of the last log entry; 0 when there is none.
func (w *World) MutationCount() int64 {
	w.log.mu.Lock()
	defer w.log.mu.Unlock()
	return int64(len(w.log.entries))
}

// Mutations are up to limit log entries with a Seq above after, oldest first.
func (w *World) Mutations(after int64, limit int) ([]Mutation, error) {
	w.log.mu.Lock()
	start := min(max(after, 0), int64(len(w.log.entries)))
	end := min(start+int64(limit), int64(len(w.log.entries)))
	page := slices.Clone(w.log.entries[start:end])
	w.log.mu.Unlock()
	return page, w.store.Wait(w.store.Last())
}
