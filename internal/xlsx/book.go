package xlsx

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Book is what a workbook says beside the cells of its sheets.
type Book struct {
	parts    Parts
	main     string // the part that lists the sheets
	Sheets   []Sheet
	Date1904 bool // days count from 1904, not from 1900
	strings  []string
	styles   []Style // by the number a cell gives
	rels     relationList
	rich     *richValues        // once a cell asks for one
	named    map[string]Picture // once a cell asks for one
}

// Sheet is one tab.
type Sheet struct {
	Name   string
	Part   string // the member that holds its cells
	Hidden bool   // or very hidden
}

// ReadBook reads the workbook's own parts: its sheets, shared strings and styles.
func ReadBook(ps Parts) (*Book, error) {
	root, err := relations(ps, "")
	if err != nil {
		return nil, err
	}
	main := root.byType("/officeDocument")
	if main == "" || ps.content[main] == nil {
		return nil, fmt.Errorf("it has no part that lists its sheets")
	}
	rels, err := relations(ps, main)
	if err != nil {
		return nil, err
	}
	b := &Book{parts: ps, main: main, rels: rels}
	if err := b.readSheets(main, rels); err != nil {
		return nil, fmt.Errorf("%s: %w", main, err)
	}
	if b.strings, err = b.sharedStrings(rels.byType("/sharedStrings")); err != nil {
		return nil, fmt.Errorf("shared texts: %w", err)
	}
	if b.styles, err = b.readStyles(rels.byType("/styles")); err != nil {
		return nil, fmt.Errorf("styles: %w", err)
	}
	return b, nil
}

// relation is one line of a part's relationships.
type relation struct {
	id, typ, target string
	external        bool // target is an address, never followed
}

type relationList []relation

// maxRelations is how many other parts a part may refer to.
const maxRelations = 100_000

// relations reads what a part refers to; "" is the package itself. A part that
// is referred to and is not there makes the workbook damaged: it was renamed.
func relations(ps Parts, part string) (relationList, error) {
	dir, base := path.Split(part)
	data, ok := ps.content[dir+"_rels/"+base+".rels"]
	if !ok {
		return nil, nil
	}
	var list relationList
	err := elements(data, func(s *xmlScanner) error {
		if string(s.name) != "Relationship" {
			return nil
		}
		r := relation{
			id: string(s.attr("Id")), typ: string(s.attr("Type")), external: string(s.attr("TargetMode")) == "External",
		}
		target, err := s.attrText("Target")
		if !strings.HasPrefix(target, "/") && !r.external {
			target = dir + target
		}
		r.target = target
		if !r.external {
			r.target = partName(target)
		}
		list = append(list, r)
		if len(list) > maxRelations {
			return beyond("take pictures and links out of it", "", "there are more than %d; want fewer", maxRelations)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("relationships of %q: %w", part, err)
	}
	return list, list.present(ps)
}

// needed are the sorts of parts whose loss would change what is read.
var needed = []string{"/worksheet", "/sharedStrings", "/styles", "/officeDocument", "/drawing"}

func (list relationList) present(ps Parts) error {
	for _, r := range list {
		for _, suffix := range needed {
			if strings.HasSuffix(r.typ, suffix) && !r.external && !ps.has(r.target) {
				return fmt.Errorf("its part %q is missing", r.target)
			}
		}
	}
	return nil
}

func (list relationList) byType(suffix string) string {
	for _, r := range list {
		if strings.HasSuffix(r.typ, suffix) && !r.external {
			return r.target
		}
	}
	return ""
}

func (list relationList) byID(id string) (relation, bool) {
	for _, r := range list {
		if r.id == id && !r.external {
			return r, true
		}
	}
	return relation{}, false
}

// elements walks a part and calls visit at each start of an element.
func elements(data []byte, visit func(*xmlScanner) error) error {
	s, err := newScanner(data)
	if err != nil {
		return err
	}
	for {
		kind, err := s.next()
		if err != nil || kind == xmlEnd {
			return err
		}
		if kind != xmlOpen {
			continue
		}
		if err := visit(s); err != nil {
			return err
		}
	}
}

func (b *Book) readSheets(main string, rels relationList) error {
	err := elements(b.parts.content[main], func(s *xmlScanner) error {
		switch name := string(s.name); {
		case name == "workbookPr" && len(s.open) == 2: // not the one of an extension, which Excel writes behind it
			value := string(s.attr("date1904"))
			b.Date1904 = value == "1" || value == "true"
		case name == "sheet":
			return b.addSheet(s, rels)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, r := range rels {
		listed := slices.ContainsFunc(b.Sheets, func(have Sheet) bool { return have.Part == r.target })
		if strings.HasSuffix(r.typ, "/worksheet") && !listed {
			return fmt.Errorf("its sheet %q is in no list of sheets", r.target)
		}
	}
	return nil
}

// maxSheets is how many sheets a workbook may have.
const maxSheets = 1_000

func (b *Book) addSheet(s *xmlScanner, rels relationList) error {
	if len(s.open) != 3 {
		return nil
	}
	name, err := s.attrText("name")
	if err != nil {
		return err
	}
	var id []byte
	for _, a := range s.attrs {
		if string(localName(a.name)) == "id" {
			id = a.value
		}
	}
	r, ok := rels.byID(string(id))
	if !ok {
		return fmt.Errorf("sheet %q has no part", name)
	}
	if !strings.HasSuffix(r.typ, "/worksheet") {
		return nil // a chart or a dialog has no cells
	}
	if slices.ContainsFunc(b.Sheets, func(have Sheet) bool { return have.Part == r.target }) {
		return fmt.Errorf("sheet %q has the part of another", name)
	}
	if len(b.Sheets) >= maxSheets {
		return beyond("split the workbook", "", "it has more than %d sheets; want at most so many", maxSheets)
	}
	state := string(s.attr("state"))
	b.Sheets = append(b.Sheets, Sheet{Name: name, Part: r.target, Hidden: state == "hidden" || state == "veryHidden"})
	return nil
}

// sharedStrings reads the texts that cells name by number, runs of rich text
// joined, phonetic guides left out.
func (b *Book) sharedStrings(part string) ([]string, error) {
	if part == "" {
		return nil, nil
	}
	s, err := newScanner(b.parts.content[part])
	if err != nil {
		return nil, err
	}
	declared := 0
	table := make([]string, 0, bytes.Count(s.data, []byte("si>")))
	for {
		kind, err := s.next()
		switch {
		case err != nil:
			return nil, err
		case kind == xmlEnd && len(table) < declared:
			return nil, fmt.Errorf("%d are written where %d are declared", len(table), declared)
		case kind == xmlEnd:
			return table, nil
		case kind == xmlOpen && len(s.open) == 1:
			declared, _ = strconv.Atoi(string(s.attr("uniqueCount"))) // 0 where it is not said
		case kind == xmlOpen && string(s.name) == "si":
			text, err := s.richText("si")
			if err != nil {
				return nil, err
			}
			table = append(table, text)
		}
	}
}
