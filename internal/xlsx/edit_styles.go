package xlsx

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

// joinedStyles are the numbers that the styles of one workbook have in another.
type joinedStyles struct{ cells, tones int }

func (j joinedStyles) cell(n int) int { return n + j.cells }
func (j joinedStyles) tone(n int) int { return n + j.tones }

// styleLists are the lists of a workbook's styles, in their order (ECMA-376 part 1, 18.8.39).
var styleLists = []string{"numFmts", "fonts", "fills", "borders", "cellStyleXfs", "cellXfs", "cellStyles", "dxfs"}

// joinStyles puts the styles of the sheet behind those that are there, which keep their numbers.
func (g *graft) joinStyles() error {
	from := g.donor.rels.byType("/styles")
	to := g.book.rels.byType("/styles")
	g.styles = to
	if to == "" {
		return g.copyStyles(from)
	}
	_, give, err := childrenOf(g.donor.parts.content[from])
	if err != nil {
		return err
	}
	root, have, err := childrenOf(g.part(to))
	if err != nil {
		return err
	}
	if len(have) == 0 {
		g.changed[to] = g.formed(g.donor.parts.content[from])
		return nil
	}
	j := styleJoin{root: root, have: have, data: bare(g.part(to)), names: string(g.formed([]byte(sheetNames))),
		counts: map[string]int{}, formats: map[int]int{}}
	for _, list := range give {
		if err := j.take(list, bare(g.donor.parts.content[from])); err != nil {
			return fmt.Errorf("%s: %w", list.name, err)
		}
	}
	g.looks = joinedStyles{j.counts["cellXfs"], j.counts["dxfs"]}
	g.change(to, j.data, j.splices)
	return nil
}

// copyStyles gives a workbook without styles those of the sheet: nothing has any yet.
func (g *graft) copyStyles(from string) error {
	g.styles = g.freeName(path.Join(path.Dir(g.book.main), "styles.xml"))
	g.names[from] = g.styles
	g.put(g.names[from], g.formed(g.donor.parts.content[from]))
	return g.appendTo(relationsOf(g.book.main), "", func(prefix string) string {
		return fmt.Sprintf(`<%sRelationship Id="rIdAdsyncStyles" Type="%s/styles" Target="/%s"/>`,
			prefix, g.formed([]byte(officeNames)), g.names[from])
	})
}

// styleJoin puts lists of styles behind those of another workbook.
type styleJoin struct {
	root    child
	have    []child
	data    []byte
	names   string         // that the elements are of
	counts  map[string]int // how many a list has without those that join it
	formats map[int]int    // the numbers of number formats, by those they had
	splices []splice

	lastFormat int // the greatest number of a format
}

// take puts one list behind that of its name, or where it would be.
func (j *styleJoin) take(list child, data []byte) error {
	order := slices.Index(styleLists, list.name)
	i := slices.IndexFunc(j.have, func(c child) bool { return c.name == list.name })
	if order < 0 || i >= 0 && strings.HasPrefix(list.name, "cellStyle") {
		return nil // named styles: those that are there do
	}
	has := 0
	if i >= 0 {
		_, there, err := childrenOf(j.data[j.have[i].from:j.have[i].to])
		if err != nil {
			return err
		}
		has = len(there)
		if list.name == "numFmts" {
			j.firstFormat(j.data[j.have[i].from:j.have[i].to])
		}
	}
	j.counts[list.name] = has
	_, items, err := childrenOf(data[list.from:list.to])
	if err != nil {
		return err
	}
	var xml strings.Builder
	for _, item := range items {
		text, err := j.renumbered(list.name, data[list.from:list.to][item.from:item.to])
		if err != nil {
			return err
		}
		if j.root.prefix != "" {
			text = "<" + item.name + ` xmlns="` + j.names + `"` + text[len("<"+item.name):]
		}
		xml.WriteString(text)
	}
	if i < 0 {
		j.splices = append(j.splices, placed(j.root, j.have, styleLists[:order], fmt.Sprintf(
			`<%[1]s%[2]s count="%[3]d">%[4]s</%[1]s%[2]s>`, j.root.prefix, list.name, len(items), xml.String())))
		return nil
	}
	j.splices = append(j.splices, j.have[i].appended(xml.String()))
	return j.count(j.have[i], has+len(items))
}

