package plan

import (
	"slices"

	"adsync/internal/resource"
)

// Credit is what an apply leaves for the rest of its own plan, where it was cut
// off or had to wait for something of that plan: the changes nothing held, with
// what each was to start from, and what its decreases took. The guards have let
// these changes pass once, measured together; measured again from what a part of
// them left, the rest would be a rise of its own and held for ever.
//
// A credit covers those very changes alone: another value in the files, in the
// record or at the service is another change, and what is done is done. What a
// decrease takes pays only while adsync's own write of it stands.
type Credit struct {
	Run   string // that showed the plan
	Lost  int64  // micros that decreases took and that pay no longer, as their rows or the account changed
	Shown []Shown

	Desired, Last, Live *resource.Snapshot // by attribute; Live has no resource for a create

	Due       []Shown // decreases that are still to come
	Unsure    int64   // micros of decreases of which nobody knows whether they were made
	Uncertain int64   // and with those that do not go with this plan
}

// Shown is what a plan showed that one change does to exposure, in micros.
type Shown struct {
	Address    resource.Address
	Rise, Fall int64
}

// Credit returns what the plan leaves for the rest of it, nil where it raises nothing.
// What an earlier credit covers stays with that.
func (p *Plan) Credit(run string) *Credit {
	c := &Credit{Run: run, Desired: &resource.Snapshot{}, Last: &resource.Snapshot{}, Live: &resource.Snapshot{}}
	raises := false
	for i := range p.Changes {
		change := &p.Changes[i]
		if change.RestOf != "" || change.Action == Archive || !change.Held.waitsOnly() {
			continue
		}
		raises = c.note(p.Schemas.Of(change.Address.Kind), change) || raises
	}
	if !raises {
		return nil
	}
	slices.SortFunc(c.Shown, func(a, b Shown) int { return a.Address.Compare(b.Address) })
	return c
}

// note takes what goes of a change into the credit, and reports whether that raises.
func (c *Credit) note(s *resource.Schema, change *Change) (raises bool) {
	at := change.Address
	creates := change.Action == Create || change.Action == Replace && !AnyField(change.Fields, func(f *Field) bool {
		return f.Held != nil
	})
	desired, last, live := &resource.Resource{Address: at},
		&resource.Resource{Address: at}, &resource.Resource{Address: at}
	for i := range change.Fields {
		f := &change.Fields[i]
		_, known := s.Attribute(f.Name)
		if !known || f.Held != nil || f.Cause == SentAlong || f.Cause == Drift && f.Phase >= Raise {
			continue
		}
		raises = raises || creates || f.Phase >= Raise
		desired.Attributes.Set(f.Name, f.Desired)
		setKnown(last, f.Name, f.Last())
		setKnown(live, f.Name, f.Live())
	}
	if len(desired.Attributes) == 0 {
		return false
	}
	c.Desired.Put(desired)
	if !creates {
		c.Last.Put(last)
		c.Live.Put(live)
	}
	if change.Rise != 0 || change.Fall != 0 {
		c.Shown = append(c.Shown, Shown{at, change.Rise, change.Fall})
	}
	return raises
}

func setKnown(r *resource.Resource, name string, v resource.Value) {
	if !v.IsAbsent() {
		r.Attributes.Set(name, v)
	}
}

func (c *Credit) ShownAt(at resource.Address) Shown {
	i, found := slices.BinarySearchFunc(c.Shown, at, func(s Shown, a resource.Address) int {
		return s.Address.Compare(a)
	})
	if found {
		return c.Shown[i]
	}
	return Shown{Address: at}
}

// Same reports whether the credit covers as many values as these, less as much.
func (c *Credit) Same(desired *resource.Snapshot, lost int64) bool {
	return c.Lost == lost && countValues(c.Desired) == countValues(desired)
}

func countValues(s *resource.Snapshot) (n int) {
	for r := range s.All() {
		n += len(r.Attributes)
	}
	return n
}

// intact reports whether all decreases of the plan are made, or still to come.
func (c *Credit) Intact() bool { return c.Lost+c.Uncertain == 0 }

func (c *Credit) Covers(change *Change, f *Field) bool {
	want := c.Desired.Get(change.Address)
	return want != nil && want.Value(f.Name).Equal(f.Desired) && f.Cause != SentAlong
}
