package diag

import "testing"

// TestAPositionBeginsNoCommand: names of files and sheets that are harmless one
// by one must not join to what a build log carries out.
func TestAPositionBeginsNoCommand(t *testing.T) {
	for _, row := range []struct {
		position Position
		want     string
	}{
		{Cell(":", ":", 1, 1), `\u003a::!A1`},
		{Cell("", ":error:", 1, 1), `\u003a:error:!A1`},
		{At(":", 12, 9), `\u003a:12:9`},
		{At("a:", 12, 9), "a::12:9"},
		{Cell("q4.xlsx", "Ads", 17, 5), "q4.xlsx:Ads!E17"},
	} {
		if got := row.position.String(); got != row.want {
			t.Errorf("the position of %q and %q is %s; want %s",
				row.position.File(), row.position.Sheet(), got, row.want)
		}
	}
}
