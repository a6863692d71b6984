package guard

import (
	"slices"

	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
	"adsync/plan"
	"adsync/plan/drafting"
)

// membership is the rule of people who would be taken out, or reached.
type membership struct{ *drafting.Draft }

// guard holds an operation that would take most people out, or of which
// nobody can say what it takes the place of.
func (d *membership) guard() {
	for i := range d.Plan.Changes {
		c := &d.Plan.Changes[i]
		t := &d.All[c.Index]
		if t.Kind.Schema.Membership == nil || c.Action == plan.Archive {
			continue
		}
		p, ok := drafting.PeopleOf(*t)
		file := slices.IndexFunc(c.Fields, func(f plan.Field) bool { return ok && f.Name == p.File })
		if file < 0 {
			continue
		}
		d.guardMembership(c, &c.Fields[file], p)
	}
}

func (d *membership) guardMembership(c *plan.Change, f *plan.Field, p drafting.People) {
	if c.Action == plan.Create || c.Action == plan.Replace && c.Fields[0].Phase == plan.Creates {
		if !p.Does.Adds {
			c.Hold(plan.Hold{
				Hazard: plan.Incomplete, Message: catalogue.Fill("guard.nobody", "operation", p.Operations[0].Name),
			})
		}
		return
	}
	if d.widensUsers(c, p.Does) {
		c.Hazards = append(c.Hazards, plan.WidensTargeting)
	}
	var holds []plan.Hold
	if takes, known := d.Capabilities[resource.PeopleFiles]; known && !takes && !p.SayableInline() {
		f.Hold(plan.Hold{Hazard: plan.Incomplete, Message: plan.NoInlineReplace()})
	}
	switch {
	case p.Moved():
		holds = append(holds, p.MovedHold(f))
	case p.Unsure():
		holds = append(holds, plan.Hold{
			Hazard: plan.Conflicts, Message: catalogue.Fill("guard.people-unseen"),
			Allow: plan.AllowAt(plan.Conflicts, p.Address),
		})
	}
	if message := d.shrinks(p); message != "" {
		holds = append(holds, plan.Hold{
			Hazard: plan.ShrinksAudience, Message: message, Allow: plan.AllowAt(plan.ShrinksAudience, c.Address),
		})
	}
	for _, h := range holds {
		c.Hazards = append(c.Hazards, h.Hazard)
		if h, held := d.UnlessCovered(h, c.Address, func() []plan.Part {
			return []plan.Part{drafting.FieldPart(c.Address, c.ID, f, 0)}
		}); held {
			f.Hold(h)
		}
	}
}

// shrinks returns why an operation may take most people out, "" where it does not.
func (d *membership) shrinks(p drafting.People) string {
	if !p.Does.Removes {
		return ""
	}
	in, _ := p.Desired.Value(p.People).Number()
	known, ok := int64(0), false
	if p.Last != nil {
		known, ok = p.Last.Value(p.Known).Number()
	}
	most := known * d.Policy.PeoplePercent / 100
	switch {
	case !ok && p.Does.Whole && p.Untouched():
	case !ok && p.Does.Whole:
		return catalogue.Say("guard.people-replaced", "n", in)
	case !ok:
		return catalogue.Say("guard.people-out-unread", "n", in)
	case known < d.Policy.PeopleFrom:
	case p.Does.Whole && known-in > most:
		return catalogue.Say("guard.people-left", "n", in, "most", known, "percent", d.Policy.PeoplePercent)
	case !p.Does.Whole && in > most:
		return catalogue.Say("guard.people-out", "n", in, "most", known, "percent", d.Policy.PeoplePercent)
	}
	return ""
}

// widensUsers reports whether an operation on people can widen whom others reach: it
// adds to what they include, or takes from what they exclude.
func (d *membership) widensUsers(c *plan.Change, o resource.MembershipOperation) bool {
	return slices.ContainsFunc(d.UsesOf(c.Address.Kind, c.ID), func(u drafting.Use) bool {
		return u.Excludes && o.Removes || !u.Excludes && o.Adds
	})
}
