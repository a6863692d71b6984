package xlsx

import (
	"fmt"
	"strconv"
)

// richValues are what cells hold beside their value, as far as it is pictures:
// the chain metadata → rich value → structure → relationship → media that
// programs write for a picture placed in a cell (MS-XLSX 2.6, "Rich Data").
type richValues struct {
	metadata   []int // by the number a cell gives, from 0: the rich value, -1 for metadata of another sort
	values     []richValue
	structures []richStructure
	images     []string // relationship ids
	rels       *drawingReader
}

type richValue struct {
	structure int
	values    []string
}

type richStructure struct {
	typ  string
	keys []string
}

// PictureIn returns the picture placed in a cell; false where the cell holds
// something else beside its value, such as the cause of an error. Numbers that
// lead nowhere are an error.
func (b *Book) PictureIn(c Cell) (Picture, bool, error) {
	if b.rich == nil {
		rich, err := b.readRich()
		if err != nil {
			return Picture{}, false, fmt.Errorf("pictures in cells: %w", err)
		}
		b.rich = rich
	}
	return b.rich.picture(c.Meta)
}

func (r *richValues) picture(meta int) (Picture, bool, error) {
	if meta < 1 || meta > len(r.metadata) {
		return Picture{}, false, fmt.Errorf("a cell names metadata %d of %d", meta, len(r.metadata))
	}
	number := r.metadata[meta-1]
	if number < 0 {
		return Picture{}, false, nil
	}
	if number >= len(r.values) {
		return Picture{}, false, fmt.Errorf("a cell names rich value %d of %d", number, len(r.values))
	}
	v := r.values[number]
	if v.structure < 0 || v.structure >= len(r.structures) {
		return Picture{}, false, fmt.Errorf("a rich value names structure %d of %d", v.structure, len(r.structures))
	}
	s := r.structures[v.structure]
	if s.typ != "_localImage" {
		return Picture{}, false, nil
	}
	if len(v.values) != len(s.keys) {
		return Picture{}, false, fmt.Errorf("a rich value has %d parts of %d", len(v.values), len(s.keys))
	}
	for i, key := range s.keys {
		if key == "_rvRel:LocalImageIdentifier" {
			return r.image(v.values[i])
		}
	}
	return Picture{}, false, fmt.Errorf("a rich value of a picture names no picture")
}

func (r *richValues) image(text string) (Picture, bool, error) {
	i, err := strconv.Atoi(text)
	if err != nil || i < 0 || i >= len(r.images) {
		return Picture{}, false, fmt.Errorf("a rich value names picture %q of %d", text, len(r.images))
	}
	var p Picture
	if p.Part, err = r.rels.imagePart(r.images[i]); err == nil && p.Part == "" {
		p.Showing = IsLinked
	}
	return p, err == nil, err
}

// readRich reads the parts of the chain. One that is missing holds nothing, and
// a cell that needs it is an error.
func (b *Book) readRich() (*richValues, error) {
	r := &richValues{}
	for _, part := range []struct {
		typ  string
		read func([]byte) error
	}{
		{"/sheetMetadata", r.readMetadata},
		{"/rdRichValue", r.readValues},
		{"/rdRichValueStructure", r.readStructures},
		{"/richValueRel", r.readImages},
	} {
		name := b.rels.byType(part.typ)
		if name == "" {
			continue
		}
		content, ok := b.parts.content[name]
		if !ok {
			return nil, fmt.Errorf("its part %q is missing", name)
		}
		if err := part.read(content); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	var err error
	if name := b.rels.byType("/richValueRel"); name != "" {
		r.rels, err = b.openDrawing(name)
	}
	return r, err
}

// readMetadata follows the metadata of values to their rich values: each names
// a type and one of the blocks of that type (ECMA-376 part 1, 18.9).
func (r *richValues) readMetadata(content []byte) error {
	type record struct{ typ, block int }
	var types []string
	blocks := map[string][]int{} // by type: the rich value of each block, -1 for none
	var records []record
	var section, future string
	err := elements(content, func(s *xmlScanner) error {
		name := string(s.name)
		if len(s.open) == 2 {
			section, future = name, string(s.attr("name"))
		}
		var err error
		switch {
		case name == "metadataType":
			types = append(types, string(s.attr("name")))
		case section == "futureMetadata" && name == "bk":
			blocks[future] = append(blocks[future], -1)
		case section == "futureMetadata" && name == "rvb" && len(blocks[future]) > 0:
			blocks[future][len(blocks[future])-1], err = s.number("i")
		case section == "valueMetadata" && name == "bk":
			records = append(records, record{-1, -1})
		case section == "valueMetadata" && name == "rc" && len(records) > 0:
			last := &records[len(records)-1]
			if last.typ, err = s.number("t"); err == nil {
				last.block, err = s.number("v")
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, record := range records {
		number := -1
		if record.typ >= 1 && record.typ <= len(types) {
			if known := blocks[types[record.typ-1]]; record.block >= 0 && record.block < len(known) {
				number = known[record.block]
			}
		}
		r.metadata = append(r.metadata, number)
	}
	return nil
}

func (r *richValues) readValues(content []byte) error {
	return elements(content, func(s *xmlScanner) (err error) {
		switch string(s.name) {
		case "rv":
			var v richValue
			v.structure, err = s.number("s")
			r.values = append(r.values, v)
		case "v":
			if len(r.values) == 0 {
				return fmt.Errorf("a <v> stands outside a rich value")
			}
			last := &r.values[len(r.values)-1]
			var text string
			text, err = s.elementText()
			last.values = append(last.values, text)
		}
		return err
	})
}

func (r *richValues) readStructures(content []byte) error {
	return elements(content, func(s *xmlScanner) error {
		switch string(s.name) {
		case "s":
			r.structures = append(r.structures, richStructure{typ: string(s.attr("t"))})
		case "k":
			if len(r.structures) == 0 {
				return fmt.Errorf("a <k> stands outside a structure")
			}
			last := &r.structures[len(r.structures)-1]
			last.keys = append(last.keys, string(s.attr("n")))
		}
		return nil
	})
}

func (r *richValues) readImages(content []byte) error {
	return elements(content, func(s *xmlScanner) error {
		if string(s.name) != "rel" {
			return nil
		}
		id, err := s.attrText("id")
		r.images = append(r.images, id)
		return err
	})
}

// number returns an attribute that is a whole number.
func (s *xmlScanner) number(name string) (int, error) {
	n, err := strconv.Atoi(string(s.attr(name)))
	if err != nil {
		return 0, fmt.Errorf("<%s> has %s=%q", s.name, name, s.attr(name))
	}
	return n, nil
}
