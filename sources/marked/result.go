// Package marked writes results: into copies of workbooks, and into the user's own cells.
// result.go makes a marked copy with its sheets (about.go, planned.go, problems.go, summary.go),
// writeback.go writes outcomes into the own file, update.go what the service knows.
//
// A file that moved since it was read is left alone, and no other byte is changed.
package marked

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/resultcopy"
	"adsync/internal/xlsx"
	"adsync/sources/approval"
	"adsync/sources/bounded"
	"adsync/sources/config"
	"adsync/sources/look"
	"adsync/sources/table"
	"adsync/sources/workbook"
)

// RowOutcome is what became of one row of a source, or of a change no row asks for.
type RowOutcome struct {
	Address  resource.Address
	Name     string // what people call it
	Action   string // create, update, …; "" where nothing was to be done
	Position diag.Position
	Result   string        // created, updated, no change, failed, skipped, held or unknown
	Shown    string        // the words for it that people read in a workbook; "" for Result
	Message  string        // what happened and how to mend it; may be empty
	Code     string        // the service's, or what holds the change; may be empty
	Cell     diag.Position // the cell that failed, zero where there is none
	ID       string        // the service's id, "" where it is not known
	Review   string        // as an export says it; "" where it is not known
	Serving  string        // likewise
}

// Marks are what a marked copy says that the user's workbook does not.
type Marks struct {
	Outcomes []RowOutcome
	Problems []diag.Problem
	Unread   []diag.Unread   // columns and sheets that are not read, listed beneath the problems
	Plan     []PlannedChange // for the sheet Plan; nil leaves it out
	Summary  [][2]string     // what the plan comes to, a label and a text each; nil leaves it out
	// Results makes it a copy with results, which is never read as a source; nil leaves it
	// a copy that somebody may approve in, or go on with.
	Results *resultcopy.Copy
	At      time.Time // when such a copy is written; the zero time leaves it out
}

// WriteCopy writes a copy of a user's workbook with what became of its
// rows: columns Result and Message after the last used one, failing cells red
// with a note, a sheet Problems with a link to each cell, and a sheet Plan. The
// original is never changed; its values, styles, formulas and comments stay.
// Outcomes and problems of other files are left out. The original must be a
// workbook that reads without damage.
func WriteCopy(original []byte, w io.Writer, file string, m Marks) error {
	parts, finding := xlsx.Open(context.Background(), original, bounded.Defaults().Workbook())
	if finding != nil {
		return fmt.Errorf("copy %s: %s", file, finding.Message)
	}
	c := markedCopy{
		told: map[string]map[xlsx.At]string{}, cells: map[string]map[xlsx.At]xlsx.Edit{},
		more: xlsx.Copy{Heights: map[string]map[int]float64{}, Hides: config.SyncTab},
	}
	err := func() (err error) {
		if c.sheetWriter.book, err = xlsx.ReadBook(parts); err != nil {
			return err
		}
		return c.write(original, w, file, m)
	}()
	if err != nil {
		return fmt.Errorf("copy %s: %w", file, err)
	}
	return nil
}

// markedCopy is a copy of a workbook while it is marked: what its cells are to be, and the sheets that it gets.
type markedCopy struct {
	sheetWriter
	told  map[string]map[xlsx.At]string    // what notes are to say, by sheet and cell
	cells map[string]map[xlsx.At]xlsx.Edit // of the user's sheets
	more  xlsx.Copy
}

