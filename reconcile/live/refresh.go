package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"sync"

	"adsync/internal/adsapi"
	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
	"adsync/reconcile/env"
	"adsync/reconcile/wire"
)

// Live is the account as it was read.
type Live struct {
	Resources []*resource.Resource
	Snapshot  *resource.Snapshot       // by address, once identified
	Records   map[string]adsapi.Record // by id, as the service gave them
	Lacking   map[resource.Kind]string // kinds the account may not use, and why
	Listed    map[resource.Kind]bool   // kinds of which a list gave all there are
	OneByOne  []OneByOne               // kinds the service has no list of
	ByParent  []ByParent               // kinds that were listed beneath each parent
	Late      []resource.Address       // bound, not shown yet, and taken to be as they were sent
	Reading   Reading
}

// Reading is how the account was read.
type Reading struct {
	Changed int    // resources read anew, of an incremental refresh
	Whole   bool   // a full refresh
	Why     string // why an incremental refresh was not possible; "" where none was asked for
}

// refreshing reads the live account for a plan.
type refreshing struct {
	*env.Env
	*Lists
	*mirroring

	incremental bool // what the audit log names is read alone
}

// Refresh reads every campaign, ad group and ad, and every limit of spending: by
// account-wide lists, by lists a parent where the service wants one, one by one
// where no list exists (design.md section 8; missing.go). A bound resource a list
// does not show is asked for by its id: a short list never means that something
// is gone.
// Of the other kinds it reads those the record or the files have, and those of
// which the files name something.
func (a *refreshing) Refresh(ctx context.Context, last, desired *resource.Snapshot) (*Live, error) {
	named := map[resource.Kind]bool{}
	for _, snapshot := range []*resource.Snapshot{last, desired} {
		for r := range snapshot.All() {
			named[r.Address.Kind] = true
		}
	}
	for r := range desired.All() {
		a.kindsNamedBy(r, named)
	}
	wanted := func(s *resource.Schema) bool { return Mirrors(s) || s.Caps || named[s.Kind] }
	many, err := a.listsMany(ctx, last)
	if err != nil {
		return nil, err
	}
	read := a.Refreshed
	switch {
	case a.incremental:
		read = a.refreshChanged
	case many: // who reads by the audit log next need not list it all once more
		read = a.refreshMirrored
	}
	live, err := read(ctx, last, Scope{Wanted: wanted, files: desired.Len()})
	if err != nil {
		return nil, err
	}
	a.Census = a.censusOf(live)
	if err := a.readGiven(ctx, last, desired, live); err != nil {
		return nil, err
	}
	return live, a.overlay(ctx, last, live)
}

// kindsNamedBy adds the kinds of what a resource names by id or key.
func (a *Lists) kindsNamedBy(r *resource.Resource, named map[resource.Kind]bool) {
	schema := a.Schemas.Of(r.Address.Kind)
	if schema == nil {
		return
	}
	for i := range schema.Attributes {
		if of := schema.Attributes[i].Of; of != "" &&
			!named[of] && len(r.Value(schema.Attributes[i].Name).Entries()) > 0 {
			named[of] = true
		}
	}
}

// refreshWithFacts reads every kind and has the records hold what only the
// service says, too.
func (a *Lists) refreshWithFacts(ctx context.Context, last *resource.Snapshot) (*Live, error) {
	live, err := a.Refreshed(ctx, last, Scope{facts: true, Wanted: func(*resource.Schema) bool { return true }})
	if err == nil {
		a.unlisted = live.OneByOne
	}
	return live, err
}

// Scope is what a refresh reads.
type Scope struct {
	Wanted func(*resource.Schema) bool
	facts  bool // the records hold what only the service says, too
	files  int  // resources the files have: the account may have as many
}

func (a *Lists) Refreshed(ctx context.Context, last *resource.Snapshot, of Scope) (*Live, error) {
	r, err := a.refresher(ctx, last)
	if err != nil {
		return nil, err
	}
	r.facts, r.live.Reading.Whole = of.facts, true
	return r.live, r.readKinds(ctx, max(of.files, last.Len()), of.Wanted)
}

// readKinds reads kinds by their lists, and by its id what those do not show. About
// so many resources are known of.
func (r *refresher) readKinds(ctx context.Context, known int, wanted func(*resource.Schema) bool) error {
	if known > rowsAPage {
		r.fetchLists(ctx, wanted)
		if err := r.fetchAhead(ctx, wanted); err != nil {
			return err
		}
	}
	for _, schema := range r.agent.Schemas {
		if !wanted(schema) {
			continue
		}
		if err := r.readKind(ctx, schema); err != nil {
			return err
		}
	}
	return r.readMissing(ctx)
}

func (a *Lists) refresher(ctx context.Context, last *resource.Snapshot) (*refresher, error) {
	decoder, err := a.Decoder(ctx)
	if err != nil {
		return nil, err
	}
	beneath, err := a.listedBeneath(ctx)
	if err != nil {
		return nil, err
	}
	return &refresher{
		agent: a, reader: a.Reader(), decoder: decoder,
		beneath: beneath, byID: map[string]*resource.Resource{}, bound: boundIDs(last),
		live: &Live{
			Records: map[string]adsapi.Record{}, Lacking: map[resource.Kind]string{}, Listed: map[resource.Kind]bool{},
		},
	}, nil
}

