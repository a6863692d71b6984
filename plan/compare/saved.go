package compare

import (
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
	"adsync/plan"
)

// savedPlan narrows a plan to a saved one.
type comparedToSaved struct{ selector }

// agree leaves of the plan what a saved one holds as well. What moved since is
// held with both values; what the saved one does not know is left out. The
// guards count what is left; see agreeOnHolds for what comes after them.
func (d *comparedToSaved) narrow() {
	if d.Saved == nil {
		return
	}
	d.CountBeneath()
	d.Plan.Narrowed = true
	c := choice{
		chosen: map[resource.Address]bool{}, excluded: func(resource.Address) bool { return true },
		because: "unsaved", hazard: plan.Outdated,
	}
	there := map[resource.Address]bool{}
	for i := range d.Plan.Changes {
		change := &d.Plan.Changes[i]
		saved, known := d.Saved.Changes[change.Address]
		there[change.Address] = true
		switch {
		case !known:
		case saved.Sends() && !change.Writes():
			d.stale(change.Address, catalogue.Fill("saved.done", "saved", article(saved.Action, "")))
		default:
			c.chosen[change.Address] = true
			d.narrowChange(i, &saved)
		}
	}
	for a, saved := range d.Saved.Changes {
		if !there[a] && saved.Sends() {
			d.stale(a, catalogue.Fill("saved.nothing", "saved", article(saved.Action, "")))
		}
	}
	d.complete(&c)
	d.holdBesideNewer(&c)
	d.Plan.Newer = len(d.leave(&c))
}

// article is an action as a noun with its article, and of which id it is, "" for none.
func article(a plan.Action, id string) string {
	said := ""
	switch {
	case slices.Contains(plan.Actions, a):
		said = catalogue.Fill("saved.action." + string(a))
	case a != "" && strings.ContainsRune("aeiou", rune(a[0])):
		said = catalogue.Fill("saved.an", "action", string(a))
	default:
		said = catalogue.Fill("saved.a", "action", diag.Printable(string(a)))
	}
	if id != "" {
		said = catalogue.Fill("saved.of", "action", said, "id", id)
	}
	return said
}

// stale notes that a change as a whole is not what was saved.
func (d *comparedToSaved) stale(a resource.Address, message string) {
	s := plan.Stale{Address: a, What: plan.StaleChange, Message: message}
	if r := d.Desired.Get(a); r != nil {
		s.Position = r.Position
	}
	d.Plan.Stale = append(d.Plan.Stale, s)
}

// agreeOn holds what of a change is not as it was saved. A request that makes or
// archives something is one: it goes as it was saved, or not at all.
func (d *comparedToSaved) narrowChange(i int, saved *plan.SavedChange) {
	c := &d.Plan.Changes[i]
	if !saved.Sends() {
		return
	}
	if saved.Action != c.Action || saved.ID != c.ID || saved.Pruned != c.Pruned {
		message := catalogue.Fill("saved.other", "now", article(c.Action, c.ID),
			"saved", article(saved.Action, saved.ID))
		d.stale(c.Address, message)
		d.holdOutdated(i, message)
		return
	}
	moved := d.movedFields(c, saved)
	d.Plan.Stale = append(d.Plan.Stale, moved...)
	if len(moved) > 0 && c.Action != plan.Update && c.Action != plan.Adopt {
		d.holdOutdated(i, moved[0].Message)
		return
	}
	d.holdMoved(c, moved)
}

// holdOutdated holds a change, and all that is made beneath it.
func (d *comparedToSaved) holdOutdated(i int, message string) {
	h := plan.Hold{Hazard: plan.Outdated, Message: catalogue.Fill("saved.again", "what", message)}
	if d.Creates(&d.Plan.Changes[i]) {
		d.HoldTree(i, h)
		return
	}
	d.Plan.Changes[i].Hold(h)
	for j := i + 1; j < len(d.Plan.Changes) &&
		strings.HasPrefix(d.Plan.Changes[j].Address.Key, d.Plan.Changes[i].Address.Key+"/"); j++ {
		if beneath := &d.Plan.Changes[j]; d.Creates(beneath) {
			beneath.Hold(plan.Hold{Hazard: plan.Outdated,
				Message: catalogue.Fill("guard.with", "what", d.Plan.Changes[i].Address.String())})
		}
	}
}

