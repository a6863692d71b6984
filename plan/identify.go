package plan

import (
	"fmt"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
)

// Identify returns each live resource its address (formats.md section 1,
// identity). The live resources come with their kind, id and parent's id. An
// address is, in this order:
//
//  1. what the id is bound to in last. Where the files give the id to another
//     key beneath the same parent and name the bound one no more, the key has
//     moved and the new one counts;
//  2. that of the resource the files give the id;
//  3. that of the resource of the files, under the same parent, without a
//     binding and an id, whose name is the same, exactly or but for case. What
//     the files do not name at all is matched by what else names its kind. Several such
//     are a problem that lists the ids, and stay unidentified;
//  4. for someone else's, the parent's with `~` and the id.
//
// An id in the files that is not live is a problem, at the id: see checkGiven. The resources given are not
// changed; the attributes are shared.
func Identify(schemas resource.Schemas, last, desired *resource.Snapshot,
	live []*resource.Resource) (*resource.Snapshot, []diag.Problem) {
	i := &identifier{
		schemas: schemas, last: last, desired: desired, resources: make([]resource.Resource, 0, len(live)),
		kinds: map[resource.Kind]*ofKind{}, known: make([]known, 0, max(last.Len(), len(live))),
		others: map[resource.Address]bool{},
	}
	i.index()
	i.list(live)
	i.takeBindings()
	i.sortOutOthers()
	for _, s := range schemas {
		i.kind(s, i.kinds[s.Kind].others)
	}
	i.checkGiven()
	return i.snapshot(), i.problems.Sorted()
}

// identity is an id; ids of two kinds are never compared.
type identity struct {
	kind resource.Kind
	id   string
}

// known is what is known of an id.
type known struct {
	bound *resource.Resource // of last; nil where it is bound to nothing
	given *resource.Resource // of the files; nil where they do not give it
	live  *resource.Resource // as it was listed; nil where it was not
	found *resource.Resource // that, with its address; nil until it is identified
}

// ofKind is what is known of one kind.
type ofKind struct {
	schema *resource.Schema
	ids    map[string]int       // place of each id in known
	latest int                  // in known, of those whose binding was looked at
	others []*resource.Resource // live, by id: those identified by more than their binding
}

type identifier struct {
	schemas       resource.Schemas
	last, desired *resource.Snapshot
	kinds         map[resource.Kind]*ofKind
	known         []known                   // those bound first, in the order of their addresses
	bound         int                       // so many are
	resources     []resource.Resource       // those identified: room for all there are
	taken         int                       // so many by their binding, in the order of their addresses
	others        map[resource.Address]bool // where the rest is
	problems      diag.List
	meants        int // rows for which the id that was meant was looked for
}

// index notes the ids of last and of the files.
func (i *identifier) index() {
	counts := map[resource.Kind]int{}
	for r := range i.last.All() {
		counts[r.Address.Kind]++
	}
	for _, s := range i.schemas {
		i.kinds[s.Kind] = &ofKind{schema: s, ids: make(map[string]int, counts[s.Kind]), latest: -1}
	}
	for r := range i.last.All() {
		if k := i.kinds[r.Address.Kind]; k != nil && r.ID != "" {
			k.ids[r.ID] = len(i.known)
			i.known = append(i.known, known{bound: r})
		}
	}
	i.bound = len(i.known)
	for r := range i.desired.All() {
		k := i.kinds[r.Address.Kind]
		if r.ID == "" || k == nil {
			continue
		}
		id := i.note(k, r.ID)
		if id.given != nil {
			i.badID(diag.Duplicate, r,
				fmt.Sprintf("id is %q, as that of %s; want an id once", r.ID, id.given.Address), "")
			continue
		}
		id.given = r
	}
}

// note returns what is known of an id, to be written before the next is noted.
func (i *identifier) note(k *ofKind, id string) *known {
	at, noted := k.ids[id]
	if !noted {
		at = len(i.known)
		k.ids[id], i.known = at, append(i.known, known{})
	}
	return &i.known[at]
}

// of returns what is known of an id.
func (i *identifier) of(id identity) known {
	if k := i.kinds[id.kind]; k != nil {
		if at, noted := k.ids[id.id]; noted {
			return i.known[at]
		}
	}
	return known{}
}

// list notes what is live by its ids. A list that changes while it is read may
// repeat one; the later reading counts.
func (i *identifier) list(live []*resource.Resource) {
	for _, r := range live {
		if k := i.kinds[r.Address.Kind]; k != nil {
			i.note(k, r.ID).live = r
		}
	}
}

