package xlsx

import "fmt"

// PictureNamed returns a picture that WPS keeps for a cell, by the name the
// cell's formula DISPIMG says; false where the workbook has none of it.
func (b *Book) PictureNamed(name string) (Picture, bool, error) {
	if b.named == nil {
		named, err := b.readNamed()
		if err != nil {
			return Picture{}, false, fmt.Errorf("pictures in cells: %w", err)
		}
		b.named = named
	}
	p, ok := b.named[name]
	return p, ok, nil
}

// readNamed reads the list of pictures in cells. Two of one name are an error:
// nothing says which of them is meant.
func (b *Book) readNamed() (map[string]Picture, error) {
	named := map[string]Picture{}
	part := b.rels.byType("/cellImage")
	if part == "" {
		return named, nil
	}
	d, err := b.openDrawing(part)
	if err != nil {
		return nil, err
	}
	for {
		kind, err := d.next()
		if err != nil || kind == xmlEnd {
			return named, err
		}
		if kind != xmlOpen || string(d.name) != "pic" {
			continue
		}
		d.title = ""
		p, err := d.shape("pic")
		if err != nil {
			return nil, err
		}
		if _, twice := named[d.title]; twice {
			return nil, fmt.Errorf("two have the name %q", d.title)
		}
		named[d.title] = *p
	}
}
