package diff

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
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
	Open               bool // theirs can be taken all the same: Sides.Take decides
}

// Sides says how a merge ends what both sides changed, and what messages call them.
type Sides struct {
	File         string              // name of the file that is merged; "" is some workbook
	Ours, Theirs string              // such as "ours" and "theirs"
	Take         func(Conflict) bool // whether theirs counts in an open conflict; nil: it never does
}

// Merged is a file with what two sides changed since a common base.
type Merged struct {
	Content   []byte
	Cells     int        // taken from theirs
	Added     int        // rows
	Removed   int        // rows
	Filled    int        // cells that adsync fills, which are left as ours has them
	Took      []Conflict // what the counts above are of: an open one was a conflict that Sides.Take ended
	Conflicts []Conflict
	Sorted    []string // sheets whose rows theirs has in another order than base and ours: that of ours stays
	// Formulas are those that adsync reads, where anything was taken: each keeps its last value until a program
	// computes it anew.
	Formulas []string
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
	return MergeSides(ctx, p, base, ours, theirs, schemas, Sides{Ours: "ours", Theirs: "theirs"})
}

// MergeSides merges as Merge does, and takes what both sides changed as it is said.
func MergeSides(ctx context.Context, p config.Project, base, ours, theirs []byte,
	schemas resource.Schemas, sides Sides) (made Merged, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			made, err = Merged{}, fmt.Errorf("the versions cannot be merged: %v", reason)
		}
	}()
	in := draft.Input{Schemas: schemas, Bounds: p.FileLimits(), Layout: p.Layout, Words: draft.NewVocabularies(schemas)}
	if isYAML(sides.File) {
		return mergeYAML(ctx, p, base, ours, theirs, in, sides)
	}
	m := merger{ctx: ctx, in: in, account: p.Layout.Account, sides: sides}
	if err := m.open(base, ours, theirs); err != nil {
		return Merged{}, err
	}
	if err := m.alike(); err != nil {
		return Merged{}, err
	}
	if err := m.plan(); err != nil {
		return Merged{}, err
	}
	carryOut := m.carryOut
	if m.ours.CSV != nil {
		carryOut = m.carryOutCSV
	}
	if err := carryOut(ours); err != nil {
		return Merged{}, err
	}
	return m.made, nil
}

// open opens all three versions at once.
func (m *merger) open(base, ours, theirs []byte) error {
	open := m.opener()
	versions := []struct {
		name    string
		content []byte
		book    **cellbook.Book
		finding *resource.Finding
	}{{"base", base, &m.base, nil}, {m.sides.Ours, ours, &m.ours, nil}, {m.sides.Theirs, theirs, &m.theirs, nil}}
	var g sync.WaitGroup
	for i := range versions {
		v := &versions[i]
		if v.name == "base" && len(base) == 0 {
			m.base = &cellbook.Book{Book: &xlsx.Book{}}
			continue
		}
		g.Go(func() { *v.book, v.finding = open(m.ctx, v.content, m.in) })
	}
	g.Wait()
	for _, v := range versions {
		if v.finding != nil {
			return fmt.Errorf("%s: %s (%s)", v.name, v.finding.Message, v.finding.Code)
		}
		if err := m.checkAccount(*v.book); err != nil {
			return fmt.Errorf("%s: %w", v.name, err)
		}
	}
	return nil
}

// opener opens a version of the file that is merged.
func (m *merger) opener() func(context.Context, []byte, draft.Input) (*cellbook.Book, *resource.Finding) {
	if isCSV(m.sides.File) {
		return m.openCSV
	}
	return cellbook.Open
}

type merger struct {
	ctx                context.Context
	in                 draft.Input
	sides              Sides
	account            string // that all sides are of, "" where none says
	base, ours, theirs *cellbook.Book
	steps              []mergeStep
	made               Merged
}

// checkAccount refuses a workbook that was written for another account.
func (m *merger) checkAccount(b *cellbook.Book) error {
	if b.CSV != nil {
		return nil
	}
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
	gone     *cellbook.Row  // a row that goes, nil for none; of a workbook its cells are emptied
	conflict Conflict       // if it cannot be done
	done     func(*Merged)
}

func (m *merger) clash(c Conflict) { m.made.Conflicts = append(m.made.Conflicts, c) }

// takes reports whether theirs counts in a conflict in which it can; where not, it is noted.
func (m *merger) takes(c Conflict) bool {
	if m.sides.Take != nil && m.sides.Take(c) {
		return true
	}
	m.clash(c)
	return false
}

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
				What:   catalogue.Say("merge.sheet", "name", quoteName(t.Name)),
				Reason: catalogue.Say("merge.new-sheet", "theirs", m.sides.Theirs),
			})
		case !sameSheet(b, t):
			m.clash(Conflict{
				What:   catalogue.Say("merge.sheet", "name", quoteName(t.Name)),
				Reason: catalogue.Say("merge.stays-removed", "ours", m.sides.Ours, "theirs", m.sides.Theirs),
			})
		}
	}
	for _, b := range m.base.Sheets {
		if o := m.ours.SheetLike(b); !b.IsOurs && o != nil && m.theirs.SheetLike(b) == nil {
			m.clash(Conflict{
				What:   catalogue.Say("merge.sheet", "name", quoteName(o.Name)),
				Reason: catalogue.Say("merge.old-sheet", "theirs", m.sides.Theirs),
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
				return fmt.Errorf("%s: %w", m.sides.Ours, err)
			}
			continue
		case err != nil:
			return fmt.Errorf("%s: %w", m.sides.Ours, err)
		}
		book, finding := cellbook.Open(m.ctx, content, m.in)
		if finding != nil {
			return errors.New("the merged workbook: " + finding.Message)
		}
		wrong := m.wrongSteps(book)
		if len(wrong) > 0 {
			m.drop(func(i int) string { return wrong[i] })
			continue
		}
		m.made.Content = content
		if len(m.steps) > 0 {
			m.made.Formulas = readFormulas(book)
		}
		for _, s := range m.steps {
			s.done(&m.made)
			m.made.Took = append(m.made.Took, s.conflict)
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
		s.conflict.Reason, s.conflict.Open = why, false
		m.clash(s.conflict)
	}
	m.steps = kept
}

// readFormulas returns the places of formulas in columns that adsync reads.
func readFormulas(book *cellbook.Book) (places []string) {
	for _, s := range book.Sheets {
		for _, row := range s.Rows {
			for _, c := range row.Cells {
				if !s.IsOurs && row.Number > s.Header && c.IsFormula && isRead(s.Described(c.Column)) {
					places = append(places, s.Place(row, c.Column)+": "+c.Shown)
				}
			}
		}
	}
	return places
}

// wrongSteps returns the steps whose cells do not mean in the merged workbook what
// theirs does: the looks of a cell may make another value of a number.
func (m *merger) wrongSteps(book *cellbook.Book) map[int]string {
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
				wrong[i] = catalogue.Say("merge.reads", "value", got.show())
			}
		}
	}
	return wrong
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
