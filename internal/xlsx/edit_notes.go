package xlsx

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"adsync/internal/pattern"
)

// Note is a note on a cell. It stands beneath the one that the cell has, unless that is of the same author: then it
// takes its place.
type Note struct {
	Sheet         string
	At            At
	Author, Text  string
	Width, Height int // of its box, in pixels
}

// addNotes writes notes on sheets that were there before. A sheet with conversations, and one whose drawing of notes
// cannot be read, get none.
func (p *copyEdit) addNotes(notes []Note) error {
	bySheet := map[string][]Note{}
	for _, n := range notes {
		bySheet[n.Sheet] = append(bySheet[n.Sheet], n)
	}
	for _, sheet := range p.book.Sheets {
		if len(bySheet[sheet.Name]) == 0 {
			continue
		}
		if err := p.addSheetNotes(sheet.Part, bySheet[sheet.Name]); err != nil {
			return fmt.Errorf("sheet %q: notes: %w", sheet.Name, err)
		}
	}
	return nil
}

func (p *copyEdit) addSheetNotes(sheet string, notes []Note) error {
	rels, err := relations(p.book.parts, sheet)
	if err != nil {
		return err
	}
	list, drawing, err := p.notesOf(sheet, rels)
	if err != nil || list == nil {
		return err
	}
	sizes, err := p.columnSizes(sheet)
	if err != nil {
		return err
	}
	for _, n := range notes {
		if err := list.add(n); err != nil {
			return err
		}
		own, has := list.notes[n.At]
		drawing.add(n, sizes, has && own.author == slices.Index(list.names, n.Author))
	}
	p.changed[list.part], p.changed[drawing.part] = list.written(), drawing.written()
	return nil
}

// The types of what a sheet with notes leads to, and of their parts.
const (
	notesRelation   = "/comments"
	drawingRelation = "/vmlDrawing"
	notesType       = "application/vnd.openxmlformats-officedocument.spreadsheetml.comments+xml"
	drawingType     = "application/vnd.openxmlformats-officedocument.vmlDrawing"
)

// beforeDrawing are the elements of a sheet that come before the drawing of its notes (ECMA-376 part 1, 18.3.1.99).
var beforeDrawing = append(slices.Clone(beforeLinks),
	"hyperlinks", "printOptions", "pageMargins", "pageSetup", "headerFooter", "rowBreaks", "colBreaks",
	"customProperties", "cellWatches", "ignoredErrors", "smartTags", "drawing")

// notesOf returns the notes of a sheet and their drawing, made where they are not there; nil where the sheet gets none.
func (p *copyEdit) notesOf(sheet string, rels relationList) (*noteList, *noteDrawing, error) {
	if slices.ContainsFunc(rels, func(r relation) bool { return strings.HasSuffix(r.typ, "/threadedComment") }) {
		return nil, nil, nil
	}
	drawn, err := p.drawingOf(sheet)
	if err != nil {
		return nil, nil, err
	}
	r, isDrawn := rels.byID(drawn)
	if drawn != "" && (!isDrawn || p.dropped[r.target]) {
		return nil, nil, nil
	}
	content := []byte(emptyDrawing)
	if isDrawn {
		if content, err = p.book.content(r.target); err != nil {
			return nil, nil, nil
		}
	}
	names := sheetNames
	if p.book.isStrict() {
		names = strictSheetNames
	}
	list := &noteList{data: fmt.Appendf(nil, emptyNotes, names)}
	if part := rels.byType(notesRelation); part != "" {
		list.part, list.data = part, bare(p.part(part))
	}
	if list.read() != nil {
		return nil, nil, nil
	}
	drawing, readable := readDrawing(content, list.notes)
	if !readable {
		return nil, nil, nil
	}
	drawing.part = r.target
	if list.part == "" {
		list.part = p.freeName("xl/comments1.xml")
		if err := p.lead(sheet, notesRelation, rels.freeID("rIdAdsyncNotes"), list.part, notesType); err != nil {
			return nil, nil, err
		}
	}
	if drawing.part != "" {
		return list, drawing, nil
	}
	drawing.part = p.freeName("xl/drawings/vmldrawing1.vml")
	id := rels.freeID("rIdAdsyncDrawing")
	if err := p.lead(sheet, drawingRelation, id, drawing.part, drawingType); err != nil {
		return nil, nil, err
	}
	return list, drawing, p.putAfter(sheet, beforeDrawing, func(prefix string) string {
		return fmt.Sprintf(`<%slegacyDrawing xmlns:r="%s" r:id="%s"/>`, prefix, p.officeNames(), id)
	})
}

