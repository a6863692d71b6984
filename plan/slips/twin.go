package slips

import (
	"slices"
	"strings"
	"unicode"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
	"adsync/plan"
	"adsync/plan/drafting"
)

// nearTwins finds names that were typed a second time.
type nearTwins struct{ *finder }

// findNearTwins finds new resources that may be a second one of what is there
// already, in the account or the files: the name differs in case, spaces,
// punctuation or letters that look alike, or in one letter as fingers slip. Of
// two new ones the later is it. The create is held where the kind has a budget
// of its own, as both would spend, and where the files do not name the other, as
// it may be a rename. Elsewhere it is shown: ad groups and ads are made in
// versions. What has the very name of something live that the files do not name
// was found as it was compared (holdTwin).
func (d *nearTwins) findNearTwins() {
	for _, f := range d.families() {
		d.reportTwins(f.kind, append(f.alike(), f.slips()...))
	}
}

// family is the resources of a kind beneath one parent.
type family struct {
	kind     *drafting.Kind
	creates  int
	siblings []sibling
}

// sibling is one of a family, with its name as it is compared.
type sibling struct {
	address  resource.Address
	position diag.Position
	name     string
	unnamed  bool // by the files: the name is the live one
	skeleton []rune
	change   int // of its create; -1 where it is none
}

// oneLetter is the text of names that differ in a letter.
const oneLetter = "slip.how.letter"

// twinning is a create, and what it may be a second one of.
type twinning struct {
	create, other *sibling
	how           string // differing, as the key of a text
}

type familyKey struct {
	parent resource.Address
	kind   *drafting.Kind
}

// families gathers what stands beside the creates whose parent is not new too.
func (d *nearTwins) families() []*family {
	byKey, has := map[familyKey]*family{}, map[*drafting.Kind]bool{}
	var ordered []*family
	for i := range d.Plan.Changes {
		c := &d.Plan.Changes[i]
		k := d.All[c.Index].Kind
		if !d.mayBeTwin(c) {
			continue
		}
		has[k] = true
		key := familyKey{c.Address.Up(k.Schema.Parent), k}
		if byKey[key] == nil {
			byKey[key] = &family{kind: k}
			ordered = append(ordered, byKey[key])
		}
		byKey[key].creates++
	}
	if len(ordered) == 0 {
		return nil
	}
	next := 0 // counts the changes, which are in the order of their addresses
	for i := range d.All {
		t, change := &d.All[i], -1
		if next < len(d.Plan.Changes) && d.Plan.Changes[next].Index == i {
			if d.mayBeTwin(&d.Plan.Changes[next]) {
				change = next
			}
			next++
		}
		if !has[t.Kind] {
			continue
		}
		if f := byKey[familyKey{t.Address.Up(t.Kind.Schema.Parent), t.Kind}]; f != nil {
			f.Add(t.Address, t.Desired, t.Live, change)
		}
	}
	return ordered
}

// mayBeTwin reports whether a change makes a resource beneath a parent that is not
// new, and that nothing was found of the very name. A row that waits may be any.
func (d *finder) mayBeTwin(c *plan.Change) bool {
	return c.Action == plan.Create && !c.Waits() && len(c.Fields) > 0 &&
		!d.All[c.Index].Above.Born && !slices.Contains(c.Hazards, plan.Twins)
}

// Add takes in what the files name and what is live, unless it is archived. An
// ad without a name of its own, which is called after its title, is not taken
// in: many ads have one title.
func (f *family) Add(a resource.Address, desired, live *resource.Resource, change int) {
	s, by := sibling{address: a, change: change}, f.kind.Schema.NameFrom[0]
	switch {
	case desired != nil && f.kind.Archived(desired):
		return
	case desired != nil && desired.Value(by).IsSet():
		s.name, s.position = desired.Value(by).Text(), desired.Value(by).Position
	case live == nil || f.kind.Archived(live):
		return
	default:
		s.name, s.unnamed = live.Value(by).Text(), true
	}
	if f.siblings == nil {
		f.siblings = make([]sibling, 0, f.creates)
	}
	if s.skeleton = []rune(resource.Skeleton(s.name)); len(s.skeleton) > 0 {
		f.siblings = append(drafting.Doubled(f.siblings), s)
	}
}

// alike finds names that are the same but for what nobody looks at, and keeps
// one sibling of each.
func (f *family) alike() (found []twinning) {
	first := make(map[string]int, len(f.siblings))
	apart := f.siblings[:0] // no longer than what was looked at
	for _, s := range f.siblings {
		key := joined(s.skeleton)
		at, taken := first[key]
		if !taken {
			first[key] = len(apart)
			apart = append(apart, s)
			continue
		}
		other, own := apart[at], s
		if own.change < 0 { // what is there already comes first, whatever the order
			apart[at], other, own = s, s, other
		}
		switch {
		case own.change < 0:
		case own.name != other.name:
			found = append(found, twinning{&own, &other,
				"slip.how.alike"})
		case other.unnamed: // where the files name both it is an error of theirs
			found = append(found, twinning{&own, &other, "slip.how.same"})
		}
	}
	f.siblings = apart
	return found
}

// joined takes the spaces out of a skeleton, but those between digits.
func joined(skeleton []rune) string {
	var b strings.Builder
	for i, r := range skeleton {
		if r != ' ' || unicode.IsDigit(skeleton[i-1]) && unicode.IsDigit(skeleton[i+1]) {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func (d *nearTwins) reportTwins(k *drafting.Kind, found []twinning) {
	if len(found) == 0 {
		return
	}
	a := plan.SuspiciousEdit{
		Hazard: plan.Twins, Kind: k.Schema.Kind, Attribute: k.Schema.NameFrom[0], Count: len(found),
	}
	a.Message = catalogue.Fill("slip.twins", "rows", severalNew(len(found), k, diag.Position{}))
	var examples []plan.Example
	for _, t := range found { // in several files perhaps: each with its whole position
		desired := d.Desired.Get(t.create.address).Value(a.Attribute)
		r := row{
			address: &t.create.address, position: t.create.position,
			desired: &desired, was: &nothing, change: t.create.change,
		}
		e := r.example(catalogue.Fill("slip.twin", "cell", r.within(diag.Position{}), "name", quoted(t.create.name),
			"other", t.other.address.String(), "called", quoted(t.other.name), "how", catalogue.Fill(t.how)))
		e.Other = t.other.address
		examples = append(examples, e)
		if message, holds := d.twinHold(k, t); holds && d.holdRow(&r, a.Attribute, plan.Twins, message) {
			a.Held++
		}
	}
	d.report(a, examples)
}

func (d *nearTwins) twinHold(k *drafting.Kind, t twinning) (message string, holds bool) {
	if d.Desired.Get(t.other.address) == nil {
		return d.TwinMessage(catalogue.Fill(t.how), t.create.address, []resource.Address{t.other.address}), true
	}
	return catalogue.Fill("slip.twin-row", "other", t.other.address.String(), "called", quoted(t.other.name),
		"how", catalogue.Fill(t.how)), len(k.Caps) > 0
}
