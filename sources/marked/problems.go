package marked

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"adsync/internal/diag"
	"adsync/sources/look"
	"adsync/sources/workbook"

	"github.com/xuri/excelize/v2"
)

// problemsTab is the sheet of a copy that lists what is wrong.
const problemsTab = "Problems"

// sheetColumn is a column of a sheet that only copies have.
type sheetColumn struct {
	title string
	width float64
}

var problemColumns = []sheetColumn{
	{"Severity", 11}, {"Sheet", 16}, {"Cell", 9}, {"What is there", 52},
	{"What is wanted", 44}, {"Hint", 44}, {"Code", 11},
}

// maxLinks is under the number of links a sheet may have.
const maxLinks = 60_000

// writeProblems lists the file's problems, each with a link to its cell, and what
// else is not read. The copy opens there where it has a problem.
func (c *markedCopy) writeProblems(problems []diag.Problem, unread []diag.Unread) error {
	mine := slices.DeleteFunc(slices.Clone(problems), func(p diag.Problem) bool { return p.Position.File() != c.name })
	more := c.unreadRows(unread)
	if len(mine)+len(more) == 0 {
		return nil
	}
	sheet, err := c.ownSheet(problemsTab, problemColumns)
	if err != nil {
		return err
	}
	for i, p := range mine {
		if err := c.problemRow(sheet, i+2, p); err != nil {
			return err
		}
	}
	for i, row := range more {
		if err := c.textRow(sheet, len(mine)+i+2, row, look.ToneWaiting); err != nil {
			return err
		}
	}
	if err := c.finishSheet(sheet, problemColumns, "C00000", len(mine)+len(more)); err != nil {
		return err
	}
	if !slices.ContainsFunc(mine, func(p diag.Problem) bool { return p.Severity != diag.Note }) {
		return nil
	}
	index, err := c.file.GetSheetIndex(sheet)
	if err != nil {
		return err
	}
	c.file.SetActiveSheet(index)
	return nil
}

func (c *markedCopy) problemRow(sheet string, row int, p diag.Problem) error {
	severity := look.ToneWaiting
	if p.Severity == diag.Error {
		severity = look.ToneBad
	}
	there, wanted := splitMessage(p.Message)
	texts := []string{string(p.Severity), p.Position.Sheet(), p.Position.Cell(), there, wanted, p.Hint, string(p.Code)}
	if err := c.textRow(sheet, row, texts, severity); err != nil {
		return err
	}
	return c.link(sheet, row, 3, p.Position)
}

// unreadRows are the rows of the file's columns and sheets that are not read and
// no problem: the user's own, and those the service has nothing for.
func (c *markedCopy) unreadRows(unread []diag.Unread) [][]string {
	var rows [][]string
	for _, u := range unread {
		why := map[diag.Why]string{
			diag.WhyMarked: "Begins with #", diag.WhyOwn: "Listed under own_columns in adsync.yaml",
			diag.WhyNoCounterpart: "Of another tool, with nothing here to set",
		}[u.Why]
		if u.Column == "" && u.Why == diag.WhyUnknown {
			why = "Has a name adsync does not know"
		}
		if u.File != c.name || why == "" {
			continue
		}
		there := fmt.Sprintf("Column %q is not read: %s", u.Column, diag.Counted(u.Values, "value", "values"))
		if u.Column == "" {
			there = fmt.Sprintf("Sheet %q is not read: %s", u.Sheet, diag.Counted(u.Values, "row", "rows"))
		}
		rows = append(rows, []string{"not read", u.Sheet, "", there, "", why, ""})
	}
	return rows
}

func (c *sheetWriter) textRow(sheet string, row int, texts []string, severity look.Tone) error {
	for i, text := range texts {
		l := look.Look{Wrap: true, Line: true}
		if i == 0 {
			l.Font, l.Fill = severity.Font, severity.Fill
		}
		if err := c.put(sheet, row, i+1, text, l); err != nil {
			return err
		}
		if err := c.makeRoom(sheet, row, text, problemColumns[i].width); err != nil {
			return err
		}
	}
	return nil
}

