package sources

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/xlsx"

	"github.com/xuri/excelize/v2"
)

// RowOutcome is what became of one row of a source.
type RowOutcome struct {
	Address  resource.Address
	Position diag.Position
	Result   string        // created, updated, no change, failed, skipped, held or unknown
	Message  string        // what happened and how to mend it; may be empty
	Cell     diag.Position // the cell that failed, zero where there is none
	ID       string        // the service's id, "" where it is not known
}

// WriteResultCopy writes a copy of a user's workbook with what became of its
// rows: columns Result and Message after the last used one, failing cells red
// with a note, and a sheet Problems with a link to each cell. The original is
// never changed; its values, styles, formulas and comments stay. Outcomes and
// problems of other files are left out. The original must be a workbook that
// reads without damage.
func WriteResultCopy(original []byte, w io.Writer, file string, outcomes []RowOutcome, problems []diag.Problem) error {
	if _, finding := xlsx.Open(context.Background(), original, defaultBounds().workbook()); finding != nil {
		return fmt.Errorf("copy %s: %s", file, finding.Message)
	}
	folder, remove, err := newScratch()
	if err != nil {
		return err
	}
	defer remove()
	c := resultCopy{name: file, told: map[string]string{}, marked: map[int]int{}}
	if err := c.write(original, folder, w, outcomes, problems); err != nil {
		return fmt.Errorf("copy %s: %w", file, err)
	}
	return nil
}

// resultCopy is a copy of a workbook while results are written into it.
type resultCopy struct {
	name   string
	file   *excelize.File
	told   map[string]string // note of each failing cell, by sheet and cell
	marked map[int]int       // red style of each style
}

func (c *resultCopy) write(original []byte, folder string, w io.Writer, outcomes []RowOutcome, problems []diag.Problem) (err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("workbook cannot be changed: %v", reason)
		}
	}()
	b := defaultBounds()
	c.file, err = excelize.OpenReader(bytes.NewReader(original), excelize.Options{
		TmpDir: folder, UnzipSizeLimit: b.unzippedBytes, UnzipXMLSizeLimit: b.unzippedBytes,
	})
	if err != nil {
		return err
	}
	defer c.file.Close()
	for _, rows := range c.bySheet(outcomes) {
		if err := c.writeRows(rows); err != nil {
			return fmt.Errorf("sheet %q: %w", rows[0].Position.Sheet, err)
		}
	}
	if err := c.markProblems(problems); err != nil {
		return err
	}
	if err := c.writeProblems(problems); err != nil {
		return err
	}
	return c.file.Write(w)
}

// bySheet gives the outcomes of this file, sheet by sheet, in the order of rows.
func (c *resultCopy) bySheet(outcomes []RowOutcome) [][]RowOutcome {
	mine := slices.DeleteFunc(slices.Clone(outcomes), func(o RowOutcome) bool {
		return o.Position.File != c.name || o.Position.Sheet == "" || o.Position.Line == 0
	})
	slices.SortStableFunc(mine, func(a, b RowOutcome) int { return a.Position.Compare(b.Position) })
	var sheets [][]RowOutcome
	for i := 0; i < len(mine); {
		end := i + 1
		for end < len(mine) && mine[end].Position.Sheet == mine[i].Position.Sheet {
			end++
		}
		sheets = append(sheets, mine[i:end])
		i = end
	}
	return sheets
}

