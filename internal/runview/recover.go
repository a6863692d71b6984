package runview

import (
	"time"

	"adsync/internal/resource"
	"adsync/state"
)

// rank orders outcomes from good to bad.
var rank = map[state.Outcome]int{
	state.OutcomeApplied: 1, state.OutcomeSkipped: 2, state.OutcomeFailed: 3, state.OutcomeUnknown: 4,
}

// Recover puts into the document of a run what was found of the steps it left
// open. Of a run that was killed nothing is known but its steps: what is in none
// of them was not reached.
func (d *Document) Recover(steps []state.Step, open func(step string) bool, at time.Time) {
	killed := d.Ended == Running || d.Ended == Killed
	if killed {
		d.Ended = Killed
	}
	found := map[string][]state.Operation{}
	r := &Recovered{At: at.UTC().Truncate(time.Second)}
	for _, s := range steps {
		left := open(s.ID)
		switch {
		case left:
			r.Undecided = append(r.Undecided, s.ID+": "+s.Note)
		case s.Point == state.Abandoned:
			r.Abandoned++
		default:
			r.Finished++
		}
		for _, o := range s.Operations {
			switch {
			case left && o.Outcome == "":
				o.Outcome = state.OutcomeUnknown
			case o.Outcome == "":
				o.Outcome, o.Message = state.OutcomeSkipped, "never had an effect"
			}
			found[o.Address.String()] = append(found[o.Address.String()], o)
		}
	}
	d.Recovered = r.after(d.Recovered)
	for i := range d.Outcomes {
		if o := &d.Outcomes[i]; o.Outcome == state.OutcomeUnknown {
			o.recover(found[o.Address], killed)
		}
	}
	d.Settle()
}

// after adds what an earlier recovery had found.
func (r *Recovered) after(earlier *Recovered) *Recovered {
	if earlier != nil {
		r.Finished += earlier.Finished
		r.Abandoned += earlier.Abandoned
	}
	return r
}

// recover finds the outcome of a change from those of its operations: the worst
// counts, and a change of which a part is missing is not applied.
func (o *Outcome) recover(operations []state.Operation, killed bool) {
	defer o.advise()
	if len(operations) == 0 {
		if killed {
			o.Outcome, o.Message = state.OutcomeSkipped, "not reached"
		}
		return
	}
	o.Outcome, o.Code, o.Message = state.OutcomeApplied, "", ""
	for _, one := range operations {
		if one.ResourceID != "" {
			o.ID = one.ResourceID
		}
		if rank[one.Outcome] > rank[o.Outcome] {
			o.Outcome, o.Code, o.Message = one.Outcome, one.Code, one.Message
		}
		if one.Outcome == state.OutcomeApplied {
			o.apply(one.Set)
		}
	}
	if o.Outcome == state.OutcomeApplied && o.missing() {
		o.Outcome, o.Message = state.OutcomeSkipped, "begun; its later parts were not reached"
	}
}

// advise says what to do about it as it is now.
func (o *Outcome) advise() {
	address, _ := resource.ParseAddress(o.Address)
	o.Do = Do(o.Outcome, o.Code, address)
}

func (o *Outcome) apply(set resource.Attributes) {
	for i := range o.Fields {
		f := &o.Fields[i]
		f.Applied = f.Applied || !f.After.IsAbsent() && set.Value(f.Name).Equal(f.After)
	}
}

func (o *Outcome) missing() bool {
	for _, f := range o.Fields {
		if !f.Applied && f.After.IsSet() {
			return true
		}
	}
	return false
}