// Decoder reads records, and names images by what was uploaded.
func (a *Lists) Decoder(ctx context.Context) (wire.Decoder, error) {
	files, err := a.Store.Files(ctx)
	if err != nil {
		return wire.Decoder{}, fmt.Errorf("read the uploaded images: %w", err)
	}
	sources := make(map[string]string, len(files))
	for source, id := range files {
		sources[id] = source
	}
	return wire.Decoder{Zone: a.Zone, Files: sources}, nil
}

func boundIDs(last *resource.Snapshot) map[resource.Kind][]*resource.Resource {
	bound := map[resource.Kind][]*resource.Resource{}
	for r := range last.All() {
		if r.ID != "" {
			bound[r.Address.Kind] = append(bound[r.Address.Kind], r)
		}
	}
	return bound
}

type refresher struct {
	agent   *Lists
	reader  *Reader
	decoder wire.Decoder
	live    *Live
	byID    map[string]*resource.Resource
	bound   map[resource.Kind][]*resource.Resource
	missing [][]absent                // a kind each: bound, and not in the lists
	fetched map[resource.Kind]fetched // lists that were read before it was their turn
	beneath map[resource.Kind]bool    // as of Agent.listedBeneath
	ahead   map[child]fetched         // and those beneath parents
	counts  sync.Mutex                // guards count
	count   int                       // records that lists gave
	facts   bool
	byGuess bool            // what is asked for by its id may be none
	only    map[string]bool // ids; nothing else of a list is taken in, and whose child each is is known. nil: all
}

func (r *refresher) readKind(ctx context.Context, schema *resource.Schema) error {
	err := r.listKind(ctx, schema)
	if errors.Is(unlisted(schema, err), ErrUnlisted) {
		r.takeAsSent(schema)
		return nil
	}
	if LacksFeature(schema, err) {
		r.live.Lacking[schema.Kind] = catalogue.Say("guard.lacking", "feature", schema.Feature, "why", err)
		return nil
	}
	if err != nil && !errors.Is(err, adsapi.ErrNotFound) && (schema.Parent == "" || !listMissing(err)) {
		return err
	}
	r.live.Listed[schema.Kind] = err == nil
	r.lookFor(schema, err == nil)
	return nil
}

// List takes in the list of the account, and tells how many it shows.
func (r *refresher) List(ctx context.Context, schema *resource.Schema) (shown int, err error) {
	list, ok := r.fetched[schema.Kind]
	if !ok {
		list.records, list.err = r.fetch(ctx, schema, nil)
	}
	return len(list.records), r.addAll(schema, list.records, list.err)
}

// including asks for what the facts of a kind need.
func (r *refresher) including(schema *resource.Schema, query url.Values) url.Values {
	includes := schema.Includes()
	if !r.facts || len(includes) == 0 {
		return query
	}
	asked := maps.Clone(query)
	if asked == nil {
		asked = url.Values{}
	}
	asked["include"] = includes
	return asked
}

// addAll takes in the records of a list, those too that came before it broke off.
func (r *refresher) addAll(schema *resource.Schema, records []adsapi.Record, failure error) error {
	for _, record := range records {
		if err := r.Add(schema, record, ""); err != nil {
			return err
		}
	}
	return failure
}

func (r *refresher) Add(schema *resource.Schema, record adsapi.Record, parentID string) error {
	if r.only != nil && !r.only[record.ID] {
		return nil
	}
	if seen := r.byID[record.ID]; seen != nil {
		seen.ParentID = cmp.Or(seen.ParentID, parentID)
		return nil
	}
	live := &resource.Resource{Address: resource.Address{Kind: schema.Kind, Key: schema.Only}, ID: record.ID}
	if r.only == nil { // else who asked reads the records alone
		var err error
		if live, err = r.decoder.DecodeWithFacts(schema, record); err != nil {
			return err
		}
	}
	live.ParentID = cmp.Or(live.ParentID, parentID)
	r.byID[record.ID] = live
	r.live.Records[record.ID] = record
	r.live.Resources = append(r.live.Resources, live)
	return nil
}

// takeAsSent stands in for a list the service does not have: what is bound, by
// adsync or by the files, is taken to be there as it was last sent.
func (r *refresher) takeAsSent(schema *resource.Schema) {
	known := map[string]*resource.Resource{}
	for address, id := range r.agent.Given {
		if address.Kind == schema.Kind {
			known[id] = &resource.Resource{Address: resource.Address{Kind: schema.Kind}, ID: id, AsSent: true}
		}
	}
	for _, bound := range r.bound[schema.Kind] {
		known[bound.ID] = &resource.Resource{
			Address: resource.Address{Kind: schema.Kind}, ID: bound.ID, Attributes: bound.Attributes, AsSent: true,
		}
	}
	for _, id := range slices.Sorted(maps.Keys(known)) {
		r.byID[id] = known[id]
		r.live.Resources = append(r.live.Resources, known[id])
	}
}

// useOwnForms gives what is bound the parent its record may leave out, and its
// own form of what the service had normalised.
func (r *refresher) useOwnForms(kind resource.Kind) {
	for _, bound := range r.bound[kind] {
		r.useOwnForm(bound)
	}
}

func (r *refresher) useOwnForm(bound *resource.Resource) {
	if live := r.byID[bound.ID]; live != nil {
		live.ParentID = cmp.Or(live.ParentID, bound.ParentID)
		OwnForms(live, bound)
	}
}

// OwnForms shows a value the service had normalised in the form that was sent,
// so that normalisation is never taken for drift.
func OwnForms(live, last *resource.Resource) {
	for _, normal := range last.Normal {
		if live.Value(normal.Name).Equal(normal.Value) {
			live.Set(normal.Name, last.Value(normal.Name))
		}
	}
}
