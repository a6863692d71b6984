package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"adsync/internal/diag"
	"adsync/plan"
	"adsync/reconcile"
	"adsync/state"
)

// reportDocument is the JSON form of an apply; it is whole on failure too.
type reportDocument struct {
	FormatVersion int               `json:"format_version"`
	Run           string            `json:"run"`
	Account       accountDocument   `json:"account"`
	PlanHash      string            `json:"plan_hash"`
	Outcomes      []outcomeDocument `json:"outcomes"`
	Summary       map[string]int    `json:"summary"`
	Verified      int               `json:"verified"`
	Touched       int               `json:"touched"`
	Problems      []diag.Problem    `json:"problems"`

	Saved *plan.SavedDocument `json:"saved,omitempty"` // what moved since the plan was saved
	Error string              `json:"error,omitempty"`
}

type outcomeDocument struct {
	Address  string        `json:"address"`
	Action   plan.Action   `json:"action"`
	Outcome  state.Outcome `json:"outcome"`
	Name     string        `json:"name"`
	ID       string        `json:"id"`
	Code     string        `json:"code"`
	Message  string        `json:"message"`
	Position diag.Position `json:"position"`
	Cell     diag.Position `json:"at"`
}

func (a *app) showReport(l loaded, r *reconcile.Report, failure error) error {
	a.clearLine()
	if a.flags.output == "json" {
		return a.printJSON(documentOf(l, r, failure))
	}
	if r == nil {
		return nil
	}
	return a.reportText(r)
}

func documentOf(l loaded, r *reconcile.Report, failure error) reportDocument {
	document := reportDocument{FormatVersion: formatVersion, Outcomes: []outcomeDocument{}, Summary: map[string]int{}, Problems: listed(l.desired.Problems)}
	if failure != nil {
		document.Error = coded(failure)
	}
	if invalid := new(reconcile.InvalidError); asInvalid(failure, &invalid) {
		document.Problems = append(document.Problems, invalid.Problems...)
	}
	if r == nil {
		return document
	}
	document.Run, document.PlanHash, document.Account = r.Run, r.PlanHash, accountOf(r.Account)
	document.Verified, document.Touched, document.Saved = r.Verified, r.Touched, r.Saved
	for _, o := range r.Outcomes {
		document.Summary[string(o.Outcome)]++
		document.Outcomes = append(document.Outcomes, outcomeDocument{
			Address: o.Address.String(), Action: o.Action, Outcome: o.Outcome, Name: o.Name, ID: o.ID,
			Code: o.Code, Message: o.Message, Position: o.Position, Cell: o.Cell,
		})
	}
	return document
}

// reportText prints a line an operation: outcome, action, address, id, and the
// position of its row or of the cell that is to blame.
func (a *app) reportText(r *reconcile.Report) error {
	if len(r.Outcomes) == 0 && r.Moved() > 0 {
		return nil // the plan has said what moved
	}
	if len(r.Outcomes) == 0 {
		_, err := fmt.Fprintln(a.out, "Nothing to do: the account is as the files say.")
		return err
	}
	fmt.Fprintln(a.out)
	table := tabwriter.NewWriter(a.out, 0, 8, 2, ' ', 0)
	for _, o := range r.Outcomes {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", o.Outcome, o.Action, diag.Printable(o.Address.String()), diag.Printable(o.ID), o.Cell)
		if o.Message != "" {
			fmt.Fprintf(table, "\t%s\n", diag.Printable(codedMessage(o)))
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(a.out, "\n%s: %s\n", r.Run, r.Summary())
	return err
}

func codedMessage(o reconcile.Outcome) string {
	if o.Code == "" {
		return o.Message
	}
	return strings.TrimRight(o.Message, ".") + " (" + o.Code + ")"
}
