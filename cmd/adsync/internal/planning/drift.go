package planning

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/runs"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/reconcile"

	"github.com/spf13/cobra"
)

// driftFlags are those of drift.
type driftFlags struct {
	detailed bool
	accept   bool
	propose  bool
}

// Drift returns the command adsync drift.
func Drift(env *session.Env) *cobra.Command {
	var f driftFlags
	c := &cobra.Command{
		Use:   "drift [FOLDER] [ADDRESS...]",
		Short: "Show what was changed at the service since the last apply, or write it into the files",
		Long: `Show what somebody changed or removed at the service since adsync applied it
last: the value then, the value now, where the files say it, and who it was as far
as the audit log tells. Addresses narrow it to these resources. Nothing is changed.

With --accept the values of the service are written into the very cells and lines
of their rows, and recorded; nothing is changed at the service. What the files say
otherwise since the last apply is accepted only for addresses that are given.`,
		Example: `  adsync drift
  adsync drift --accept campaign/spring-launch`,
		RunE: func(c *cobra.Command, args []string) error { return runDrift(env, c, args, f) },
	}
	c.Flags().BoolVar(&f.detailed, "detailed-exitcode", false, "exit with 2 when there is drift")
	c.Flags().BoolVar(&f.accept, "accept", false, "write what is live into the files")
	c.Flags().BoolVar(&f.propose, "propose", false,
		"push the files with what is live to a branch, ready for a pull request, with --git")
	session.FromGit(env, c, false)
	env.Outputs(c, "text", "json")
	return c
}

// DriftDocument is the JSON form of drift.
type DriftDocument struct {
	FormatVersion int              `json:"format_version"`
	Resources     []DriftResource  `json:"resources"`
	Unmanaged     int              `json:"unmanaged"` // live resources no file names
	Problems      []diag.Problem   `json:"problems"`
	Accepted      []string         `json:"accepted"` // files written
	Account       *reconcile.Agent `json:"-"`        // whose days and currency the text uses
	live          *resource.Snapshot
	named         bool // it is of the resources that were named alone
}

// DriftResource is a resource that is not as adsync left it.
type DriftResource struct {
	Address  string        `json:"address"`
	ID       string        `json:"id"`
	Name     string        `json:"name"`
	Position diag.Position `json:"position"`
	Removed  string        `json:"removed,omitempty"` // "archived" or "gone"
	Foreign  *plan.Foreign `json:"foreign,omitempty"`
	Fields   []driftField  `json:"fields"`

	change *plan.Change
}

// driftField is an attribute that is not as adsync left it.
type driftField struct {
	Name     string          `json:"name"`
	Last     *resource.Value `json:"last,omitempty"`
	Live     *resource.Value `json:"live,omitempty"`
	Desired  *resource.Value `json:"desired,omitempty"`
	Position diag.Position   `json:"position"`
	Both     bool            `json:"both"` // the files say something else than last time, too
	Foreign  *plan.Foreign   `json:"foreign,omitempty"`

	field *plan.Field
}

func runDrift(env *session.Env, c *cobra.Command, args []string, f driftFlags) error {
	dir, picks, err := session.Addressed(c, args)
	if err != nil {
		return err
	}
	if env.Git != nil && f.accept || env.Git == nil && f.propose {
		return console.Usage(c, errors.New("--accept writes into a folder, --propose goes with --git; want the other"))
	}
	l := session.Load(c.Context(), env, dir)
	if err := session.Invalid(env, l, l.Desired.Problems); err != nil {
		return err
	}
	s, view, err := drifted(c.Context(), env, l, f.accept)
	if err != nil {
		return err
	}
	defer s.End()
	for _, p := range picks {
		if l.Desired.Snapshot.Get(p.Address) == nil && view.Last.Get(p.Address) == nil {
			return session.Unnamed(p.Address, l.Desired.Snapshot)
		}
	}
	d := DriftOf(l, view, picks)
	d.Account = s.Agent
	if f.accept {
		return acceptDrift(c.Context(), env, l, s, d, len(picks) > 0)
	}
	if err := showDrift(env, l.Schemas, d); err != nil {
		return err
	}
	if f.propose {
		return Propose(c.Context(), env, l, d, len(picks) > 0, view.Hash())
	}
	if f.detailed && len(d.Resources) > 0 {
		return console.ExitWith(console.ExitPending, "")
	}
	return nil
}

