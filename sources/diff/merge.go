package diff

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/xlsx"
	"adsync/sources/cellbook"
	"adsync/sources/config"
	"adsync/sources/draft"
	"adsync/sources/table"
)

// Conflict is what both sides changed differently, or what cannot be merged.
// Ours stays.
type Conflict struct {
	What               string // a cell with its row's name and its column, or a row, a sheet
	Base, Ours, Theirs string // as people read them; "" where the reason says it all
	Reason             string
}

// Merged is a workbook with what two sides changed since a common base.
type Merged struct {
	Content   []byte
	Cells     int // taken from theirs
	Added     int // rows
	Removed   int // rows
	Filled    int // cells that adsync fills, which are left as ours has them
	Conflicts []Conflict
}

// Merge puts into ours what theirs changed since base. Rows are found by id, key
// or name under their parent, on sheets of the user's own by their place; then
// each cell that only theirs changed is taken. A row that only theirs has is put
// after the last one; of a row that theirs removed and ours left alone, the cells
// are emptied. Whatever else of ours is in the file, looks, formulas, charts,
// stays as it is, byte for byte. An empty base is none.
//
// The error is for a workbook that is damaged, and for one that was written for
// another account than that of the project or of another side; then nothing is
// merged.
func Merge(ctx context.Context, p config.Project, base, ours,
	theirs []byte, schemas resource.Schemas) (made Merged, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			made, err = Merged{}, fmt.Errorf("workbooks cannot be merged: %v", reason)
		}
	}()
	in := draft.Input{Schemas: schemas, Bounds: p.FileLimits(), Layout: p.Layout, Words: draft.NewVocabularies(schemas)}
	m := merger{ctx: ctx, in: in, account: p.Layout.Account}
	for _, side := range []struct {
		name    string
		content []byte
		book    **cellbook.Book
	}{{"base", base, &m.base}, {"ours", ours, &m.ours}, {"theirs", theirs, &m.theirs}} {
		if side.name == "base" && len(base) == 0 {
			m.base = &cellbook.Book{Book: &xlsx.Book{}}
			continue
		}
		book, finding := cellbook.Open(ctx, side.content, in)
		if finding != nil {
			return Merged{}, fmt.Errorf("%s: %s (%s)", side.name, finding.Message, finding.Code)
		}
		if err := m.checkAccount(book); err != nil {
			return Merged{}, fmt.Errorf("%s: %w", side.name, err)
		}
		*side.book = book
	}
	if err := m.plan(); err != nil {
		return Merged{}, err
	}
	if err := m.carryOut(ours); err != nil {
		return Merged{}, err
	}
	return m.made, nil
}

type merger struct {
	ctx                context.Context
	in                 draft.Input
	account            string // that all sides are of, "" where none says
	base, ours, theirs *cellbook.Book
	steps              []mergeStep
	made               Merged
}

// checkAccount refuses a workbook that was written for another account.
func (m *merger) checkAccount(b *cellbook.Book) error {
	said, err := table.SyncOf(b.Book)
	if err != nil {
		return err
	}
	account := strings.TrimSpace(said["account"])
	if m.account != "" && account != "" && account != m.account {
		return fmt.Errorf("workbook was written for the account %s; want one of %s (%s)",
			account, m.account, diag.WrongAccount)
	}
	m.account = cmp.Or(m.account, account)
	return nil
}

// mergeStep is what is done or left as a whole: a cell, or a row.
type mergeStep struct {
	edits    []xlsx.Edit
	want     []optionalCell // what each edited cell is to mean
	conflict Conflict       // if it cannot be done
	done     func(*Merged)
}

func (m *merger) clash(c Conflict) { m.made.Conflicts = append(m.made.Conflicts, c) }

// plan decides, sheet by sheet, what to take.
func (m *merger) plan() error {
	for _, t := range m.theirs.Sheets {
		b, o := m.base.SheetLike(t), m.ours.SheetLike(t)
		switch {
		case t.IsOurs:
		case o != nil:
			if err := m.sheet(b, o, t); err != nil {
				return err
			}
		case b == nil:
			m.clash(Conflict{
				What:   "sheet " + quoteName(t.Name),
				Reason: "only theirs has it, and a sheet cannot be added by a merge",
			})
		case !sameSheet(b, t):
			m.clash(Conflict{
				What: "sheet " + quoteName(t.Name), Reason: "ours removed it and theirs changed it; it stays removed",
			})
		}
	}
	for _, b := range m.base.Sheets {
		if o := m.ours.SheetLike(b); !b.IsOurs && o != nil && m.theirs.SheetLike(b) == nil {
			m.clash(Conflict{
				What: "sheet " + quoteName(o.Name), Reason: "theirs removed it, and a merge removes no sheet; it stays",
			})
		}
	}
	return nil
}

func quoteName(name string) string { return fmt.Sprintf("%q", diag.Printable(name)) }

