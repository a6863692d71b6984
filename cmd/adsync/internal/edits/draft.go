package edits

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/planning"
	"adsync/cmd/adsync/internal/runs"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/daemon"
	"adsync/internal/diag"
	"adsync/internal/planview"
	"adsync/internal/resource"
	"adsync/internal/runview"
	"adsync/internal/words/catalogue"
	"adsync/plan"
	"adsync/sources"
	"adsync/state"
)

// found is an edit of the files as they are.
type found struct {
	planning.Edit
	of     daemon.Edit
	loaded session.Loaded
	names  map[string]string // by address
}

// Draft finds what an edit would write, and plans the files as they would be. Nothing is written or sent.
func (d *Desk) Draft(ctx context.Context, e daemon.Edit) (*daemon.Draft, error) {
	env, dir, done, err := d.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	f, err := d.find(ctx, env, dir, e)
	if err != nil {
		return nil, err
	}
	draft := f.draft()
	if d.Git {
		draft.Branch, draft.Into = d.Uploads, d.Own.Into(env)
		if d.Uploads == "" {
			draft.Refused = catalogue.Say("failed.edit-no-branch")
		}
	}
	if len(f.Values) == 0 {
		return draft, nil
	}
	draft.Plan, err = d.plan(ctx, env, f)
	return draft, err
}

func (d *Desk) plan(ctx context.Context, env *session.Env, f *found) (p *planview.Document, err error) {
	contents, of := map[string][]byte{}, []string{}
	for _, w := range f.Rewrites {
		contents[w.File] = w.After
	}
	for _, v := range f.Values {
		of = append(of, v.Address.String())
	}
	l := f.loaded
	if l.Desired, err = sources.LoadJoined(l.Project, ctx, l.Schemas, contents); err != nil {
		return nil, err
	}
	return d.Plan(ctx, env, l, of)
}

// find reads the files, and what they are to say.
func (d *Desk) find(ctx context.Context, env *session.Env, dir string, e daemon.Edit) (f *found, err error) {
	f = &found{of: e, loaded: session.Load(ctx, env, dir), names: map[string]string{}}
	switch {
	case f.loaded.Failure != nil:
		return nil, f.loaded.Failure
	case e.Run == "":
		return f, d.theirs(ctx, env, f)
	}
	return f.undo(ctx, env)
}

// theirs takes over what somebody else gave one resource.
func (d *Desk) theirs(ctx context.Context, env *session.Env, f *found) error {
	of, known := resource.ParseAddress(f.of.Of)
	if !known || f.loaded.Desired.Snapshot.Get(of) == nil {
		return noEdit(catalogue.Say("failed.edit-nothing"))
	}
	view, err := d.View(ctx, env, f.loaded, []string{f.of.Of})
	if err != nil {
		return err
	}
	f.Edit, err = planning.Theirs(ctx, env, f.loaded, view, of)
	return err
}

// undo takes a run back.
func (f *found) undo(ctx context.Context, env *session.Env) (*found, error) {
	e := f.of
	run, err := runOf(ctx, env, f.loaded, e.Run)
	if err != nil {
		return nil, err
	}
	for i := range run.Outcomes {
		f.names[run.Outcomes[i].Address] = run.Outcomes[i].Name
	}
	store, err := session.OpenState(ctx, env, f.loaded.Project, true)
	if err != nil {
		return nil, err
	}
	defer func() { session.Closed(env, "state", store.Close()) }()
	last, err := store.Last(ctx)
	if err != nil {
		return nil, err
	}
	f.Edit, err = planning.Undo(ctx, env, f.loaded, run, last, e.Of)
	return f, err
}

// runOf is the report of a run that can be taken back in the files.
func runOf(ctx context.Context, env *session.Env, l session.Loaded, name string) (*runs.ReportDocument, error) {
	kept, err := runs.KeptOf(ctx, env, l.Project, name)
	if err != nil {
		return nil, err
	}
	defer kept.End()
	if _, err := kept.Named(ctx, name); err != nil {
		return nil, err
	}
	run, err := kept.Document(ctx, name)
	known := new(console.Exit)
	switch {
	case errors.Is(err, state.ErrNoReport) || errors.As(err, &known):
		return nil, noEdit(catalogue.Say("failed.edit-no-report", "run", name))
	case err != nil:
		return nil, err
	case run.Ended == runview.Running:
		return nil, noEdit(catalogue.Say("failed.edit-goes-on", "run", name))
	case run.Command.Pauses():
		return nil, noEdit(catalogue.Say("failed.edit-paused", "run", name))
	case run.Command == runview.GoOn:
		return nil, noEdit(catalogue.Say("failed.edit-went-on", "run", name))
	}
	return run, nil
}

func noEdit(why string) error { return fmt.Errorf("%w: %s", daemon.ErrNoEdit, why) }

// digest is another where anything else would be written, wherever its cell is by now.
func (f *found) digest() string {
	texts := []string{f.of.Run, f.of.Of}
	for _, v := range f.Values {
		texts = append(texts, v.At.File(), v.Address.String(), v.Attribute,
			plan.DigestOf(v.Said), plan.DigestOf(v.Value))
	}
	return plan.DigestOfTexts(texts...)
}

func (f *found) draft() *daemon.Draft {
	d := &daemon.Draft{Edit: f.of, Digest: f.digest(),
		Values: []daemon.DraftValue{}, Left: []daemon.DraftLeft{}, Problems: []string{}}
	for _, v := range f.Values {
		a, _ := f.loaded.Schemas.Of(v.Address.Kind).Attribute(v.Attribute)
		d.Values = append(d.Values, daemon.DraftValue{At: v.At.String(), Address: v.Address.String(),
			Name: f.name(v.Address), Attribute: v.Attribute, Was: shown(a, v.Said), Is: shown(a, v.Value)})
	}
	for _, s := range f.Left {
		d.Left = append(d.Left, daemon.DraftLeft{
			Address: s.Address.String(), Name: f.name(s.Address), Attribute: s.Attribute, Why: s.Why,
		})
	}
	for _, p := range f.Problems {
		d.Problems = append(d.Problems, diag.Printable(strings.TrimPrefix(p.Position.String()+": ", ": ")+p.Message))
	}
	return d
}

// name is what the files call a resource, or else the run; "" where neither does.
func (f *found) name(at resource.Address) string {
	schema, row := f.loaded.Schemas.Of(at.Kind), f.loaded.Desired.Snapshot.Get(at)
	if schema != nil && row != nil && len(schema.NameFrom) > 0 {
		if name := row.Value(schema.NameFrom[0]).Text(); name != "" {
			return name
		}
	}
	return f.names[at.String()]
}

// shown is a value as a cell would have it; "" where there is none.
func shown(a *resource.Attribute, v resource.Value) string {
	if plan.Unset(v) {
		return ""
	}
	return a.Show(v)
}
