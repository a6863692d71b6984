package guard

import (
	"slices"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
	"adsync/plan"
	"adsync/plan/drafting"
)

// mergers is the rule of audiences that are made of others.
type mergers struct{ *drafting.Draft }

// guard holds a merge that cannot be made as the files say it: what it
// takes is the people who are in its sources at that moment.
func (d *mergers) guard() {
	changes := map[resource.Address]*plan.Change{}
	for i := range d.Plan.Changes {
		if c := &d.Plan.Changes[i]; d.Kinds[c.Address.Kind].Schema.Membership != nil {
			changes[c.Address] = c
		}
	}
	for i := range d.Plan.Changes {
		c := &d.Plan.Changes[i]
		for _, said := range d.merges(c) {
			s := d.SourceOf(c.Address.Kind, said)
			if obstacle := d.unmergeable(c, s, changes[s.Address]); obstacle != "" {
				c.Hold(plan.Hold{Hazard: plan.Incomplete, Message: obstacle})
				continue
			}
			if change := changes[s.Address]; change != nil && change.Action == plan.Archive {
				change.Hold(plan.Hold{
					Hazard: plan.Archives, Message: catalogue.Fill("guard.merged-first", "into", c.Address.String()),
				})
			}
		}
	}
}

// merges returns what a change is to make a resource of, nothing where it makes
// none or makes it otherwise.
func (d *mergers) merges(c *plan.Change) []string {
	m := d.Kinds[c.Address.Kind].Schema.Membership
	if m == nil || c.Action != plan.Create && c.Action != plan.Replace {
		return nil
	}
	for i := range c.Fields {
		if f := &c.Fields[i]; f.Name == m.Merge && f.Phase == plan.Creates {
			return f.Desired.Items()
		}
	}
	return nil
}

// unmergeable returns what keeps a merge from a source, "" where nothing does.
func (d *mergers) unmergeable(into *plan.Change, s drafting.Source, change *plan.Change) string {
	k := d.Kinds[into.Address.Kind]
	made := change != nil && (change.Action == plan.Create || change.Action == plan.Replace && createsAgain(change))
	switch {
	case s.Address == into.Address:
		return catalogue.Fill("guard.merge-itself")
	case s.Address.IsZero():
		return catalogue.Fill("guard.merge-unknown", "source", s.Said, "kind", string(into.Address.Kind))
	case d.namedTwice(into, s):
		return catalogue.Fill("guard.merge-twice", "source", s.Said)
	case change != nil && d.merges(change) != nil:
		return catalogue.Fill("guard.merge-made", "source", s.Said)
	case change != nil && change.Action != plan.Archive && len(change.Holds()) > 0:
		return catalogue.Fill("guard.merge-held", "source", s.Said)
	case made:
		return ""
	case s.Live == nil:
		return d.mergedNowhere(s)
	case k.Archived(s.Live):
		return catalogue.Fill("guard.merge-archived", "source", s.Said)
	}
	return ""
}

// mergedNowhere says of a source that it is not there, and which key of the files is near what is named.
func (d *mergers) mergedNowhere(s drafting.Source) string {
	var keys []string
	for _, r := range d.Desired.Ordered() {
		if r.Address.Kind == s.Address.Kind {
			keys = append(keys, r.Address.Key)
		}
	}
	near := diag.Nearest(s.Address.Key, keys)
	if near == "" {
		return catalogue.Fill("guard.merge-nowhere", "source", s.Said)
	}
	return catalogue.Fill("guard.merge-nowhere-near", "source", s.Said,
		"near", resource.Address{Kind: s.Address.Kind, Key: near}.String())
}

func createsAgain(c *plan.Change) bool {
	return len(c.Fields) > 0 && c.Fields[0].Phase == plan.Creates
}

// namedTwice reports whether an entry with a key and one with an id are one resource.
func (d *mergers) namedTwice(into *plan.Change, s drafting.Source) bool {
	return s.Live != nil && s.Said != s.Live.ID && slices.Contains(d.merges(into), s.Live.ID)
}
