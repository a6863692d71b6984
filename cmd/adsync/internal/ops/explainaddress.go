package ops

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/runs"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/review"
	"adsync/internal/runview"
	"adsync/plan"
	"adsync/state"
)

// explainedDocument is the JSON form of why a resource is as it is.
type explainedDocument struct {
	FormatVersion int                  `json:"format_version"`
	Address       string               `json:"address"`
	Written       *writtenDocument     `json:"written"`  // null where the files do not name it
	Recorded      string               `json:"recorded"` // its id in the record; "" where there is none
	Attributes    []explainedValue     `json:"attributes"`
	Changed       *toldDocument        `json:"changed"` // the run that changed it last
	Said          *toldDocument        `json:"said"`    // the run that said something of it last
	Undecided     *undecidedDocument   `json:"undecided"`
	Quarantined   *quarantinedDocument `json:"quarantined"`
	Review        *review.Line         `json:"review"`         // as it was read last; null where nothing is known
	Live          *liveDocument        `json:"live,omitempty"` // with --live
	Problems      []diag.Problem       `json:"problems"`       // of its rows
}

type writtenDocument struct {
	Position diag.Position `json:"at"`
	Name     string        `json:"name"`
}

// explainedValue is one attribute, each side as people write it; "" is none.
type explainedValue struct {
	Name     string        `json:"name"`
	Desired  string        `json:"desired"`
	Position diag.Position `json:"at"` // of what is desired
	Recorded string        `json:"recorded"`
	Live     string        `json:"live,omitempty"` // with --live
}

// toldDocument is what a run said of a resource.
type toldDocument struct {
	Run     string        `json:"run"`
	Started time.Time     `json:"started"`
	Action  plan.Action   `json:"action"`
	Outcome state.Outcome `json:"outcome"`
	Code    string        `json:"code"`
	Message string        `json:"message"`
	Do      string        `json:"do"`
}

// liveDocument is what the service holds, and what a plan of now says of it.
type liveDocument struct {
	ID     string   `json:"id"` // "" where it is not there
	Action string   `json:"action"`
	Held   []string `json:"held"`
}

func explainAddress(ctx context.Context, env *session.Env, address resource.Address, dir string, live bool) error {
	l := session.Load(ctx, env, dir)
	if l.Failure != nil {
		return l.Failure
	}
	foreign := slices.DeleteFunc(slices.Clone(l.Desired.Problems), func(p diag.Problem) bool {
		return p.Code != diag.WrongAccount
	})
	if err := session.Invalid(env, l, foreign); err != nil { // what the files say is of another account
		return err
	}
	kept, err := runs.Kept(ctx, env, dir)
	if err != nil {
		return err
	}
	defer kept.End()
	d := explainedDocument{
		FormatVersion: console.FormatVersion, Address: address.String(),
		Attributes: []explainedValue{}, Problems: []diag.Problem{},
	}
	for _, p := range l.Desired.Problems {
		if p.Address == d.Address {
			d.Problems = append(d.Problems, p)
		}
	}
	last, err := kept.Store.Last(ctx)
	if err != nil {
		return err
	}
	sides := sidesOf{desired: l.Desired.Snapshot.Get(address), last: last.Get(address)}
	if err := d.fill(ctx, kept, address); err != nil {
		return err
	}
	if line, known := session.KnownReviews(env, l.Project).Line(d.Address); known {
		d.Review = &line
	}
	if live {
		if sides.live, d.Live, err = liveOf(ctx, env, l, address); err != nil {
			return err
		}
	}
	if d.sides(l.Schemas.Of(address.Kind), sides); d.known() {
		return showExplained(env, d)
	}
	return session.Unnamed(address, l.Desired.Snapshot)
}

// sidesOf is a resource as three sides have it; nil is one that does not.
type sidesOf struct{ desired, last, live *resource.Resource }

