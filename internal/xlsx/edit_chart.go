package xlsx

import (
	"fmt"
	"strconv"
	"strings"
)

// redraw has the charts of some areas reach down to other rows. What a chart keeps of the cells is
// read anew by the program that opens it.
func (p *packageEdit) redraw(charted Charted) error {
	if len(charted) == 0 {
		return nil
	}
	for part := range p.book.parts.content {
		if !strings.Contains(part, "/charts/") {
			continue
		}
		if err := p.redrawPart(part, charted); err != nil {
			return fmt.Errorf("chart %q: %w", part, err)
		}
	}
	return nil
}

func (p *packageEdit) redrawPart(part string, charted Charted) error {
	s, err := newScanner(p.book.parts.content[part])
	if err != nil {
		return err
	}
	var splices []splice
	for {
		kind, err := s.next()
		if err != nil {
			return err
		}
		if kind == xmlEnd {
			p.change(part, s.data, splices)
			return nil
		}
		if kind != xmlOpen || string(s.name) != "f" {
			continue
		}
		e, err := s.passed()
		if err != nil {
			return err
		}
		if e.empty {
			continue
		}
		area := string(s.data[e.head:e.tail])
		row := strings.LastIndexByte(area, '$') + 1
		if last, ok := charted[area[:row]]; ok && area[row:] != strconv.Itoa(last) {
			splices = append(splices, splice{e.head + row, e.tail, strconv.Itoa(last)})
		}
	}
}
