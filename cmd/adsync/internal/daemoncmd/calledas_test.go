package daemoncmd

import (
	"testing"

	"adsync/sources"
)

// A second download is the file that it is one of, and no other name is taken for another.
func TestASecondDownloadIsTheFileItself(t *testing.T) {
	of := []sources.Source{
		{File: "ads.xlsx"}, {File: "north/Ads north.xlsx"}, {File: "sale (2).csv"}, {File: "sale.csv"},
	}
	for name, want := range map[string]string{
		"ads.xlsx":           "ads.xlsx",
		"ads (1).xlsx":       "ads.xlsx",
		"ads(12).xlsx":       "ads.xlsx",
		"Ads North (3).xlsx": "Ads North.xlsx",
		"sale (2).csv":       "sale (2).csv", // it is there
		"sale (3).csv":       "sale.csv",
		"boots (1).xlsx":     "boots (1).xlsx", // nothing it could be one of
		"ads (1).csv":        "ads (1).csv",
		"ads (final).xlsx":   "ads (final).xlsx",
		"ads (1) (1).xlsx":   "ads (1) (1).xlsx",
		"(1).xlsx":           "(1).xlsx",
	} {
		if is := calledAs(of, name); is != want {
			t.Errorf("%s counts as %s; want %s", name, is, want)
		}
	}
}
