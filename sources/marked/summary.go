package marked

import "adsync/sources/look"

// summaryTab is the sheet of a copy that says what a plan comes to.
const summaryTab = "Plan summary"

var summaryColumns = []sheetColumn{{"What", 34}, {"Says", 90}}

// writeSummary writes what a plan says first: money, counts, what is held.
func (c *markedCopy) writeSummary(lines [][2]string) error {
	if lines == nil {
		return nil
	}
	sheet, err := c.ownSheet(summaryTab, summaryColumns)
	if err != nil {
		return err
	}
	for i, line := range lines {
		for j, text := range line {
			if err := c.put(sheet, i+2, j+1, text, look.Look{Wrap: true, Line: true, Bold: i == 0}); err != nil {
				return err
			}
			if err := c.makeRoom(sheet, i+2, text, summaryColumns[j].width); err != nil {
				return err
			}
		}
	}
	if err := c.finishSheet(sheet, summaryColumns, look.ColourRequired, len(lines)); err != nil {
		return err
	}
	index, err := c.file.GetSheetIndex(sheet)
	if err != nil {
		return err
	}
	c.file.SetActiveSheet(index)
	return nil
}
