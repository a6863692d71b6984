package xlsx

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Copy is what a copy of a workbook has beside other cells. Sheets are named as they are in the copy.
type Copy struct {
	Heights  map[string]map[int]float64 // points that rows of edits have at least, by sheet and row
	Widths   []Width
	Notes    []Note
	Links    []Link // of cells of the sheets that are put in
	Opens    string // the sheet it opens at; "" for that of the workbook
	Hides    string // a sheet that people do not see; "" for none
	Unsealed string // what stands in a sheet in the place of the sum of all other parts; "" where none does
}

// Width is how many characters wide a column is.
type Width struct {
	Sheet      string
	Column     int
	Characters float64
}

// Link leads from a cell to another of the workbook, such as 'Ad groups'!C7.
type Link struct {
	Sheet string
	At    At
	To    string
}

// copyEdit makes what a copy has beside cells.
type copyEdit struct{ *packageEdit }

// finish makes the changes of a copy that are not of cells; nil makes none.
func (p *copyEdit) finish(c *Copy) error {
	if c == nil {
		return nil
	}
	for _, w := range c.Widths {
		if err := p.widen(w); err != nil {
			return fmt.Errorf("sheet %q: columns: %w", w.Sheet, err)
		}
	}
	if err := p.addNotes(c.Notes); err != nil {
		return err
	}
	if err := p.openAt(c.Opens); err != nil {
		return err
	}
	if err := p.hide(c.Hides); err != nil {
		return err
	}
	return p.dropRecords()
}

// dropRecords takes out what was true of the original alone: its signatures, and who changed what while several people
// had it open.
func (p *copyEdit) dropRecords() error {
	for _, r := range []struct{ owner, typ string }{
		{"", "/digital-signature/origin"}, {p.book.main, "/revisionHeaders"}, {p.book.main, "/usernames"},
	} {
		if err := p.dropRelated(r.owner, r.typ); err != nil {
			return err
		}
	}
	var rest []string
	isRecord := func(name string) bool {
		return strings.HasPrefix(name, "_xmlsignatures/") || strings.Contains(name, "/revisions/")
	}
	for name := range p.book.parts.content {
		if isRecord(name) {
			rest = append(rest, name)
		}
	}
	for name := range p.book.parts.other { // certificates
		if isRecord(name) {
			rest = append(rest, name)
		}
	}
	if len(rest) == 0 {
		return nil
	}
	return p.drop(rest...)
}

// sheets are those of a workbook, none of nil.
func (b *Book) sheets() []Sheet {
	if b == nil {
		return nil
	}
	return b.Sheets
}

// sheetNamed returns the index of a sheet, whose name is the same in any case, or -1.
func (b *Book) sheetNamed(name string) int {
	return slices.IndexFunc(b.Sheets, func(s Sheet) bool { return strings.EqualFold(s.Name, name) })
}

// SheetNames returns the names of all sheets, those of charts and dialogs too.
func (b *Book) SheetNames() (names []string, err error) {
	err = elements(b.parts.content[b.main], func(s *xmlScanner) error {
		if len(s.open) != 3 || string(s.name) != "sheet" {
			return nil
		}
		name, err := s.attrText("name")
		names = append(names, name)
		return err
	})
	return names, err
}

// set writes an attribute of the element just opened, whether it has it or not.
func (s *xmlScanner) set(splices []splice, name, text string) []splice {
	if s.attr(name) != nil {
		return s.replace(splices, name, text)
	}
	open := s.open[len(s.open)-1]
	end := s.offset(open) + len(open)
	return append(splices, splice{end, end, fmt.Sprintf(` %s="%s"`, name, text)})
}

// beforeColumns are the elements of a sheet that come before its columns (ECMA-376 part 1, 18.3.1.99).
var beforeColumns = []string{"sheetPr", "dimension", "sheetViews", "sheetFormatPr"}

