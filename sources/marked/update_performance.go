package marked

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/pattern"
	"adsync/internal/resource"
	"adsync/internal/xlsx"
	"adsync/sources/celltext"
	"adsync/sources/table"
	"adsync/sources/workbook"
)

// performanceSheet is the sheet Performance as a workbook has it.
type performanceSheet struct {
	name     string
	cells    map[xlsx.At]xlsx.Cell
	spans    []string
	header   int  // its row
	isHidden bool // a row that a filter hides
}

// findPerformance reads the sheet, nil where there is none.
func findPerformance(b *xlsx.Book) (*performanceSheet, error) {
	i := slices.IndexFunc(b.Sheets, func(s xlsx.Sheet) bool {
		return resource.Fold(s.Name) == resource.Fold(workbook.PerformanceTab)
	})
	if i < 0 {
		return nil, nil
	}
	s := &performanceSheet{name: b.Sheets[i].Name, cells: map[xlsx.At]xlsx.Cell{}}
	_, err := xlsx.Walk(b, b.Sheets[i].Part, func(row *xlsx.Row) error {
		s.isHidden = s.isHidden || row.Hidden
		for _, c := range row.Cells {
			s.cells[xlsx.At{Row: row.Number, Column: c.Column}] = c
		}
		return nil
	})
	if err != nil || !s.isOurs() {
		return s, err
	}
	s.header = workbook.PerformanceTotals
	for ; resource.IsWindow(s.text(s.header, 1)); s.header++ {
		if !slices.Contains(s.spans, s.text(s.header, 1)) {
			s.spans = append(s.spans, s.text(s.header, 1))
		}
	}
	return s, nil
}

func (s *performanceSheet) text(row, column int) string {
	return celltext.Trimmed(s.cells[xlsx.At{Row: row, Column: column}].Text)
}

// isOurs reports whether adsync wrote the sheet.
func (s *performanceSheet) isOurs() bool {
	return strings.HasPrefix(s.text(1, 1), workbook.PerformanceMark)
}

var codeInHeader = pattern.Of(`\(([A-Z]{3})\)$`)

// currency is what its header of money says.
func (s *performanceSheet) currency() string {
	for at, c := range s.cells {
		if m := codeInHeader.FindStringSubmatch(c.Text); m != nil && at.Row >= workbook.PerformanceTotals {
			return m[1]
		}
	}
	return ""
}

// performance brings the sheet to what the service knows of its spans, or adds it where figures are asked for. It
// leaves a sheet that is not as adsync writes it.
func (w *updateWriter) performance(tabs []*table.Reader, all *xlsx.Changes) error {
	s := w.sheet
	switch {
	case s == nil:
		return w.addPerformance(tabs[0], all)
	case !s.isOurs():
		w.leaveSheet(s, "adsync did not write this sheet")
		return nil
	case s.isHidden:
		w.leaveSheet(s, "rows of the sheet are hidden; show all and update again")
		return nil
	}
	p, err := w.newPerformance(s.spans, cmp.Or(tabs[0].In.Env.Currency, s.currency()))
	if err != nil {
		return err
	}
	if p == nil {
		w.leaveSheet(s, "nobody knows figures of all its spans")
		return nil
	}
	if why := s.differs(p); why != "" {
		w.leaveSheet(s, why)
		return nil
	}
	if p, err = w.widened(tabs[0], p, all); err != nil {
		return err
	}
	edits := s.edits(p)
	w.done.Cells += len(edits)
	if len(w.done.Spans) > 0 {
		w.moving = len(edits)
	}
	noteOnce(&w.done.Columns, s.name)
	all.Edits, all.Charted = append(all.Edits, edits...), p.Charted()
	return nil
}

