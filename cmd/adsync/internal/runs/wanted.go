package runs

import (
	"context"
	"slices"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/plan"
	"adsync/reconcile"
	"adsync/sources"
	"adsync/state"
)

// PlanFlags are those of plan and apply.
type PlanFlags struct {
	SelectFlags
	RefreshFlag
	Allow    []string
	Detailed bool
	Out      string
	Marked   string
	Approved string

	Unattended bool // nobody looks: allowances come from the operator's file alone
	Base       string
	Full       bool
	Requests   bool
	file       string   // the form goes there, and not to standard output
	also       []string // other forms, and where they go
	Drafts     bool     // as if every draft was ready
	Strict     bool     // one row that is not valid stops all
	Force      bool     // files that are there are replaced
}

// Desired joins the files with the policy of the project and the allowances of
// the command line.
func Desired(env *session.Env, l session.Loaded, f PlanFlags) (reconcile.Desired, error) {
	return DesiredUnder(l, f, session.Govern(env, l.Project, l.Schemas, time.Now()))
}

// DesiredUnder is wanted with a policy that was found already.
func DesiredUnder(l session.Loaded, f PlanFlags, g session.Governed) (reconcile.Desired, error) {
	desired := reconcile.Desired{
		Snapshot: l.Desired.Whole(), Invalid: l.InvalidRows(), LetsWait: !g.Stops &&
			!f.Strict, Policy: g.Policy, Most: l.Project.Limits, Standing: g.Standing, Bound: g.Bound,
	}
	desired.Policy.Unattended = f.Unattended
	desired.InDraft, desired.Pauses = l.InDraft(), l.Desired.Pauses
	desired.Unheard = desired.InDraft &&
		slices.ContainsFunc(l.Desired.Drafts, func(i sources.InDraft) bool { return i.Ready.IsZero() })
	for _, i := range l.Project.Ignore {
		desired.Ignore = append(desired.Ignore, plan.Ignore{
			Resource: i.Resource, Attribute: i.Attribute,
			Owner: i.Owner, Reason: i.Reason, Until: i.Until, Position: i.Position,
		})
	}
	desired.Moves = movesOf(l)
	for _, text := range f.Allow {
		allowance, err := plan.ParseAllowance(text)
		if err != nil {
			return desired, console.Configuration("--allow: %v", err)
		}
		if slices.Contains(g.Policy.NotAuthor, allowance.Hazard) {
			return desired, console.Configuration("--allow %s is one person's word, and policy.approvals wants "+
				"that nobody approves what they wrote; approve it at the daemon, or allow it in the operator's file",
				text)
		}
		desired.Allow = append(desired.Allow, allowance)
	}
	if err := f.check(); err != nil {
		return desired, err
	}
	var err error
	desired.Select, err = f.selection()
	return desired, err
}

// movesOf returns the keys a project says have changed.
func movesOf(l session.Loaded) []plan.Move {
	var moves []plan.Move
	for _, m := range l.Project.Moved {
		moves = append(moves, plan.Move{From: m.From, To: m.To, Position: m.Position})
	}
	return moves
}

// unmatched is the error of a selection with a pattern that names nothing.
func unmatched(p *plan.Plan) error {
	if p.Unmatched == nil {
		return nil
	}
	return console.Configuration("%v; nothing was changed", p.Unmatched)
}

// Compute reads the account as the flags say, and plans.
func Compute(ctx context.Context, env *session.Env, agent *reconcile.Agent,
	desired reconcile.Desired, f PlanFlags) (*reconcile.View, error) {
	agent.Incremental = f.incremental(f.Unattended)
	view, err := agent.Plan(ctx, desired)
	if err != nil {
		return nil, err
	}
	noteReading(env, view.Live.Reading)
	for _, text := range agent.ListNotes(view.Live) {
		env.Note("%s", text)
	}
	noteEyes(env, view.Plan, desired.Policy.NotAuthor)
	return view, unmatched(view.Plan)
}

// noteEyes says where no allowance of a command releases what a plan holds.
func noteEyes(env *session.Env, p *plan.Plan, hazards []plan.Hazard) {
	for i := range p.Changes {
		for _, h := range p.Changes[i].Holds() {
			if h.Allow != "" && slices.Contains(hazards, h.Hazard) {
				env.Note("what waits for %s is approved at the daemon, by somebody else than who wrote it "+
					"(policy.approvals); --allow does not release it", h.Hazard)
				return
			}
		}
	}
}

// Again returns the allowances of a plan as its apply has to repeat them.
func Again(allow []string) string {
	if len(allow) == 0 {
		return ""
	}
	return " " + flagsOf(allow)
}

// NoteOpenSteps says when an apply is under way, or ended in the middle: what
// it did is not in adsync's record yet, and looks like somebody else's here.
func NoteOpenSteps(ctx context.Context, env *session.Env, store state.Store) error {
	steps, err := store.Open(ctx)
	for _, u := range session.SetAside(steps) {
		env.Note("%s: %s; nothing is sent to it or made beneath it until that is decided: %s",
			u.Operation.Address, diag.Printable(u.Message()), session.Resolving(u.Operation.Address.String()))
	}
	if err == nil && len(steps) > 0 {
		env.Note("%s open from another apply; what it "+
			"did looks like somebody else's in this plan, until apply has recovered it",
			console.PluralAre(len(steps), "step"))
	}
	return err
}
