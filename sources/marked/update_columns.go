package marked

import (
	"cmp"
	"fmt"
	"slices"

	"adsync/internal/diag"
	"adsync/internal/pattern"
	"adsync/internal/resource"
	"adsync/internal/review"
	"adsync/internal/xlsx"
	"adsync/sources/bounded"
	"adsync/sources/catalog"
	"adsync/sources/cellbook"
	"adsync/sources/celltext"
	"adsync/sources/table"
	"adsync/sources/workbook"
)

// knownColumn is a column of a sheet that holds what the service knows of its rows.
type knownColumn struct {
	number int // in the sheet
	like   int // the column its cells look like, 0 where they have looks of their own
	title  string
	fact   *resource.Fact
	figure *catalog.FigureColumn // nil where it has neither: the id
}

func (f knownColumn) isID() bool     { return f.fact == nil && f.figure == nil }
func (f knownColumn) isFigure() bool { return f.figure != nil }

// knownColumns are those of one sheet.
type knownColumns struct {
	byKind map[resource.Kind][]knownColumn
	added  []cellChange // headers of columns the sheet does not have yet
}

// columnsOf finds the columns of a sheet, and adds those it does not have where
// that is wanted.
func (w *updateWriter) columnsOf(t *table.Reader, last int) knownColumns {
	found := knownColumns{byKind: map[resource.Kind][]knownColumn{}}
	for _, s := range t.Sections {
		if s.Tab.List != nil {
			continue
		}
		there := w.columnsThere(t, s)
		for _, want := range w.columnsWanted(t, s) {
			i := slices.IndexFunc(there, func(f knownColumn) bool { return f.title == want.title })
			at := slices.IndexFunc(found.added, func(c cellChange) bool { return c.text == w.headerOf(t, want) })
			switch {
			case i >= 0 || t.In.Layout.IsOwn(want.title):
				continue
			case !w.AddColumns:
				noteOnce(&w.done.Missing, cellbook.SheetLabel(t.Ref.Name)+": "+want.title)
				continue
			case at >= 0: // another kind of the sheet has it
				want.number = found.added[at].Column
			default:
				want.number = last + 1 + len(found.added)
				found.added = append(found.added, newHeader(t, want.number, w.headerOf(t, want)))
				w.headers = append(w.headers, diag.Cell(w.file, t.Ref.Name, t.Header.Number, 0))
			}
			want.like = alike(there, want)
			there = append(there, want)
		}
		for _, f := range there {
			noteOnce(&w.done.Columns, f.title)
		}
		found.byKind[s.Tab.Schema.Kind] = there
	}
	return found
}

// alike is the column of the same metric in another window, as somebody may have
// dressed it.
func alike(there []knownColumn, want knownColumn) int {
	for _, f := range there {
		if f.isFigure() && want.isFigure() && f.figure.Metric == want.figure.Metric {
			return cmp.Or(f.like, f.number)
		}
	}
	return 0
}

func noteOnce(in *[]string, text string) {
	if !slices.Contains(*in, text) {
		*in = append(*in, text)
	}
}

// columnsThere are the columns of a section that the sheet has.
func (w *updateWriter) columnsThere(t *table.Reader, s *table.Section) []knownColumn {
	var there []knownColumn
	for number, written := range s.Header.Written {
		c := s.Header.Column(number)
		switch {
		case c != nil && c.Role == catalog.RoleID:
			there = append(there, knownColumn{number: number, title: c.Title})
		case c != nil && c.Ours == catalog.OursFact:
			there = append(there, knownColumn{number: number, title: c.Title, fact: c.Fact})
		case c == nil && isMeasured(s) && !t.In.Layout.IsOwn(written):
			if f := w.figureAt(t, number, written); f != nil {
				there = append(there, *f)
			}
		}
	}
	return there
}

