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

// mostCompared is how many pairs of a new resource and one the files no longer name are
// compared: what is behind more of them is no rename of one row.
const mostCompared = 1_000_000

// renamings finds what is likely the same resource under another key.
type renamings struct{ *finder }

// findRenamed finds new resources that may be others that the files no longer name, under
// another name: without a key and an id a row that was renamed looks like one that was
// removed and one that is new. Whatever their status, both would be there from now on.
// What has nearly the same name was found before (findNearTwins).
func (d *renamings) findRenamed() {
	gone, compared := d.goneByFamily(), 0
	if len(gone) == 0 {
		return
	}
	found := map[*drafting.Kind][]renaming{}
	var kinds []*drafting.Kind
	for i := range d.Plan.Changes {
		c := &d.Plan.Changes[i]
		k := d.All[c.Index].Kind
		if !d.mayBeTwin(c) {
			continue
		}
		for _, place := range gone[familyKey{c.Address.Up(k.Schema.Parent), k}] {
			if compared++; compared > mostCompared {
				break
			}
			if how := d.renamed(c.Index, place); how != "" {
				if found[k] == nil {
					kinds = append(kinds, k)
				}
				found[k] = append(found[k], renaming{i, place, how})
				break
			}
		}
	}
	for _, k := range kinds {
		d.reportRenamed(k, found[k])
	}
}

// renaming is a create, by its place among the changes, and what it may be, by its place.
type renaming struct {
	change, gone int
	how          string
}

// goneByFamily gathers what adsync applied, is live, and stands in the files no more.
func (d *renamings) goneByFamily() map[familyKey][]int {
	var gone map[familyKey][]int
	for i := range d.All {
		t := &d.All[i]
		if t.Desired != nil || t.Last == nil || t.Live == nil ||
			t.Kind.Schema.Caps || t.Kind.Schema.Only != "" || len(t.Kind.Schema.NameFrom) == 0 {
			continue
		}
		if t.Gone() || t.Above.Born || d.Ended(t.Kind, t.Live) {
			continue
		}
		if gone == nil {
			gone = map[familyKey][]int{}
		}
		key := familyKey{t.Address.Up(t.Kind.Schema.Parent), t.Kind}
		gone[key] = append(gone[key], i)
	}
	return gone
}

// renamed returns how a new resource is like one that the files no longer name, as the key of a text; "" where it
// is not.
func (d *renamings) renamed(fresh, gone int) string {
	k, was := d.All[fresh].Kind, d.All[gone].Live
	if len(d.Schemas.ChildrenOf(k.Schema.Kind)) == 0 {
		// lists and settings of the account say little: many are alike
		if k.Schema.Parent != "" && d.sameBut(fresh, gone) {
			return "slip.like.values"
		}
		return ""
	}
	if namesShare(k.Schema.NameOf(d.All[fresh].Desired), k.Schema.NameOf(was)) {
		return "slip.like.names"
	}
	if d.sameBeneath(fresh, gone) {
		return "slip.like.beneath"
	}
	return ""
}

// namesShare reports whether one name is the other with words left out, or half of their
// words are the same. Numbers and letters that stand alone tell names apart.
func namesShare(a, b string) bool {
	x, y := strings.Fields(resource.Skeleton(a)), strings.Fields(resource.Skeleton(b))
	other := func(of []string) func(string) bool {
		return func(word string) bool { return slices.Contains(of, word) }
	}
	restX, restY := slices.DeleteFunc(slices.Clone(x), other(y)), slices.DeleteFunc(slices.Clone(y), other(x))
	common := len(x) - len(restX)
	switch {
	case common == 0, !slices.ContainsFunc(x, isWord) || !slices.ContainsFunc(y, isWord):
		return false
	case len(restX) == 0 || len(restY) == 0:
		return true
	case !slices.ContainsFunc(restX, isWord) && !slices.ContainsFunc(restY, isWord):
		return false
	}
	return 3*common >= len(x)+len(y)
}

// isWord reports whether a word of a name is more than a letter or a number.
func isWord(word string) bool {
	letters := []rune(word)
	return len(letters) > 1 && !slices.ContainsFunc(letters, unicode.IsDigit)
}

// sameBut reports whether the files give the new resource two attributes or more beside its
// name and its status, and what was applied has all of them.
func (d *renamings) sameBut(fresh, gone int) bool {
	k, said := d.All[fresh].Kind, 0
	for _, n := range d.All[fresh].Desired.Attributes {
		if n.Name == k.Delivery || slices.Contains(k.Schema.NameFrom, n.Name) || !n.Value.IsSet() {
			continue
		}
		if !plan.Same(n.Value, drafting.ValueOf(d.All[gone].Last, n.Name)) {
			return false
		}
		said++
	}
	return said > 1
}

// sameBeneath reports whether half of what stands beneath either has the names of what
// stands beneath the other.
func (d *renamings) sameBeneath(fresh, gone int) bool {
	names := map[string]bool{}
	for name := range d.namesBeneath(gone, func(t *drafting.Entry) *resource.Resource { return t.Live }) {
		names[name] = true
	}
	many, common := 0, 0
	for name := range d.namesBeneath(fresh, func(t *drafting.Entry) *resource.Resource { return t.Desired }) {
		if many++; names[name] {
			common++
		}
	}
	return common > 0 && 2*common >= max(many, len(names))
}

// namesBeneath walks the names of what stands right beneath a place, as one side has it.
func (d *renamings) namesBeneath(place int,
	side func(*drafting.Entry) *resource.Resource) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for i := place + 1; i < len(d.All) &&
			strings.HasPrefix(d.All[i].Address.Key, d.All[place].Address.Key+"/"); i++ {
			t := &d.All[i]
			if r := side(t); t.Up == place && r != nil && !t.Kind.Archived(r) {
				if name := resource.Fold(t.Kind.Schema.NameOf(r)); name != "" && !yield(name) {
					return
				}
			}
		}
	}
}

func (d *renamings) reportRenamed(k *drafting.Kind, found []renaming) {
	by := k.Schema.NameFrom[0]
	a := plan.SuspiciousEdit{Hazard: plan.Twins, Kind: k.Schema.Kind, Attribute: by, Count: len(found)}
	a.Message = catalogue.Fill("slip.renamed", "rows", severalNew(len(found), k, diag.Position{}))
	var examples []plan.Example
	for _, r := range found {
		t, was := &d.All[d.Plan.Changes[r.change].Index], &d.All[r.gone]
		name := t.Desired.Value(by)
		if name.Position.IsZero() {
			name.Position = t.Desired.Position
		}
		own := row{address: &t.Address, position: name.Position, desired: &name, was: &nothing, change: r.change}
		before, how := quoted(k.Schema.NameOf(was.Live)), catalogue.Fill(r.how)
		e := own.example(catalogue.Fill("slip.may-be", "cell", own.within(diag.Position{}),
			"name", quoted(k.Schema.NameOf(t.Desired)), "other", was.Address.String(), "called", before, "how", how))
		e.Other = was.Address
		examples = append(examples, e)
		message := catalogue.Fill("slip.renamed-row", "other", was.Address.String(), "called", before, "how", how,
			"id", was.Live.ID, "moved", drafting.MovedWords(was.Address, t.Address))
		if d.holdRow(&own, by, plan.Twins, message) {
			a.Held++
		}
	}
	d.report(a, examples)
}
