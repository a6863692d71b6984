package emulator

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// places is where the fields of a JSON text begin: accounts[0].timezone is at
// byte 118.
type places map[string]int64

// misplaced is a problem and the byte it is at.
type misplaced struct {
	offset  int64
	message string
}

// maxDepth of a seed file; its own is 4.
const maxDepth = 64

// placesOf walks a JSON text. Its problems are fields that are there twice, or
// the one for which the text is not readable.
func placesOf(text []byte) (found places, problems []misplaced, readable bool) {
	var whole json.RawMessage
	if err := json.Unmarshal(text, &whole); err != nil {
		return nil, []misplaced{misplace(text, err)}, false
	}
	w := walker{text: text, decoder: json.NewDecoder(bytes.NewReader(text)), places: places{}}
	if err := w.value("", 0); err != nil {
		return nil, []misplaced{{w.next(), err.Error()}}, false
	}
	return w.places, w.twice, true
}

func misplace(text []byte, err error) misplaced {
	syntax := (*json.SyntaxError)(nil)
	switch {
	case !errors.As(err, &syntax):
		return misplaced{0, err.Error()}
	case strings.Contains(syntax.Error(), "unexpected end"):
		return misplaced{int64(len(text)), "the text ends too early; want one JSON object"}
	}
	return misplaced{max(0, syntax.Offset-1), syntax.Error()}
}

type walker struct {
	text    []byte
	decoder *json.Decoder
	places  places
	twice   []misplaced
}

// next is where the next token begins.
func (w *walker) next() int64 {
	at := w.decoder.InputOffset()
	for at < int64(len(w.text)) && strings.IndexByte(" \t\r\n,:", w.text[at]) >= 0 {
		at++
	}
	return at
}

// value walks one value. path names it.
func (w *walker) value(path string, depth int) error {
	if _, there := w.places[path]; !there {
		w.places[path] = w.next()
	}
	if depth > maxDepth {
		return fmt.Errorf("values are nested deeper than %d", maxDepth)
	}
	token, err := w.decoder.Token()
	if err != nil {
		return err
	}
	switch token {
	case json.Delim('{'):
		err = w.object(path, depth)
	case json.Delim('['):
		err = w.array(path, depth)
	default:
		return nil
	}
	if err != nil {
		return err
	}
	_, err = w.decoder.Token()
	return err
}

func (w *walker) object(path string, depth int) error {
	seen := map[string]bool{}
	for w.decoder.More() {
		at := w.next()
		token, err := w.decoder.Token()
		if err != nil {
			return err
		}
		key := fmt.Sprint(token)
		if seen[key] {
			w.twice = append(w.twice, misplaced{at, fmt.Sprintf("field %q is there twice; want it once", key)})
		}
		seen[key] = true
		if path != "" {
			key = path + "." + key
		}
		w.places[key] = at
		if err := w.value(key, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (w *walker) array(path string, depth int) error {
	for i := 0; w.decoder.More(); i++ {
		if err := w.value(fmt.Sprintf("%s[%d]", path, i), depth+1); err != nil {
			return err
		}
	}
	return nil
}

// of is where a field begins, or what it is missing from.
func (p places) of(path string) int64 {
	for path != "" {
		if at, ok := p[path]; ok {
			return at
		}
		path = path[:max(0, strings.LastIndexAny(path, ".["))]
	}
	return p[""]
}

// position is line:column of a byte, both from 1; columns count characters.
func position(text []byte, offset int64) string {
	before := text[:min(offset, int64(len(text)))]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
	return fmt.Sprintf("%d:%d", line, column)
}
