package marked

import (
	"fmt"
	"maps"

	"adsync/internal/diag"
	"adsync/sources/look"
	"adsync/sources/workbook"

	"github.com/xuri/excelize/v2"
)

// sheetWriter writes cells of a copy, and the sheets that only copies have.
type sheetWriter struct {
	name   string // of the file that is copied
	file   *excelize.File
	styles look.StyleBook
	links  look.Links

	heights map[string]map[int]float64 // of rows, by sheet, as far as they are known
	fresh   map[string]bool            // the sheets made anew, whose other rows are as high as rows are
}

func (c *sheetWriter) put(sheet string, row, column int, text string, l look.Look) error {
	cell := fmt.Sprintf("%s%d", diag.ColumnName(column), row)
	if err := c.file.SetCellStr(sheet, cell, workbook.CutText(text)); err != nil {
		return err
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
	if lines < 2 {
		return nil
	}
	height, err := c.height(sheet, row)
	if needed := float64(lines * workbook.LineHeight); err == nil && needed > height {
		if c.heights[sheet] != nil {
			c.heights[sheet][row] = needed
		}
		err = c.file.SetRowHeight(sheet, row, needed)
	}
	return err
}

// usualHeight is the height of a row in points where neither it nor its sheet says another.
const usualHeight = 15

// height returns the height of a row. The library looks through the whole sheet for it.
func (c *sheetWriter) height(sheet string, row int) (float64, error) {
	height, known := c.heights[sheet][row]
	switch {
	case known:
		return height, nil
	case c.fresh[sheet]:
		return usualHeight, nil
	}
	return c.file.GetRowHeight(sheet, row)
}

// keepHeights keeps the heights of the rows of a sheet, where a row without one is said to have the usual one.
func (c *sheetWriter) keepHeights(sheet string, heights map[int]float64) error {
	shape, err := c.file.GetSheetProps(sheet)
	if err != nil {
		return err
	}
	if shape.CustomHeight != nil && *shape.CustomHeight {
		maps.DeleteFunc(heights, func(_ int, height float64) bool { return height == usualHeight })
	}
	c.heights[sheet] = heights
	return nil
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
	return c.links.Add(c.file, sheet, from, workbook.QuotedSheet(to.Sheet())+"!"+target)
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
	c.fresh[sheet], c.heights[sheet] = true, map[int]float64{1: workbook.LineHeight + 9}
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
