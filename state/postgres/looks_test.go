package postgres

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"adsync/internal/testing/pgtest"
)

// TestLooksShareAQuestion: the first is asked at once, and what is asked within a second after it together.
func TestLooksShareAQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l looks
		var asked []string
		began := time.Now()
		ask := func(q *question) {
			asked = append(asked, time.Since(began).String()+" "+strings.Join(q.accounts, " "))
			time.Sleep(100 * time.Millisecond) // the database takes its time
		}
		for _, row := range []struct {
			at      time.Duration
			account string
		}{
			{0, "a"}, {50 * time.Millisecond, "b"}, {300 * time.Millisecond, "c"}, {999 * time.Millisecond, "a"},
			{1050 * time.Millisecond, "d"}, // the question about b, c and a has begun: this one is not in it
			{5 * time.Second, "b"},
		} {
			time.Sleep(time.Until(began.Add(row.at)))
			l.join(row.account, ask)
			synctest.Wait()
		}
		time.Sleep(time.Minute)
		if want := []string{"0s a", "1s b c a", "2s d", "5s b"}; !slices.Equal(asked, want) {
			t.Errorf("questions %q; want %q", asked, want)
		}
	})
}

func TestWhatStandsOfEachAccount(t *testing.T) {
	d := open(t, pgtest.Database(t), 0)
	noError(t, d.Beside("stopped").Put("STOP", []byte("by Ann")))
	noError(t, d.Beside("wanted").Put("ask-1.json", []byte("{}")))
	noError(t, d.Beside("allowed").Put("approvals.ndjson", []byte("{}\n")))
	noError(t, d.Beside("quiet").Put("daemon.json", []byte("{}")))
	accounts := []string{"stopped", "wanted", "allowed", "quiet", "never seen"}
	standing := func() (ordered []string, of map[string]Standing) {
		t.Helper()
		of, err := d.Attendance().standing(t.Context(), accounts)
		noError(t, err)
		if got := slices.Sorted(maps.Keys(of)); len(got) != len(accounts) {
			t.Fatalf("answers for %q; want one for each of %q", got, accounts)
		}
		for _, account := range accounts {
			if of[account].Ordered {
				ordered = append(ordered, account)
			}
		}
		return ordered, of
	}
	ordered, of := standing()
	if want := []string{"stopped", "wanted"}; !slices.Equal(ordered, want) {
		t.Errorf("ordered: %q; want %q", ordered, want)
	}
	if of["allowed"].Approvals == "" || of["quiet"].Approvals != "" || of["quiet"].Serial != 0 {
		t.Errorf("allowed and quiet: %+v, %+v; want an approval of the first alone", of["allowed"], of["quiet"])
	}
	noError(t, d.Beside("allowed").Put("approvals.ndjson", []byte("{}\n{}\n")))
	if _, now := standing(); now["allowed"].Approvals == of["allowed"].Approvals {
		t.Error("an approval more does not show")
	}
	noError(t, d.Beside("").Put("STOP", []byte("by Eve")))
	if ordered, _ := standing(); !slices.Equal(ordered, accounts) {
		t.Errorf("STOP for all: %q are ordered; want every account", ordered)
	}
}

// TestAPullTellsWhetherOrdersCameOrWent by one question that costs no more with thousands of accounts.
func TestAPullTellsWhetherOrdersCameOrWent(t *testing.T) {
	d, names := open(t, pgtest.Database(t), 0), accounts(3)
	noError(t, d.Attendance().Configure(t.Context(), names))
	none := pull(t, d, names).Orders
	steps := []struct {
		name  string
		do    func() error
		other bool
	}{
		{"nothing", func() error { return nil }, false},
		{"a suspension", func() error { return d.Beside(names[0]).Put("suspend.json", []byte("{}")) }, true},
		{"what is no order", func() error { return d.Beside(names[0]).Put("daemon.json", []byte("{}")) }, false},
		{"the same for another", func() error { return d.Beside(names[1]).Put("suspend.json", []byte("{}")) }, true},
		{"it goes", func() error { return d.Beside(names[1]).Delete("suspend.json") }, true},
		{"STOP for all", func() error { return d.Beside("").Put("STOP", []byte("by Eve")) }, true},
	}
	for before, i := none, 0; i < len(steps); i++ {
		noError(t, steps[i].do())
		now := pull(t, d, names).Orders
		if now == "" || (now != before) != steps[i].other {
			t.Errorf("%s: %q after %q; want another: %t", steps[i].name, now, before, steps[i].other)
		}
		before = now
	}
}