// figureAt is the column of figures that a header is of, nil where it is of none.
func (w *updateWriter) figureAt(t *table.Reader, number int, header string) *knownColumn {
	metric, name, code, ok := catalog.FigureOf(header)
	window := w.windowOf(name)
	if !ok || window < 0 {
		return nil
	}
	own := t.In.Env.Currency
	if resource.Metrics[metric].Form == resource.Units && code != "" && own != "" && celltext.IsForeign(code, own) {
		w.leave(t.At(t.Header.Number, number),
			fmt.Sprintf("its header says %s, and the account's currency is %s", code, own))
		return nil
	}
	return &knownColumn{
		number: number, title: resource.Metrics[metric].Header + " " + name,
		figure: &catalog.FigureColumn{Window: window, Metric: metric},
	}
}

func (w *updateWriter) windowOf(name string) int {
	if w.figures == nil {
		return -1
	}
	return slices.IndexFunc(w.figures.Windows, func(have resource.WindowFigures) bool { return have.Name == name })
}

// columnsWanted are the columns an export would write for the rows of a section.
func (w *updateWriter) columnsWanted(t *table.Reader, s *table.Section) []knownColumn {
	wanted := []knownColumn{{title: "ID"}}
	for i := range s.Tab.Schema.Facts {
		f := &s.Tab.Schema.Facts[i]
		wanted = append(wanted, knownColumn{title: f.Header, fact: f})
	}
	for _, name := range w.Windows {
		window := w.windowOf(name)
		for metric, m := range resource.Metrics {
			if window >= 0 && isMeasured(s) && (!m.Rare || w.figures.Has(metric)) {
				wanted = append(wanted, knownColumn{
					title: m.Header + " " + name, figure: &catalog.FigureColumn{Window: window, Metric: metric},
				})
			}
		}
	}
	return wanted
}

// headerOf is what a new column has for its header.
func (w *updateWriter) headerOf(t *table.Reader, f knownColumn) string {
	if f.isFigure() && resource.Metrics[f.figure.Metric].Form == resource.Units && t.In.Env.Currency != "" {
		return f.title + " (" + t.In.Env.Currency + ")"
	}
	return f.title
}

// text is what the service knows, "" where it knows nothing.
func (f knownColumn) text(known *resource.Resource, figures *resource.Figures) string {
	switch {
	case f.fact != nil:
		return celltext.Trimmed(workbook.CutText(known.Facts.Value(f.fact.Name).Text()))
	case f.figure != nil:
		return figures.Windows[f.figure.Window].ByID[known.ID][f.figure.Metric]
	}
	return known.ID
}

// How the service says what it says of a resource: a word such as in_review with
// its reason, or several words.
var (
	wordAndReason = pattern.Of(`^[a-z0-9]+(_[a-z0-9]+)*(: (?s:.+))?$`)
	severalWords  = pattern.Of(`^[a-z0-9]+(_[a-z0-9]+)*(, [a-z0-9]+(_[a-z0-9]+)*)*$`)
)

// keeps returns why a cell stays as it is, "" where it does not.
func (f knownColumn) keeps(have xlsx.Cell) string {
	text := celltext.Trimmed(have.Text)
	switch {
	case have.IsFormula:
		return "it holds a formula"
	case have.Meta != 0:
		return "it holds a picture"
	case text != "" && !f.maySay(text):
		return fmt.Sprintf("it holds %q, which is nothing the service says", bounded.Shortened(diag.Printable(text)))
	}
	return ""
}

// maySay reports whether a text may be what the service once said. An id is
// somebody's to write.
func (f knownColumn) maySay(text string) bool {
	switch {
	case f.isFigure():
		_, isNumber := celltext.Exact(text)
		return isNumber
	case f.isID():
		return true
	case review.MaySay(f.fact.Name, text):
		return true
	case f.fact.Detail != "":
		return wordAndReason.MatchString(text)
	}
	return severalWords.MatchString(text)
}

// says reports whether a cell needs no change: it says the same, or has an id.
func (f knownColumn) says(have xlsx.Cell, want string) bool {
	text := celltext.Trimmed(have.Text)
	switch {
	case f.isID() && text != "":
		return true
	case f.isFigure() && have.Form == xlsx.NumberCell && want != "":
		return celltext.SameNumber(text, want)
	}
	return text == want && (text == "" || have.Form == xlsx.TextCell)
}
