package gitstore

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"adsync/state/kv"
)

// record is what is remembered of a source: where its ref stood when that was
// accepted. It is the one thing that moves when a fetch is done.
type record struct {
	FormatVersion int       `json:"format_version"`
	Address       string    `json:"address"`
	Ref           string    `json:"ref"`
	SubPath       string    `json:"path"`
	Accepted      string    `json:"accepted"` // full hash, "" before the first
	At            time.Time `json:"at"`
	MissingSince  time.Time `json:"missing_since,omitzero"` // when the ref was found gone
}

const recordVersion = 1

// mostRecord is how many bytes a record has at most.
const mostRecord = 64 << 10

// recordName is of this source alone: another ref or folder has a past of its own.
func (s *local) recordName() string {
	name := sha256.Sum256(fmt.Appendf(nil, "%q %q %q", s.address, s.config.Ref, s.config.SubPath))
	return fmt.Sprintf("source-%x.json", name[:8])
}

// readRecord reads what was accepted last, where all who follow the source keep it. One of this machine counts until
// there is one.
func (s *local) readRecord() (record, error) {
	empty := record{
		FormatVersion: recordVersion, Address: s.address.String(), Ref: s.config.Ref, SubPath: s.config.SubPath,
	}
	kept, own := s.config.Records, kv.Store(kv.Folder{Dir: s.config.Dir})
	content, err := kept.Get(s.recordName(), mostRecord)
	if errors.Is(err, fs.ErrNotExist) && kept != own {
		kept = own
		content, err = kept.Get(s.recordName(), mostRecord)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return empty, nil
	}
	where := kept.Where(s.recordName())
	if err != nil && kept != own {
		return empty, &Error{
			Class: Transient, text: fmt.Sprintf("%s, which says what was accepted last, cannot be "+
				"read: %v", where, err),
			cause: err,
		}
	}
	var r record
	if err == nil {
		err = json.Unmarshal(content, &r)
	}
	if err == nil && (r.FormatVersion != recordVersion || r.Accepted != "" && !isCommit(r.Accepted)) {
		err = errors.New("it is of another version, or damaged")
	}
	if err != nil {
		return empty, refuse(Configuration, "%s, which says what was accepted last, cannot "+
			"be read: %v; want it whole, or removed by somebody who has looked at the history", where, err)
	}
	return r, nil
}

func (s *local) writeRecord(r record) error {
	content, err := json.MarshalIndent(r, "", "  ")
	if err == nil {
		err = s.config.Records.Put(s.recordName(), append(content, '\n'))
	}
	if err != nil {
		return &Error{
			Class: Transient, text: fmt.Sprintf("what is accepted "+
				"of %s cannot be written down: %v; want space and permission there", s.address, err), cause: err,
		}
	}
	return nil
}
