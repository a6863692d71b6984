package diag_test

import (
	"strings"
	"testing"

	"adsync/internal/diag"

	"golang.org/x/text/unicode/bidi"
)

// TestWhatWasIsReadBeforeWhatIsToBe, also by who is shown both as a browser lays
// them out.
func TestWhatWasIsReadBeforeWhatIsToBe(t *testing.T) {
	for _, row := range []struct{ was, is, want string }{
		{`"a"`, `"b"`, `"a" → "b"`},
		{"10.00", "12.00", "10.00 → 12.00"},
		{`"a"`, `"אב"`, `"a" → "אב"`},
		{`"אב"`, `"b"`, `"אב" becomes "b"`},
		{`"אב"`, `"גד"`, `"אב" becomes "גד"`},
		{`"نعال"`, `"حذاء"`, `"نعال" becomes "حذاء"`},
		{`"אב 5"`, `"6 גד"`, `"אב 5" becomes "6 גד"`},
		{`"אב"`, `7`, `"אב" becomes 7`},
	} {
		got := diag.Becomes(row.was, row.is)
		if got != row.want {
			t.Errorf("Becomes(%s, %s) = %s, want %s", row.was, row.is, got, row.want)
		}
		shown := drawn(t, "name: "+got)
		if was, is := strings.Index(shown, letter(row.was)), strings.Index(shown, letter(row.is)); was < 0 || was > is {
			t.Errorf("%s is drawn as %s: what is to be stands first", got, shown)
		}
	}
	if shown := drawn(t, `name: "אב" → "גד"`); strings.Index(shown, "א") < strings.Index(shown, "ג") {
		t.Errorf("an arrow is drawn as %s: this test notices nothing", shown)
	}
}

// TestTheSignOfAnEntryIsDrawnBesideIt, or a word is.
func TestTheSignOfAnEntryIsDrawnBesideIt(t *testing.T) {
	for _, row := range []struct{ gained, lost, want, drawn string }{
		{"mud", "sand", "[+mud -sand]", "[+mud -sand]"},
		{"אב", "גד", "[added אב removed גד]", "[added בא removed דג]"},
	} {
		got := "[" + diag.Gained(row.gained) + " " + diag.Lost(row.lost) + "]"
		if got != row.want || drawn(t, got) != row.drawn {
			t.Errorf("got %s, drawn as %s; want %s, drawn as %s", got, drawn(t, got), row.want, row.drawn)
		}
	}
}

// letter is the first letter or digit of a text.
func letter(s string) string { return string([]rune(strings.Trim(s, `"`))[:1]) }

// drawn returns a line in the order its characters are drawn, from left to right.
func drawn(t *testing.T, line string) string {
	t.Helper()
	var p bidi.Paragraph
	if _, err := p.SetString(line, bidi.DefaultDirection(bidi.LeftToRight)); err != nil {
		t.Fatal(err)
	}
	order, err := p.Order()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for i := range order.NumRuns() {
		run := order.Run(i)
		if text := run.String(); run.Direction() == bidi.RightToLeft {
			b.WriteString(bidi.ReverseString(text))
		} else {
			b.WriteString(text)
		}
	}
	return b.String()
}
