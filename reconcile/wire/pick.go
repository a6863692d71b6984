package wire

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"adsync/internal/resource"
)

// readFields reads the fields of a record that attributes and facts of a schema name, and no other: accounts have
// as many records as resources, and most of what stands in each is read by nobody.
func readFields(schema *resource.Schema, record json.RawMessage) (map[string]any, error) {
	return read(picking{schema: schema, text: record})
}

// readFacts is readFields of the facts alone.
func readFacts(schema *resource.Schema, record json.RawMessage) (map[string]any, error) {
	return read(picking{schema: schema, text: record, factsAlone: true})
}

func read(p picking) (map[string]any, error) {
	if !json.Valid(p.text) || p.next() != '{' {
		return Object(p.text)
	}
	return p.object(""), p.failure
}

// picking goes through valid JSON once.
type picking struct {
	schema     *resource.Schema
	factsAlone bool
	text       []byte
	at         int
	failure    error
}

// next returns what comes after blanks and separators.
func (p *picking) next() byte {
	for strings.IndexByte(" \t\r\n,:", p.text[p.at]) >= 0 {
		p.at++
	}
	return p.text[p.at]
}

// object reads what is named of an object that stands at a path: "" or one that ends with a dot.
func (p *picking) object(around string) map[string]any {
	fields := map[string]any{}
	p.at++
	for p.next() != '}' {
		path := p.named(around, p.key(p.skip()))
		opens := p.next() == '{'
		switch name, within := strings.CutSuffix(path, "."); {
		case path == "":
			p.skip()
		case within && opens:
			fields[name[len(around):]] = p.object(path)
		default:
			fields[name[len(around):]] = p.value()
		}
	}
	p.at++
	return fields
}

// key returns a name without its quotes.
func (p *picking) key(quoted []byte) []byte {
	if verbatim(quoted) {
		return quoted[1 : len(quoted)-1]
	}
	var key string
	if err := json.Unmarshal(quoted, &key); err != nil {
		p.failure = err
	}
	return []byte(key)
}

// named returns the path of a field in the words of the schema, with a dot at the end where only
// fields within it are named; "" where it is not.
func (p *picking) named(around string, key []byte) string {
	f := sought{around: around, key: key}
	for i := range p.schema.Facts {
		f.see(p.schema.Facts[i].Path)
		f.see(p.schema.Facts[i].Detail)
	}
	if p.factsAlone {
		return f.path
	}
	for _, attributes := range [...][]resource.Attribute{p.schema.Attributes, p.schema.Noted} {
		for i := range attributes {
			f.see(attributes[i].Wire.Path)
			for _, path := range attributes[i].Wire.Same {
				f.see(path)
			}
		}
	}
	f.see(p.schema.ParentWire)
	return f.path
}

// sought is a field of an object in a record, as the schema is asked for it.
type sought struct {
	around string
	key    []byte
	path   string
}

// see takes a path that the schema names. One that ends at the field goes before those that go on within it.
func (f *sought) see(path string) {
	rest, here := strings.CutPrefix(path, f.around)
	switch {
	case !here || path == "" || !strings.HasPrefix(rest, string(f.key)):
	case len(rest) == len(f.key):
		f.path = path
	case rest[len(f.key)] == '.' && f.path == "":
		f.path = path[:len(f.around)+len(f.key)+1]
	}
}

// value reads a value with all that stands in it.
func (p *picking) value() any {
	text := p.skip()
	switch {
	case text[0] == 'n':
		return nil
	case text[0] == 't', text[0] == 'f':
		return text[0] == 't'
	case verbatim(text):
		return string(text[1 : len(text)-1])
	case text[0] != '"' && text[0] != '{' && text[0] != '[':
		return json.Number(text)
	}
	value, err := readValue(text)
	if err != nil {
		p.failure = err
	}
	return value
}

// verbatim reports whether a text says itself between its quotes.
func verbatim(text []byte) bool {
	return text[0] == '"' && bytes.IndexByte(text, '\\') < 0 && utf8.Valid(text)
}

// skip goes past a value and returns it.
func (p *picking) skip() []byte {
	from, depth := p.at, 0
	for {
		switch p.text[p.at] {
		case '"':
			p.skipText()
		case '{', '[':
			depth++
			p.at++
		case '}', ']':
			depth--
			p.at++
		default:
			p.skipWord(depth)
		}
		if depth == 0 {
			return p.text[from:p.at]
		}
	}
}

func (p *picking) skipText() {
	for p.at++; p.text[p.at] != '"'; p.at++ {
		if p.text[p.at] == '\\' {
			p.at++
		}
	}
	p.at++
}

// skipWord goes past a number or a word, and within an object or a list past what separates.
func (p *picking) skipWord(depth int) {
	ends := `,:"{}[]` + " \t\r\n"
	if depth > 0 {
		ends = `"{}[]`
	}
	if n := bytes.IndexAny(p.text[p.at:], ends); n >= 0 {
		p.at += n
		return
	}
	p.at = len(p.text)
}
