package conversions

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Fate is what became of a batch.
type Fate string

// The fates. A batch that is not in the journal was not sent.
const (
	Waiting Fate = ""
	Unknown Fate = "unknown" // it was sent, and no answer says what became of it
	Taken   Fate = "taken"
	Refused Fate = "refused" // nothing of it was taken
	Late    Fate = "late"    // too old by now, and not sent
	Left    Fate = "left"    // unknown, and somebody said to leave it so
)

// settled reports whether nothing is to be done about a batch any more.
func (f Fate) settled() bool { return f == Taken || f == Late || f == Left }

const journalVersion = 1

// head is the first line of a journal.
type head struct {
	Version    int    `json:"version"`
	Digest     string `json:"digest"` // of the file
	Path       string `json:"path"`   // the beginning of the SHA-256 of the file's path
	Pixel      string `json:"pixel"`
	PerRequest int    `json:"per_request"`
	Batches    int    `json:"batches"`
}

// entry is every other line.
type entry struct {
	Batch  int       `json:"batch"`
	Offset int       `json:"offset"` // line or row of its first event
	Last   int       `json:"last"`
	Events int       `json:"events"`
	Fate   Fate      `json:"fate"`
	Code   string    `json:"code,omitempty"`
	Row    int       `json:"row,omitempty"` // the event that it was refused for
	At     time.Time `json:"at"`
}

// Journal is what became of the batches of one file at one pixel. It has nothing of an event but the
// digest of the whole file and the rows of its batches. A line is on the disk before its batch is sent.
type Journal struct {
	head    head
	file    *os.File
	entries map[int]entry
}

// ErrChanged is a file of which a part was sent, and which is another now.
var ErrChanged = errors.New("the file is another than the one that was sent in part")

// OpenJournal opens the journal of a file at a pixel in a folder of the state, or begins one. A file
// of the same name that was sent in part, and is another now, is refused: what of it was sent before
// cannot be told.
func OpenJournal(folder, name, pixel string, s *Survey, perRequest int) (*Journal, error) {
	whole, err := filepath.Abs(name)
	if err != nil {
		return nil, err
	}
	path := sha256.Sum256([]byte(whole))
	j := &Journal{entries: map[int]entry{}, head: head{Version: journalVersion, Digest: s.Digest,
		Path: hex.EncodeToString(path[:8]), Pixel: pixel, PerRequest: perRequest, Batches: len(s.Batches)}}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	key := sha256.Sum256([]byte(s.Digest + "\x00" + pixel))
	at := filepath.Join(folder, hex.EncodeToString(key[:12])+".jsonl")
	if _, err := os.Stat(at); errors.Is(err, fs.ErrNotExist) {
		if err := j.alone(folder); err != nil {
			return nil, err
		}
	}
	if j.file, err = os.OpenFile(at, os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return nil, err
	}
	if err := j.load(s); err != nil {
		return nil, errors.Join(err, j.file.Close())
	}
	return j, nil
}

// Close closes the journal.
func (j *Journal) Close() error { return j.file.Close() }

// Fate is what became of a batch.
func (j *Journal) Fate(batch int) Fate { return j.entries[batch].Fate }

// alone looks through the other journals for one of the same file as it was.
func (j *Journal) alone(folder string) error {
	names, err := filepath.Glob(filepath.Join(folder, "*.jsonl"))
	if err != nil {
		return err
	}
	for _, name := range names {
		was := &Journal{entries: map[int]entry{}}
		if _, err := was.read(name); err != nil {
			return err
		}
		sent, open := 0, was.head.Batches-len(was.entries)
		for _, e := range was.entries {
			if e.Fate == Taken || e.Fate == Unknown {
				sent++
			}
			if !e.Fate.settled() {
				open++
			}
		}
		if was.head.Path == j.head.Path && was.head.Pixel == j.head.Pixel && sent > 0 && open > 0 {
			return fmt.Errorf("%w: %d of its %d batches were sent, and some not; want the file as it was (%s), "+
				"or the rows that did not go in a file of another name",
				ErrChanged, sent, was.head.Batches, was.head.Digest)
		}
	}
	return nil
}

// load reads what is there, or writes the first line.
func (j *Journal) load(s *Survey) error {
	want := j.head
	whole, err := j.read(j.file.Name())
	if err != nil {
		return err
	}
	if whole == 0 {
		j.head = want
		if err := j.file.Truncate(0); err != nil {
			return err
		}
		return errors.Join(j.write(j.head), j.file.Sync(), syncFolder(filepath.Dir(j.file.Name())))
	}
	if j.head.PerRequest != want.PerRequest {
		return fmt.Errorf("this file was sent before, by %d events a request; want --per-request %d again",
			j.head.PerRequest, j.head.PerRequest)
	}
	for _, b := range s.Batches {
		if e, there := j.entries[b.Number]; there && (e.Offset != b.First || e.Last != b.Last || e.Events != b.Events) {
			return errors.New("the journal of this file cut it otherwise; want the adsync that sent it first")
		}
	}
	// What an end without a line break began was not on the disk before it was sent, so it was not sent.
	if err := j.file.Truncate(whole); err != nil {
		return err
	}
	_, err = j.file.Seek(0, io.SeekEnd)
	return err
}

// read reads the lines of a journal that are whole, and returns how many bytes they have.
func (j *Journal) read(name string) (whole int64, err error) {
	content, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	in := bufio.NewReader(bytes.NewReader(content))
	for number := 1; ; number++ {
		text, err := in.ReadBytes('\n')
		if err != nil {
			return whole, nil // what follows the last line break
		}
		var e entry
		to := any(&e)
		if number == 1 {
			to = &j.head
		}
		if err := json.Unmarshal(text, to); err != nil {
			return 0, fmt.Errorf("line %d of the journal %s is damaged; want it as adsync wrote it", number, name)
		}
		if whole += int64(len(text)); number > 1 {
			j.entries[e.Batch] = e
		} else if j.head.Version != journalVersion {
			return 0, fmt.Errorf("the journal %s has version %d; want %d", name, j.head.Version, journalVersion)
		}
	}
}

// note writes what becomes of a batch. Unknown, which is written before it is sent, is on the disk then.
func (j *Journal) note(b Batch, fate Fate, code string, row int, at time.Time) error {
	e := entry{b.Number, b.First, b.Last, b.Events, fate, code, row, at.UTC()}
	if err := j.write(e); err != nil {
		return err
	}
	j.entries[b.Number] = e
	if fate == Unknown {
		return j.file.Sync()
	}
	return nil
}

func (j *Journal) write(line any) error {
	text, err := json.Marshal(line)
	if err != nil {
		return err
	}
	_, err = j.file.Write(append(text, '\n'))
	return err
}

func syncFolder(name string) error {
	folder, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
