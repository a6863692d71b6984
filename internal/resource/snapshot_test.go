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

// A snapshot made of a list in order and of others answers and changes like one
// that was filled one by one.
func TestSnapshotOfWhatIsInOrder(t *testing.T) {
	of := func(keys ...string) []*Resource {
		var list []*Resource
		for _, key := range keys {
			list = append(list, &Resource{Address: Address{Kind: "campaign", Key: key}})
		}
		return list
	}
	for _, row := range []struct{ ordered, others, want []string }{
		{},
		{ordered: []string{"a", "b"}, want: []string{"a", "b"}},
		{others: []string{"b", "a"}, want: []string{"a", "b"}},
		{ordered: []string{"a", "b", "b/x"}, others: []string{"b/a", "z", "A"},
			want: []string{"A", "a", "b", "b/a", "b/x", "z"}},
	} {
		s := SnapshotOf(of(row.ordered...), of(row.others...))
		if got := keysOf(s); !slices.Equal(got, row.want) || s.Len() != len(row.want) {
			t.Errorf("of %q and %q: %q, %d of them; want %q", row.ordered, row.others, got, s.Len(), row.want)
		}
		for _, r := range s.Ordered() {
			if s.Get(r.Address) != r {
				t.Errorf("of %q and %q: Get(%s) is another resource", row.ordered, row.others, r.Address)
			}
		}
		if r := s.Get(Address{Kind: "campaign", Key: "b/b"}); r != nil {
			t.Errorf("of %q and %q: Get(campaign/b/b) is %v; want nothing", row.ordered, row.others, r)
		}
		s.Remove(Address{Kind: "campaign", Key: "a"})
		if !s.Add(of("m")[0]) || s.Add(of("m")[0]) {
			t.Errorf("of %q and %q: campaign/m is not added exactly once", row.ordered, row.others)
		}
		want := append(slices.DeleteFunc(slices.Clone(row.want), func(key string) bool { return key == "a" }), "m")
		slices.Sort(want)
		if got := keysOf(s); !slices.Equal(got, want) || s.Len() != len(want) {
			t.Errorf("changed: %q, %d of them; want %q", got, s.Len(), want)
		}
	}
}

func keysOf(s *Snapshot) (keys []string) {
	for r := range s.All() {
		keys = append(keys, r.Address.Key)
	}
	return keys
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
