package marked

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/sources/look"
)

// aboutTab is the sheet of a copy with results that says what it is, and what it comes to.
const aboutTab = "Results"

var aboutColumns = []sheetColumn{{"About this copy", 26}, {"In short", 90}}

// writeAbout says which workbook to edit, and how many rows have which result. The copy
// opens there where it has no problem.
func (c *markedCopy) writeAbout(m Marks, outcomes []RowOutcome) error {
	return c.writeOpening(aboutTab, aboutColumns, c.aboutLines(m, outcomes), 1)
}

// writeOpening writes a sheet of lines, and has the copy open there. The first line is bold from a column on.
func (c *markedCopy) writeOpening(tab string, columns []sheetColumn, lines [][2]string, boldFrom int) error {
	sheet, err := c.ownSheet(tab, columns)
	if err != nil {
		return err
	}
	for i, line := range lines {
		for j, text := range line {
			bold := i == 0 && j >= boldFrom
			if err := c.put(sheet, i+2, j+1, text, look.Look{Wrap: true, Line: true, Bold: bold}); err != nil {
				return err
			}
			if err := c.makeRoom(sheet, i+2, text, columns[j].width); err != nil {
				return err
			}
		}
	}
	if err := c.finishSheet(sheet, columns, look.ColourRequired, len(lines)); err != nil {
		return err
	}
	c.more.Opens = sheet
	return nil
}

func (c *markedCopy) aboutLines(m Marks, outcomes []RowOutcome) [][2]string {
	original := diag.Printable(path.Base(m.Results.Of))
	about := "This is a copy of " +
		original + " with results. It is never read: what is changed here counts for nothing."
	lines := [][2]string{{"Edit " + original, about}}
	if !m.At.IsZero() {
		lines = append(lines, [2]string{"Written", m.At.Format("2006-01-02 15:04 MST")})
	}
	lines = append(lines, [2]string{"Rows", cmp.Or(c.counts(outcomes), "none")})
	errors := 0
	for _, p := range m.Problems {
		if p.Position.File() == c.name && p.Severity == diag.Error {
			errors++
		}
	}
	if errors > 0 {
		wrong := diag.Counted(errors, "cell or row is", "cells or rows are")
		lines = append(lines, [2]string{"To mend", wrong + " not valid: see the sheet " + problemsTab})
	}
	return lines
}

// counts returns how many rows of this file have which result.
func (c *markedCopy) counts(outcomes []RowOutcome) string {
	number, order := map[string]int{}, []string{}
	for _, rows := range c.bySheet(outcomes) {
		for _, o := range rows {
			said := cmp.Or(o.Shown, o.Result)
			if number[said]++; number[said] == 1 {
				order = append(order, said)
			}
		}
	}
	slices.Sort(order)
	var parts []string
	for _, result := range order {
		parts = append(parts, fmt.Sprintf("%d %s", number[result], result))
	}
	return strings.Join(parts, ", ")
}
