package compare_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"adsync/internal/kinds"
	"adsync/internal/words/catalogue"
	"adsync/plan"
	"adsync/plan/compare"

	"pgregory.net/rapid"
)

var (
	goesOn  = regexp.MustCompile(`\n +`)
	oneText = regexp.MustCompile(`(?m)^([a-z][^#=\n]*) = (.*)$`)
)

// inBrackets has each text of the catalogue begin and end so that it is known, until the test ends.
func inBrackets(t *testing.T) {
	t.Helper()
	english, err := os.ReadFile("../../internal/words/catalogue/english.txt")
	if err != nil {
		t.Fatal(err)
	}
	text := oneText.ReplaceAllString(goesOn.ReplaceAllString(string(english), " "), "$1 = ⟦$2⟧")
	other, err := catalogue.Read("brackets.txt", strings.Replace(text, "language = ⟦en⟧", "language = en", 1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(catalogue.Use(other))
}

// isOneText reports whether all of a message is within the brackets of one text.
func isOneText(message string) bool {
	depth := 0
	for i, r := range message {
		switch r {
		case '⟦':
			depth++
		case '⟧':
			depth--
		}
		if depth == 0 && i+len("⟧") < len(message) {
			return false
		}
	}
	return message != "" && depth == 0
}

// What holds a change, and what may be a slip of the hand, is one text of the catalogue each: no part of a sentence is
// in code, where nobody translates it. What is wrong with a row is a problem with a code, and stays as it is.
func TestWhatHoldsAChangeIsInTheCatalogue(t *testing.T) {
	if isOneText("⟦a⟧ and b") || isOneText("a ⟦b⟧") || isOneText("⟦a⟧; ⟦b⟧") || !isOneText("⟦a ⟦b⟧ c⟧") {
		t.Fatal("it does not tell one text from two")
	}
	inBrackets(t)
	seen := map[plan.Hazard]bool{}
	texts := map[string]bool{}
	is := func(hazard plan.Hazard, message string) {
		seen[hazard] = true
		if texts[message] {
			return
		}
		if texts[message] = true; hazard != plan.Invalid && !isOneText(message) {
			t.Errorf("%s: %s; want one text of the catalogue", hazard, message)
		}
	}
	look := func(p *plan.Plan) {
		for i := range p.Changes {
			for _, h := range p.Changes[i].Holds() {
				is(h.Hazard, h.Message)
			}
		}
		for _, a := range p.SuspiciousEdits {
			is(a.Hazard, a.Message)
			for _, e := range a.Examples {
				is(a.Hazard, e.Message)
			}
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		d := draw(rt, true)
		in := d.input(t)
		look(compare.Diff(in))
		in.Policy.Unattended, in.Policy.Frozen = true, []plan.Freeze{{Name: "x", Until: "tomorrow", Reason: "why"}}
		in.Unsettled = []plan.Unsettled{{Address: address("campaign/a"), What: "decrease", Message: "why"}}
		look(compare.Diff(in))
		in.Unsettled = nil
		look(compare.Diff(selected(t, in, "-campaign/a")))
	})
	in := plan.Input{Schemas: kinds.All(), Policy: plan.DefaultPolicy(), Desired: snapshot(t, selectable)}
	look(compare.Diff(selected(t, in, "-campaign/spring")))
	for _, slip := range []struct{ form, was, now string }{
		{adURL, "mud sand rock snow road", "mud road rock sand snow"},
		{adURL, "mud sand rock snow road", "tar tar tar tar tar"},
		{adURL, "mud sand rock snow road", "mud1 mud2 mud3 mud4 mud5"},
		{budget, "50 60 70 80 90", "50000000 60000000 70000000 80000000 90000000"},
		{budget, "5000 6000 7000 8000 9000", "50 60 70 80 90"},
		{adName, "mud_a sand_a rock_a snow_a road_a", "mud_b sand_b rock_b snow_b road_b"},
		{fullName, "Brandings Springsale", "Brandings Springsale Brandimgs"},
	} {
		look(retyped(t, fill(slip.form, list(slip.was)...), fill(slip.form, list(slip.now)...)))
	}
	for _, h := range []plan.Hazard{plan.RaisesSpend, plan.Exposure, plan.ExceedsFiles, plan.Activates, plan.Archives,
		plan.Adopts, plan.Drifts, plan.Conflicts, plan.Replaces, plan.RemovedByHand, plan.Frozen, plan.Unattended,
		plan.Undecided, plan.Unselected, plan.Shifted, plan.Series, plan.Scale, plan.MassEdit} {
		if !seen[h] {
			t.Errorf("nothing is held for %s; want what it says looked at", h)
		}
	}
	if len(texts) < 100 {
		t.Errorf("%d messages; want a hundred", len(texts))
	}
}
