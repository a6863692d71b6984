package marked

import (
	"fmt"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/xlsx"
	"adsync/sources/look"
	"adsync/sources/workbook"

	"github.com/xuri/excelize/v2"
)

// sheetWriter writes the sheets that only copies have, into a workbook of their own.
type sheetWriter struct {
	name   string     // of the file that is copied
	book   *xlsx.Book // that is copied
	file   *excelize.File
	sheets int // written so far
	styles look.StyleBook
	links  []xlsx.Link

	heights map[string]map[int]float64 // points of rows that are higher than rows are, by sheet
}

func (c *sheetWriter) start(name string) {
	c.name, c.file, c.heights = name, excelize.NewFile(), map[string]map[int]float64{}
	c.styles = look.StyleBook{File: c.file, Numbers: map[look.Look]int{}}
}

func (c *sheetWriter) put(sheet string, row, column int, text string, l look.Look) error {
	cell := xlsx.At{Row: row, Column: column}.String()
	if text != "" {
		if err := c.file.SetCellStr(sheet, cell, workbook.CutText(text)); err != nil {
			return err
		}
	}
	style, err := c.styles.Number(l)
	if err != nil {
		return err
	}
	return c.file.SetCellStyle(sheet, cell, cell, style)
}

// makeRoom makes a row as high as a text of several lines needs, never lower.
func (c *sheetWriter) makeRoom(sheet string, row int, text string, width float64) error {
	lines := workbook.ShownLines(text, width)
	needed := float64(lines * workbook.LineHeight)
	if lines < 2 || needed <= c.heights[sheet][row] {
		return nil
	}
	c.heights[sheet][row] = needed
	return c.file.SetRowHeight(sheet, row, needed)
}

// link leads from a cell to another of the user's sheets, or to its row or sheet.
func (c *sheetWriter) link(sheet string, row, column int, to diag.Position) error {
	if to.Sheet() == "" || to.File() != c.name || row > maxLinks || c.theirs(to.Sheet()) == nil {
		return nil
	}
	from := xlsx.At{Row: row, Column: column}
	text, err := c.file.GetCellValue(sheet, from.String())
	if err != nil {
		return err
	}
	if text == "" {
		text = "go there"
	}
	target := xlsx.At{Row: max(to.Line(), 1), Column: max(to.Column(), 1)}
	c.links = append(c.links, xlsx.Link{
		Sheet: sheet, At: from, To: workbook.QuotedSheet(to.Sheet()) + "!" + target.String(),
	})
	return c.put(sheet, row, column, text, look.Look{Font: look.ColourLink, Under: true, Line: true})
}

// theirs returns a sheet of the user's, nil where there is none of the name.
func (c *sheetWriter) theirs(name string) *xlsx.Sheet {
	if i := slices.IndexFunc(c.book.Sheets, func(s xlsx.Sheet) bool { return s.Name == name }); i >= 0 {
		return &c.book.Sheets[i]
	}
	return nil
}

// ownSheet makes a sheet anew, with its header; a sheet of that name that is the
// user's own is left alone.
func (c *sheetWriter) ownSheet(title string, columns []sheetColumn) (string, error) {
	taken, err := c.book.SheetNames()
	if err != nil {
		return "", err
	}
	name := title
	isTaken := func(have string) bool { return strings.EqualFold(have, name) }
	for number := 2; slices.ContainsFunc(taken, isTaken); number++ {
		isOurs, err := c.isOurs(name, columns)
		if err != nil {
			return "", err
		}
		if isOurs {
			break
		}
		name = fmt.Sprintf("%s %d", title, number)
	}
	if err := c.newSheet(name); err != nil {
		return "", err
	}
	return name, c.startSheet(name, columns)
}

// isOurs reports whether the workbook has a sheet of a name that an earlier copy got.
func (c *sheetWriter) isOurs(name string, columns []sheetColumn) (is bool, err error) {
	their := c.theirs(name)
	if their == nil {
		return false, nil
	}
	_, err = xlsx.Walk(c.book, their.Part, func(row *xlsx.Row) error {
		if row.Number != 1 || len(row.Cells) < len(columns) {
			return nil
		}
		is = true
		for i, column := range columns {
			is = is && row.Cells[i].Column == i+1 && row.Cells[i].Text == column.title
		}
		return nil
	})
	return is, err
}

// newSheet adds a sheet. The workbook begins with one.
func (c *sheetWriter) newSheet(name string) error {
	c.sheets++
	if c.sheets == 1 {
		return c.file.SetSheetName(c.file.GetSheetName(0), name)
	}
	_, err := c.file.NewSheet(name)
	return err
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
	c.heights[sheet] = map[int]float64{1: workbook.LineHeight + 9}
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
