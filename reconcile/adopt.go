package reconcile

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/reconcile/apply"
	"adsync/reconcile/live"
	"adsync/state"
)

// Pick is a resource of the files that is to be bound to a live one: to the one
// with the id, or without an id to the one that fits.
type Pick struct {
	Address resource.Address
	ID      string
}

// Adoption is one resource of the files and the live one it becomes.
type Adoption struct {
	Address resource.Address
	ID      string
	Name    string
	Differs []string // attributes that the next plan edits, by name

	applied state.Applied
}

// Adoptions finds the live resources of what is picked and what the files name
// beneath it, or of everything the files name where nothing is picked. It changes
// nothing; what cannot be decided is a problem.
func (a *Agent) Adoptions(ctx context.Context, desired Desired, picks []Pick) ([]Adoption, []diag.Problem, error) {
	desired.Snapshot = withIDs(desired.Snapshot, picks)
	view, err := a.Plan(ctx, desired)
	if err != nil {
		return nil, nil, err
	}
	f := &adopter{Agent: a, view: view, desired: desired.Snapshot, picks: picks}
	_, unclear := plan.Identify(a.Schemas, view.Last, desired.Snapshot, view.Live.Resources)
	f.find(unclear)
	return f.found, f.problems.Sorted(), nil
}

// withIDs returns the files as if the rows that are picked had their ids.
func withIDs(desired *resource.Snapshot, picks []Pick) *resource.Snapshot {
	picked := &resource.Snapshot{}
	for r := range desired.All() {
		picked.Add(r)
	}
	for _, p := range picks {
		if r := desired.Get(p.Address); r != nil && p.ID != "" && r.ID == "" {
			given := *r
			given.ID = p.ID
			picked.Put(&given)
		}
	}
	return picked
}

type adopter struct {
	*Agent
	view     *apply.View
	desired  *resource.Snapshot
	picks    []Pick
	found    []Adoption
	problems diag.List
}

func (f *adopter) find(unclear []diag.Problem) {
	for _, p := range unclear {
		if f.covers(p.Address) {
			p.Severity = diag.Error
			f.problems.Add(p)
		}
	}
	for _, p := range f.picks {
		f.checkPick(p)
	}
	for r := range f.desired.All() {
		if last := f.view.Last.Get(r.Address); f.covers(r.Address.String()) && (last == nil || last.ID == "") {
			f.adopt(r)
		}
	}
}

// covers reports whether an address is picked, or beneath one that is.
func (f *adopter) covers(address string) bool {
	a, ok := resource.ParseAddress(address)
	if len(f.picks) == 0 || !ok {
		return len(f.picks) == 0
	}
	for _, p := range f.picks {
		if a == p.Address || strings.HasPrefix(a.Key, p.Address.Key+"/") {
			return true
		}
	}
	return false
}

// checkPick says why one that is named cannot be adopted.
func (f *adopter) checkPick(p Pick) {
	r, last, live := f.desired.Get(p.Address), f.view.Last.Get(p.Address), f.view.Live.Snapshot.Get(p.Address)
	problem := diag.Problem{Code: diag.BadValue, Address: p.Address.String()}
	switch {
	case r == nil:
		var names []string
		for _, a := range f.desired.Addresses() {
			names = append(names, a.String())
		}
		problem.Message = p.Address.String() + " is in no file; want a resource the files name"
		problem.Hint = diag.DidYouMean(p.Address.String(), names)
	case p.ID != "" && r.ID != p.ID:
		problem.Position, problem.Message = r.Position,
			fmt.Sprintf("id is %q in the file, and %q is to be adopted; want one of them", r.ID, p.ID)
	case last != nil && last.ID != "":
		problem.Position, problem.Message = r.Position,
			fmt.Sprintf("%s is managed already, as %s; want one that is not", p.Address, last.ID)
	case live == nil && f.said(p.Address): // why it is none
		return
	case live == nil:
		problem.Position, problem.Message = r.Position, p.Address.String()+
			" fits nothing live by its name; give the id of what is meant, as "+p.Address.String()+"=ID"
	default:
		return
	}
	f.problems.Add(problem)
}

func (f *adopter) said(a resource.Address) bool {
	return slices.ContainsFunc(f.problems.Sorted(), func(p diag.Problem) bool { return p.Address == a.String() })
}

// adopt takes what the files call it by, under a parent that is managed or
// adopted with it.
func (f *adopter) adopt(r *resource.Resource) {
	shown := f.view.Live.Snapshot.Get(r.Address)
	if shown == nil || f.removed(shown) {
		return
	}
	if parent := f.Schemas.Parent(r.Address); !parent.IsZero() && f.view.Last.Get(parent) == nil && !f.adopts(parent) {
		f.problems.Add(diag.Problem{Code: diag.UnknownParent, Position: r.Position, Address: r.Address.String(),
			Message: fmt.Sprintf("%s is beneath %s, which is not managed; want that adopted first, or with it",
				r.Address, parent)})
		return
	}
	schema := f.Schemas.Of(r.Address.Kind)
	attributes, normal, differs := live.RecordedAs(schema, shown, f.named(schema, r))
	f.found = append(f.found, Adoption{Address: r.Address, ID: shown.ID, Name: schema.NameOf(shown), Differs: differs,
		applied: state.Applied{
			Address: r.Address, ID: shown.ID, ParentID: shown.ParentID,
			Attributes: attributes, Normal: normal, Replace: true,
		}})
}

// named returns a resource of the files with the ids of what it names by key.
func (f *adopter) named(schema *resource.Schema, r *resource.Resource) *resource.Resource {
	copied := *r
	copied.Attributes = slices.Clone(r.Attributes)
	for i := range schema.Attributes {
		if a := &schema.Attributes[i]; a.Of != "" && r.Value(a.Name).IsSet() {
			copied.Set(a.Name, a.ByIDs(r.Value(a.Name), f.liveID))
		}
	}
	return &copied
}

func (f *adopter) liveID(a resource.Address) string {
	if live := f.view.Live.Snapshot.Get(a); live != nil {
		return live.ID
	}
	return ""
}

func (f *adopter) adopts(a resource.Address) bool {
	for _, found := range f.found {
		if found.Address == a {
			return true
		}
	}
	return false
}

func (f *adopter) removed(live *resource.Resource) bool {
	return f.Schemas.Of(live.Address.Kind).Removed(live)
}

// Adopt records which live resource each address is. What is live is recorded as
// applied last, so that what the files say otherwise is an edit, held as any.
func (a *Agent) Adopt(ctx context.Context, adoptions []Adoption) error {
	applied := make([]state.Applied, len(adoptions))
	for i, one := range adoptions {
		applied[i] = one.applied
	}
	return a.Store.Record(ctx, applied)
}
