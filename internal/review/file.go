package review

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"adsync/state/kv"
)

// fileName is the record beside the state of an account.
const fileName = "review.json"

const (
	fileVersion = 1
	largestFile = 256 << 20
)

type file struct {
	FormatVersion int `json:"format_version"`
	Record
}

// Load reads the record of an account; an empty one where there is none.
func Load(s kv.Store) (*Record, error) {
	content, err := s.Get(fileName, largestFile)
	if errors.Is(err, fs.ErrNotExist) {
		return &Record{}, nil
	}
	if err != nil {
		return &Record{}, err
	}
	var f file
	if err := json.Unmarshal(content, &f); err != nil || f.FormatVersion != fileVersion {
		return &Record{},
			fmt.Errorf("%s cannot be read, or is of another adsync: what the reviews said is asked anew",
				s.Where(fileName))
	}
	for address, s := range f.Ads {
		if s == nil {
			delete(f.Ads, address)
		}
	}
	return &f.Record, nil
}

// Save puts the record in the place of the one there is, as a whole or not at all.
func (r *Record) Save(to kv.Store) error {
	kept := *r
	kept.Ads = make(map[string]*Standing, len(r.Ads))
	for address, s := range r.Ads {
		if s.State() == Approved && s.Told == "" { // of most ads there is no more to say
			short := *s
			short.Name, short.In = "", ""
			s = &short
		}
		kept.Ads[address] = s
	}
	content, err := json.Marshal(file{fileVersion, kept})
	if err != nil {
		return err
	}
	return to.Put(fileName, append(content, '\n'))
}
