package sources

import (
	"fmt"
	"slices"

	"adsync/internal/diag"
	"adsync/internal/resource"
)

// checkNames looks up what the resources name by key or id: what the files have
// under that key must be there, and nothing that is named may be archived. What
// is named by an id that no file gives is the account's to know.
func (c *across) checkNames() {
	for i := range c.entries {
		e := &c.entries[i]
		if e.resource.Address.IsZero() || e.archived() {
			continue
		}
		for at := range e.draft.Schema.Attributes {
			a := &e.draft.Schema.Attributes[at]
			if a.Of == "" {
				continue
			}
			v := e.resource.Value(a.Name)
			for n, said := range a.Names(v) {
				c.checkName(e, a, said, v.ItemPosition(n))
			}
		}
	}
}

func (c *across) checkName(e *entry, a *resource.Attribute, said string, at diag.Position) {
	named := c.named(a, said)
	address, byKey := resource.ParseAddress(said)
	switch {
	case named == nil && byKey:
		c.report(e, at, resource.Finding{
			Code: diag.UnknownName,
			Message: fmt.Sprintf("%s is %q, which no file has; want an id, or %s/ and a key of your files",
				a.Name, said, a.Of),
			Hint: c.didYouMeanKey(address),
		})
	case named != nil && named.archived():
		c.report(e, at, resource.Finding{
			Code: diag.UnknownName,
			Message: fmt.Sprintf("%s is %q, which is archived (%s); want one that is not",
				a.Name, said, named.resource.Value(named.draft.Schema.RemovalAttribute().Name).Position),
		})
	}
}

// named is what an entry of ids names in the files, nil where that is nothing.
func (c *finder) named(a *resource.Attribute, said string) *entry {
	if address, byKey := resource.ParseAddress(said); byKey {
		return c.index.byAddress[address]
	}
	if e := c.index.byID[said]; e != nil && e.draft.Schema.Kind == a.Of {
		return e
	}
	return nil
}

// didYouMeanKey compares keys alone: a kind that all of them begin with makes
// none of them alike.
func (c *finder) didYouMeanKey(address resource.Address) string {
	near := c.nearest(address.Key, func() []string { return c.keysOf(address.Kind) })
	if near == "" {
		return ""
	}
	return diag.Suggest(resource.Address{Kind: address.Kind, Key: near}.String())
}

func (c *finder) keysOf(kind resource.Kind) (known []string) {
	for address := range c.index.byAddress {
		if address.Kind == kind {
			known = append(known, address.Key)
		}
	}
	slices.Sort(known)
	return known
}
