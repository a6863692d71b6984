// Package outside keeps what others than adsync did in an account, as the service's audit log says, beside its state.
//
// It refuses to ask the service: it is given what was read anyway. Its invariant: an entry of the log is kept once, and
// only the newest of them are kept.
package outside

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	"adsync/state/kv"
)

// Name is where they are kept, one a line.
const Name = "outside.ndjson"

// most is how many entries are kept of an account.
const most = 2000

// Entry is what somebody did at the service.
type Entry struct {
	ID      string    `json:"id"` // of the audit log
	Time    time.Time `json:"time"`
	By      string    `json:"by,omitempty"`      // as the audit log names who did it
	Action  string    `json:"action"`            // in the service's words: update_campaign
	Of      string    `json:"of"`                // id of the resource
	Address string    `json:"address,omitempty"` // "" where adsync does not manage it
	Name    string    `json:"name,omitempty"`
	Fields  []string  `json:"fields,omitempty"` // that were changed, in the service's words
}

// Kept are the entries of an account.
type Kept struct{ kv.Store }

// All returns them, the oldest first.
func (k Kept) All() ([]Entry, error) {
	if k.Store == nil {
		return nil, nil
	}
	return kv.Lines[Entry](k.Store, Name)
}

// Note keeps those that are not kept yet.
func (k Kept) Note(entries []Entry) error {
	if len(entries) == 0 {
		return nil
	}
	return k.Rewrite(Name, func(content []byte) []byte {
		type kept struct {
			at   time.Time
			line []byte
		}
		var all []kept
		there := map[string]bool{}
		for line := range bytes.Lines(content) {
			var e Entry
			if json.Unmarshal(line, &e) == nil {
				there[e.ID] = true
				all = append(all, kept{e.Time, bytes.TrimRight(line, "\n")})
			}
		}
		before := len(all)
		for _, e := range entries {
			if line, err := json.Marshal(e); err == nil && !there[e.ID] {
				there[e.ID] = true
				all = append(all, kept{e.Time, line})
			}
		}
		if len(all) == before {
			return nil
		}
		slices.SortStableFunc(all, func(a, b kept) int { return a.at.Compare(b.at) })
		var written []byte
		for _, one := range all[max(0, len(all)-most):] {
			written = append(append(written, one.line...), '\n')
		}
		return written
	})
}
