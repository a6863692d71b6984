package audience

import (
	"slices"

	"adsync/internal/emulator/service"
	"adsync/internal/emulator/wire"
	"adsync/internal/emulator/world"
)

// The bounds of a merge (service facts 8.2).
const (
	minSources = 2
	maxSources = 64
)

// merge makes an independent audience of all matched members of its sources, as
// they are when the request is accepted. The operation names the new audience.
func merge(c *service.Call) (view any, err error) {
	o, err := c.Object()
	if err != nil {
		return nil, err
	}
	o.Require("name", "custom_audience_ids")
	o.AllowNull("description")
	d := world.Audience{Name: o.Name("name", 3, 1000).V, Description: o.Text("description", 0, 0).Ptr()}
	sources := o.Texts("custom_audience_ids", minSources, maxSources, nil).V
	if len(slices.Compact(slices.Sorted(slices.Values(sources)))) < len(sources) {
		o.Fail("custom_audience_ids", "invalid_value", "Invalid 'custom_audience_ids': want different audiences.")
	}
	if err := o.Err(); err != nil {
		return nil, err
	}
	err = c.Update(func(tx *world.Tx) error {
		key := keyOf(c, kindMerge)
		op, again, err := earlier(tx, key)
		if again || err != nil {
			view = showOperation(op)
			return err
		}
		together, err := unite(tx.Account, sources)
		if err != nil {
			return err
		}
		made := put(tx, d)
		op = accept(tx, world.AudienceOperation{AudienceID: made.ID, Kind: kindMerge},
			world.AudienceInput{Cells: together.cells()})
		key.Remember(tx, op.ID)
		view = showOperation(op)
		return nil
	})
	return view, err
}

func unite(a *world.Account, sources []string) (members, error) {
	together := members{}
	for _, id := range sources {
		d, ok := a.Audiences.Get(id)
		if !ok || d.Status == archived {
			return nil, wire.Invalidf("custom_audience_ids",
				"custom_audience_not_found", "No custom audience found with id '%s'.", id)
		}
		if _, busy := underWay(a, id); busy || d.Status != ready {
			return nil, conflict(id)
		}
		for person, kinds := range membersOf(a, id) {
			together[person] |= kinds
		}
	}
	return together, nil
}
