package schedule

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"adsync/internal/insights"
	"adsync/state/kv"
)

// Record is what was sent of an account, by the identity of a place and the days: 2026-11-16..2026-11-22. It has no
// address and no name.
type Record struct {
	FormatVersion int                        `json:"format_version"`
	Places        map[string]map[string]Sent `json:"places"`
}

// Sent is what became of a report for a place.
type Sent struct {
	Begun   time.Time    `json:"begun"`             // when it was first sent
	Ended   time.Time    `json:"ended,omitzero"`    // when it had arrived, or was given up
	Refused bool         `json:"refused,omitempty"` // it did not arrive
	Reached map[int]bool `json:"reached,omitempty"` // which mailboxes have it, of a place of several
}

// RecordName is what the record is called beside the state of an account.
const RecordName = "reports.json"

const (
	recordVersion = 1
	largestRecord = 4 << 20
	keptFor       = 60 * 24 * time.Hour
)

// Read reads what was sent. What is damaged counts as nothing, so that a report may come again.
func Read(s kv.Store) (Record, error) {
	r := Record{FormatVersion: recordVersion, Places: map[string]map[string]Sent{}}
	content, err := s.Get(RecordName, largestRecord)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return r, err
	}
	var kept Record
	if json.Unmarshal(content, &kept) == nil && kept.FormatVersion == recordVersion && kept.Places != nil {
		return kept, nil
	}
	return r, nil
}

// Of returns what became of the report of some days for a place.
func (r *Record) Of(place string, days insights.Span) Sent { return r.Places[place][name(days)] }

// Note writes down what became of it, and forgets what nobody asks for any more.
func Note(s kv.Store, place string, days insights.Span, is Sent) error {
	r, err := Read(s)
	if err != nil {
		return err
	}
	for of, sent := range r.Places {
		for days, one := range sent {
			if is.Begun.Sub(one.Begun) > keptFor {
				delete(sent, days)
			}
		}
		if len(sent) == 0 {
			delete(r.Places, of)
		}
	}
	if r.Places[place] == nil {
		r.Places[place] = map[string]Sent{}
	}
	r.Places[place][name(days)] = is
	content, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return s.Put(RecordName, append(content, '\n'))
}

func name(days insights.Span) string { return fmt.Sprintf("%s..%s", days.From, days.To) }
