package eyes

import (
	"strings"
	"testing"
	"time"

	_ "adsync/internal/testing/drawn"
	"adsync/plan"
	"adsync/state/kv"

	"pgregory.net/rapid"
)

var (
	anna  = Who{Name: "anna", Login: "anna-gh"} // joined
	ben   = Who{Name: "ben"}
	cleo  = Who{Name: "cleo"}
	dora  = Who{Login: "dora-gh"} // at the forge alone
	erik  = Who{Login: "erik-gh"}
	asked = askFor(500)
)

func askFor(amount int64) plan.Ask {
	return plan.Ask{Hazard: plan.RaisesSpend, Allow: "raises-spend=campaign/x",
		Parts: []plan.Part{{Address: "campaign/x", Field: "budget.daily", After: "200", Before: "80", Amount: amount}}}
}

// ruleOf is that of raises, with who wrote the one that is asked for and who agreed to it.
func ruleOf(wrote []Who, given ...Yes) *Rule {
	r := Rule{Hazards: Of("raises"), Given: given, Spent: func(string, int64) bool { return false }}
	if wrote != nil {
		r.Wrote = []Wrote{{By: wrote, Keys: []string{asked.Parts[0].Key(asked.Hazard)}}}
	}
	return NewRule(r)
}

func yes(who ...Who) (all []Yes) {
	for _, w := range who {
		all = append(all, Yes{Who: &w, Asks: []plan.Ask{asked}})
	}
	return all
}

func TestWhoseYesCounts(t *testing.T) {
	for _, tt := range []struct {
		name   string
		wrote  []Who // nil: nobody knows
		given  []Yes
		counts bool // the last of them
		says   string
	}{
		{"somebody else than the author", []Who{anna}, yes(ben), true, ""},
		{"nobody but the author, yet", []Who{anna}, nil, false,
			"anna wrote it: it wants the approval of somebody else"},
		{"the author", []Who{anna}, yes(anna), false, "anna wrote it"},
		{"the author by another name that is joined", []Who{{Login: "ANNA-gh"}}, yes(anna), false,
			"ANNA-gh (at the forge)"},
		{"one of two authors", []Who{anna, ben}, yes(ben), false, "anna, ben wrote it"},
		{"a login that is joined with no name may be the author's", []Who{dora}, yes(ben), false,
			"approved by ben; it wants one more person than ben"},
		{"two names, where the author is known by a login alone", []Who{dora}, yes(ben, cleo), true, "than ben, cleo"},
		{"another login of the forge", []Who{dora}, yes(erik), true, ""},
		{"one, of what nobody is known to have written", nil, yes(anna), false,
			"approved by anna; it wants one more person than anna"},
		{"two", nil, yes(anna, ben), true, ""},
		{"the same twice", nil, yes(anna, anna), false, "one more person than anna"},
		{"the same, on the page and at the forge", nil, yes(Who{Name: "ANNA"}, anna), false, ""},
		{"a name and a login that may be one person", nil, yes(ben, dora), false, ""},
		{"the author beside somebody else, of two", []Who{anna}, yes(anna, ben), true, ""},
		{"nobody has", nil, nil, false, "who wrote it is not known: it wants the approval of two people"},
		{"nobody who proved it", nil, append(yes(ben), Yes{Asks: []plan.Ask{asked}}), false,
			"one more person than ben"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := ruleOf(tt.wrote, tt.given...)
			if n := len(tt.given); n > 0 {
				if _, counts := r.Counts(tt.given[n-1], asked); counts != tt.counts {
					t.Errorf("it counts: %t; want %t", counts, tt.counts)
				}
			}
			if says := r.Wants(&asked).Says(); !strings.Contains(says, tt.says) {
				t.Errorf("it says %q; want %q", says, tt.says)
			}
		})
	}
}

// Two who agreed to other amounts agreed to the lower one together.
func TestTwoAgreeToTheLowerAmount(t *testing.T) {
	given := yes(anna, ben)
	given[1].Asks = []plan.Ask{askFor(300)}
	for i, y := range given {
		left, counts := ruleOf(nil, given...).Counts(y, y.Asks[0])
		if !counts || left.Parts[0].Amount != 300 {
			t.Errorf("yes %d counts for %+v; want 300", i, left.Parts)
		}
	}
}