// freeID returns the name of a relationship, or one like it that no other has.
func (list relationList) freeID(name string) string {
	id := name
	for n := 2; slices.ContainsFunc(list, func(r relation) bool { return strings.EqualFold(r.id, id) }); n++ {
		id = fmt.Sprint(name, n)
	}
	return id
}

// officeNames are those of relationships in the form of the workbook.
func (p *packageEdit) officeNames() string {
	if p.book.isStrict() {
		return strictOfficeNames
	}
	return officeNames
}

// drawingOf returns the relationship that leads to the drawing of the notes of a sheet, "" where there is none.
func (p *copyEdit) drawingOf(sheet string) (id string, err error) {
	err = elements(p.part(sheet), func(s *xmlScanner) error {
		if len(s.open) == 2 && string(s.name) == "legacyDrawing" {
			id, err = s.attrText("id")
			return err
		}
		return nil
	})
	return id, err
}

// lead has a part lead to a new one.
func (p *copyEdit) lead(from, relationType, id, to, contentType string) error {
	p.changed[to] = []byte{}
	p.added = append(p.added, to)
	list := relationsOf(from)
	if p.part(list) == nil {
		p.changed[list] = []byte(relationsHead + "</Relationships>")
		p.added = append(p.added, list)
	}
	if err := p.appendTo(list, "", func(prefix string) string {
		return fmt.Sprintf(`<%sRelationship Id="%s" Type="%s%s" Target="/%s"/>`,
			prefix, id, p.officeNames(), relationType, to)
	}); err != nil {
		return err
	}
	return p.appendTo(typesPart, "", func(prefix string) string {
		return fmt.Sprintf(`<%sOverride PartName="/%s" ContentType="%s"/>`, prefix, to, contentType)
	})
}

