package guard

import (
	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
	"adsync/plan"
	"adsync/plan/drafting"
)

// archives is the rule of what cannot be undone.
type archives struct {
	*drafting.Draft
	caps caps
}

// guard holds what is removed: limits of the account by a rule of their own.
func (d *archives) guard() {
	archives := d.archivesByKind()
	for i := range d.Plan.Changes {
		c := &d.Plan.Changes[i]
		d.caps.guardCaps(c)
		if c.Action == plan.Archive && !d.All[c.Index].Kind.Schema.Caps {
			d.guardArchive(c, archives[c.Address.Kind])
		}
	}
}

// archiving is how many of a kind a plan would archive, and how many it may.
type archiving struct{ filed, pruned, limit int64 }

func (d *archives) archivesByKind() map[resource.Kind]*archiving {
	managed := map[resource.Kind]int64{}
	for i := range d.All {
		if t := &d.All[i]; t.Last != nil || t.Desired != nil {
			managed[t.Address.Kind]++
		}
	}
	kinds := map[resource.Kind]*archiving{}
	for k := range d.Kinds {
		kinds[k] = &archiving{limit: d.Policy.ArchiveLimit(managed[k])}
	}
	for i := range d.Plan.Changes {
		c := &d.Plan.Changes[i]
		switch {
		case c.Action == plan.Archive && c.Pruned:
			kinds[c.Address.Kind].pruned++
		case c.Action == plan.Archive:
			kinds[c.Address.Kind].filed++
		}
	}
	return kinds
}

// guardArchive holds an archive until it is allowed: by its address, by a count
// that all of its kind fit in, or by name while they are within the limit.
// What the files ask for does not count what the policy adds.
func (d *archives) guardArchive(c *plan.Change, n *archiving) {
	holdUsed(d.Draft, c)
	asked := n.filed
	if c.Pruned {
		asked += n.pruned
	}
	for i := range d.Allow {
		a := &d.Allow[i]
		switch {
		case a.Hazard != plan.Archives:
		case a.HasAmount && asked <= a.Amount, !a.HasAmount &&
			a.Address == c.Address, !a.HasAmount && a.Address.IsZero() && asked <= n.limit:
			d.Used[i] = true
			return
		}
	}
	key := "guard.archives"
	if c.Pruned {
		key = "guard.prunes"
	}
	message := catalogue.Fill(key)
	if asked > n.limit {
		message = catalogue.Say("guard.archives-many", "what", message, "n", asked, "kind", c.Address.Kind,
			"limit", n.limit)
	}
	h := plan.Hold{Hazard: plan.Archives, Message: message, Allow: plan.AllowAt(plan.Archives, c.Address)}
	if h, held := d.UnlessAgreed(h, c.Address, func() []plan.Part { return d.ArchiveParts(c) }); held {
		c.Hold(h)
	}
}
