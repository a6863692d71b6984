package planview

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/internal/testing/golden"

	"github.com/google/go-cmp/cmp"
)

func text(t testing.TB, d *Document, o TextOptions) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteText(&b, kinds.All(), d, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestText(t *testing.T) {
	for name, o := range map[string]TextOptions{
		"quarter-80.txt": {Width: 80}, "quarter-120.txt": {Width: 120}, "quarter-full.txt": {Width: 120, Full: true},
	} {
		golden.File(t, "testdata/"+name, []byte(text(t, quarter(t), o)))
	}
	golden.File(t, "testdata/large.txt", []byte(text(t,
		planned(t, "", largeTree(400)+strings.Replace(largeTree(3), "/x", "/y", -1), ""), TextOptions{Width: 80})))
	golden.File(t, "testdata/nothing.txt", []byte(text(t, planned(t,
		"campaign/x#1 name=Autumn", "campaign/x name=Autumn", "campaign/x#1 name=Autumn"), TextOptions{Width: 80})))
}

// TestTheFirstLinesSayWhatCountsMost: somebody in a hurry reads two lines.
func TestTheFirstLinesSayWhatCountsMost(t *testing.T) {
	first := strings.SplitN(text(t, quarter(t), TextOptions{Width: 80}), "\n", 2)[0]
	if want := "Possible spend a day:  1,130.00 → 1,220.00 USD (+90.00, ×1.07)"; first != want {
		t.Errorf("first line is %q, want %q", first, want)
	}
	if got := text(t, quarter(t), TextOptions{Width: 80}); !strings.Contains(got,
		"\nPlan: 3 to create, 4 to update; 8 held;") {
		t.Errorf("the counts are not at the top:\n%.600s", got)
	}
}

func TestX5TextIsSafeOnATerminal(t *testing.T) {
	for _, line := range strings.Split(text(t, hostile("Sale\x1b[2J\u202e\r\nPlan: 0"), TextOptions{}), "\n") {
		if diag.HasHidden(line) || line == "Plan: 0" {
			t.Errorf("line holds what cannot be seen, or is not adsync's: %q", line)
		}
	}
}

var codes = regexp.MustCompile("\x1b\\[[0-9;]*m")

func TestColorSaysNothingAlone(t *testing.T) {
	plain, colored := text(t, quarter(t), TextOptions{}), text(t, quarter(t), TextOptions{Color: true})
	if plain == colored {
		t.Fatal("color changes nothing")
	}
	if d := cmp.Diff(plain, codes.ReplaceAllString(colored, "")); d != "" {
		t.Errorf("colored without its codes (-want +got):\n%s", d)
	}
}

// TestNoLineIsWiderThanTheTerminal but one that holds a single word: an address,
// a flag or a position is copied, and never cut.
func TestNoLineIsWiderThanTheTerminal(t *testing.T) {
	for _, width := range []int{60, 80, 100, 140} {
		for line := range strings.Lines(text(t, quarter(t), TextOptions{Width: width})) {
			line = strings.TrimRight(line, "\n")
			if words := strings.Fields(line); Columns(line) > width && len(words) > 3 {
				t.Errorf("at %d columns a line has %d: %q", width, Columns(line), line)
			}
		}
	}
}

func TestALargePlanIsFoldedAloudAndListedInFull(t *testing.T) {
	d := planned(t, "", largeTree(400), "")
	got := text(t, d, TextOptions{})
	if strings.Count(got, "create ad/x/r/") != 5 || !strings.Contains(got, "… and 395 more like these: create ad\n") {
		t.Errorf("402 creates are not folded, or not said to be:\n%.3000s", got)
	}
	full := text(t, d, TextOptions{Full: true})
	for i := range 400 {
		if want := fmt.Sprintf("+ create ad/x/r/a%d ", i); !strings.Contains(full, want) {
			t.Fatalf("--full lacks %q", want)
		}
	}
}

// TestAFoldHidesNothingThatStandsAlone: one budget among 200 titles is listed,
// wherever it stands.
func TestAFoldHidesNothingThatStandsAlone(t *testing.T) {
	var last, desired strings.Builder
	for i := range 200 {
		fmt.Fprintf(&last, "campaign/c%03d#%d name=Autumn budget.daily=10 status=active\n", i, i)
		budget := 10
		if i == 150 {
			budget = 14
		}
		fmt.Fprintf(&desired, "campaign/c%03d name=Winter budget.daily=%d status=active\n", i, budget)
	}
	got := text(t, planned(t, last.String(), desired.String(), last.String()), TextOptions{})
	if !strings.Contains(got, "campaign/c150") || !strings.Contains(got, "10.00 → 14.00 (+4.00, ×1.40)") ||
		strings.Contains(got, "campaign/c149") {
		t.Errorf("the one budget is not listed, or everything is:\n%s", got)
	}
}

func TestALongTextIsCutWhereItDiffers(t *testing.T) {
	same := strings.Repeat("same_", 40)
	d := planned(t, "campaign/x#1 description="+same+"first",
		"campaign/x description="+same+"second", "campaign/x#1 description="+same+"first")
	got := strings.Join(strings.Fields(text(t, d, TextOptions{})), " ")
	if !strings.Contains(got, `first" (207 characters)`) || !strings.Contains(got, `second" (208 characters)`) {
		t.Errorf("the cut hides the difference:\n%s", got)
	}
}

// TestTextsFromRightToLeftAreNotTurnedAround: an arrow between two of them would be
// drawn leading from the new one to the old.
func TestTextsFromRightToLeftAreNotTurnedAround(t *testing.T) {
	d := planned(t, "campaign/x#1 description=אבג", "campaign/x description=דהו", "campaign/x#1 description=אבג")
	if got := text(t, d, TextOptions{}); !strings.Contains(got, `"אבג" becomes "דהו"`) {
		t.Errorf("got\n%s\nwant the texts with a word between them", got)
	}
}

func TestAFewAccidentsAreListedAndTheRestCounted(t *testing.T) {
	var was, now []string
	for i := range 40 {
		was = append(was, list("mud sand rock snow")...)
		now = append(now, fmt.Sprintf("s%d-1", i),
			fmt.Sprintf("s%d-2", i), fmt.Sprintf("s%d-3", i), fmt.Sprintf("s%d-4", i))
	}
	d := documentOf(retyped(t, fill("ad/c/g/a%d target_url=https://a.example/%s", was...),
		fill("ad/c/g/a%d target_url=https://a.example/%s", now...)))
	got := text(t, d, TextOptions{})
	if len(d.SuspiciousEdits) != 40 || strings.Count(got, "! series: ") != 30 ||
		!strings.Contains(got, "10 more of this, all in -o json") {
		t.Errorf("of %d accidents the text says\n%.2000s", len(d.SuspiciousEdits), got)
	}
}

func BenchmarkTextCreateAll(b *testing.B) {
	d := planned(b, "", largeTree(10_000), "")
	b.ReportAllocs()
	for b.Loop() {
		if err := WriteText(io.Discard, kinds.All(), d, TextOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}
