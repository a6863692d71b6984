package compare_test

import (
	"fmt"
	"strings"
	"testing"

	"adsync/internal/kinds"
	"adsync/plan"
	"adsync/plan/compare"
)

// Of the windows that bound spend only those count that begin after today, and one that is
// taken away makes no room: it goes after the new ones have come (service facts, 9.3).
func TestSixtyWindowsLieAhead(t *testing.T) {
	windows := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "spend_limit_window/~%d#%d amount=50 start=20%d-12-01 end=20%d-12-02\n", i, i, 27+i, 27+i)
		}
		return b.String()
	}
	const (
		today = "spend_limit_window/now amount=60 start=2026-11-21 end=2026-11-22\n"
		ahead = "spend_limit_window/next amount=60 start=2027-01-01 end=2027-01-02\n"
		gone  = "spend_limit_window/old#900 amount=50 start=2027-02-01 end=2027-02-02\n"
	)
	for _, row := range []struct {
		name                string
		last, desired, live string
		allow               string
		want                string
	}{
		{name: "the sixtieth", desired: ahead, live: windows(59),
			want: "note: Spend limit window: 59 are at the service and begin after today, 1 would be new, " +
				"which makes 60 of the 60 the account may have (ADS1042)"},
		{name: "one more", desired: ahead, live: windows(60),
			want: "spend_limit_window/next is one spend_limit_window too many: 60 are at the service and " +
				"begin after today, 1 would be new, which makes 61; the account may have 60 (ADS1032)"},
		{name: "one that begins today", desired: today, live: windows(60)},
		{name: "what is archived in the same plan goes later", last: gone, live: windows(59) + gone, desired: ahead +
			"spend_limit_window/old status=archived", allow: "raises-spend", want: "too many: 60 are"},
		{name: "what began is none of them", desired: ahead, live: windows(50) +
			"spend_limit_window/a#901 amount=50 start=2026-11-20 end=2026-12-20"},
	} {
		t.Run(row.name, func(t *testing.T) {
			in := plan.Input{
				Schemas: kinds.All(), Last: snapshot(t, row.last), Live: snapshot(t, row.live), Today: "2026-11-21",
				Desired: written(snapshot(t, row.desired)), Policy: plan.DefaultPolicy(), Currency: "USD",
			}
			if row.allow != "" {
				in.Allow = []plan.Allowance{{Hazard: plan.Hazard(row.allow)}}
			}
			got := problems(compare.Diff(in).Problems)
			if row.want == "" && got != "" || !strings.Contains(got, row.want) {
				t.Errorf("problems are %q; want %q", got, row.want)
			}
		})
	}
}

// Of several lists that come near their limit the longest is named.
func TestALongListIsNoted(t *testing.T) {
	hints := func(n int) string {
		all := make([]string, n)
		for i := range all {
			all[i] = fmt.Sprintf("people_%d", i)
		}
		return strings.Join(all, "|")
	}
	of := func(a, b int) string {
		return "campaign/s name=Spring bidding_type=clicks budget.daily=50\n" +
			"ad_group/s/a name=One bid.max=1 context_hints=" + hints(a) + "\n" +
			"ad_group/s/b name=Two bid.max=1 context_hints=" + hints(b)
	}
	for _, row := range []struct {
		desired, want string
	}{
		{of(1800, 1), ""},
		{of(1801, 1), "context_hints of ad_group/s/a has 1801 of the 2000 entries the service takes (ADS1042)"},
		{of(1900, 2000), "context_hints of ad_group/s/b has 2000 of the 2000 entries the service takes, " +
			"the longest of 2 lists that come near (ADS1042)"},
	} {
		got := problems(compare.Diff(plan.Input{Schemas: kinds.All(), Desired: written(snapshot(t, row.desired)),
			Policy: plan.DefaultPolicy()}).Problems)
		if row.want == "" && got != "" || !strings.Contains(got, row.want) {
			t.Errorf("problems are %q; want %q", got, row.want)
		}
	}
}
