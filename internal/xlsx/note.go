package xlsx

import (
	"fmt"
	"strings"
)

// NotesOn returns the notes on the cells of a sheet, by its part.
func (b *Book) NotesOn(part string) (map[At]string, error) {
	rels, err := relations(b.parts, part)
	if err != nil {
		return nil, err
	}
	notes := map[At]string{}
	for _, r := range rels {
		if !strings.HasSuffix(r.typ, "/comments") || b.parts.content[r.target] == nil {
			continue
		}
		if err := readNotes(b.parts.content[r.target], notes); err != nil {
			return nil, fmt.Errorf("notes %q: %w", r.target, err)
		}
	}
	return notes, nil
}

func readNotes(part []byte, notes map[At]string) error {
	return elements(part, func(s *xmlScanner) error {
		if string(s.name) != "comment" {
			return nil
		}
		row, column, ok := parseCellName(string(s.attr("ref")))
		if !ok {
			return fmt.Errorf("a note is on %q; want a cell", s.attr("ref"))
		}
		text, err := s.richText("comment")
		notes[At{row, column}] = text
		return err
	})
}
