package overspend

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"adsync/state/kv"
)

// Where what was found lies beside the figures, how large it may be, and for how many days a finding is known.
const (
	keptName  = "figures/overspend.json"
	largest   = 16 << 20
	knownDays = 7
)

const formatVersion = 1

type record struct {
	FormatVersion int       `json:"format_version"`
	Found         []Passing `json:"found"`
}

// Note takes in what was found now. It returns all that stands, each since it was seen first, and of it what is told
// to nobody yet; told is called with that before it is kept, so that a kill repeats it rather than loses it.
func Note(s kv.Store, found []Passing, now time.Time, told func(fresh []Passing)) (stands []Passing, _ error) {
	content, err := s.Get(keptName, largest)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var r record
	if json.Unmarshal(content, &r) != nil || r.FormatVersion != formatVersion {
		r = record{FormatVersion: formatVersion}
	}
	oldest := now.AddDate(0, 0, -knownDays).Format(time.DateOnly)
	r.Found = slices.DeleteFunc(r.Found, func(p Passing) bool { return p.Day < oldest })
	var fresh []Passing
	for _, p := range found {
		if at := slices.IndexFunc(r.Found, p.same); at >= 0 {
			p.Since = r.Found[at].Since
			r.Found[at] = p
		} else {
			r.Found, fresh = append(r.Found, p), append(fresh, p)
		}
		stands = append(stands, p)
	}
	slices.SortFunc(stands, func(a, b Passing) int {
		return cmp.Or(strings.Compare(b.Day, a.Day), strings.Compare(a.Name, b.Name), strings.Compare(a.ID, b.ID),
			strings.Compare(string(a.Rule), string(b.Rule)))
	})
	if len(fresh) > 0 {
		told(fresh)
	}
	if len(found) == 0 {
		return stands, nil
	}
	if content, err = json.Marshal(r); err == nil {
		err = s.Put(keptName, append(content, '\n'))
	}
	return stands, err
}

func (p Passing) same(o Passing) bool { return p.Rule == o.Rule && p.ID == o.ID && p.Day == o.Day }
