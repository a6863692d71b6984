package runs

import (
	"bytes"
	"io"
	"os"
	"path/filepath"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/internal/planview"
	"adsync/internal/words"
	"adsync/plan"
	"adsync/sources/marked"
	"adsync/sources/workbook"
	"adsync/state"
)

// planBook is the name of a workbook that no file of the user's stands behind.
const planBook = "plan.xlsx"

// writePlanBook writes a plan as a workbook: the user's own sheets with what
// becomes of each row, where there is one workbook, and all that the files say
// otherwise; the plan's sums; and the sheet Plan, whose approvals apply reads.
func writePlanBook(env *session.Env, l session.Loaded, f PlanFlags, account state.Account, p *plan.Plan) error {
	if f.file == "" && console.IsTerminal(env.Out) {
		return console.Configuration("a workbook is nothing for a terminal; use --output-file plan.xlsx")
	}
	original, name, err := bookOf(l)
	if err != nil {
		return err
	}
	m := PlanMarks(l, account, p)
	write := func(w io.Writer) error { return marked.WriteCopy(original, w, name, m) }
	if f.file == "" {
		return write(env.Out)
	}
	if err := writable(l, "--output-file", f.file); err != nil {
		return err
	}
	return markedFile("--output-file", f.file, f.Force).Write(write)
}

// bookOf is the user's one workbook, else one of everything the files say.
func bookOf(l session.Loaded) (content []byte, name string, err error) {
	if files := Workbooks(l); len(files) == 1 {
		content, err = os.ReadFile(filepath.Join(l.Project.Root, filepath.FromSlash(files[0])))
		return content, files[0], err
	}
	var all bytes.Buffer
	err = workbook.WriteWorkbook(&all, l.Schemas, l.Desired.Snapshot, l.Project.Account)
	return all.Bytes(), planBook, err
}

// PlanMarks is what a copy of a workbook says of a plan.
func PlanMarks(l session.Loaded, account state.Account, p *plan.Plan) marked.Marks {
	var all diag.List
	all.AddAll(l.Desired.Problems)
	all.AddAll(p.Problems)
	d := &PlanDocument{
		Account: AccountOf(account), Document: p.Document(), Unread: l.Desired.Unread, Review: l.Reviews.Summary(),
	}
	return marked.Marks{
		Outcomes: l.InReview(PlannedRows(l, p, words.OnSheet)), Problems: all.Sorted(), Unread: l.Desired.Unread,
		Plan: plannedChanges(l.Schemas, p, account.Currency), Summary: planview.Summary(l.Schemas, d),
	}
}
