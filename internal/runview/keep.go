package runview

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/state"
)

// SetOut puts in the document of a run what it sets out to do: nobody knows yet
// what becomes of what goes ahead.
func (d *Document) SetOut(schemas resource.Schemas, p *plan.Plan) {
	goes := make(map[resource.Address]bool, len(p.Changes))
	for c := range p.EachApplicable() {
		goes[c.Address] = true
	}
	d.Outcomes = slices.Grow(d.Outcomes, len(p.Changes))
	for i := range p.Changes {
		c := &p.Changes[i]
		o := Outcome{Address: c.Address.String(), Action: c.Action,
			Name: c.Name, ID: c.ID, Outcome: state.OutcomeUnknown,
			Message: "the run has not said what became of it", Position: c.Position, Cell: c.Position,
			Fields: fieldsOf(schemas, c), Spend: c.Spend}
		if !goes[c.Address] {
			o.Outcome, o.Message = Held, ""
		}
		o.Do = Do(o.Outcome, o.Code, c.Address)
		if goes[c.Address] {
			for _, part := range c.HeldParts() {
				o.Held = append(o.Held, HeldPart{part, Do(Held, string(part.Hazard), c.Address)})
			}
		}
		d.Outcomes = append(d.Outcomes, o)
	}
	d.Money.Within = withinOf(&p.Money)
	d.Settle()
}

// withinOf is what the limits of an account let a plan move, nil where none binds.
func withinOf(m *plan.Money) *Within {
	if m.Totals.Day == m.WithoutBounds.Day {
		return nil
	}
	w := &Within{Before: m.Totals.Day.Before, After: m.Totals.Day.After}
	for _, b := range m.Bounds {
		if b.Before == nil || b.After == nil || *b.Before != *b.After {
			w.Moved = append(w.Moved, b.Address)
		}
	}
	return w
}

// fieldsOf are what each attribute of a change was and is to become. Where the
// service does not show an attribute it is what was sent last.
func fieldsOf(schemas resource.Schemas, c *plan.Change) []Field {
	fields := make([]Field, 0, len(c.Fields)+len(c.Displaced))
	for i := range c.Fields {
		f := &c.Fields[i]
		if f.Cause == plan.SentAlong {
			continue
		}
		before := f.Live()
		if a, known := schemas.Of(c.Address.Kind).Attribute(f.Name); known && !plan.Readable(a) {
			before = f.Last()
		}
		fields = append(fields, Field{
			Name: f.Name, Before: before.At(diag.Position{}),
			After: f.Desired.At(diag.Position{}), Starts: f.Phase == plan.Activate,
		})
	}
	for _, gone := range c.Displaced {
		fields = append(fields, Field{Name: gone.Name, Before: gone.Live, After: resource.Null()})
	}
	return fields
}

// Write notes which fields of a change were applied.
func (o *Outcome) Write(written resource.Attributes) {
	for i := range o.Fields {
		f := &o.Fields[i]
		f.Applied = !f.After.IsAbsent() && written.Value(f.Name).Equal(f.After)
	}
}

// Done is what the run applied.
func (d *Document) Done() []plan.Done {
	var done []plan.Done
	for _, o := range d.Outcomes {
		address, ok := resource.ParseAddress(o.Address)
		if !ok || o.Outcome == Held {
			continue
		}
		one := plan.Done{Address: address, ID: o.ID, Action: o.Action}
		for _, f := range o.Fields {
			if f.Applied {
				one.Fields = append(one.Fields, plan.DoneField{Name: f.Name, Before: f.Before, After: f.After})
			}
		}
		if len(one.Fields) > 0 || o.Outcome == state.OutcomeApplied {
			done = append(done, one)
		}
	}
	return done
}

// Keep writes the report of a run into the state.
func (d *Document) Keep(ctx context.Context, store state.Store) error {
	head, err := json.Marshal(d.Head)
	if err != nil {
		return err
	}
	write := func(w io.Writer) error { return d.WriteJSON(w, "") }
	if err := store.RecordReport(ctx, d.Run, head, write); err != nil {
		return fmt.Errorf("keep the report of %s: %w", d.Run, err)
	}
	return nil
}

// Load reads the report of a run from the state, or gives state.ErrNoReport.
func Load(ctx context.Context, store state.Store, run string) (*Document, error) {
	content, err := store.Report(ctx, run)
	if err != nil {
		return nil, err
	}
	return Decode(content)
}

// KeepRecovered brings the reports of the runs that left steps open up to what is
// known of them now; open says which are open still.
func KeepRecovered(ctx context.Context, store state.Store,
	steps []state.Step, open map[string]bool, now time.Time) error {
	byRun := map[string][]state.Step{}
	var runs []string
	for _, s := range steps {
		if len(byRun[s.Run]) == 0 {
			runs = append(runs, s.Run)
		}
		byRun[s.Run] = append(byRun[s.Run], s)
	}
	for _, run := range runs {
		d, err := Load(ctx, store, run)
		if errors.Is(err, state.ErrNoReport) {
			continue // of an older adsync
		}
		if err != nil {
			return err
		}
		d.Recover(byRun[run], func(step string) bool { return open[step] }, now)
		if err := d.Keep(ctx, store); err != nil {
			return err
		}
	}
	return nil
}
