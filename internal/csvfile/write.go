package csvfile

import (
	"bufio"
	"io"
	"strings"
)

// Writer writes records as spreadsheet programs want them: UTF-8 with a byte
// order mark, commas, lines ended by CR LF.
type Writer struct {
	out *bufio.Writer
	err error
}

// NewWriter begins a file.
func NewWriter(w io.Writer) *Writer {
	out := bufio.NewWriter(w)
	_, err := out.Write(markUTF8)
	return &Writer{out: out, err: err}
}

// Write writes one record.
func (w *Writer) Write(fields []string) {
	for i, field := range fields {
		if i > 0 {
			w.put(",")
		}
		w.put(quote(field))
	}
	w.put("\r\n")
}

// Flush ends the file and gives the first error of writing it.
func (w *Writer) Flush() error {
	if err := w.out.Flush(); w.err == nil {
		w.err = err
	}
	return w.err
}

func (w *Writer) put(text string) {
	if _, err := w.out.WriteString(text); w.err == nil {
		w.err = err
	}
}

// quote puts a field in quotes where something in it would end it, or where a
// program would drop the spaces around it.
func quote(field string) string {
	if !strings.ContainsAny(field, "\",;\t\r\n") && strings.TrimSpace(field) == field {
		return field
	}
	return `"` + strings.ReplaceAll(field, `"`, `""`) + `"`
}
