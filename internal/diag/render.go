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
// where the source is at hand. A note is a line of its own. Three or more of a file
// that say the same are printed once, with the other places behind.
func Render(w io.Writer, problems []Problem, source Source) error {
	alike := map[saying][]Position{}
	for _, p := range problems {
		if says := sayingOf(p); p.Position.Line() > 0 {
			alike[says] = append(alike[says], p.Position)
		}
	}
	told := map[saying]bool{}
	for _, p := range problems {
		says := sayingOf(p)
		if told[says] {
			continue
		}
		var others []Position
		if places := alike[says]; len(places) >= fewestAlike {
			others, told[says] = places[1:], true
		}
		if _, err := fmt.Fprintln(w, p.String()); err != nil {
			return err
		}
		if err := renderExcerpt(w, p, source); err != nil {
			return err
		}
		if p.Hint != "" {
			if _, err := fmt.Fprintf(w, "    hint: %s\n", Printable(p.Hint)); err != nil {
				return err
			}
		}
		if len(others) == 0 {
			continue
		}
		if _, err := fmt.Fprintf(w, "    the same at %s\n", places(others)); err != nil {
			return err
		}
	}
	return nil
}

// saying is what problems of one place have in common that say the same.
type saying struct {
	severity      Severity
	code          Code
	file, sheet   string
	message, hint string
}

func sayingOf(p Problem) saying {
	return saying{p.Severity, p.Code, p.Position.File(), p.Position.Sheet(), p.Message, p.Hint}
}

// fewestAlike is how many problems that say the same are printed as one, and
// mostPlaces how many of their places are named.
const (
	fewestAlike = 3
	mostPlaces  = 10
)

// places names cells of a sheet, and lines of a text file.
func places(positions []Position) string {
	named := make([]string, min(len(positions), mostPlaces))
	for i := range named {
		at := positions[i]
		named[i] = fmt.Sprintf("%d:%d", at.Line(), at.Column())
		if at.Sheet() != "" {
			named[i] = at.Cell()
		}
	}
	text := strings.Join(named, ", ")
	if more := len(positions) - len(named); more > 0 {
		text += fmt.Sprintf(" and %d other places", more)
	}
	return text
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
