package yamlfmt

import "slices"

// rank is a key's place among those of its mapping.
func (o *Order) rank(key string) int {
	if i := slices.Index(o.Keys, key); i >= 0 {
		return i
	}
	if i := slices.Index(o.Last, key); i >= 0 {
		return len(o.Keys) + 1 + i
	}
	return len(o.Keys)
}

// below is the order of what stands under a key.
func (o *Order) below(key string) *Order {
	if o == nil {
		return nil
	}
	return o.Below[key]
}