func (d *explainedDocument) sides(schema *resource.Schema, s sidesOf) {
	if s.desired != nil {
		d.Written = &writtenDocument{s.desired.Position, schema.NameOf(s.desired)}
	}
	if s.last != nil {
		d.Recorded = s.last.ID
	}
	value := func(r *resource.Resource, attribute *resource.Attribute) string {
		if r == nil || r.Value(attribute.Name).IsAbsent() {
			return ""
		}
		return attribute.Show(r.Value(attribute.Name))
	}
	for i := range schema.Attributes {
		at := &schema.Attributes[i]
		v := explainedValue{
			Name: at.Name, Desired: value(s.desired, at), Recorded: value(s.last, at), Live: value(s.live, at),
		}
		if v.Desired != "" {
			v.Position = s.desired.Value(at.Name).Position
		}
		if v.Desired+v.Recorded+v.Live != "" {
			d.Attributes = append(d.Attributes, v)
		}
	}
}

// fill reads what the state says: the runs, what is unknown, what was refused.
func (d *explainedDocument) fill(ctx context.Context, kept *runs.KeptRuns, address resource.Address) error {
	steps, err := kept.Store.Open(ctx)
	if err != nil {
		return err
	}
	for _, u := range session.SetAside(steps) {
		if u.Operation.Address == address {
			d.Undecided = &undecidedDocument{d.Address, u.Step.ID, u.Operation.Action, u.Message()}
		}
	}
	blocked, err := kept.Store.Blocked(ctx)
	if err != nil {
		return err
	}
	if b, refused := blocked[address]; refused {
		d.Quarantined = &quarantinedDocument{d.Address, b.Code, b.Message, b.Since, b.Run, quarantineEnds}
	}
	runs, err := kept.Store.Runs(ctx, 0)
	if err != nil {
		return err
	}
	for _, run := range runs {
		if d.Changed != nil {
			break
		}
		if err := d.told(ctx, kept, run); err != nil {
			return err
		}
	}
	return nil
}

// told takes what a run said. One of which no report was kept said nothing.
func (d *explainedDocument) told(ctx context.Context, kept *runs.KeptRuns, run state.Run) error {
	content, err := kept.Store.Report(ctx, run.ID)
	if errors.Is(err, state.ErrNoReport) {
		return nil
	}
	if err != nil {
		return err
	}
	report, err := runview.Decode(content)
	if err != nil {
		return err
	}
	for _, o := range report.Outcomes {
		if o.Address != d.Address {
			continue
		}
		told := &toldDocument{run.ID, run.Started, o.Action, o.Outcome, o.Code, o.Message, o.Do}
		if d.Said == nil {
			d.Said = told
		}
		if o.Outcome == state.OutcomeApplied && o.Action != plan.Record {
			d.Changed = told
		}
	}
	return nil
}

// liveOf reads the account, and gives what a plan of now says of a resource.
func liveOf(ctx context.Context, env *session.Env, l session.Loaded,
	address resource.Address) (*resource.Resource, *liveDocument, error) {
	if err := session.Invalid(env, l, l.Desired.Problems); err != nil {
		return nil, nil, err
	}
	desired, err := runs.Desired(env, l, runs.PlanFlags{})
	if err != nil {
		return nil, nil, err
	}
	s, err := session.Connect(ctx, env, l, true)
	if err != nil {
		return nil, nil, err
	}
	defer s.End()
	view, err := s.Agent.Plan(ctx, desired)
	env.ClearLine()
	if err != nil {
		return nil, nil, err
	}
	d := &liveDocument{Held: []string{}}
	live := view.Live.Snapshot.Get(address)
	if live != nil {
		d.ID = live.ID
	}
	for i := range view.Plan.Changes {
		c := &view.Plan.Changes[i]
		if c.Address != address {
			continue
		}
		d.Action = string(c.Action)
		for _, h := range c.Holds() {
			d.Held = append(d.Held, string(h.Hazard)+": "+h.Message)
		}
	}
	return live, d, nil
}

