package xlsx

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

// CannotAdd returns why a workbook gets no sheet of a name, "" where it gets one.
func (b *Book) CannotAdd(sheet string) (why string, err error) {
	if b.parts.isSigned() {
		why = "the workbook is signed, and a change would break the signature"
	}
	if b.rels.byType("/revisionHeaders") != "" {
		why = "several people change the workbook at once, which Excel calls shared; end that first"
	}
	sheets := 0
	err = elements(b.parts.content[b.main], func(s *xmlScanner) error {
		switch name := string(s.name); {
		case len(s.open) == 1 && slices.ContainsFunc(s.attrs, isStrict):
			why = cmp.Or(why, "the workbook is stored as Strict Open XML; save it as an Excel workbook (.xlsx)")
		case len(s.open) == 2 && name == "workbookProtection" && isTrue(s.attr("lockStructure")):
			why = cmp.Or(why, "the structure of the workbook is protected; end that first")
		case len(s.open) == 3 && name == "sheet":
			sheets++
			has, err := s.attrText("name")
			if strings.EqualFold(has, sheet) {
				why = cmp.Or(why, "another sheet has that name")
			}
			return err
		}
		return nil
	})
	if sheets >= maxSheets {
		why = cmp.Or(why, fmt.Sprintf("the workbook has %d sheets already", sheets))
	}
	return why, err
}

// isStrict reports whether an attribute declares the names of the strict form.
func isStrict(a xmlAttribute) bool {
	return strings.HasPrefix(string(a.name), "xmlns") &&
		strings.HasPrefix(string(a.value), "http://purl.oclc.org/ooxml/")
}

// graft puts the sheet of one workbook into another.
type graft struct {
	*packageEdit
	of    *Book
	names map[string]string // of the parts it gets, by those they have there
	looks joinedStyles
}

// addFrom adds the sheet of a workbook, if one is given.
func (p *packageEdit) addFrom(content []byte, within Limits) (of *Book, err error) {
	if content == nil {
		return nil, nil
	}
	if of, err = openBook(content, within); err == nil {
		err = p.add(of)
	}
	return of, err
}

// add puts the first sheet of another workbook behind the last one, with all that it leads to: its drawing, its charts,
// its looks. They become parts of their own. Of those that are there only the lists of parts, sheets and styles grow.
func (p *packageEdit) add(of *Book) error {
	g := &graft{packageEdit: p, of: of, names: map[string]string{}}
	if err := g.joinStyles(); err != nil {
		return fmt.Errorf("styles: %w", err)
	}
	if err := g.copyPart(of.Sheets[0].Part); err != nil {
		return err
	}
	return g.list()
}

// copyPart copies a part and those it leads to.
func (g *graft) copyPart(part string) error {
	if g.names[part] != "" {
		return nil
	}
	g.names[part] = g.freeName(part)
	rels, err := relations(g.of.parts, part)
	if err != nil {
		return err
	}
	var list strings.Builder
	for _, r := range rels {
		if r.external {
			return fmt.Errorf("part %q leads to %q outside", part, r.target)
		}
		if err := g.copyPart(r.target); err != nil {
			return err
		}
		fmt.Fprintf(&list, `<Relationship Id="%s" Type="%s" Target="/%s"/>`, r.id, r.typ, g.names[r.target])
	}
	data := g.of.parts.content[part]
	if part == g.of.Sheets[0].Part {
		if data, err = g.dressed(data); err != nil {
			return err
		}
	}
	g.put(g.names[part], data)
	if len(rels) > 0 {
		g.put(relationsOf(g.names[part]), []byte(relationsHead+list.String()+"</Relationships>"))
	}
	return nil
}

// What the relationships of a part begin with, and the names that parts use.
const (
	relationsHead = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n" +
		`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`
	sheetNames  = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
	officeNames = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
)

func relationsOf(part string) string {
	dir, base := path.Split(part)
	return dir + "_rels/" + base + ".rels"
}

func (g *graft) put(name string, data []byte) {
	g.changed[name] = data
	g.added = append(g.added, name)
}

// freeName is the name of a part, or one like it that nothing has yet.
func (g *graft) freeName(part string) string {
	stem := strings.TrimRight(strings.TrimSuffix(part, ".xml"), "0123456789")
	for n, name := 1, part; ; n++ {
		if !g.book.parts.has(name) && !g.book.parts.has(relationsOf(name)) && g.changed[name] == nil {
			return name
		}
		name = fmt.Sprintf("%s%d.xml", stem, n)
	}
}