// splitMessage parts what is there from what is wanted. A message is written as
// "what is there; what is wanted".
func splitMessage(message string) (there, wanted string) {
	there, wanted, _ = strings.Cut(message, "; want ")
	if wanted == "" {
		there, wanted, _ = strings.Cut(message, "; ")
	}
	return upperFirst(there), upperFirst(wanted)
}

// upperFirst begins a sentence, unless it begins with a name as it is written in files.
func upperFirst(text string) string {
	word, _, _ := strings.Cut(text, " ")
	if text == "" || strings.ContainsAny(word, "._") {
		return text
	}
	first, _ := utf8.DecodeRuneInString(text)
	return strings.ToUpper(string(first)) + text[len(string(first)):]
}

// sheetWriter writes cells of a copy, and the sheets that only copies have.
type sheetWriter struct {
	name   string // of the file that is copied
	file   *excelize.File
	styles look.StyleBook
}

// link leads from a cell to another, or to its row or sheet.
func (c *sheetWriter) link(sheet string, row, column int, to diag.Position) error {
	if to.Sheet() == "" || to.File() != c.name || row > maxLinks {
		return nil
	}
	if index, err := c.file.GetSheetIndex(to.Sheet()); err != nil || index < 0 {
		return err
	}
	target := diag.ColumnName(max(to.Column(), 1)) + fmt.Sprint(max(to.Line(), 1))
	from := fmt.Sprintf("%s%d", diag.ColumnName(column), row)
	text, err := c.file.GetCellValue(sheet, from)
	if err != nil {
		return err
	}
	if text == "" {
		text = "go there"
	}
	if err := c.put(sheet, row, column, text, look.Look{Font: look.ColourLink, Under: true, Line: true}); err != nil {
		return err
	}
	return c.file.SetCellHyperLink(sheet, from, workbook.QuotedSheet(to.Sheet())+"!"+target, "Location")
}

// ownSheet makes a sheet anew, with its header; a sheet of that name that is the
// user's own is left alone.
func (c *sheetWriter) ownSheet(title string, columns []sheetColumn) (string, error) {
	name := title
	for number := 2; ; number++ {
		index, err := c.file.GetSheetIndex(name)
		if err != nil {
			return "", err
		}
		if index < 0 {
			break
		}
		if c.isOurs(name, columns) {
			if err := c.file.DeleteSheet(name); err != nil {
				return "", err
			}
			break
		}
		name = fmt.Sprintf("%s %d", title, number)
	}
	if _, err := c.file.NewSheet(name); err != nil {
		return "", err
	}
	return name, c.startSheet(name, columns)
}

func (c *sheetWriter) isOurs(sheet string, columns []sheetColumn) bool {
	for i, column := range columns {
		if text, err := c.file.GetCellValue(sheet, diag.ColumnName(i+1)+"1"); err != nil || text != column.title {
			return false
		}
	}
	return true
}

func (c *sheetWriter) startSheet(sheet string, columns []sheetColumn) error {
	for i, column := range columns {
		letter := diag.ColumnName(i + 1)
		if err := c.put(sheet, 1, i+1, column.title,
			look.Look{Font: look.ColourWhite, Fill: look.ColourHeader,
				Bold: true, Wrap: true, Middle: true, Line: true}); err != nil {
			return err
		}
		if err := c.file.SetColWidth(sheet, letter, letter, column.width); err != nil {
			return err
		}
	}
	if err := c.file.SetRowHeight(sheet, 1, workbook.LineHeight+9); err != nil {
		return err
	}
	return c.file.SetPanes(sheet, &excelize.Panes{Freeze: true, YSplit: 1, TopLeftCell: "A2", ActivePane: "bottomLeft"})
}

// finishSheet makes the rows ready to be filtered and printed. The library's
// filter forgets the properties of the sheet, so they go after it.
func (c *sheetWriter) finishSheet(sheet string, columns []sheetColumn, colour string, rows int) error {
	end := fmt.Sprintf("%s%d", diag.ColumnName(len(columns)), rows+1)
	if err := c.file.AutoFilter(sheet, "A1:"+end, nil); err != nil {
		return err
	}
	if err := workbook.ColourTab(c.file, sheet, colour); err != nil {
		return err
	}
	return workbook.SetUpPrint(c.file, sheet, workbook.ManyPages)
}
