package csvfile

import (
	"strings"
	"unicode/utf8"

	"adsync/internal/diag"
)

// Field is one value of a record, and where it begins.
type Field struct {
	Text         string
	Line, Column int // its first character, the quote where it has one
	from, to     int // its bytes in the text, quotes included
}

// Record is one row: the fields of one line, or of several where a field holds
// line breaks.
type Record struct {
	Line      int // it begins in
	Fields    []Field
	End       Field // the place after its last field, without text
	Unclosed  bool  // the file ends with it, without a line break
	delimiter byte
	from, to  int // its bytes in the text, with its line break
}

// Walk visits the records that hold anything, blank lines left out. The record
// handed out is used again for the next. The error is a *Fault, or what visit
// gives.
func (t Text) Walk(delimiter byte, limits Limits, visit func(*Record) error) error {
	s := scanner{text: t.text, limits: limits, line: 1, column: 1}
	s.record.delimiter = delimiter
	for s.at < len(s.text) {
		if s.skipBlankLine() {
			continue
		}
		if f := s.readRecord(); f != nil {
			return f
		}
		if err := visit(&s.record); err != nil {
			return err
		}
	}
	return nil
}

type scanner struct {
	text         string
	at           int
	line, column int
	limits       Limits
	record       Record
}

func (s *scanner) skipBlankLine() bool {
	rest := s.text[s.at:]
	switch {
	case rest[0] == '\n':
		s.at++
	case strings.HasPrefix(rest, "\r\n"):
		s.at += 2
	default:
		return false
	}
	s.line++
	return true
}

// readRecord reads the fields up to the end of their line.
func (s *scanner) readRecord() *Fault {
	r := &s.record
	r.Line, r.Fields, r.Unclosed, r.from = s.line, r.Fields[:0], false, s.at
	for {
		field := Field{Line: s.line, Column: s.column, from: s.at}
		f := s.readField(&field)
		field.to = s.at
		if f == nil && len(field.Text) > s.limits.CellBytes {
			f = fault(diag.TooLarge, field.Line, field.Column, "look for a quote that is not closed",
				"value has %d bytes; want at most %d", len(field.Text), s.limits.CellBytes)
		}
		if f == nil && len(r.Fields) == s.limits.Columns {
			f = fault(diag.TooLarge, field.Line, field.Column, "look for a separator too many, or delete empty columns",
				"row has over %d columns; want at most that", s.limits.Columns)
		}
		if f != nil {
			return f
		}
		r.Fields = append(r.Fields, field)
		r.End = Field{Line: s.line, Column: s.column}
		if s.at == len(s.text) {
			r.Unclosed, r.to = true, s.at
			return nil
		}
		if s.text[s.at] == r.delimiter {
			s.at++
			s.column++
			continue
		}
		f = s.endRecord()
		r.to = s.at
		return f
	}
}

// endRecord passes over the line break that ends a record.
func (s *scanner) endRecord() *Fault {
	if s.text[s.at] == '\r' {
		s.at++
		if s.at < len(s.text) && s.text[s.at] != '\n' {
			return fault(diag.Syntax, s.line, s.column,
				"save the file anew", "a carriage return stands alone; want each line ended the same way")
		}
	}
	if s.at < len(s.text) {
		s.at++
	}
	s.line, s.column = s.line+1, 1
	return nil
}

// readField reads one field and stops before the delimiter or line break.
func (s *scanner) readField(field *Field) *Fault {
	if s.at < len(s.text) && s.text[s.at] == '"' {
		return s.readQuoted(field)
	}
	rest := s.text[s.at:]
	end := fieldEnd(rest, s.record.delimiter)
	field.Text = rest[:end]
	if quote := strings.IndexByte(field.Text, '"'); quote >= 0 && !isWrapped(field.Text) {
		column := s.column + utf8.RuneCountInString(field.Text[:quote])
		return fault(diag.Syntax, s.line, column, `put the whole value in quotes and double each quote `+
			`in it: "10"" wheel"`, "a quote stands inside a value that does not begin with one; want it doubled")
	}
	s.at += end
	s.column += utf8.RuneCountInString(field.Text)
	return nil
}

// fieldEnd is the length of a value without quotes.
func fieldEnd(text string, delimiter byte) int {
	for i := range len(text) {
		if c := text[i]; c == delimiter || c == '\n' || c == '\r' {
			return i
		}
	}
	return len(text)
}

// readQuoted reads a value in quotes. Line breaks in it become line feeds.
func (s *scanner) readQuoted(field *Field) *Fault {
	s.at++
	s.column++
	var pieces strings.Builder
	for from := s.at; ; {
		i := strings.IndexByte(s.text[s.at:], '"')
		if i < 0 {
			return fault(diag.Syntax, field.Line, field.Column, "close it, or double it if it belongs to the text",
				"a quote is opened here and never closed; want it closed")
		}
		s.pass(s.text[s.at : s.at+i+1])
		if s.at < len(s.text) && s.text[s.at] == '"' {
			pieces.WriteString(s.text[from:s.at])
			s.at++
			s.column++
			from = s.at
			continue
		}
		field.Text = s.text[from : s.at-1]
		if pieces.Len() > 0 {
			pieces.WriteString(field.Text)
			field.Text = pieces.String()
		}
		field.Text = strings.ReplaceAll(field.Text, "\r\n", "\n")
		return s.wantEnd()
	}
}

// pass moves over text that may hold line feeds.
func (s *scanner) pass(text string) {
	s.at += len(text)
	if last := strings.LastIndexByte(text, '\n'); last >= 0 {
		s.line += strings.Count(text, "\n")
		s.column = 1
		text = text[last+1:]
	}
	s.column += utf8.RuneCountInString(text)
}

// wantEnd refuses text after the quote that closes a value.
func (s *scanner) wantEnd() *Fault {
	if s.at == len(s.text) {
		return nil
	}
	if c := s.text[s.at]; c == s.record.delimiter || c == '\n' || c == '\r' {
		return nil
	}
	return fault(diag.Syntax, s.line, s.column, `double each quote that belongs to the text: "10"" wheel"`,
		"text follows the quote that closes a value; want a %s or the end of the line",
		DelimiterName(s.record.delimiter))
}
