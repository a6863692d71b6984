package xlsx

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"fmt"
	"hash/crc32"
	"maps"
	"slices"
	"strings"

	"adsync/internal/pattern"
)

// packageEdit rewrites the members of a workbook's zip.
type packageEdit struct {
	book        *Book
	refused     []RefusedCell
	changed     map[string][]byte // by name of the part
	dropped     map[string]bool
	added       []string // parts that are new, in their order
	overwritten []At     // cells whose formula is no more, or is new

	donor  *Book // whose sheets are put in, and whose styles edits may take; nil for none
	looks  joinedStyles
	styles string   // the part of the styles
	fills  []fillOf // the styles that are those of cells on another fill, in the order of their numbers
	sum    string   // of the parts, once it is sealed
}

func newPackageEdit(b *Book) *packageEdit {
	return &packageEdit{book: b, changed: map[string][]byte{}, dropped: map[string]bool{}}
}

func (p *packageEdit) partOf(sheet string) string {
	i := slices.IndexFunc(p.book.Sheets, func(s Sheet) bool { return s.Name == sheet })
	return p.book.Sheets[i].Part
}

// part returns a part as it is by now.
func (p *packageEdit) part(name string) []byte {
	if data, changed := p.changed[name]; changed {
		return data
	}
	return p.book.parts.content[name]
}

// change puts splices into a part. data is the part as it is by now, without its byte order mark.
func (p *packageEdit) change(part string, data []byte, splices []splice) {
	if len(splices) == 0 {
		return
	}
	whole := p.part(part)
	changed := spliced(data, splices)
	if mark := whole[:len(whole)-len(data)]; len(mark) > 0 {
		changed = slices.Concat(mark, changed)
	}
	p.changed[part] = changed
}

var formulaStart = pattern.Of(`<([A-Za-z0-9_.-]+:)?f[ >/\t\r\n]`)

// settleFormulas keeps what programs know of formulas right: the chain of
// calculation may not name a cell without one, and a value may have changed that
// a formula's last value was computed from.
func (p *packageEdit) settleFormulas() error {
	if len(p.overwritten) > 0 {
		if err := p.dropCalcChain(); err != nil {
			return fmt.Errorf("formulas of %s change: %w", names(p.overwritten), err)
		}
	}
	parts := slices.Clone(p.added)
	for _, sheet := range p.book.Sheets {
		parts = append(parts, sheet.Part)
	}
	if slices.ContainsFunc(parts, func(part string) bool { return formulaStart.Match(p.part(part)) }) {
		return p.calculateOnLoad()
	}
	return nil
}

func (p *packageEdit) dropCalcChain() error { return p.dropRelated(p.book.main, "/calcChain") }

// dropRelated takes out the part that another leads to by a type of relationship, if there is one, and what says that
// it is there.
func (p *packageEdit) dropRelated(owner, typ string) error {
	rels, err := relations(p.book.parts, owner)
	if err != nil {
		return err
	}
	part := rels.byType(typ)
	if part == "" {
		return nil
	}
	err = p.removeElements(relationsOf(owner), func(s *xmlScanner) bool {
		return string(s.name) == "Relationship" && strings.HasSuffix(string(s.attr("Type")), typ)
	})
	if err != nil {
		return err
	}
	return p.drop(part)
}

// drop takes parts out, and what says of which type they are.
func (p *packageEdit) drop(parts ...string) error {
	for _, part := range parts {
		p.dropped[part], p.dropped[relationsOf(part)] = true, true
	}
	return p.removeElements(typesPart, func(s *xmlScanner) bool {
		return string(s.name) == "Override" && p.dropped[partName(string(s.attr("PartName")))]
	})
}

// typesPart says of which type each part is.
const typesPart = "[content_types].xml"

// removeElements takes the elements out of a part for which remove is true.
func (p *packageEdit) removeElements(part string, remove func(*xmlScanner) bool) error {
	s, err := newScanner(p.part(part))
	if err != nil {
		return err
	}
	var splices []splice
	for {
		kind, err := s.next()
		if err != nil {
			return err
		}
		if kind == xmlEnd {
			p.change(part, s.data, splices)
			return nil
		}
		if kind != xmlOpen || !remove(s) {
			continue
		}
		e, err := s.passed()
		if err != nil {
			return err
		}
		splices = append(splices, splice{e.from, e.to, ""})
	}
}

// beforeCalculation are the elements of a workbook's list of sheets that come
// before its settings for calculation (ECMA-376 part 1, 18.2.27).
var beforeCalculation = []string{"sheets", "functionGroups", "externalReferences", "definedNames"}