// sameSheet reports whether two sheets hold the same, wherever rows stand.
func sameSheet(a, b *cellbook.Sheet) bool {
	pairs := cellbook.MatchRows(a, b)
	if len(pairs) != len(a.Rows) || len(a.Rows) != len(b.Rows) {
		return false
	}
	for row, other := range pairs {
		if !sameRow(a, b, row, other) {
			return false
		}
	}
	return true
}

// sameRow reports whether two rows hold the same, but for what adsync fills.
func sameRow(a, b *cellbook.Sheet, from, to *cellbook.Row) bool {
	for _, name := range columnNames(a, b, from, to) {
		if a.IsFilledByUs(a.ColumnNumber(name)) || b.IsFilledByUs(b.ColumnNumber(name)) {
			continue
		}
		if !cellNamed(a, from, name).same(cellNamed(b, to, name)) {
			return false
		}
	}
	return true
}

// carryOut writes what was decided. A step whose cells cannot be changed alone,
// or do not mean afterwards what they should, becomes a conflict, and the others
// are carried out without it.
func (m *merger) carryOut(ours []byte) error {
	for {
		content, err := xlsx.Rewrite(ours, m.edits(), m.in.Bounds.Workbook())
		var refused *xlsx.Refused
		switch {
		case errors.As(err, &refused):
			if !m.dropRefused(refused) {
				return fmt.Errorf("ours: %w", err)
			}
			continue
		case err != nil:
			return fmt.Errorf("ours: %w", err)
		}
		wrong, err := m.wrongSteps(content)
		if err != nil {
			return err
		}
		if len(wrong) > 0 {
			m.drop(func(i int) string { return wrong[i] })
			continue
		}
		m.made.Content = content
		for _, s := range m.steps {
			s.done(&m.made)
		}
		return nil
	}
}

func (m *merger) edits() []xlsx.Edit {
	var edits []xlsx.Edit
	for _, s := range m.steps {
		edits = append(edits, s.edits...)
	}
	return edits
}

// dropRefused makes conflicts of the steps the editor refuses, and gives false
// where there are none: it would refuse the same again.
func (m *merger) dropRefused(refused *xlsx.Refused) bool {
	before := len(m.steps)
	type place struct {
		sheet string
		at    xlsx.At
	}
	reasons := map[place]string{}
	for _, c := range refused.Cells {
		reasons[place{c.Sheet, c.At}] = c.Reason
	}
	m.drop(func(i int) string {
		for _, e := range m.steps[i].edits {
			if reason := reasons[place{e.Sheet, xlsx.At{Row: e.Row, Column: e.Column}}]; reason != "" {
				return reason
			}
		}
		return ""
	})
	return len(m.steps) < before
}

// drop makes conflicts of the steps for which there is a reason.
func (m *merger) drop(reason func(i int) string) {
	var kept []mergeStep
	for i, s := range m.steps {
		why := reason(i)
		if why == "" {
			kept = append(kept, s)
			continue
		}
		s.conflict.Reason = why
		m.clash(s.conflict)
	}
	m.steps = kept
}

// wrongSteps reads the merged workbook and gives the steps whose cells do not
// mean what theirs does: the looks of a cell may make another value of a number.
func (m *merger) wrongSteps(content []byte) (map[int]string, error) {
	book, finding := cellbook.Open(m.ctx, content, m.in)
	if finding != nil {
		return nil, errors.New("the merged workbook: " + finding.Message)
	}
	rows := map[string]map[int]*cellbook.Row{}
	for _, s := range book.Sheets {
		rows[s.Name] = map[int]*cellbook.Row{}
		for _, row := range s.Rows {
			rows[s.Name][row.Number] = row
		}
	}
	wrong := map[int]string{}
	for i, s := range m.steps {
		for n, e := range s.edits {
			var got optionalCell
			if row := rows[e.Sheet][e.Row]; row != nil {
				got.Value, got.there = row.Cell(e.Column)
			}
			if !got.means(s.want[n]) {
				wrong[i] = fmt.Sprintf("it would read %s in the looks the cell has", got.show())
			}
		}
	}
	return wrong, nil
}

// means compares what two cells say; a day may be written as text.
func (c optionalCell) means(want optionalCell) bool {
	if c.there != want.there || !c.there || c.IsFormula && want.IsFormula {
		return c.there == want.there
	}
	return cellbook.SameCell(c.Value, want.Value) ||
		want.IsDay && c.Form == xlsx.TextCell && c.Text == want.Shown
}

// freshRows returns the rows of a sheet that are paired with none.
func freshRows(s *cellbook.Sheet, paired cellbook.RowPairs) *cellbook.Sheet {
	taken := map[*cellbook.Row]bool{}
	for _, row := range paired {
		taken[row] = true
	}
	fresh := *s
	fresh.Rows = slices.DeleteFunc(slices.Clone(s.Rows), func(r *cellbook.Row) bool { return taken[r] })
	return &fresh
}
