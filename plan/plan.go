// Package plan is what a plan is: what it is computed from (input.go), its changes and what
// holds them (plan.go, hold.go), and its JSON (document.go). identify.go says which resource
// of the service belongs to which row, moved.go what `moved:` renames. Package compare makes
// a plan; open compare/diff.go for what is decided.
//
// It refuses every effect: it reads no clock, file, network, log or context.
package plan

import (
	"iter"
	"slices"

	"adsync/internal/diag"
	"adsync/internal/resource"
)

// Plan is ordered changes and what they were computed from.
type Plan struct {
	Changes         []Change           // by phase of their first effect, then by address
	Kept            []resource.Address // removed from the files, and kept by policy
	Unmanaged       int                // live resources nobody's files name
	InSync          int                // resources of the files with nothing to change
	AsSent          int                // those as last sent, which the service does not show again
	Problems        []diag.Problem     // sorted
	Waits           []diag.Problem     // errors of rows that wait, sorted, beside those of the files
	Late            []diag.Problem     // of what is held as its day has passed, warnings at the days
	SuspiciousEdits []SuspiciousEdit   // sorted, what holds something first; the changes it holds say so too
	Unused          []Allowance        // allowances that released nothing: perhaps a slip of the pen
	Consented       []Agreed           // what is not held as somebody agreed to it
	Spend           Spend              // of the whole account, before and after Applicable
	Base            *Base              // what the plan is compared with; nil where it is not
	Money           Money              // what that does to possible spend, for people
	Selected        *Selected          // what a selection left out; nil without one
	Narrowed        bool               // to what a saved plan says
	Stale           []Stale            // what moved since the plan was saved, by address; nil without a saved plan
	Newer           int                // changes a saved plan does not know, and which are left out
	Moved           []MoveDocument     // keys that change, with the record that goes along
	Ignored         []Ignore           // attributes left to others, that hold today
	Requests        *Requests          // what an apply would send; nil where nobody asked
	Credits         []Credit           // what is still good of those that were given
	Unmatched       error              // a pattern of the selection that names nothing; nil where every one does
	Archived        map[string]bool    // ids of what is archived and has a factor at the service, which is not sent

	Schemas resource.Schemas
}

// Change is what becomes of one resource.
type Change struct {
	Address   resource.Address
	Action    Action
	ID        string        // of the live resource; "" for a create
	Name      string        // what people call it
	Position  diag.Position // where it is written; zero for what the files no longer name
	Fields    []Field       // what is sent, by name; a create has every attribute it gives
	Displaced []Displaced   // what goes at the service because a field takes its place
	Recorded  []Field       // what files and service agree on and the record does not say yet; never sent
	Hazards   []Hazard      // sorted, allowed or not
	Held      *Hold         // holds the whole change
	Foreign   *Foreign      // who removed it at the service, where that is known
	Pending   bool          // the plan of the base has it too; see Since
	Pruned    bool          // the policy asks for it, because the files no longer name the resource
	MovedFrom *string       // the address it had before; nil where that is the same
	Spend     Spend         // what the part that is not held does to possible spend
	Start     *Start        // of a resource that starts to deliver without something; nil elsewhere
	RestOf    string        // the run whose plan showed this rise, and which was cut off before it; "" where none did

	Rise, Fall int64 // what guardExposure counts of it, in micros

	Index int // among what is compared, while the plan is made; 0 afterwards
}

// Displaced is the live half of an exclusive setting, such as a daily budget, that
// another half takes the place of.
type Displaced struct {
	Name string
	Live resource.Value
	By   string // the attribute that takes its place
}

// Spend is possible spend in micros of the account's currency: the daily caps
// and the lifetime budgets of what is active and has not ended. What a lifetime
// budget has spent already is not taken off, and the account's own limits do not
// bound it: see Money.
type Spend struct {
	DailyBefore    int64 `json:"daily_before_micros"`
	DailyAfter     int64 `json:"daily_after_micros"`
	LifetimeBefore int64 `json:"lifetime_before_micros"`
	LifetimeAfter  int64 `json:"lifetime_after_micros"`
}

// Applicable returns the changes without what is held. A held field whose setting
// is sent whole all the same stays, sent along with its live value; a held
// replace leaves an update of the other fields; a change with nothing left to
// send leaves a record, or nothing.
func (p *Plan) Applicable() []Change { return slices.Collect(p.EachApplicable()) }

// EachApplicable walks what Applicable gives, in its order, and keeps none of it.
func (p *Plan) EachApplicable() iter.Seq[Change] {
	return func(yield func(Change) bool) {
		for i := range p.Changes {
			if c, ok := p.Changes[i].applicable(p.Schemas.Of(p.Changes[i].Address.Kind), p.Archived); ok && !yield(c) {
				return
			}
		}
	}
}

// Empty reports whether there is nothing to apply. What is held may remain: see Holds
// of each change.
func (p *Plan) Empty() bool {
	for range p.EachApplicable() {
		return false
	}
	return true
}

