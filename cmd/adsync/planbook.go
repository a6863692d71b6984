package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"

	"adsync/internal/diag"
	"adsync/internal/planview"
	"adsync/internal/words"
	"adsync/plan"
	"adsync/sources"
	"adsync/state"
)

// planBook is the name of a workbook that no file of the user's stands behind.
const planBook = "plan.xlsx"

// writePlanBook writes a plan as a workbook: the user's own sheets with what
// becomes of each row, where there is one workbook, and all that the files say
// otherwise; the plan's sums; and the sheet Plan, whose approvals apply reads.
func (a *app) writePlanBook(l loaded, f planFlags, account state.Account, p *plan.Plan) error {
	if f.file == "" && isTerminal(a.out) {
		return configuration("a workbook is nothing for a terminal; use --output-file plan.xlsx")
	}
	original, name, err := bookOf(l)
	if err != nil {
		return err
	}
	m := planMarks(l, account, p)
	write := func(w io.Writer) error { return sources.WriteMarkedCopy(original, w, name, m) }
	if f.file == "" {
		return write(a.out)
	}
	if err := writable(l, "--output-file", f.file); err != nil {
		return err
	}
	return markedFile("--output-file", f.file, f.force).write(write)
}

// bookOf is the user's one workbook, else one of everything the files say.
func bookOf(l loaded) (content []byte, name string, err error) {
	if files := workbooks(l); len(files) == 1 {
		content, err = os.ReadFile(filepath.Join(l.project.Root, filepath.FromSlash(files[0])))
		return content, files[0], err
	}
	var all bytes.Buffer
	err = sources.WriteWorkbook(&all, l.schemas, l.desired.Snapshot, l.project.Account)
	return all.Bytes(), planBook, err
}

// planMarks is what a copy of a workbook says of a plan.
func planMarks(l loaded, account state.Account, p *plan.Plan) sources.Marks {
	var all diag.List
	all.AddAll(l.desired.Problems)
	all.AddAll(p.Problems)
	d := &planDocument{
		Account: accountOf(account), Document: p.Document(), Unread: l.desired.Unread, Review: l.reviews.Summary(),
	}
	return sources.Marks{
		Outcomes: l.inReview(plannedRows(l, p, words.OnSheet)), Problems: all.Sorted(), Unread: l.desired.Unread,
		Plan: plannedChanges(l.schemas, p, account.Currency), Summary: planview.Summary(l.schemas, d),
	}
}
