package runs

import (
	"slices"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/internal/planview"
	"adsync/plan"
	"adsync/reconcile"
	"adsync/state"
)

// PlanDocument is the one typed form of a plan; every output is made from it.
type PlanDocument = planview.Document

type AccountDocument = planview.Account

// AccountOf returns an account as documents have it.
func AccountOf(a state.Account) AccountDocument {
	return AccountDocument{ID: a.ID, Currency: a.Currency, TimeZone: a.TimeZone}
}

// Document puts a plan together with what it was computed from, and the
// problems of the files with its own.
func Document(env *session.Env, l session.Loaded, account state.Account, view *reconcile.View) *PlanDocument {
	p := view.Plan
	document := &PlanDocument{
		FormatVersion: console.FormatVersion, Account: AccountOf(account),
		Service: session.ServiceOf(env, l.Project), InputHash: l.Desired.Hash, PlanHash: view.Hash(),
		Revision: session.RevisionOf(env, l), Document: p.Document(), Unread: l.Desired.Unread, Requests: p.Requests,
	}
	var all diag.List
	all.AddAll(l.Desired.Problems)
	all.AddAll(p.Problems)
	all.AddAll(p.Waits)
	if env.Git != nil && env.Git.Held != nil {
		all.Add(env.Git.HeldProblem())
	}
	document.Problems, document.Drafts = session.Listed(all.Sorted()), draftsOf(l)
	document.Review = l.Reviews.Summary()
	return document
}

// NothingPlanned is the form of no plan: what may be spent is not known.
func NothingPlanned() plan.Document {
	d := new(plan.Plan).Document()
	d.Spend, d.Money = nil, nil
	return d
}

// Unplanned is the document of files nothing can be planned from.
func Unplanned(l session.Loaded) *PlanDocument {
	d := &PlanDocument{
		FormatVersion: console.FormatVersion, InputHash: l.Desired.Hash,
		Document: NothingPlanned(), Error: console.Counted(l.Desired.Problems) + "; nothing was changed",
	}
	d.Account = AccountDocument{
		ID: l.Project.Account.ID, Currency: l.Project.Account.Currency, TimeZone: l.Project.Account.TimeZone,
	}
	d.Problems, d.Unread = session.Listed(l.Desired.Problems), l.Desired.Unread
	d.Drafts = draftsOf(l)
	return d
}

// draftsOf returns the workbooks that are drafts, as documents have them.
func draftsOf(l session.Loaded) []planview.Draft {
	if !l.InDraft() {
		return nil
	}
	zone := time.UTC
	if env, err := l.Project.Env(); err == nil {
		zone = env.Zone
	}
	drafts := make([]planview.Draft, len(l.Desired.Drafts))
	for i, of := range l.Desired.Drafts {
		drafts[i] = planview.Draft{
			File: of.File, Changes: of.Changes, Gone: of.Gone, Ready: of.Ready, Paused: of.Paused,
			Words: of.Words(zone),
		}
	}
	return drafts
}

// sends reports whether something of the plan goes to the service; notes in adsync's
// own record are no question.
func sends(p *plan.Plan) bool {
	return slices.ContainsFunc(p.Applicable(), func(c plan.Change) bool {
		return c.Action != plan.Record && c.Action != plan.Forget
	})
}

// Pending reports whether something would change at the service, or is held; notes
// in adsync's own record are no change.
func Pending(p *plan.Plan) bool {
	return slices.ContainsFunc(p.Changes, func(c plan.Change) bool {
		return c.Action != plan.Record && c.Action != plan.Forget || len(c.Holds()) > 0
	})
}

// ShowPlan prints a plan in the form that was asked for.
func ShowPlan(env *session.Env, l session.Loaded, f PlanFlags, account state.Account, view *reconcile.View) error {
	env.ClearLine()
	if env.Flags.Output == "xlsx" {
		if len(f.also) > 0 {
			return console.Configuration("--also goes with every " +
				"form but xlsx; want -o text --also, and the workbook by a command of its own")
		}
		return writePlanBook(env, l, f, account, view.Plan)
	}
	return PrintPlan(env, l, f, Document(env, l, account, view))
}
