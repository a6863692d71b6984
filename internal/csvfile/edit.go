package csvfile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// Edit puts a field in the place of another. The field is as Plain or Exact give
// it; quotes are put around it where it needs them.
type Edit struct {
	Line, Column int // the line its record begins in, and its number from 1
	Field        string
}

// Changes are those of one file.
type Changes struct {
	Edits   []Edit
	Removed []int      // the lines in which records begin that go, with their line breaks
	Added   [][]string // records behind the last
	Quotes  bool       // a field in quotes stays in them, and where all of a record are, those of an added one are
}

// Rewrite changes fields of a file and no other byte of it: encoding, mark,
// delimiter, quotes and line breaks stay as they are. Fields a record does not
// have yet are added to it. It refuses a line no record begins in, a character
// the file's encoding has not, and a file that could not be written as it was.
// What it gives has been read back.
func Rewrite(content []byte, delimiter byte, limits Limits, edits []Edit) ([]byte, error) {
	return Changes{Edits: edits}.Rewrite(content, delimiter, limits)
}

// Rewrite is the function Rewrite with all of them. A last record without a line break gets one where records come
// or go.
func (c Changes) Rewrite(content []byte, delimiter byte, limits Limits) ([]byte, error) {
	text, f := Decode(content)
	if f != nil {
		return nil, f
	}
	if same, err := encodeLike(content, text.text); err != nil || !bytes.Equal(same, content) {
		return nil, fmt.Errorf("file is written in a way that cannot be kept; want it saved as CSV UTF-8")
	}
	rewritten, err := c.rewrite(text, delimiter, limits)
	if err != nil {
		return nil, err
	}
	encoded, err := encodeLike(content, rewritten)
	if err != nil {
		return nil, err
	}
	after, f := Decode(encoded)
	if f != nil {
		return nil, fmt.Errorf("the rewritten file does not read: %w", f)
	}
	return encoded, c.checkRewritten(text, after, delimiter, limits)
}

// Holds reports whether the encoding of a file has every character of a text.
func (t Text) Holds(text string) bool {
	if !t.Legacy {
		return true
	}
	_, err := charmap.Windows1252.NewEncoder().String(text)
	return err == nil
}

func (c Changes) rewrite(t Text, delimiter byte, limits Limits) (string, error) {
	byLine, removed := map[int][]Edit{}, map[int]bool{}
	for _, e := range c.Edits {
		byLine[e.Line] = append(byLine[e.Line], e)
	}
	for _, line := range c.Removed {
		removed[line] = true
	}
	w := rewriter{text: t.text, quotes: c.Quotes, delimiter: delimiter, limits: limits}
	lineBreak, unclosed, allQuoted := "\n", false, false
	err := t.Walk(delimiter, limits, func(r *Record) error {
		edits := byLine[r.Line]
		delete(byLine, r.Line)
		if strings.HasSuffix(t.text[r.from:r.to], "\r\n") {
			lineBreak = "\r\n"
		}
		unclosed, allQuoted = r.Unclosed, w.allQuoted(r)
		if !removed[r.Line] {
			return w.record(r, edits)
		}
		delete(removed, r.Line)
		w.upTo(r.from)
		w.done, unclosed = r.to, false
		return nil
	})
	if err != nil {
		return "", err
	}
	if missing := len(byLine) + len(removed); missing > 0 {
		return "", fmt.Errorf("no row begins in %d of the lines to change", missing)
	}
	w.upTo(len(t.text))
	if unclosed && len(c.Removed)+len(c.Added) > 0 {
		w.out.WriteString(lineBreak)
	}
	for _, fields := range c.Added {
		for i, field := range fields {
			if i > 0 {
				w.out.WriteByte(delimiter)
			}
			if allQuoted {
				field = inQuotes(field)
			} else {
				field = quoted(field, delimiter)
			}
			w.out.WriteString(field)
		}
		w.out.WriteString(lineBreak)
	}
	return w.out.String(), nil
}

// rewriter writes a text anew from its beginning to its end.
type rewriter struct {
	text      string
	delimiter byte
	limits    Limits
	quotes    bool
	out       strings.Builder
	done      int // bytes of the text that are written, or left out
}

func (w *rewriter) upTo(end int) {
	w.out.WriteString(w.text[w.done:end])
	w.done = end
}

