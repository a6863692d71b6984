package words

import (
	"strings"
	"testing"

	"adsync/internal/kinds"
	"adsync/plan"
)

// Whatever a plan may hold has a marketer's words, which are not the engineer's.
func TestEveryHazardActionAndCauseHasWords(t *testing.T) {
	for _, e := range plan.Explanations() {
		if said := Because(e.Hazard); !strings.Contains(said, " ") {
			t.Errorf("%s is said as %q; want words", e.Hazard, said)
		}
	}
	for _, a := range []plan.Action{plan.Create, plan.Update,
		plan.Replace, plan.Archive, plan.Adopt, plan.Record, plan.Forget} {
		for _, said := range []string{Action(a), Will(a), Done(a)} {
			if said == "" || said[0] == '[' || said == string(a) {
				t.Errorf("%s is said as %q; want words for a plan and for a run", a, said)
			}
		}
	}
	for c := plan.Edit; c <= plan.SentAlong; c++ {
		if said := Cause(c); said == "" || said[0] == '[' {
			t.Errorf("%s is said as %q; want words", c, said)
		}
	}
}

func TestNamesStandInThePlaceOfAddresses(t *testing.T) {
	names := NamesOf(kinds.All(), []plan.ChangeDocument{
		{Address: "campaign/spring", Name: "Spring sale"},
		{Address: "ad_group/spring/runners", Name: "Runners"}, {Address: "ad/spring/runners/hero", Name: ""},
	})
	for _, row := range []struct{ text, want string }{
		{"campaign/spring: budget.daily rises ×2.00, from 50.00 to 100.00",
			"campaign “Spring sale”: Daily budget rises ×2.00, from 50.00 to 100.00"},
		{"held with campaign/spring; see ad_group/spring/runners.",
			"waits with campaign “Spring sale”; see ad group “Runners” of Spring sale."},
		{"ad/spring/runners/hero", "ad “hero” of Runners, Spring sale"},
		{"account/account", "account"},
		{"bid.max rises", "Max bid rises"},
		{"see https://shop.example/spring and q4.xlsx:Ads!B2", "see https://shop.example/spring and q4.xlsx:Ads!B2"},
		{"end is 2026-11-20", "end is 2026-11-20"},
		{"status", "status"},
		{"it may be there; to decide it: adsync resolve campaign/spring", "it may be there"},
		{"bid.max rises; allow it with --allow raises-spend=campaign/spring", "Max bid rises"},
		{"adsync did not write that", "adsync did not write that"},
		{"changed outside adsync from 40.00 to 35.00; write that in the file, or allow undoing it",
			"changed outside adsync from 40.00 to 35.00"},
		{"is at the service already, as cmp_17, and adsync did not create it",
			"is at the service already, and adsync did not create it"},
	} {
		if got := names.In(row.text); got != row.want {
			t.Errorf("%q is %q; want %q", row.text, got, row.want)
		}
	}
}

func TestAnAllowanceIsSaidInWords(t *testing.T) {
	names := NamesOf(kinds.All(), []plan.ChangeDocument{{Address: "campaign/spring", Name: "Spring sale"}})
	for _, row := range []struct{ allow, want string }{
		{"adopt", "It is already live, and nobody said that it is this row"},
		{"raises-spend=campaign/spring", "A budget, a bid or a limit rises: campaign “Spring sale”"},
		{"raises-spend=campaign/spring=500", "A budget, a bid or a limit rises: campaign “Spring sale”, to 500.00"},
		{"raises-spend=120/day", "A budget, a bid or a limit rises, by at most 120.00 a day"},
		{"exposure=120/day", "The guard on possible spend stops it, by at most 120.00 a day"},
		{"archives=12", "It ends for good, up to 12 of a kind"},
		{"nonsense", "nonsense"},
	} {
		if got := names.Allowance(row.allow); got != row.want {
			t.Errorf("%s is %q; want %q", row.allow, got, row.want)
		}
	}
}

// TestWhatHoldsSaysWhatToDoWithoutACommand: whatever holds a change, approved or not, on
// the page or in a copy.
func TestWhatHoldsSaysWhatToDoWithoutACommand(t *testing.T) {
	names := NamesOf(kinds.All(), []plan.ChangeDocument{{Address: "campaign/spring", Name: "Spring sale"}})
	for _, e := range plan.Explanations() {
		for _, allow := range []string{"", string(e.Hazard) + "=campaign/spring"} {
			hold := plan.Hold{
				Hazard: e.Hazard, Allow: allow,
				Message: "budget.daily is of campaign/spring; allow it with --allow " + allow,
			}
			said := names.Holds([]plan.Hold{hold}, OnPage)
			lead, do, found := strings.Cut(said, "\nTo do: ")
			if lead != "Daily budget is of campaign “Spring sale”" ||
				!found || len(do) < 10 || command.MatchString(said) {
				t.Errorf("%s says %q; want what it is, and what to do without a command", e.Hazard, said)
			}
			if strings.HasPrefix(do, "approve it on the page") != (allow != "") {
				t.Errorf("%s, allowed with %q, is to be mended thus: %q; want an approval exactly where one helps",
					e.Hazard, allow, do)
			}
		}
	}
}

func TestTwoHoldsOfOneRemedySayItOnce(t *testing.T) {
	names := NamesOf(kinds.All(), nil)
	said := names.Holds([]plan.Hold{
		{Hazard: plan.RaisesSpend, Message: "budget.daily rises ×2.25", Allow: "raises-spend=campaign/spring"},
		{Hazard: plan.Exposure, Message: "daily caps would rise ×2.25", Allow: "exposure=50/day"},
	}, OnSheet)
	if want := "Daily budget rises ×2.25\nDaily caps " +
		"would rise ×2.25\nTo do: say yes to it on the sheet Plan, or write a smaller amount."; said != want {
		t.Errorf("two holds say %q; want %q", said, want)
	}
}

// What stands in adsync.yaml is no marketer's: names in the place of addresses would make it wrong.
func TestHoldsOfSeveralRemedies(t *testing.T) {
	names := NamesOf(kinds.All(), []plan.ChangeDocument{{Address: "campaign/store", Name: "Store"}})
	said := names.Holds([]plan.Hold{
		{Hazard: plan.Twins, Allow: "twin=campaign/store", Message: "has the name of campaign/brand, which the files " +
			"no longer name: rename or new? to keep what is there, write moved: [{from: campaign/brand, " +
			"to: campaign/store}] in adsync.yaml, or allow creating another"},
		{Hazard: plan.Invalid, Message: "its image is missing"},
		{Hazard: plan.Exposure, Message: "daily caps would rise ×2.25", Allow: "exposure=50/day"},
	}, OnPage)
	want := "Has the name of campaign “brand”, which the files no longer name: rename or new? to keep what is " +
		"there, ask whoever looks after adsync to note the new name, or allow creating another\n" +
		"Its image is missing\nDaily caps would rise ×2.25\nTo do: approve it on the page, or give yours another " +
		"name and write a smaller amount; mend the cell that is named."
	if said != want {
		t.Errorf("%q; want %q", said, want)
	}
}
