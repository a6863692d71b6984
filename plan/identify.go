package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/seeded"
)

// Identify gives each live resource its address (formats.md section 1,
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
// An id in the files that is not live is a problem. The resources given are not
// changed; the attributes are shared.
func Identify(schemas resource.Schemas, last, desired *resource.Snapshot, live []*resource.Resource) (*resource.Snapshot, []diag.Problem) {
	i := &identifier{
		schemas: schemas, last: last, desired: desired, identified: resource.NewSnapshot(len(live)), resources: make([]resource.Resource, 0, len(live)),
		ids: map[resource.Kind]map[string]int{}, known: make([]known, 0, max(last.Len(), len(live))), given: map[identity]resource.Address{},
		unbound: map[resource.Kind][]*resource.Resource{},
	}
	i.index()
	for _, s := range schemas {
		i.kind(s, oneOfEach(s.Kind, live))
	}
	i.checkGiven()
	return i.identified, i.problems.Sorted()
}

// identity is an id; ids of two kinds are never compared.
type identity struct {
	kind resource.Kind
	id   string
}

// known is what is known of an id.
type known struct {
	bound *resource.Resource // of last; nil where it is bound to nothing
	found *resource.Resource // with its address; nil until it is identified
}

type identifier struct {
	schemas       resource.Schemas
	last, desired *resource.Snapshot
	identified    *resource.Snapshot
	resources     []resource.Resource              // those identified: room for all there are
	ids           map[resource.Kind]map[string]int // place of each id in known
	known         []known
	given         map[identity]resource.Address          // by the files
	unbound       map[resource.Kind][]*resource.Resource // of the files: without an id, theirs or bound
	problems      diag.List
}

func (i *identifier) index() {
	for r := range i.last.All() {
		if r.ID != "" {
			i.note(r.Address.Kind, r.ID).bound = r
		}
	}
	for r := range i.desired.All() {
		if r.ID == "" {
			i.noteUnbound(r)
			continue
		}
		id := identity{r.Address.Kind, r.ID}
		if other, taken := i.given[id]; taken {
			i.problem(diag.Error, diag.Duplicate, r, fmt.Sprintf("id is %q, as that of %s; want an id once", r.ID, other))
			continue
		}
		i.given[id] = r.Address
	}
}

// note gives what is known of an id, to be written before the next is noted.
func (i *identifier) note(k resource.Kind, id string) *known {
	ids := i.ids[k]
	if ids == nil {
		ids = map[string]int{}
		i.ids[k] = ids
	}
	at, noted := ids[id]
	if !noted {
		at = len(i.known)
		ids[id], i.known = at, append(i.known, known{})
	}
	return &i.known[at]
}

// of gives what is known of an id.
func (i *identifier) of(id identity) known {
	if at, noted := i.ids[id.kind][id.id]; noted {
		return i.known[at]
	}
	return known{}
}

// foundAt gives the address of an id, zero where it is not identified.
func (i *identifier) foundAt(id identity) resource.Address {
	if found := i.of(id).found; found != nil {
		return found.Address
	}
	return resource.Address{}
}

func (i *identifier) noteUnbound(r *resource.Resource) {
	if bound := i.last.Get(r.Address); bound == nil || bound.ID == "" {
		i.unbound[r.Address.Kind] = append(i.unbound[r.Address.Kind], r)
	}
}

func (i *identifier) problem(s diag.Severity, c diag.Code, at *resource.Resource, message string) {
	i.problems.Add(diag.Problem{Severity: s, Code: c, Position: at.Position, Address: at.Address.String(), Message: message})
}

// oneOfEach gives the live resources of a kind by id. A list that changes while
// it is read may repeat one; the later reading counts.
func oneOfEach(k resource.Kind, live []*resource.Resource) []*resource.Resource {
	var ofKind []*resource.Resource
	for _, r := range live {
		if r.Address.Kind == k {
			ofKind = append(ofKind, r)
		}
	}
	slices.SortStableFunc(ofKind, func(a, b *resource.Resource) int { return strings.Compare(a.ID, b.ID) })
	once := ofKind[:0]
	for n, r := range ofKind {
		if n+1 == len(ofKind) || ofKind[n+1].ID != r.ID {
			once = append(once, r)
		}
	}
	return once
}

// kind identifies the resources of one kind, whose parents are identified.
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

// identify puts a live resource at its address, or aside where a key that moved
// onto another leaves two for one address.
func (i *identifier) identify(s *resource.Schema, r *resource.Resource, a resource.Address) {
	i.resources = append(i.resources, *r)
	own := &i.resources[len(i.resources)-1]
	own.Address = a
	if !i.identified.Add(own) {
		own.Address = someoneElses(s, r, a.Up(s.Parent))
		i.identified.Add(own)
	}
	i.note(s.Kind, r.ID).found = own
}