// widen sets the width of a column, and leaves those that are described together with it as they are.
func (p *copyEdit) widen(w Width) error {
	part := p.partOf(w.Sheet)
	root, list, err := childrenOf(p.part(part))
	if err != nil {
		return err
	}
	data := bare(p.part(part))
	wide := fmt.Sprintf(`width="%s" customWidth="1"`, points(w.Characters))
	i := slices.IndexFunc(list, func(c child) bool { return c.name == "cols" })
	if i < 0 {
		p.change(part, data, []splice{placed(root, list, beforeColumns, fmt.Sprintf(
			`<%[1]scols><%[1]scol min="%[2]d" max="%[2]d" %[3]s/></%[1]scols>`, root.prefix, w.Column, wide))})
		return nil
	}
	columns := list[i]
	described := false
	one := fmt.Sprintf(`<%scol min="%d" max="%[2]d" %[3]s/>`, columns.prefix, w.Column, wide)
	added := columns.appended(one)
	var splices []splice
	s, err := newScanner(data[columns.from:columns.to])
	if err != nil {
		return err
	}
	for {
		kind, err := s.next()
		if err != nil {
			return err
		}
		if kind == xmlEnd {
			break
		}
		if kind != xmlOpen || string(s.name) != "col" {
			continue
		}
		from, err1 := strconv.Atoi(string(s.attr("min")))
		to, err2 := strconv.Atoi(string(s.attr("max")))
		start := s.opened().from
		switch {
		case err1 != nil || err2 != nil:
			return fmt.Errorf("columns %q to %q; want numbers", s.attr("min"), s.attr("max"))
		case from > w.Column:
			if start += columns.from; start < added.from {
				added = splice{start, start, one}
			}
		case to >= w.Column:
			described = true
			split, err := splitColumns(s, from, to, w)
			if err != nil {
				return err
			}
			splices = append(splices, splice{columns.from + split.from, columns.from + split.to, split.text})
		}
	}
	if !described {
		splices = append(splices, added)
	}
	p.change(part, data, splices)
	return nil
}

// splitColumns describes columns anew of which one gets a width: those before it, it, and those after it.
func splitColumns(s *xmlScanner, from, to int, w Width) (splice, error) {
	var b strings.Builder
	start := s.opened()
	for _, part := range []struct{ from, to int }{{from, w.Column - 1}, {w.Column, w.Column}, {w.Column + 1, to}} {
		if part.from > part.to {
			continue
		}
		splices := s.set(s.set(nil, "min", strconv.Itoa(part.from)), "max", strconv.Itoa(part.to))
		if part.from == w.Column {
			splices = s.set(s.set(splices, "width", points(w.Characters)), "customWidth", "1")
		}
		text := spliced(s.data[:start.head], splices)[start.from:]
		if !start.empty {
			text = append(text[:len(text)-1], "/>"...)
		}
		b.Write(text)
	}
	whole, err := s.passed()
	return splice{whole.from, whole.to, b.String()}, err
}

// beforeViews are the elements of a workbook's list of sheets that come before how it is seen (ECMA-376 part 1,
// 18.2.27).
var beforeViews = []string{"fileVersion", "fileSharing", "workbookPr", "workbookProtection", "AlternateContent",
	"revisionPtr", "absPath"}

// openAt has the workbook open at a sheet, which is seen, and alone is chosen then.
func (p *copyEdit) openAt(sheet string) error {
	if sheet == "" {
		return nil
	}
	at, err := p.placeOf(sheet)
	if err != nil {
		return err
	}
	viewed, sheets := false, 0
	err = p.splice(p.book.main, func(s *xmlScanner) (splices []splice, err error) {
		switch name := string(s.name); {
		case len(s.open) != 3:
		case name == "workbookView":
			viewed = true
			splices = s.set(s.set(nil, "activeTab", strconv.Itoa(at)), "firstSheet", "0")
		case name == "sheet":
			if sheets == at {
				splices = s.replace(nil, "state", "visible")
			}
			sheets++
		}
		return splices, nil
	})
	if err == nil && !viewed {
		err = p.addView(at)
	}
	if err != nil {
		return err
	}
	return p.choose(sheet)
}

// addView says how a workbook is seen that does not.
func (p *copyEdit) addView(at int) error {
	view := func(prefix string) string {
		return fmt.Sprintf(`<%sworkbookView firstSheet="0" activeTab="%d"/>`, prefix, at)
	}
	_, list, err := childrenOf(p.part(p.book.main))
	if err != nil {
		return err
	}
	if slices.ContainsFunc(list, func(c child) bool { return c.name == "bookViews" }) {
		return p.appendTo(p.book.main, "bookViews", view)
	}
	return p.putAfter(p.book.main, beforeViews, func(prefix string) string {
		return fmt.Sprintf("<%[1]sbookViews>%[2]s</%[1]sbookViews>", prefix, view(prefix))
	})
}

// placeOf returns the number, from 0, of a sheet in the list of sheets as it is by now.
func (p *packageEdit) placeOf(sheet string) (at int, err error) {
	at = -1
	count := 0
	err = elements(p.part(p.book.main), func(s *xmlScanner) error {
		if len(s.open) != 3 || string(s.name) != "sheet" {
			return nil
		}
		name, err := s.attrText("name")
		if strings.EqualFold(name, sheet) {
			at = count
		}
		count++
		return err
	})
	return at, err
}

