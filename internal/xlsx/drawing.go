package xlsx

import "strconv"

// anchor is where the upper left corner of a picture lies.
type Anchor struct{ Row, Column int }

// picturesOn finds the pictures that lie on a sheet.
func (b *Book) PicturesOn(part, drawing string) ([]Anchor, error) {
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
func anchors(data []byte) ([]Anchor, error) {
	s, err := newScanner(data)
	if err != nil {
		return nil, err
	}
	var found []Anchor
	var at Anchor
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
		case kind == xmlOpen && name == "pic" && at.Row > 0:
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
				at.Row = n + 1
			} else {
				at.Column = n + 1
			}
		}
	}
}