// drifted connects, to write the record too where values are accepted, and
// compares.
func drifted(ctx context.Context, env *session.Env,
	l session.Loaded, accept bool) (s *session.Session, view *reconcile.View, err error) {
	desired, err := runs.Desired(env, l, runs.PlanFlags{})
	if err != nil {
		return nil, nil, err
	}
	if accept {
		s, err = runs.Recording(ctx, env, l)
	} else {
		s, err = session.Connect(ctx, env, l, true)
	}
	if err != nil {
		return nil, nil, err
	}
	view, err = s.Agent.Plan(ctx, desired)
	env.ClearLine()
	if err == nil && !accept {
		err = runs.NoteOpenSteps(ctx, env, s.Store)
	}
	if err != nil {
		s.End()
		return nil, nil, err
	}
	return s, view, nil
}

// DriftOf takes out of a plan what others did at the service.
func DriftOf(l session.Loaded, view *reconcile.View, picks []reconcile.Pick) DriftDocument {
	d := DriftDocument{
		FormatVersion: console.FormatVersion, Resources: []DriftResource{}, Unmanaged: view.Plan.Unmanaged,
		Problems: session.Listed(view.Plan.Problems), Accepted: []string{}, live: view.Live.Snapshot,
		named: len(picks) > 0,
	}
	for i := range view.Plan.Changes {
		c := &view.Plan.Changes[i]
		if len(picks) > 0 && !slices.ContainsFunc(picks, func(p reconcile.Pick) bool {
			return p.Address == c.Address
		}) {
			continue
		}
		r := DriftResource{
			Address: c.Address.String(), ID: c.ID,
			Name: c.Name, Position: c.Position, Foreign: c.Foreign, Fields: []driftField{}, change: c,
		}
		if c.IsGone() {
			r.Removed = "gone"
			if live := view.Live.Snapshot.Get(c.Address); live != nil {
				r.Removed, r.ID = "archived", live.ID
			}
			d.Resources = append(d.Resources, r)
			continue
		}
		for k := range c.Fields {
			if f := &c.Fields[k]; f.Cause == plan.Drift || f.IsForeign() {
				r.Fields = append(r.Fields, driftField{Name: f.Name,
					Last: unlessAbsent(f.Last()), Live: unlessAbsent(f.Live()), Desired: unlessAbsent(f.Desired),
					Position: f.Desired.Position, Both: f.Cause != plan.Drift, Foreign: f.Foreign(), field: f})
			}
		}
		if len(r.Fields) > 0 {
			d.Resources = append(d.Resources, r)
		}
	}
	slices.SortFunc(d.Resources, func(x, y DriftResource) int { return x.change.Address.Compare(y.change.Address) })
	return d
}

func unlessAbsent(v resource.Value) *resource.Value {
	if v.IsAbsent() {
		return nil
	}
	return &v
}

func showDrift(env *session.Env, schemas resource.Schemas, d DriftDocument) error {
	if env.Flags.Output == "json" {
		return env.PrintJSON(d)
	}
	for _, r := range d.Resources {
		by := d.by(r.Foreign)
		if r.Removed != "" {
			by = ": " + r.Removed + " at the service" + by
		}
		fmt.Fprintf(env.Out, "%s (%s)%s\n", diag.Printable(r.Address), r.Position, by)
		schema := schemas.Of(r.change.Address.Kind)
		for _, f := range r.Fields {
			attribute, _ := schema.Attribute(f.Name)
			both := ""
			if f.Both {
				both = "; the files say " + diag.Printable(attribute.Show(f.field.Desired)) + " since"
			}
			fmt.Fprintf(env.Out, "    %s: %s%s%s  (%s)\n",
				f.Name, diag.Becomes(diag.Printable(attribute.Show(f.field.Last())),
					diag.Printable(attribute.Show(f.field.Live()))), d.by(f.Foreign), both, f.Position)
		}
	}
	switch {
	case len(d.Resources) == 0 && d.named:
		fmt.Fprintf(env.Out, "No drift of what you named: it is as adsync applied it.\n")
	case len(d.Resources) == 0:
		fmt.Fprintf(env.Out, "No drift: what adsync applied is as it was.\n")
	default:
		fmt.Fprintf(env.Out, "%s changed at the service since the last apply.\n",
			console.PluralAre(len(d.Resources), "resource"))
		env.Note("to write it into the files: adsync drift --accept")
	}
	if d.Unmanaged > 0 {
		fmt.Fprintf(env.Out, "%s not managed by these files.\n", console.PluralAre(d.Unmanaged, "resource"))
	}
	return nil
}

// by says who did something and when, as far as that is known.
func (d *DriftDocument) by(f *plan.Foreign) string {
	if f == nil {
		return ""
	}
	return fmt.Sprintf(", by %s at %s", diag.Printable(f.Actor),
		time.Unix(f.At, 0).In(d.Account.Zone).Format("2006-01-02 15:04"))
}
