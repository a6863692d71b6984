package daemoncmd

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"adsync/internal/runview"
	"adsync/reconcile"
	"adsync/state"
)

// When this adsync may have written is known by its runs: nobody else is told of for
// what a run that was killed did later.
func TestWhenThisAdsyncMayHaveWritten(t *testing.T) {
	at := func(hour int) time.Time { return time.Date(2026, 3, 1, hour, 0, 0, 0, time.UTC) }
	head, err := json.Marshal(runview.Head{Recovered: &runview.Recovered{At: at(9)}})
	noError(t, err)
	span := func(from, to int) reconcile.Span { return reconcile.Span{From: at(from), To: at(to)} }
	for _, tc := range []struct {
		name  string
		runs  []state.Run // the newest first
		since time.Time
		want  []reconcile.Span
	}{
		{"no run yet", nil, time.Time{}, nil},
		{"a run that ended", []state.Run{{Started: at(5), Finished: at(6)}},
			at(5), []reconcile.Span{span(19, 20), span(5, 6)}},
		{"one that was killed", []state.Run{{Started: at(5)}}, at(5), []reconcile.Span{span(19, 20), span(5, 20)}},
		{"one that was killed and recovered", []state.Run{{Started: at(5), Finished: at(6), Head: head}},
			at(5), []reconcile.Span{span(19, 20), span(5, 9)}},
		{"runs of days before", []state.Run{{Started: at(5), Finished: at(6)}, {Started: at(-40), Finished: at(-39)}},
			at(-4), []reconcile.Span{span(19, 20), span(5, 6)}},
		{"one that ended as the others are looked for from", []state.Run{{Started: at(-6), Finished: at(-4)}},
			at(-4), []reconcile.Span{span(19, 20), span(-6, -4)}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			since, busy, err := spansOf(t.Context(), runsOf{runs: tc.runs}, at(-4), at(19), at(20))
			if err != nil || !since.Equal(tc.since) || fmt.Sprint(busy) != fmt.Sprint(tc.want) {
				t.Errorf("spansOf = %s, %v, %v\nwant %s, %v", since, busy, err, tc.since, tc.want)
			}
		})
	}
}

// runsOf is a state of which only the runs are asked.
type runsOf struct {
	state.Store
	runs []state.Run
}

func (r runsOf) Runs(context.Context, int) ([]state.Run, error) { return r.runs, nil }
