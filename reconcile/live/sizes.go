package live

import (
	"context"
	"maps"
	"slices"

	"adsync/internal/adsapi"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/reconcile/env"
	"adsync/reconcile/wire"
)

// sizes asks whether what the files name is large enough for it.
type sizes struct{ *env.Env }

// TooSmall returns what the files name and the service shows to be too small for that use:
// the range of its size, and its state where that says so. What has no such range is not
// asked for. Of the others the service is asked what it takes for the use, once a use: its
// word counts, and without an answer the range does.
func (a *sizes) TooSmall(ctx context.Context, desired *resource.Snapshot, account *Live) (map[plan.For]string, error) {
	small := a.shownSmall(desired, account)
	uses := map[string][]string{}
	for f := range small {
		uses[f.Use] = append(uses[f.Use], f.ID)
	}
	for _, use := range slices.Sorted(maps.Keys(uses)) {
		ids := slices.Sorted(slices.Values(uses[use]))
		usable, _, err := adsapi.UsableAudiences(ctx, a.Service, use, ids, "")
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			a.Logger.Warn("what may be used so is judged by its size alone", "use", use, "error", err)
		}
		for _, id := range usable {
			delete(small, plan.For{ID: id, Use: use})
		}
	}
	return small, nil
}

// shownSmall returns what the records themselves show to be too small for what the files
// begin to use it for.
func (a *sizes) shownSmall(desired *resource.Snapshot, account *Live) map[plan.For]string {
	small := map[plan.For]string{}
	for r := range desired.All() {
		schema := a.Schemas.Of(r.Address.Kind)
		for i := range schema.Attributes {
			at := &schema.Attributes[i]
			if at.Use == nil || at.Use.Least == 0 || !r.Value(at.Name).IsSet() {
				continue
			}
			var before []string
			if live := account.Snapshot.Get(r.Address); live != nil {
				before = at.Names(live.Value(at.Name))
			}
			for _, said := range at.Names(r.Value(at.Name)) {
				id := said
				if address, byKey := resource.ParseAddress(said); byKey {
					live := account.Snapshot.Get(address)
					if live == nil {
						continue
					}
					id = live.ID
				}
				if slices.Contains(before, id) {
					continue
				}
				m := a.Schemas.Of(at.Of).Membership
				if size := sizeBelow(m, account.Records[id], at.Use.Least); size != "" {
					small[plan.For{ID: id, Use: at.Use.Name}] = size
				}
			}
		}
	}
	return small
}

// sizeBelow returns the range of a size where that lies below a number, with the state
// where that says too few; "" where it does not or cannot be told.
func sizeBelow(m *resource.Membership, record adsapi.Record, least int64) string {
	if m == nil || len(record.JSON) == 0 {
		return ""
	}
	fields, err := wire.Object(record.JSON)
	if err != nil {
		return ""
	}
	size, _ := fields[m.Size].(string)
	state, _ := fields[m.State].(string)
	below, known := m.Under[size]
	switch {
	case known && below <= least && state == m.Small:
		return size + " (" + state + ")"
	case known && below <= least:
		return size
	}
	return ""
}
