package xlsx

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"adsync/internal/pattern"
)

// redraw has the charts of some areas reach down to other rows. What a chart keeps of the cells is
// read anew by the program that opens it.
func (p *packageEdit) redraw(charted Charted) error {
	if len(charted) == 0 {
		return nil
	}
	for part := range p.book.parts.content {
		if !strings.Contains(part, "/charts/") {
			continue
		}
		if err := p.redrawPart(part, charted); err != nil {
			return fmt.Errorf("chart %q: %w", part, err)
		}
	}
	return nil
}

func (p *packageEdit) redrawPart(part string, charted Charted) error {
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
		if kind != xmlOpen || string(s.name) != "f" {
			continue
		}
		e, err := s.passed()
		if err != nil {
			return err
		}
		if e.empty {
			continue
		}
		area := string(s.data[e.head:e.tail])
		row := strings.LastIndexByte(area, '$') + 1
		if last, ok := charted.of(area); ok && area[row:] != strconv.Itoa(last) {
			splices = append(splices, splice{e.head + row, e.tail, strconv.Itoa(last)})
		}
	}
}

// of returns the last row of an area that charts are drawn from.
func (c Charted) of(area string) (last int, ok bool) {
	last, ok = c[strings.ReplaceAll(quotes.Replace(area[:strings.LastIndexByte(area, '$')+1]), "'", "")]
	return last, ok
}

// Lowered is a sheet whose header, and what is below it, moves down: its filter, the rows that stay in sight, and the
// charts of Charted that lie below follow. The cells are edits.
type Lowered struct {
	Sheet  string
	Header int // its row before
	By     int // rows
	Frozen int // rows that stay in sight afterwards, if the header did
}

// rowsOfSheet are the rows in a reference to cells of another sheet, or to whole rows of it.
var rowsOfSheet = pattern.Of(`(?i)!\$?(?:[A-Z]{1,3}\$?)?([0-9]+)(?::\$?(?:[A-Z]{1,3}\$?)?([0-9]+))?`)

// quotes are how a formula in XML writes those around the name of a sheet.
var quotes = strings.NewReplacer("&apos;", "'", "&#39;", "'")

// reaches reports whether a formula refers to the header or to rows below.
func (l *Lowered) reaches(formula string) bool {
	formula = quotes.Replace(formula)
	for _, m := range rowsOfSheet.FindAllStringSubmatchIndex(formula, -1) {
		if !endsWithSheet(formula[:m[0]], l.Sheet) {
			continue
		}
		last, _ := strconv.Atoi(formula[m[2]:m[3]])
		if m[4] >= 0 {
			to, _ := strconv.Atoi(formula[m[4]:m[5]])
			last = max(last, to)
		}
		if last >= l.Header {
			return true
		}
	}
	return false
}

// endsWithSheet reports whether a formula up to a reference ends with the name of a sheet, and not with a longer one.
func endsWithSheet(before, sheet string) bool {
	before, quoted := strings.CutSuffix(before, "'")
	at := len(before) - len(sheet)
	if at < 0 || !strings.EqualFold(before[at:], sheet) {
		return false
	}
	if quoted {
		return strings.HasSuffix(before[:at], "'")
	}
	last, _ := utf8.DecodeLastRuneInString(before[:at])
	return at == 0 || !unicode.IsLetter(last) && !unicode.IsDigit(last) && last != '_' && last != '.'
}

// CannotLower returns why a header and what is below it are not moved down: what refers to these rows of the sheet
// would refer to others. Charts of charted do not count.
func (b *Book) CannotLower(l Lowered, charted Charted) (why string, err error) {
	refers := func(text string) bool {
		_, own := charted.of(text)
		return !own && l.reaches(text)
	}
	for part, content := range b.parts.content {
		what := b.holderOf(part, l.Sheet)
		if what == "" {
			continue
		}
		err := elements(content, func(s *xmlScanner) error {
			area := string(s.attr("ref"))
			switch string(s.name) {
			case "f", "formula", "formula1", "formula2":
			case "definedName":
				if isFilterName(s) || strings.HasPrefix(string(s.attr("name")), "_xlnm.") {
					return nil
				}
			case "worksheetSource":
				if sheet, err := s.attrText("sheet"); err != nil || !strings.EqualFold(sheet, l.Sheet) {
					return err
				}
				if refers(l.Sheet + "!" + area) {
					why = what + " refers to cells of it that would move"
				}
				return nil
			default:
				return nil
			}
			e, err := s.passed()
			if err == nil && refers(string(s.data[e.head:e.tail])) {
				why = what + " refers to cells of it that would move"
			}
			return err
		})
		if err != nil {
			return "", fmt.Errorf("part %q: %w", part, err)
		}
	}
	return why, nil
}

// holderOf is what of a workbook a part holds that may refer to cells of a sheet, "" for nothing.
func (b *Book) holderOf(part, sheet string) string {
	i := slices.IndexFunc(b.Sheets, func(s Sheet) bool { return s.Part == part })
	switch {
	case i >= 0 && b.Sheets[i].Name != sheet:
		return fmt.Sprintf("the sheet %q", b.Sheets[i].Name)
	case part == b.main:
		return "a name"
	case strings.Contains(part, "/charts/"):
		return "a chart"
	case strings.Contains(part, "/pivotcache/"):
		return "a pivot table"
	}
	return ""
}

