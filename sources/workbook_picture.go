package sources

import (
	"strconv"

	"adsync/internal/resource"
)

// anchor is where the upper left corner of a picture lies.
type anchor struct{ row, column int }

// picturesOn finds the pictures that lie on a sheet.
func (b *book) picturesOn(part, drawing string) ([]anchor, error) {
	if drawing == "" {
		return nil, nil
	}
	rels, err := relations(b.parts, part)
	if err != nil {
		return nil, err
	}
	r, ok := rels.byID(drawing)
	if !ok {
		return nil, damagedDrawing(drawing)
	}
	return anchors(b.parts.content[r.target])
}

type damagedDrawing string

func (d damagedDrawing) Error() string {
	return "its drawing " + strconv.Quote(string(d)) + " is missing"
}

// anchors reads the anchors of a drawing that hold a picture. Rows and columns
// count from 0 there.
func anchors(data []byte) ([]anchor, error) {
	s, err := newScanner(data)
	if err != nil {
		return nil, err
	}
	var found []anchor
	var at anchor
	inFrom := false
	for {
		kind, err := s.next()
		if err != nil || kind == xmlEnd {
			return found, err
		}
		name := string(s.name)
		switch {
		case kind == xmlOpen && name == "from":
			inFrom = true
		case kind == xmlClose && name == "from":
			inFrom = false
		case kind == xmlOpen && name == "pic" && at.row > 0:
			found = append(found, at)
		case kind == xmlOpen && inFrom && (name == "row" || name == "col"):
			number, err := s.elementText()
			if err != nil {
				return nil, err
			}
			n, err := strconv.Atoi(number)
			if err != nil {
				return nil, err
			}
			if name == "row" {
				at.row = n + 1
			} else {
				at.column = n + 1
			}
		}
	}
}

// readPictures reports the pictures that lie on a cell where the name of a
// picture file is wanted.
func (r *tabReader) readPictures(d *rowDraft, row int) {
	for _, p := range r.pictures {
		known := r.header.column(p.column)
		if p.row != row || known == nil || known.role != roleAttribute || known.attribute.Type != resource.TypeImage {
			continue
		}
		if d.attributes.Value(known.attribute.Name).IsAbsent() {
			r.reject(&d.draft, known.attribute, r.at(p.row, p.column), pastedPicture())
		}
	}
}
