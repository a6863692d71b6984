package planview

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"adsync/internal/diag"
	"adsync/internal/kinds"
	_ "adsync/internal/testing/drawn"
	"adsync/internal/testing/golden"
	"adsync/plan"

	"pgregory.net/rapid"
)

// forms are those of a document that need nothing else.
var forms = map[string]func(io.Writer, *Document) error{
	"txt":    func(w io.Writer, d *Document) error { return WriteText(w, kinds.All(), d, TextOptions{Width: 80}) },
	"full":   func(w io.Writer, d *Document) error { return WriteText(w, kinds.All(), d, TextOptions{Full: true}) },
	"ndjson": WriteNDJSON,
	"md":     func(w io.Writer, d *Document) error { return WriteMarkdown(w, kinds.All(), d) },
	"html":   func(w io.Writer, d *Document) error { return WriteHTML(w, kinds.All(), d) },
	"github": func(w io.Writer, d *Document) error { return WriteAnnotations(w, kinds.All(), d, "ads") },
}

func form(t testing.TB, name string, d *Document) string {
	t.Helper()
	var b bytes.Buffer
	if err := forms[name](&b, d); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestEachForm(t *testing.T) {
	failed := documentOf(&plan.Plan{})
	failed.Spend, failed.Money = nil, nil
	failed.Error, failed.Problems = "1 error; nothing was changed", quarter(t).Problems
	for name, d := range map[string]*Document{
		"quarter": quarter(t), "failed": failed, "in-sync": documentOf(&plan.Plan{InSync: 3}),
		"hostile": hostile("=HYPERLINK(\"x\")|<b>@all</b> " +
			"#1 `x` ``` ::error::\x1b[2J\u202e\r\n--> </script>&amp;"),
		"pull-request": pullRequest(t),
	} {
		for ending := range forms {
			if ending == "full" || ending == "txt" && name == "quarter" {
				continue
			}
			golden.File(t, "testdata/"+name+"."+ending, []byte(form(t, ending, d)))
		}
	}
}

// pullRequest is a plan in which some changes wait for longer.
func pullRequest(t testing.TB) *Document {
	d := quarter(t)
	for i := range d.Changes {
		d.Changes[i].Pending = strings.HasPrefix(d.Changes[i].Address, "campaign/s") ||
			strings.Contains(d.Changes[i].Address, "quiet")
	}
	field(t, d, "campaign/brand", "description").Pending = true
	d.Base = &plan.Base{Revision: "origin/main", Commit: "0123456789abcdef",
		Whole: true, Withdrawn: []string{"campaign/autumn"},
		Money: plan.Money{
			Currency: "USD", Totals: plan.Totals{Day: plan.Moved{Before: 1_130_000_000, After: 1_180_000_000}},
		}}
	return d
}

// TestNoDocumentBreaksAForm draws what files and service may say, and holds what
// every form promises.
func TestNoDocumentBreaksAForm(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	rapid.Check(t, func(r *rapid.T) {
		text := rapid.OneOf(
			rapid.StringOfN(rapid.RuneFrom([]rune("ab `|<>&@#!~*_[]()\\\"'%:,=+-\n\r\t\x1b\u202e\u200b界é")), 1, 60, -1),
			rapid.SampledFrom([]string{"", "<script>alert(1)</script>",
				"::error::x", "@org/team", "```\n</details>", strings.Repeat("x`", 10_000), "\xff\x9b"}),
		).Draw(r, "text")
		d := hostile(text)
		d.Changes[0].Spend.DailyAfter = rapid.Int64().Draw(r, "spend")
		d.Money = &plan.Money{
			Currency: text, MonthEnds: text, Bounds: d.Money.Bounds, Campaigns: d.Money.Campaigns, Totals: plan.Totals{
				Day: plan.Moved{Before: rapid.Int64().Draw(r, "before"), After: rapid.Int64().Draw(r, "after")},
			},
		}
		d.Selection = &plan.SelectionDocument{Pulled: []plan.PulledDocument{{Address: text, For: text}}}
		d.Changes[0].Action = plan.Action(rapid.SampledFrom([]string{"create",
			"update", "replace", "archive", "adopt", "forget", "record", text}).Draw(r, "action"))
		if rapid.Bool().Draw(r, "planned") { // else nothing is said of its money
			d.Error = ""
		}
		d.Changes[0].Pending = rapid.Bool().Draw(r, "pending")
		d.Base = &plan.Base{
			Revision: text, Commit: text, Whole: rapid.Bool().Draw(r, "whole"),
			Money: plan.Money{Currency: text}, Withdrawn: []string{text},
		}
		for name := range forms {
			keepsItsPromise(r, name, form(t, name, d), text)
		}
	})
}

func keepsItsPromise(t *rapid.T, name, got, text string) {
	for _, c := range got {
		if c != '\n' && (unicode.IsControl(c) || unicode.Is(unicode.Cf, c)) {
			t.Fatalf("%s holds %U", name, c)
		}
	}
	switch {
	case !utf8.ValidString(got):
		t.Fatalf("%s is no UTF-8", name)
	case len(got) > 100_000+200*len(text):
		t.Fatalf("%s has %d bytes of a text of %d", name, len(got), len(text))
	case name == "md" && len(got) > 65_536:
		t.Fatalf("a comment has %d bytes", len(got))
	}
	for line := range strings.Lines(got) {
		if name == "ndjson" && !json.Valid([]byte(line)) {
			t.Fatalf("a line is no JSON: %q", line)
		}
		if name == "html" && strings.Contains(line, "ZgotmplZ") {
			t.Fatalf("the template refuses a value: %q", line)
		}
		if name == "github" && !strings.HasPrefix(line, "::error ") &&
			!strings.HasPrefix(line, "::warning ") && !strings.HasPrefix(line, "::notice ") {
			t.Fatalf("a line is no annotation: %q", line)
		}
	}
}

// TestX5NothingForeignStandsOutsideCodeInMarkdown: there it would mention,
// refer, link or be HTML.
func TestX5NothingForeignStandsOutsideCodeInMarkdown(t *testing.T) {
	for _, attack := range []string{
		"CANARY", "@CANARY", "CANARY#1", "<img src=CANARY>", "`CANARY`", "``` CANARY ```", "|CANARY|",
		"\nCANARY\n", "http://CANARY.example", "[CANARY](x)", "--> CANARY", "</code></summary>CANARY", "\\`CANARY",
	} {
		_, body, _ := strings.Cut(form(t, "md", hostile(attack)), "-->\n") // the marker holds letters and digits only
		got := outsideCode(body)
		if strings.Contains(got, "CANARY") {
			t.Errorf("%q stands outside of code in:\n%s", attack, got)
		}
	}
}

// outsideCode takes fenced blocks, inline code and escaped code elements away,
// as GitHub does before it looks for mentions.
func outsideCode(markdown string) string {
	var left strings.Builder
	fence := ""
	for line := range strings.Lines(markdown) {
		ticks := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		switch {
		case fence != "" && strings.TrimSpace(line) == fence:
			fence = ""
		case fence != "":
		case len(ticks) >= 3 && !strings.Contains(line[len(ticks):], "`"):
			fence = ticks
		default:
			left.WriteString(withoutSpans(line))
		}
	}
	return left.String()
}

func withoutSpans(line string) string {
	if before, rest, found := strings.Cut(line, "<summary><code>"); found {
		_, after, _ := strings.Cut(rest, "</code>")
		line = before + after
	}
	var left strings.Builder
	for line != "" {
		text, rest, _ := strings.Cut(line, "`")
		left.WriteString(text)
		if len(text) == len(line) {
			break
		}
		ticks := "`"
		for strings.HasPrefix(rest, "`") {
			ticks, rest = ticks+"`", rest[1:]
		}
		line = afterRun(rest, ticks)
	}
	return left.String()
}

// afterRun returns what follows a row of exactly so many backticks; all of it
// where there is none, as then nothing was code.
func afterRun(text, ticks string) string {
	for at := 0; at < len(text); {
		i := strings.IndexByte(text[at:], '`')
		if i < 0 {
			break
		}
		start := at + i
		end := start
		for end < len(text) && text[end] == '`' {
			end++
		}
		if end-start == len(ticks) {
			return text[end:]
		}
		at = end
	}
	return text
}

func TestAMarkdownCommentIsCutAloud(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	var desired, live strings.Builder
	for i := range 800 {
		fmt.Fprintf(&desired, "campaign/c%03d name=Autumn description=%s_%d budget.daily=%d\n",
			i, strings.Repeat("x", 80), i, 10+i)
		fmt.Fprintf(&live, "campaign/c%03d#%d name=Autumn description=%s budget.daily=1\n",
			i, i, strings.Repeat("y", 80))
	}
	d := planned(t, live.String(), desired.String(), live.String())
	for i := range d.Changes { // none is like another
		d.Changes[i].Hazards = append(d.Changes[i].Hazards, plan.Hazard(fmt.Sprint("x", i)))
	}
	got := form(t, "md", d)
	if len(got) > 65_536 || len(got) < 40_000 {
		t.Errorf("the comment has %d bytes; want it full", len(got))
	}
	for _, want := range []string{"**Cut, as a comment holds 65,536 characters:**",
		"rows of what is held", "trees with", "adsync plan --full", marker("adacct_quickstart")} {
		if !strings.Contains(got, want) {
			t.Errorf("the comment lacks %q:\n%.300s\n…\n%s", want, got, got[len(got)-400:])
		}
	}
}

func TestAMarkerNamesItsAccountAndEndsNoComment(t *testing.T) {
	if got := marker("adacct_1"); got != "<!-- adsync:plan:adacct_1 -->" {
		t.Errorf("marker is %s", got)
	}
	if got := marker("a --> b\n"); got != "<!-- adsync:plan:a_____b_ -->" {
		t.Errorf("marker is %s", got)
	}
}

func TestAnnotationsStandAtTheirLines(t *testing.T) {
	d := planned(t, "", "campaign/x name=Autumn", "")
	d.Problems = []diag.Problem{
		{Severity: diag.Error, Code: diag.BadURL, Position: diag.At("a,b.yaml", 3, 5),
			Message: "50% is\n::error::wrong", Hint: "write 50"},
		{Severity: diag.Warning, Code: diag.BadURL,
			Position: diag.Cell("q4.xlsx", "Ads", 4, 6), Message: "target_url has no https"},
	}
	got := form(t, "github", d)
	for _, want := range []string{
		"::error file=ads/a%2Cb.yaml,line=3,col=5,title=adsync ADS1010::50%25 is%0A\\u003a:error::wrong%0Awrite 50\n",
		"::warning file=ads/q4.xlsx,title=Ads F4%3A adsync ADS1010::target_url has no https\n",
		"::notice title=adsync plan::Possible spend a day: 0.00 USD (no change)%0A",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("annotations lack %q:\n%s", want, got)
		}
	}
}

func TestGitHubIsToldHowMuchItWouldNotShow(t *testing.T) {
	d := planned(t, "campaign/x#1 name=Autumn", "campaign/x name=Autumn", "campaign/x#1 name=Autumn")
	for i := range 30 {
		d.Problems = append(d.Problems, diag.Problem{
			Severity: diag.Error, Code: diag.BadURL, Position: diag.At("a.yaml", i+1, 0), Message: "wrong",
		})
	}
	got := form(t, "github", d)
	if strings.Count(got, "::error ") != 10 || !strings.Contains(got, "20 more remarks are in the plan") {
		t.Errorf("annotations are\n%s", got)
	}
}