// writeRows adds the two columns to a sheet.
func (c *resultCopy) writeRows(outcomes []RowOutcome) error {
	sheet := outcomes[0].Position.Sheet
	header, result, message, err := c.resultColumns(sheet, outcomes[0].Position.Line)
	if err != nil {
		return err
	}
	styles, err := newResultStyles(c.file)
	if err != nil {
		return err
	}
	if err := c.put(sheet, header, result, "Result", styles.header); err != nil {
		return err
	}
	if err := c.put(sheet, header, message, "Message", styles.header); err != nil {
		return err
	}
	if err := c.file.SetColWidth(sheet, diag.ColumnName(result), diag.ColumnName(result), 13); err != nil {
		return err
	}
	if err := c.file.SetColWidth(sheet, diag.ColumnName(message), diag.ColumnName(message), 60); err != nil {
		return err
	}
	for _, o := range outcomes {
		if err := c.put(sheet, o.Position.Line, result, o.Result, styles.of(o.Result)); err != nil {
			return err
		}
		if err := c.put(sheet, o.Position.Line, message, o.Message, styles.message); err != nil {
			return err
		}
		if o.Cell.File == c.name && o.Cell.Column > 0 {
			if err := c.mark(o.Cell, o.Message); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *resultCopy) put(sheet string, row, column int, text string, style int) error {
	cell := fmt.Sprintf("%s%d", diag.ColumnName(column), row)
	if err := c.file.SetCellStr(sheet, cell, cutText(text)); err != nil {
		return err
	}
	return c.file.SetCellStyle(sheet, cell, cell, style)
}

// cutText keeps a message to what a cell holds and says that it is longer.
func cutText(text string) string {
	if unwritable(text) == "" {
		return text
	}
	text = diag.Printable(text)
	if runes := []rune(text); len(runes) > maxCellText/2 {
		text = string(runes[:maxCellText/2]) + " … (longer)"
	}
	return text
}

// resultColumns finds the header's row above the first outcome, and the columns
// Result and Message there, or the two after the last used column.
func (c *resultCopy) resultColumns(sheet string, firstRow int) (header, result, message int, err error) {
	rows, err := c.file.Rows(sheet)
	if err != nil {
		return 0, 0, 0, err
	}
	defer rows.Close()
	header, last, best := 1, 0, 0
	for number := 1; rows.Next(); number++ {
		cells, err := rows.Columns()
		if err != nil {
			return 0, 0, 0, err
		}
		last = max(last, len(cells))
		filled := len(slices.DeleteFunc(slices.Clone(cells), func(text string) bool { return strings.TrimSpace(text) == "" }))
		if number >= firstRow || number > headerRows || filled <= best || strings.HasPrefix(cells[0], "#") {
			continue
		}
		best, header = filled, number
		result, message = 1+slices.Index(cells, "Result"), 1+slices.Index(cells, "Message")
	}
	if result == 0 || message == 0 {
		result, message = last+1, last+2
	}
	if message > xlsx.LastColumn {
		return 0, 0, 0, fmt.Errorf("it has no room for two more columns")
	}
	return header, result, message, rows.Error()
}

// mark turns a cell red and says why in a note, beside the note it may have.
func (c *resultCopy) mark(at diag.Position, text string) error {
	if index, err := c.file.GetSheetIndex(at.Sheet); err != nil || index < 0 || at.Line == 0 || at.Column == 0 {
		return err
	}
	style, err := c.file.GetCellStyle(at.Sheet, at.Cell())
	if err != nil {
		return err
	}
	red, ok := c.marked[style]
	if !ok {
		if red, err = c.redden(style); err != nil {
			return err
		}
		c.marked[style] = red
	}
	if err := c.file.SetCellStyle(at.Sheet, at.Cell(), at.Cell(), red); err != nil {
		return err
	}
	place := at.Sheet + "\x00" + at.Cell()
	if have, told := c.told[place]; told && (have == text || strings.Contains(have, text)) {
		return nil
	} else if told {
		text = have + "\n" + text
	}
	c.told[place] = text
	return c.note(at, text)
}

// redden gives a style that is the cell's own on red.
func (c *resultCopy) redden(style int) (int, error) {
	s, err := c.file.GetStyle(style)
	if err != nil {
		return 0, err
	}
	s.Fill = solid("FFC7CE")
	return c.file.NewStyle(s)
}

func (c *resultCopy) note(at diag.Position, text string) error {
	comments, err := c.file.GetComments(at.Sheet)
	if err != nil {
		return err
	}
	for _, have := range comments {
		if have.Cell != at.Cell() {
			continue
		}
		if have.Author != noteAuthor {
			text = strings.TrimSpace(have.Text) + "\n\n" + noteAuthor + ": " + text
		}
		if err := c.file.DeleteComment(at.Sheet, have.Cell); err != nil {
			return err
		}
	}
	return c.file.AddComment(at.Sheet, excelize.Comment{Cell: at.Cell(), Author: noteAuthor, Text: cutText(text), Width: 320, Height: 120})
}

const noteAuthor = "adsync"

// markProblems marks the cells of errors that have one.
func (c *resultCopy) markProblems(problems []diag.Problem) error {
	for _, p := range problems {
		if p.Severity != diag.Error || p.Position.File != c.name || p.Position.Sheet == "" || p.Position.Column == 0 {
			continue
		}
		if err := c.mark(p.Position, strings.TrimSpace(p.Message+"\n"+p.Hint)); err != nil {
			return err
		}
	}
	return nil
}
