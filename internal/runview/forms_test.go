package runview

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/internal/planview"
	"adsync/internal/resource"
	_ "adsync/internal/testing/drawn"
	"adsync/internal/testing/golden"
	"adsync/plan"
	"adsync/state"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// forms are those of a document.
var forms = map[string]func(*bytes.Buffer, *Document) error{
	"txt": func(b *bytes.Buffer, d *Document) error {
		return WriteText(b, kinds.All(), d, TextOptions{Width: 80, Header: true})
	},
	"full": func(b *bytes.Buffer, d *Document) error {
		return WriteText(b, kinds.All(), d, TextOptions{Width: 80, Header: true, Full: true})
	},
	"ndjson": func(b *bytes.Buffer, d *Document) error { return WriteNDJSON(b, d) },
	"md":     func(b *bytes.Buffer, d *Document) error { return WriteMarkdown(b, kinds.All(), d) },
	"html":   func(b *bytes.Buffer, d *Document) error { return WriteHTML(b, kinds.All(), d) },
	"json": func(b *bytes.Buffer, d *Document) error {
		e := json.NewEncoder(b)
		e.SetIndent("", "  ")
		return e.Encode(d)
	},
}

func form(t testing.TB, name string, d *Document) string {
	t.Helper()
	return written(t, func(b *bytes.Buffer) error { return forms[name](b, d) })
}

func TestEachFormOfARun(t *testing.T) {
	for name, d := range map[string]*Document{
		"partial": partial(), "killed": killed(), "recovered": recovered(), "failed": failed(),
		"hostile": hostile("=HYPERLINK(\"x\")|<b>@all</b> #1 `x` ``` ::error::\x1b[2J\u202e\r\n--> </script>&amp;"),
	} {
		for ending := range forms {
			golden.File(t, "testdata/"+name+"."+ending, []byte(form(t, ending, d)))
		}
	}
}

// TestWhatIsKeptIsWhatWasSaid: a report that comes back from the state makes
// the same forms, and tells a cleared value from one that was never there.
func TestWhatIsKeptIsWhatWasSaid(t *testing.T) {
	for _, d := range []*Document{partial(), killed(), recovered(), failed()} {
		kept, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Decode(kept)
		if err != nil {
			t.Fatal(err)
		}
		for ending := range forms {
			if diff := cmp.Diff(form(t, ending, d), form(t, ending, again)); diff != "" {
				t.Errorf("%s of %q differs after it was kept:\n%s", ending, d.Run, diff)
			}
		}
	}
	kept, err := json.Marshal(Field{Name: "x", After: resource.Null()})
	if err != nil {
		t.Fatal(err)
	}
	var f Field
	if err := json.Unmarshal(kept, &f); err != nil || !f.Before.IsAbsent() || !f.After.IsNull() {
		t.Errorf("a field kept as %s comes back as %v → %v, %v; want absent → null", kept, f.Before, f.After, err)
	}
}

func TestAReportOfANewerProgramIsRefused(t *testing.T) {
	if _, err := Decode([]byte(`{"format_version": 2, "run": "run-1"}`)); err == nil ||
		!strings.Contains(err.Error(), "newer adsync") {
		t.Errorf("Decode of format 2 = %v; want that a newer adsync is needed", err)
	}
}

// TestMoneyOfARun: what was applied counts for certain, what may have been
// counts as far as it raises.
func TestMoneyOfARun(t *testing.T) {
	for _, row := range []struct {
		name            string
		outcome         state.Outcome
		before, after   int64
		applied         bool // a field of it
		reached, atMost int64
	}{
		{"applied", state.OutcomeApplied, 10, 30, true, 120, 120},
		{"failed", state.OutcomeFailed, 10, 30, false, 100, 100},
		{"failed after a part of it was applied", state.OutcomeFailed, 10, 30, true, 100, 120},
		{"unknown rise", state.OutcomeUnknown, 10, 30, false, 100, 120},
		{"unknown decrease", state.OutcomeUnknown, 30, 10, false, 100, 100},
		{"applied decrease", state.OutcomeApplied, 30, 10, true, 80, 80},
		{"held", Held, 10, 30, false, 100, 100},
	} {
		d := &Document{Head: Head{Money: Money{Planned: day(100, 120)}}, Outcomes: []Outcome{
			{Outcome: row.outcome, Spend: day(row.before, row.after),
				Fields: []Field{{Name: "budget.daily", Applied: row.applied}}}}}
		d.Settle()
		most := d.Money.Reached
		if d.Money.AtMost != nil {
			most = *d.Money.AtMost
		}
		if d.Money.Reached.DailyAfter != row.reached*1_000_000 || most.DailyAfter != row.atMost*1_000_000 {
			t.Errorf("%s: reached %d, at most %d; want %d and %d",
				row.name, d.Money.Reached.DailyAfter, most.DailyAfter, row.reached*1_000_000, row.atMost*1_000_000)
		}
	}
}

