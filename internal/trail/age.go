package trail

import (
	"bytes"
	"encoding/json"
	"time"

	"adsync/internal/pattern"
	"adsync/state/kv"
)

// naming are the fields of what is kept that name people: who did something, what that
// person wrote about it, and where.
var naming = []string{"by", "from", "note", "reason", "link", "approved", "approved_by"}

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
var decision = pattern.Of(`((?: decided as |: (?:done|refused|unknown|not )).*?) by .*, ` +
	`([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]+Z)`)

// NamelessDecision returns what was decided or sent, and when, without who did.
func NamelessDecision(summary string) (string, bool) {
	without := decision.ReplaceAllString(summary, "$1, $2")
	return without, without != summary
}

// AgeLines takes the names of people out of the lines of a content that are of before a
// moment, and returns of how many. Each line is a JSON object with a time. The lines that
// stay as they are stay to the byte.
func AgeLines(s kv.Store, name string, before time.Time) (lines int, err error) {
	err = s.Rewrite(name, func(content []byte) (aged []byte) {
		lines = 0
		for line := range bytes.Lines(content) {
			var of struct{ Time time.Time }
			if json.Unmarshal(line, &of) == nil && !of.Time.IsZero() && of.Time.Before(before) {
				if without, named := Nameless(line); named {
					lines++
					line = append(without, '\n')
				}
			}
			aged = append(aged, line...)
		}
		if lines == 0 {
			return nil
		}
		return aged
	})
	return lines, err
}