// emptyNotes are the notes of a sheet that has none.
const emptyNotes = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>` + "\n" +
	`<comments xmlns="%s"><authors></authors><commentList></commentList></comments>`

// noteList is the part that holds the notes of a sheet.
type noteList struct {
	part          string
	data          []byte
	authors, list child
	names         []string // of the authors
	had           int      // authors that were there
	notes         map[At]ownNote
	splices       []splice
	added         strings.Builder
}

// ownNote is a note that is there.
type ownNote struct {
	element
	author int
	text   child
}

func (l *noteList) read() error {
	_, parts, err := childrenOf(l.data)
	if err != nil {
		return err
	}
	for _, part := range parts {
		switch part.name {
		case "authors":
			l.authors = part
		case "commentList":
			l.list = part
		}
	}
	if l.authors.name == "" || l.list.name == "" {
		return fmt.Errorf("part %q has no authors, or no notes", l.part)
	}
	err = elements(l.data[l.authors.from:l.authors.to], func(s *xmlScanner) error {
		if len(s.open) != 2 {
			return nil
		}
		name, err := s.elementText()
		l.names = append(l.names, unescapeX(name))
		return err
	})
	if err != nil {
		return err
	}
	l.had, l.notes = len(l.names), map[At]ownNote{}
	_, notes, err := childrenOf(l.data[l.list.from:l.list.to])
	if err != nil {
		return err
	}
	for _, n := range notes {
		if err := l.readNote(n.moved(l.list.from)); err != nil {
			return err
		}
	}
	return nil
}

// moved is a child that was found in a piece of the bytes, as it lies in all of them.
func (c child) moved(by int) child {
	c.from, c.head, c.tail, c.to = c.from+by, c.head+by, c.tail+by, c.to+by
	return c
}

func (l *noteList) readNote(n child) error {
	s, err := newScanner(l.data[n.from:n.to])
	if err != nil {
		return err
	}
	if _, err := s.next(); err != nil {
		return err
	}
	row, column, ok := parseCellName(string(s.attr("ref")))
	if !ok {
		return fmt.Errorf("a note is on %q; want a cell", s.attr("ref"))
	}
	own := ownNote{element: n.element}
	own.author, _ = strconv.Atoi(string(s.attr("authorId")))
	_, parts, err := childrenOf(l.data[n.from:n.to])
	if err != nil {
		return err
	}
	if i := slices.IndexFunc(parts, func(c child) bool { return c.name == "text" }); i >= 0 {
		own.text = parts[i].moved(n.from)
	}
	l.notes[At{row, column}] = own
	return nil
}

// add writes a note.
func (l *noteList) add(n Note) error {
	author := slices.Index(l.names, n.Author)
	if author < 0 {
		author = len(l.names)
		l.names = append(l.names, n.Author)
	}
	own, has := l.notes[n.At]
	if !has || own.author == author || own.text.name == "" {
		text := fmt.Sprintf(`<%[1]scomment ref="%[2]s" authorId="%[3]d"><%[1]stext>`+
			`<%[1]st xml:space="preserve">%[4]s</%[1]st></%[1]stext></%[1]scomment>`,
			l.list.prefix, n.At, author, escapeText(n.Text))
		if has {
			l.splices = append(l.splices, splice{own.from, own.to, text})
		} else {
			l.added.WriteString(text)
		}
		return nil
	}
	return l.addBelow(own.text, n)
}

// addBelow writes a note beneath the text of another author, whose letters stay as they look.
func (l *noteList) addBelow(text child, n Note) error {
	root, pieces, err := childrenOf(l.data[text.from:text.to])
	if err != nil {
		return err
	}
	for _, piece := range pieces { // text without looks of its own comes first, and alone
		if piece.name == "t" {
			piece = piece.moved(text.from)
			l.splices = append(l.splices, splice{piece.from, piece.from, "<" + piece.prefix + "r>"},
				splice{piece.to, piece.to, "</" + piece.prefix + "r>"})
		}
	}
	below := placed(root, pieces, []string{"t", "r"}, fmt.Sprintf(
		`<%[1]sr><%[1]st xml:space="preserve">%[2]s</%[1]st></%[1]sr>`,
		text.prefix, escapeText("\n\n"+n.Author+": "+n.Text)))
	l.splices = append(l.splices, splice{below.from + text.from, below.to + text.from, below.text})
	return nil
}

func (l *noteList) written() []byte {
	var names strings.Builder
	for _, name := range l.names[l.had:] {
		fmt.Fprintf(&names, "<%[1]sauthor>%[2]s</%[1]sauthor>", l.authors.prefix, escapeText(name))
	}
	all := append(l.splices, l.list.appended(l.added.String()))
	if names.Len() > 0 {
		all = append(all, l.authors.appended(names.String()))
	}
	return spliced(l.data, all)
}

// emptyDrawing draws no note yet. A shape is of the type that programs give notes.
const emptyDrawing = `<xml` + drawingNames + `>` +
	`<o:shapelayout v:ext="edit"><o:idmap v:ext="edit" data="1"/></o:shapelayout></xml>`

// drawingNames declare what the names of a drawing begin with.
const drawingNames = ` xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office"` +
	` xmlns:x="urn:schemas-microsoft-com:office:excel"`

const noteShapes = `<v:shapetype%s id="_x0000_t202" coordsize="21600,21600" o:spt="202"` +
	` path="m,l,21600r21600,l21600,xe">` +
	`<v:stroke joinstyle="miter"/><v:path gradientshapeok="t" o:connecttype="rect"/></v:shapetype>`

const noteShape = `<v:shape%s id="_x0000_s%d" type="#_x0000_t202" ` +
	`style="position:absolute;width:%dpx;height:%dpx;z-index:1;visibility:hidden" ` +
	`fillcolor="#ffffe1" o:insetmode="auto"><v:fill color2="#ffffe1"/>` +
	`<v:shadow on="t" color="black" obscured="t"/><v:path o:connecttype="none"/>` +
	`<v:textbox style="mso-direction-alt:auto"><div style="text-align:left"></div></v:textbox>` +
	`<x:ClientData ObjectType="Note"><x:MoveWithCells/><x:SizeWithCells/><x:Anchor>%s</x:Anchor>` +
	`<x:AutoFill>False</x:AutoFill><x:Row>%d</x:Row><x:Column>%d</x:Column></x:ClientData></v:shape>`

// noteDrawing is the part that draws the boxes of notes.
type noteDrawing struct {
	part    string
	data    []byte
	root    child
	names   string // declarations that a shape needs, "" where the root has them
	hasType bool
	last    int            // the greatest number of a shape
	anchors map[At]element // where it says that the box of a note lies
	splices []splice
	added   strings.Builder
}

var shapeNumber = pattern.Of(`_x0000_s([0-9]{1,9})\b`)