// dressed is the sheet with the numbers that its styles have here, and not the one that is open.
func (g *graft) dressed(sheet []byte) ([]byte, error) {
	s, err := newScanner(sheet)
	if err != nil {
		return nil, err
	}
	var splices []splice
	for {
		kind, err := s.next()
		if err != nil {
			return nil, err
		}
		if kind == xmlEnd {
			return spliced(s.data, splices), nil
		}
		if kind != xmlOpen {
			continue
		}
		switch string(s.name) {
		case "c", "row":
			splices, err = s.renumber(splices, "s", g.looks.cell)
		case "col":
			splices, err = s.renumber(splices, "style", g.looks.cell)
		case "cfRule":
			splices, err = s.renumber(splices, "dxfId", g.looks.tone)
		case "sheetView":
			splices = s.replace(splices, "tabSelected", "0")
		}
		if err != nil {
			return nil, err
		}
	}
}

// list names the new parts and the sheet where a workbook does.
func (g *graft) list() error {
	if err := g.appendTo("[content_types].xml", "", g.typesOf); err != nil {
		return err
	}
	sheet := g.of.Sheets[0]
	id := g.freeRelation()
	if err := g.appendTo(relationsOf(g.book.main), "", func(prefix string) string {
		return fmt.Sprintf(`<%sRelationship Id="%s" Type="%s/worksheet" Target="/%s"/>`,
			prefix, id, officeNames, g.names[sheet.Part])
	}); err != nil {
		return err
	}
	count, free, err := g.sheetsListed()
	if err != nil {
		return err
	}
	if err := g.appendTo(g.book.main, "sheets", func(prefix string) string {
		return fmt.Sprintf(`<%ssheet xmlns:r="%s" name="%s" sheetId="%d" r:id="%s"/>`,
			prefix, officeNames, escapeText(sheet.Name), free, id)
	}); err != nil {
		return err
	}
	return g.addNames(count)
}

// typesOf says what the new parts are.
func (g *graft) typesOf(prefix string) (list string) {
	_ = elements(g.of.parts.content["[content_types].xml"], func(s *xmlScanner) error { // adsync wrote it
		if name := g.names[partName(string(s.attr("PartName")))]; string(s.name) == "Override" && name != "" {
			list += fmt.Sprintf(`<%sOverride PartName="/%s" ContentType="%s"/>`, prefix, name, s.attr("ContentType"))
		}
		return nil
	})
	return list
}

// freeRelation is a name of a relationship that the workbook has not yet.
func (g *graft) freeRelation() string {
	taken := map[string]bool{}
	for _, r := range g.book.rels {
		taken[strings.ToLower(r.id)] = true
	}
	for n := 1; ; n++ {
		if id := fmt.Sprintf("rIdAdsync%d", n); !taken[strings.ToLower(id)] {
			return id
		}
	}
}

// sheetsListed returns how many sheets of any sort there are, and the least number that none has: the greatest may be
// the last that programs take.
func (g *graft) sheetsListed() (count, free int, err error) {
	taken := map[string]bool{}
	err = elements(g.book.parts.content[g.book.main], func(s *xmlScanner) error {
		if len(s.open) == 3 && string(s.name) == "sheet" {
			count++
			taken[string(s.attr("sheetId"))] = true
		}
		return nil
	})
	for free = 1; taken[strconv.Itoa(free)]; {
		free++
	}
	return count, free, err
}

// beforeNames are the elements of a workbook's list of sheets that come before its names
// (ECMA-376 part 1, 18.2.27).
var beforeNames = []string{"sheets", "functionGroups", "externalReferences"}

// addNames adds the names of the sheet: of its filter, and of the rows that are on each page of it.
func (g *graft) addNames(at int) error {
	write := func(prefix string) (list string) {
		_ = elements(g.of.parts.content[g.of.main], func(s *xmlScanner) error { // it was read before
			if string(s.name) != "definedName" || s.attr("localSheetId") == nil {
				return nil
			}
			hidden := ""
			if isTrue(s.attr("hidden")) {
				hidden = ` hidden="1"`
			}
			name := string(s.attr("name"))
			e, err := s.passed()
			list += fmt.Sprintf(`<%[1]sdefinedName name="%[2]s" localSheetId="%[3]d"%[4]s>%[5]s</%[1]sdefinedName>`,
				prefix, name, at, hidden, s.data[e.head:e.tail])
			return err
		})
		return list
	}
	_, list, err := childrenOf(g.part(g.book.main))
	if err != nil {
		return err
	}
	if slices.ContainsFunc(list, func(c child) bool { return c.name == "definedNames" }) {
		return g.appendTo(g.book.main, "definedNames", write)
	}
	return g.putAfter(g.book.main, beforeNames, func(prefix string) string {
		return fmt.Sprintf("<%[1]sdefinedNames>%[2]s</%[1]sdefinedNames>", prefix, write(prefix))
	})
}
