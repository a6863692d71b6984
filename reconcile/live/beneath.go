package live

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"strings"
	"time"

	"adsync/internal/adsapi"
	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/reconcile/env"

	"golang.org/x/sync/errgroup"
)

// listsAtOnce is how many lists beneath parents are read before their records are
// taken in.
const listsAtOnce = 64

// ByParent is a kind that was read in lists beneath each parent.
type ByParent struct {
	Kind  resource.Kind
	Lists int
	Whole bool // the service has a list of the account too, which does not say whose child each is
}

// why lists beneath parents are read.
type why int

const (
	listWanting why = iota // the list of the account is refused
	listEmpty              // it shows nothing
	listOrphans            // it does not say whose child each record is
)

// listKind lists a kind as the service lists it: the account at once, or what stands
// beneath each parent (service facts, 3.3 and 4.3).
func (r *refresher) listKind(ctx context.Context, schema *resource.Schema) error {
	if r.beneath[schema.Kind] { // as it was the last time
		if err := r.listBeneath(ctx, schema, listWanting, nil); !listMissing(err) {
			return err
		}
		if err := r.forgetBeneath(ctx, schema); err != nil {
			return err
		}
	}
	shown, err := r.List(ctx, schema)
	r.useOwnForms(schema.Kind) // the record may know the parents that the list leaves out
	switch {
	case schema.Parent == "":
		return err
	case listMissing(err):
		return r.listBeneath(ctx, schema, listWanting, err)
	case err == nil && shown == 0:
		return r.listBeneath(ctx, schema, listEmpty, nil)
	case err == nil && r.only == nil && r.orphans(schema.Kind):
		return r.listBeneath(ctx, schema, listOrphans, nil)
	}
	return err
}

// listMissing reports whether the service has no such list, or wants a filter on it.
func listMissing(err error) bool {
	var failed *adsapi.Error
	return errors.Is(err, adsapi.ErrNotFound) || errors.As(err, &failed) &&
		(failed.Status == 400 || failed.Status == 405 || failed.Status == 422)
}

// orphans reports whether the records of a kind leave out whose children they are, and
// the record does not know either.
func (r *refresher) orphans(kind resource.Kind) bool {
	return slices.ContainsFunc(r.live.Resources, func(live *resource.Resource) bool {
		return live.Address.Kind == kind && live.ParentID == ""
	})
}

// listBeneath lists a kind beneath each of its parents. A few go first: they tell
// whether the service has such lists. whole is how the list of the account was
// refused. Where a parent is refused later it is gone: what is bound beneath it is
// asked for by its id.
func (r *refresher) listBeneath(ctx context.Context, schema *resource.Schema, because why, whole error) error {
	parents := r.parentsOf(schema)
	few := parents[:min(len(parents), 1+readers)]
	lists, err := r.fetchBeneath(ctx, schema, few[:min(len(few), 1)])
	if err != nil || refusedAlike(whole, lists) {
		return cmp.Or(err, whole)
	}
	more, err := r.fetchBeneath(ctx, schema, few[len(lists):])
	if err != nil {
		return err
	}
	lists = append(lists, more...)
	switch {
	case len(lists) > 0 && !slices.ContainsFunc(lists, beneath.answered):
		return lists[0].err
	case parentIgnored(schema, lists):
		return r.addBeneath(schema, lists, true)
	case because == listEmpty && !slices.ContainsFunc(lists, func(l beneath) bool { return len(l.records) > 0 }):
		return nil
	}
	if err := r.addBeneath(schema, lists, false); err != nil {
		return err
	}
	if err := r.listRest(ctx, schema, parents[len(few):], because); err != nil {
		return err
	}
	r.useOwnForms(schema.Kind)
	r.live.ByParent = append(r.live.ByParent, ByParent{
		Kind: schema.Kind, Lists: len(parents), Whole: because == listOrphans,
	})
	if because == listOrphans || len(parents) == 0 {
		return nil
	}
	return r.rememberBeneath(ctx, schema)
}

