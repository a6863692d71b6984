package sources

import (
	"fmt"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/sources/config"
	"adsync/sources/draft"
)

// wasCalled finds the row of what had a name before, for rows beneath it that still say so:
// one that was renamed under its key, or under its id. It is said once for a name.
func (c *finder) wasCalled(e *entry, kind *resource.Schema, scope *entry, m draft.Mark) *entry {
	var found []*entry
	for _, f := range c.formers(kind.Kind, m.Text) {
		now := c.index.byAddress[f.Address]
		if own := c.index.byID[f.ID]; own != nil && own.draft.Schema.Kind == kind.Kind {
			now = own
		}
		if now != nil && (scope == nil || now.parent == scope) && !slices.Contains(found, now) {
			found = append(found, now)
		}
	}
	if len(found) != 1 {
		return nil
	}
	if once := "former " + string(kind.Kind) + " " + m.Text; !c.said[once] {
		c.said[once] = true
		c.report(e, m.Position, resource.Finding{
			Severity: diag.Warning, Code: diag.UnknownParent,
			Message: fmt.Sprintf("%s is %q, which %s was called before; it is taken for that",
				kind.Kind, m.Text, found[0].resource.Address),
			Hint: fmt.Sprintf("write %q in this row, and in others that say the same",
				kind.NameOf(found[0].resource)),
		})
	}
	return found[0]
}

// formers asks once what the record knows, and gives what had a name.
func (c *finder) formers(kind resource.Kind, name string) []config.Former {
	key := func(kind resource.Kind, name string) string { return string(kind) + " " + strings.ToLower(name) }
	if c.former == nil {
		c.former = map[string][]config.Former{}
		if ask := c.askFormer; ask != nil {
			for _, f := range ask() {
				at := key(f.Address.Kind, f.Name)
				c.former[at] = append(c.former[at], f)
			}
		}
	}
	return c.former[key(kind, name)]
}
