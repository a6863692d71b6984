// Package ready keeps the last ready versions of workbooks beside the state of an account: what counts while a
// workbook is a draft. Its index, ready.json, leads from files to versions; contents lie beneath ready/ by their sums.
//
// It refuses to guess: a version that is too large to keep is forgotten, as is the one before it.
// Its invariant: a version that is known is there whole, with the bytes of its sum.
package ready

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"time"

	"adsync/sources/config"
	"adsync/state/kv"
)

const (
	indexName = "ready.json"
	folder    = "ready/"
	indexMost = 16 << 20 // bytes
	// totalMost is how many bytes of workbooks are kept of an account.
	totalMost = 128 << 20
)

// Kept are the versions of one account.
type Kept struct{ Store kv.Store }

type index struct {
	FormatVersion int                       `json:"format_version"`
	Files         map[string]config.Version `json:"files"` // by slash path
}

const formatVersion = 1

func (k Kept) index() (i index, err error) {
	content, err := k.Store.Get(indexName, indexMost)
	if errors.Is(err, fs.ErrNotExist) {
		return index{FormatVersion: formatVersion, Files: map[string]config.Version{}}, nil
	}
	if err == nil {
		err = json.Unmarshal(content, &i)
	}
	if err == nil && (i.FormatVersion != formatVersion || i.Files == nil) {
		err = fmt.Errorf("format_version is %d; want %d", i.FormatVersion, formatVersion)
	}
	if err != nil {
		return i, fmt.Errorf("read the last ready versions of workbooks: %s: %w", k.Store.Where(indexName), err)
	}
	return i, nil
}

// Version returns the last ready version of a file.
func (k Kept) Version(file string) (v config.Version, known bool, err error) {
	i, err := k.index()
	v, known = i.Files[file]
	return v, known, err
}

// Content returns the bytes of a version.
func (k Kept) Content(v config.Version) ([]byte, error) {
	content, err := k.Store.Get(folder+v.Sum, kv.Most)
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != v.Sum {
		return nil, fmt.Errorf("%s is damaged: its bytes are not those of its name", k.Store.Where(folder+v.Sum))
	}
	return content, nil
}

// Seen is what one reading of an account's files found.
type Seen struct {
	Ready  map[string]string   // sums of the workbooks that are ready, by slash path
	Paused map[string][]string // addresses of rows that each draft pauses, by slash path
}

// ErrMoved says that a file is another than what was read.
var ErrMoved = errors.New("file was saved again, or taken away, since it was read; want files that hold still")

// Note keeps what is ready, and what drafts pause, before anything of it is carried out. content reads a file; of one
// that is another by now, nothing may be carried out. tooLarge are the files of which no version is kept.
func (k Kept) Note(seen Seen, now time.Time, content func(file string) ([]byte, error)) (tooLarge []string, err error) {
	if len(seen.Ready)+len(seen.Paused) == 0 {
		return nil, nil
	}
	i, err := k.index()
	if err != nil {
		return nil, err
	}
	changed := false
	for _, file := range slices.Sorted(maps.Keys(seen.Ready)) {
		v, known := i.Files[file]
		if !known || v.Sum != seen.Ready[file] {
			delete(i.Files, file) // whatever becomes of this version, the one before it counts no more
			bytes, err := content(file)
			if sum := sha256.Sum256(bytes); err != nil || hex.EncodeToString(sum[:]) != seen.Ready[file] {
				return nil, fmt.Errorf("%s: %w", file, ErrMoved)
			}
			if !i.fits(seen, int64(len(bytes))) {
				tooLarge, changed = append(tooLarge, file), changed || known
				continue
			}
			if err := k.Store.Put(folder+seen.Ready[file], bytes); err != nil {
				return nil, fmt.Errorf("keep the ready version of %s: %w", file, err)
			}
			v = config.Version{Sum: seen.Ready[file], Bytes: int64(len(bytes)), At: now.UTC().Truncate(time.Second)}
		} else if len(v.Paused) == 0 {
			continue
		}
		v.Paused, changed = nil, true
		i.Files[file] = v
	}
	for file, paused := range seen.Paused {
		if v, known := i.Files[file]; known && !slices.Equal(v.Paused, paused) {
			v.Paused, changed = paused, true
			i.Files[file] = v
		}
	}
	if !changed {
		return tooLarge, nil
	}
	line, err := json.Marshal(i)
	if err == nil {
		err = k.Store.Put(indexName, line)
	}
	if err != nil {
		return nil, fmt.Errorf("keep the ready versions of workbooks: %w", err)
	}
	return tooLarge, k.drop(i)
}

// fits reports whether so many bytes more are kept. Versions of files that are not there any more make room.
func (i *index) fits(seen Seen, more int64) bool {
	total := more
	for _, v := range i.Files {
		total += v.Bytes
	}
	for _, file := range slices.Sorted(maps.Keys(i.Files)) {
		_, ready := seen.Ready[file]
		_, drafted := seen.Paused[file]
		if total > totalMost && !ready && !drafted {
			total -= i.Files[file].Bytes
			delete(i.Files, file)
		}
	}
	return total <= totalMost
}

// drop takes away the contents that no version has any more.
func (k Kept) drop(i index) error {
	names, err := k.Store.Names(folder)
	for _, name := range names {
		used := false
		for _, v := range i.Files {
			used = used || name == folder+v.Sum
		}
		if !used {
			err = errors.Join(err, k.Store.Delete(name))
		}
	}
	return err
}
