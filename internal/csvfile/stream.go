package csvfile

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"adsync/internal/diag"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// maxRecord is how many bytes one line, or what quotes hold together, may have.
const maxRecord = 1 << 20

// Stream reads the records of a CSV file, or lines of text, in UTF-8 or in UTF-16 with its mark. It
// holds one record at a time, whatever the size of the file, and its errors quote nothing of it.
//
// A quote opens a value only as its first character, so that ="+49…" is read as it is written; one
// that is open at the end of the file, or goes on after its end, is a fault.
type Stream struct {
	in        *bufio.Reader
	want      string
	delimiter byte
	line      int // the record last read begins in; blank lines are records
	next      int // line that the next one begins in
	text      []byte
	ends      []int // of the fields in text
}

// NewStream begins to read. want is what a line holds, for messages; known reports whether a text is
// the name of a column, which tells the delimiter.
func NewStream(r io.Reader, want string, known func(name string) bool) (*Stream, error) {
	s := &Stream{want: want, next: 1}
	var err error
	if s.in, err = s.decoded(r); err != nil {
		return nil, err
	}
	return s, s.findDelimiter(known)
}

// Line is the line that the record last read begins in.
func (s *Stream) Line() int { return s.line }

// Next returns the fields of the next record, good until the next call; io.EOF after the last. A
// blank line is a record of one empty field. The error is a *Fault, or that of the reader.
func (s *Stream) Next() ([][]byte, error) {
	s.line = s.next
	s.text, s.ends = s.text[:0], s.ends[:0]
	for {
		ended, err := s.field()
		if err != nil {
			return nil, err
		}
		s.ends = append(s.ends, len(s.text))
		if ended {
			fields := s.fields()
			if f := s.damaged(fields); f != nil {
				return nil, f
			}
			return fields, nil
		}
	}
}

// decoded turns UTF-16 into UTF-8 and takes the mark off.
func (s *Stream) decoded(r io.Reader) (*bufio.Reader, error) {
	in := bufio.NewReaderSize(r, 64<<10)
	head, err := in.Peek(24)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	switch {
	case len(head) == 0:
		return nil, fault(diag.Damaged, 0, 0, "", "file is empty; want %s a line", s.want)
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		return nil, fault(diag.Unreadable, 0, 0, "",
			"file is a workbook or an archive by its bytes; want text, or the ending .xlsx")
	case bytes.HasPrefix(head, []byte("version https://git-lfs")):
		return nil, fault(diag.Unreadable, 0, 0, "run git lfs pull", "file is a Git LFS pointer; want the file itself")
	case bytes.HasPrefix(head, markUTF16LE), bytes.HasPrefix(head, markUTF16BE):
		utf16 := unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM)
		return bufio.NewReaderSize(transform.NewReader(in, utf16.NewDecoder()), 64<<10), nil
	case bytes.HasPrefix(head, markUTF8):
		_, err := in.Discard(len(markUTF8))
		return in, err
	}
	return in, nil
}

var separatorLines = map[string]byte{"sep=,": ',', "sep=;": ';', "sep=\t": '\t'}

// findDelimiter finds what separates the columns by the first line: what a line sep=; says, else
// whatever sets the names of columns apart.
func (s *Stream) findDelimiter(known func(name string) bool) error {
	head, err := s.in.Peek(s.in.Size())
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
		return err
	}
	line, _, _ := strings.Cut(string(head), "\n")
	if d, ok := separatorLines[strings.ToLower(strings.Trim(strings.TrimSpace(line), `"`))]; ok {
		s.delimiter, s.next = d, 2
		_, err := s.in.Discard(min(len(line)+1, len(head)))
		return err
	}
	most := -1
	for _, d := range Delimiters {
		found := 0
		for field := range strings.SplitSeq(line, string(d)) {
			if known(field) {
				found += 1000
			}
			found++
		}
		if found > most {
			s.delimiter, most = d, found
		}
	}
	return nil
}

func (s *Stream) fields() [][]byte {
	fields, from := make([][]byte, len(s.ends)), 0
	for i, end := range s.ends {
		fields[i], from = s.text[from:end], end
	}
	return fields
}

// field reads one value; ended says that the record ends with it.
func (s *Stream) field() (ended bool, err error) {
	start, quoted := len(s.text), false
	for {
		c, err := s.in.ReadByte()
		if err != nil {
			return true, s.end(err, quoted)
		}
		switch {
		case quoted && c != s.delimiter && c != '\r' && c != '\n':
			return true, s.badQuote()
		case c == '"' && len(s.text) == start && !quoted:
			quoted = true
			if err := s.quoted(); err != nil {
				return true, err
			}
		case c == s.delimiter:
			return false, nil
		case c == '\n':
			s.next++
			if !quoted && len(s.text) > start && s.text[len(s.text)-1] == '\r' {
				s.text = s.text[:len(s.text)-1]
			}
			return true, nil
		case !quoted:
			s.text = append(s.text, c)
			if len(s.text) > maxRecord {
				return true, s.tooLong()
			}
		}
	}
}

// end is nil where the file ends with a record, not behind one.
func (s *Stream) end(err error, quoted bool) error {
	if errors.Is(err, io.EOF) && (len(s.ends) > 0 || len(s.text) > 0 || quoted) {
		return nil
	}
	return err
}

// quoted reads up to the quote that closes a value.
func (s *Stream) quoted() error {
	for {
		c, err := s.in.ReadByte()
		if errors.Is(err, io.EOF) {
			return s.badQuote()
		}
		if err != nil {
			return err
		}
		if c == '"' {
			if following, err := s.in.Peek(1); err != nil || following[0] != '"' {
				return nil
			}
			if _, err := s.in.Discard(1); err != nil {
				return err
			}
		}
		if c == '\n' {
			s.next++
		}
		if s.text = append(s.text, c); len(s.text) > maxRecord {
			return s.tooLong()
		}
	}
}

// damaged returns why a record cannot be trusted, nil where it can.
func (s *Stream) damaged(fields [][]byte) *Fault {
	for _, text := range fields {
		switch {
		case bytes.IndexByte(text, 0) >= 0:
			return fault(diag.Damaged, s.line, 0, "the file may be cut, or UTF-16 without its mark",
				"line holds a zero byte; want text")
		case !utf8.Valid(text), bytes.ContainsRune(text, utf8.RuneError):
			return fault(diag.Damaged, s.line, 0, "save it as CSV UTF-8",
				"line holds bytes that are not UTF-8; want UTF-8 text")
		}
	}
	if bytes.HasPrefix(fields[0], []byte("<<<<<<< ")) || bytes.HasPrefix(fields[0], []byte(">>>>>>> ")) {
		return fault(diag.Damaged, s.line, 0, "", "line is a mark of an unfinished merge; want the merge resolved")
	}
	return nil
}

func (s *Stream) badQuote() error {
	return fault(diag.Syntax, s.line, 0, "the file may be cut", "a quote is not closed, "+
		"or a value goes on after it; want quotes around a whole value, doubled inside it")
}

func (s *Stream) tooLong() error {
	return fault(diag.TooLarge, s.line, 0, "a quote that is not closed joins lines", "a line, or what quotes hold "+
		"together, has over %d bytes; want %s a line", maxRecord, s.want)
}
