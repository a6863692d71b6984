package members

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// maxRecord is how many bytes one line, or what quotes hold together, may have.
const maxRecord = 1 << 20

// recordReader cuts CSV into records, one at a time. A quote opens a value only
// as its first character, so that ="+49…" is read as it is written; one that is
// open at the end of the file, or goes on after its end, is a fault.
type recordReader struct {
	in        *bufio.Reader
	delimiter byte
	line      int // the record last read begins in; blank lines are records
	next      int // line that the next one begins in
	text      []byte
	ends      []int // of the fields in text
}

// read returns the fields of the next record, good until the next call; io.EOF
// after the last.
func (r *recordReader) read() ([][]byte, error) {
	r.line = r.next
	r.text, r.ends = r.text[:0], r.ends[:0]
	for {
		ended, err := r.field()
		if err != nil {
			return nil, err
		}
		r.ends = append(r.ends, len(r.text))
		if ended {
			return r.fields(), nil
		}
	}
}

func (r *recordReader) fields() [][]byte {
	fields, from := make([][]byte, len(r.ends)), 0
	for i, end := range r.ends {
		fields[i], from = r.text[from:end], end
	}
	return fields
}

// field reads one value; ended says that the record ends with it.
func (r *recordReader) field() (ended bool, err error) {
	start, quoted := len(r.text), false
	for {
		c, err := r.in.ReadByte()
		if err != nil {
			return true, r.end(err, quoted)
		}
		switch {
		case quoted && c != r.delimiter && c != '\r' && c != '\n':
			return true, r.badQuote()
		case c == '"' && len(r.text) == start && !quoted:
			quoted = true
			if err := r.quoted(); err != nil {
				return true, err
			}
		case c == r.delimiter:
			return false, nil
		case c == '\n':
			r.next++
			if !quoted && len(r.text) > start && r.text[len(r.text)-1] == '\r' {
				r.text = r.text[:len(r.text)-1]
			}
			return true, nil
		case !quoted:
			r.text = append(r.text, c)
			if len(r.text) > maxRecord {
				return true, r.tooLong()
			}
		}
	}
}

// end is nil where the file ends with a record, not behind one.
func (r *recordReader) end(err error, quoted bool) error {
	if errors.Is(err, io.EOF) && (len(r.ends) > 0 || len(r.text) > 0 || quoted) {
		return nil
	}
	return err
}

// quoted reads up to the quote that closes a value.
func (r *recordReader) quoted() error {
	for {
		c, err := r.in.ReadByte()
		if errors.Is(err, io.EOF) {
			return r.badQuote()
		}
		if err != nil {
			return err
		}
		if c == '"' {
			if following, err := r.in.Peek(1); err != nil || following[0] != '"' {
				return nil
			}
			if _, err := r.in.Discard(1); err != nil {
				return err
			}
		}
		if c == '\n' {
			r.next++
		}
		if r.text = append(r.text, c); len(r.text) > maxRecord {
			return r.tooLong()
		}
	}
}

func (r *recordReader) badQuote() error {
	return fault(r.line, "a quote is not closed, "+
		"or a value goes on after it; want quotes around a whole value, doubled inside it", "the file may be cut")
}

func (r *recordReader) tooLong() error {
	return fault(r.line, fmt.Sprintf("a line, or what quotes hold together, "+
		"has over %d bytes; want one identifier a line", maxRecord), "a quote that is not closed joins lines")
}
