package diag

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPositionsReadLikePeopleSayThem(t *testing.T) {
	for want, p := range map[string]Position{
		"spring.yaml:12:9": {File: "spring.yaml", Line: 12, Column: 9}, "spring.yaml:12": {File: "spring.yaml", Line: 12}, "spring.yaml": {File: "spring.yaml"},
		"q4.xlsx:Ads!E17": {File: "q4.xlsx", Sheet: "Ads", Line: 17, Column: 5}, "q4.xlsx:Ads!AA1": {File: "q4.xlsx", Sheet: "Ads", Line: 1, Column: 27},
		"q4.xlsx:Ads!17": {File: "q4.xlsx", Sheet: "Ads", Line: 17}, "q4.xlsx:Ads": {File: "q4.xlsx", Sheet: "Ads"}, `\u202eslx.yaml`: {File: "\u202eslx.yaml"},
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
	b := Problem{Code: BadMoney, Position: Position{File: "b.yaml", Line: 2}, Message: "m"}
	a := Problem{Code: BadMoney, Position: Position{File: "a.yaml", Line: 9}, Message: "m"}
	l.AddAll([]Problem{b, a, b})
	got := l.Sorted()
	if len(got) != 2 || got[0].Position.File != "a.yaml" || got[0].Severity != Error {
		t.Errorf("sorted problems are %v; want a.yaml, then b.yaml, both errors", got)
	}
}

func TestProblemObjectHasEveryField(t *testing.T) {
	raw, err := json.Marshal(Problem{Severity: Error, Code: BadMoney, Position: Position{File: "q.xlsx", Sheet: "Ads", Line: 17, Column: 5}, Address: "ad/a", Message: "m", Hint: "h"})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"severity":"error","code":"ADS1004","file":"q.xlsx","sheet":"Ads","cell":"E17","line":17,"column":5,"address":"ad/a","message":"m","hint":"h"}`
	if d := cmp.Diff(want, string(raw)); d != "" {
		t.Errorf("problem (-want +got):\n%s", d)
	}
}

func TestRenderShowsTheLineWithACaret(t *testing.T) {
	var b strings.Builder
	source := func(_ string, line int) (string, bool) { return "  bugdet: 5\x1b[31m", line == 3 }
	problems := []Problem{
		{Severity: Error, Code: UnknownKey, Position: Position{File: "a.yaml", Line: 3, Column: 3}, Message: `key is "bugdet"`, Hint: `did you mean "budget"?`},
		{Severity: Warning, Code: IgnoredRows, Position: Position{File: "a.yaml", Line: 4}, Message: "bell \a"},
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

func TestNearestFindsTheMisspeltAndNothingElse(t *testing.T) {
	words := []string{"status", "start", "bidding_type", "name"}
	for word, want := range map[string]string{"sttaus": "status", "nmae": "name", "Name": "name", "bidding-type": "bidding_type", "budget": "", "x": ""} {
		if got := Nearest(word, words); got != want {
			t.Errorf("Nearest(%q) = %q; want %q", word, got, want)
		}
	}
}

func TestLookalikeIsALetterAmongThoseOfAnotherScript(t *testing.T) {
	for text, want := range map[string]rune{
		"": 0, "Spring": 0, "Весна": 0, "Ελλάδα": 0, "Spring Весна": 0, "Zürich 鞋 5 µm": 0, "https://пример.рф/весна": 0, "Δt": 0,
		"Spr\u0456ng": 'і', "https://shop.ex\u0430mple/": 'а', "Р\u0430ypal": 'Р', "N\u03bfrth": 'ο',
	} {
		got, found := Lookalike(text)
		if got != want || found != (want != 0) {
			t.Errorf("Lookalike(%q) = %q, %v; want %q", text, got, found, want)
		}
	}
}
