package table

import (
	"fmt"
	"maps"
	"slices"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/xlsx"
)

// calculated are the amounts of a column that formulas gave.
type calculated struct {
	first diag.Position
	shown string
	count int
}

// calculations are the amounts that formulas gave, by the number of their column.
type calculations struct {
	*head
	calculated map[int]*calculated
}

// noteCalculated takes note of an amount that is the last value of a formula.
func (r *calculations) noteCalculated(position diag.Position, c xlsx.Cell, v resource.Value) {
	micros, isNumber := v.Number()
	if !c.IsFormula || !isNumber {
		return
	}
	if r.calculated == nil {
		r.calculated = map[int]*calculated{}
	}
	of := r.calculated[c.Column]
	if of == nil {
		of = &calculated{first: position, shown: resource.FormatMoney(micros)}
		r.calculated[c.Column] = of
	}
	of.count++
}

// warnCalculated says once for each column that its amounts are those formulas
// gave when the workbook was saved last.
func (r *calculations) warnCalculated() {
	for _, column := range slices.Sorted(maps.Keys(r.calculated)) {
		of := r.calculated[column]
		message := fmt.Sprintf("amount is a formula, and its last value %s is read; want it up to date", of.shown)
		if of.count > 1 {
			message = fmt.Sprintf("%d amounts of this column "+
				"are formulas, and their last values are read, here %s; want them up to date", of.count, of.shown)
		}
		r.report(of.first, resource.Finding{
			Code: diag.FormulaNoValue, Severity: diag.Warning, Message: message,
			Hint: "save the workbook in a spreadsheet program after the last change, or paste the values",
		})
	}
}
