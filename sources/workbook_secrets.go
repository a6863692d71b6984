package sources

import (
	"errors"
	"slices"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/secret"
	"adsync/internal/xlsx"
)

// warnSecrets warns of credentials in the cells of every sheet, those adsync does
// not read too. Where only a note or a setting has one, the workbook is named.
func (r *bookReader) warnSecrets() {
	var found []secret.Found
	for text := range r.book.Texts() {
		found = append(found, secret.Find(text)...)
	}
	if len(found) == 0 {
		return
	}
	told := 0
	for _, ref := range r.book.Sheets {
		_, _ = xlsx.Walk(r.book, ref.Part, func(row *xlsx.Row) error {
			for _, cell := range row.Cells {
				for _, f := range secret.Find([]byte(cell.Text)) {
					r.made.problems = append(r.made.problems,
						leaked(diag.Cell(r.file, ref.Name, row.Number, cell.Column), f))
					if told++; told == maxSecrets {
						return errEnough
					}
				}
			}
			return nil
		})
	}
	if told == 0 {
		r.made.problems = append(r.made.problems, leaked(diag.InFile(r.file), found[0]))
	}
}

var errEnough = errors.New("enough")

// warnApproved says of a copy that is read as a source that what somebody approved
// in it counts only where it is given as a copy.
func (r *bookReader) warnApproved(content []byte) {
	if !slices.ContainsFunc(r.book.Sheets, func(s xlsx.Sheet) bool { return s.Name == planTab }) ||
		!IsMarkedCopy(content) {
		return
	}
	if allow, err := ReadApprovals(content); err == nil && len(allow) > 0 {
		r.report(diag.Cell(r.file, planTab, 0, 0), resource.Finding{
			Code: diag.Unheard, Severity: diag.Warning,
			Message: approveTitle + " says yes, which counts for nothing in a workbook that is read as a source",
			Hint: "adsync apply --approved FILE takes " +
				"what its rows allow; the project is the folder it was written of",
		})
	}
}
