// Package approval reads what people allowed in the sheet Plan of a marked copy.
// approval.go is all of it: whether a workbook is such a copy, and the rows that say yes.
//
// Anything but yes, no and nothing is not guessed.
package approval

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"adsync/internal/resource"
	"adsync/internal/xlsx"
	"adsync/sources/bounded"
	"adsync/sources/config"
)

// IsMarkedCopy reports whether a workbook is a copy adsync wrote, and not somebody's own.
func IsMarkedCopy(content []byte) bool {
	isCopy := false
	err := walkSheet(content, config.SyncTab, func(row *xlsx.Row) error {
		isCopy = isCopy || len(row.Cells) == 2 && row.Cells[0].Text == "role" && row.Cells[1].Text == RoleCopy
		return nil
	})
	return isCopy && err == nil
}

// HoldsApprovals reports whether somebody wrote into the column Approve of a marked copy
// what stands in none of adsync's own.
func HoldsApprovals(content []byte) bool {
	approve, held := 0, false
	err := walkSheet(content, PlanTab, func(row *xlsx.Row) error {
		for _, c := range row.Cells {
			switch text := resource.Fold(c.Text); {
			case row.Number == 1 && c.Text == ApproveTitle:
				approve = c.Column
			case row.Number > 1 && c.Column == approve && text != "" && text != "no":
				held = true
			}
		}
		return nil
	})
	return held && err == nil
}

// ReadApprovals reads what the sheet Plan of a marked copy allows: the arguments
// of --allow of the rows whose column Approve says yes.
func ReadApprovals(content []byte) (allow []string, err error) {
	if !IsMarkedCopy(content) {
		return nil, errors.New("it is no copy adsync plan --marked wrote")
	}
	columns := map[string]int{}
	err = walkSheet(content, PlanTab, func(row *xlsx.Row) error {
		cells := map[int]string{}
		for _, c := range row.Cells {
			cells[c.Column] = strings.TrimSpace(c.Text)
			if row.Number == 1 {
				columns[c.Text] = c.Column
			}
		}
		if row.Number == 1 {
			return nil
		}
		approved, err := isApproved(row.Number, cells[columns[ApproveTitle]])
		if err != nil || !approved {
			return err
		}
		own := allowances(cells[columns[AllowTitle]])
		if len(own) == 0 {
			return fmt.Errorf("row %d of its sheet %s is approved, and nothing can release it", row.Number, PlanTab)
		}
		allow = append(allow, own...)
		return nil
	})
	if err == nil && (columns[ApproveTitle] == 0 || columns[AllowTitle] == 0) {
		err = fmt.Errorf("its sheet %s has no columns %s and %s", PlanTab, ApproveTitle, AllowTitle)
	}
	return allow, err
}

// isApproved takes yes for yes, and nothing or no for no; anything else is not guessed.
func isApproved(row int, text string) (bool, error) {
	switch resource.Fold(text) {
	case "yes":
		return true, nil
	case "", "no":
		return false, nil
	}
	return false, fmt.Errorf("%s is %q in row %d of its sheet %s; want yes or no", ApproveTitle, text, row, PlanTab)
}

// allowances are the arguments of --allow in a cell, one a line.
func allowances(text string) []string {
	var allow []string
	for line := range strings.Lines(text) {
		if argument, ok := strings.CutPrefix(strings.TrimSpace(line), "--allow "); ok {
			allow = append(allow, argument)
		}
	}
	return allow
}

// walkSheet visits the rows of one sheet of a workbook that is whole.
func walkSheet(content []byte, sheet string, visit func(*xlsx.Row) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), bounded.Defaults().PerFile)
	defer cancel()
	members, finding := xlsx.Open(ctx, content, bounded.Defaults().Workbook())
	if finding != nil {
		return errors.New(finding.Message)
	}
	book, err := xlsx.ReadBook(members)
	if err != nil {
		return err
	}
	for _, ref := range book.Sheets {
		if ref.Name == sheet {
			_, err := xlsx.Walk(book, ref.Part, visit)
			return err
		}
	}
	return fmt.Errorf("it has no sheet %s", sheet)
}

// PlanTab is the sheet of a copy that lists what a plan would do.
const PlanTab = "Plan"

// The columns that are read again, by ReadApprovals.
const (
	ApproveTitle = "Approve"
	AllowTitle   = "Allow it with"
)

// RoleCopy is what the sheet _sync of a marked copy says.
const RoleCopy = "marked copy"