func (c *markedCopy) write(original []byte, w io.Writer, file string, m Marks) error {
	c.start(file)
	defer c.file.Close()
	if err := c.mark(m); err != nil {
		return err
	}
	var sheets bytes.Buffer
	if err := c.file.Write(&sheets); err != nil {
		return err
	}
	c.more.Links = c.links
	all := xlsx.Changes{Add: sheets.Bytes(), Copy: &c.more}
	for _, cells := range c.cells {
		all.Edits = slices.AppendSeq(all.Edits, maps.Values(cells))
	}
	if m.Results != nil {
		c.more.Unsealed = resultcopy.Unsealed
	}
	within := bounded.Defaults().Workbook() // a copy is larger than the workbook
	within.Zipped, within.Unzipped = 2*within.Zipped, 2*within.Unzipped
	content, err := all.Rewrite(original, within)
	if err != nil {
		return err
	}
	_, err = w.Write(content)
	return err
}

func (c *markedCopy) mark(m Marks) error {
	outcomes := m.Outcomes
	switch {
	case outcomes == nil:
		outcomes = ProblemRows(m.Problems)
	case m.Results != nil:
		outcomes = withProblems(outcomes, m.Problems)
	}
	for _, rows := range c.bySheet(outcomes) {
		if err := c.writeRows(rows); err != nil {
			return fmt.Errorf("sheet %q: %w", rows[0].Position.Sheet(), err)
		}
	}
	if err := c.markProblems(m.Problems); err != nil {
		return err
	}
	c.writeNotes()
	if err := c.writePlan(m.Plan); err != nil {
		return fmt.Errorf("sheet %q: %w", approval.PlanTab, err)
	}
	if m.Results != nil {
		if err := c.writeAbout(m, outcomes); err != nil {
			return fmt.Errorf("sheet %q: %w", aboutTab, err)
		}
	}
	if err := c.writeProblems(m.Problems, m.Unread); err != nil {
		return fmt.Errorf("sheet %q: %w", problemsTab, err)
	}
	if err := c.writeSummary(m.Summary); err != nil {
		return fmt.Errorf("sheet %q: %w", summaryTab, err)
	}
	if m.Results != nil {
		return c.writeRole(m.Results.Lines())
	}
	return c.writeRole([][2]string{{"role", approval.RoleCopy}})
}

// withProblems are the outcomes of rows, with what is wrong with a row in place of that it
// waits, and of that nothing became of it.
func withProblems(outcomes []RowOutcome, problems []diag.Problem) []RowOutcome {
	rowOf := func(p diag.Position) diag.Position { return p.Origin().At(p.Line(), 0) }
	at := map[diag.Position]int{}
	all := slices.Clone(outcomes)
	for i, o := range all {
		at[rowOf(o.Position)] = i
	}
	for _, wrong := range ProblemRows(problems) {
		i, known := at[rowOf(wrong.Position)]
		switch {
		case wrong.Result != resultProblem:
		case !known:
			all = append(all, wrong)
		case all[i].Result == resultNoChange:
			all[i].Result, all[i].Shown, all[i].Message = wrong.Result, "", wrong.Message
		case all[i].Result == resultHeld: // by that
			all[i].Message = wrong.Message
		}
	}
	return all
}

// ProblemRows say in each row what is wrong with it.
func ProblemRows(problems []diag.Problem) []RowOutcome {
	var outcomes []RowOutcome
	byRow := map[diag.Position]int{}
	for _, p := range problems {
		row := p.Position.Origin().At(p.Position.Line(), 0)
		i, told := byRow[row]
		if !told {
			i = len(outcomes)
			byRow[row] = i
			outcomes = append(outcomes, RowOutcome{Position: row, Result: resultWarning})
		}
		if p.Severity == diag.Error {
			outcomes[i].Result = resultProblem
		}
		if outcomes[i].Message != "" {
			outcomes[i].Message += "\n"
		}
		outcomes[i].Message += problemText(p)
	}
	return outcomes
}

// The results of rows of files that were only checked.
const (
	resultProblem  = "problem"
	resultWarning  = "warning"
	resultNoChange = "no change"
	resultHeld     = "held"
)

// problemText is a problem and what to do, in one sentence or two.
func problemText(p diag.Problem) string {
	if p.Hint == "" {
		return p.Message
	}
	return p.Message + ". " + strings.ToUpper(p.Hint[:1]) + p.Hint[1:]
}

