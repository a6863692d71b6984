package xlsx

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// xmlToken is what an XML scanner stands on.
type xmlToken uint8

const (
	xmlEnd xmlToken = iota // the end of the document
	xmlOpen
	xmlClose
	xmlText
)

// xmlScanner walks the XML of a workbook's part. It is far stricter than a decoder
// needs to be, because a part that reads shorter than it is would drop rows
// without a word: UTF-8 only, no document type, no entities but the five of
// XML, every element closed by its own name, one root, nothing after it. An
// element holds text or elements, never both: no part of a workbook mixes them,
// and a tag whose first character is damaged would be text among elements.
type xmlScanner struct {
	data  []byte
	pos   int
	open  [][]byte  // full names of the open elements
	holds []holding // what each of them holds so far
	attrs []xmlAttribute
	name  []byte // local name of the element the scanner stands on
	text  []byte // raw text of a xmlText
	cdata bool   // text is a CDATA section: no entities in it
	close bool   // the element just opened was empty: its end comes next
	root  bool   // the root was seen
}

// holding is what an element has in it.
type holding uint8

const (
	holdsNothing holding = iota
	holdsText
	holdsElements
)

var errMixed = errors.New("XML has text among elements")

// hold notes what the innermost open element has in it.
func (s *xmlScanner) hold(what holding) error {
	last := len(s.holds) - 1
	if last < 0 || s.holds[last] == what {
		return nil
	}
	if s.holds[last] != holdsNothing {
		return errMixed
	}
	s.holds[last] = what
	return nil
}

// gotText is the token of a text; blank ones stand anywhere.
func (s *xmlScanner) gotText() (xmlToken, error) {
	if len(bytes.TrimSpace(s.text)) == 0 {
		return xmlText, nil
	}
	return xmlText, s.hold(holdsText)
}

type xmlAttribute struct{ name, value []byte }

// newScanner checks the bytes as a whole before the first token.
func newScanner(data []byte) (*xmlScanner, error) {
	data = bare(data)
	if !utf8.Valid(data) {
		return nil, fmt.Errorf("text is not UTF-8")
	}
	for _, c := range data {
		if c < ' ' && c != '\n' && c != '\t' && c != '\r' {
			return nil, fmt.Errorf("text holds the control character %#x", c)
		}
	}
	s := &xmlScanner{data: data}
	return s, s.declaration()
}