// takeBindings identifies what only its binding names, and whose parent is where
// that says. That is nearly everything, no two share an address, and it comes in
// the order of addresses: nothing is looked up.
func (i *identifier) takeBindings() {
	for at := range i.bound {
		n := &i.known[at]
		k := i.kinds[n.bound.Address.Kind]
		if n.live != nil && k.schema.Only == "" &&
			(n.given == nil || n.given.Address == n.bound.Address) && i.isBeneath(n, k.schema.Parent) {
			n.found = i.with(n.live, n.bound.Address)
		}
		k.latest = at
	}
	i.taken = len(i.resources)
}

// isBeneath reports whether what is live stands beneath the parent of its binding.
func (i *identifier) isBeneath(n *known, parent resource.Kind) bool {
	if parent == "" {
		return true
	}
	latest := i.kinds[parent].latest // parents stand before their children
	if latest < 0 {
		return false
	}
	above := &i.known[latest]
	return above.found != nil && above.found.ID == n.live.ParentID && above.found.Address == n.bound.Address.Up(parent)
}

// with returns a live resource its address.
func (i *identifier) with(r *resource.Resource, a resource.Address) *resource.Resource {
	i.resources = append(i.resources, *r)
	own := &i.resources[len(i.resources)-1]
	own.Address = a
	return own
}

// sortOutOthers gathers what its binding alone does not name.
func (i *identifier) sortOutOthers() {
	for at := range i.known {
		if n := &i.known[at]; n.live != nil && n.found == nil {
			k := i.kinds[n.live.Address.Kind]
			k.others = append(k.others, n.live)
		}
	}
	for _, k := range i.kinds {
		slices.SortFunc(k.others, func(a, b *resource.Resource) int { return strings.Compare(a.ID, b.ID) })
	}
}

// foundAt returns the address of an id, zero where it is not identified.
func (i *identifier) foundAt(id identity) resource.Address {
	if found := i.of(id).found; found != nil {
		return found.Address
	}
	return resource.Address{}
}

// snapshot is everything identified.
func (i *identifier) snapshot() *resource.Snapshot {
	all := make([]*resource.Resource, len(i.resources))
	for r := range i.resources {
		all[r] = &i.resources[r]
	}
	return resource.SnapshotOf(all[:i.taken], all[i.taken:])
}

func (i *identifier) problem(s diag.Severity, c diag.Code, at *resource.Resource, message string) {
	i.problems.Add(diag.Problem{
		Severity: s, Code: c, Position: at.Position, Address: at.Address.String(), Message: message,
	})
}

// kind identifies the resources of one kind that are left, whose parents are
// identified.
func (i *identifier) kind(s *resource.Schema, live []*resource.Resource) {
	unknown := map[resource.Address][]*resource.Resource{} // by parent
	for _, r := range live {
		if s.Only != "" {
			i.identify(s, r, resource.Address{Kind: s.Kind, Key: s.Only})
			continue
		}
		parent := i.foundAt(identity{s.Parent, r.ParentID})
		if a, ok := i.byID(s, r, parent); ok {
			i.identify(s, r, a)
			continue
		}
		unknown[parent] = append(unknown[parent], r)
	}
	if len(unknown) == 0 {
		return
	}
	i.byName(s, unknown)
	for parent, rest := range unknown {
		for _, r := range rest {
			if i.of(identity{s.Kind, r.ID}).found == nil {
				i.identify(s, r, someoneElses(s, r, parent))
			}
		}
	}
}

// identify puts a live resource at its address, or aside where another is there:
// a key that moved onto another leaves two for one address.
func (i *identifier) identify(s *resource.Schema, r *resource.Resource, a resource.Address) {
	if i.isTaken(a) {
		a = someoneElses(s, r, a.Up(s.Parent))
	}
	if i.isTaken(a) { // a key of the files that reads like someone else's
		return
	}
	i.others[a] = true
	i.note(i.kinds[s.Kind], r.ID).found = i.with(r, a)
}

// isTaken reports whether something is identified at an address.
func (i *identifier) isTaken(a resource.Address) bool {
	if i.others[a] {
		return true
	}
	bound := i.last.Get(a)
	return bound != nil && bound.ID != "" && i.foundAt(identity{a.Kind, bound.ID}) == a
}

func someoneElses(s *resource.Schema, r *resource.Resource, parent resource.Address) resource.Address {
	return parent.Down(s.Kind, "~"+r.ID)
}

