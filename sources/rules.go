package sources

import (
	"slices"
	"time"

	"adsync/internal/resource"
)

// across judges what more than one resource says.
type across struct {
	*finder
	zone *time.Location
}

// checkAcross asks the rules that see more than one resource, once all files are
// merged, so that they hold whatever file and format the two stand in. What is
// archived, or stands beneath it, is only archived: no rule holds for it. As in
// checkRules, what a rule finds counts only where it saw nothing that is written
// and does not parse.
func (c *across) checkAcross() {
	var e *entry
	unsure := false
	valueOf := func(of *entry, name string) resource.Value {
		if of == nil {
			return resource.Value{}
		}
		unsure = unsure || slices.Contains(of.draft.Rejected, name)
		return of.resource.Value(name)
	}
	see := resource.View{
		Value:     func(name string) resource.Value { return valueOf(e, name) },
		Above:     func(kind resource.Kind, name string) resource.Value { return valueOf(e.above(kind), name) },
		Live:      func(string) resource.Value { return resource.Value{} },
		AboveLive: func(resource.Kind, string) resource.Value { return resource.Value{} },
		Named:     func(by, name string) resource.Value { return valueOf(c.namedBy(e, by), name) },
		Zone:      c.zone,
	}
	for i := range c.entries {
		e = &c.entries[i]
		if e.resource.Address.IsZero() || len(e.draft.Schema.Across) == 0 || e.archived() {
			continue
		}
		for _, rule := range e.draft.Schema.Across {
			unsure = false
			if findings := rule.Check(&see); !unsure {
				c.sayAcross(e, findings)
			}
		}
	}
}

// sayAcross reports what a rule found, each thing that is said once only once.
func (c *across) sayAcross(e *entry, findings []resource.Finding) {
	for _, f := range findings {
		if f.Once == "" || !c.said[f.Once] {
			c.reportAt(e, f)
		}
		if f.Once != "" {
			c.said[f.Once] = true
		}
	}
}

// archived reports whether the files want the resource, or what is above it, removed.
func (e *entry) archived() bool {
	for ; e != nil; e = e.parent {
		if removal := e.draft.Schema.Removal; removal != "" && e.resource.Value("status").Text() == removal {
			return true
		}
	}
	return false
}

// namedBy is what an attribute of ids names first in the files, nil where that is nothing.
func (c *across) namedBy(e *entry, by string) *entry {
	a, known := e.draft.Schema.Attribute(by)
	if said := e.resource.Value(by).Entries(); known && len(said) > 0 {
		return c.named(a, said[0])
	}
	return nil
}

// above is the ancestor of a kind, nil where there is none.
func (e *entry) above(kind resource.Kind) *entry {
	for up := e.parent; up != nil; up = up.parent {
		if up.draft.Schema.Kind == kind {
			return up
		}
	}
	return nil
}

// reportAt reports what a rule found at the attribute it blames, or where the
// resource is written.
func (c *across) reportAt(e *entry, f resource.Finding) {
	position := e.resource.Value(f.Attribute).Position
	if position.IsZero() {
		position = e.draft.Position
	}
	c.report(e, position, f)
}