// movedFields compares the fields of a change with those it was saved with.
func (d *comparedToSaved) movedFields(c *plan.Change, saved *plan.SavedChange) []plan.Stale {
	then := map[string]plan.SavedField{}
	for _, f := range saved.Fields {
		then[f.Name] = f
	}
	var moved []plan.Stale
	for i := range c.Fields {
		f := &c.Fields[i]
		was, known := then[f.Name]
		delete(then, f.Name)
		if s, differs := d.compareField(c, f, was, known); differs {
			moved = append(moved, s)
		}
	}
	for name, was := range then {
		if was.Held == nil && was.Cause != plan.SentAlong {
			moved = append(moved, d.needless(c, name, was))
		}
	}
	slices.SortFunc(moved, func(a, b plan.Stale) int { return strings.Compare(a.Attribute, b.Attribute) })
	return moved
}

// settled is a field that was to be sent and needs no change any more.
func (d *comparedToSaved) needless(c *plan.Change, name string, was plan.SavedField) plan.Stale {
	if now := d.Desired.Get(c.Address); now != nil && !now.Value(name).Equal(was.Desired) {
		return d.movedFrom(c, name, plan.StaleFiles, was.Desired,
			now.Value(name))
	}
	var live resource.Value
	if r := d.Live.Get(c.Address); r != nil {
		live = r.Value(name)
	}
	return d.movedFrom(c, name, plan.StaleLive, was.Live, live)
}

func (d *comparedToSaved) compareField(c *plan.Change,
	f *plan.Field, was plan.SavedField, known bool) (plan.Stale, bool) {
	switch {
	case !known && f.Cause == plan.SentAlong:
		return plan.Stale{}, false
	case !known || !f.Desired.Equal(was.Desired) && f.Cause != plan.SentAlong:
		return d.movedFrom(c, f.Name, plan.StaleFiles, was.Desired,
			f.Desired), true
	case !f.Live().Equal(was.Live):
		return d.movedFrom(c, f.Name, plan.StaleLive, was.Live,
			f.Live()), true
	case !f.Last().Equal(was.Last):
		return d.movedFrom(c, f.Name, plan.StaleRecord,
			was.Last, f.Last()), true
	}
	return plan.Stale{}, false
}

func (d *comparedToSaved) movedFrom(c *plan.Change,
	name, what string, planned, now resource.Value) plan.Stale {
	s := plan.Stale{Address: c.Address, Attribute: name, What: what, Planned: planned, Now: now, Position: c.Position}
	if r := d.Desired.Get(c.Address); r != nil && !r.Value(name).Position.IsZero() {
		s.Position = r.Value(name).Position
	}
	a := d.All[c.Index].Kind.Attributes[name]
	s.Message = catalogue.Fill("saved."+what, "attribute", name, "now", shortened(a, now),
		"saved", shortened(a, planned))
	return s
}

// briefLetters is how much of a value a message shows.
const briefLetters = 60

func shortened(a *resource.Attribute, v resource.Value) string {
	if a == nil {
		return diag.Printable(v.Text())
	}
	letters := []rune(a.Show(v))
	if len(letters) > briefLetters {
		return string(letters[:briefLetters]) + "…"
	}
	return string(letters)
}

// holdMoved holds the fields that moved, and those sent whole with one.
func (d *comparedToSaved) holdMoved(c *plan.Change, moved []plan.Stale) {
	whole := d.All[c.Index].Kind.Whole
	for i := range c.Fields {
		f := &c.Fields[i]
		if f.Cause == plan.SentAlong {
			continue
		}
		at := slices.IndexFunc(moved, func(s plan.Stale) bool { return s.Attribute == f.Name })
		with := slices.IndexFunc(moved, func(s plan.Stale) bool {
			return whole[f.Name] != "" && whole[s.Attribute] == whole[f.Name]
		})
		switch {
		case at >= 0:
			f.Hold(plan.Hold{Hazard: plan.Outdated, Message: catalogue.Fill("saved.again", "what", moved[at].Message)})
		case with >= 0:
			f.Hold(plan.Hold{
				Hazard: plan.Outdated, Message: catalogue.Fill("saved.with-moved", "attribute", moved[with].Attribute),
			})
		}
	}
}