// known reports whether something is known of the address at all.
func (d *explainedDocument) known() bool {
	return d.Written != nil || d.Recorded != "" || d.Said != nil ||
		d.Undecided != nil || d.Quarantined != nil || len(d.Problems) > 0 || d.Live != nil && d.Live.ID != ""
}

func showExplained(env *session.Env, d explainedDocument) error {
	if env.Flags.Output == "json" {
		return env.PrintJSON(d)
	}
	for _, text := range d.lines() {
		if _, err := fmt.Fprintln(env.Out, diag.Printable(text)); err != nil {
			return err
		}
	}
	return nil
}

// lines say it to people.
func (d *explainedDocument) lines() []string {
	all := []string{d.Address}
	line := func(label, format string, args ...any) {
		all = append(all, fmt.Sprintf("  %-12s ", label)+fmt.Sprintf(format, args...))
	}
	switch {
	case d.Written != nil:
		line("written", "%s %q", d.Written.Position, d.Written.Name)
	default:
		line("written", "nowhere: the files do not name it")
	}
	switch {
	case d.Recorded != "":
		line("recorded", "as %s", d.Recorded)
	default:
		line("recorded", "no: nothing was applied to it from here")
	}
	if d.Live != nil {
		line("live", "%s", d.Live)
	}
	for _, v := range d.Attributes {
		line("", "%s: %s", v.Name, v)
	}
	if d.Changed != nil {
		line("changed by", "%s", d.Changed)
	}
	if d.Said != nil && (d.Changed == nil || *d.Said != *d.Changed) {
		line("last said", "%s", d.Said)
	}
	if r := d.Review; r != nil && r.Means == "" {
		line("review", "%s since %s", r.State, console.UTC(r.Since))
	} else if r != nil {
		line("review", "since %s %s", console.UTC(r.Since), r.Text())
	}
	if d.Undecided != nil {
		line("unknown", "%s; to decide it: %s", d.Undecided.Message, session.Resolving(d.Address))
	}
	if q := d.Quarantined; q != nil {
		line("refused", "since %s%s: %s (%s); not sent again unattended until %s",
			console.UTC(q.Since), q.by(), q.Message, q.Code, q.Release)
	}
	for _, p := range d.Problems {
		line("problem", "%s", p)
	}
	return all
}

// String returns where each side stands. A value that several sides have is there once.
func (v explainedValue) String() string {
	var parts []string
	if v.Desired != "" {
		said := "the files say " + v.Desired
		if !v.Position.IsZero() {
			said += " (" + v.Position.String() + ")"
		}
		parts = append(parts, said)
	}
	both := v.Recorded != "" && v.Recorded == v.Live
	side := func(name, value string) {
		switch {
		case value != "" && value == v.Desired:
			parts = append(parts, name+" the same")
		case value != "":
			parts = append(parts, name+" "+value)
		}
	}
	if both {
		side("recorded and live are", v.Live)
	} else {
		side("recorded is", v.Recorded)
		side("live is", v.Live)
	}
	return strings.Join(parts, ", ")
}

func (t *toldDocument) String() string {
	text := fmt.Sprintf("%s, %s: %s %s", t.Run, console.UTC(t.Started), t.Action, t.Outcome)
	if t.Message != "" {
		text += ": " + t.Message
	}
	if t.Code != "" {
		text += " (" + t.Code + ")"
	}
	if t.Do != "" {
		text += "; " + t.Do
	}
	return text
}

func (l *liveDocument) String() string {
	text := "not there"
	if l.ID != "" {
		text = "as " + l.ID
	}
	if l.Action != "" {
		text += "; a plan of now would " + l.Action + " it"
	}
	if len(l.Held) > 0 {
		text += ", and holds that: " + strings.Join(l.Held, "; ")
	}
	return text
}
