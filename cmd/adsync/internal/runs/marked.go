package runs

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/internal/planview"
	"adsync/internal/resource"
	"adsync/internal/resultcopy"
	"adsync/internal/runview"
	"adsync/internal/words"
	"adsync/plan"
	"adsync/sources/approval"
	"adsync/sources/marked"
	"adsync/state"

	"github.com/spf13/cobra"
)

// MarkedFlag gives a command its flag --marked.
func MarkedFlag(c *cobra.Command, target *string) {
	c.Flags().StringVar(target, "marked", "", "folder, or file "+
		"for a single workbook, to write copies of the workbooks to, with what is said of each row in the row")
}

// ApprovedFlag gives a command its flag --approved.
func ApprovedFlag(c *cobra.Command, file *string) {
	c.Flags().StringVar(file, "approved",
		"", "copy of plan --marked whose sheet Plan says yes to changes that are held: each is allowed as its row says")
}

// Marking is where marked copies go.
type Marking struct {
	To    string // a folder, or a file for one workbook; "" for none
	Force bool
	done  bool // they say what was done: nobody approves in them, and nothing is forced
}

// copy is the copy of one workbook.
func (m Marking) copy(name string) console.NewFile {
	if m.done {
		if resultcopy.IsEdited(name) { // what somebody wrote stays
			if place, _, err := resultcopy.Place(name, ""); err == nil {
				name = place
			}
		}
		return console.NewFile{Flag: "--results", Name: name, Ours: isResultsCopy, Never: true}
	}
	return markedFile("--marked", name, m.Force)
}

// isResultsCopy reports whether a workbook is a copy that adsync wrote results into and
// nobody has edited since. Those of earlier versions are marked copies.
func isResultsCopy(content []byte) bool {
	c, is := resultcopy.ReadBytes(content)
	return is && !c.Edited || approval.IsMarkedCopy(content)
}

// ReadApproved adds what a copy of the plan approves to the allowances of the
// command line.
func (f *PlanFlags) ReadApproved() error {
	if f.Approved == "" {
		return nil
	}
	content, err := os.ReadFile(f.Approved)
	if err != nil {
		return console.Configuration("--approved: %v", err)
	}
	allow, err := approval.ReadApprovals(content)
	if err != nil {
		return console.Configuration("--approved: %s: %v", f.Approved, err)
	}
	f.Allow = append(f.Allow, allow...)
	return nil
}

// Workbooks are the workbooks that were read, and those that could not be.
func Workbooks(l session.Loaded) []string {
	var files []string
	add := func(file string) {
		if strings.EqualFold(filepath.Ext(file), ".xlsx") && !slices.Contains(files, file) {
			files = append(files, file)
		}
	}
	for _, source := range l.Desired.Sources {
		add(source.File)
	}
	for _, p := range l.Desired.Problems {
		if p.Code != diag.ResultsCopy { // which is none of the workbooks
			add(p.Position.File())
		}
	}
	return files
}

// MarkProblems writes copies of the workbooks with problems, as far as they can
// be read: nobody needs an account to be told what to mend.
func MarkProblems(env *session.Env, l session.Loaded, target Marking) error {
	if target.To == "" {
		return nil
	}
	files := slices.DeleteFunc(Workbooks(l), func(file string) bool {
		return !slices.ContainsFunc(l.Desired.Problems, func(p diag.Problem) bool { return p.Position.File() == file })
	})
	if len(files) == 0 {
		env.Note("no workbook has a problem: nothing is marked")
		return nil
	}
	return writeCopies(env, l, target, files, marked.Marks{Problems: l.Desired.Problems, Unread: l.Desired.Unread})
}

// MarkPlan writes copies of the workbooks with what a plan would do.
func MarkPlan(env *session.Env, l session.Loaded, target Marking, account state.Account, p *plan.Plan) error {
	if target.To == "" {
		return nil
	}
	return writeCopies(env, l, target, Workbooks(l), PlanMarks(l, account, p))
}

// writeCopies writes a copy of each workbook. One that is damaged is named, and
// the others go on.
func writeCopies(env *session.Env, l session.Loaded, target Marking, files []string, m marked.Marks) error {
	copies, err := copiesOf(target, files)
	if err != nil {
		return err
	}
	for i, file := range files {
		if err := writeCopy(env, l, copies[i], file, m); err != nil {
			return err
		}
	}
	return nil
}

// copiesOf names the copies of workbooks. None is named where one of them would
// take the place of something.
func copiesOf(target Marking, files []string) ([]console.NewFile, error) {
	single := strings.EqualFold(filepath.Ext(target.To), ".xlsx")
	if single && len(files) != 1 {
		return nil, console.Configuration("%s is one file, and there are %s; give a folder",
			target.To, diag.Plural(len(files), "workbook"))
	}
	var copies []console.NewFile
	for _, file := range files {
		name := filepath.Join(target.To, filepath.FromSlash(file))
		if single {
			name = target.To
		}
		copies = append(copies, target.copy(name))
	}
	for _, one := range copies {
		if err := one.Free(); err != nil {
			return nil, err
		}
	}
	return copies, nil
}

