package words

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"adsync/internal/pattern"
	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
	"adsync/plan"
)

// Names are what the resources of a plan are called.
type Names struct {
	schemas resource.Schemas
	called  map[string]string // by address
	labels  *strings.Replacer // attributes whose names no person would write
}

// NamesOf collects the names that the changes of a plan give.
func NamesOf(schemas resource.Schemas, changes []plan.ChangeDocument) *Names {
	n := &Names{schemas: schemas, called: make(map[string]string, len(changes))}
	for i := range changes {
		if c := &changes[i]; c.Name != "" {
			n.called[c.Address] = c.Name
		}
	}
	return n
}

// Label returns what people call an attribute of a kind.
func (n *Names) Label(kind resource.Kind, attribute string) string {
	return Label(n.schemas.Of(kind), attribute)
}

// Kind returns what people call the kind of an address, in small letters.
func (n *Names) Kind(address string) string {
	if a, ok := resource.ParseAddress(address); ok && n.schemas.Of(a.Kind) != nil {
		return strings.ToLower(n.schemas.Of(a.Kind).Title)
	}
	return ""
}

// Of returns the name of a resource with its kind, and of what it stands beneath: ad
// “Hero” of Runners, Spring. Where the plan gives no name it is the key.
func (n *Names) Of(address string) string {
	a, ok := resource.ParseAddress(address)
	if !ok || n.schemas.Of(a.Kind) == nil {
		return address
	}
	said := n.Kind(address)
	if n.schemas.Of(a.Kind).Only == "" {
		said = catalogue.Say("name.kind", "kind", said, "name", n.leaf(a))
	}
	var above []string
	for up := n.schemas.Parent(a); !up.IsZero(); up = n.schemas.Parent(up) {
		above = append(above, n.leaf(up))
	}
	if len(above) > 0 {
		said = catalogue.Say("name.of", "what", said, "above", Commas(above))
	}
	return said
}

// Leaf returns the name of a resource alone. Where the plan gives none it is the key.
func (n *Names) Leaf(address string) string {
	if a, ok := resource.ParseAddress(address); ok {
		return n.leaf(a)
	}
	return address
}

func (n *Names) leaf(a resource.Address) string {
	if name := n.called[a.String()]; name != "" {
		return name
	}
	return a.Leaf()
}

var addressLike = pattern.Of(`\b[a-z_]+/[\pL\pN._/-]*[\pL\pN_]`)

// In puts names in the place of the addresses of a text, and the headers of columns in
// that of attributes. What names a command or an allowance is left out.
func (n *Names) In(text string) string {
	text = addressLike.ReplaceAllStringFunc(plainly(text), func(found string) string {
		if a, ok := resource.ParseAddress(found); ok && n.schemas.Of(a.Kind) != nil {
			return n.Of(found)
		}
		return found
	})
	return n.attributes().Replace(text)
}

// attributes replaces those that have a dot or an underscore: the others are words that
// may mean themselves.
func (n *Names) attributes() *strings.Replacer {
	if n.labels != nil {
		return n.labels
	}
	labels := map[string]string{}
	for _, s := range n.schemas {
		for i := range s.Attributes {
			if name := s.Attributes[i].Name; strings.ContainsAny(name, "._") && labels[name] == "" {
				labels[name] = Label(s, name)
			}
		}
	}
	var pairs []string
	for _, name := range slices.SortedFunc(maps.Keys(labels), func(a, b string) int {
		return cmp.Or(len(b)-len(a), strings.Compare(a, b))
	}) {
		pairs = append(pairs, name, labels[name]) // of two that begin alike the longer one counts
	}
	n.labels = strings.NewReplacer(pairs...)
	return n.labels
}

// Allowance returns what an allowance agrees to: a budget rises: campaign “Spring”, to
// 500.00.
func (n *Names) Allowance(text string) string {
	a, err := plan.ParseAllowance(text)
	if err != nil {
		return text
	}
	said := Because(a.Hazard)
	if !a.Address.IsZero() {
		said = catalogue.Say("allowance.of", "why", said, "what", n.Of(a.Address.String()))
	}
	switch {
	case !a.HasAmount:
	case a.PerDay:
		said = catalogue.Say("allowance.a-day", "why", said, "amount", resource.FormatMoney(a.Amount))
	case a.Address.IsZero():
		said = catalogue.Say("allowance.up-to", "why", said, "n", a.Amount)
	default:
		said = catalogue.Say("allowance.to", "why", said, "amount", resource.FormatMoney(a.Amount))
	}
	return Upper(said)
}
