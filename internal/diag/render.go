package diag

import (
	"fmt"
	"io"
	"strings"
)

// Source gives one line (from 1) of a text file by its name, and false where
// there is none, so that Render needs no file system.
type Source func(file string, line int) (string, bool)

// Render prints the problems, each with the line it stands in and a caret
// where the source is at hand. A note is a line of its own.
func Render(w io.Writer, problems []Problem, source Source) error {
	for _, p := range problems {
		if _, err := fmt.Fprintln(w, p.String()); err != nil {
			return err
		}
		if err := renderExcerpt(w, p, source); err != nil {
			return err
		}
		if p.Hint == "" {
			continue
		}
		if _, err := fmt.Fprintf(w, "    hint: %s\n", Printable(p.Hint)); err != nil {
			return err
		}
	}
	return nil
}

func renderExcerpt(w io.Writer, p Problem, source Source) error {
	if source == nil || p.Severity == Note || p.Position.Sheet() != "" || p.Position.Line() == 0 {
		return nil
	}
	line, ok := source(p.Position.File(), p.Position.Line())
	if !ok {
		return nil
	}
	runes := []rune(strings.ReplaceAll(line, "\t", " "))
	start, column := window(len(runes), p.Position.Column())
	shown := Printable(string(runes[start:min(len(runes), start+excerptWidth)]))
	if _, err := fmt.Fprintf(w, "    %5d | %s\n", p.Position.Line(), shown); err != nil {
		return err
	}
	if p.Position.Column() == 0 {
		return nil
	}
	_, err := fmt.Fprintf(w, "          | %s^\n", strings.Repeat(" ", column-1))
	return err
}

const excerptWidth = 100

// window cuts a long line around the column; it gives the first rune shown and
// the column within what is shown.
func window(length, column int) (start, shown int) {
	if length <= excerptWidth || column <= excerptWidth-10 {
		return 0, max(column, 1)
	}
	start = min(column-excerptWidth/2, max(length-excerptWidth, 0))
	return start, column - start
}