// firstFormat finds the numbers that number formats have not yet.
func (j *styleJoin) firstFormat(list []byte) {
	_ = elements(list, func(s *xmlScanner) error { // childrenOf read it
		n, _ := strconv.Atoi(string(s.attr("numFmtId")))
		j.lastFormat = max(j.lastFormat, n)
		return nil
	})
}

// lastBuiltIn is the last number of a format that programs know without its code.
const lastBuiltIn = 163

// renumbered is an item of a list with the numbers that what it names has here.
func (j *styleJoin) renumbered(list string, item []byte) (string, error) {
	s, err := newScanner(item)
	if err != nil {
		return "", err
	}
	if _, err := s.next(); err != nil {
		return "", err
	}
	var splices []splice
	put := func(attribute string, as func(int) int) {
		if err == nil {
			splices, err = s.renumber(splices, attribute, as)
		}
	}
	switch list {
	case "numFmts":
		put("numFmtId", func(n int) int {
			j.lastFormat = max(j.lastFormat, lastBuiltIn) + 1
			j.formats[n] = j.lastFormat
			return j.lastFormat
		})
	case "cellXfs", "cellStyleXfs":
		put("numFmtId", func(n int) int {
			if n <= lastBuiltIn {
				return n
			}
			return j.formats[n]
		})
		put("fontId", func(n int) int { return n + j.counts["fonts"] })
		put("fillId", func(n int) int {
			if n == 0 {
				return 0 // is none in every workbook
			}
			return n + j.counts["fills"]
		})
		put("borderId", func(n int) int { return n + j.counts["borders"] })
		put("xfId", func(int) int { return 0 })
	}
	return string(spliced(s.data, splices)), err
}

// count writes how many a list has, where it says so.
func (j *styleJoin) count(list child, n int) error {
	s, err := newScanner(j.data[list.from:list.to])
	if err != nil {
		return err
	}
	if _, err := s.next(); err != nil {
		return err
	}
	splices, err := s.renumber(nil, "count", func(int) int { return n })
	for _, c := range splices {
		j.splices = append(j.splices, splice{c.from + list.from, c.to + list.from, c.text})
	}
	return err
}

// fillOf is a style that is one of the workbook on the fill of one of the donor.
type fillOf struct{ style, fill int }

// filled returns the number of a style on the fill of one of the donor.
func (p *packageEdit) filled(style, fill int) int {
	f := fillOf{style, fill}
	i := slices.Index(p.fills, f)
	if i < 0 {
		i = len(p.fills)
		p.fills = append(p.fills, f)
	}
	return len(p.book.styles) + len(p.donor.styles) + i
}

// writeFilled writes the styles that filled gave numbers to behind all others.
func (p *packageEdit) writeFilled() error {
	if len(p.fills) == 0 {
		return nil
	}
	root, lists, err := childrenOf(p.part(p.styles))
	if err != nil {
		return err
	}
	data := bare(p.part(p.styles))
	i := slices.IndexFunc(lists, func(c child) bool { return c.name == "cellXfs" })
	if i < 0 {
		return fmt.Errorf("styles have no <%scellXfs>", root.prefix)
	}
	_, formats, err := childrenOf(data[lists[i].from:lists[i].to])
	if err != nil {
		return err
	}
	var xml strings.Builder
	format := func(n int) (*xmlScanner, error) {
		if n >= len(formats) {
			return nil, fmt.Errorf("a cell has style %d of %d", n, len(formats))
		}
		s, err := newScanner(data[lists[i].from:lists[i].to][formats[n].from:formats[n].to])
		if err == nil {
			_, err = s.next()
		}
		return s, err
	}
	for _, f := range p.fills {
		painted, err := format(p.looks.cell(f.fill))
		if err != nil {
			return err
		}
		s, err := format(f.style)
		if err != nil {
			return err
		}
		xml.Write(spliced(s.data, s.set(s.set(nil, "fillId", string(painted.attr("fillId"))), "applyFill", "1")))
	}
	j := styleJoin{data: data, splices: []splice{lists[i].appended(xml.String())}}
	if err := j.count(lists[i], len(formats)+len(p.fills)); err != nil {
		return err
	}
	p.change(p.styles, data, j.splices)
	return nil
}
