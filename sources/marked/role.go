package marked

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"adsync/internal/resultcopy"
	"adsync/sources/config"
	"adsync/sources/table"
)

// writeRole says that the workbook is a copy, so that it may be replaced by the next, and what kind of copy. What the
// sheet said of the original stays.
func (c *markedCopy) writeRole(lines [][2]string) error {
	taken, err := c.book.SheetNames()
	if err != nil {
		return err
	}
	for _, name := range taken {
		if strings.EqualFold(name, config.SyncTab) && c.theirs(config.SyncTab) == nil {
			return fmt.Errorf("its sheet %q has the name of one of adsync's; want another name", name)
		}
	}
	had, err := table.SyncOf(c.book)
	if err != nil {
		return err
	}
	for _, word := range slices.Sorted(maps.Keys(had)) {
		if !resultcopy.IsLine(word) {
			lines = append(lines, [2]string{word, had[word]})
		}
	}
	if err := c.newSheet(config.SyncTab); err != nil {
		return err
	}
	for i, line := range lines {
		if err := c.file.SetSheetRow(config.SyncTab, fmt.Sprintf("A%d", i+1), &[]any{line[0], line[1]}); err != nil {
			return err
		}
	}
	return nil
}