// listRest lists beneath the parents that are left, until nothing is looked for any
// more.
func (r *refresher) listRest(ctx context.Context, schema *resource.Schema, parents []string, because why) error {
	for some := range slices.Chunk(parents, listsAtOnce) {
		if because == listOrphans && !r.orphans(schema.Kind) {
			return nil
		}
		lists, err := r.fetchBeneath(ctx, schema, some)
		if err != nil {
			return err
		}
		if err := r.addBeneath(schema, lists, false); err != nil {
			return err
		}
	}
	return nil
}

// beneath is a list of what stands beneath a parent.
type beneath struct {
	parent string
	fetched
}

func (b beneath) answered() bool { return b.err == nil }

// fetchBeneath lists beneath several parents side by side. That the service refuses
// one stands in its list.
func (r *refresher) fetchBeneath(ctx context.Context, schema *resource.Schema, parents []string) ([]beneath, error) {
	lists := make([]beneath, len(parents))
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(readers)
	for i, parent := range parents {
		if ahead, ok := r.ahead[child{schema.Kind, parent}]; ok {
			lists[i] = beneath{parent, ahead}
			continue
		}
		g.Go(func() error {
			defer r.agent.Catch()
			list, err := r.fetchOne(gctx, schema, parent)
			lists[i] = beneath{parent, list}
			return err
		})
	}
	err := g.Wait()
	r.agent.Waited()
	return lists, err
}

// fetchOne lists beneath one parent. That the service refuses it stands in the list.
func (r *refresher) fetchOne(ctx context.Context, schema *resource.Schema, parent string) (fetched, error) {
	records, err := r.fetch(ctx, schema, url.Values{schema.ParentWire: {parent}})
	r.agent.SignOfLife() // many may show nothing
	if listMissing(err) {
		return fetched{err: err}, nil
	}
	return fetched{records, err}, err
}

// child is what a list beneath a parent is of.
type child struct {
	kind   resource.Kind
	parent string
}

// fetchAhead lists kinds beneath the parents that the record knows, before it is
// their turn: each kind has its own limit of the service to use.
func (r *refresher) fetchAhead(ctx context.Context, wanted func(*resource.Schema) bool) error {
	var kinds [][]child
	for _, schema := range r.agent.Schemas {
		if !wanted(schema) {
			continue
		}
		if _, was := r.beneath[schema.Kind]; was && listMissing(r.fetched[schema.Kind].err) { // and is
			if err := r.rememberBeneath(ctx, schema); err != nil {
				return err
			}
		}
		if !r.beneath[schema.Kind] {
			continue
		}
		var of []child
		seen := map[string]bool{"": true}
		for _, bound := range r.bound[schema.Kind] {
			if !seen[bound.ParentID] {
				seen[bound.ParentID] = true
				of = append(of, child{schema.Kind, bound.ParentID})
			}
		}
		kinds = append(kinds, of)
	}
	if len(kinds) < 2 {
		return nil
	}
	all := inTurn(kinds)
	lists := make([]fetched, len(all))
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(readers)
	for i, c := range all {
		g.Go(func() (err error) {
			defer r.agent.Catch()
			lists[i], err = r.fetchOne(gctx, r.agent.Schemas.Of(c.kind), c.parent)
			return err
		})
	}
	err := g.Wait()
	r.agent.Waited()
	r.ahead = make(map[child]fetched, len(all))
	for i, c := range all {
		r.ahead[c] = lists[i]
	}
	return err
}

// addBeneath takes in the records of lists; whose child each is only the record says
// where the service ignores the parent.
func (r *refresher) addBeneath(schema *resource.Schema, lists []beneath, ignored bool) error {
	for _, list := range lists {
		parent := list.parent
		if ignored {
			parent = ""
		}
		for _, record := range list.records {
			if err := r.Add(schema, record, parent); err != nil {
				return err
			}
		}
	}
	return nil
}

// refusedAlike reports whether the list beneath a parent is refused as that of the account
// is: it is not there.
func refusedAlike(whole error, first []beneath) bool {
	if whole == nil || len(first) == 0 || first[0].err == nil {
		return false
	}
	var of, at *adsapi.Error
	return errors.As(whole, &of) && errors.As(first[0].err, &at) &&
		of.Status == at.Status && (of.Status == 404 || of.Status == 405)
}