// hide has a sheet not be seen, nor be in the list of those that may be shown.
func (p *copyEdit) hide(sheet string) error {
	if sheet == "" {
		return nil
	}
	return p.splice(p.book.main, func(s *xmlScanner) ([]splice, error) {
		if len(s.open) != 3 || string(s.name) != "sheet" {
			return nil, nil
		}
		name, err := s.attrText("name")
		if err != nil || !strings.EqualFold(name, sheet) || string(s.attr("state")) == "veryHidden" {
			return nil, err
		}
		return s.set(nil, "state", "veryHidden"), nil
	})
}

// choose has a sheet be the one that is chosen. What is typed goes into all that are.
func (p *copyEdit) choose(sheet string) error {
	parts := map[string]string{}
	for _, s := range p.book.Sheets {
		parts[s.Part] = "0"
	}
	for _, r := range p.book.rels {
		if strings.HasSuffix(r.typ, "sheet") && !r.external {
			parts[r.target] = "0" // of charts and dialogs, too
		}
	}
	chosen, err := p.listedPart(sheet)
	if err != nil {
		return err
	}
	parts[chosen] = "1"
	for part, is := range parts {
		if p.part(part) == nil || is == "0" && !bytes.Contains(p.part(part), []byte("tabSelected")) {
			continue
		}
		if err := p.splice(part, func(s *xmlScanner) ([]splice, error) {
			switch {
			case string(s.name) != "sheetView" || len(s.open) != 3:
				return nil, nil
			case is == "0":
				return s.replace(nil, "tabSelected", is), nil
			}
			return s.set(nil, "tabSelected", is), nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// listedPart is the part of a sheet as the list of sheets has it by now.
func (p *copyEdit) listedPart(sheet string) (part string, err error) {
	id := ""
	err = elements(p.part(p.book.main), func(s *xmlScanner) error {
		if len(s.open) != 3 || string(s.name) != "sheet" {
			return nil
		}
		name, err := s.attrText("name")
		if err == nil && strings.EqualFold(name, sheet) {
			id, err = s.attrText("id")
		}
		return err
	})
	if err != nil {
		return "", err
	}
	err = elements(p.part(relationsOf(p.book.main)), func(s *xmlScanner) error {
		if string(s.attr("Id")) == id && id != "" {
			target := string(s.attr("Target"))
			if !strings.HasPrefix(target, "/") {
				target = p.book.main[:strings.LastIndexByte(p.book.main, '/')+1] + target
			}
			part = partName(target)
		}
		return nil
	})
	return part, err
}

// columnSizes are the widths of columns.
type columnSizes struct {
	usual     int // in pixels
	described []columnSize
}

type columnSize struct{ from, to, pixels int }

// columnSizes reads how wide the columns of a sheet are.
func (p *copyEdit) columnSizes(sheet string) (c columnSizes, err error) {
	pixels := func(characters []byte) int {
		n, err := strconv.ParseFloat(string(characters), 64)
		if err != nil || n <= 0 || n > 255 {
			return 64
		}
		return int(n*7) + 5
	}
	c.usual = pixels(nil)
	err = elements(p.part(sheet), func(s *xmlScanner) error {
		switch {
		case len(s.open) == 2 && string(s.name) == "sheetFormatPr":
			c.usual = pixels(s.attr("defaultColWidth"))
		case len(s.open) == 3 && string(s.name) == "col":
			size := columnSize{pixels: pixels(s.attr("width"))}
			size.from, _ = strconv.Atoi(string(s.attr("min")))
			size.to, _ = strconv.Atoi(string(s.attr("max")))
			if isTrue(s.attr("hidden")) {
				size.pixels = 0
			}
			c.described = append(c.described, size)
		case len(s.open) == 2 && string(s.name) == "sheetData":
			return s.skipElement()
		}
		return nil
	})
	return c, err
}

// across returns the column, from 0, in which so many pixels from the left of another end, and how many are in it.
func (c columnSizes) across(column, pixels int) (end, rest int) {
	for ; column < LastColumn-1; column++ {
		size := c.usual
		for _, d := range c.described {
			if column+1 >= d.from && column+1 <= d.to {
				size = d.pixels
			}
		}
		if pixels <= size {
			break
		}
		pixels -= size
	}
	return column, pixels
}
