package pulls

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"adsync/internal/daemon"
	"adsync/internal/diag"
	"adsync/internal/planview"
	"adsync/internal/runview"
	"adsync/plan"
)

// Account is what the daemon knows of its accounts.
type Account interface {
	Account(name string) (daemon.Status, bool)
	Plan(name string) *planview.Document
	Runs(ctx context.Context, name string) ([]runview.Head, error)
	Report(ctx context.Context, name, run string) (*runview.Document, error)
}

// Result says what became of what a pull request changes. It is errLater before a run has ended that read the merge.
func (p *Planner) Result(ctx context.Context, of Account, m Merge) (text string, done bool, err error) {
	s, known := of.Account(p.Name)
	last := of.Plan(p.Name)
	if !known || s.Running || last == nil || last.Revision == nil {
		return "", false, errLater
	}
	at := last.Revision.Commit
	if !m.Before && s.Failures == 0 { // what was applied before its merge changes no file with it: nothing is planned
		at = s.Revision.Commit
	}
	if in, err := p.contains(ctx, at, m.Commit); err != nil || !in {
		return "", false, errLater // the merge was not read, or is not in the branch as it is now
	}
	applied, err := p.applied(ctx, of, m)
	if err != nil {
		return "", false, err
	}
	left := slices.DeleteFunc(slices.Clone(last.Changes), func(c plan.ChangeDocument) bool {
		return !slices.Contains(m.Addresses, c.Address) || s.Reached && firstHold(&c) == nil // that went with the apply
	})
	failed := last.Error != "" || diag.HasErrors(last.Problems)
	read := !s.Reached || m.Before && !slices.ContainsFunc(applied, func(o outcome) bool { return !o.Verified })
	return p.resultText(m, applied, last, left, s, failed), len(left) == 0 && read && !failed, nil
}

// contains reports that by what was read last.
func (p *Planner) contains(ctx context.Context, commit, other string) (bool, error) {
	read := p.At()
	if read == nil {
		return false, errLater
	}
	return Contains(ctx, read.Store, commit, other)
}

// applied returns what the runs that read the merge did with what it changes, the first first.
func (p *Planner) applied(ctx context.Context, of Account, m Merge) (all []outcome, err error) {
	heads, err := of.Runs(ctx, p.Name)
	if err != nil {
		return nil, err
	}
	after := slices.IndexFunc(heads, func(h runview.Head) bool {
		if h.Revision == nil {
			return true
		}
		in, err := p.contains(ctx, h.Revision.Commit, m.Commit)
		return err != nil || !in
	})
	if after < 0 {
		after = len(heads)
	}
	for _, head := range slices.Backward(heads[:after]) {
		report, err := of.Report(ctx, p.Name, head.Run)
		if err != nil {
			return nil, err
		}
		for _, o := range report.Outcomes {
			if slices.Contains(m.Addresses, o.Address) {
				all = append(all, outcome{head.Account.ID, head.Run, report.Approved, o})
			}
		}
	}
	return all, nil
}

type outcome struct {
	account  string // its id
	run      string
	approved []runview.Approver // something of the run
	runview.Outcome
}

// approvedText says who approved on the pull request what was applied, each once.
func approvedText(m Merge, applied []outcome) string {
	var text string
	for _, o := range applied {
		for _, a := range o.approved {
			said := fmt.Sprintf("- Approved by %s: <%s>\n", planview.Code(diag.Printable(a.By)), runview.Page(a.Link))
			if slices.Contains(m.Links, a.Link) && runview.Page(a.Link) != "" && !strings.Contains(text, said) {
				text += said
			}
		}
	}
	if text != "" {
		text = "\n" + text
	}
	return text
}

