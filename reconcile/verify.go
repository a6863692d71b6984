package reconcile

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"adsync/internal/adsapi"
	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/state"

	"golang.org/x/text/unicode/norm"
)

// Reading back asks by id up to readOne resources and by lists above; what does
// not show yet is asked for again, as reads may lag behind writes for seconds.
const (
	readOne       = 50
	readAgain     = 5
	firstReadWait = 500 * time.Millisecond
)

// readBack compares what was applied with what the service now holds, and
// records the normal form it gave.
func (r *run) readBack(ctx context.Context) error {
	defer r.tellChecked()
	wait := firstReadWait
	for try := 0; ; try++ {
		waiting := r.unverified()
		if len(waiting) == 0 {
			return nil
		}
		if err := r.compareAll(ctx, waiting); err != nil {
			return err
		}
		if len(r.unverified()) == 0 || try == readAgain {
			return nil
		}
		if err := r.Sleep(ctx, wait); err != nil {
			return err
		}
		wait *= 2
	}
}

// unverified gives what was applied and not yet seen at the service, in the
// order of the plan.
func (r *run) unverified() []*standing {
	var waiting []*standing
	for _, c := range r.changes {
		s := r.standings[c.Address]
		if s.outcome == state.OutcomeApplied && len(s.expect) > 0 && !s.verified {
			waiting = append(waiting, s)
		}
	}
	return waiting
}

func (r *run) expectations(waiting []*standing) []expectation {
	expected := make([]expectation, len(waiting))
	for i, s := range waiting {
		address := s.change.Address
		expected[i] = expectation{address, r.ids[address], r.ids[r.Schemas.Parent(address)], s.expect, isNew(s.change)}
	}
	return expected
}

func (r *run) compareAll(ctx context.Context, waiting []*standing) error {
	if r.forecast != nil {
		r.foretellReads("read back", r.expectations(waiting))
		for _, s := range waiting {
			s.verified = true
		}
		return nil
	}
	seen, err := r.observe(ctx, r.expectations(waiting))
	if err != nil {
		return err
	}
	for i, s := range waiting {
		if seen[i].hidden { // nothing to hold it against
			s.expect = nil
			continue
		}
		s.mismatch, s.verified = seen[i].mismatch, seen[i].mismatch == ""
		if seen[i].record.ID != "" {
			r.view.Live.Records[seen[i].record.ID] = seen[i].record
		}
	}
	return nil
}

// expectation is what reading back should show of a resource.
type expectation struct {
	address  resource.Address
	id       string
	parentID string
	sent     resource.Attributes
	created  bool // null may be what the service put there itself
}

// observation is what reading back showed.
type observation struct {
	record   adsapi.Record
	mismatch string // "" when it is as sent, in the service's normal form
	hidden   bool   // the service does not show it
}

// observe reads resources back, compares, and records the normal forms the
// service gave. The observations stand in the order of the expectations.
func (a *Agent) observe(ctx context.Context, expected []expectation) ([]observation, error) {
	records, hidden, err := a.readAll(ctx, expected)
	if err != nil {
		return nil, err
	}
	files, err := a.sourcesByFile(ctx)
	if err != nil {
		return nil, err
	}
	d := decoder{a.Zone, files}
	seen := make([]observation, len(expected))
	var normal []state.Applied
	for i, e := range expected {
		record, ok := records[e.id]
		schema := a.Schemas.Of(e.address.Kind)
		if !ok || e.deleted(schema) {
			seen[i] = unseen(schema, e, ok, hidden[e.address.Kind])
			continue
		}
		live, err := d.decode(schema, record)
		if err != nil {
			return nil, err
		}
		forms, mismatch := compare(schema, e, live)
		seen[i] = observation{record: record, mismatch: mismatch}
		given := givenAtCreate(schema, e, live)
		if len(forms)+len(given) > 0 {
			normal = append(normal, state.Applied{Address: e.address, ID: e.id, Attributes: given, Normal: forms})
		}
	}
	return seen, a.Store.Record(ctx, normal)
}

// deleted says that what was sent leaves nothing to read.
func (e expectation) deleted(schema *resource.Schema) bool {
	a := schema.RemovalAttribute()
	return a != nil && schema.Deletes() && e.sent.Value(a.Name).Text() == schema.Removal
}

// unseen is what it means that a resource does not show, or still does.
func unseen(schema *resource.Schema, e expectation, there, hidden bool) observation {
	switch {
	case hidden:
		return observation{hidden: true}
	case there:
		return observation{mismatch: "it is still there"}
	case e.deleted(schema):
		return observation{}
	}
	return observation{mismatch: "it does not show at the service"}
}

