package yamlfmt

import (
	"testing"

	"pgregory.net/rapid"
)

// What is left out at once is no word and no number to any of the expressions.
func TestNoWordOrNumberIsLeftOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(
			rapid.StringOfN(rapid.SampledFrom([]rune("yYnNoOfFaAlLsſSeEtTrRuU~<=")), 1, 8, -1),
			rapid.StringOfN(rapid.SampledFrom([]rune("0189_.,:+-eExinfINF ")), 1, 12, -1),
		).Draw(t, "text")
		if !mayReadAsOther(s) && (oldWords.MatchString(s) || oldNumber.MatchString(s) || numeric.MatchString(s)) {
			t.Fatalf("mayReadAsOther(%q) = false; want true", s)
		}
	})
	for _, s := range []string{"falſe", "FALSE", "~", "1_000:30", ".inf", "-0x1F"} {
		if !mayReadAsOther(s) {
			t.Errorf("mayReadAsOther(%q) = false; want true", s)
		}
	}
	if mayReadAsOther("people comparing trail shoes") {
		t.Error("mayReadAsOther leaves nothing out")
	}
}
