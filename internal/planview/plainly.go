package planview

import (
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/review"
	"adsync/internal/words"
	"adsync/internal/words/catalogue"
	"adsync/plan"
)

// says are the words of a form that differ with who reads it.
type says struct {
	Held, HeldTitle, AlsoPending string

	count     func(what, n string) string // of changes, by what becomes of them
	ifAllowed func(what string) string    // it would do to spend
	hazards   func(names string) string
	cause     func(plan.Cause) string  // a field changes
	why       func(review.Line) string // an ad is not approved
}

// engineerCounts are what becomes of changes, and what stays as it is.
var engineerCounts = map[string]string{
	"create": "to create", "update": "to update", "replace": "to replace", "archive": "to archive",
	"adopt": "to adopt", "forget": "to forget", "record": "to record", "held": "held", "in-sync": "in sync",
	"as-sent": "as last sent, not shown by the service", "kept": "kept", "unmanaged": "not managed by these files",
}

var engineers = says{
	Held: "held", HeldTitle: heldTitle, AlsoPending: alsoPending,
	count:     func(what, n string) string { return n + " " + engineerCounts[what] },
	ifAllowed: func(what string) string { return "Were all allowed that is held: " + what + "." },
	hazards:   func(names string) string { return "Hazards: " + names },
	cause:     plan.Cause.String, why: review.Line.Why,
}

func marketers() *says {
	return &says{
		Held: words.Waiting.Words(), HeldTitle: words.WaitsTitle.Words(), AlsoPending: words.AlsoPending.Words(),
		count:     func(what, n string) string { return catalogue.Say("counts."+what, "n", n) },
		ifAllowed: func(what string) string { return catalogue.Say("sums.if-approved", "what", what) },
		hazards:   func(why string) string { return catalogue.Say("change.hazards", "what", why) },
		cause:     words.Cause, why: review.Line.WhyInWords,
	}
}

// unreleasedShown is how many changes that nobody can approve a page lists.
const unreleasedShown = 30

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
			because = append(because, catalogue.Say("counts.because", "n", Thousands(n),
				"why", words.Because(plan.Hazard(hazard))))
		}
		slices.Sort(because)
		p.held = Semicolons(because)
	}
	for i := range p.slips {
		s := &p.slips[i]
		s.hazard, s.message, s.examples = words.Upper(words.Because(plan.Hazard(s.hazard))),
			names.In(s.message), names.In(s.examples)
		if s.held > 0 {
			s.release = catalogue.Say("slips.release", "n", Thousands(s.held))
		}
	}
	p.unnamed = strings.TrimSuffix(p.unnamed, unnamedCommand)
	p.unallowed = nil
	more := 0
	for address, never := range unreleased(d) {
		if len(p.unallowed) == unreleasedShown {
			more++
			continue
		}
		because := make([]string, len(never))
		for i, hazard := range never {
			because[i] = words.Because(plan.Hazard(hazard))
		}
		p.unallowed = append(p.unallowed, catalogue.Say("change.nobody",
			"what", words.Upper(names.Of(address)), "why", Semicolons(because)))
	}
	if more > 0 {
		p.unallowed = append(p.unallowed, catalogue.Say("held.more", "n", Thousands(more)))
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
	e.hazards = Semicolons(why)
	holdsPlainly(e.holds, names)
	for i := range e.fields {
		f := &e.fields[i]
		f.name = diag.Printable(words.Label(schema, f.name))
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
		return words.WaitsPart.Words()
	case slices.ContainsFunc(e.holds, released) || slices.ContainsFunc(e.fields, func(f row) bool {
		return slices.ContainsFunc(f.holds, released)
	}):
		return words.Waits.Words()
	}
	return words.WaitsElse.Words()
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
			names.In(h.message), catalogue.Say("change.final")
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
		all[i] = diag.Printable(words.Label(schema, name))
	}
	return words.Commas(all)
}
