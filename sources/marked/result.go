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
	"slices"
	"strings"
	"time"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/resultcopy"
	"adsync/internal/xlsx"
	"adsync/sources/approval"
	"adsync/sources/bounded"
	"adsync/sources/look"
	"adsync/sources/table"
	"adsync/sources/workbook"

	"github.com/xuri/excelize/v2"
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
	if _, finding := xlsx.Open(context.Background(), original, bounded.Defaults().Workbook()); finding != nil {
		return fmt.Errorf("copy %s: %s", file, finding.Message)
	}
	folder, remove, err := bounded.NewScratch()
	if err != nil {
		return err
	}
	defer remove()
	c := markedCopy{
		sheetWriter: sheetWriter{name: file, heights: map[string]map[int]float64{}, fresh: map[string]bool{}},
		told:        map[string]map[string]string{}, filledStyles: map[filledStyle]int{},
	}
	if err := c.write(original, folder, w, m); err != nil {
		return fmt.Errorf("copy %s: %w", file, err)
	}
	return nil
}

// markedCopy is a copy of a workbook while it is marked.
type markedCopy struct {
	sheetWriter
	told         map[string]map[string]string // what notes are to say, by sheet and cell
	own          map[string][]look.OwnNote    // the user's notes of the sheets that can have new ones
	filledStyles map[filledStyle]int
}

func (c *markedCopy) write(original []byte, folder string, w io.Writer, m Marks) (err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("workbook cannot be changed: %v", reason)
		}
	}()
	b := bounded.Defaults()
	without, own, err := look.TakeNotes(original, m.notedSheets())
	if err != nil {
		return err
	}
	c.own = own
	c.file, err = excelize.OpenReader(bytes.NewReader(without), excelize.Options{
		TmpDir: folder, UnzipSizeLimit: b.UnzippedBytes, UnzipXMLSizeLimit: b.UnzippedBytes,
	})
	if err != nil {
		return err
	}
	defer c.file.Close()
	c.file.SetZipWriter(c.links.NewWriter(m.Results != nil))
	c.styles = look.StyleBook{File: c.file, Numbers: map[look.Look]int{}}
	if err := c.mark(m); err != nil {
		return err
	}
	return c.file.Write(w)
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
	if err := c.writeNotes(); err != nil {
		return err
	}
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
		return c.writeResultsRole(*m.Results)
	}
	return c.writeRole()
}

// notedSheets are the sheets that get notes.
func (m Marks) notedSheets() []string {
	var sheets []string
	for _, o := range m.Outcomes {
		sheets = append(sheets, o.Cell.Sheet())
	}
	for _, p := range m.Problems {
		if p.Position.Column() > 0 {
			sheets = append(sheets, p.Position.Sheet())
		}
	}
	slices.Sort(sheets)
	return slices.Compact(sheets)
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
		if err := c.put(sheet, place.header, column.number, column.title, l); err != nil {
			return err
		}
		letter := diag.ColumnName(column.number)
		if err := c.file.SetColWidth(sheet, letter, letter, column.width); err != nil {
			return err
		}
	}
	return nil
}

// messageWidth is the width of the column Message in characters.
const messageWidth = 70

func (c *markedCopy) writeRow(sheet string, place markedColumns, o RowOutcome) error {
	tone := toneOf(o.Result)
	if err := c.put(sheet, o.Position.Line(), place.result, cmp.Or(o.Shown, o.Result),
		look.Look{Font: tone.Font, Fill: tone.Fill, Line: true, Bold: tone == look.ToneBad}); err != nil {
		return err
	}
	if err := c.put(sheet, o.Position.Line(), place.message, o.Message, look.Look{Wrap: true, Line: true}); err != nil {
		return err
	}
	if err := c.makeRoom(sheet, o.Position.Line(), o.Message, messageWidth); err != nil {
		return err
	}
	if err := c.writeReview(sheet, place, o); err != nil {
		return err
	}
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
func (c *markedCopy) writeReview(sheet string, place markedColumns, o RowOutcome) error {
	if o.Review == "" && o.Serving == "" {
		return nil
	}
	for _, cell := range []struct {
		column int
		text   string
	}{{place.review, o.Review}, {place.serving, o.Serving}} {
		if cell.column == 0 {
			continue
		}
		at := fmt.Sprintf("%s%d", diag.ColumnName(cell.column), o.Position.Line())
		if err := c.file.SetCellStr(sheet, at, workbook.CutText(cell.text)); err != nil {
			return err
		}
	}
	return nil
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
	rows, err := c.file.Rows(sheet)
	if err != nil {
		return place, err
	}
	defer rows.Close()
	place.header = 1
	heights := map[int]float64{}
	last, best := 0, 0
	for number := 1; rows.Next(); number++ {
		height := rows.GetRowOpts().Height // usual where none is given
		cells, err := rows.Columns()
		if err != nil {
			return place, err
		}
		if len(cells) > 0 { // else it may be that of a row further down
			heights[number] = height
		}
		last = max(last, len(cells))
		filled := len(slices.DeleteFunc(slices.Clone(cells), func(text string) bool {
			return strings.TrimSpace(text) == ""
		}))
		if number > max(firstRow, 1) || number > table.HeaderRows ||
			filled <= best || strings.HasPrefix(cells[0], "#") || number == firstRow && best > 1 {
			continue
		}
		best, place.header = filled, number
		place.result, place.message = 1+slices.Index(cells, "Result"), 1+slices.Index(cells, "Message")
		place.review, place.serving = 1+slices.Index(cells, "Review"), 1+slices.Index(cells, "Serving issues")
	}
	if place.result == 0 || place.message == 0 {
		place.result, place.message = last+1, last+2
	}
	if place.message > xlsx.LastColumn {
		return place, fmt.Errorf("it has no room for two more columns")
	}
	if err := rows.Error(); err != nil {
		return place, err
	}
	return place, c.keepHeights(sheet, heights)
}
