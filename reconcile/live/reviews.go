package live

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"adsync/internal/adsapi"
	"adsync/internal/resource"
	"adsync/internal/review"
	"adsync/reconcile/env"
	"adsync/reconcile/wire"
)

// ReviewsOf takes what a plan has read of reviews into a record: they stand in every
// record of an ad. Only what the files or adsync's own record know is taken in, and nothing
// of an incremental refresh: the end of a review is in no audit log, and the mirror of old.
//
// managed reports whether an address is one of them.
func ReviewsOf(schemas resource.Schemas, live *Live,
	managed func(resource.Address) bool, now time.Time, into *review.Record) {
	if !live.Reading.Whole {
		return
	}
	known := map[string]bool{}
	for _, schema := range schemas {
		if !review.Reviewed(schema) {
			continue
		}
		seer := seer{schemas, schema, live.Snapshot, now, into}
		for r := range live.Snapshot.All() {
			if r.Address.Kind != schema.Kind || !managed(r.Address) || schema.Removed(r) {
				continue
			}
			known[r.Address.String()] = true
			seer.see(r, r.Facts, false)
		}
	}
	into.Keep(func(address string) bool { return known[address] })
}

// seer takes in what the service's records say of a kind that is reviewed.
type seer struct {
	schemas resource.Schemas
	schema  *resource.Schema
	among   *resource.Snapshot
	now     time.Time
	into    *review.Record
}

// see takes in what is said of one resource. asked says that what keeps it from
// being served was asked for.
func (w seer) see(r *resource.Resource, facts resource.Attributes, asked bool) {
	s, says := review.Of(facts)
	if !says {
		return
	}
	s.Address, s.ID, s.Name = r.Address.String(), r.ID, w.schema.NameOf(r)
	var above []string
	for at := w.schemas.Parent(r.Address); !at.IsZero(); at = w.schemas.Parent(at) {
		if parent := w.among.Get(at); parent != nil {
			above = append(above, w.schemas.Of(at.Kind).NameOf(parent))
		}
	}
	slices.Reverse(above)
	s.In = strings.Join(above, " › ")
	w.into.See(w.now, s, asked)
}

// seeRecord is see of a record that was asked for.
func (w seer) seeRecord(r *resource.Resource, record adsapi.Record) error {
	facts, err := wire.FactsOf(w.schema, record)
	if err == nil {
		w.see(r, facts, true)
	}
	return err
}

// reviewing asks where ads stand with the review of the service.
type reviewing struct {
	*env.Env
	*Lists
}

// ReadReviews asks the service for the reviews of what adsync has recorded, and for what
// keeps it from being served, and takes them into a record. It changes nothing at the
// service, and sends no more than a minute's share of the budget: into.Left says that more
// is to be read.
func (a *reviewing) ReadReviews(ctx context.Context, into *review.Record) error {
	last, err := a.Store.Last(ctx)
	if err != nil {
		return fmt.Errorf("read the last-applied record: %w", err)
	}
	beneath, err := a.listedBeneath(ctx)
	if err != nil {
		return err
	}
	into.Left = false
	endpoint, _ := a.Service.PerMinute()
	known := map[string]bool{}
	for _, schema := range a.Schemas {
		if !review.Reviewed(schema) || err != nil {
			continue
		}
		p := &reviewPass{
			seer: seer{a.Schemas, schema, last, a.Now(), into}, service: a.Service, beneath: beneath[schema.Kind],
			byID: map[string]*resource.Resource{}, most: max(1, endpoint/review.Part),
		}
		for r := range last.All() {
			if r.Address.Kind == schema.Kind && r.ID != "" && !schema.Removed(r) {
				known[r.Address.String()], p.byID[r.ID] = true, r
			}
		}
		err = p.read(ctx)
		into.Left = into.Left || p.left
	}
	into.Keep(func(address string) bool { return known[address] })
	into.Read = a.Now()
	return err
}

// reviewPass is one read of the reviews of a kind.
type reviewPass struct {
	seer
	service *adsapi.Client
	byID    map[string]*resource.Resource // that may be reviewed
	beneath bool                          // it is listed beneath parents
	most    int                           // requests a minute
	left    bool
}

// read takes the list of the account where there is one, and asks for the rest, as far as
// it is due, by lists beneath parents or by ids.
func (p *reviewPass) read(ctx context.Context) error {
	if len(p.byID) == 0 {
		return nil
	}
	if !p.beneath {
		err := p.List(ctx, url.Values{})
		if p.beneath = listMissing(err); err != nil && !p.beneath || p.left {
			return err
		}
	}
	byAddress := map[string]*resource.Resource{}
	for _, r := range p.byID {
		byAddress[r.Address.String()] = r
	}
	for _, address := range p.into.Due(p.now, slices.Collect(maps.Keys(byAddress))) {
		if err := p.ask(ctx, byAddress[address]); err != nil || p.left {
			return err
		}
	}
	return nil
}

// ask reads one resource, by the list it is in where the service has one.
func (p *reviewPass) ask(ctx context.Context, r *resource.Resource) error {
	if p.beneath && r.ParentID != "" && !p.seen(r) {
		err := p.List(ctx, url.Values{p.schema.ParentWire: {r.ParentID}})
		if p.beneath = !listMissing(err); p.beneath && err != nil {
			return err
		}
	}
	if p.seen(r) || !p.may() {
		return nil
	}
	record, err := p.service.Read(ctx, p.schema.Collection, r.ID, url.Values{"include": p.schema.Includes()})
	if errors.Is(err, adsapi.ErrNotFound) {
		p.into.Miss(p.now, r.Address.String())
		return nil
	}
	if err != nil {
		return fmt.Errorf("read %s %s: %w", p.schema.Kind, r.ID, err)
	}
	return p.seeRecord(r, record)
}

// seen reports whether this pass has read a resource.
func (p *reviewPass) seen(r *resource.Resource) bool {
	s := p.into.Ads[r.Address.String()]
	return s != nil && s.Asked.Equal(p.now)
}

// may counts a request, where the budget has one.
func (p *reviewPass) may() bool {
	if p.into.Allow(p.now, p.most) == 0 {
		p.left = true
		return false
	}
	p.into.Spend()
	return true
}

// List reads a list. A service that does not know what to include may still list.
func (p *reviewPass) List(ctx context.Context, query url.Values) error {
	included := maps.Clone(query)
	included["include"] = p.schema.Includes()
	err := p.pages(ctx, included)
	if failed := new(adsapi.Error); errors.As(err, &failed) && failed.Status == 400 && len(p.schema.Includes()) > 0 {
		return p.pages(ctx, query)
	}
	return err
}

// pages reads the pages of a list. That of the account goes on where the pass before ended.
func (p *reviewPass) pages(ctx context.Context, query url.Values) error {
	whole := !query.Has(p.schema.ParentWire)
	if !p.may() {
		return nil
	}
	if whole && p.into.After != "" {
		query.Set("after", p.into.After)
		p.into.After = ""
	}
	rows := 0
	for record, err := range p.service.List(ctx, p.schema.Collection, query) {
		if err != nil {
			return fmt.Errorf("list %s: %w", p.schema.Collection, err)
		}
		if r := p.byID[record.ID]; r != nil {
			if err := p.seeRecord(r, record); err != nil {
				return err
			}
		}
		if rows++; rows%rowsAPage == 0 && !p.may() { // the next page would be a request too many
			if whole {
				p.into.After = record.ID
			}
			return nil
		}
	}
	return nil
}