// widened is the sheet with the spans that are asked for and that it does not have, or as it is with the reason why.
func (w *updateWriter) widened(t *table.Reader, p *workbook.Performance,
	all *xlsx.Changes) (*workbook.Performance, error) {
	s := w.sheet
	asked := slices.DeleteFunc(slices.Clone(w.Windows),
		func(span string) bool { return slices.Contains(s.spans, span) })
	if len(asked) == 0 {
		return p, nil
	}
	wide, err := w.newPerformance(slices.Concat(s.spans, asked), cmp.Or(t.In.Env.Currency, s.currency()))
	if err != nil || wide == nil {
		return p, err
	}
	down := &xlsx.Lowered{Sheet: s.name, Header: s.header, By: wide.Header - s.header, Frozen: wide.Frozen()}
	why, err := t.Book.CannotLower(*down, wide.Charted())
	if why = cmp.Or(why, s.refersToItself(wide), s.inTheWay(wide)); err != nil || why != "" {
		w.leaveSheet(s, fmt.Sprintf("it gets no span %s: %s; adsync export -o xlsx writes one that has",
			strings.Join(asked, ", "), why))
		return p, err
	}
	w.done.Spans, all.Lower = asked, down
	return wide, nil
}

var rowInFormula = pattern.Of(`\b[A-Z]{1,3}\$?([0-9]+)\b`)

// refersToItself names a cell of somebody's own whose formula names cells that would move.
func (s *performanceSheet) refersToItself(p *workbook.Performance) string {
	for at, c := range s.cells {
		if at.Row >= workbook.PerformanceTotals && at.Column <= len(p.Columns) {
			continue
		}
		for _, m := range rowInFormula.FindAllSubmatch([]byte(c.Formula), -1) {
			if row, _ := strconv.Atoi(string(m[1])); row >= s.header {
				return fmt.Sprintf("cell %s refers to cells that would move", at)
			}
		}
	}
	return ""
}

// newPerformance is what the sheet is to be, nil where the service does not know all spans.
func (w *updateWriter) newPerformance(spans []string, currency string) (*workbook.Performance, error) {
	rows, figures, err := w.Known(w.desired, spans)
	if err != nil || figures == nil || len(figures.Windows) != len(spans) {
		return nil, err
	}
	reviews := map[string]string{}
	for r := range rows.All() {
		reviews[r.ID] = celltext.Trimmed(r.Facts.Value("review").Text())
	}
	return workbook.NewPerformance(w.schemas, figures, currency, reviews), nil
}

// addPerformance adds the sheet behind the last one.
func (w *updateWriter) addPerformance(t *table.Reader, all *xlsx.Changes) error {
	if len(w.Windows) == 0 {
		return nil
	}
	why, err := t.Book.CannotAdd(workbook.PerformanceTab)
	if err != nil || why != "" {
		w.done.NotAdded = why
		return err
	}
	p, err := w.newPerformance(w.Windows, t.In.Env.Currency)
	if err != nil || p == nil {
		return err
	}
	all.Add, err = p.Book()
	w.done.Added = workbook.PerformanceTab
	return err
}

func (w *updateWriter) leaveSheet(s *performanceSheet, why string) {
	w.leave(diag.Cell(w.file, s.name, 1, 1), why)
}

// lastRow is the last row of a resource, those below the header without a gap.
func (s *performanceSheet) lastRow(p *workbook.Performance) int {
	row := s.header
	for s.text(row+1, p.IDColumn()+1) != "" {
		row++
	}
	return row
}

// differs returns why the sheet cannot be brought up to date, "" where it can.
func (s *performanceSheet) differs(p *workbook.Performance) string {
	for i := range p.IDColumn() + 2 {
		if want := p.Columns[i].Title; s.text(p.Header, i+1) != want {
			return fmt.Sprintf("cell %s holds %q; want the header %q",
				xlsx.At{Row: p.Header, Column: i + 1}, s.text(p.Header, i+1), want)
		}
	}
	return s.inTheWay(p)
}

// inTheWay names a cell that holds something where a row is to be, "" where there is none.
func (s *performanceSheet) inTheWay(p *workbook.Performance) string {
	for row := s.lastRow(p) + 1; row <= len(p.Rows); row++ {
		for i := range p.IDColumn() + 2 {
			at := xlsx.At{Row: row, Column: i + 1}
			if _, filled := s.cells[at]; filled && len(p.Rows[row-1]) > i {
				return fmt.Sprintf("cell %s holds something where a row is to be; move it away and update again", at)
			}
		}
	}
	return ""
}