func (p *Planner) resultText(m Merge, applied []outcome, last *planview.Document, left []plan.ChangeDocument,
	s daemon.Status, failed bool) string {
	var text strings.Builder
	how := "merged as `%.12s`"
	if m.Before {
		how = "`%.12s` is applied before its merge"
	}
	fmt.Fprintf(&text, "%s\nAccount %s: "+how+".\n", p.Mark(), planview.Code(p.Name), m.Commit)
	switch {
	case failed:
		text.WriteString("\n**The account cannot be planned** with it: something is wrong with the files. The " +
			"daemon's page has it, with lines.\n")
	case len(applied)+len(left) == 0:
		text.WriteString("\nNothing was to be done: the account is as the files say.\n")
	}
	if len(applied) > 0 {
		text.WriteString("\n| what | id | result | run |\n|---|---|---|---|\n")
	}
	for i, o := range applied {
		if i == mostTold {
			fmt.Fprintf(&text, "\n… and %d more.\n", len(applied)-i)
			break
		}
		result := string(o.Outcome.Outcome)
		if o.Verified {
			result += ", verified"
		}
		if o.Message != "" {
			result += ": " + planview.Cell(diag.Printable(o.Message))
		}
		fmt.Fprintf(&text, "| %s %s | %s | %s | %s |\n", o.Action, planview.Cell(diag.Printable(o.Address)),
			planview.Cell(o.ID), result, p.runCell(o))
	}
	switch {
	case len(applied) == 0:
	case p.Copies != nil:
		text.WriteString("\nMarked copies of the workbooks are behind the links of the runs, once they are pushed.\n")
	default:
		text.WriteString("\nMarked copies of the workbooks are kept where the daemon runs.\n")
	}
	text.WriteString(approvedText(m, applied))
	for i := range left {
		if i == 0 {
			text.WriteString("\n**Left**:\n\n")
		}
		if i == mostTold {
			fmt.Fprintf(&text, "- … and %d more\n", len(left)-i)
			break
		}
		fmt.Fprintf(&text, "- %s %s\n", planview.Code(diag.Printable(left[i].Address)),
			whyLeft(&left[i], m, last.Asks, s))
	}
	return text.String()
}

// runCell names a run, with a link to its marked copies where they are pushed.
func (p *Planner) runCell(o outcome) string {
	cell := planview.Cell(o.run)
	if p.Copies == nil {
		return cell
	}
	if at := p.Copies(o.account, o.run); at != "" {
		cell = fmt.Sprintf("[%s](<%s>)", cell, at)
	}
	return cell
}

// mostTold is how many changes a result names of each sort.
const mostTold = 100

// whyLeft says why a change is not there yet.
func whyLeft(c *plan.ChangeDocument, m Merge, asks []plan.Ask, s daemon.Status) string {
	h := firstHold(c)
	if h == nil {
		return fmt.Sprintf("is not applied yet; the account is %s.", planview.Code(string(s.State)))
	}
	why := "is held: " + planview.Code(diag.Printable(h.Message)) + "."
	if h.Allow != "" && slices.Contains(m.Agreed, c.Address) {
		why += " This is not what was approved: " + whatMoved(c.Address, m.Parts, asks) + "."
	}
	if h.Allow != "" {
		why += " It waits for an approval at the daemon's page."
	}
	return why
}

// whatMoved says what of a change is other than it was approved, where that can be told.
func whatMoved(address string, approved []plan.Part, asks []plan.Ask) string {
	var live, becomes bool
	for _, then := range approved {
		for _, ask := range asks {
			for _, now := range ask.Parts {
				if now.Address == address && then.Address == address && now.Field == then.Field {
					live, becomes = live || now.Before != then.Before, becomes || now.After != then.After
				}
			}
		}
	}
	switch {
	case live && becomes:
		return "what is live has changed since, and what it becomes"
	case live:
		return "what is live has changed since"
	case becomes:
		return "what it becomes has changed since"
	}
	return "what is live, or an amount, has changed since, or the approval no longer counts"
}

// firstHold is what holds a change, or a field of it; nil where nothing does.
func firstHold(c *plan.ChangeDocument) *plan.HoldDocument {
	held := c.Held
	for i := range c.Fields {
		held = cmp.Or(held, c.Fields[i].Held)
	}
	return held
}
