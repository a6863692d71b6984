// Package yamlfmt puts YAML text in order: one indentation, one way of quoting,
// keys in an order somebody gives, and every comment where it belongs.
//
// It refuses to know what the text is for, and to touch text it cannot follow:
// anchors, tags, directives, line breaks only YAML knows. It writes no file.
//
// Its invariant is that the text says the same before and after, holds the same
// comments, and does not change when it is put in order again. The first two
// are checked on every text, not only in tests.
//
// Open document.go first (comments beside what they belong to), then write.go. scalar.go
// decides on quotes, order.go on the order of keys, same.go holds what was written against what
// was read. edit.go replaces values in place, text.go puts in parts of another text; fault.go and
// faultwords.go say what is wrong with a text in words.
package yamlfmt

import (
	"bytes"
	"fmt"
	"strings"

	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// Style is what a format decides beyond the common form.
type Style struct {
	// Order gives the order of a document's keys from the value of a key by its
	// name; nil leaves them as they are.
	Order func(value func(key string) string) *Order
	// Quoted says that a text in quotes keeps them although it needs none.
	Quoted func(text string) bool
}

// Order is the order of the keys of a mapping, and of those below them. The nil
// Order leaves keys as they are.
type Order struct {
	Keys  []string
	Last  []string          // keys that go after those that are not named
	Below map[string]*Order // of the mapping, or the mappings of the list, under a key
}

// Problem is why a text is left as it is.
type Problem struct {
	Line    int // from 1; 0 where it is no line's
	Column  int // from 1; 0 where it is the whole line
	Message string
	Hint    string
}

func (p *Problem) Error() string {
	if p.Line == 0 {
		return p.Message
	}
	return fmt.Sprintf("line %d: %s", p.Line, p.Message)
}

// Format returns the text in order. Line breaks of Windows are kept where every
// line has one; a byte order mark is dropped. Text that is not UTF-8 or does not
// parse is a *Problem.
func Format(content []byte, style Style) ([]byte, error) {
	text := strings.TrimPrefix(string(content), "\ufeff")
	windows := strings.Contains(text, "\r\n") && strings.Count(text, "\r\n") == strings.Count(text, "\n")
	text = strings.ReplaceAll(text, "\r\n", "\n")
	documents, err := parse(text)
	if err != nil {
		return nil, err
	}
	w := &writer{style: style}
	for _, d := range documents {
		w.document(d)
	}
	formatted := w.text()
	if err := same(documents, text, formatted); err != nil {
		return nil, err
	}
	if windows {
		return bytes.ReplaceAll([]byte(formatted), []byte("\n"), []byte("\r\n")), nil
	}
	return []byte(formatted), nil
}

// Inline writes a JSON value on one line in the form Format gives it, between
// brackets, and false where YAML would read it as another value.
func Inline(json string) (string, bool) {
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(json), &document); err != nil || len(document.Content) != 1 {
		return "", false
	}
	text := (&writer{}).flow(document.Content[0], nil)
	var again yaml.Node
	if err := yaml.Unmarshal([]byte(text), &again); err != nil || !equal(&document, &again) {
		return "", false
	}
	return text, true
}
