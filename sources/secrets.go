package sources

import (
	"bytes"
	"errors"
	"unicode/utf8"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/secret"
	"adsync/internal/xlsx"
	"adsync/sources/bounded"
)

// maxSecrets is how many credentials of a file are named each.
const maxSecrets = 10

// secretsIn warns of what has the form of a credential in a file of text.
func secretsIn(file string, content []byte) (problems []diag.Problem) {
	for _, f := range secret.Find(content) {
		before := content[:f.At]
		line := bytes.LastIndexByte(before, '\n') + 1
		at := diag.At(file, 1+bytes.Count(before, []byte("\n")), 1+utf8.RuneCount(before[line:]))
		if problems = append(problems, leaked(at, f)); len(problems) == maxSecrets {
			break
		}
	}
	return problems
}

func leaked(at diag.Position, f secret.Found) diag.Problem {
	return bounded.ProblemAt(at, resource.Finding{
		Code: diag.Leaked, Severity: diag.Warning,
		Message: "here stands what looks like " + f.What + "; want no credential in a file that others read",
		Hint:    "take it out, and have it replaced by whoever issued it: the history of the files keeps it",
	})
}

var errEnough = errors.New("enough")

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
