package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"

	"adsync/internal/adsapi"
	"adsync/internal/resource"

	"golang.org/x/sync/errgroup"
)

// fetched is a list, as far as it came.
type fetched struct {
	records []adsapi.Record
	err     error
}

// fetchLists reads lists side by side: each page has to wait for the one before it,
// and none for those of another kind.
func (r *refresher) fetchLists(ctx context.Context, wanted func(*resource.Schema) bool) {
	var side []*resource.Schema
	for _, schema := range r.agent.Schemas {
		if wanted(schema) && (Mirrors(schema) || schema.Caps) && !r.beneath[schema.Kind] {
			side = append(side, schema)
		}
	}
	lists := make([]fetched, len(side))
	// whether it matters is decided where its turn comes
	read := func(i int) { lists[i].records, lists[i].err = r.fetch(ctx, side[i], nil) }
	var g errgroup.Group
	for i, schema := range side {
		if schema.Paged() {
			g.Go(func() error {
				defer r.agent.Catch()
				read(i)
				return nil
			})
		}
	}
	for i, schema := range side {
		if !schema.Paged() { // several may stand in one answer
			read(i)
		}
	}
	_ = g.Wait()
	r.agent.Waited()
	r.fetched = make(map[resource.Kind]fetched, len(side))
	for i, schema := range side {
		r.fetched[schema.Kind] = lists[i]
	}
}

// fetch reads a list. A service that does not know what to include still lists.
func (r *refresher) fetch(ctx context.Context, schema *resource.Schema, query url.Values) ([]adsapi.Record, error) {
	include := r.including(schema, query)
	records, err := r.fetchAs(ctx, schema, include)
	if failed := new(adsapi.Error); len(include) > len(query) && errors.As(err, &failed) && failed.Status == 400 {
		more, err := r.fetchAs(ctx, schema, query)
		return append(records, more...), err
	}
	return records, err
}

func (r *refresher) fetchAs(ctx context.Context, schema *resource.Schema,
	query url.Values) (records []adsapi.Record, err error) {
	for record, err := range r.reader.List(ctx, schema, query) {
		if err != nil {
			return records, fmt.Errorf("list %s: %w", cmp.Or(schema.Listing.Path, schema.Collection), err)
		}
		records = append(records, record)
		r.countOne()
	}
	return records, nil
}

func (r *refresher) countOne() {
	r.counts.Lock()
	defer r.counts.Unlock()
	r.count++
	r.agent.ShowProgress("refresh", r.count, 0)
}
