package live

import (
	"cmp"
	"context"
	"time"

	"adsync/internal/adsapi"
	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/reconcile/wire"
	"adsync/state"
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

// Mirrored returns the resources of some kinds as a mirror has them, with what only the service says of each; days are
// in a zone. What cannot be read is left out: the next run reads it anew.
func Mirrored(schemas resource.Schemas, m state.Mirror, zone *time.Location) (all []*resource.Resource) {
	d := wire.Decoder{Zone: zone}
	for _, one := range m.Mirrored {
		schema := schemas.Of(one.Kind)
		if schema == nil {
			continue
		}
		r, err := d.DecodeWithFacts(schema, adsapi.Record{ID: one.ID, JSON: one.Record})
		if err != nil {
			continue
		}
		r.ParentID = cmp.Or(r.ParentID, one.ParentID)
		all = append(all, r)
	}
	return all
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
			found.Rows.Add(&resource.Resource{Address: r.Address, ID: r.ID, Facts: r.Facts})
		case schema.Only == "" && !schema.Removed(r):
			found.Rest = append(found.Rest, r)
		}
	}
	return found, nil
}
