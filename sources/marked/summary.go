package marked

// summaryTab is the sheet of a copy that says what a plan comes to.
const summaryTab = "Plan summary"

var summaryColumns = []sheetColumn{{"What", 34}, {"Says", 90}}

// writeSummary writes what a plan says first: money, counts, what is held.
func (c *markedCopy) writeSummary(lines [][2]string) error {
	if lines == nil {
		return nil
	}
	return c.writeOpening(summaryTab, summaryColumns, lines, 0)
}
