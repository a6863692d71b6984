package sources

import (
	"fmt"
	"strconv"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/xlsx"
)

// checkSync reads what wrote the workbook, if adsync did, and says whether its
// rows can be read: a newer layout or another currency is a problem, whatever
// the sheets look like. A workbook without the sheet is as good as any.
func (r *bookReader) checkSync() (fits bool, err error) {
	fits = true
	for _, ref := range r.book.Sheets {
		if ref.Name != syncTab {
			continue
		}
		said := map[string]string{}
		_, err := xlsx.Walk(r.book, ref.Part, func(row *xlsx.Row) error {
			if len(row.Cells) == 2 {
				said[row.Cells[0].Text] = row.Cells[1].Text
			}
			return nil
		})
		if err != nil {
			return false, fmt.Errorf("sheet %q: %w", ref.Name, err)
		}
		for _, finding := range r.judgeSync(said) {
			fits = false
			r.report(diag.InFile(r.file), finding)
		}
	}
	return fits, nil
}

func (r *bookReader) judgeSync(said map[string]string) []resource.Finding {
	var found []resource.Finding
	if format, err := strconv.Atoi(said["format"]); err == nil && format > bookFormat {
		found = append(found, resource.Finding{
			Code: diag.Unreadable, Message: fmt.Sprintf("workbook has the layout %d of a newer adsync; want at most %d", format, bookFormat), Hint: "use the newer adsync",
		})
	}
	if account := strings.TrimSpace(said["account"]); account != "" {
		r.made.account = account
		if own := r.in.layout.account; own != "" && own != account {
			found = append(found, resource.Finding{
				Code: diag.WrongAccount, Message: fmt.Sprintf("workbook was written for the account %s; want one of %s, as adsync.yaml says", account, own),
				Hint: "start from a template or an export of this account, or delete the hidden sheet " + syncTab + " if its rows are meant for it",
			})
		}
	}
	own, currency := r.in.env.Currency, said["currency"]
	if own != "" && currency != "" && !strings.EqualFold(own, currency) {
		found = append(found, resource.Finding{
			Code: diag.BadMoney, Message: fmt.Sprintf("workbook was written for an account in %s; want the account's currency %s", currency, own),
			Hint: "start from a template or an export of this account",
		})
	}
	return found
}