// Holds returns everything that holds the change or a part of it, flattened.
func (c *Change) Holds() []Hold {
	var holds []Hold
	holds = c.Held.Flatten(holds)
	for i := range c.Fields {
		holds = c.Fields[i].Held.Flatten(holds)
	}
	return holds
}

func (c Change) applicable(s *resource.Schema, archived map[string]bool) (Change, bool) {
	if c.Held != nil {
		return Change{}, false
	}
	if !slices.ContainsFunc(c.Fields, func(f Field) bool { return f.Held != nil }) {
		return c, true
	}
	c.Fields = withoutHeld(s, c.Fields, archived)
	switch {
	case c.Action == Adopt:
	case len(c.Fields) == 0 && len(c.Recorded) == 0:
		return Change{}, false
	case len(c.Fields) == 0:
		c.Action = Record
	case c.Action == Replace:
		c.Action = Update
	}
	return c, true
}

// withoutHeld drops held fields, and what is sent along with no field of their setting
// needs any more.
func withoutHeld(s *resource.Schema, fields []Field, archived map[string]bool) []Field {
	fields = withoutHeldPeople(s, fields)
	sent := map[string]bool{}
	for _, f := range fields {
		if f.Held == nil && f.Cause != SentAlong {
			sent[settingOf(s, f.Name)] = true
		}
	}
	var kept []Field
	for i := range fields {
		f := &fields[i]
		setting := settingOf(s, f.Name)
		switch {
		case f.Held == nil && (f.Cause != SentAlong || sent[setting]):
			kept = append(kept, *f)
		case f.Held != nil && setting != "" && sent[setting] && f.Live().IsSet() && takes(s, f):
			along := f.Live()
			if len(archived) > 0 {
				along = along.WithoutFactors(func(id string) bool { return archived[id] })
			}
			kept = append(kept, Field{
				Name: f.Name, Desired: along, Cause: SentAlong,
				Phase: Neutral, Known: KnownOf(f.Last(), f.Live()),
			})
		}
	}
	return kept
}

// takes reports whether the live value of a field may go along with its setting.
func takes(s *resource.Schema, f *Field) bool {
	a, ok := s.Attribute(f.Name)
	return ok && a.Takes(f.Live())
}

// settingOf names the setting an attribute is sent whole with, "" for one that
// goes alone.
func settingOf(s *resource.Schema, name string) string {
	a, ok := s.Attribute(name)
	if !ok {
		return ""
	}
	if g, ok := s.Group(a); ok && !g.Exclusive {
		return g.Wire
	}
	return ""
}

// raises says that a part of the change raises or starts something.
func (c *Change) Raises() bool {
	for i := range c.Fields {
		if c.Fields[i].Phase == Raise || c.Fields[i].Phase == Activate {
			return true
		}
	}
	return false
}

// Uncertain returns why parts of changes wait for an operation of unknown outcome, by
// address and attribute.
func (p *Plan) Uncertain() map[resource.Address]map[string]string {
	waits := map[resource.Address]map[string]string{}
	for i := range p.Changes {
		c := &p.Changes[i]
		for j := range c.Fields {
			f := &c.Fields[j]
			holds := f.Held.Flatten(c.Held.Flatten(nil))
			at := slices.IndexFunc(holds, func(h Hold) bool { return h.Hazard == Undecided })
			if at < 0 {
				continue
			}
			if waits[c.Address] == nil {
				waits[c.Address] = map[string]string{}
			}
			waits[c.Address][f.Name] = holds[at].Message
		}
	}
	return waits
}

// withoutHeldPeople drops all fields of a membership whose file is held, as none
// of them goes without the others.
func withoutHeldPeople(s *resource.Schema, fields []Field) []Field {
	m := s.Membership
	if m == nil || !slices.ContainsFunc(fields, func(f Field) bool { return f.Name == m.File && f.Held != nil }) {
		return fields
	}
	return slices.DeleteFunc(slices.Clone(fields), func(f Field) bool { return m.Has(f.Name) })
}

// first is the phase of a change's first effect, held or not, so that an
// allowance moves nothing else in the plan.
func (c *Change) First() Phase {
	switch c.Action {
	case Create:
		if len(c.Fields) > 0 && c.Fields[0].Phase == Lower { // it bounds spend
			return Lower
		}
		return Creates
	case Replace:
		if c.Held == nil && !c.IsHeld() {
			return Lower // the archive of what it replaces
		}
	}
	first := Neutral
	if len(c.Fields) > 0 && c.Action != Adopt { // an adopt binds first
		first = Activate
	}
	for i := range c.Fields {
		first = min(first, c.Fields[i].Phase)
	}
	return first
}

// Unfinished reports whether a change brings what the create of an earlier apply could not
// say: until then it is recorded as null.
func (c *Change) Unfinished() bool {
	return slices.ContainsFunc(c.Fields, func(f Field) bool { return f.Last().IsNull() && f.Desired.IsSet() })
}

// sends says that the change, held or not, is about more than an archive or a note.
func (c Change) Sends() bool {
	return c.Action == Create || c.Action == Replace || (c.Action == Update || c.Action == Adopt) && len(c.Fields) > 0
}
