package table

import (
	"fmt"
	"strconv"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/xlsx"
	"adsync/sources/config"
)

// checkSync reads what wrote the workbook, if adsync did, and says whether its
// rows can be read: a newer layout or another currency is a problem, whatever
// the sheets look like. A workbook without the sheet is as good as any.
func (r *bookReader) checkSync() (fits bool, err error) {
	said, err := SyncOf(r.Book)
	if err != nil {
		return false, err
	}
	fits = true
	for _, finding := range r.judgeSync(said) {
		fits = false
		r.report(diag.InFile(r.File), finding)
	}
	return fits, nil
}

// SyncOf is what the sheet of what wrote a workbook says, nothing where it has none.
func SyncOf(b *xlsx.Book) (map[string]string, error) {
	said := map[string]string{}
	for _, ref := range b.Sheets {
		if ref.Name != config.SyncTab {
			continue
		}
		_, err := xlsx.Walk(b, ref.Part, func(row *xlsx.Row) error {
			if len(row.Cells) == 2 {
				said[row.Cells[0].Text] = row.Cells[1].Text
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("sheet %q: %w", ref.Name, err)
		}
	}
	return said, nil
}

func (r *bookReader) judgeSync(said map[string]string) []resource.Finding {
	var found []resource.Finding
	if format, err := strconv.Atoi(said["format"]); err == nil && format > BookFormat {
		found = append(found, resource.Finding{
			Code: diag.Unreadable, Message: fmt.Sprintf("workbook has the layout %d of a newer adsync; want at most %d",
				format, BookFormat), Hint: "use the newer adsync",
		})
	}
	if account := strings.TrimSpace(said["account"]); account != "" {
		r.made.Account = account
		if own := r.In.Layout.Account; own != "" && own != account {
			found = append(found, resource.Finding{
				Code: diag.WrongAccount, Message: fmt.Sprintf("workbook was "+
					"written for the account %s; want one of %s, as adsync.yaml says", account, own),
				Hint: "start from a template or an export of this account, or delete the hidden sheet " +
					config.SyncTab + " if its rows are meant for it",
			})
		}
	}
	own, currency := r.In.Env.Currency, said["currency"]
	if own != "" && currency != "" && !strings.EqualFold(own, currency) {
		found = append(found, resource.Finding{
			Code: diag.BadMoney, Message: fmt.Sprintf("workbook was "+
				"written for an account in %s; want the account's currency %s", currency, own),
			Hint: "start from a template or an export of this account",
		})
	}
	return found
}

// BookFormat is the version of the workbook's layout, in its sheet _sync.
const BookFormat = 1