// readDrawing reads the drawing of notes; false where nothing can be drawn on it.
func readDrawing(content []byte, notes map[At]ownNote) (*noteDrawing, bool) {
	d := &noteDrawing{data: bare(content), last: 1024, anchors: map[At]element{}}
	err := elements(d.data, func(s *xmlScanner) error {
		switch {
		case len(s.open) == 1:
			if s.attr("xmlns:v") == nil || s.attr("xmlns:o") == nil || s.attr("xmlns:x") == nil {
				d.names = drawingNames
			}
		case string(s.attr("id")) == "_x0000_t202" && string(s.name) == "shapetype":
			d.hasType = true
		case string(s.name) == "ClientData" && string(s.attr("ObjectType")) == "Note":
			e, err := s.passed()
			if err == nil {
				err = d.readBox(e)
			}
			return err
		}
		return nil
	})
	if err == nil {
		d.root, _, err = childrenOf(d.data)
	}
	if err != nil && !d.readEnd(notes) {
		return nil, false
	}
	for _, m := range shapeNumber.FindAllSubmatch(d.data, -1) {
		n, _ := strconv.Atoi(string(m[1]))
		d.last = max(d.last, n)
	}
	return d, true
}

// readEnd reads where a drawing ends that is not whole XML: texts in it are as they are on web pages. The notes that
// are there keep their boxes; false where it has no end.
func (d *noteDrawing) readEnd(notes map[At]ownNote) bool {
	d.names, d.anchors = drawingNames, map[At]element{}
	for at := range notes {
		d.anchors[at] = element{}
	}
	d.hasType = bytes.Contains(d.data, []byte("_x0000_t202"))
	d.root.tail = bytes.LastIndex(d.data, []byte("</xml>"))
	return d.root.tail >= 0
}

// readBox reads where the box of a note lies, and of which cell it is.
func (d *noteDrawing) readBox(of element) error {
	_, parts, err := childrenOf(d.data[of.from:of.to])
	if err != nil {
		return err
	}
	var at At
	var anchor element
	for _, part := range parts {
		part = part.moved(of.from)
		n, _ := strconv.Atoi(strings.TrimSpace(string(d.data[part.head:part.tail])))
		switch part.name {
		case "Row":
			at.Row = n + 1
		case "Column":
			at.Column = n + 1
		case "Anchor":
			anchor = part.element
		}
	}
	d.anchors[at] = anchor
	return nil
}

// pixelsALine is how high a row is in pixels, as most are.
const pixelsALine = 20

// add draws the box of a note, or lengthens that which the cell has: as far as the note needs where it is alone in it.
func (d *noteDrawing) add(n Note, columns columnSizes, alone bool) {
	lines := (n.Height + pixelsALine - 1) / pixelsALine
	if anchor, has := d.anchors[n.At]; has {
		d.lengthen(anchor, lines, alone)
		return
	}
	if !d.hasType {
		d.hasType = true
		fmt.Fprintf(&d.added, noteShapes, d.names)
	}
	top := max(n.At.Row-2, 0)
	right, rest := columns.across(n.At.Column, n.Width+leftOfNote)
	anchor := fmt.Sprintf("%d, %d, %d, 10, %d, %d, %d, 4",
		min(n.At.Column, LastColumn-1), leftOfNote, top, right, rest, min(top+lines, LastRow-1))
	d.last++
	fmt.Fprintf(&d.added, noteShape, d.names, d.last, n.Width, n.Height, anchor, n.At.Row-1, n.At.Column-1)
}

// leftOfNote is how many pixels are between a cell and the box of its note.
const leftOfNote = 15

// lengthen moves the lower end of a box down.
func (d *noteDrawing) lengthen(anchor element, lines int, alone bool) {
	places := strings.Split(string(d.data[anchor.head:anchor.tail]), ",")
	const top, bottom = 2, 6
	if len(places) != 8 {
		return
	}
	first, err1 := strconv.Atoi(strings.TrimSpace(places[top]))
	last, err2 := strconv.Atoi(strings.TrimSpace(places[bottom]))
	if err1 != nil || err2 != nil {
		return
	}
	end := last + lines
	if alone {
		end = max(first+lines, last)
	}
	places[bottom] = fmt.Sprint(" ", min(end, LastRow-1))
	d.splices = append(d.splices, splice{anchor.head, anchor.tail, strings.Join(places, ",")})
}

func (d *noteDrawing) written() []byte {
	return spliced(d.data, append(d.splices, d.root.appended(d.added.String())))
}
