package resource

import (
	"iter"
	"slices"
	"sync/atomic"
)

// Snapshot is resources by address at one moment: desired, live or last.
// The zero Snapshot is empty and ready. Several may read one at a time.
type Snapshot struct {
	byAddress map[Address]*Resource
	added     []*Resource // as they came; not whole once one was taken out
	ordered   atomic.Pointer[[]*Resource]
}

// NewSnapshot is an empty snapshot with room for so many resources.
func NewSnapshot(resources int) *Snapshot {
	return &Snapshot{byAddress: make(map[Address]*Resource, resources), added: make([]*Resource, 0, resources)}
}

// Add puts a resource in and reports false, changing nothing, when its address
// is taken.
func (s *Snapshot) Add(r *Resource) bool {
	if s.byAddress == nil {
		s.byAddress = map[Address]*Resource{}
	}
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
	if _, there := s.byAddress[a]; !there {
		return
	}
	delete(s.byAddress, a)
	s.added = nil
	s.ordered.Store(nil)
}

// Get gives the resource at an address, nil where there is none.
func (s *Snapshot) Get(a Address) *Resource {
	if s == nil {
		return nil
	}
	return s.byAddress[a]
}

// Len counts the resources.
func (s *Snapshot) Len() int {
	if s == nil {
		return 0
	}
	return len(s.byAddress)
}

// Addresses gives every address in order: a parent before its children.
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

// Ordered gives the resources in the order of their addresses. They are sorted
// once; the caller does not change the list.
func (s *Snapshot) Ordered() []*Resource {
	if s == nil {
		return nil
	}
	if known := s.ordered.Load(); known != nil {
		return *known
	}
	ordered := s.unordered()
	slices.SortFunc(ordered, func(a, b *Resource) int { return a.Address.Compare(b.Address) })
	s.ordered.Store(&ordered) // where two sort at once, both find the same
	return ordered
}

// unordered gives the resources as they came, which is mostly their order, else
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