// byID takes the binding, moved along with the parent's key where that moved.
func (i *identifier) byID(s *resource.Schema, r *resource.Resource, parent resource.Address) (resource.Address, bool) {
	id := identity{s.Kind, r.ID}
	known := i.of(id)
	given, isGiven := addressOf(known.given)
	bound, isBound := addressOf(known.bound)
	switch {
	case isBound && isGiven && given != bound && given.Up(s.Parent) == parent && i.desired.Get(bound) == nil:
		return given, true
	case isBound && !parent.IsZero() && bound.Up(s.Parent) != parent:
		return parent.Down(s.Kind, bound.Leaf()), true
	case isBound:
		return bound, true
	case isGiven && (i.isOther(given, r.ID) || given.Up(s.Parent) != parent):
		return resource.Address{}, false
	}
	return given, isGiven
}

// addressOf returns the address of a resource that may not be there.
func addressOf(r *resource.Resource) (a resource.Address, there bool) {
	if r == nil {
		return a, false
	}
	return r.Address, true
}

// isOther reports whether the address is bound to another id already.
func (i *identifier) isOther(a resource.Address, id string) bool {
	l := i.last.Get(a)
	return l != nil && l.ID != "" && l.ID != id
}

// byName gives the resources nobody's id names to the unbound ones of the files.
func (i *identifier) byName(s *resource.Schema, unknown map[resource.Address][]*resource.Resource) {
	wanting := map[resource.Address][]*resource.Resource{}
	for r := range i.desired.All() {
		if r.Address.Kind != s.Kind || r.ID != "" {
			continue
		}
		parent := r.Address.Up(s.Parent)
		if len(unknown[parent]) > 0 && !i.isBound(r.Address) && !i.isTaken(r.Address) {
			wanting[parent] = append(wanting[parent], r)
		}
	}
	for parent, resources := range wanting {
		i.match(s, resources, unknown[parent])
	}
}

// isBound reports whether adsync knows an id of the address.
func (i *identifier) isBound(a resource.Address) bool {
	bound := i.last.Get(a)
	return bound != nil && bound.ID != ""
}

// match pairs the resources of the files with live ones of the same name: first
// exactly, then but for case; by the first naming attribute before the next.
func (i *identifier) match(s *resource.Schema, wanting, live []*resource.Resource) {
	settled := map[resource.Address]bool{}
	for _, form := range []func(string) string{strings.Clone, strings.ToLower} {
		for _, attribute := range s.NameFrom {
			i.matchBy(s, attribute, form, settled, wanting, live)
		}
	}
}

func (i *identifier) matchBy(s *resource.Schema, attribute string,
	form func(string) string, settled map[resource.Address]bool, wanting, live []*resource.Resource) {
	asking := map[string][]*resource.Resource{}
	for _, r := range wanting {
		if by, name := callOf(s, r); by == attribute && !settled[r.Address] {
			asking[form(name)] = append(asking[form(name)], r)
		}
	}
	if len(asking) == 0 {
		return
	}
	fitting := map[string][]*resource.Resource{}
	for _, r := range live {
		name := form(r.Value(attribute).Text())
		if i.of(identity{s.Kind, r.ID}).found == nil &&
			!removed(s, r) && len(asking[name]) > 0 {
			fitting[name] = append(fitting[name], r)
		}
	}
	for name, fits := range fitting {
		for _, r := range asking[name] {
			settled[r.Address] = true
		}
		i.pair(s, attribute, asking[name], fits)
	}
}

// callOf returns what the files call a resource: the attribute, and its value.
func callOf(s *resource.Schema, r *resource.Resource) (attribute, name string) {
	for _, a := range s.NameFrom {
		if v := r.Value(a); v.IsSet() {
			return a, v.Text()
		}
	}
	return "", ""
}

func removed(s *resource.Schema, r *resource.Resource) bool { return s.Removed(r) }

func (i *identifier) pair(s *resource.Schema, attribute string, asking, fits []*resource.Resource) {
	if len(asking) == 1 && len(fits) == 1 {
		i.identify(s, fits[0], asking[0].Address)
		return
	}
	var ids []string
	for _, r := range fits {
		ids = append(ids, r.ID)
	}
	for _, r := range asking {
		i.problem(diag.Warning, diag.AmbiguousName, r, fmt.Sprintf("%s is %q, which "+
			"fits %s at the service and %s of the files; give the id of the one that is meant",
			attribute, r.Value(attribute).Text(), strings.Join(ids, ", "), count(len(asking))))
	}
}

func count(n int) string {
	if n == 1 {
		return "one resource"
	}
	return fmt.Sprintf("%d resources", n)
}
