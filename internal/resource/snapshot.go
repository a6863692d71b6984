package resource

import (
	"iter"
	"slices"
)

// Snapshot is resources by address at one moment: desired, live or last.
// The zero Snapshot is empty and ready.
type Snapshot struct {
	byAddress map[Address]*Resource
}

// NewSnapshot is an empty snapshot with room for so many resources.
func NewSnapshot(resources int) *Snapshot {
	return &Snapshot{byAddress: make(map[Address]*Resource, resources)}
}

// Add puts a resource in and reports false, changing nothing, when its address
// is taken.
func (s *Snapshot) Add(r *Resource) bool {
	if s.byAddress == nil {
		s.byAddress = map[Address]*Resource{}
	}
	if _, taken := s.byAddress[r.Address]; taken {
		return false
	}
	s.byAddress[r.Address] = r
	return true
}

// Put puts a resource in, in place of what was there.
func (s *Snapshot) Put(r *Resource) {
	s.Remove(r.Address)
	s.Add(r)
}

// Remove takes a resource out.
func (s *Snapshot) Remove(a Address) { delete(s.byAddress, a) }

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
	if s == nil {
		return nil
	}
	addresses := make([]Address, 0, len(s.byAddress))
	for a := range s.byAddress {
		addresses = append(addresses, a)
	}
	slices.SortFunc(addresses, Address.Compare)
	return addresses
}

// All walks the resources in the order of their addresses.
func (s *Snapshot) All() iter.Seq[*Resource] {
	return func(yield func(*Resource) bool) {
		for _, a := range s.Addresses() {
			if !yield(s.byAddress[a]) {
				return
			}
		}
	}
}
