package diag

import (
	"encoding/json"
	"strings"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
)

func TestPositionsReadLikePeopleSayThem(t *testing.T) {
	for want, p := range map[string]Position{
		"spring.yaml:12:9": At("spring.yaml", 12, 9),
		"spring.yaml:12":   At("spring.yaml", 12, 0), "spring.yaml": InFile("spring.yaml"),
		"q4.xlsx:Ads!E17": Cell("q4.xlsx", "Ads", 17, 5), "q4.xlsx:Ads!AA1": Cell("q4.xlsx", "Ads", 1, 27),
		"q4.xlsx:Ads!17": Cell("q4.xlsx", "Ads", 17, 0),
		"q4.xlsx:Ads":    Cell("q4.xlsx", "Ads", 0, 0), `\u202eslx.yaml`: InFile("\u202eslx.yaml"),
	} {
		if got := p.String(); got != want {
			t.Errorf("%#v reads %q; want %q", p, got, want)
		}
		raw, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		var again Position
		if err := json.Unmarshal(raw, &again); err != nil || again != p {
			t.Errorf("%s came back as %#v, %v", raw, again, err)
		}
	}
}

func TestProblemsAreSortedAndEachOnce(t *testing.T) {
	var l List
	b := Problem{Code: BadMoney, Position: At("b.yaml", 2, 0), Message: "m"}
	a := Problem{Code: BadMoney, Position: At("a.yaml", 9, 0), Message: "m"}
	l.AddAll([]Problem{b, a, b})
	got := l.Sorted()
	if len(got) != 2 || got[0].Position.File() != "a.yaml" || got[0].Severity != Error {
		t.Errorf("sorted problems are %v; want a.yaml, then b.yaml, both errors", got)
	}
}

func TestProblemObjectHasEveryField(t *testing.T) {
	raw, err := json.Marshal(Problem{
		Severity: Error, Code: BadMoney, Position: Cell("q.xlsx", "Ads", 17, 5),
		Address: "ad/a", Message: "m", Hint: "h",
	})
	if err != nil {
		t.Fatal(err)
	}
	want :=
		`{"severity":"error","code":"ADS1004","file":"q.xlsx","sheet":"Ads","cell":"E17","line":17,"column":5,"address":"ad/a","message":"m","hint":"h"}`
	if d := cmp.Diff(want, string(raw)); d != "" {
		t.Errorf("problem (-want +got):\n%s", d)
	}
}

func TestRenderShowsTheLineWithACaret(t *testing.T) {
	var b strings.Builder
	source := func(_ string, line int) (string, bool) { return "  bugdet: 5\x1b[31m", line == 3 }
	problems := []Problem{
		{Severity: Error, Code: UnknownKey, Position: At("a.yaml", 3, 3),
			Message: `key is "bugdet"`, Hint: `did you mean "budget"?`},
		{Severity: Warning, Code: IgnoredRows, Position: At("a.yaml", 4, 0), Message: "bell \a"},
	}
	if err := Render(&b, problems, source); err != nil {
		t.Fatal(err)
	}
	want := "a.yaml:3:3: key is \"bugdet\" (ADS1005)\n" +
		"        3 |   bugdet: 5\\x1b[31m\n" +
		"          |   ^\n" +
		"    hint: did you mean \"budget\"?\n" +
		"a.yaml:4: warning: bell \\a (ADS1023)\n"
	if d := cmp.Diff(want, b.String()); d != "" {
		t.Errorf("rendered (-want +got):\n%s", d)
	}
}