// readAll reads by id, or by lists where that is fewer requests, and names the
// kinds the service does not show.
func (a *Agent) readAll(ctx context.Context, expected []expectation) (records map[string]adsapi.Record, hidden map[resource.Kind]bool, err error) {
	if len(expected) > readOne {
		return a.listAll(ctx, expected)
	}
	records, hidden = make(map[string]adsapi.Record, len(expected)), map[resource.Kind]bool{}
	reader := a.reader()
	for i, e := range expected {
		a.progress("read back", i, len(expected))
		record, err := reader.one(ctx, a.Schemas.Of(e.address.Kind), e.id, nil)
		switch {
		case err == nil:
			records[e.id] = record
		case errors.Is(err, errUnlisted):
			hidden[e.address.Kind] = true
		case !errors.Is(err, adsapi.ErrNotFound):
			return nil, nil, fmt.Errorf("read back %s: %w", e.address, err)
		}
	}
	return records, hidden, nil
}

// listAll reads the lists; what they do not show is asked for by its id.
func (a *Agent) listAll(ctx context.Context, expected []expectation) (map[string]adsapi.Record, map[resource.Kind]bool, error) {
	bound := &resource.Snapshot{}
	for _, e := range expected {
		bound.Add(&resource.Resource{Address: e.address, ID: e.id, ParentID: e.parentID})
	}
	wanted := map[resource.Kind]bool{}
	for r := range bound.All() {
		wanted[r.Address.Kind] = true
	}
	live, err := a.refreshed(ctx, bound, false, func(s *resource.Schema) bool { return wanted[s.Kind] })
	if err != nil {
		return nil, nil, fmt.Errorf("read back: %w", err)
	}
	hidden := map[resource.Kind]bool{}
	for _, r := range live.Resources {
		hidden[r.Address.Kind] = hidden[r.Address.Kind] || r.AsSent
	}
	return live.Records, hidden, nil
}

// compare holds what was sent against what reading back gives: the normal forms
// the service made of it, and the first difference that is none.
func compare(schema *resource.Schema, e expectation, live *resource.Resource) (normal resource.Attributes, mismatch string) {
	for _, s := range e.sent {
		a, _ := schema.Attribute(s.Name)
		have := live.Value(s.Name)
		switch {
		case a.Wire.Path == "", have.Equal(s.Value), s.Value.IsNull() && have.IsAbsent():
		case e.created && s.Value.IsNull():
		case sameMeaning(a, s.Value, have):
			normal.Set(s.Name, have)
		case mismatch == "":
			mismatch = fmt.Sprintf("%s is %s; want %s", s.Name, a.Show(have), a.Show(s.Value))
		}
	}
	return normal, mismatch
}

// givenAtCreate is what a new resource holds beyond what was sent: the service's
// defaults, and what was left to a follow-up. It is recorded as nobody's edit,
// so that a file that begins to manage it later finds no stranger's value. What
// adsync notes itself is noted when the service is ready.
func givenAtCreate(schema *resource.Schema, e expectation, live *resource.Resource) resource.Attributes {
	var values resource.Attributes
	for _, held := range live.Attributes {
		if sent := e.sent.Value(held.Name); e.created && !sent.IsSet() && !schema.Notes(held.Name) {
			values.Set(held.Name, held.Value)
		}
	}
	return values
}

// sameMeaning says that a service may have made one value of the other by
// normalising: spaces, Unicode form, the case of an address, the order of a
// list, an image under the id of its upload.
func sameMeaning(a *resource.Attribute, sent, have resource.Value) bool {
	switch {
	case a.Wire.Codec == resource.FileID:
		return strings.Contains(sent.Text(), "://") && strings.HasPrefix(have.Text(), "file:")
	case a.Type == resource.TypeMoney:
		return false
	case a.Type.IsList():
		return slices.Equal(loose(sent.Items()), loose(have.Items()))
	case a.Type == resource.TypeURL:
		return strings.EqualFold(sent.Text(), have.Text()) || strings.EqualFold(sent.Text()+"/", have.Text())
	}
	return have.IsSet() && looseText(sent.Text()) == looseText(have.Text())
}

func loose(items []string) []string {
	sorted := make([]string, len(items))
	for i, item := range items {
		sorted[i] = looseText(item)
	}
	slices.Sort(sorted)
	return slices.Compact(sorted)
}

func looseText(s string) string { return strings.Join(strings.Fields(norm.NFC.String(s)), " ") }

// closeSteps ends the steps of this run whose results are bound.
func (r *run) closeSteps(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	open, err := r.Store.Open(ctx)
	if err != nil {
		return fmt.Errorf("read the journal: %w", err)
	}
	for _, step := range open {
		if step.Run != r.id || step.Point != state.Bound {
			continue
		}
		if r.allVerified(step) {
			if err := r.Store.Move(ctx, step.ID, state.Verified, state.Update{}); err != nil {
				return err
			}
		}
		if err := r.Store.Move(ctx, step.ID, state.Closed, state.Update{}); err != nil {
			return err
		}
	}
	return r.Store.RecordRun(ctx, state.Run{ID: r.id, Started: r.started, Finished: r.now(), PlanHash: r.hash, Summary: r.report().Summary()})
}

func (r *run) allVerified(step state.Step) bool {
	return !slices.ContainsFunc(step.Operations, func(o state.Operation) bool {
		s := r.standings[o.Address]
		return s == nil || !s.verified
	})
}

// notVerified names the code of an applied change that reading back did not show.
const notVerified = diag.NotVerified
