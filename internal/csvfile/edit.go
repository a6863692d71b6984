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

// Rewrite changes fields of a file and no other byte of it: encoding, mark,
// delimiter, quotes and line breaks stay as they are. Fields a record does not
// have yet are added to it. It refuses a line no record begins in, a character
// the file's encoding has not, and a file that could not be written as it was.
// What it gives has been read back.
func Rewrite(content []byte, delimiter byte, limits Limits, edits []Edit) ([]byte, error) {
	text, f := Decode(content)
	if f != nil {
		return nil, f
	}
	if same, err := encodeLike(content, text.text); err != nil || !bytes.Equal(same, content) {
		return nil, fmt.Errorf("file is written in a way that cannot be kept; want it saved as CSV UTF-8")
	}
	byLine := map[int][]Edit{}
	for _, e := range edits {
		byLine[e.Line] = append(byLine[e.Line], e)
	}
	rewritten, err := text.rewrite(delimiter, limits, byLine)
	if err != nil {
		return nil, err
	}
	if len(byLine) > 0 {
		return nil, fmt.Errorf("no row begins in %d of the lines to change", len(byLine))
	}
	encoded, err := encodeLike(content, rewritten)
	if err != nil {
		return nil, err
	}
	after, f := Decode(encoded)
	if f != nil {
		return nil, fmt.Errorf("the rewritten file does not read: %w", f)
	}
	return encoded, checkRewritten(text, after, delimiter, limits, edits)
}

// rewrite takes the edits of each record from the map.
func (t Text) rewrite(delimiter byte, limits Limits, byLine map[int][]Edit) (string, error) {
	var b strings.Builder
	done := 0
	err := t.Walk(delimiter, limits, func(r *Record) error {
		edits := byLine[r.Line]
		delete(byLine, r.Line)
		slices.SortFunc(edits, func(x, y Edit) int { return x.Column - y.Column })
		have := len(r.Fields)
		for i, e := range edits {
			switch {
			case e.Column < 1 || e.Column > limits.Columns || i > 0 && edits[i-1].Column == e.Column:
				return fmt.Errorf("line %d, column %d is no field, or is changed twice", e.Line, e.Column)
			case e.Column <= len(r.Fields):
				old := r.Fields[e.Column-1]
				b.WriteString(t.text[done:old.from])
				done = old.to
			default:
				end := r.Fields[len(r.Fields)-1].to
				b.WriteString(t.text[done:end])
				done = end
				b.WriteString(strings.Repeat(string(delimiter), e.Column-have))
				have = e.Column
			}
			b.WriteString(quoted(e.Field, delimiter))
		}
		return nil
	})
	b.WriteString(t.text[done:])
	return b.String(), err
}

// quoted puts quotes around a field that could not be read without them.
func quoted(field string, delimiter byte) string {
	if !strings.ContainsAny(field, string(delimiter)+"\"\r\n") {
		return field
	}
	return `"` + strings.ReplaceAll(field, `"`, `""`) + `"`
}

// checkRewritten reads both texts and holds every field against what it should be.
func checkRewritten(before, after Text, delimiter byte, limits Limits, edits []Edit) error {
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
	for _, e := range edits {
		row := slices.Index(lines, e.Line)
		for len(want[row]) < e.Column {
			want[row] = append(want[row], "")
		}
		want[row][e.Column-1] = strings.ReplaceAll(e.Field, "\r\n", "\n")
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

func (t Text) lines(delimiter byte, limits Limits) (lines []int, err error) {
	err = t.Walk(delimiter, limits, func(r *Record) error {
		lines = append(lines, r.Line)
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
