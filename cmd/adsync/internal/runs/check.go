package runs

import (
	"context"
	"fmt"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/plan/compare"
	"adsync/sources/config"
	"adsync/sources/workbook"

	"github.com/spf13/cobra"
)

// WarnLate adds a warning at each day that has passed in what the files say
// otherwise than the record, or that it does not have yet. A plan holds those.
// Without a record nobody knows which rows are new, and a row whose day is over is
// the most ordinary thing there is.
func WarnLate(ctx context.Context, env *session.Env, l session.Loaded) session.Loaded {
	if diag.HasErrors(l.Desired.Problems) {
		return l
	}
	store, err := session.OpenState(ctx, env, l.Project, true)
	if err != nil { // no matter of the files; what needs the record says it
		return l
	}
	defer func() { session.Closed(env, "state", store.Close()) }()
	last, err := store.Last(ctx)
	if err != nil || last.Len() == 0 {
		return l
	}
	zone, err := time.LoadLocation(store.Header().Account.TimeZone)
	if err != nil {
		return l
	}
	last, _, _ = plan.Relocate(l.Schemas, movesOf(l), last, l.Desired.Snapshot)
	p := compare.Diff(plan.Input{
		Schemas: l.Schemas, Policy: plan.DefaultPolicy(),
		Last: last, Desired: l.Desired.Snapshot, Live: last, Today: time.Now().In(zone).Format(time.DateOnly),
	})
	var all diag.List
	all.AddAll(l.Desired.Problems)
	all.AddAll(p.Late)
	l.Desired.Problems = all.Sorted()
	return l
}

// OnlineCheck is the JSON form of what the service said about the files.
type OnlineCheck struct {
	Operations int `json:"operations"` // validated or refused
	Refused    int `json:"refused"`
	Beyond     int `json:"beyond"` // changes, or parts of them, that no validate_only job can say
	Held       int `json:"held"`   // changes the plan holds: not asked about
}

// CheckOnline has the service validate what apply would send, and puts what it
// refuses at the cells and lines it came from. Nothing is changed.
func CheckOnline(env *session.Env, c *cobra.Command, whole session.Loaded) (*OnlineCheck, []diag.Problem, error) {
	l := whole
	desired, err := Desired(env, l, PlanFlags{})
	if err != nil {
		return nil, l.Desired.Problems, err
	}
	s, err := session.Connect(c.Context(), env, l, true)
	if err != nil {
		return nil, l.Desired.Problems, err
	}
	defer s.End()
	view, err := s.Agent.Plan(c.Context(), desired)
	if err != nil {
		return nil, l.Desired.Problems, err
	}
	checked, err := s.Agent.Check(c.Context(), view)
	env.ClearLine()
	if err != nil {
		return nil, l.Desired.Problems, err
	}
	var all diag.List
	all.AddAll(l.Desired.Problems)
	all.AddAll(view.Plan.Problems)
	all.AddAll(view.Plan.Late)
	all.AddAll(checked.Problems)
	return &OnlineCheck{checked.Operations, len(checked.Problems), checked.Beyond, checked.Held}, all.Sorted(), nil
}

// String says it to people.
func (o *OnlineCheck) String() string {
	if o.Operations == 0 && o.Beyond == 0 && o.Held == 0 {
		return "nothing to send: the service was not asked"
	}
	text := fmt.Sprintf("the service checked %s and refused %d", diag.Plural(o.Operations, "operation"), o.Refused)
	if o.Beyond > 0 {
		text += fmt.Sprintf("; %s it can only tell at apply", diag.Plural(o.Beyond, "change"))
	}
	if o.Held > 0 {
		text += fmt.Sprintf("; %s held and not asked about", console.PluralAre(o.Held, "change"))
	}
	return text
}

// Exported reads the account, and the figures that are asked for. What the
// figures are to be is judged before anything long begins.
func Exported(c *cobra.Command, s *session.Session, of string) (*resource.Snapshot, workbook.Export, error) {
	var windows []resource.Window
	now := s.Agent.Now()
	if of != "" {
		var err error
		if now, err = s.Agent.Present(c.Context()); err != nil {
			return nil, workbook.Export{}, err
		}
		if windows, err = resource.ParseWindows(of, now); err != nil {
			return nil, workbook.Export{}, console.Usage(c, fmt.Errorf("--figures: %w", err))
		}
	}
	live, err := s.Agent.Export(c.Context())
	if err != nil {
		return nil, workbook.Export{}, err
	}
	about := workbook.Export{
		Account: config.Account{
			ID: s.Agent.Account.ID, Currency: s.Agent.Account.Currency, TimeZone: s.Agent.Account.TimeZone,
		},
		At: now,
	}
	about.Figures, err = Figures(c.Context(), s, windows)
	return live, about, err
}

// Figures are nil where no window is asked for.
func Figures(ctx context.Context, s *session.Session, windows []resource.Window) (*resource.Figures, error) {
	if len(windows) == 0 {
		return nil, nil
	}
	return s.Agent.Figures(ctx, windows)
}