// record writes the edited fields of a record.
func (w *rewriter) record(r *Record, edits []Edit) error {
	slices.SortFunc(edits, func(x, y Edit) int { return x.Column - y.Column })
	have := len(r.Fields)
	for i, e := range edits {
		switch {
		case e.Column < 1 || e.Column > w.limits.Columns || i > 0 && edits[i-1].Column == e.Column:
			return fmt.Errorf("line %d, column %d is no field, or is changed twice", e.Line, e.Column)
		case e.Column <= len(r.Fields):
			old := r.Fields[e.Column-1]
			w.upTo(old.from)
			w.done = old.to
			if w.isQuoted(old) {
				w.out.WriteString(inQuotes(e.Field))
				continue
			}
		default:
			w.upTo(r.Fields[len(r.Fields)-1].to)
			w.out.WriteString(strings.Repeat(string(w.delimiter), e.Column-have))
			have = e.Column
		}
		w.out.WriteString(quoted(e.Field, w.delimiter))
	}
	return nil
}

func (w *rewriter) isQuoted(f Field) bool {
	return w.quotes && f.from < len(w.text) && w.text[f.from] == '"'
}

// allQuoted reports whether every field of a record is in quotes, as some programs write all of them.
func (w *rewriter) allQuoted(r *Record) bool {
	return !slices.ContainsFunc(r.Fields, func(f Field) bool { return !w.isQuoted(f) })
}

// quoted puts quotes around a field that could not be read without them.
func quoted(field string, delimiter byte) string {
	if !strings.ContainsAny(field, string(delimiter)+"\"\r\n") {
		return field
	}
	return inQuotes(field)
}

func inQuotes(field string) string { return `"` + strings.ReplaceAll(field, `"`, `""`) + `"` }

// checkRewritten reads both texts and holds every field against what it should be.
func (c Changes) checkRewritten(before, after Text, delimiter byte, limits Limits) error {
	want, err := before.fields(delimiter, limits)
	if err != nil {
		return err
	}
	got, err := after.fields(delimiter, limits)
	if err != nil {
		return fmt.Errorf("the rewritten file does not read: %w", err)
	}
	// Rows keep their order; their lines move when a text has another number of
	// line breaks.
	lines, err := before.lines(delimiter, limits)
	if err != nil {
		return err
	}
	said := func(field string) string { return strings.ReplaceAll(field, "\r\n", "\n") }
	for _, e := range c.Edits {
		row := lines[e.Line]
		for len(want[row]) < e.Column {
			want[row] = append(want[row], "")
		}
		want[row][e.Column-1] = said(e.Field)
	}
	for _, line := range c.Removed {
		want[lines[line]] = nil
	}
	want = slices.DeleteFunc(want, func(row []string) bool { return row == nil })
	for _, fields := range c.Added {
		row := make([]string, len(fields))
		for i, field := range fields {
			row[i] = said(field)
		}
		want = append(want, row)
	}
	if !slices.EqualFunc(want, got, slices.Equal) {
		return fmt.Errorf("the rewritten file does not read as it should")
	}
	return nil
}

func (t Text) fields(delimiter byte, limits Limits) (rows [][]string, err error) {
	err = t.Walk(delimiter, limits, func(r *Record) error {
		var row []string
		for _, field := range r.Fields {
			row = append(row, field.Text)
		}
		rows = append(rows, row)
		return nil
	})
	return rows, err
}

// lines leads from the line that a record begins in to its number, from 0.
func (t Text) lines(delimiter byte, limits Limits) (map[int]int, error) {
	lines := map[int]int{}
	err := t.Walk(delimiter, limits, func(r *Record) error {
		lines[r.Line] = len(lines)
		return nil
	})
	return lines, err
}

// encodeLike writes a text in the encoding of a file, with its mark.
func encodeLike(content []byte, text string) ([]byte, error) {
	switch {
	case bytes.HasPrefix(content, markUTF16LE):
		return toUTF16(markUTF16LE, text, binary.LittleEndian), nil
	case bytes.HasPrefix(content, markUTF16BE):
		return toUTF16(markUTF16BE, text, binary.BigEndian), nil
	}
	body := bytes.TrimPrefix(content, markUTF8)
	mark := content[:len(content)-len(body)]
	if order := unmarkedUTF16(body); order != nil {
		return toUTF16(mark, text, order), nil
	}
	if utf8.Valid(body) {
		return append(slices.Clone(mark), text...), nil
	}
	written, err := charmap.Windows1252.NewEncoder().Bytes([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("file is Windows-1252, " +
			"which does not have every character that is to be written; want it saved as CSV UTF-8")
	}
	return append(slices.Clone(mark), written...), nil
}

func toUTF16(mark []byte, text string, order binary.ByteOrder) []byte {
	units := utf16.Encode([]rune(text))
	content := append(slices.Clone(mark), make([]byte, 2*len(units))...)
	for i, unit := range units {
		order.PutUint16(content[len(mark)+2*i:], unit)
	}
	return content
}
