package guard

import (
	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
	"adsync/plan"
	"adsync/plan/drafting"
)

// overlaps is the rule of limits whose days overlap.
type overlaps struct{ *drafting.Draft }

// guard holds a limit that would come over days another one has at the
// service: until its own change is done, as long as that is held, or for good where
// the files do not move it. The service refuses the later of two that share a day
// (interface, part 4, spend limit rule 2), and what makes way goes last, as it raises
// what can be spent. What the files themselves let overlap is an error already, of
// checkOverlaps.
func (d *overlaps) guard() {
	for _, s := range d.Schemas {
		if _, lacking := d.Lacking[s.Kind]; lacking || !s.Caps || s.Ends == "" {
			continue
		}
		changes := map[resource.Address]*plan.Change{}
		for i := range d.Plan.Changes {
			if c := &d.Plan.Changes[i]; c.Address.Kind == s.Kind {
				changes[c.Address] = c
			}
		}
		for len(changes) > 0 && d.holdOverlap(d.stays(d.Kinds[s.Kind], changes)) {
		}
	}
}

// stay is where a limit is and where what is not held of the plan puts it.
type stay struct {
	reign                // the days it would come to
	now     reign        // the days it has, if it moves from them or is held
	change  *plan.Change // nil where nothing is done to it
	comes   bool         // to days it does not have now
	present bool         // it has days now that the files do not give it
	held    bool         // and the change that moves it from them is
}

// stays are in the order of addresses.
func (d *overlaps) stays(k *drafting.Kind, changes map[resource.Address]*plan.Change) []stay {
	var all []stay
	for i := range d.All {
		t := &d.All[i]
		if t.Kind != k || d.Ended(k, t.Live) {
			continue
		}
		s := stay{change: changes[t.Address]}
		switch c := s.change; {
		case c != nil && d.Creates(c):
			s.comes = c.Held == nil
			s.reign = reignOf(k, t.Address, t.Desired, nil)
		case t.Live == nil:
			continue
		case c == nil, t.Desired == nil && c.Action != plan.Archive:
			s.change, s.present = nil, t.Desired == nil
		case c.Action == plan.Archive:
			s.present, s.held = true, c.IsHeld()
		case c.Held != nil:
			s.present, s.held = true, true
		default:
			goes := func(f *plan.Field) bool { return movesCover(k, f) && f.Held == nil }
			s.comes = plan.AnyField(c.Fields, goes)
			s.held = plan.AnyField(c.Fields, func(f *plan.Field) bool { return movesCover(k, f) && f.Held != nil })
			s.present = s.comes || s.held
			s.reign = reignOf(k, t.Address, nil, k.Overlay(t.Live, c.Fields, goes))
		}
		if s.present {
			s.now = reignOf(k, t.Address, nil, t.Live)
		}
		all = append(all, s)
	}
	return all
}

// movesCover reports whether a field moves the days of a limit.
func movesCover(k *drafting.Kind, f *plan.Field) bool {
	a := k.Attributes[f.Name]
	return a != nil && (a.Name == k.Schema.Ends || a.Spend == resource.Cover && a.Type == resource.TypeDay)
}

// holdOverlap holds the first limit that comes over days another one has, and says
// whether there was one.
func (d *overlaps) holdOverlap(all []stay) bool {
	for i := range all {
		for j := range all {
			comes, other := &all[i], &all[j]
			if i == j || !comes.comes || !other.present || !comes.meets(other.now) {
				continue
			}
			d.holdDaysOf(comes, plan.Hold{Hazard: plan.Incomplete, Message: catalogue.Fill(d.overlapKey(other),
				"other", d.calledLive(other.now.address), "days", other.now.days())})
			return true
		}
	}
	return false
}

// overlapKey is the text of an overlap, by whether the other limit makes way.
func (d *overlaps) overlapKey(s *stay) string {
	switch {
	case s.held:
		return "guard.overlaps-held"
	case s.change != nil:
		return "guard.overlaps-first"
	case d.Last.Get(s.now.address) != nil:
		return "guard.overlaps-kept"
	}
	return "guard.overlaps"
}

func (d *overlaps) holdDaysOf(s *stay, h plan.Hold) {
	if d.Creates(s.change) {
		s.change.Hold(h)
		return
	}
	for i := range s.change.Fields {
		if f := &s.change.Fields[i]; movesCover(d.All[s.change.Index].Kind, f) && f.Held == nil {
			f.Hold(h)
		}
	}
}
