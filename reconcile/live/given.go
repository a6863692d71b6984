package live

import (
	"context"

	"adsync/internal/resource"
)

// readGiven asks for what the files give an id and no list showed: a list may be missing,
// late, or leave out what is archived. What the service does not have under its id stays
// unread, and is a problem of the row (plan.Identify).
func (a *refreshing) readGiven(ctx context.Context, last, desired *resource.Snapshot, live *Live) error {
	missing := a.unseenOf(last, desired, live)
	if len(missing) == 0 {
		return nil
	}
	r, err := a.refresher(ctx, last)
	if err != nil {
		return err
	}
	r.live, r.missing, r.byGuess = live, [][]absent{missing}, true
	return r.readMissing(ctx)
}

// unseenOf returns the rows whose ids neither the record knows nor the lists showed, of
// kinds that can be read by an id.
func (a *refreshing) unseenOf(last, desired *resource.Snapshot, live *Live) (missing []absent) {
	bound, asked := map[string]bool{}, map[string]bool{}
	for r := range last.All() {
		bound[r.ID] = true
	}
	for _, r := range live.Resources {
		bound[r.ID] = true
	}
	for r := range desired.All() {
		schema := a.Schemas.Of(r.Address.Kind)
		if r.ID == "" || bound[r.ID] || asked[r.ID] ||
			schema == nil || schema.Listing.NoRead || !schema.Paged() || live.Lacking[schema.Kind] != "" {
			continue
		}
		asked[r.ID] = true
		missing = append(missing, absent{schema, r})
	}
	return missing
}
