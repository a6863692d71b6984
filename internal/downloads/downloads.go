// Package downloads keeps which versions of an account's files people downloaded, beside its state: what a file that
// comes back began as. Its index, downloads.json, leads from people and files to versions; contents lie beneath
// downloads/ by their sums.
//
// It refuses to guess: of somebody who downloaded nothing it knows nothing, and a version for which there is no room
// has no content. Its invariant: a content that is known is there whole, with the bytes of its sum.
package downloads

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"time"

	"adsync/state/kv"
)

const (
	indexName     = "downloads.json"
	folder        = "downloads/"
	indexMost     = 16 << 20 // bytes
	formatVersion = 1
)

// Bounds of what is kept of an account.
const (
	lasts       = 31 * 24 * time.Hour
	bytesMost   = 64 << 20
	allMost     = 2_000
	ofAFileMost = 4  // versions of a file that one person has
	sentMost    = 50 // sums of what was sent of a version
)

// Version is one that somebody downloaded.
type Version struct {
	Who   string    `json:"who"`  // a digest: no name is kept
	File  string    `json:"file"` // slash path
	Sum   string    `json:"sum"`
	At    time.Time `json:"at"`              // when they did so last
	Bytes int64     `json:"bytes,omitempty"` // of its content; 0 where that is not kept
	// Sent are the sums of what they sent of it as it was: where the file is one of these, nobody else changed it.
	Sent []string `json:"sent,omitempty"`
}

// Kept are the versions of one account. One process notes them at a time.
type Kept struct {
	Store kv.Store
	mu    sync.Mutex
}

type index struct {
	FormatVersion int       `json:"format_version"`
	Versions      []Version `json:"versions"` // the newest first
}

func (k *Kept) index() (i index, err error) {
	content, err := k.Store.Get(indexName, indexMost)
	if errors.Is(err, fs.ErrNotExist) {
		return index{FormatVersion: formatVersion}, nil
	}
	if err == nil {
		err = json.Unmarshal(content, &i)
	}
	if err == nil && i.FormatVersion != formatVersion {
		err = fmt.Errorf("format_version is %d; want %d", i.FormatVersion, formatVersion)
	}
	if err != nil {
		return i, fmt.Errorf("read what was downloaded: %s: %w", k.Store.Where(indexName), err)
	}
	return i, nil
}

// Note keeps that somebody downloaded a file.
func (k *Kept) Note(who, file string, content []byte, now time.Time) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	i, err := k.index()
	if err != nil {
		return err
	}
	sum := sha256.Sum256(content)
	v := Version{Who: who, File: file, Sum: hex.EncodeToString(sum[:]), At: now.UTC().Truncate(time.Second),
		Bytes: int64(len(content))}
	if n := slices.IndexFunc(i.Versions, v.same); n >= 0 {
		v.Sent = i.Versions[n].Sent
	}
	there := slices.ContainsFunc(i.Versions, func(o Version) bool { return o.Sum == v.Sum && o.Bytes > 0 })
	i.Versions = append([]Version{v}, slices.DeleteFunc(i.Versions, v.same)...)
	i.bound(now.Add(-lasts))
	if i.Versions[0].Bytes > 0 && !there {
		if err := k.Store.Put(folder+v.Sum, content); err != nil {
			return fmt.Errorf("keep what was downloaded: %w", err)
		}
	}
	return k.put(i)
}

// Sent notes that somebody sent a file of a sum that began as a version of theirs.
func (k *Kept) Sent(v Version, sum string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	i, err := k.index()
	if err != nil {
		return err
	}
	n := slices.IndexFunc(i.Versions, v.same)
	if n < 0 || slices.Contains(i.Versions[n].Sent, sum) {
		return nil
	}
	sent := append(i.Versions[n].Sent, sum)
	i.Versions[n].Sent = sent[max(0, len(sent)-sentMost):]
	return k.put(i)
}

// Of returns the versions of a file that somebody downloaded, the newest first.
func (k *Kept) Of(who, file string, now time.Time) (of []Version, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	i, err := k.index()
	for _, v := range i.Versions {
		if v.Who == who && v.File == file && now.Sub(v.At) < lasts {
			of = append(of, v)
		}
	}
	return of, err
}

// Content returns the bytes of a version; nil where they are not kept.
func (k *Kept) Content(v Version) ([]byte, error) {
	if v.Bytes == 0 {
		return nil, nil
	}
	content, err := k.Store.Get(folder+v.Sum, bytesMost)
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != v.Sum {
		return nil, fmt.Errorf("%s is damaged: its bytes are not those of its name", k.Store.Where(folder+v.Sum))
	}
	return content, nil
}

func (v *Version) same(o Version) bool { return o.Who == v.Who && o.File == v.File && o.Sum == v.Sum }

// bound lets go of what is too old or too much. The newest versions have their contents.
func (i *index) bound(before time.Time) {
	files := map[[2]string]int{}
	i.Versions = slices.DeleteFunc(i.Versions, func(v Version) bool {
		key := [2]string{v.Who, v.File}
		files[key]++
		return v.At.Before(before) || files[key] > ofAFileMost
	})
	i.Versions = i.Versions[:min(len(i.Versions), allMost)]
	held, room := map[string]bool{}, int64(bytesMost)
	for n := range i.Versions {
		v := &i.Versions[n]
		if v.Bytes == 0 || held[v.Sum] {
			continue
		}
		if room < v.Bytes {
			v.Bytes = 0
			continue
		}
		held[v.Sum], room = true, room-v.Bytes
	}
}

// put keeps the index, and drops the contents that no version has any more.
func (k *Kept) put(i index) error {
	line, err := json.Marshal(i)
	if err == nil {
		err = k.Store.Put(indexName, line)
	}
	if err != nil {
		return fmt.Errorf("keep what was downloaded: %w", err)
	}
	names, err := k.Store.Names(folder)
	for _, name := range names {
		if !slices.ContainsFunc(i.Versions, func(v Version) bool { return v.Bytes > 0 && folder+v.Sum == name }) {
			err = cmp.Or(err, k.Store.Delete(name))
		}
	}
	return err
}