// What was created and surely not started spends nothing: that is certain. Where its
// activation may have come, it is not.
func TestMoneyOfWhatStaysPaused(t *testing.T) {
	for _, row := range []struct {
		outcome state.Outcome
		started bool
		certain bool
	}{
		{state.OutcomeSkipped, false, true}, {state.OutcomeFailed, false, true},
		{state.OutcomeUnknown, false, false}, {state.OutcomeFailed, true, false},
	} {
		d := &Document{Head: Head{Money: Money{Planned: day(100, 120)}}, Outcomes: []Outcome{
			{Outcome: row.outcome, Spend: day(0, 20), Fields: []Field{
				{Name: "budget.daily", After: resource.Number(20_000_000), Applied: true},
				{Name: "delivers", After: resource.Text("on"), Applied: row.started, Starts: true}}}}}
		d.Settle()
		if certain := d.Money.AtMost == nil; certain != row.certain || d.Money.Reached.DailyAfter != 100_000_000 {
			t.Errorf("%s, started %t: certain %t, reached %d; want %t and what was before",
				row.outcome, row.started, certain, d.Money.Reached.DailyAfter, row.certain)
		}
	}
}

// Which attribute starts a resource is the plan's to say, by the description of its
// kind, and no name of an attribute.
func TestWhatStartsIsWhatThePlanActivates(t *testing.T) {
	for _, phase := range []plan.Phase{plan.Neutral, plan.Raise, plan.Activate} {
		c := plan.Change{
			Address: resource.Address{Kind: kinds.Campaign, Key: "spring"},
			Fields:  []plan.Field{{Name: "budget.daily", Desired: resource.Number(1), Phase: phase}},
		}
		if got := fieldsOf(kinds.All(), &c)[0].Starts; got != (phase == plan.Activate) {
			t.Errorf("fieldsOf of a field of phase %v: starts %t", phase, got)
		}
	}
}

