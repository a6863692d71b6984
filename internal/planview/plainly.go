package planview

import (
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/review"
	"adsync/internal/words"
	"adsync/plan"
)

// says are the words of a form that differ with who reads it.
type says struct {
	Held, HeldTitle, AlsoPending, Hazards, IfAllowed string

	counts  [7]string // what becomes of the changes that go ahead
	waits   string
	stay    [4]string // what stays as it is
	ofTrees string
	why     func(review.Line) string // an ad is not approved
}

var engineers = says{
	Held: "held", HeldTitle: heldTitle, AlsoPending: alsoPending,
	Hazards: "Hazards: ", IfAllowed: "Were all allowed that is held: ",
	counts: [7]string{"to create", "to update", "to replace", "to archive", "to adopt", "to forget", "to record"},
	waits:  "held", ofTrees: "held", why: review.Line.Why,
	stay: [4]string{"in sync", "as last sent, not shown by the service", "kept", "not managed by these files"},
}

var marketers = says{
	Held: words.Waiting, HeldTitle: words.WaitsTitle,
	AlsoPending: words.AlsoPending, Hazards: "Good to know: ", IfAllowed: "Were all approved that waits: ",
	counts: [7]string{"new", "to change", "to end and make anew",
		"to end for good", "to take over", "to forget", "to note as they are"},
	waits: words.Waiting, ofTrees: words.Waiting, why: review.Line.WhyInWords,
	stay: [4]string{"as the files say", "as last sent, not shown by the service", "kept", "not in these files"},
}

// plainly puts a page into a marketer's words: names in the place of addresses and ids,
// the headers of columns in that of attributes, and reasons in that of hazards.
func (p *page) plainly(schemas resource.Schemas, d *Document) {
	names := words.NamesOf(schemas, d.Changes)
	for i := range p.movers {
		p.movers[i].label = words.Upper(names.In(p.movers[i].label))
	}
	for i := range p.bounds {
		p.bounds[i].label = names.In(p.bounds[i].label)
	}
	if p.held != "" {
		var because []string
		for hazard, n := range HeldBy(d) {
			because = append(because, Thousands(n)+" because "+words.Because(plan.Hazard(hazard)))
		}
		slices.Sort(because)
		p.held = strings.Join(because, "; ")
	}
	for i := range p.slips {
		s := &p.slips[i]
		s.hazard, s.message, s.examples = words.Upper(words.Because(plan.Hazard(s.hazard))),
			names.In(s.message), names.In(s.examples)
		s.release = strings.Replace(s.release, " held, all released with --allow "+s.allow, " wait for one approval", 1)
	}
	p.unnamed = strings.TrimSuffix(p.unnamed, unnamedCommand)
	for i := range p.unallowed {
		p.unallowed[i] = names.In(p.unallowed[i])
	}
	for i := range p.trees {
		t := &p.trees[i]
		t.top = words.Upper(names.Of(t.top))
		for k := range t.changes {
			t.changes[k].plainly(schemas, names)
		}
	}
}

func (e *entry) plainly(schemas resource.Schemas, names *words.Names) {
	address, _ := resource.ParseAddress(e.address)
	schema := schemas.Of(address.Kind)
	e.action = words.Action(plan.Action(e.action))
	if e.name == "" {
		e.name = address.Leaf()
	}
	e.address, e.id = names.Kind(e.address), ""
	e.tag = e.waits()
	e.note, e.recorded, e.along = names.In(e.note), labels(schema, e.recorded), labels(schema, e.along)
	var why []string
	for _, hazard := range strings.Split(e.hazards, ", ") {
		if hazard != "" && !e.isHeldBy(hazard) {
			why = append(why, words.Because(plan.Hazard(hazard)))
		}
	}
	e.hazards = strings.Join(why, "; ")
	holdsPlainly(e.holds, names)
	for i := range e.fields {
		f := &e.fields[i]
		f.name = diag.Printable(words.Label(schema, f.name))
		f.why = strings.Replace(f.why, f.cause.String(), words.Cause(f.cause), 1)
		holdsPlainly(f.holds, names)
	}
}

// waits returns what a change that is held waits for: an approval, where one releases it.
func (e *entry) waits() string {
	released := func(h hold) bool { return h.allow != "" }
	switch {
	case !e.held && e.goes:
		return ""
	case e.goes:
		return words.WaitsPart
	case slices.ContainsFunc(e.holds, released) || slices.ContainsFunc(e.fields, func(f row) bool {
		return slices.ContainsFunc(f.holds, released)
	}):
		return words.Waits
	}
	return words.WaitsElse
}

// isHeldBy reports whether a hazard is said where it holds.
func (e *entry) isHeldBy(hazard string) bool {
	by := func(h hold) bool { return h.hazard == hazard }
	return slices.ContainsFunc(e.holds, by) || slices.ContainsFunc(e.fields, func(f row) bool {
		return slices.ContainsFunc(f.holds, by)
	})
}

func holdsPlainly(holds []hold, names *words.Names) {
	for i := range holds {
		h := &holds[i]
		h.title, h.message, h.final = words.Hold(plan.Hazard(h.hazard), h.allow != "")+":",
			names.In(h.message), "Nobody can approve it here."
		if h.allow != "" {
			h.allow, h.final = "", ""
		}
	}
}

// labels are the headers of attributes that are named with commas.
func labels(schema *resource.Schema, named string) string {
	if named == "" {
		return ""
	}
	all := strings.Split(named, ", ")
	for i, name := range all {
		all[i] = words.Label(schema, name)
	}
	return diag.Printable(strings.Join(all, ", "))
}
