package sources

import (
	"errors"

	"adsync/internal/diag"
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