// bySheet returns the outcomes of this file, sheet by sheet, in the order of rows.
func (c *markedCopy) bySheet(outcomes []RowOutcome) [][]RowOutcome {
	mine := slices.DeleteFunc(slices.Clone(outcomes), func(o RowOutcome) bool {
		return o.Position.File() != c.name || o.Position.Sheet() == "" || o.Position.Line() == 0
	})
	slices.SortStableFunc(mine, func(a, b RowOutcome) int { return a.Position.Compare(b.Position) })
	var sheets [][]RowOutcome
	for i := 0; i < len(mine); {
		end := i + 1
		for end < len(mine) && mine[end].Position.Sheet() == mine[i].Position.Sheet() {
			end++
		}
		sheets = append(sheets, mine[i:end])
		i = end
	}
	return sheets
}

// writeRows adds the two columns to a sheet. What is said of the header's own
// row has its cells marked, and no result.
func (c *markedCopy) writeRows(outcomes []RowOutcome) error {
	sheet := outcomes[0].Position.Sheet()
	place, err := c.findColumns(sheet, outcomes[0].Position.Line())
	if err != nil {
		return err
	}
	if err := c.writeHeader(sheet, place); err != nil {
		return err
	}
	for _, o := range outcomes {
		if o.Position.Line() == place.header {
			continue
		}
		if err := c.writeRow(sheet, place, o); err != nil {
			return err
		}
	}
	return nil
}

func (c *markedCopy) writeHeader(sheet string, place markedColumns) error {
	l := look.Look{Font: look.ColourWhite, Fill: look.ColourHeader, Bold: true, Wrap: true, Middle: true, Line: true}
	for _, column := range []struct {
		number int
		title  string
		width  float64
	}{{place.result, "Result", 19}, {place.message, "Message", messageWidth}} {
		if err := c.say(sheet, place.header, column.number, column.title, l); err != nil {
			return err
		}
		c.more.Widths = append(c.more.Widths, xlsx.Width{Sheet: sheet, Column: column.number, Characters: column.width})
	}
	return nil
}

// say writes a text of a look into a cell of the user's sheet.
func (c *markedCopy) say(sheet string, row, column int, text string, l look.Look) error {
	style, err := c.styles.Number(l)
	c.edit(xlsx.Edit{Sheet: sheet, Row: row, Column: column, Value: xlsx.Text(workbook.CutText(text)), Look: style})
	return err
}

// edit takes an edit of a cell of the user's sheet, which may get a colour by itself.
func (c *markedCopy) edit(e xlsx.Edit) {
	cells := c.cells[e.Sheet]
	if cells == nil {
		cells = map[xlsx.At]xlsx.Edit{}
		c.cells[e.Sheet] = cells
	}
	e.IfFree = true
	at := xlsx.At{Row: e.Row, Column: e.Column}
	had, has := cells[at]
	switch {
	case has && e.Value == xlsx.Keep():
		had.Fill = e.Fill
		e = had
	case has:
		e.Fill = had.Fill
	}
	cells[at] = e
}

// makeRow makes a row of the user's sheet as high as a text of several lines needs, never lower.
func (c *markedCopy) makeRow(sheet string, row int, text string, width float64) {
	lines := workbook.ShownLines(text, width)
	if lines < 2 {
		return
	}
	if c.more.Heights[sheet] == nil {
		c.more.Heights[sheet] = map[int]float64{}
	}
	c.more.Heights[sheet][row] = max(c.more.Heights[sheet][row], float64(lines*workbook.LineHeight))
}

// messageWidth is the width of the column Message in characters.
const messageWidth = 70