func writeCopy(env *session.Env, l session.Loaded, to console.NewFile, file string, m marked.Marks) error {
	original, err := os.ReadFile(filepath.Join(l.Project.Root, filepath.FromSlash(file)))
	if err != nil {
		return err
	}
	if to.Never {
		m.Results, m.At = &resultcopy.Copy{Of: file}, NowAt(env, l)
	}
	var failed error
	err = to.Write(func(w io.Writer) error {
		failed = marked.WriteCopy(original, w, file, m)
		return failed
	})
	switch {
	case failed != nil:
		env.Note("no copy: %s", diag.Printable(failed.Error()))
		return nil
	case err != nil:
		return err
	}
	env.Note("marked copy of %s: %s", diag.Printable(file), to.Name)
	return nil
}

// markedFile is a copy of a workbook. A copy of an earlier run is replaced, unless
// somebody wrote into the column Approve of its plan.
func markedFile(flag, name string, force bool) console.NewFile {
	return console.NewFile{Flag: flag, Name: name, Force: force, Ours: func(content []byte) bool {
		return approval.IsMarkedCopy(content) && !approval.HoldsApprovals(content)
	}}
}

// PlannedRows say in each row what a plan would do with it, in the words of people.
func PlannedRows(l session.Loaded, p *plan.Plan, ask words.Ask) []marked.RowOutcome {
	goes := map[resource.Address]bool{}
	for c := range p.EachApplicable() {
		goes[c.Address] = true
	}
	names, byAddress := namesOf(l.Schemas, p), map[resource.Address]*plan.Change{}
	for i := range p.Changes {
		byAddress[p.Changes[i].Address] = &p.Changes[i]
	}
	var rows []marked.RowOutcome
	for want := range l.Desired.Whole().All() {
		row := marked.RowOutcome{Address: want.Address, Position: want.Position, Result: "no change", ID: want.ID}
		if c := byAddress[want.Address]; c != nil {
			row.Action = string(c.Action)
			plannedRow(&row, c, goes[want.Address], names.Holds(c.Holds(), ask))
			if row.Result == "to "+string(plan.Update) && row.Message == "" {
				row.Message = strings.Join(fieldLines(l.Schemas, names, c), "\n")
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// namesOf are what people call what a plan changes.
func namesOf(schemas resource.Schemas, p *plan.Plan) *words.Names {
	changes := make([]plan.ChangeDocument, len(p.Changes))
	for i := range p.Changes {
		changes[i].Address, changes[i].Name = p.Changes[i].Address.String(), p.Changes[i].Name
	}
	return words.NamesOf(schemas, changes)
}

// fieldLines are what changes, one a line, by the headers of columns.
func fieldLines(schemas resource.Schemas, names *words.Names, c *plan.Change) []string {
	lines := planview.FieldLines(schemas, c.Document())
	for i := range lines {
		lines[i] = words.Upper(names.In(lines[i]))
	}
	return lines
}

// waitsFor returns what a change that is held waits for: an approval, where one releases it.
func waitsFor(c *plan.Change) string {
	for _, h := range c.Holds() {
		if h.Allow != "" {
			return words.Waits.Words()
		}
	}
	return words.WaitsElse.Words()
}

// plannedRow says what becomes of the row of a change, and what holds it.
func plannedRow(row *marked.RowOutcome, c *plan.Change, goes bool, held string) {
	row.Result, row.Shown = "to "+string(c.Action), words.Will(c.Action)
	if held != "" {
		row.Cell, row.Message = heldCell(c), held
	}
	switch {
	case !goes && held != "":
		row.Result, row.Shown = string(runview.Held), waitsFor(c)
	case c.Action == plan.Record || c.Action == plan.Forget:
		row.Result = session.ResultNoChange
	case held != "":
		row.Message = words.Upper(words.WaitsPart.Words()) + ": " + held
	}
}

// heldCell is the cell of the first field that is held.
func heldCell(c *plan.Change) diag.Position {
	if at := c.Held.Cell(); !at.IsZero() {
		return at
	}
	for _, f := range c.Fields {
		if f.Held != nil && !f.Desired.Position.IsZero() {
			return f.Desired.Position
		}
	}
	return diag.Position{}
}

func plannedChanges(schemas resource.Schemas, p *plan.Plan, currency string) []marked.PlannedChange {
	changes := make([]marked.PlannedChange, 0, len(p.Changes))
	names := namesOf(schemas, p)
	for i := range p.Changes {
		c := &p.Changes[i]
		planned := marked.PlannedChange{
			Address: c.Address, Action: words.Action(c.Action), Name: diag.Printable(c.Name), Position: c.Position,
			Fields: fieldLines(schemas, names, c), Spend: spendChange(c.Spend, currency),
		}
		for _, h := range c.Holds() {
			planned.Held = console.JoinLines(planned.Held,
				diag.Printable(words.Hold(h.Hazard, h.Allow != "")+": "+names.In(h.Message)))
			if h.Allow != "" {
				planned.Allow = console.JoinLines(planned.Allow, "--allow "+h.Allow)
			}
		}
		changes = append(changes, planned)
	}
	return changes
}

// spendChange is what a change does to possible spend, "" where it does nothing.
func spendChange(s plan.Spend, currency string) string {
	var parts []string
	for _, of := range []struct {
		by   int64
		what string
	}{{s.DailyAfter - s.DailyBefore, "a day"}, {s.LifetimeAfter - s.LifetimeBefore, "over its lifetime"}} {
		if of.by == 0 {
			continue
		}
		sign := "+"
		if of.by < 0 {
			sign = ""
		}
		parts = append(parts, strings.TrimSpace(fmt.Sprintf("%s%s %s %s",
			sign, resource.FormatMoney(of.by), currency, of.what)))
	}
	return strings.Join(parts, ", ")
}
