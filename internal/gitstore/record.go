package gitstore

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/google/renameio/v2"
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

// recordFile is a file of this source alone: another ref or folder has a past of
// its own.
func (s *local) recordFile() string {
	name := sha256.Sum256(fmt.Appendf(nil, "%q %q %q", s.address, s.config.Ref, s.config.SubPath))
	return filepath.Join(s.config.Dir, fmt.Sprintf("source-%x.json", name[:8]))
}

func (s *local) readRecord() (record, error) {
	empty := record{
		FormatVersion: recordVersion, Address: s.address.String(), Ref: s.config.Ref, SubPath: s.config.SubPath,
	}
	content, err := os.ReadFile(s.recordFile())
	if errors.Is(err, fs.ErrNotExist) {
		return empty, nil
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
			"be read: %v; want it whole, or removed by somebody who has looked at the history", s.recordFile(), err)
	}
	return r, nil
}

func (s *local) writeRecord(r record) error {
	content, err := json.MarshalIndent(r, "", "  ")
	if err == nil {
		err = renameio.WriteFile(s.recordFile(), append(content, '\n'), 0o600)
	}
	if err != nil {
		return &Error{
			Class: Transient, text: fmt.Sprintf("what is accepted "+
				"of %s cannot be written down: %v; want space and permission there", s.address, err), cause: err,
		}
	}
	return nil
}
