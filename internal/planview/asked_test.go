package planview

import (
	"fmt"
	"strings"
	"testing"

	"adsync/internal/kinds"
	"adsync/plan"
)

// raised is a plan in which so many campaigns wait for a yes to six times their budget.
func raised(t *testing.T, campaigns int) *Document {
	var live, desired strings.Builder
	for i := range campaigns {
		fmt.Fprintf(&live, "campaign/c%d#cmpn_%[1]d name=Camp%[1]d status=active budget.daily=50\n", i)
		fmt.Fprintf(&desired, "campaign/c%d budget.daily=%d\n", i, 300+i)
	}
	return planned(t, live.String(), desired.String(), live.String())
}

// What people are asked for is in a comment with what holds it and with its values, or counted as hidden.
func TestWhatPeopleAreAskedForIsWhole(t *testing.T) {
	for _, row := range []struct{ held, room, hidden int }{
		{30, 11_000, 0}, // more than five alike
		{44, 0, 0},      // in a plan of which not all is listed
		{60, 0, 10},
		{150, 0, 70},
		{2_000, 0, 1_900},
	} {
		d := raised(t, row.held)
		text, hidden := Comment(kinds.All(), d, CommentOptions{Room: row.room, Asked: IsHeld})
		shown := 0
		for i := range d.Changes {
			c := &d.Changes[i]
			budget, _ := c.Fields[0].Desired.Number()
			if strings.Contains(text, fmt.Sprintf("update %s ", c.Address)) &&
				strings.Contains(text, fmt.Sprintf("50.00 → %d.00 (", budget/1e6)) &&
				strings.Contains(text, fmt.Sprintf("release with --allow raises-spend=%s=", c.Address)) {
				shown++
			}
		}
		if shown+hidden != row.held || hidden < row.hidden || row.hidden == 0 && hidden > 0 ||
			len(text) > commentSize-row.room {
			t.Errorf("%+v: %d are shown, and %d hidden, in %d bytes", row, shown, hidden, len(text))
		}
	}
}

// A value that people are asked for is not cut; others are.
func TestWhatPeopleAreAskedForIsNotCut(t *testing.T) {
	long, live := strings.Repeat("a-long-word-", 40), "campaign/a#cmpn_1 name=Any tracking=x"
	d := planned(t, live, "campaign/a tracking="+long, live)
	for _, asked := range []bool{true, false} {
		text, hidden := Comment(kinds.All(), d, CommentOptions{Asked: func(*plan.ChangeDocument) bool { return asked }})
		if has := strings.Contains(text, long+`"`); has != asked || hidden > 0 {
			t.Errorf("asked: %t; it has all of the value: %t, and %d are hidden:\n%s", asked, has, hidden, text)
		}
	}
}