// lower has what belongs to the header of a sheet follow it.
func (p *packageEdit) lower(l *Lowered, charted Charted) error {
	if l == nil {
		return nil
	}
	part := p.partOf(l.Sheet)
	if err := p.splice(part, l.inSheet); err != nil {
		return err
	}
	if err := p.splice(p.book.main, l.inNames); err != nil {
		return err
	}
	rels, err := relations(p.book.parts, part)
	if err != nil {
		return err
	}
	drawing := rels.byType("/drawing")
	if drawing == "" {
		return nil
	}
	drawn, err := relations(p.book.parts, drawing)
	if err != nil {
		return err
	}
	return p.lowerCharts(l, drawing, func(id string) bool {
		r, ok := drawn.byID(id)
		return ok && drawnFrom(p.book.parts.content[r.target], charted)
	})
}

// splice changes a part element by element.
func (p *packageEdit) splice(part string, of func(*xmlScanner) ([]splice, error)) error {
	var all []splice
	data := p.part(part)
	err := elements(data, func(s *xmlScanner) error {
		more, err := of(s)
		all = append(all, more...)
		return err
	})
	if err == nil {
		p.change(part, bare(data), all)
	}
	return err
}

// inSheet moves the filter and the rows that stay in sight.
func (l *Lowered) inSheet(s *xmlScanner) (splices []splice, err error) {
	switch string(s.name) {
	case "autoFilter":
		ref := strings.ReplaceAll(string(s.attr("ref")), "$", "")
		if area, err := parseArea(ref); err == nil && area.FromRow == l.Header {
			splices = s.replace(splices, "ref", l.moved(area).String())
		}
	case "pane":
		if rows, err := strconv.Atoi(string(s.attr("ySplit"))); err != nil || rows != l.Header {
			return nil, nil
		}
		splices = s.replace(splices, "ySplit", strconv.Itoa(l.Frozen))
		at, err := parseArea(string(s.attr("topLeftCell")))
		if err == nil && (at.FromRow <= l.Frozen || at.FromRow == l.Header+1) {
			splices = s.replace(splices, "topLeftCell", At{l.Frozen + 1, at.FromColumn}.String())
		}
	}
	return splices, nil
}

func (l *Lowered) moved(a Area) Area {
	a.FromRow, a.ToRow = a.FromRow+l.By, min(a.ToRow+l.By, LastRow)
	return a
}

// isFilterName reports whether a name is that of a filter. Gnumeric writes it without what stands before it elsewhere.
func isFilterName(s *xmlScanner) bool {
	return strings.HasSuffix(string(s.attr("name")), "_FilterDatabase")
}

// inNames moves the name that programs keep of the filter.
func (l *Lowered) inNames(s *xmlScanner) ([]splice, error) {
	if string(s.name) != "definedName" || !isFilterName(s) {
		return nil, nil
	}
	e, err := s.passed()
	if err != nil || e.empty {
		return nil, err
	}
	sheet, cells, _ := strings.Cut(string(s.data[e.head:e.tail]), "!")
	area, err := parseArea(strings.ReplaceAll(cells, "$", ""))
	if err != nil || strings.Trim(quotes.Replace(sheet), "'") != l.Sheet || area.FromRow != l.Header {
		return nil, nil
	}
	from, to, _ := strings.Cut(l.moved(area).String(), ":")
	fixed := func(cell string) string {
		letters := strings.TrimRight(cell, "0123456789")
		return "$" + letters + "$" + cell[len(letters):]
	}
	return []splice{{e.tail - len(cells), e.tail, fixed(from) + ":" + fixed(to)}}, nil
}

// drawnFrom reports whether a chart is drawn from areas of charted.
func drawnFrom(chart []byte, charted Charted) (is bool) {
	err := elements(chart, func(s *xmlScanner) error {
		if string(s.name) != "f" {
			return nil
		}
		e, err := s.passed()
		if err == nil && !e.empty {
			_, own := charted.of(string(s.data[e.head:e.tail]))
			is = is || own
		}
		return err
	})
	return is && err == nil
}

// lowerCharts moves the charts of a drawing that own reports, by the names of their relationships, and that lie below.
func (p *packageEdit) lowerCharts(l *Lowered, drawing string, own func(id string) bool) error {
	var all, anchor []splice
	data, isOwn, isBelow := p.part(drawing), false, false
	end := func() {
		if isOwn && isBelow {
			all = append(all, anchor...)
		}
		anchor, isOwn, isBelow = nil, false, false
	}
	err := elements(data, func(s *xmlScanner) error {
		switch name := string(s.name); {
		case len(s.open) == 2:
			end()
		case name == "chart":
			id, err := s.attrText("id")
			isOwn = own(id)
			return err
		case name == "row" && len(s.open) == 4:
			corner := string(localName(s.open[2]))
			e, err := s.passed()
			if err != nil {
				return err
			}
			row, err := strconv.Atoi(string(s.data[e.head:e.tail]))
			isBelow = isBelow || corner == "from" && row >= l.Header
			anchor = append(anchor, splice{e.head, e.tail, strconv.Itoa(row + l.By)})
			return err
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("drawing %q: %w", drawing, err)
	}
	end()
	p.change(drawing, bare(data), all)
	return nil
}
