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

// cellLink is a link of cells that leads out of the workbook.
type cellLink struct {
	cells Area
	id    string
}

// link takes note of the link the walker stands on. One that stays in the
// workbook has no relationship.
func (w *sheetWalker) link() error {
	id, err := w.attrText("id")
	if err != nil || id == "" {
		return err
	}
	cells, err := parseArea(string(w.attr("ref")))
	w.facts.links = append(w.facts.links, cellLink{cells, id})
	return err
}

// Links returns the addresses that the cells of a column link to, by row, where
// the link is of one cell. Nothing is ever fetched.
func (b *Book) Links(part string, facts Facts, column int) (map[int]string, error) {
	byID := map[string][]int{}
	for _, l := range facts.links {
		if l.cells == (Area{l.cells.FromRow, column, l.cells.FromRow, column}) {
			byID[l.id] = append(byID[l.id], l.cells.FromRow)
		}
	}
	if len(byID) == 0 {
		return nil, nil
	}
	rels, err := relations(b.parts, part)
	if err != nil {
		return nil, err
	}
	addresses := map[int]string{}
	for _, r := range rels {
		for _, row := range byID[r.id] {
			if r.external {
				addresses[row] = r.target
			}
		}
	}
	return addresses, nil
}