// edits are the cells that hold something else than they are to. Those below the
// rows, right of the columns and above the totals are not adsync's.
func (s *performanceSheet) edits(p *workbook.Performance) []xlsx.Edit {
	last := s.lastRow(p)
	like := map[rowRole]int{totalsRow: workbook.PerformanceTotals, headerRow: s.header, resourceRow: last}
	if last == s.header {
		delete(like, resourceRow)
	}
	var edits []xlsx.Edit
	end := max(last, len(p.Rows), s.lastCharted(p))
	for row := workbook.PerformanceTotals; row <= end; row++ {
		was, is := roleOf(row, s.header, last), roleOf(row, p.Header, p.Last())
		turns := was != is && is != noRow && s.header != p.Header
		for i := range p.Columns {
			var want workbook.PerformanceCell
			if row <= len(p.Rows) && i < len(p.Rows[row-1]) {
				want = p.Rows[row-1][i]
			}
			charted := i > p.IDColumn()+1
			at := xlsx.At{Row: row, Column: i + 1}
			have, filled := s.cells[at]
			switch {
			case !charted && is == headerRow && !turns:
				continue
			case !charted && was == noRow && is == noRow:
				continue
			case !charted && turns:
			case !filled && want == (workbook.PerformanceCell{}), filled && isCell(have, want):
				continue
			}
			e := xlsx.Edit{Sheet: s.name, Row: row, Column: i + 1, Value: valueOf(want)}
			if from := like[is]; !charted && was != is && from > 0 {
				e.Like = xlsx.At{Row: from, Column: i + 1}
			}
			edits = append(edits, e)
		}
	}
	return edits
}

// rowRole is what a row of the sheet is for.
type rowRole int

const (
	noRow rowRole = iota
	totalsRow
	headerRow
	resourceRow
)

func roleOf(row, header, last int) rowRole {
	switch {
	case row < header:
		return totalsRow
	case row == header:
		return headerRow
	case row <= last:
		return resourceRow
	}
	return noRow
}

// lastCharted is the last row of what the charts are drawn from.
func (s *performanceSheet) lastCharted(p *workbook.Performance) (last int) {
	for at := range s.cells {
		if at.Column > p.IDColumn()+2 && at.Column <= len(p.Columns) {
			last = max(last, at.Row)
		}
	}
	return last
}

// isCell reports whether a cell holds what it is to. What a formula counts follows
// the filter, so that its value may be another.
func isCell(have xlsx.Cell, want workbook.PerformanceCell) bool {
	switch {
	case have.IsFormula != (want.Formula != ""):
		return false
	case want.Formula != "" && have.Formula != want.Formula:
		return false
	case want.IsNumber && want.Formula != "":
		return have.Form == xlsx.NumberCell && isNear(have.Text, want.Text)
	case want.IsNumber:
		return have.Form == xlsx.NumberCell && celltext.SameNumber(have.Text, want.Text)
	case want.Formula != "":
		return have.Text == want.Text
	}
	return have.Form == xlsx.TextCell && have.Text == want.Text
}

// isNear compares what a formula counted: programs keep 15 digits of it, or 17.
func isNear(have, want string) bool {
	x, err1 := strconv.ParseFloat(have, 64)
	y, err2 := strconv.ParseFloat(want, 64)
	return err1 == nil && err2 == nil && math.Abs(x-y) <= 1e-12*math.Abs(y)
}

func valueOf(want workbook.PerformanceCell) xlsx.EditValue {
	switch {
	case want.Formula != "":
		form := xlsx.TextCell
		if want.IsNumber {
			form = xlsx.NumberCell
		}
		return xlsx.Stored(xlsx.Cell{
			Form: form, Text: want.Text, IsFormula: true, Formula: want.Formula, HasValue: true,
		})
	case want.IsNumber:
		return xlsx.Number(want.Text)
	}
	return xlsx.Text(want.Text)
}
