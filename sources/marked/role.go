package marked

import (
	"fmt"

	"adsync/internal/resultcopy"
	"adsync/sources/config"

	"github.com/xuri/excelize/v2"
)

// writeResultsRole says that the workbook is a copy with results: whose, and how it was
// written. The texts lie in the sheet itself, so that nothing else has to be read to know
// it. What the sheet said of the original stays.
func (c *markedCopy) writeResultsRole(of resultcopy.Copy) error {
	if index, err := c.file.GetSheetIndex(config.SyncTab); err != nil {
		return err
	} else if index < 0 {
		if _, err := c.file.NewSheet(config.SyncTab); err != nil {
			return err
		}
	}
	had, err := c.file.GetRows(config.SyncTab)
	if err != nil {
		return err
	}
	lines := of.Lines()
	for _, row := range had {
		if len(row) == 2 && !resultcopy.IsLine(row[0]) {
			lines = append(lines, [2]string{row[0], row[1]})
		}
	}
	sheet, err := c.file.NewStreamWriter(config.SyncTab)
	if err != nil {
		return err
	}
	for i, line := range lines {
		cells := []any{excelize.Cell{Value: line[0]}, excelize.Cell{Value: line[1]}}
		if err := sheet.SetRow(fmt.Sprintf("A%d", i+1), cells); err != nil {
			return err
		}
	}
	if err := c.file.SetSheetVisible(config.SyncTab, false, true); err != nil {
		return err
	}
	return sheet.Flush()
}
