// Package resource holds the nouns: kind, address, value, resource, snapshot,
// and the schema that describes a kind.
//
// It refuses to know any particular kind, file format or endpoint. Its
// invariant is that a Value is canonical: two values mean the same exactly when
// Equal says so, whatever face of the product they came from.
//
// schema.go is how a kind is described, value.go a value and what equals what. A text becomes a
// value in parse.go, and of each type in its file: money.go (badmoney.go says what is wrong
// with one), day.go, country.go, factor.go, parselist.go; display.go is the way back. routes.go
// and calls.go say by data which requests change a kind.
package resource

import (
	"slices"
	"strings"

	"adsync/internal/diag"
)

// Kind names a kind of resource, such as campaign or ad_group.
type Kind string

// Address is the owner's stable name for a resource: `ad_group/spring/runners`.
type Address struct {
	Kind Kind
	Key  string // keys from the top of the tree down, joined by slashes
}

// String returns kind and key joined by a slash.
func (a Address) String() string { return string(a.Kind) + "/" + a.Key }

// IsZero reports whether there is no address.
func (a Address) IsZero() bool { return a == Address{} }

// Leaf is the last key: the resource's own.
func (a Address) Leaf() string { return a.Key[strings.LastIndexByte(a.Key, '/')+1:] }

// Up is the address of the parent, whose kind the schema knows; it is the zero
// address at the top of the tree.
func (a Address) Up(parent Kind) Address {
	i := strings.LastIndexByte(a.Key, '/')
	if i < 0 || parent == "" {
		return Address{}
	}
	return Address{Kind: parent, Key: a.Key[:i]}
}

// Down is the address of a child.
func (a Address) Down(child Kind, key string) Address {
	if a.IsZero() {
		return Address{Kind: child, Key: key}
	}
	return Address{Kind: child, Key: a.Key + "/" + key}
}

// Compare orders addresses by key, segment by segment, then by kind: a parent
// stands before its children and a tree stays together.
func (a Address) Compare(b Address) int {
	i := 0
	for i < len(a.Key) && i < len(b.Key) && a.Key[i] == b.Key[i] {
		i++
	}
	if c := rankAt(a.Key, i) - rankAt(b.Key, i); c != 0 {
		return c
	}
	return strings.Compare(string(a.Kind), string(b.Kind))
}

// rankAt ranks the end of a key below a slash, and a slash below every letter.
func rankAt(key string, i int) int {
	switch {
	case i == len(key):
		return 0
	case key[i] == '/':
		return 1
	}
	return int(key[i]) + 2
}

// ParseAddress reads what String gives.
func ParseAddress(s string) (Address, bool) {
	kind, key, ok := strings.Cut(s, "/")
	if !ok || kind == "" || key == "" {
		return Address{}, false
	}
	return Address{Kind: Kind(kind), Key: key}, true
}

// Resource is one campaign, ad group or ad as one of the three snapshots holds it.
type Resource struct {
	Address    Address
	ID         string        // the service's id; "" where none is known
	IDAt       diag.Position // where the id is written, in desired snapshots; zero where no file gives it
	ParentID   string        // id of the parent, in live snapshots
	Attributes Attributes
	Normal     Attributes    // in last snapshots: the form the service gave, where it is not the form that was sent
	AsSent     bool          // in live snapshots: the service does not show it; it is taken to be as it was last sent
	Facts      Attributes    // in live snapshots and exports: what the service says of it and no file decides
	Position   diag.Position // where it is written, in desired snapshots
}

// Remark names a fact for people: YAML has it as a comment above the resource.
const Remark = "remark"

// Value returns an attribute's value, and the zero (absent) Value where the
// attribute is not there.
func (r *Resource) Value(name string) Value { return r.Attributes.Value(name) }

// Set writes an attribute.
func (r *Resource) Set(name string, v Value) { r.Attributes.Set(name, v) }

// Named is one attribute of a resource.
type Named struct {
	Name  string
	Value Value
}

// Attributes are sorted by name and hold no absent value.
type Attributes []Named

// Value returns the value of a name, absent where it is not there.
func (as Attributes) Value(name string) Value {
	if v := as.At(name); v != nil {
		return *v
	}
	return Value{}
}

// At returns the value of a name where it stands, nil where it is absent. A
// resource has few attributes: to look at each is the fastest way.
func (as Attributes) At(name string) *Value {
	for i := range as {
		if as[i].Name == name {
			return &as[i].Value
		}
	}
	return nil
}

// Set writes a value; an absent value removes the attribute.
func (as *Attributes) Set(name string, v Value) {
	if n := len(*as); !v.IsAbsent() && (n == 0 || (*as)[n-1].Name < name) { // as they mostly come
		*as = append(*as, Named{name, v})
		return
	}
	i, ok := as.find(name)
	switch {
	case v.IsAbsent() && ok:
		*as = slices.Delete(*as, i, i+1)
	case v.IsAbsent():
	case ok:
		(*as)[i].Value = v
	default:
		*as = slices.Insert(*as, i, Named{name, v})
	}
}

func (as Attributes) find(name string) (int, bool) {
	for i := range as {
		if as[i].Name >= name {
			return i, as[i].Name == name
		}
	}
	return len(as), false
}