// calculateOnLoad asks the next program to compute every formula anew.
func (p *packageEdit) calculateOnLoad() error {
	s, err := newScanner(p.part(p.book.main))
	if err != nil {
		return err
	}
	after, prefix := 0, ""
	for {
		kind, err := s.next()
		if err != nil {
			return err
		}
		if kind == xmlEnd {
			p.change(p.book.main, s.data, []splice{{after, after, "<" + prefix + `calcPr fullCalcOnLoad="1"/>`}})
			return nil
		}
		if kind != xmlOpen || len(s.open) != 2 {
			continue
		}
		name, full := string(s.name), s.open[1]
		if name == "calcPr" {
			p.change(p.book.main, s.data, calculatedOnLoad(s))
			return nil
		}
		e, err := s.passed()
		if err != nil {
			return err
		}
		if slices.Contains(beforeCalculation, name) {
			after, prefix = e.to, string(full[:len(full)-len(name)])
		}
	}
}

func calculatedOnLoad(s *xmlScanner) []splice {
	value := s.attr("fullCalcOnLoad")
	switch {
	case value == nil:
		end := s.offset(s.open[1]) + len(s.open[1])
		return []splice{{end, end, ` fullCalcOnLoad="1"`}}
	case isTrue(value):
		return nil
	}
	from := s.offset(value)
	return []splice{{from, from + len(value), "1"}}
}

// write makes the new zip: members that did not change are copied as they lie
// there. Where a part holds unsealed, the sum of all others stands in its place then.
func (p *packageEdit) write(content []byte, unsealed string) ([]byte, error) {
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return nil, err
	}
	p.sum = p.seal(archive, unsealed)
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	if err := w.SetComment(archive.Comment); err != nil {
		return nil, err
	}
	for _, member := range archive.File {
		name := partName(member.Name)
		data, changed := p.changed[name]
		switch {
		case p.dropped[name]:
		case changed:
			err = writeMember(w, member.FileHeader, data)
		default:
			err = w.Copy(member)
		}
		if err != nil {
			return nil, fmt.Errorf("write %q: %w", member.Name, err)
		}
	}
	for _, name := range p.added {
		header := zip.FileHeader{Name: name, Method: zip.Deflate}
		if err := writeMember(w, header, p.changed[name]); err != nil {
			return nil, fmt.Errorf("write %q: %w", name, err)
		}
	}
	err = w.Close()
	return b.Bytes(), err
}

// writeMember writes a member with its sizes known before its bytes, as the
// programs do whose readers are the strictest.
func writeMember(w *zip.Writer, header zip.FileHeader, data []byte) error {
	packed := data
	if header.Method == zip.Deflate {
		var b bytes.Buffer
		deflate, err := flate.NewWriter(&b, flate.DefaultCompression)
		if err != nil {
			return err
		}
		if _, err := deflate.Write(data); err != nil {
			return err
		}
		if err := deflate.Close(); err != nil {
			return err
		}
		packed = b.Bytes()
	}
	const sizesFollow = 0x8
	header.Flags &^= sizesFollow
	header.Extra = nil
	header.CRC32 = crc32.ChecksumIEEE(data)
	header.UncompressedSize64, header.CompressedSize64 = uint64(len(data)), uint64(len(packed))
	out, err := w.CreateRaw(&header)
	if err != nil {
		return err
	}
	_, err = out.Write(packed)
	return err
}

// seal writes the sum of all other parts where unsealed stands, and returns it.
func (p *packageEdit) seal(archive *zip.Reader, unsealed string) (sum string) {
	if unsealed == "" {
		return ""
	}
	lines, sealed := map[string]string{}, ""
	for _, member := range archive.File {
		name := partName(member.Name)
		lines[name] = PartLine(name, member.UncompressedSize64, member.CRC32)
	}
	for name, data := range p.changed {
		lines[name] = PartLine(name, uint64(len(data)), crc32.ChecksumIEEE(data))
		if bytes.Contains(data, []byte(unsealed)) {
			sealed = name
		}
	}
	for name := range p.dropped {
		delete(lines, name)
	}
	if sealed == "" {
		return ""
	}
	delete(lines, sealed)
	sum = SumOfParts(slices.Collect(maps.Values(lines)))
	p.changed[sealed] = bytes.ReplaceAll(p.changed[sealed], []byte(unsealed), []byte(sum))
	return sum
}

// sealed turns what was unsealed into the sum of the parts.
func (p *packageEdit) sealed(unsealed string) *strings.Replacer {
	if unsealed == "" {
		return strings.NewReplacer()
	}
	return strings.NewReplacer(unsealed, p.sum)
}
