// Package comments keeps what people say of a change and of a run, beside the state of an account.
//
// It refuses to be a way to change anything: a comment is plain text, of a bounded length, and no run reads it. Its
// invariant: only who wrote a comment takes it away.
package comments

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"adsync/internal/diag"
	"adsync/internal/words/catalogue"
	"adsync/state/kv"
)

// name is where they are kept, one a line.
const name = "comments.ndjson"

// Bounds of what is kept.
const (
	Longest = 2000 // characters of a comment
	most    = 2000 // comments of an account
	ofOne   = 500  // of them, of one person: nobody keeps others from saying something
)

// Why a comment is not taken, or not taken away.
var (
	ErrNone  error = catalogue.Text("failed.no-comment")
	ErrTheir error = catalogue.Text("failed.their-comment")
	ErrFull  error = full{}
)

// full is why an account takes no more.
type full struct{}

func (full) Error() string { return catalogue.Say("failed.comments-full", "n", most, "each", ofOne) }

// Comment is what somebody says of a change, by its address, or of a run.
type Comment struct {
	ID      string    `json:"id"`
	Time    time.Time `json:"time"`
	By      string    `json:"by"`
	Address string    `json:"address,omitempty"`
	Run     string    `json:"run,omitempty"`
	About   string    `json:"about,omitempty"` // what the change did as it was said
	Text    string    `json:"text"`            // lines of printable text
}

// Kept are the comments of an account.
type Kept struct{ kv.Store }

// All returns them, the oldest first.
func (k Kept) All() ([]Comment, error) {
	if k.Store == nil {
		return nil, nil
	}
	return kv.Lines[Comment](k.Store, name)
}

// Text returns what somebody wrote as it is kept, or what is wrong with it. Lines stay; what moves or hides other text
// is shown as what it is.
func Text(written string) (string, error) {
	var lines []string
	written = strings.NewReplacer("\r\n", "\n", "\t", "    ").Replace(written)
	for line := range strings.SplitSeq(written, "\n") {
		lines = append(lines, strings.TrimRight(diag.Printable(line), " "))
	}
	text := strings.Trim(strings.Join(lines, "\n"), "\n ")
	if n := utf8.RuneCountInString(text); n > Longest {
		return "", errors.New(catalogue.Say("failed.comment-long", "n", n, "most", Longest))
	}
	if text == "" {
		return "", catalogue.Text("failed.comment-empty")
	}
	return text, nil
}

// Add keeps a comment, and returns it with what names it.
func (k Kept) Add(c Comment) (Comment, error) {
	id := make([]byte, 8)
	rand.Read(id) // never fails: crypto/rand
	c.ID = hex.EncodeToString(id)
	line, err := json.Marshal(c)
	if err != nil {
		return c, err
	}
	full := false
	err = k.Rewrite(name, func(content []byte) []byte {
		all, own := 0, 0
		without(content, func(o *Comment) bool {
			if all++; o.By == c.By {
				own++
			}
			return false
		})
		if full = all >= most || own >= ofOne; full {
			return nil
		}
		if len(content) > 0 && content[len(content)-1] != '\n' { // a line that a power cut cut off
			content = append(bytes.Clone(content), '\n')
		}
		return append(append(bytes.Clone(content), line...), '\n')
	})
	if err == nil && full {
		err = ErrFull
	}
	return c, err
}

// Delete takes a comment away, by who wrote it.
func (k Kept) Delete(id, by string) error {
	var found error
	err := k.Rewrite(name, func(content []byte) []byte {
		found = ErrNone
		kept := without(content, func(c *Comment) bool {
			if c.ID != id {
				return false
			}
			if found = nil; c.By != by {
				found = ErrTheir
			}
			return found == nil
		})
		if found != nil {
			return nil
		}
		return kept
	})
	return errors.Join(err, found)
}

// Forget takes away those from before a time, and returns how many.
func (k Kept) Forget(before time.Time) (gone int, err error) {
	err = k.Rewrite(name, func(content []byte) []byte {
		gone = 0
		kept := without(content, func(c *Comment) bool {
			if c.Time.Before(before) {
				gone++
				return true
			}
			return false
		})
		if gone == 0 {
			return nil
		}
		return kept
	})
	return gone, err
}

// without leaves out the lines that are such comments. It is never nil.
func without(content []byte, is func(*Comment) bool) []byte {
	kept := []byte{}
	for line := range bytes.Lines(content) {
		var c Comment
		if json.Unmarshal(line, &c) == nil && is(&c) {
			continue
		}
		kept = append(kept, line...)
	}
	return kept
}
