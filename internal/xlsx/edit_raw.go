package xlsx

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
)

// element is where an element lies in the bytes of its part: its '<', the end
// of its start tag, the '<' of its end tag, its end. An empty element, <c/>, has
// no end tag.
type element struct {
	from, head, tail, to int
	empty                bool
}

// splice puts text in the place of some bytes. Of two at one place, the one that takes no bytes goes first.
type splice struct {
	from, to int
	text     string
}

func spliced(data []byte, splices []splice) []byte {
	slices.SortStableFunc(splices, func(a, b splice) int {
		return cmp.Or(a.from-b.from, min(a.to-a.from, 1)-min(b.to-b.from, 1))
	})
	size := len(data)
	for _, s := range splices {
		size += len(s.text) - (s.to - s.from)
	}
	whole := make([]byte, 0, size)
	done := 0
	for _, s := range splices {
		whole = append(append(whole, data[done:s.from]...), s.text...)
		done = s.to
	}
	return append(whole, data[done:]...)
}

// offset is where a piece the scanner handed out begins: all are cut from the
// front of the same bytes and end where those may grow to.
func (s *xmlScanner) offset(piece []byte) int { return cap(s.data) - cap(piece) }

// opened returns the element just opened, without its end.
func (s *xmlScanner) opened() element {
	return element{from: s.offset(s.open[len(s.open)-1]) - 1, head: s.pos, empty: s.close}
}

// closed completes the element whose end was just met.
func (s *xmlScanner) closed(e element) element {
	e.tail, e.to = e.head, e.head
	if !e.empty {
		e.tail, e.to = bytes.LastIndexByte(s.data[:s.pos], '<'), s.pos
	}
	return e
}

// passed skips the element just opened and gives the whole of it.
func (s *xmlScanner) passed() (element, error) {
	e := s.opened()
	err := s.skipElement()
	return s.closed(e), err
}

// rawSheet is where the rows of a sheet lie in its XML, with what an edit of a
// cell must know of the cells around it.
type rawSheet struct {
	data      []byte
	prefix    string  // "x:" where elements are <x:row>
	cells     element // <sheetData>
	rows      []rawRow
	dimension []byte // the area the sheet says it uses; nil where it does not

	usualHeight float64 // of rows in points; 0 where the sheet does not say
	columns     []columnStyle
	shared      []sharedFormula
}

type rawRow struct {
	element
	number int
}

// columnStyle is the style of cells of a column that have no element yet.
type columnStyle struct{ from, to, style int }

// sharedFormula is a formula that fills more cells than its own.
type sharedFormula struct {
	at    At
	area  Area
	array bool // every cell of the area belongs to it, not the first alone
}

// survey reads the shape of a sheet that Walk found whole.
func survey(part []byte) (*rawSheet, error) {
	s, err := newScanner(part)
	if err != nil {
		return nil, err
	}
	raw := &rawSheet{data: s.data}
	for {
		kind, err := s.next()
		if err != nil || kind == xmlEnd {
			return raw, err
		}
		if kind != xmlOpen || len(s.open) < 2 {
			continue
		}
		switch name := string(s.name); {
		case len(s.open) == 2 && name == "sheetData":
			full := s.open[1]
			raw.prefix = string(full[:len(full)-len(name)])
			err = raw.surveyRows(s)
		case len(s.open) == 2 && name == "dimension":
			raw.dimension = s.attr("ref")
		case len(s.open) == 2 && name == "sheetFormatPr":
			raw.usualHeight, _ = strconv.ParseFloat(string(s.attr("defaultRowHeight")), 64)
		case name == "col":
			err = raw.surveyColumn(s)
		}
		if err != nil {
			return nil, err
		}
	}
}

func (raw *rawSheet) surveyColumn(s *xmlScanner) error {
	given := s.attr("style")
	if given == nil {
		return nil
	}
	from, err1 := strconv.Atoi(string(s.attr("min")))
	to, err2 := strconv.Atoi(string(s.attr("max")))
	style, err3 := strconv.Atoi(string(given))
	if err1 != nil || err2 != nil || err3 != nil {
		return fmt.Errorf("columns %q to %q have style %q; want numbers", s.attr("min"), s.attr("max"), given)
	}
	raw.columns = append(raw.columns, columnStyle{from, to, style})
	return nil
}

// surveyRows reads the rows, and in them only what formulas say.
func (raw *rawSheet) surveyRows(s *xmlScanner) error {
	raw.cells = s.opened()
	at := At{}
	for {
		kind, err := s.next()
		if err != nil {
			return err
		}
		switch name := string(s.name); {
		case kind == xmlClose && len(s.open) == 1:
			raw.cells = s.closed(raw.cells)
			return nil
		case kind == xmlClose && len(s.open) == 2:
			last := len(raw.rows) - 1
			raw.rows[last].element = s.closed(raw.rows[last].element)
		case kind == xmlOpen && len(s.open) == 3:
			at = At{Row: at.Row + 1}
			if r := s.attr("r"); r != nil {
				at.Row, err = strconv.Atoi(string(r))
			}
			raw.rows = append(raw.rows, rawRow{s.opened(), at.Row})
		case kind == xmlOpen && len(s.open) == 4 && name == "c":
			at = cellAt(s, at)
		case kind == xmlOpen && len(s.open) == 5 && name == "f":
			err = raw.surveyFormula(s, at)
		}
		if err != nil {
			return err
		}
	}
}

