package trail

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"time"

	"github.com/google/renameio/v2"
)

// naming are the fields of what is kept that name people: who did something, and what
// that person wrote about it.
var naming = []string{"by", "note", "reason"}

// Nameless returns a JSON object without the fields that name people; false where it has
// none of them.
func Nameless(object []byte) ([]byte, bool) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(object, &fields) != nil {
		return object, false
	}
	named := false
	for _, name := range naming {
		if _, there := fields[name]; there {
			named = true
			delete(fields, name)
		}
	}
	if !named {
		return object, false
	}
	without, err := json.Marshal(fields)
	return without, err == nil
}

// decision is what stands of who decided an outcome, or ran a direct verb.
var decision = regexp.MustCompile(`((?: decided as |: (?:done|refused|unknown|not )).*?) by .*, ([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]+Z)`)

// NamelessDecision returns what was decided or sent, and when, without who did.
func NamelessDecision(summary string) (string, bool) {
	without := decision.ReplaceAllString(summary, "$1, $2")
	return without, without != summary
}

// errMoved says that a file was written to while it was read.
var errMoved = errors.New("somebody writes to it")

// AgeLines takes the names of people out of the lines of a file that are of before a
// moment, and returns of how many. Each line is a JSON object with a time. The lines that
// stay as they are stay to the byte.
func AgeLines(file string, before time.Time) (lines int, err error) {
	about, err := os.Lstat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err == nil && !about.Mode().IsRegular() {
		err = fmt.Errorf("%s is no plain file", file)
	}
	if err != nil {
		return 0, err
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	var aged bytes.Buffer
	for line := range bytes.Lines(content) {
		var of struct{ Time time.Time }
		if json.Unmarshal(line, &of) == nil && !of.Time.IsZero() && of.Time.Before(before) {
			if without, named := Nameless(line); named {
				lines++
				line = append(without, '\n')
			}
		}
		aged.Write(line)
	}
	if lines == 0 {
		return 0, nil
	}
	if now, err := os.Lstat(file); err != nil || now.Size() != int64(len(content)) {
		return 0, errors.Join(fmt.Errorf("%s: %w", file, errMoved), err)
	}
	return lines, renameio.WriteFile(file, aged.Bytes(), 0o600)
}
