package compare

import (
	"fmt"

	"adsync/internal/resource"
	"adsync/plan"
)

// rule holds what it stands against, in changes the table lets pass.
type rule interface{ guard() }

// guards are the rules a plan is held to.
type guards struct {
	*draft
	credits *credits
	rules   []rule // in the order they look
}

// newGuards registers every rule. What comes later may count what is held by then.
// A pause and a decrease pass them all: see plan.Field.Lowers. Only protect: in the files
// (protections) stops a pause, and the ended stays as it is (lateness).
func newGuards(d *draft) *guards {
	amounts, credits := newAmountRule(d), &credits{d}
	return &guards{draft: d, credits: credits, rules: []rule{
		&lateness{d},
		amounts,
		&newAmounts{amounts: amounts},
		&updates{d},
		&membership{d},
		&archives{draft: d, caps: caps{d}},
		&protections{draft: d},
		&frozen{d},
		&unattended{d},
		&refused{d},
		&undecided{d, credits},
		&overlaps{d}, // before what counts with limits
		&exposures{d, credits},
		&rest{d},
		&potentialSpend{d, credits},
		&rest{d},
		&mergers{d},
		&namings{d},
	}}
}

// guard holds what the policy's limits stop, in changes the table lets pass.
// What is counted is counted whether or not something else holds it, so that a
// tighter limit here never lets pass more there.
func (d *guards) guard() {
	if len(d.plan.Changes) == 0 {
		return
	}
	for _, r := range d.rules {
		r.guard()
	}
}

// guard holds what cannot go without a part that is held.
func (d *rest) guard() {
	for i := range d.plan.Changes {
		if c := &d.plan.Changes[i]; c.Action != plan.Archive {
			d.holdBroken(c)
			d.holdSpan(c)
		}
	}
}

// archives is the rule of what cannot be undone.
type archives struct {
	*draft
	caps caps
}

// guard holds what is removed: limits of the account by a rule of their own.
func (d *archives) guard() {
	archives := d.archivesByKind()
	for i := range d.plan.Changes {
		c := &d.plan.Changes[i]
		d.caps.guardCaps(c)
		if c.Action == plan.Archive && !d.all[c.Index].kind.schema.Caps {
			d.guardArchive(c, archives[c.Address.Kind])
		}
	}
}

// archiving is how many of a kind a plan would archive, and how many it may.
type archiving struct{ filed, pruned, limit int64 }

func (d *archives) archivesByKind() map[resource.Kind]*archiving {
	managed := map[resource.Kind]int64{}
	for i := range d.all {
		if t := &d.all[i]; t.last != nil || t.desired != nil {
			managed[t.address.Kind]++
		}
	}
	kinds := map[resource.Kind]*archiving{}
	for k := range d.kinds {
		kinds[k] = &archiving{limit: d.Policy.ArchiveLimit(managed[k])}
	}
	for i := range d.plan.Changes {
		c := &d.plan.Changes[i]
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
	d.holdUsed(c)
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
			d.used[i] = true
			return
		}
	}
	message := "archiving cannot be undone"
	if c.Pruned {
		message = "is no longer in the files and the policy archives it; " + message
	}
	if asked > n.limit {
		message += fmt.Sprintf("; %d of kind %s would be archived and the limit is %d a run",
			asked, c.Address.Kind, n.limit)
	}
	h := plan.Hold{Hazard: plan.Archives, Message: message, Allow: plan.AllowAt(plan.Archives, c.Address)}
	if h, held := d.unlessAgreed(h, c.Address, func() []plan.Part { return d.archiveParts(c) }); held {
		c.Hold(h)
	}
}
