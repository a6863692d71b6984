package state

import (
	"testing"
	"time"

	"adsync/internal/resource"
)

func TestCreditsAreKeptUntilOthersTakeTheirPlace(t *testing.T) {
	both(t, func(t *testing.T, s Store, again func() Store) {
		ctx := t.Context()
		of := func(budget int64) *resource.Snapshot {
			r := &resource.Resource{Address: address("campaign/shoes")}
			r.Set("budget.daily", resource.Number(budget))
			r.Set("tracking", resource.Null())
			return resource.SnapshotOf([]*resource.Resource{r}, nil)
		}
		older := Credit{
			Run: "run-1", At: morning, Lost: 3, Desired: of(5), Last: &resource.Snapshot{}, Live: &resource.Snapshot{},
		}
		newer := Credit{Run: "run-2", At: morning.Add(time.Hour), Desired: of(7), Last: of(8), Live: of(9),
			Shown: []Shown{{address("campaign/shoes"), 2, 0}, {address("campaign/socks"), 0, 4}}}
		must(t, s.RecordCredits(ctx, []Credit{newer, older}))
		must(t, s.RecordCredits(ctx, []Credit{newer, older}))
		s = again()
		wantCredits(t, s, morning.Add(-time.Second), older, newer)
		wantCredits(t, s, morning, newer)
		if err := s.RecordCredits(ctx, []Credit{newer}); err != nil {
			wantError(t, "RecordCredits", err, ErrReadOnly)
			return
		}
		wantCredits(t, s, morning.Add(-time.Second), newer)
		must(t, s.RecordCredits(ctx, nil))
		wantCredits(t, s, morning.Add(-time.Second))
	})
}

func wantCredits(t *testing.T, s Store, since time.Time, want ...Credit) {
	t.Helper()
	got, err := s.Credits(t.Context(), since)
	must(t, err)
	if len(got) != len(want) {
		t.Fatalf("%d credits since %s; want %d", len(got), since, len(want))
	}
	for i := range want {
		same(t, "run, moment and loss", []any{got[i].Run, got[i].At, got[i].Lost},
			[]any{want[i].Run, want[i].At, want[i].Lost})
		same(t, "what was shown", got[i].Shown, want[i].Shown)
		for _, s := range [][2]*resource.Snapshot{{got[i].Desired, want[i].Desired},
			{got[i].Last, want[i].Last}, {got[i].Live, want[i].Live}} {
			same(t, "values", s[0].Ordered(), s[1].Ordered())
		}
	}
}