func (c *markedCopy) writeRow(sheet string, place markedColumns, o RowOutcome) error {
	tone := toneOf(o.Result)
	if err := c.say(sheet, o.Position.Line(), place.result, cmp.Or(o.Shown, o.Result),
		look.Look{Font: tone.Font, Fill: tone.Fill, Line: true, Bold: tone == look.ToneBad}); err != nil {
		return err
	}
	if err := c.say(sheet, o.Position.Line(), place.message, o.Message, look.Look{Wrap: true, Line: true}); err != nil {
		return err
	}
	c.makeRow(sheet, o.Position.Line(), o.Message, messageWidth)
	c.writeReview(sheet, place, o)
	if o.Cell.File() != c.name || o.Cell.Column() == 0 {
		return nil
	}
	if tone != look.ToneBad {
		tone = look.ToneWaiting
	}
	return c.markCell(o.Cell, tone, o.Message)
}

// writeReview brings the columns of an export up to what is known now, where the sheet
// has them: nobody is told that an ad is approved which is not any more.
func (c *markedCopy) writeReview(sheet string, place markedColumns, o RowOutcome) {
	if o.Review == "" && o.Serving == "" {
		return
	}
	for _, cell := range []struct {
		column int
		text   string
	}{{place.review, o.Review}, {place.serving, o.Serving}} {
		if cell.column == 0 {
			continue
		}
		c.edit(xlsx.Edit{
			Sheet: sheet, Row: o.Position.Line(), Column: cell.column, Value: xlsx.Text(workbook.CutText(cell.text)),
		})
	}
}

// toneOf returns the colours of a result.
func toneOf(result string) look.Tone {
	switch result {
	case "created", "updated":
		return look.ToneGood
	case resultNoChange:
		return look.Tone{Font: look.ColourQuiet}
	case resultHeld, "skipped", "limited", resultWarning:
		return look.ToneWaiting
	case "failed", "unknown", "rejected", resultProblem:
		return look.ToneBad
	}
	return look.Tone{Font: look.ColourHeader, Fill: "DCEBF7"} // what a plan says will be done
}

// markedColumns are where a sheet says what became of its rows.
type markedColumns struct{ header, result, message, review, serving int }

// findColumns finds the header's row above the first outcome, and the columns
// Result and Message there, or the two after the last used column.
func (c *markedCopy) findColumns(sheet string, firstRow int) (place markedColumns, err error) {
	i := slices.IndexFunc(c.book.Sheets, func(s xlsx.Sheet) bool { return s.Name == sheet })
	if i < 0 {
		return place, fmt.Errorf("it is not there")
	}
	place.header = 1
	last, best := 0, 0
	facts, err := xlsx.Walk(c.book, c.book.Sheets[i].Part, func(row *xlsx.Row) error {
		last = max(last, row.Cells[len(row.Cells)-1].Column)
		if row.Number > max(firstRow, 1) || row.Number > table.HeaderRows {
			return nil
		}
		columns, filled := map[string]int{}, 0
		for _, cell := range row.Cells {
			if strings.TrimSpace(cell.Text) == "" {
				continue
			}
			filled++
			if columns[cell.Text] == 0 {
				columns[cell.Text] = cell.Column
			}
		}
		isRemark := row.Cells[0].Column == 1 && strings.HasPrefix(row.Cells[0].Text, "#")
		if filled <= best || isRemark || row.Number == firstRow && best > 1 {
			return nil
		}
		best = filled
		place = markedColumns{row.Number, columns["Result"], columns["Message"],
			columns["Review"], columns["Serving issues"]}
		return nil
	})
	if err != nil {
		return place, err
	}
	if place.result == 0 || place.message == 0 {
		for _, m := range facts.Merges { // a text under merged cells is not seen
			if m.ToRow >= place.header && m.ToColumn < xlsx.LastColumn-1 {
				last = max(last, m.ToColumn)
			}
		}
		place.result, place.message = last+1, last+2
	}
	if place.message > xlsx.LastColumn {
		return place, fmt.Errorf("it has no room for two more columns")
	}
	return place, nil
}
