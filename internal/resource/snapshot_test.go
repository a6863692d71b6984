package resource

import (
	"slices"
	"sync"
	"testing"
)

// A snapshot gives its resources in order, whatever was put in, replaced and
// taken out since it was last asked.
func TestSnapshotStaysInOrder(t *testing.T) {
	s := &Snapshot{}
	at := func(key string) *Resource { return &Resource{Address: Address{Kind: "campaign", Key: key}} }
	for _, step := range []struct {
		name string
		do   func()
		want []string
	}{
		{"added out of order", func() { s.Add(at("b")); s.Add(at("a")); s.Add(at("b/x")) }, []string{"a", "b", "b/x"}},
		{"added before them", func() { s.Add(at("A")) }, []string{"A", "a", "b", "b/x"}},
		{"taken is refused", func() { s.Add(at("a")) }, []string{"A", "a", "b", "b/x"}},
		{"taken out", func() { s.Remove(at("a").Address) }, []string{"A", "b", "b/x"}},
		{"what is not there is taken out", func() { s.Remove(at("a").Address) }, []string{"A", "b", "b/x"}},
		{"added again", func() { s.Add(at("a")) }, []string{"A", "a", "b", "b/x"}},
		{"replaced", func() { s.Put(at("b")) }, []string{"A", "a", "b", "b/x"}},
		{"emptied", func() {
			for _, a := range s.Addresses() {
				s.Remove(a)
			}
		}, nil},
		{"filled again", func() { s.Add(at("c")); s.Add(at("b")) }, []string{"b", "c"}},
	} {
		step.do()
		var got []string
		for r := range s.All() {
			if got = append(got, r.Address.Key); s.Get(r.Address) != r {
				t.Errorf("%s: Get(%s) is another resource", step.name, r.Address)
			}
		}
		if !slices.Equal(got, step.want) || s.Len() != len(step.want) {
			t.Errorf("%s: %q, %d of them; want %q", step.name, got, s.Len(), step.want)
		}
	}
}

// Several readers may ask a snapshot for its order at once, the first time too.
func TestSnapshotIsReadByMany(t *testing.T) {
	s := &Snapshot{}
	for _, key := range []string{"c", "a", "b"} {
		s.Add(&Resource{Address: Address{Kind: "campaign", Key: key}})
	}
	var readers sync.WaitGroup
	orders := make([][]*Resource, 8)
	for i := range orders {
		readers.Go(func() { orders[i] = s.Ordered() })
	}
	readers.Wait()
	for _, order := range orders {
		if len(order) != 3 || order[0].Address.Key != "a" || order[2].Address.Key != "c" {
			t.Errorf("a reader gets %v; want a, b, c", order)
		}
	}
}