// parentIgnored reports whether the service takes the parent of a list and does not look at
// it: a record stands beneath two, or says that it stands beneath another.
func parentIgnored(schema *resource.Schema, lists []beneath) bool {
	seen := map[string]string{}
	for _, list := range lists {
		for _, record := range list.records {
			var says map[string]any
			_ = json.Unmarshal(record.JSON, &says)
			said, _ := says[schema.ParentWire].(string)
			before, twice := seen[record.ID]
			if said != "" && said != list.parent || twice && before != list.parent {
				return true
			}
			seen[record.ID] = list.parent
		}
	}
	return false
}

// parentsOf are the ids beneath which a kind is listed: first those that have
// children adsync knows of, last those that are bound and still to be read by their
// ids. What is removed and has no such children is left out: nothing of it delivers.
func (r *refresher) parentsOf(schema *resource.Schema) []string {
	known := map[string]bool{}
	for _, bound := range r.bound[schema.Kind] {
		known[bound.ParentID] = true
	}
	delete(known, "")
	if r.only != nil {
		return slices.Sorted(maps.Keys(known))
	}
	var first, then []string
	parent := r.agent.Schemas.Of(schema.Parent)
	for _, live := range r.live.Resources {
		switch {
		case live.Address.Kind != schema.Parent:
		case known[live.ID]:
			first = append(first, live.ID)
		case !parent.Removed(live):
			then = append(then, live.ID)
		}
	}
	for _, missing := range r.missing {
		for _, m := range missing {
			if m.schema.Kind == schema.Parent {
				then = append(then, m.bound.ID)
			}
		}
	}
	return append(first, then...)
}

// rememberBeneath keeps for a day that a kind is listed beneath its parents only.
func (r *refresher) rememberBeneath(ctx context.Context, schema *resource.Schema) error {
	if r.beneath[schema.Kind] {
		return nil
	}
	r.beneath[schema.Kind] = true
	return env.IgnoreReadOnly(r.agent.Store.RecordCapability(ctx, schema.ListedByParent(), true))
}

// forgetBeneath notes that a kind is not listed beneath its parents any more.
func (r *refresher) forgetBeneath(ctx context.Context, schema *resource.Schema) error {
	r.beneath[schema.Kind] = false
	return env.IgnoreReadOnly(r.agent.Store.RecordCapability(ctx, schema.ListedByParent(), false))
}

// listedBeneath are the kinds that were listed beneath their parents only: true where
// that was found out within a day.
func (a *Lists) listedBeneath(ctx context.Context) (map[resource.Kind]bool, error) {
	ever, err := a.Store.Capabilities(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the capabilities: %w", err)
	}
	lately, err := a.KnownCapabilities(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the capabilities: %w", err)
	}
	beneath := map[resource.Kind]bool{}
	for _, schema := range a.Schemas {
		if schema.Parent != "" && ever[schema.ListedByParent()] {
			beneath[schema.Kind] = lately[schema.ListedByParent()]
		}
	}
	return beneath, nil
}

// listsMany reports whether reading the account takes many lists beneath parents.
func (a *Lists) listsMany(ctx context.Context, last *resource.Snapshot) (bool, error) {
	beneath, err := a.listedBeneath(ctx)
	if err != nil || len(beneath) == 0 {
		return false, err
	}
	parents := 0
	for r := range last.All() {
		if slices.ContainsFunc(a.Schemas, func(s *resource.Schema) bool {
			_, was := beneath[s.Kind]
			return was && s.Parent == r.Address.Kind
		}) {
			parents++
		}
	}
	return parents > readOne, nil
}

// ByParentProblems returns which kinds take minutes to list beneath their parents.
func (a *refreshing) ByParentProblems(live *Live) []diag.Problem {
	var problems []diag.Problem
	for _, b := range live.listsRead() {
		if words, minutes := a.wordsOf(b); minutes > 1 {
			problems = append(problems, diag.Problem{
				Severity: diag.Warning, Code: diag.ListedByParent,
				Message: words + "; --refresh incremental reads only what its audit log says was changed",
			})
		}
	}
	return problems
}

