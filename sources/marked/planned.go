package marked

import (
	"fmt"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/sources/approval"
	"adsync/sources/look"
	"adsync/sources/workbook"

	"github.com/xuri/excelize/v2"
)

// PlannedChange is one change of a plan as the sheet Plan shows it.
type PlannedChange struct {
	Address  resource.Address
	Action   string
	Name     string
	Position diag.Position
	Fields   []string // what changes, one a line
	Spend    string   // what it does to possible spend
	Held     string   // what holds it, "" where nothing does
	Allow    string   // what releases it
}

var planColumns = []sheetColumn{
	{approval.ApproveTitle, 10}, {"Change", 11}, {"Kind", 13}, {"Name", 28},
	{"Where", 18}, {"What changes", 60}, {"Possible spend", 24}, {"Held because", 44}, {approval.AllowTitle, 40},
}

// writePlan lists every change of a plan: those of other files, too, because a
// plan is judged as a whole.
func (c *markedCopy) writePlan(changes []PlannedChange) error {
	if changes == nil {
		return nil
	}
	sheet, err := c.ownSheet(approval.PlanTab, planColumns)
	if err != nil {
		return err
	}
	for i, change := range changes {
		if err := c.planRow(sheet, i+2, change); err != nil {
			return err
		}
	}
	if err := c.askApproval(sheet, len(changes)); err != nil {
		return err
	}
	return c.finishSheet(sheet, planColumns, look.ColourRequired, len(changes))
}

// askApproval gives the first column a choice, and says in its note what it does.
func (c *markedCopy) askApproval(sheet string, rows int) error {
	choice := excelize.NewDataValidation(true)
	choice.SetSqref(fmt.Sprintf("A2:A%d", rows+1))
	if err := choice.SetDropList([]string{"yes", "no"}); err != nil {
		return err
	}
	if err := c.file.AddDataValidation(sheet, choice); err != nil {
		return err
	}
	return c.file.AddComment(sheet,
		workbook.NoteAt("A1", "yes lets a change "+
			"that is held go on: adsync apply --approved with this copy takes what stands "+
			"at the end of the row for said.\nBlank or no: it stays held. Changes that are not held need no approval."))
}

func (c *markedCopy) planRow(sheet string, row int, change PlannedChange) error {
	where := change.Position.String()
	if change.Position.File() == c.name && change.Position.Sheet() != "" {
		where = strings.TrimPrefix(where, diag.Printable(c.name)+":")
	}
	approve := ""
	if change.Allow != "" {
		approve = "no"
	}
	texts := []string{approve, change.Action, string(change.Address.Kind),
		change.Name, where, strings.Join(change.Fields, "\n"), change.Spend, change.Held, change.Allow}
	for i, text := range texts {
		l := look.Look{Wrap: true, Line: true}
		if change.Held != "" && (i == 1 || i == 7) {
			l.Font, l.Fill = look.ToneWaiting.Font, look.ToneWaiting.Fill
		}
		if err := c.put(sheet, row, i+1, text, l); err != nil {
			return err
		}
		if err := c.makeRoom(sheet, row, text, planColumns[i].width); err != nil {
			return err
		}
	}
	return c.link(sheet, row, 5, change.Position)
}
