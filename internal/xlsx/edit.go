package xlsx

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"adsync/internal/diag"
)

// At is a cell's row and column, both from 1.
type At struct{ Row, Column int }

// String returns the cell's name, such as E17.
func (a At) String() string { return fmt.Sprintf("%s%d", diag.ColumnName(a.Column), a.Row) }

// Edit is one change of one cell.
type Edit struct {
	Sheet       string // the tab's name, as Book.Sheets gives it
	Row, Column int    // from 1
	Value       EditValue
	Like        At   // the cell of the sheet whose looks it takes; the zero At leaves its own
	Look        int  // the style of Changes.Add that it takes; 0 leaves its own
	Fill        int  // the style of Changes.Add whose fill it takes, and keeps the rest of its own; 0 leaves that
	IfFree      bool // is left undone where Rewrite would refuse it
}

func (e Edit) at() At { return At{e.Row, e.Column} }

// Charted is the last row of what charts are drawn from, by the area without it: Days!$A$2:$A$.
type Charted map[string]int

// Rewrite changes cells of a workbook and nothing else. Members of the zip that
// no edit concerns keep their bytes, compressed as they are; of a sheet that is
// changed, only the cells named change, beside the sheet's own count of its size.
// Rows and cells that are not there are made, in order. Three things follow from
// an edit elsewhere: the chain of calculation goes when a formula does (programs
// build it anew), a workbook with formulas asks to be calculated when it is
// opened, and a table of a changed sheet stays what it was.
//
// It refuses (the error is a *Refused) what would damage the workbook or lose something: a cell inside a
// merged one, a formula that other cells share, a header of a table, a signed
// workbook. Before it returns, the result has been read whole and compared with
// the original: every cell edited holds its value, every other its own. The
// limits hold for both.
func Rewrite(content []byte, edits []Edit, within Limits) (rewritten []byte, err error) {
	return Changes{Edits: edits}.Rewrite(content, within)
}

// Changes are those of one workbook.
type Changes struct {
	Edits   []Edit
	Charted Charted // is left where no cell changes
	Lower   *Lowered
	// Add is a workbook whose sheets are put in: each in the place of the sheet of its name, else behind the last.
	// nil for none.
	Add []byte
	// Copy makes a copy of the workbook: what its signature says, and the record of who changed it, do not come along.
	// nil for the workbook itself.
	Copy *Copy
}

// Rewrite is the function Rewrite with all of them. Where it makes no copy, a sheet is added if Book.CannotAdd has
// nothing against it.
func (c Changes) Rewrite(content []byte, within Limits) (rewritten []byte, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			rewritten, err = nil, fmt.Errorf("workbook cannot be changed: %v", reason)
		}
	}()
	b, err := openBook(content, within)
	if err != nil {
		return nil, err
	}
	if b.parts.isSigned() && c.Copy == nil {
		return nil, fmt.Errorf("workbook is signed, and a change would break the signature; want one without")
	}
	bySheet, err := sorted(b, c.Edits)
	if err != nil {
		return nil, err
	}
	p, more := newPackageEdit(b), cmp.Or(c.Copy, &Copy{})
	g, err := p.graftOf(c.Add, within)
	if err != nil {
		return nil, fmt.Errorf("add a sheet: %w", err)
	}
	for i, list := range bySheet {
		if bySheet[i], err = p.editSheet(list, more.Heights[list[0].Sheet]); err != nil {
			return nil, fmt.Errorf("sheet %q: %w", list[0].Sheet, err)
		}
	}
	if len(p.refused) > 0 {
		return nil, &Refused{p.refused}
	}
	if err := g.add(more.Links); err != nil {
		return nil, fmt.Errorf("add a sheet: %w", err)
	}
	if len(p.changed) == 0 {
		return content, nil
	}
	for _, step := range []func() error{
		g.writeFilled,
		p.settleFormulas,
		func() error { return p.redraw(c.Charted) },
		func() error { return p.lower(c.Lower, c.Charted) },
		func() error { return (&copyEdit{p}).finish(c.Copy) },
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	if rewritten, err = p.write(content, more.Unsealed); err != nil {
		return nil, err
	}
	if err := checkRewritten(b, p.donor, rewritten, bySheet, p.sealed(more.Unsealed), within); err != nil {
		return nil, err
	}
	return rewritten, nil
}

func openBook(content []byte, within Limits) (*Book, error) {
	ctx, cancel := context.WithTimeout(context.Background(), within.Time)
	defer cancel()
	parts, finding := Open(ctx, content, within)
	if finding != nil {
		return nil, errors.New(finding.Message)
	}
	b, err := ReadBook(parts)
	if err != nil {
		return nil, fmt.Errorf("workbook is damaged (%w); want a whole one", err)
	}
	return b, nil
}

// sorted returns the edits sheet by sheet, by row and column, each cell once.
func sorted(b *Book, edits []Edit) ([][]Edit, error) {
	edits = slices.Clone(edits)
	rank := func(name string) int {
		return slices.IndexFunc(b.Sheets, func(s Sheet) bool { return s.Name == name })
	}
	slices.SortStableFunc(edits, func(x, y Edit) int {
		return cmp.Or(cmp.Compare(rank(x.Sheet), rank(y.Sheet)), compareAt(x.at(), y.at()))
	})
	var bySheet [][]Edit
	for i, e := range edits {
		if err := e.check(rank(e.Sheet) >= 0); err != nil {
			return nil, err
		}
		last := len(bySheet) - 1
		if i == 0 || edits[i-1].Sheet != e.Sheet {
			bySheet = append(bySheet, []Edit{e})
			continue
		}
		if edits[i-1].at() == e.at() {
			return nil, fmt.Errorf("sheet %q, cell %s: two edits of one cell; want one", e.Sheet, e.at())
		}
		bySheet[last] = append(bySheet[last], e)
	}
	return bySheet, nil
}

func compareAt(a, b At) int {
	return cmp.Or(cmp.Compare(a.Row, b.Row), cmp.Compare(a.Column, b.Column))
}

func (e Edit) check(sheetIsThere bool) error {
	if !sheetIsThere {
		return fmt.Errorf("workbook has no sheet %q with cells", e.Sheet)
	}
	if !e.at().valid() {
		return fmt.Errorf("sheet %q: row %d, column %d is no cell", e.Sheet, e.Row, e.Column)
	}
	if e.Like != (At{}) && !e.Like.valid() {
		return fmt.Errorf("sheet %q, cell %s: row %d, column %d is no cell to look like",
			e.Sheet, e.at(), e.Like.Row, e.Like.Column)
	}
	if err := e.Value.check(); err != nil {
		return fmt.Errorf("sheet %q, cell %s: %w", e.Sheet, e.at(), err)
	}
	return nil
}

func (a At) valid() bool {
	return a.Row >= 1 && a.Row <= LastRow && a.Column >= 1 && a.Column <= LastColumn
}

// names lists a few cells for a message.
func names(cells []At) string {
	var list []string
	for _, at := range cells[:min(len(cells), 5)] {
		list = append(list, at.String())
	}
	if len(cells) > 5 {
		list = append(list, "…")
	}
	return strings.Join(list, ", ")
}
