package drafting

import (
	"adsync/internal/resource"
	"adsync/plan"
)

// Entry is one resource as the three snapshots hold it.
type Entry struct {
	Kind                *Kind
	Address             resource.Address
	Desired, Last, Live *resource.Resource
	Index               int     // its own in Tree.All
	Up                  int     // that of what is above it, -1 at the top
	Orphan              bool    // its parent is in no snapshot: above it is what is above that
	Above               *Effect // of its parent; never nil
	Effect              *Effect // its own; nil where nothing follows from it beneath
}

// Tree is every resource as the snapshots hold it, with what is looked up of it: read once,
// and shared by all that looks at it.
type Tree struct {
	plan.Input
	Files      *resource.Snapshot // Desired, with what is ignored
	Copied     bool               // Desired is a copy, without what is ignored
	Kinds      map[resource.Kind]*Kind
	All        []Entry   // of known kinds, in the order of addresses, parents first
	Waits      []*Waits  // by place: why what is there waits, or may be what waits; nil where nothing does
	written    []written // by place, as far as it was asked for
	uses       map[reference][]Use
	byID       map[resource.Kind]map[string]*resource.Resource // what is live, as far as it was asked for
	Spending   []Spending                                      // what possible spend depends on
	Protecting []int                                           // of all, those whose rows protect something
	// the files, the record or the account have a limit of some days
	Capped   bool
	Calendar Calendar
}

// TakesRoom reports whether a resource that is not archived counts against the limit of its kind.
func (t *Tree) TakesRoom(k *Kind, r *resource.Resource) bool {
	return k.Schema.Ahead == "" || r.Value(k.Schema.Ahead).Text() > t.Today
}

// Nowhere is the effect above the top of the tree, and above what is in sync.
var Nowhere = Effect{}

// Effect is what became of a resource, as far as it matters beneath it.
type Effect struct {
	Closed  bool       // nothing beneath it is compared
	Dead    bool       // gone or archived at the service: what lies beneath it counts as gone
	Born    bool       // created in this plan: what lies beneath it is created too
	Moved   bool       // replaced: what lies beneath it is archived with it
	Removed bool       // no longer in the files
	Held    *plan.Hold // creates beneath it are held with this
	Beneath *int       // counts what the files name beneath it
}

// Gone reports whether the service no longer delivers the resource, and cannot again.
func (t *Entry) Gone() bool {
	return t.Live == nil || t.Above.Dead || t.Kind.Archived(t.Live)
}

// Said returns the number of an attribute: what the files say, else what is live.
func (t *Entry) Said(name string) (int64, bool) {
	if t.Desired != nil {
		if n, ok := t.Desired.Value(name).Number(); ok {
			return n, true
		}
	}
	if t.Live != nil {
		return t.Live.Value(name).Number()
	}
	return 0, false
}

// Says is what the files say of an attribute, else what is live.
func (t *Entry) Says(name string) string {
	if v := ValueOf(t.Desired, name); v.IsSet() {
		return v.Text()
	}
	return t.Shows(name)
}

// Shows is what is live of an attribute.
func (t *Entry) Shows(name string) string { return ValueOf(t.Live, name).Text() }

// Given is what the files say of a resource, as a create would send it.
func (t *Entry) Given() []plan.Field {
	fields := make([]plan.Field, 0, len(t.Desired.Attributes))
	for _, n := range t.Desired.Attributes {
		fields = append(fields, plan.Field{Name: n.Name, Desired: n.Value})
	}
	return fields
}

// ValueOf returns a value of a resource, absent where there is none.
func ValueOf(r *resource.Resource, name string) resource.Value {
	if r == nil {
		return resource.Value{}
	}
	return r.Value(name)
}

// Ended reports whether the last day of a resource is over: nothing of it can change
// any more, and the service need not show it.
func (d *Tree) Ended(k *Kind, r *resource.Resource) bool {
	if r == nil || k.Schema.Ends == "" || d.Today == "" {
		return false
	}
	end := r.Value(k.Schema.Ends)
	return end.IsSet() && end.Text() < d.Today
}
