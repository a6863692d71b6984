package xlsx

import (
	"bytes"
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

// isStrict reports whether a workbook is stored in the strict form.
func (b *Book) isStrict() (is bool) {
	_ = elements(b.parts.content[b.main], func(s *xmlScanner) error { // it was read before
		is = is || len(s.open) == 1 && slices.ContainsFunc(s.attrs, isStrict)
		return nil
	})
	return is
}

// isStrict reports whether an attribute declares the names of the strict form.
func isStrict(a xmlAttribute) bool {
	return strings.HasPrefix(string(a.name), "xmlns") &&
		strings.HasPrefix(string(a.value), "http://purl.oclc.org/ooxml/")
}

// graft puts the sheets of one workbook, the donor, into another.
type graft struct {
	*packageEdit
	names map[string]string // of the parts it gets, by those they have there
	links map[string][]Link // of the sheets, by their names
	forms *strings.Replacer // turns names of elements into those of the other; nil where they are the same
	ids   int               // relationships that it named
}

// graftOf reads a workbook whose sheets are to be put in, if one is given, and makes its styles known.
func (p *packageEdit) graftOf(content []byte, within Limits) (g *graft, err error) {
	g = &graft{packageEdit: p, names: map[string]string{}, links: map[string][]Link{}}
	if content == nil {
		return g, nil
	}
	if p.donor, err = openBook(content, within); err != nil {
		return g, err
	}
	if p.book.isStrict() {
		g.forms = strings.NewReplacer(sheetNames, strictSheetNames, officeNames, strictOfficeNames)
	}
	if err := g.joinStyles(); err != nil {
		return g, fmt.Errorf("styles: %w", err)
	}
	return g, nil
}

// add puts in the sheets of the donor, with all that they lead to: their drawings, their charts, their notes. They
// become parts of their own. Of those that are there only the lists of parts, sheets and styles grow.
func (g *graft) add(links []Link) error {
	for _, l := range links {
		g.links[l.Sheet] = append(g.links[l.Sheet], l)
	}
	for i, sheet := range g.donor.sheets() {
		there := g.book.sheetNamed(sheet.Name)
		if there >= 0 {
			part := g.book.Sheets[there].Part
			g.names[sheet.Part] = part
			if err := g.dropBelow(part); err != nil {
				return err
			}
			if formulaStart.Match(g.part(part)) {
				g.overwritten = append(g.overwritten, At{1, 1}) // or another: the chain of calculation names them
			}
		}
		if err := g.copyPart(sheet.Part); err != nil {
			return err
		}
		if err := g.list(i, sheet, there >= 0); err != nil {
			return err
		}
	}
	if len(g.names) == 0 {
		return nil
	}
	return g.appendTo(typesPart, "", g.typesOf)
}

// dropBelow takes out what a part alone leads to: another comes in its place.
func (g *graft) dropBelow(part string) error {
	own, err := relations(g.book.parts, part)
	if err != nil {
		return err
	}
	used := map[string]bool{}
	for name := range g.book.parts.content {
		owner, isList := strings.CutSuffix(name, ".rels")
		owner = strings.Replace(owner, "_rels/", "", 1)
		if !isList || owner == part {
			continue
		}
		rels, err := relations(g.book.parts, owner)
		if err != nil {
			return err
		}
		for _, r := range rels {
			used[r.target] = true
		}
	}
	var unused []string
	for _, r := range own {
		if !r.external && !used[r.target] && !g.dropped[r.target] {
			unused = append(unused, r.target)
		}
	}
	g.dropped[relationsOf(part)] = true
	if err := g.drop(unused...); err != nil {
		return err
	}
	for _, below := range unused {
		if err := g.dropBelow(below); err != nil {
			return err
		}
	}
	return nil
}

// copyPart copies a part and those it leads to.
func (g *graft) copyPart(part string) error {
	if g.names[part] == "" {
		g.names[part] = g.freeName(part)
	}
	rels, err := relations(g.donor.parts, part)
	if err != nil {
		return err
	}
	var list strings.Builder
	for _, r := range rels {
		if r.external {
			return fmt.Errorf("part %q leads to %q outside", part, r.target)
		}
		if g.names[r.target] == "" {
			if err := g.copyPart(r.target); err != nil {
				return err
			}
		}
		fmt.Fprintf(&list, `<Relationship Id="%s" Type="%s" Target="/%s"/>`, r.id, r.typ, g.names[r.target])
	}
	data, err := g.donor.content(part)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(g.donor.Sheets, func(s Sheet) bool { return s.Part == part })
	if i >= 0 {
		if data, err = g.dressed(data, g.donor.Sheets[i].Name); err != nil {
			return err
		}
	}
	g.put(g.names[part], g.formed(data))
	if len(rels) > 0 {
		g.put(relationsOf(g.names[part]), g.formed([]byte(relationsHead+list.String()+"</Relationships>")))
	}
	return nil
}

// formed is XML of the donor in the form, transitional or strict, of the workbook.
func (g *graft) formed(data []byte) []byte {
	if g.forms == nil {
		return data
	}
	return []byte(g.forms.Replace(string(data)))
}

// content returns a part, whatever it is.
func (b *Book) content(part string) ([]byte, error) {
	if data, isXML := b.parts.content[part]; isXML {
		return data, nil
	}
	return b.Media(part, maxList)
}

// What the relationships of a part begin with, and the names that parts use.
const (
	relationsHead = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n" +
		`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`
	sheetNames  = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
	officeNames = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"

	strictSheetNames  = "http://purl.oclc.org/ooxml/spreadsheetml/main"
	strictOfficeNames = "http://purl.oclc.org/ooxml/officeDocument/relationships"
)

func relationsOf(part string) string {
	dir, base := path.Split(part)
	return dir + "_rels/" + base + ".rels"
}

func (g *graft) put(name string, data []byte) {
	if g.changed[name] == nil && !g.book.parts.has(name) {
		g.added = append(g.added, name)
	}
	g.changed[name] = data
	delete(g.dropped, name)
}

// freeName is the name of a part, or one like it that nothing has yet.
func (p *packageEdit) freeName(part string) string {
	end := path.Ext(part)
	stem := strings.TrimRight(strings.TrimSuffix(part, end), "0123456789")
	for n, name := 1, part; ; n++ {
		if !p.book.parts.has(name) && !p.book.parts.has(relationsOf(name)) && p.changed[name] == nil {
			return name
		}
		name = fmt.Sprintf("%s%d%s", stem, n, end)
	}
}

// dressed is a sheet with the numbers that its styles have here, its texts in its cells, and its links; it is not the
// one that is open.
func (g *graft) dressed(sheet []byte, name string) ([]byte, error) {
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
			return g.linked(spliced(s.data, splices), name)
		}
		if kind != xmlOpen {
			continue
		}
		switch string(s.name) {
		case "c":
			if s.attr("s") == nil { // the usual look there may be another here
				splices = s.set(splices, "s", strconv.Itoa(g.looks.cell(0)))
			}
			if splices, err = s.renumber(splices, "s", g.looks.cell); err == nil && string(s.attr("t")) == "s" {
				splices, err = g.inCell(s, splices)
			}
		case "row":
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

// inCell writes a text that cells share into the cell just opened.
func (g *graft) inCell(s *xmlScanner, splices []splice) ([]splice, error) {
	splices = s.replace(splices, "t", "inlineStr")
	cell := s.opened()
	for depth := len(s.open); len(s.open) >= depth; {
		kind, err := s.next()
		if err != nil {
			return nil, err
		}
		if kind != xmlText || string(s.name) != "v" {
			continue
		}
		n, err := strconv.Atoi(string(s.text))
		if err != nil || n < 0 || n >= len(g.donor.strings) {
			return nil, fmt.Errorf("a cell has the text %q of %d", s.text, len(g.donor.strings))
		}
		_, text := Cell{Form: TextCell, Text: g.donor.strings[n]}.content("")
		splices = append(splices, splice{cell.head, s.pos + len("</v>"), text})
	}
	return splices, nil
}

// list names a sheet where a workbook does, if it has not the place of another, and the names that are its own.
func (g *graft) list(number int, sheet Sheet, inPlace bool) error {
	if !inPlace {
		id := g.freeRelation()
		if err := g.appendTo(relationsOf(g.book.main), "", func(prefix string) string {
			return fmt.Sprintf(`<%sRelationship Id="%s" Type="%s/worksheet" Target="/%s"/>`,
				prefix, id, g.formed([]byte(officeNames)), g.names[sheet.Part])
		}); err != nil {
			return err
		}
		free, err := g.freeSheetID()
		if err != nil {
			return err
		}
		if err := g.appendTo(g.book.main, "sheets", func(prefix string) string {
			return fmt.Sprintf(`<%ssheet xmlns:r="%s" name="%s" sheetId="%d" r:id="%s"/>`,
				prefix, g.formed([]byte(officeNames)), escapeText(sheet.Name), free, id)
		}); err != nil {
			return err
		}
	}
	at, err := g.placeOf(sheet.Name)
	if err != nil {
		return err
	}
	if inPlace {
		if err := g.dropNames(at); err != nil {
			return err
		}
	}
	return g.addNames(number, at)
}

// dropNames takes out the names that a sheet alone has.
func (g *graft) dropNames(at int) error {
	local := strconv.Itoa(at)
	if err := g.removeElements(g.book.main, func(s *xmlScanner) bool {
		return string(s.name) == "definedName" && string(s.attr("localSheetId")) == local
	}); err != nil {
		return err
	}
	_, list, err := childrenOf(g.part(g.book.main))
	if err != nil {
		return err
	}
	data := bare(g.part(g.book.main))
	for _, c := range list {
		if c.name == "definedNames" && len(bytes.TrimSpace(data[c.head:c.tail])) == 0 {
			g.change(g.book.main, data, []splice{{c.from, c.to, ""}}) // such a list is not empty
		}
	}
	return nil
}

// typesOf says what the new parts are: each by its name, or those of an ending together.
func (g *graft) typesOf(prefix string) (list string) {
	endings := map[string]bool{}
	_ = elements(g.part(typesPart), func(s *xmlScanner) error { // it was read before
		endings[strings.ToLower(string(s.attr("Extension")))] = true
		return nil
	})
	_ = elements(g.donor.parts.content[typesPart], func(s *xmlScanner) error { // adsync wrote it
		name := g.names[partName(string(s.attr("PartName")))]
		ending := strings.ToLower(string(s.attr("Extension")))
		switch {
		case string(s.name) == "Override" && name != "" && slices.Contains(g.added, name):
			list += fmt.Sprintf(`<%sOverride PartName="/%s" ContentType="%s"/>`, prefix, name, s.attr("ContentType"))
		case string(s.name) == "Default" && !endings[ending] && g.hasAdded(ending):
			list += fmt.Sprintf(`<%sDefault Extension="%s" ContentType="%s"/>`, prefix, ending, s.attr("ContentType"))
		}
		return nil
	})
	return list
}

func (g *graft) hasAdded(ending string) bool {
	return slices.ContainsFunc(g.added, func(name string) bool { return strings.HasSuffix(name, "."+ending) })
}

// freeRelation is a name of a relationship that the workbook has not yet.
func (g *graft) freeRelation() string {
	taken := map[string]bool{}
	for _, r := range g.book.rels {
		taken[strings.ToLower(r.id)] = true
	}
	for {
		g.ids++
		if id := fmt.Sprintf("rIdAdsync%d", g.ids); !taken[strings.ToLower(id)] {
			return id
		}
	}
}

// freeSheetID returns the least number that no sheet of any sort has: the greatest may be the last that programs take.
func (g *graft) freeSheetID() (free int, err error) {
	taken := map[string]bool{}
	err = elements(g.part(g.book.main), func(s *xmlScanner) error {
		if len(s.open) == 3 && string(s.name) == "sheet" {
			taken[string(s.attr("sheetId"))] = true
		}
		return nil
	})
	for free = 1; taken[strconv.Itoa(free)]; {
		free++
	}
	return free, err
}

// beforeNames are the elements of a workbook's list of sheets that come before its names
// (ECMA-376 part 1, 18.2.27).
var beforeNames = []string{"sheets", "functionGroups", "externalReferences"}

// addNames adds the names of a sheet of the donor: of its filter, and of the rows that are on each page of it.
func (g *graft) addNames(number, at int) error {
	local := strconv.Itoa(number)
	write := func(prefix string) (list string) {
		_ = elements(g.donor.parts.content[g.donor.main], func(s *xmlScanner) error { // it was read before
			if string(s.name) != "definedName" || string(s.attr("localSheetId")) != local {
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
	if err != nil || write("") == "" {
		return err
	}
	if slices.ContainsFunc(list, func(c child) bool { return c.name == "definedNames" }) {
		return g.appendTo(g.book.main, "definedNames", write)
	}
	return g.putAfter(g.book.main, beforeNames, func(prefix string) string {
		return fmt.Sprintf("<%[1]sdefinedNames>%[2]s</%[1]sdefinedNames>", prefix, write(prefix))
	})
}

// beforeLinks are the elements of a sheet that come before its links (ECMA-376 part 1, 18.3.1.99).
var beforeLinks = []string{"sheetData", "sheetCalcPr", "sheetProtection", "protectedRanges", "scenarios", "autoFilter",
	"sortState", "dataConsolidate", "customSheetViews", "mergeCells", "phoneticPr", "conditionalFormatting",
	"dataValidations"}

// linked is a sheet of the donor with its links.
func (g *graft) linked(data []byte, name string) ([]byte, error) {
	links := g.links[name]
	if len(links) == 0 {
		return data, nil
	}
	root, list, err := childrenOf(data)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	for _, l := range links {
		fmt.Fprintf(&b, `<%shyperlink ref="%s" location="%s"/>`, root.prefix, l.At, quotedText(l.To))
	}
	return spliced(data, []splice{placed(root, list, beforeLinks,
		fmt.Sprintf("<%[1]shyperlinks>%[2]s</%[1]shyperlinks>", root.prefix, b.String()))}), nil
}

// quotedText is a text as the value of an attribute.
func quotedText(text string) string { return strings.ReplaceAll(escapeText(text), `"`, "&quot;") }