func someoneElses(s *resource.Schema, r *resource.Resource, parent resource.Address) resource.Address {
	return parent.Down(s.Kind, "~"+r.ID)
}

// byID takes the binding, moved along with the parent's key where that moved.
func (i *identifier) byID(s *resource.Schema, r *resource.Resource, parent resource.Address) (resource.Address, bool) {
	id := identity{s.Kind, r.ID}
	given, isGiven := i.given[id]
	bound, isBound := resource.Address{}, false
	if r := i.of(id).bound; r != nil {
		bound, isBound = r.Address, true
	}
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

// isOther says that the address is bound to another id already.
func (i *identifier) isOther(a resource.Address, id string) bool {
	l := i.last.Get(a)
	return l != nil && l.ID != "" && l.ID != id
}

// byName gives the resources nobody's id names to the unbound ones of the files.
func (i *identifier) byName(s *resource.Schema, unknown map[resource.Address][]*resource.Resource) {
	wanting := map[resource.Address][]*resource.Resource{}
	for _, r := range i.unbound[s.Kind] {
		parent := r.Address.Up(s.Parent)
		if len(unknown[parent]) > 0 && !i.identifiedAt(r.Address) {
			wanting[parent] = append(wanting[parent], r)
		}
	}
	for parent, resources := range wanting {
		i.match(s, resources, unknown[parent])
	}
}

func (i *identifier) identifiedAt(a resource.Address) bool { return i.identified.Get(a) != nil }

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

func (i *identifier) matchBy(s *resource.Schema, attribute string, form func(string) string, settled map[resource.Address]bool, wanting, live []*resource.Resource) {
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
		if i.of(identity{s.Kind, r.ID}).found == nil && (seeded.ArchivedTwinAdopted || !removed(s, r)) && len(asking[name]) > 0 {
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

// callOf gives what the files call a resource: the attribute, and its value.
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
		i.problem(diag.Warning, diag.AmbiguousName, r, fmt.Sprintf("%s is %q, which fits %s at the service and %s of the files; give the id of the one that is meant",
			attribute, r.Value(attribute).Text(), strings.Join(ids, ", "), count(len(asking))))
	}
}

func count(n int) string {
	if n == 1 {
		return "one resource"
	}
	return fmt.Sprintf("%d resources", n)
}

// checkGiven reports ids of the files that name nothing live, or not what the
// address is bound to.
func (i *identifier) checkGiven() {
	ids := make([]identity, 0, len(i.given))
	for id := range i.given {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b identity) int {
		return cmp.Or(strings.Compare(string(a.kind), string(b.kind)), strings.Compare(a.id, b.id))
	})
	for _, id := range ids {
		known, r := i.of(id), i.desired.Get(i.given[id])
		address, found := i.foundAt(id), known.found != nil
		switch {
		case found && address == r.Address:
		case found && i.schemas.Parent(address) != i.schemas.Parent(r.Address):
			i.problem(diag.Error, diag.Conflicting, r, i.elsewhere(id, r, address))
		case found && i.isOther(r.Address, id.id):
			i.problem(diag.Error, diag.Conflicting, r, fmt.Sprintf("id is %q, and the key is bound to %q; want that id, or another key", id.id, i.last.Get(r.Address).ID))
		case found:
			i.problem(diag.Error, diag.Conflicting, r, fmt.Sprintf("id is %q, which is that of %s; want another id, or the same key", id.id, address))
		case (known.bound == nil || known.bound.Address != r.Address) && !i.wantedArchived(r):
			i.problem(diag.Error, diag.BadValue, r, fmt.Sprintf("id is %q, and the service has no such %s; want the id of a live one, or none", id.id, id.kind))
		}
	}
}

// elsewhere says that a row stands beneath another parent than what its id
// names. The service moves nothing, so that one of the two has to give way.
func (i *identifier) elsewhere(id identity, r *resource.Resource, live resource.Address) string {
	here, there := i.schemas.Parent(r.Address), i.schemas.Parent(live)
	stands := "beneath " + there.String() + " at the service"
	if there.IsZero() {
		stands = "beneath a parent that is not listed"
	}
	return fmt.Sprintf("id is %q, which is %s, and the row is beneath %s; nothing moves to another parent: put the row back, or leave the id out and give another key, to make a new one",
		id.id, stands, here)
}

func (i *identifier) wantedArchived(r *resource.Resource) bool {
	return removed(i.schemas.Of(r.Address.Kind), r)
}
