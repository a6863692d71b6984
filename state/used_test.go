package state

import (
	"testing"
)

// A consent is used with the very commit that journals the intent, and is not where a
// step certainly had no effect.
func TestAConsentIsUsedWithTheIntent(t *testing.T) {
	both(t, func(t *testing.T, s Store, again func() Store) {
		ctx := t.Context()
		used := func(want map[string]int64) {
			t.Helper()
			got, err := s.Used(ctx)
			must(t, err)
			same(t, "used", got, want)
		}
		first := job("run-1/1/0", 1)
		first.Uses = []string{"a", "b"}
		must(t, s.Begin(ctx, first))
		serial := s.Header().Serial
		used(map[string]int64{"a": serial, "b": serial})
		open, err := s.Open(ctx)
		must(t, err)
		same(t, "uses of the open step", open[0].Uses, first.Uses)

		refused := job("run-1/1/0", 1) // of an id that is there: nothing of it counts
		refused.Uses = []string{"c"}
		wantError(t, "Begin", s.Begin(ctx, refused), errExists)
		used(map[string]int64{"a": serial, "b": serial})

		second := job("run-1/1/1", 1)
		second.Uses = []string{"b", "c"}
		must(t, s.Begin(ctx, second))
		later := s.Header().Serial
		used(map[string]int64{"a": serial, "b": later, "c": later})
		must(t, s.Move(ctx, second.ID, Abandoned, Update{}))
		used(map[string]int64{"a": serial, "b": serial})
		must(t, s.Move(ctx, first.ID, Sent, Update{SentAt: morning}))
		must(t, s.Finish(ctx, first.ID, nil, nil))
		must(t, s.Move(ctx, first.ID, Closed, Update{}))
		used(map[string]int64{"a": serial, "b": serial})
		must(t, s.Record(ctx, []Applied{{Address: address("campaign/shoes"), ID: "1", Uses: []string{"d"}}}))
		used(map[string]int64{"a": serial, "b": serial, "d": s.Header().Serial})
		s = again()
		used(map[string]int64{"a": serial, "b": serial, "d": s.Header().Serial})
	})
}
