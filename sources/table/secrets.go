package table

import (
	"errors"
	"slices"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/secret"
	"adsync/internal/xlsx"
	"adsync/sources/approval"
	"adsync/sources/bounded"
)

// warnSecrets warns of credentials in the cells of every sheet, those adsync does
// not read too. Where only a note or a setting has one, the workbook is named.
func (r *bookReader) warnSecrets() {
	var found []secret.Found
	for text := range r.Book.Texts() {
		found = append(found, secret.Find(text)...)
	}
	if len(found) == 0 {
		return
	}
	told := 0
	for _, ref := range r.Book.Sheets {
		_, _ = xlsx.Walk(r.Book, ref.Part, func(row *xlsx.Row) error {
			for _, cell := range row.Cells {
				for _, f := range secret.Find([]byte(cell.Text)) {
					r.made.Problems = append(r.made.Problems,
						bounded.Leaked(diag.Cell(r.File, ref.Name, row.Number, cell.Column), f))
					if told++; told == bounded.MaxSecrets {
						return errEnough
					}
				}
			}
			return nil
		})
	}
	if told == 0 {
		r.made.Problems = append(r.made.Problems, bounded.Leaked(diag.InFile(r.File), found[0]))
	}
}

var errEnough = errors.New("enough")

// warnApproved says of a copy that is read as a source that what somebody approved
// in it counts only where it is given as a copy.
func (r *bookReader) warnApproved(content []byte) {
	if !slices.ContainsFunc(r.Book.Sheets, func(s xlsx.Sheet) bool { return s.Name == approval.PlanTab }) ||
		!approval.IsMarkedCopy(content) {
		return
	}
	if allow, err := approval.ReadApprovals(content); err == nil && len(allow) > 0 {
		r.report(diag.Cell(r.File, approval.PlanTab, 0, 0), resource.Finding{
			Code: diag.Unheard, Severity: diag.Warning,
			Message: approval.ApproveTitle +
				" says yes, which counts for nothing in a workbook that is read as a source",
			Hint: "adsync apply --approved FILE takes " +
				"what its rows allow; the project is the folder it was written of",
		})
	}
}