// bare is a part without its byte order mark.
func bare(data []byte) []byte { return bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")) }

func (s *xmlScanner) declaration() error {
	if !bytes.HasPrefix(s.data, []byte("<?xml")) {
		return nil
	}
	end := bytes.Index(s.data, []byte("?>"))
	if end < 0 {
		return fmt.Errorf("XML declaration is cut")
	}
	declaration := strings.ToLower(string(s.data[:end]))
	s.pos = end + 2
	_, encoding, given := strings.Cut(declaration, "encoding")
	encoding = strings.TrimLeft(encoding, " \t\r\n=\"'")
	if given && !strings.HasPrefix(encoding, "utf-8") && !strings.HasPrefix(encoding, "us-ascii") {
		return fmt.Errorf("XML encoding is not UTF-8")
	}
	return nil
}

// next moves to the next token.
func (s *xmlScanner) next() (xmlToken, error) {
	if s.close {
		s.close = false
		return xmlClose, s.pop(s.open[len(s.open)-1])
	}
	for s.pos < len(s.data) {
		if s.data[s.pos] != '<' {
			s.takeText()
			if len(s.open) > 0 {
				return s.gotText()
			}
			if len(bytes.TrimSpace(s.text)) > 0 {
				return xmlEnd, fmt.Errorf("XML has text outside its element")
			}
			continue
		}
		kind, err := s.markup()
		if err != nil || kind != xmlEnd {
			return kind, err
		}
	}
	switch {
	case len(s.open) > 0:
		return xmlEnd, fmt.Errorf("XML ends inside <%s>", s.open[len(s.open)-1])
	case !s.root:
		return xmlEnd, fmt.Errorf("XML has no element")
	}
	return xmlEnd, nil
}

// takeText reads up to the next markup.
func (s *xmlScanner) takeText() {
	end := bytes.IndexByte(s.data[s.pos:], '<')
	if end < 0 {
		end = len(s.data) - s.pos
	}
	s.text, s.cdata = s.data[s.pos:s.pos+end], false
	s.pos += end
}

// markup reads what a '<' begins; xmlEnd is a comment or an instruction.
func (s *xmlScanner) markup() (xmlToken, error) {
	rest := s.data[s.pos:]
	switch {
	case bytes.HasPrefix(rest, []byte("</")):
		return s.endTag()
	case bytes.HasPrefix(rest, []byte("<!--")):
		return xmlEnd, s.skip("<!--", "-->")
	case bytes.HasPrefix(rest, []byte("<?")):
		return xmlEnd, s.skip("<?", "?>")
	case bytes.HasPrefix(rest, []byte("<![CDATA[")):
		begin := s.pos + len("<![CDATA[")
		if err := s.skip("<![CDATA[", "]]>"); err != nil {
			return xmlEnd, err
		}
		s.text, s.cdata = s.data[begin:s.pos-3], true
		return s.gotText()
	case bytes.HasPrefix(rest, []byte("<!")):
		return xmlEnd, fmt.Errorf("XML has a document type; want none")
	}
	return s.startTag()
}

func (s *xmlScanner) skip(begin, end string) error {
	i := bytes.Index(s.data[s.pos+len(begin):], []byte(end))
	if i < 0 {
		return fmt.Errorf("XML ends inside %s", begin)
	}
	s.pos += len(begin) + i + len(end)
	return nil
}

func (s *xmlScanner) endTag() (xmlToken, error) {
	i := bytes.IndexByte(s.data[s.pos:], '>')
	if i < 0 {
		return xmlEnd, fmt.Errorf("XML ends inside a tag")
	}
	name := bytes.TrimRight(s.data[s.pos+2:s.pos+i], " \t\r\n")
	s.pos += i + 1
	return xmlClose, s.pop(name)
}

func (s *xmlScanner) pop(name []byte) error {
	last := len(s.open) - 1
	if last < 0 || !bytes.Equal(s.open[last], name) {
		return fmt.Errorf("XML closes %q where it is not open", name)
	}
	s.open, s.holds = s.open[:last], s.holds[:last]
	s.name = localName(name)
	return nil
}

func (s *xmlScanner) startTag() (xmlToken, error) {
	if s.root && len(s.open) == 0 {
		return xmlEnd, fmt.Errorf("XML goes on after its end")
	}
	s.pos++
	name := s.takeName()
	if len(name) == 0 {
		return xmlEnd, fmt.Errorf("XML has a tag without a name")
	}
	if err := s.attributes(); err != nil {
		return xmlEnd, err
	}
	if len(s.open) >= maxXMLDepth {
		return xmlEnd, beyond(saveAnew, "", "XML is nested more than %d deep; want at most so much", maxXMLDepth)
	}
	if err := s.hold(holdsElements); err != nil {
		return xmlEnd, err
	}
	s.root = true
	s.open, s.holds = append(s.open, name), append(s.holds, holdsNothing)
	s.name = localName(name)
	return xmlOpen, nil
}

// Bounds of XML that every program's workbook stays far below.
const (
	maxXMLDepth   = 256
	maxAttributes = 256
)

// attributes reads up to the end of the start tag.
func (s *xmlScanner) attributes() error {
	s.attrs = s.attrs[:0]
	for {
		spaced := s.skipSpace()
		if s.pos >= len(s.data) {
			return fmt.Errorf("XML ends inside a tag")
		}
		switch s.data[s.pos] {
		case '>':
			s.pos++
			return nil
		case '/':
			if s.pos+1 >= len(s.data) || s.data[s.pos+1] != '>' {
				return fmt.Errorf("XML has a stray / in a tag")
			}
			s.pos += 2
			s.close = true
			return nil
		}
		if !spaced {
			return fmt.Errorf("XML has attributes without a space between")
		}
		if err := s.attribute(); err != nil {
			return err
		}
	}
}

func (s *xmlScanner) attribute() error {
	name := s.takeName()
	s.skipSpace()
	if len(name) == 0 || s.pos >= len(s.data) || s.data[s.pos] != '=' {
		return fmt.Errorf("XML has an attribute without a value")
	}
	s.pos++
	s.skipSpace()
	if s.pos >= len(s.data) || s.data[s.pos] != '"' && s.data[s.pos] != '\'' {
		return fmt.Errorf("XML has an attribute without quotes")
	}
	i := bytes.IndexByte(s.data[s.pos+1:], s.data[s.pos])
	if i < 0 {
		return fmt.Errorf("XML ends inside an attribute")
	}
	value := s.data[s.pos+1 : s.pos+1+i]
	if bytes.IndexByte(value, '<') >= 0 {
		return fmt.Errorf("XML has < inside an attribute")
	}
	s.pos += i + 2
	if len(s.attrs) >= maxAttributes {
		return beyond(saveAnew, "", "XML has a tag with more than %d attributes; want at most so many", maxAttributes)
	}
	for _, a := range s.attrs {
		if bytes.Equal(a.name, name) {
			return fmt.Errorf("XML has the attribute %q twice", name)
		}
	}
	s.attrs = append(s.attrs, xmlAttribute{name, value})
	return nil
}

func (s *xmlScanner) skipSpace() bool {
	start := s.pos
	for s.pos < len(s.data) &&
		(s.data[s.pos] == ' ' || s.data[s.pos] == '\n' || s.data[s.pos] == '\t' || s.data[s.pos] == '\r') {
		s.pos++
	}
	return s.pos > start
}

func (s *xmlScanner) takeName() []byte {
	start := s.pos
	for s.pos < len(s.data) && nameByte[s.data[s.pos]] {
		s.pos++
	}
	name := s.data[start:s.pos]
	if len(name) > 0 && (name[0] == '-' || name[0] == '.' || name[0] >= '0' && name[0] <= '9') {
		return nil
	}
	return name
}

var nameByte = func() (table [256]bool) {
	for c := range table {
		table[c] = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' ||
			c >= '0' && c <= '9' || c == '_' || c == '-' || c == '.' || c == ':' || c >= 0x80
	}
	return table
}()

func localName(name []byte) []byte { return name[bytes.LastIndexByte(name, ':')+1:] }

// attr returns the raw value of an attribute without a prefix, nil where there is none.
func (s *xmlScanner) attr(name string) []byte {
	for _, a := range s.attrs {
		if string(a.name) == name {
			return a.value
		}
	}
	return nil
}

// attrText returns the decoded value of an attribute by its local name.
func (s *xmlScanner) attrText(name string) (string, error) {
	for _, a := range s.attrs {
		if string(localName(a.name)) == name {
			return unescapeXML(a.value)
		}
	}
	return "", nil
}
