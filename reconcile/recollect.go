package reconcile

import (
	"context"
	"fmt"
	"time"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/reconcile/live"
	"adsync/reconcile/wire"
	"adsync/state"
)

// Recollection is an attribute that is live otherwise than recorded, or a resource that is not recorded.
type Recollection struct {
	Address   resource.Address
	ID        string
	Attribute string // "" of a resource
	Value     string // as people write it
}

// Recollected is what of a record that lost its end was found again.
type Recollected struct {
	Taken []Recollection // adsync did it: it is recorded as applied last
	Left  []Recollection // nothing proves that it did
}

func (r Recollected) String() string {
	return fmt.Sprintf("%s of the service taken into the record, %d left to people",
		diag.Plural(len(r.Taken), "change"), len(r.Left))
}

// Recollect takes into the record what the audit log says that adsync's own key did since the last commit that is left:
// what it set is as applied last, and what it made of the files is bound. It changes nothing at the service. What is
// under way by the journal that is left is ended by recovery, under its keys.
func Recollect(ctx context.Context, agent *Agent, desired *resource.Snapshot) (r Recollected, err error) {
	a := recollecting{agent}
	if err := a.CheckAccount(ctx); err != nil {
		return r, err
	}
	last, err := a.Store.Last(ctx)
	if err != nil {
		return r, fmt.Errorf("read the last-applied record: %w", err)
	}
	since, err := a.lastKnown(ctx)
	if err != nil {
		return r, err
	}
	service := a.live()
	account, err := service.Refresh(ctx, last, desired)
	if err != nil {
		return r, fmt.Errorf("read the live account: %w", err)
	}
	shown, _ := plan.Identify(a.Schemas, last, desired, account.Resources)
	unrecorded := service.Unrecorded(last, shown, since)
	ours, err := service.SetByUs(ctx, unrecorded)
	if err != nil {
		return r, err
	}
	var applied []state.Applied
	for _, c := range ours {
		applied = append(applied, live.TakeIn(last, c))
	}
	proved := map[Recollection]bool{}
	for _, c := range ours {
		proved[a.recollection(c)] = true
	}
	for _, c := range unrecorded {
		if one := a.recollection(c); proved[one] {
			r.Taken = append(r.Taken, one)
		} else {
			r.Left = append(r.Left, one)
		}
	}
	bound, err := a.recollectMade(ctx, service, last, desired, shown, since, &r)
	if err != nil {
		return r, err
	}
	if applied = append(applied, bound...); len(applied) > 0 {
		err = a.Store.Record(ctx, applied)
	}
	return r, err
}

// recollecting is an agent that does so.
type recollecting struct{ *Agent }

func (a recollecting) recollection(c live.Changed) Recollection {
	attribute, _ := a.Schemas.Of(c.At.Kind).Attribute(c.Name)
	return Recollection{c.At, c.ID, c.Name, attribute.Show(c.Is)}
}

// recollectMade binds what the files name, is live, and adsync's key has made, parents first.
func (a recollecting) recollectMade(ctx context.Context, service *live.Room, last, desired, shown *resource.Snapshot,
	since time.Time, r *Recollected) (bound []state.Applied, err error) {
	var there []*resource.Resource
	for want := range desired.All() {
		schema, is := a.Schemas.Of(want.Address.Kind), shown.Get(want.Address)
		if is != nil && is.ID != "" && last.Get(want.Address) == nil && schema.Only == "" && !schema.Removed(is) {
			there = append(there, is)
		}
	}
	made, err := service.MadeByUs(ctx, there, since)
	if err != nil {
		return nil, err
	}
	for _, is := range there {
		one := Recollection{Address: is.Address, ID: is.ID}
		if !made[is.ID].ByUs {
			r.Left = append(r.Left, one)
			continue
		}
		r.Taken = append(r.Taken, one)
		applied := state.Applied{Address: is.Address, ID: is.ID, ParentID: is.ParentID, Replace: true}
		delivery := a.Schemas.Of(is.Address.Kind).Delivery()
		for _, n := range desired.Get(is.Address).Attributes {
			v := is.Value(n.Name)
			if n.Name == delivery && n.Value.Text() == wire.WordActive && made[is.ID].Moved {
				v = n.Value // it has run since, and where it does not somebody may have paused it
			}
			if !v.IsAbsent() {
				applied.Attributes.Set(n.Name, v)
			}
		}
		bound = append(bound, applied)
	}
	return bound, nil
}

// lastKnown is a moment that is in what is left of the record: what it lost came later.
func (a recollecting) lastKnown(ctx context.Context) (at time.Time, err error) {
	wrote, err := a.Store.Wrote(ctx)
	if err != nil {
		return at, err
	}
	for _, w := range wrote {
		if w.SentAt.After(at) {
			at = w.SentAt
		}
	}
	return at, nil
}
