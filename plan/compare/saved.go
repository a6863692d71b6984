package compare

import (
	"fmt"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
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
		because: "is not in the saved plan", hazard: plan.Outdated,
	}
	there := map[resource.Address]bool{}
	for i := range d.Plan.Changes {
		change := &d.Plan.Changes[i]
		saved, known := d.Saved.Changes[change.Address]
		there[change.Address] = true
		switch {
		case !known:
		case saved.Sends() && !change.Writes():
			d.stale(change.Address, "is as the files want it already; the saved plan has "+article(saved.Action))
		default:
			c.chosen[change.Address] = true
			d.narrowChange(i, &saved)
		}
	}
	for a, saved := range d.Saved.Changes {
		if !there[a] && saved.Sends() {
			d.stale(a, "has nothing to change any more; the saved plan has "+article(saved.Action))
		}
	}
	d.complete(&c)
	d.holdBesideNewer(&c)
	d.Plan.Newer = len(d.leave(&c))
}

func article(a plan.Action) string {
	if a != "" && strings.ContainsRune("aeiou", rune(a[0])) {
		return "an " + string(a)
	}
	return "a " + diag.Printable(string(a))
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
		message := "is " + article(c.Action) + describedID(c.ID) +
			" now; the saved plan has " + article(saved.Action) + describedID(saved.ID)
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

func describedID(id string) string {
	if id == "" {
		return ""
	}
	return " of " + id
}

// holdOutdated holds a change, and all that is made beneath it.
func (d *comparedToSaved) holdOutdated(i int, message string) {
	h := plan.Hold{Hazard: plan.Outdated, Message: message + "; plan again"}
	if d.Creates(&d.Plan.Changes[i]) {
		d.HoldTree(i, h)
		return
	}
	d.Plan.Changes[i].Hold(h)
	for j := i + 1; j < len(d.Plan.Changes) &&
		strings.HasPrefix(d.Plan.Changes[j].Address.Key, d.Plan.Changes[i].Address.Key+"/"); j++ {
		if beneath := &d.Plan.Changes[j]; d.Creates(beneath) {
			beneath.Hold(plan.Hold{Hazard: plan.Outdated, Message: "held with " + d.Plan.Changes[i].Address.String()})
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
			now.Value(name), "is %s in the files now; the saved plan has %s")
	}
	var live resource.Value
	if r := d.Live.Get(c.Address); r != nil {
		live = r.Value(name)
	}
	return d.movedFrom(c, name, plan.StaleLive, was.Live, live, "is %s at the service now; the plan was saved with %s")
}

func (d *comparedToSaved) compareField(c *plan.Change,
	f *plan.Field, was plan.SavedField, known bool) (plan.Stale, bool) {
	switch {
	case !known && f.Cause == plan.SentAlong:
		return plan.Stale{}, false
	case !known || !f.Desired.Equal(was.Desired) && f.Cause != plan.SentAlong:
		return d.movedFrom(c, f.Name, plan.StaleFiles, was.Desired,
			f.Desired, "is %s in the files now; the saved plan has %s"), true
	case !f.Live().Equal(was.Live):
		return d.movedFrom(c, f.Name, plan.StaleLive, was.Live,
			f.Live(), "is %s at the service now; the plan was saved with %s"), true
	case !f.Last().Equal(was.Last):
		return d.movedFrom(c, f.Name, plan.StaleRecord,
			was.Last, f.Last(), "was last applied as %s; the plan was saved with %s"), true
	}
	return plan.Stale{}, false
}

func (d *comparedToSaved) movedFrom(c *plan.Change,
	name, what string, planned, now resource.Value, form string) plan.Stale {
	s := plan.Stale{Address: c.Address, Attribute: name, What: what, Planned: planned, Now: now, Position: c.Position}
	if r := d.Desired.Get(c.Address); r != nil && !r.Value(name).Position.IsZero() {
		s.Position = r.Value(name).Position
	}
	a := d.All[c.Index].Kind.Attributes[name]
	s.Message = name + " " + fmt.Sprintf(form, shortened(a, now), shortened(a, planned))
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
			f.Hold(plan.Hold{Hazard: plan.Outdated, Message: moved[at].Message + "; plan again"})
		case with >= 0:
			f.Hold(plan.Hold{
				Hazard: plan.Outdated, Message: "held with " + moved[with].Attribute + ", which moved; plan again",
			})
		}
	}
}
