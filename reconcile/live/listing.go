package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/url"

	"adsync/internal/adsapi"
	"adsync/internal/resource"
	"adsync/reconcile/env"
	"adsync/reconcile/wire"
)

// Reader reads the kinds as their descriptions say: by pages, by one answer that
// holds them all, or as the one there is. What one answer holds is asked for
// once a reader.
type Reader struct {
	service *adsapi.Client
	answers map[string]answer // by path
	lists   map[resource.Kind]map[string]adsapi.Record
}

// Lists reads the lists of the account, and single resources of them.
type Lists struct {
	*env.Env
	*Memory
}

func (a *Lists) Reader() *Reader {
	return &Reader{
		service: a.Service, answers: map[string]answer{}, lists: map[resource.Kind]map[string]adsapi.Record{},
	}
}

// List returns the records of a kind.
func (r *Reader) List(ctx context.Context, schema *resource.Schema, query url.Values) iter.Seq2[adsapi.Record, error] {
	if schema.Paged() {
		return r.service.List(ctx, schema.Collection, query)
	}
	return func(yield func(adsapi.Record, error) bool) {
		records, err := r.whole(ctx, schema)
		if err != nil {
			yield(adsapi.Record{}, err)
			return
		}
		for _, record := range records {
			if !yield(record, nil) {
				return
			}
		}
	}
}

// One returns a record by its id; ErrNotFound where there is none, ErrUnlisted where its list is not there.
func (r *Reader) One(ctx context.Context, schema *resource.Schema, id string, query url.Values) (adsapi.Record, error) {
	if schema.Paged() && !schema.Listing.NoRead {
		return r.service.Read(ctx, schema.Collection, id, query)
	}
	known, listed := r.lists[schema.Kind]
	if !listed {
		known = map[string]adsapi.Record{}
		for record, err := range r.List(ctx, schema, query) {
			switch {
			case errors.Is(err, adsapi.ErrNotFound):
				return adsapi.Record{}, ErrUnlisted
			case err != nil:
				return adsapi.Record{}, err
			}
			known[record.ID] = record
		}
		r.lists[schema.Kind] = known
	}
	if record, ok := known[id]; ok {
		return record, nil
	}
	return adsapi.Record{}, fmt.Errorf("%s %s is not in the list: %w", schema.Kind, id, adsapi.ErrNotFound)
}

// ErrUnlisted means that the service shows nothing of a kind.
var ErrUnlisted = errors.New("the service has no list of it")

// unlisted tells a list that is not there from a resource that is not in it.
func unlisted(schema *resource.Schema, err error) error {
	if schema.Listing.Optional && errors.Is(err, adsapi.ErrNotFound) {
		return ErrUnlisted
	}
	return err
}

// UnlistedBeneath is unlisted for what is looked for beneath a parent: the interface
// has no list of ads, and none but that of ad groups takes a parent (part 4).
func UnlistedBeneath(schema *resource.Schema, err error) error {
	if schema.Parent != "" && listMissing(err) {
		return ErrUnlisted
	}
	return unlisted(schema, err)
}

// whole reads a kind that one answer holds.
func (r *Reader) whole(ctx context.Context, schema *resource.Schema) ([]adsapi.Record, error) {
	body, err := r.answer(ctx, schema.Listing.Path)
	if err != nil {
		return nil, err
	}
	rows := []json.RawMessage{body}
	if schema.Listing.Array != "" {
		if rows, err = arrayIn(body, schema.Listing.Array); err != nil {
			return nil, fmt.Errorf("read %s: %w", schema.Listing.Path, err)
		}
	}
	records := make([]adsapi.Record, len(rows))
	for i, row := range rows {
		fields, err := wire.Object(row)
		if err != nil {
			return nil, fmt.Errorf("read %s %d: %w", schema.Kind, i+1, err)
		}
		id, _ := fields[schema.Listing.IDField()].(string)
		if id == "" {
			return nil, fmt.Errorf("%s %d of the answer has no %s; want one",
				schema.Kind, i+1, schema.Listing.IDField())
		}
		records[i] = adsapi.Record{ID: id, JSON: row}
	}
	return records, nil
}

// answer is what one request gave, a refusal too.
type answer struct {
	body json.RawMessage
	err  error
}

func (r *Reader) answer(ctx context.Context, path string) (json.RawMessage, error) {
	known, asked := r.answers[path]
	if !asked {
		known.body, known.err = r.service.Get(ctx, "/"+path, nil)
		r.answers[path] = known
	}
	return known.body, known.err
}

// arrayIn returns the records of one field. A service that does not have the field
// has none of the kind.
func arrayIn(body json.RawMessage, field string) ([]json.RawMessage, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil {
		return nil, err
	}
	raw, ok := fields[field]
	if !ok {
		return nil, nil
	}
	var rows []json.RawMessage
	err := json.Unmarshal(raw, &rows)
	return rows, err
}

// Revision is the revision of the configuration a kind's records came with.
func (r *Reader) Revision(ctx context.Context, schema *resource.Schema) (any, error) {
	body, err := r.answer(ctx, schema.Listing.Path)
	if err != nil {
		return nil, err
	}
	fields, err := wire.Object(body)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", schema.Listing.Path, err)
	}
	return fields[schema.Listing.Revision], nil
}

// LacksFeature reports whether an account may not use a kind, as its list is refused.
func LacksFeature(schema *resource.Schema, err error) bool {
	var failed *adsapi.Error
	return schema.Feature != "" && errors.As(err, &failed) &&
		(failed.Status == 403 || failed.Status == 404 || failed.Status == 422)
}

// KnownCapabilities are those that were found out within a day: an account gains
// and loses them. Whether parents can be repeated is not forgotten: to ask costs
// a second parent.
func (a *Lists) KnownCapabilities(ctx context.Context) (map[resource.Capability]bool, error) {
	known, err := a.Store.Capabilities(ctx)
	if err != nil {
		return nil, err
	}
	asked, err := a.Store.Asked(ctx)
	if err != nil {
		return nil, err
	}
	for capability := range known {
		if capability != resource.RepeatParent && a.Now().Sub(asked[capability]) >= env.Day {
			delete(known, capability)
		}
	}
	return known, nil
}