// Many rows with one cause are one message, with the other places behind it.
func TestRenderSaysWhatManyRowsHaveInCommonOnce(t *testing.T) {
	alike := func(n int, at func(int) Position) (problems []Problem) {
		for i := range n {
			problems = append(problems, Problem{
				Severity: Error, Code: UnknownParent, Position: at(i), Message: "campaign is \"Autumn\"", Hint: "look",
			})
		}
		return problems
	}
	inText := func(i int) Position { return At("a.csv", i+2, 3) }
	for _, row := range []struct {
		name     string
		problems []Problem
		want     string
	}{
		{"two are two", alike(2, inText), "a.csv:2:3: campaign " +
			"is \"Autumn\" (ADS1013)\n    hint: look\na.csv:3:3: campaign is \"Autumn\" (ADS1013)\n    hint: look\n"},
		{"three are one", alike(3, inText),
			"a.csv:2:3: campaign is \"Autumn\" (ADS1013)\n    hint: look\n    the same at 3:3, 4:3\n"},
		{"cells", alike(3, func(i int) Position { return Cell("a.xlsx", "Ads", i+2, 3) }),
			"a.xlsx:Ads!C2: campaign is \"Autumn\" (ADS1013)\n    hint: look\n    the same at C3, C4\n"},
		{"ten are named", alike(13, inText), "a.csv:2:3: campaign is \"Autumn\" (ADS1013)\n" +
			"    hint: look\n    the same at 3:3, 4:3, 5:3, 6:3, 7:3, 8:3, 9:3, 10:3, 11:3, 12:3 and 2 other places\n"},
		{"of three files", alike(3, func(i int) Position { return At(string(rune('a'+i)), 2, 3) }),
			"a:2:3: campaign is \"Autumn\" (ADS1013)\n    hint: look\nb:2:3: campaign " +
				"is \"Autumn\" (ADS1013)\n    hint: look\nc:2:3: campaign is \"Autumn\" (ADS1013)\n    hint: look\n"},
	} {
		var b strings.Builder
		if err := Render(&b, row.problems, nil); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(row.want, b.String()); d != "" {
			t.Errorf("%s: rendered (-want +got):\n%s", row.name, d)
		}
	}
}

func TestNearestFindsTheMisspeltAndNothingElse(t *testing.T) {
	words := []string{"status", "start", "bidding_type", "name"}
	for word, want := range map[string]string{
		"sttaus": "status", "nmae": "name", "Name": "name", "bidding-type": "bidding_type", "budget": "", "x": "",
	} {
		if got := Nearest(word, words); got != want {
			t.Errorf("Nearest(%q) = %q; want %q", word, got, want)
		}
	}
}

func TestLookalikeIsALetterAmongThoseOfAnotherScript(t *testing.T) {
	for text, want := range map[string]rune{
		"": 0, "Spring": 0, "Весна": 0, "Ελλάδα": 0,
		"Spring Весна": 0, "Zürich 鞋 5 µm": 0, "https://пример.рф/весна": 0, "Δt": 0,
		"Spr\u0456ng": 'і', "https://shop.ex\u0430mple/": 'а', "Р\u0430ypal": 'Р', "N\u03bfrth": 'ο',
	} {
		got, found := Lookalike(text)
		if got != want || found != (want != 0) {
			t.Errorf("Lookalike(%q) = %q, %v; want %q", text, got, found, want)
		}
	}
}

func TestAPositionIsSixteenBytesAndAKey(t *testing.T) {
	if size := unsafe.Sizeof(Position{}); size != 16 {
		t.Errorf("a position is %d bytes; want 16: every value of an account has one", size)
	}
	sheet := OriginOf("q4.xlsx", "Ads")
	seen := map[Position]bool{sheet.At(17, 5): true}
	if !seen[Cell("q4"+".xlsx", strings.Clone("Ads"), 17, 5)] ||
		seen[Cell("q4.xlsx", "Ads", 17, 6)] || seen[At("q4.xlsx", 17, 5)] {
		t.Errorf("positions are equal where file, sheet, line and column are not, or the other way round: %v", seen)
	}
	if p := Cell("", "", 0, 0); !p.IsZero() || p.File() != "" || p.Sheet() != "" || p.Cell() != "" {
		t.Errorf("the position of nothing is %v; want the zero position", p)
	}
	if line := At("a.yaml", 1<<40, 1).Line(); line != 1<<31-1 {
		t.Errorf("line 2⁴⁰ reads %d; want the largest line, not another one", line)
	}
}
