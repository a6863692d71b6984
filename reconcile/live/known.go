package live

import (
	"context"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/reconcile/wire"
)

// Known is what the service says of an account at one moment, whatever the
// files say of it.
type Known struct {
	schemas resource.Schemas
	last    *resource.Snapshot
	live    *Live
}

// KnownRows is what the service knows of the rows of files.
type KnownRows struct {
	Rows     *resource.Snapshot   // by the addresses of the files: ids, and what only the service says
	Rest     []*resource.Resource // live, and in no row
	Problems []diag.Problem       // ids and names that fit nothing, or several
}

// Known reads the account and changes nothing.
func (a *refreshing) Known(ctx context.Context) (*Known, error) {
	last, live, err := a.lastAndLive(ctx)
	if err != nil {
		return nil, err
	}
	return &Known{a.Schemas, last, live}, nil
}

// Of finds what is live of each row, by id, key, and name under the parent, as a
// plan does. A kind the account has once is in no row's place.
func (k *Known) Of(desired *resource.Snapshot) (KnownRows, error) {
	found := KnownRows{Rows: &resource.Snapshot{}}
	identified, problems := plan.Identify(k.schemas, k.last, desired, k.live.Resources)
	found.Problems = problems
	for r := range identified.All() {
		schema := k.schemas.Of(r.Address.Kind)
		switch {
		case desired.Get(r.Address) != nil:
			facts, err := wire.FactsOf(schema, k.live.Records[r.ID])
			if err != nil {
				return found, err
			}
			found.Rows.Add(&resource.Resource{Address: r.Address, ID: r.ID, Facts: facts})
		case schema.Only == "" && !schema.Removed(r):
			found.Rest = append(found.Rest, r)
		}
	}
	return found, nil
}
