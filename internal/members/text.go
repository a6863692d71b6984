package members

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"adsync/internal/csvfile"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// ReadText reads CSV or plain text, one person a line, in UTF-8 or in UTF-16
// with its mark. It holds one line at a time beside the hashes.
func ReadText(r io.Reader, as Identifier) (*List, error) {
	in, err := decoded(r)
	if err != nil {
		return nil, err
	}
	delimiter, skip, err := delimiterOf(in, as)
	if err != nil {
		return nil, err
	}
	t := textReader{records: recordReader{in: in, delimiter: delimiter, next: 1 + skip}, list: &List{Identifier: as}}
	if err := t.read(); err != nil {
		return nil, err
	}
	return t.list.end(), nil
}

// decoded turns UTF-16 into UTF-8 and takes the mark off.
func decoded(r io.Reader) (*bufio.Reader, error) {
	in := bufio.NewReaderSize(r, 64<<10)
	head, err := in.Peek(24)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	switch {
	case len(head) == 0:
		return nil, fault(0, "file is empty; want one identifier a line", "")
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		return nil, fault(0, "file is a workbook or an archive by its bytes; want text, or the ending .xlsx", "")
	case bytes.HasPrefix(head, []byte("version https://git-lfs")):
		return nil, fault(0, "file is a Git LFS pointer; want the file itself", "run git lfs pull")
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		utf16 := unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM)
		return bufio.NewReaderSize(transform.NewReader(in, utf16.NewDecoder()), 64<<10), nil
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		_, err := in.Discard(3)
		return in, err
	}
	return in, nil
}

var separatorLines = map[string]byte{"sep=,": ',', "sep=;": ';', "sep=\t": '\t'}

// delimiterOf finds what separates the columns by the first line: what a line
// sep=; says, else whatever sets the name of the column apart.
func delimiterOf(in *bufio.Reader, as Identifier) (delimiter byte, skipped int, err error) {
	head, err := in.Peek(in.Size())
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
		return 0, 0, err
	}
	line, _, _ := strings.Cut(string(head), "\n")
	if d, ok := separatorLines[strings.ToLower(strings.Trim(strings.TrimSpace(line), `"`))]; ok {
		_, err := in.Discard(min(len(line)+1, len(head)))
		return d, 1, err
	}
	best, most := byte(','), -1
	for _, d := range []byte{',', ';', '\t'} {
		found := 0
		for field := range strings.SplitSeq(line, string(d)) {
			if columnNames[fold(visible(field))] != "" {
				found += 1000
			}
			found++
		}
		if found > most {
			best, most = d, found
		}
	}
	return best, 0, nil
}

type textReader struct {
	records recordReader
	list    *List
	column  column
	begun   bool
}

func (t *textReader) read() error {
	for {
		fields, err := t.records.read()
		if errors.Is(err, io.EOF) {
			return t.whole()
		}
		if err != nil {
			return err
		}
		if f := damaged(t.records.line, fields); f != nil {
			return f
		}
		if err := t.take(fields); err != nil {
			return err
		}
	}
}

func (t *textReader) take(fields [][]byte) error {
	texts := make([]string, len(fields))
	for i, field := range fields {
		texts[i], _ = csvfile.Read(string(field))
	}
	blank := len(texts) == 1 && visible(texts[0]) == ""
	if !t.begun && !blank {
		t.begun = true
		var f *Fault
		if t.column, f = columnOf(t.list.Identifier, t.records.line, texts); f != nil {
			return f
		}
		if t.column.header {
			return nil
		}
	}
	t.column.take(t.list, t.records.line, texts)
	return nil
}

func (t *textReader) whole() error {
	if t.list.Counts.Read == 0 {
		return fault(0, "file holds no line beside its header; want one identifier a line", "")
	}
	return nil
}

// damaged returns why a record cannot be trusted, nil where it can.
func damaged(line int, fields [][]byte) *Fault {
	for _, text := range fields {
		switch {
		case bytes.IndexByte(text, 0) >= 0:
			return fault(line, "line holds a zero byte; want text", "the file may be cut, or UTF-16 without its mark")
		case !utf8.Valid(text), bytes.ContainsRune(text, utf8.RuneError):
			return fault(line, "line holds bytes that are not UTF-8; want UTF-8 text", "save it as CSV UTF-8")
		}
	}
	if bytes.HasPrefix(fields[0], []byte("<<<<<<< ")) || bytes.HasPrefix(fields[0], []byte(">>>>>>> ")) {
		return fault(line, "line is a mark of an unfinished merge; want the merge resolved", "")
	}
	return nil
}
