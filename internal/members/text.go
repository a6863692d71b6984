package members

import (
	"errors"
	"io"

	"adsync/internal/csvfile"
)

// ReadText reads CSV or plain text, one person a line, in UTF-8 or in UTF-16
// with its mark. It holds one line at a time beside the hashes.
func ReadText(r io.Reader, as Identifier) (*List, error) {
	records, err := csvfile.NewStream(r, "one identifier", func(name string) bool { return Named(name) != "" })
	if err != nil {
		return nil, faultOf(err)
	}
	t := textReader{records: records, list: &List{Identifier: as}}
	if err := t.read(); err != nil {
		return nil, err
	}
	return t.list.end(), nil
}

// faultOf is an error of reading a file in the words of this package.
func faultOf(err error) error {
	if f, ok := errors.AsType[*csvfile.Fault](err); ok {
		return fault(f.Line, f.Message, f.Hint)
	}
	return err
}

type textReader struct {
	records *csvfile.Stream
	list    *List
	column  column
	begun   bool
}

func (t *textReader) read() error {
	for {
		fields, err := t.records.Next()
		if errors.Is(err, io.EOF) {
			return t.whole()
		}
		if err != nil {
			return faultOf(err)
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
		if t.column, f = columnOf(t.list.Identifier, t.records.Line(), texts); f != nil {
			return f
		}
		if t.column.header {
			return nil
		}
	}
	t.column.take(t.list, t.records.Line(), texts)
	return nil
}

func (t *textReader) whole() error {
	if t.list.Counts.Read == 0 {
		return fault(0, "file holds no line beside its header; want one identifier a line", "")
	}
	return nil
}