// ListNotes says of a plan which kinds were listed beneath their parents within a
// minute: of those that take longer the plan warns.
func (a *refreshing) ListNotes(live *Live) []string {
	var notes []string
	for _, b := range live.listsRead() {
		if words, minutes := a.wordsOf(b); minutes <= 1 && b.Lists > 0 {
			notes = append(notes, words)
		}
	}
	return notes
}

// listsRead are the kinds of which lists beneath parents were read just now.
func (l *Live) listsRead() []ByParent {
	if !l.Reading.Whole {
		return nil
	}
	return l.ByParent
}

func (a *refreshing) wordsOf(b ByParent) (words string, minutes int) {
	endpoint, overall := a.Service.PerMinute()
	minutes = max(1, int(math.Ceil(float64(b.Lists)/float64(min(endpoint, overall)))))
	schema := a.Schemas.Of(b.Kind)
	children, parent := everyday(schema), strings.ToLower(a.Schemas.Of(schema.Parent).Title)
	lists := fmt.Sprintf("the service lists %s beneath one parent at a time", children)
	if b.Whole {
		lists = fmt.Sprintf("the service says whose children %s are only where it lists them beneath one parent",
			children)
	}
	read := fmt.Sprintf("%d lists were", b.Lists)
	if b.Lists == 1 {
		read = "1 list was"
	}
	return fmt.Sprintf("%s: %s read, one for each %s, in at most %d min under the service's limits",
		lists, read, parent, minutes), minutes
}

// everyday is the plural of a kind, such as "ad groups".
func everyday(schema *resource.Schema) string { return strings.ReplaceAll(schema.Collection, "_", " ") }

// OlderThanParent reports whether a resource was made before what is said to be its parent: it stands beneath another.
// The parent is read where the resource is not of this minute.
func OlderThanParent(ctx context.Context, of *env.Env,
	schema *resource.Schema, record adsapi.Record, parent string) (bool, error) {
	made, known := createdAt(record)
	if parent == "" || !known || of.Now().Sub(made) <= env.ClockSlack {
		return false, nil
	}
	above, err := of.Service.Read(ctx, of.Schemas.Of(schema.Parent).Collection, parent, nil)
	if err != nil {
		return false, fmt.Errorf("read %s, the parent of %s: %w", parent, record.ID, err)
	}
	return older(record, above), nil
}

// Elsewhere reports whether what was read back stands beneath another parent than the one that is given: it says so
// (service facts, 4.3: not always), or it is older.
func (o Observation) Elsewhere(parent adsapi.Record) bool {
	switch {
	case o.Record.ID == "" || parent.ID == "":
		return false
	case o.ParentID != "":
		return o.ParentID != parent.ID
	}
	return older(o.Record, parent)
}

// older reports whether one was made before another, by more than clocks are apart.
func older(record, parent adsapi.Record) bool {
	made, known := createdAt(record)
	since, both := createdAt(parent)
	return known && both && since.Sub(made) > env.ClockSlack
}

// ParentIn returns the id of the parent that a body names, "" for none.
func ParentIn(schema *resource.Schema, body json.RawMessage) (id string) {
	d := json.NewDecoder(bytes.NewReader(body))
	if _, err := d.Token(); err != nil { // the brace
		return ""
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return ""
		}
		if name == schema.ParentWire {
			_ = d.Decode(&id) // what is no text names none
			return id
		}
		var other json.RawMessage
		if d.Decode(&other) != nil {
			return ""
		}
	}
	return ""
}

// createdAt returns when a resource was made, by the service's clock.
func createdAt(record adsapi.Record) (time.Time, bool) {
	var says struct {
		At *int64 `json:"created_at"`
	}
	if json.Unmarshal(record.JSON, &says) != nil || says.At == nil {
		return time.Time{}, false
	}
	return time.Unix(*says.At, 0), true
}
