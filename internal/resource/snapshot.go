package resource

import (
	"iter"
	"slices"
	"sync/atomic"
)

// Snapshot is resources by address at one moment: desired, live or last.
// The zero Snapshot is empty and ready. Several may read one at a time.
type Snapshot struct {
	byAddress map[Address]*Resource // nil where it was given in order and not changed since
	added     []*Resource           // as they came; not whole once one was taken out
	ordered   atomic.Pointer[[]*Resource]
}

// NewSnapshot is an empty snapshot with room for so many resources.
func NewSnapshot(resources int) *Snapshot {
	return &Snapshot{byAddress: make(map[Address]*Resource, resources), added: make([]*Resource, 0, resources)}
}

// SnapshotOf is a snapshot of resources that stand in the order of their
// addresses, and of others in any order. No two have one address.
func SnapshotOf(ordered, others []*Resource) *Snapshot {
	slices.SortFunc(others, byAddress)
	all := make([]*Resource, 0, len(ordered)+len(others))
	for len(ordered) > 0 && len(others) > 0 {
		from := &ordered
		if byAddress(others[0], ordered[0]) < 0 {
			from = &others
		}
		all, *from = append(all, (*from)[0]), (*from)[1:]
	}
	all = append(append(all, ordered...), others...)
	s := &Snapshot{}
	s.ordered.Store(&all)
	return s
}

func byAddress(a, b *Resource) int { return a.Address.Compare(b.Address) }

// index makes room for change.
func (s *Snapshot) index() {
	if s.byAddress != nil {
		return
	}
	s.added = slices.Clone(s.Ordered())
	s.byAddress = make(map[Address]*Resource, len(s.added))
	for _, r := range s.added {
		s.byAddress[r.Address] = r
	}
}

// Add puts a resource in and reports false, changing nothing, when its address
// is taken.
func (s *Snapshot) Add(r *Resource) bool {
	s.index()
	before := len(s.byAddress)
	if _, taken := s.byAddress[r.Address]; taken {
		return false
	}
	s.byAddress[r.Address] = r
	if len(s.added) == before {
		s.added = append(s.added, r)
	}
	s.ordered.Store(nil)
	return true
}

// Put puts a resource in, in place of what was there.
func (s *Snapshot) Put(r *Resource) {
	s.Remove(r.Address)
	s.Add(r)
}

// Remove takes a resource out.
func (s *Snapshot) Remove(a Address) {
	s.index()
	if _, there := s.byAddress[a]; !there {
		return
	}
	delete(s.byAddress, a)
	s.added = nil
	s.ordered.Store(nil)
}

// Get returns the resource at an address, nil where there is none.
func (s *Snapshot) Get(a Address) *Resource {
	switch {
	case s == nil:
		return nil
	case s.byAddress != nil:
		return s.byAddress[a]
	}
	ordered := s.Ordered()
	if i, there := slices.BinarySearchFunc(ordered, a, func(r *Resource, a Address) int {
		return r.Address.Compare(a)
	}); there {
		return ordered[i]
	}
	return nil
}

// Len counts the resources.
func (s *Snapshot) Len() int {
	switch {
	case s == nil:
		return 0
	case s.byAddress == nil:
		return len(s.Ordered())
	}
	return len(s.byAddress)
}

// Addresses returns every address in order: a parent before its children.
func (s *Snapshot) Addresses() []Address {
	ordered := s.Ordered()
	if len(ordered) == 0 {
		return nil
	}
	addresses := make([]Address, len(ordered))
	for i, r := range ordered {
		addresses[i] = r.Address
	}
	return addresses
}

// All walks the resources in the order of their addresses.
func (s *Snapshot) All() iter.Seq[*Resource] { return slices.Values(s.Ordered()) }

// Ordered returns the resources in the order of their addresses. They are sorted
// once; the caller does not change the list.
func (s *Snapshot) Ordered() []*Resource {
	if s == nil {
		return nil
	}
	if known := s.ordered.Load(); known != nil {
		return *known
	}
	ordered := s.unordered()
	slices.SortFunc(ordered, byAddress)
	s.ordered.Store(&ordered) // where two sort at once, both find the same
	return ordered
}

// unordered returns the resources as they came, which is mostly their order, else
// as they fall.
func (s *Snapshot) unordered() []*Resource {
	if len(s.added) == len(s.byAddress) {
		return slices.Clone(s.added)
	}
	resources := make([]*Resource, 0, len(s.byAddress))
	for _, r := range s.byAddress {
		resources = append(resources, r)
	}
	return resources
}
