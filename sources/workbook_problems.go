package sources

import (
	"fmt"
	"slices"
	"strings"

	"adsync/internal/diag"

	"github.com/xuri/excelize/v2"
)

// problemsTab is the sheet of a copy that lists what is wrong.
const problemsTab = "Problems"

var problemTitles = []string{"Severity", "Cell", "What is wrong", "What to do", "Code"}

// maxLinks is under the number of links a sheet may have.
const maxLinks = 60_000

// resultStyles are the looks of the two columns.
type resultStyles struct {
	header, good, quiet, waiting, bad, message, link int
}

func newResultStyles(f *excelize.File) (s resultStyles, err error) {
	top := &excelize.Alignment{Vertical: "top", WrapText: true}
	middle := &excelize.Alignment{Vertical: "center", WrapText: true}
	font := func(colour string, bold bool, underline string) *excelize.Font {
		return &excelize.Font{Family: "Calibri", Size: 11, Color: colour, Bold: bold, Underline: underline}
	}
	for _, want := range []struct {
		number *int
		style  excelize.Style
	}{
		{&s.header, excelize.Style{Font: font("FFFFFF", true, ""), Fill: solid(colourHeader), Alignment: middle}},
		{&s.good, excelize.Style{Font: font("006100", false, ""), Fill: solid("C6EFCE"), Alignment: top}},
		{&s.quiet, excelize.Style{Font: font(colourQuiet, false, ""), Alignment: top}},
		{&s.waiting, excelize.Style{Font: font("7F6000", false, ""), Fill: solid("FFEB9C"), Alignment: top}},
		{&s.bad, excelize.Style{Font: font("9C0006", true, ""), Fill: solid("FFC7CE"), Alignment: top}},
		{&s.message, excelize.Style{Font: font("000000", false, ""), Alignment: top}},
		{&s.link, excelize.Style{Font: font("0563C1", false, "single"), Alignment: top}},
	} {
		if *want.number, err = f.NewStyle(&want.style); err != nil {
			return s, err
		}
	}
	return s, nil
}

// of gives the look of a result.
func (s resultStyles) of(result string) int {
	switch result {
	case "created", "updated":
		return s.good
	case "no change":
		return s.quiet
	case "held", "skipped":
		return s.waiting
	}
	return s.bad
}

// writeProblems lists the file's problems, each with a link to its cell.
func (c *resultCopy) writeProblems(problems []diag.Problem) error {
	mine := slices.DeleteFunc(slices.Clone(problems), func(p diag.Problem) bool { return p.Position.File != c.name })
	if len(mine) == 0 {
		return nil
	}
	sheet, err := c.problemsSheet()
	if err != nil {
		return err
	}
	styles, err := newResultStyles(c.file)
	if err != nil {
		return err
	}
	if err := c.problemsHead(sheet, styles); err != nil {
		return err
	}
	for i, p := range mine {
		if err := c.problemRow(sheet, i+2, p, styles); err != nil {
			return err
		}
	}
	return nil
}

// problemsSheet makes the sheet anew; a sheet of that name that is the user's
// own is left alone.
func (c *resultCopy) problemsSheet() (string, error) {
	name := problemsTab
	for number := 2; ; number++ {
		index, err := c.file.GetSheetIndex(name)
		if err != nil {
			return "", err
		}
		if index < 0 {
			_, err := c.file.NewSheet(name)
			return name, err
		}
		if c.isOurs(name) {
			if err := c.file.DeleteSheet(name); err != nil {
				return "", err
			}
			continue
		}
		name = fmt.Sprintf("%s %d", problemsTab, number)
	}
}

func (c *resultCopy) isOurs(sheet string) bool {
	for i, title := range problemTitles {
		if text, err := c.file.GetCellValue(sheet, diag.ColumnName(i+1)+"1"); err != nil || text != title {
			return false
		}
	}
	return true
}

func (c *resultCopy) problemsHead(sheet string, styles resultStyles) error {
	for i, width := range []float64{11, 24, 70, 50, 11} {
		if err := c.put(sheet, 1, i+1, problemTitles[i], styles.header); err != nil {
			return err
		}
		if err := c.file.SetColWidth(sheet, diag.ColumnName(i+1), diag.ColumnName(i+1), width); err != nil {
			return err
		}
	}
	return c.file.SetPanes(sheet, &excelize.Panes{Freeze: true, YSplit: 1, TopLeftCell: "A2", ActivePane: "bottomLeft"})
}

func (c *resultCopy) problemRow(sheet string, row int, p diag.Problem, styles resultStyles) error {
	where := strings.TrimSuffix(p.Position.Sheet+"!"+p.Position.Cell(), "!")
	look := styles.message
	if p.Severity == diag.Error {
		look = styles.bad
	}
	for i, text := range []string{string(p.Severity), strings.TrimPrefix(where, "!"), p.Message, p.Hint, string(p.Code)} {
		if err := c.put(sheet, row, i+1, text, styles.message); err != nil {
			return err
		}
	}
	if err := c.file.SetCellStyle(sheet, fmt.Sprintf("A%d", row), fmt.Sprintf("A%d", row), look); err != nil {
		return err
	}
	if p.Position.Sheet == "" || row > maxLinks {
		return nil
	}
	return c.link(sheet, row, p.Position, styles)
}

// link leads from a problem to its cell, or to its row or sheet.
func (c *resultCopy) link(sheet string, row int, to diag.Position, styles resultStyles) error {
	target := diag.ColumnName(max(to.Column, 1)) + fmt.Sprint(max(to.Line, 1))
	from := fmt.Sprintf("B%d", row)
	quoted := "'" + strings.ReplaceAll(to.Sheet, "'", "''") + "'"
	if err := c.file.SetCellHyperLink(sheet, from, quoted+"!"+target, "Location"); err != nil {
		return err
	}
	return c.file.SetCellStyle(sheet, from, from, styles.link)
}