// What was done since somebody agreed, or wrote, is another change that looks the same: neither says anything of it.
func TestWhatWasDoneSinceIsAnother(t *testing.T) {
	given := yes(anna, ben)
	given[0].Serial, given[1].Serial = 5, 9
	r := Rule{Hazards: Of("raises"), Given: given, Spent: func(_ string, serial int64) bool { return serial < 7 }}
	if _, counts := NewRule(r).Counts(given[1], asked); counts {
		t.Error("a yes from before it was done counts as the second of two")
	}
	r.Wrote = []Wrote{{By: []Who{ben}, Serial: 5, Keys: []string{asked.Parts[0].Key(asked.Hazard)}}}
	lack := NewRule(r).Wants(&asked)
	if lack.Known || len(lack.Authors) > 0 {
		t.Errorf("%+v; want that nobody is known to have written it since", lack)
	}
}

// What a policy says nothing of is as it was: one yes of anybody, by whichever token.
func TestOtherHazardsAreAsBefore(t *testing.T) {
	drift := asked
	drift.Hazard = plan.Drifts
	r := ruleOf([]Who{anna})
	if left, counts := r.Counts(Yes{}, drift); !counts || len(left.Parts) != 1 || r.Wants(&drift) != nil {
		t.Error("a hazard of another group wants more than one yes")
	}
	if _, counts := NewRule(Rule{}).Counts(Yes{}, asked); !counts {
		t.Error("without a rule a yes does not count")
	}
}

// However people are called and joined: no yes of an author counts, and of what nobody is known to have written no yes
// counts without one of another person.
func TestNobodyApprovesAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		people := []Who{anna, {Name: "Anna"}, {Login: "anna-GH"}, ben, cleo, dora, erik}
		one := rapid.SampledFrom(people)
		var wrote []Who
		if rapid.Bool().Draw(t, "known") {
			wrote = rapid.SliceOfN(one, 1, 3).Draw(t, "wrote")
		}
		given := yes(rapid.SliceOfN(one, 1, 4).Draw(t, "given")...)
		r := ruleOf(wrote, given...)
		for _, y := range given {
			_, counts := r.Counts(y, asked)
			others := 0
			for _, o := range given {
				if o.Who.other(*y.Who) && !isOf(wrote, *o.Who) {
					others++
				}
			}
			switch {
			case counts && isOf(wrote, *y.Who):
				t.Fatalf("the yes of %v counts, who wrote it", y.Who)
			case counts && others == 0 && (wrote == nil || !allOthers(wrote, *y.Who)):
				t.Fatalf("the yes of %v counts alone", y.Who)
			case !counts && !isOf(wrote, *y.Who) && (others > 0 || wrote != nil && allOthers(wrote, *y.Who)):
				t.Fatalf("the yes of %v does not count", y.Who)
			}
			if lack := r.Wants(&asked); counts != (!lack.Refuses(*y.Who) && lack.Enough(*y.Who)) {
				t.Fatalf("it counts: %t, and the page says otherwise: %+v", counts, lack)
			}
		}
	})
}

// Who wrote what is kept once, for 31 days, and said of the state it is of.
func TestWhoWroteIsKept(t *testing.T) {
	at := kv.Folder{Dir: t.TempDir()}
	noon := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	note := func(w Wrote) {
		t.Helper()
		if err := Note(at, w); err != nil {
			t.Fatal(err)
		}
	}
	note(Wrote{Time: noon.Add(-40 * 24 * time.Hour), By: []Who{cleo}, Lineage: "l", Keys: []string{"old"}})
	for range 2 {
		note(Wrote{Time: noon, By: []Who{anna}, Lineage: "l", Serial: 3, Keys: []string{"k"}})
	}
	note(Wrote{Time: noon, By: []Who{ben}, Lineage: "other", Keys: []string{"k"}})
	all, err := Noted(at, "l")
	if err != nil || len(all) != 1 || all[0].By[0] != anna || all[0].Serial != 3 {
		t.Errorf("%+v, %v; want anna's, once", all, err)
	}
}

// Who had a commit made is kept for 31 days, of that commit alone, and of nobody where two had.
func TestWhoHadACommitMadeIsKept(t *testing.T) {
	at := kv.Folder{Dir: t.TempDir()}
	noon := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	for _, s := range []Sender{{noon.Add(-40 * 24 * time.Hour), anna, "old"}, {noon, anna, "c1"}, {noon, anna, "c1"},
		{noon, anna, "c2"}, {noon, ben, "c2"}, {noon, ben, ""}} {
		if err := NoteSender(at, s); err != nil {
			t.Fatal(err)
		}
	}
	for commit, want := range map[string]*Who{"c1": &anna, "c2": nil, "old": nil, "": nil, "c": nil} {
		who, err := SenderOf(at, commit)
		if err != nil || (who == nil) != (want == nil) || want != nil && *who != *want {
			t.Errorf("%q is of %v, %v; want %v", commit, who, err, want)
		}
	}
}
