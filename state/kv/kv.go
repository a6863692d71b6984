// Package kv keeps small named contents beside the state of one account: what people ordered and allowed, figures,
// what was told, results that wait.
//
// It refuses to know what a content means. Its invariant: what a call acknowledged is there whole for every process,
// after a power cut too.
package kv

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// Store keeps contents by name. Any process reads and writes them at any time, whoever has the state. A name is a
// path with slashes in which no part begins with a dot.
type Store interface {
	// Get returns a content of so many bytes at most. It is fs.ErrNotExist where there is none, and any other error
	// where something may be there all the same.
	Get(name string, most int) ([]byte, error)
	Put(name string, content []byte) error
	// Secret returns the content that was put there first: fresh, where there was none and fresh is not nil. Who makes
	// it at the same time gets the same. Only the owner of the state may read it.
	Secret(name string, fresh []byte) ([]byte, error)
	// Append adds a line to a content.
	Append(name string, line []byte) error
	// Rewrite puts what change returns in the place of a content, unless it is nil. No line is lost that somebody
	// appends meanwhile. Where there is no content change is given nil. It may be asked again.
	Rewrite(name string, change func(content []byte) []byte) error
	// Delete takes a content away, and of a name that ends in a slash all beneath it. There may be none.
	Delete(name string) error
	// Names returns the names that begin so, in the order of their bytes.
	Names(prefix string) ([]string, error)
	// Where returns what people call the place of a content, "" of all.
	Where(name string) string
}

// Most is how many bytes a content has at most.
const Most = 1 << 30

// Lines returns the lines of a content that are JSON, the oldest first. Others are passed over: a power cut may have
// cut one off.
func Lines[T any](s Store, name string) (all []T, err error) {
	content, err := s.Get(name, Most)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for line := range bytes.Lines(content) {
		var one T
		if json.Unmarshal(line, &one) == nil {
			all = append(all, one)
		}
	}
	return all, err
}

// AppendJSON adds a value as a line of JSON.
func AppendJSON(s Store, name string, value any) error {
	line, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return s.Append(name, line)
}

// checkName refuses a name that no store takes.
func checkName(name string) error {
	if !fs.ValidPath(name) || strings.HasPrefix(name, ".") || strings.Contains(name, "/.") {
		return fmt.Errorf("%q names no content; want a path in which no part begins with a dot", name)
	}
	return nil
}

// checkLine refuses what is more than a line.
func checkLine(line []byte) error {
	if bytes.IndexByte(line, '\n') >= 0 {
		return errors.New("a line holds an end of line; want one line")
	}
	return nil
}