// The account's own limits bound what a run says of a day, as they bound what its plan
// said; where nobody knows what became of a limit nothing does.
func TestMoneyOfARunWithinTheLimitsOfTheAccount(t *testing.T) {
	const limit = "daily_spend_limit/always"
	m := func(units int64) int64 { return units * 1_000_000 }
	for _, row := range []struct {
		name            string
		budget, other   state.Outcome // of a budget that goes from 10 to 30 beside 90 others, and of a change beside it
		limited         state.Outcome // "" where the limit stays
		within          Within
		before          int64
		reached, atMost int64
	}{
		{"a limit that stays", state.OutcomeApplied,
			state.OutcomeApplied, "", Within{Before: m(50), After: m(50)}, 50, 50, 50},
		{"a limit that binds from now on", state.OutcomeApplied,
			state.OutcomeApplied, "", Within{Before: m(100), After: m(110)}, 100, 110, 110},
		{"a limit that was lowered", state.OutcomeApplied, state.OutcomeApplied,
			state.OutcomeApplied, Within{Before: m(100), After: m(40), Moved: []string{limit}}, 100, 40, 40},
		{"lowered, beside what failed", state.OutcomeApplied, state.OutcomeFailed,
			state.OutcomeApplied, Within{Before: m(70), After: m(40), Moved: []string{limit}}, 70, 70, 70},
		{"lowered perhaps", state.OutcomeApplied, state.OutcomeApplied,
			state.OutcomeUnknown, Within{Before: m(70), After: m(40), Moved: []string{limit}}, 70, 120, 120},
		{"a rise that is unknown beneath a limit",
			state.OutcomeUnknown, state.OutcomeApplied, "", Within{Before: m(100), After: m(110)}, 100, 100, 110},
		{"a paused account", state.OutcomeApplied, state.OutcomeApplied, "", Within{}, 0, 0, 0},
	} {
		d := &Document{Head: Head{Money: Money{Planned: day(100, 120), Within: &row.within}}, Outcomes: []Outcome{
			{Address: "campaign/one", Outcome: row.budget, Spend: day(10, 30)},
			{Address: "campaign/two", Outcome: row.other}}}
		if row.limited != "" {
			d.Outcomes = append(d.Outcomes, Outcome{Address: limit, Outcome: row.limited})
		}
		d.Settle()
		most := d.Money.Reached
		if d.Money.AtMost != nil {
			most = *d.Money.AtMost
		}
		if d.Money.Reached.DailyBefore != m(row.before) ||
			d.Money.Reached.DailyAfter != m(row.reached) || most.DailyAfter != m(row.atMost) {
			t.Errorf("%s: %v, at most %v; want %d to %d, at most %d",
				row.name, d.Money.Reached, most, row.before, row.reached, row.atMost)
		}
	}
}

// TestNoTextOfOthersLeavesItsPlace in any form, whatever it is.
func TestNoTextOfOthersLeavesItsPlace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOfN(rapid.RuneFrom([]rune("ab |`<>&\"'#@\n\r\t\x1b\u202e\u200b:=-!*_[](){}\\é漢")),
			1, 40, -1).Draw(t, "text")
		d := hostile(text)
		for name, write := range forms {
			var b bytes.Buffer
			if err := write(&b, d); err != nil {
				t.Fatal(err)
			}
			if name == "json" {
				continue
			}
			if !utf8.ValidString(b.String()) || diag.HasHidden(strings.ReplaceAll(b.String(), "\n", "")) {
				t.Fatalf("%s lets hidden characters through", name)
			}
			for line := range strings.Lines(b.String()) {
				if strings.HasPrefix(strings.TrimSpace(line), "::") {
					t.Fatalf("%s lets a workflow command through: %q", name, line)
				}
			}
		}
	})
}

// TestALongRunIsShortUnlessItIsAskedFor: what went wrong comes first, what was
// applied is cut aloud, and a comment stays a comment.
func TestALongRunIsShortUnlessItIsAskedFor(t *testing.T) {
	d := partial()
	for i := range 15_000 {
		d.Outcomes = append(d.Outcomes, Outcome{
			Address: fmt.Sprintf("ad/x/r/a%d", i),
			Action:  plan.Create, Outcome: state.OutcomeApplied, Position: at("Ads", i+10, 1),
		})
	}
	d.Settle()
	text := form(t, "txt", d)
	if n := strings.Count(text, "\n"); n > 120 || !strings.Contains(text, "… and 14,962 more applied") ||
		!strings.Contains(text, "15,002 applied") {
		t.Errorf("the text of a long run has %d lines; want at most 120 that say what is left out:\n%.2000s", n, text)
	}
	if n := strings.Count(form(t, "full", d), "\n"); n < 15_000 {
		t.Errorf("the full text has %d lines; want all", n)
	}
	if n := len(form(t, "md", d)); n > commentSize {
		t.Errorf("the comment has %d bytes; want at most %d", n, commentSize)
	}
	if n := strings.Count(form(t, "html", d), "<article"); n > 5*pageList {
		t.Errorf("the page has %d changes; want it bounded", n)
	}
}

func TestLinesOfATextFitTheScreen(t *testing.T) {
	for line := range strings.Lines(form(t, "txt", partial())) {
		if n := planview.Columns(strings.TrimRight(line, "\n")); n > 80 && !strings.HasPrefix(line, "applied") {
			t.Errorf("a line has %d columns; want at most 80: %s", n, line)
		}
	}
}