// cellAt returns the place of the cell just opened, which follows another.
func cellAt(s *xmlScanner, last At) At {
	if r := s.attr("r"); r != nil {
		row, column, _ := parseCellName(string(r))
		return At{row, column}
	}
	return At{last.Row, last.Column + 1}
}

func (raw *rawSheet) surveyFormula(s *xmlScanner, at At) error {
	ref := s.attr("ref")
	if ref == nil {
		return nil
	}
	area, err := parseArea(string(ref))
	if err != nil {
		return fmt.Errorf("cell %s: formula fills %q; want a range such as A1:B2", at, ref)
	}
	if area == (Area{at.Row, at.Column, at.Row, at.Column}) {
		return nil
	}
	raw.shared = append(raw.shared, sharedFormula{at, area, string(s.attr("t")) != "shared"})
	return nil
}

// rowAt returns the index of a row, and whether it is there.
func (raw *rawSheet) rowAt(number int) (int, bool) {
	return slices.BinarySearchFunc(raw.rows, number, func(r rawRow, n int) int { return r.number - n })
}

// columnStyleOf returns the style a new cell of a column has.
func (raw *rawSheet) columnStyleOf(column int) int {
	for _, c := range raw.columns {
		if column >= c.from && column <= c.to {
			return c.style
		}
	}
	return 0
}

type child struct {
	element
	name, prefix string
}

func (s *xmlScanner) child() child {
	full := s.open[len(s.open)-1]
	return child{s.opened(), string(s.name), string(full[:len(full)-len(s.name)])}
}

// appended puts something behind the last that the element holds.
func (c child) appended(xml string) splice {
	if c.empty {
		return splice{c.head - 2, c.head, ">" + xml + "</" + c.prefix + c.name + ">"}
	}
	return splice{c.tail, c.tail, xml}
}

// childrenOf returns the root of a part, and the elements right below it.
func childrenOf(part []byte) (root child, list []child, err error) {
	s, err := newScanner(part)
	if err != nil {
		return root, nil, err
	}
	for {
		kind, err := s.next()
		switch {
		case err != nil || kind == xmlEnd:
			return root, list, err
		case kind == xmlOpen && len(s.open) == 1:
			root = s.child()
		case kind == xmlOpen:
			c := s.child()
			if c.element, err = s.passed(); err != nil {
				return root, nil, err
			}
			list = append(list, c)
		case kind == xmlClose:
			root.element = s.closed(root.element)
		}
	}
}

// appendTo puts something behind the last that an element below the root holds, or, without a name, the root.
func (p *packageEdit) appendTo(part, name string, xml func(prefix string) string) error {
	root, list, err := childrenOf(p.part(part))
	if err != nil {
		return err
	}
	i := slices.IndexFunc(list, func(c child) bool { return c.name == name })
	switch {
	case name == "":
		p.change(part, bare(p.part(part)), []splice{root.appended(xml(root.prefix))})
	case i < 0:
		return fmt.Errorf("part %q has no <%s>", part, name)
	default:
		p.change(part, bare(p.part(part)), []splice{list[i].appended(xml(list[i].prefix))})
	}
	return nil
}

// putAfter puts something behind the last element below the root that has one of some names.
func (p *packageEdit) putAfter(part string, names []string, xml func(prefix string) string) error {
	root, list, err := childrenOf(p.part(part))
	if err != nil {
		return err
	}
	p.change(part, bare(p.part(part)), []splice{placed(root, list, names, xml(root.prefix))})
	return nil
}

// placed puts something behind the last of some elements, or before all.
func placed(root child, list []child, names []string, xml string) splice {
	if root.empty {
		return root.appended(xml)
	}
	at := root.head
	for _, c := range list {
		if slices.Contains(names, c.name) {
			at = c.to
		}
	}
	return splice{at, at, xml}
}

// replace writes another value into an attribute of the element just opened, where it has it.
func (s *xmlScanner) replace(splices []splice, name, text string) []splice {
	value := s.attr(name)
	if value == nil {
		return splices
	}
	from := s.offset(value)
	return append(splices, splice{from, from + len(value), text})
}

// renumber is replace of a number.
func (s *xmlScanner) renumber(splices []splice, name string, as func(int) int) ([]splice, error) {
	value := s.attr(name)
	if value == nil {
		return splices, nil
	}
	n, err := strconv.Atoi(string(value))
	return s.replace(splices, name, strconv.Itoa(as(n))), err
}
