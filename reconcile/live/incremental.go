package live

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"adsync/internal/adsapi"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/reconcile/env"
	"adsync/state"
)

// fewReads is how many resources are read one by one before lists are thought of.
const fewReads = 10

// Movement is what the audit log says of the time since the account was read.
type Movement struct {
	Entries int    // that are new
	Why     string // why the log cannot tell, and a full refresh is due
}

// None reports whether nothing was changed.
func (m Movement) None() bool { return m.Entries == 0 && m.Why == "" }

// mirroring reads what the audit log names, and the rest from the mirror in the state.
type mirroring struct {
	*env.Env
	*Lists
	*Log

	whole bool // everything is read, and the mirror is made anew
}

// MovedSince asks whether anything was changed at the service since the account was last
// read, by the head of the mirror of then: one request where nothing was. It reads no
// account, and needs no store: what it finds is only a reason to plan.
func (a *mirroring) MovedSince(ctx context.Context, m state.Mirror) (Movement, error) {
	place, why := a.positionOf(m)
	if why == "" && len(m.Awaited) > 0 {
		why = "adsync itself has changed the account"
	}
	if why != "" {
		return Movement{Why: why}, nil
	}
	fresh, _, why, err := a.since(ctx, place, EntriesAPage)
	return Movement{Entries: len(fresh), Why: why}, err
}

// QuietFor is how long nothing must have come into the audit log before Settled
// holds: longer than an entry may be late.
const QuietFor = 5 * time.Minute

// Settled is the head of a mirror to which nothing has come for QuietFor: of the
// entries that were taken in only the newest has to show again, so that a look
// reads one and not a page of them.
func Settled(m state.Mirror) state.Mirror {
	var place logPosition
	if json.Unmarshal(m.Log, &place) != nil || len(place.Known) < 2 {
		return m
	}
	last := len(place.Known) - 1
	place.After, place.Known = place.Known[last-1], place.Known[last:]
	if text, err := json.Marshal(place); err == nil {
		m.Log = text
	}
	return m
}

// positionOf returns where the audit log is read on, or why everything is read.
func (a *mirroring) positionOf(m state.Mirror) (place logPosition, why string) {
	age := a.Now().Sub(m.Full)
	switch {
	case m.Full.IsZero():
		return place, "there is nothing yet to compare with"
	case age >= env.Day:
		return place, "everything is read once a day"
	case age < 0:
		return place, "the clock was put back"
	case json.Unmarshal(m.Log, &place) != nil:
		return place, "the place in the audit log cannot be read"
	}
	return place, ""
}

// refreshChanged reads what the audit log names, and takes the rest from the
// mirror. Kinds of which the log may not say everything are read as ever.
func (a *mirroring) refreshChanged(ctx context.Context, last *resource.Snapshot, of Scope) (*Live, error) {
	m, err := a.Store.Mirror(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the mirror: %w", err)
	}
	var live *Live
	why := "the whole account is to be read"
	if !a.whole {
		if live, why, err = a.patched(ctx, m, last, of.Wanted); err != nil || why == "" {
			return live, err
		}
	}
	if live, err = a.refreshMirrored(ctx, last, of); err == nil {
		live.Reading.Why = why
	}
	return live, err
}

// refreshMirrored reads everything, and keeps it for the next incremental refresh.
func (a *mirroring) refreshMirrored(ctx context.Context, last *resource.Snapshot, of Scope) (*Live, error) {
	place, failed := a.positionNow(ctx) // before anything is read: what changes meanwhile comes after it
	live, err := a.Refreshed(ctx, last, of)
	if err != nil {
		return nil, err
	}
	if failed != nil { // without a place nothing can be read on from
		return live, env.IgnoreReadOnly(a.Store.RecordMirror(ctx, state.Mirror{}))
	}
	return live, a.mirror(ctx, live, state.Mirror{Full: a.Now()}, place)
}

// patched is the mirror with what was changed since; why says that it cannot be
// had for fewer requests, or not be relied on.
func (a *mirroring) patched(ctx context.Context, m state.Mirror,
	last *resource.Snapshot, wanted func(*resource.Schema) bool) (live *Live, why string, err error) {
	place, why := a.positionOf(m)
	if why != "" {
		return nil, why, nil
	}
	most := max(fewReads, a.costOfLists(m, place))
	fresh, next, why, err := a.since(ctx, place, most*EntriesAPage)
	if why != "" || err != nil {
		return nil, why, err
	}
	r, err := a.refresher(ctx, last)
	if err != nil {
		return nil, "", err
	}
	p := patch{
		refresher: r, mirrored: map[string]state.Mirrored{},
		named: map[string]*resource.Schema{}, above: map[string]string{},
	}
	if why := p.name(fresh, m); why != "" {
		return nil, why, nil
	}
	if err := p.takeOver(m); err != nil {
		return nil, "", err
	}
	if p.lookForNamed(m.Awaited) > most {
		return nil, "so much was changed that lists are fewer requests", nil
	}
	if why, err := p.read(ctx); why != "" || err != nil {
		return nil, why, err
	}
	for _, schema := range a.Schemas {
		if !wanted(schema) || Mirrors(schema) {
			continue
		}
		if err := r.readKind(ctx, schema); err != nil {
			return nil, "", err
		}
	}
	if err := r.readMissing(ctx); err != nil {
		return nil, "", err
	}
	r.live.OneByOne, r.live.ByParent = append(place.OneByOne, r.live.OneByOne...), place.ByParent
	return r.live, "", a.mirror(ctx, r.live, m, next)
}

// Mirrors reports whether a kind is read from the mirror: the audit log names all that
// befalls it.
func Mirrors(schema *resource.Schema) bool { return schema.Bulk.Create != "" }

// costOfLists is how many requests a full refresh of what is mirrored takes.
func (a *mirroring) costOfLists(m state.Mirror, place logPosition) int {
	counts := map[resource.Kind]int{}
	for _, r := range m.Mirrored {
		counts[r.Kind]++
	}
	cost := 0
	for kind, n := range counts {
		if slices.ContainsFunc(place.OneByOne, func(o OneByOne) bool { return o.Kind == kind }) {
			cost += n
			continue
		}
		cost += n/rowsAPage + 1
	}
	for _, b := range place.ByParent {
		cost += b.Lists
	}
	return cost
}

// rowsAPage is the largest page of the lists of the tree (interface, part 8).
const rowsAPage = 500

// mirror keeps what was read for the next refresh. A state that is only read
// keeps what it has.
func (a *mirroring) mirror(ctx context.Context, live *Live, m state.Mirror, place logPosition) error {
	m.Awaited, m.Mirrored = nil, nil
	for _, r := range live.Resources {
		if record, ok := live.Records[r.ID]; ok && Mirrors(a.Schemas.Of(r.Address.Kind)) {
			m.Mirrored = append(m.Mirrored, state.Mirrored{
				Kind: r.Address.Kind, ID: r.ID, ParentID: r.ParentID, Record: record.JSON,
			})
		}
	}
	place.ByParent = live.ByParent
	place.OneByOne = slices.DeleteFunc(slices.Clone(live.OneByOne), func(o OneByOne) bool {
		return !Mirrors(a.Schemas.Of(o.Kind))
	})
	text, err := json.Marshal(place)
	if err != nil {
		return err
	}
	m.Log = text
	return env.IgnoreReadOnly(a.Store.RecordMirror(ctx, m))
}

// AwaitChanges notes what an apply is about to change, whatever becomes of it.
func (a *mirroring) AwaitChanges(ctx context.Context, p *plan.Plan) error {
	var ids []string
	for c := range p.EachApplicable() {
		if c.ID != "" && Mirrors(a.Schemas.Of(c.Address.Kind)) {
			ids = append(ids, c.ID)
		}
	}
	return a.Store.Await(ctx, ids)
}

// patch is an incremental refresh under way.
type patch struct {
	*refresher
	mirrored map[string]state.Mirrored   // by id
	named    map[string]*resource.Schema // ids the audit log names, that are read anew
	above    map[string]string           // beneath which id the audit log says they stand
	unnamed  []absent                    // read anew though it does not name them
}

// otherObjects begin the types of entries that concern no campaign, ad group or
// ad; what adsync manages of them is read anew in every refresh.
var otherObjects = []string{"adaccount", "apikey",
	"audience", "bulk", "conversion", "customaudience", "daily", "file", "image", "pixel", "spend", "upload"}

// name finds what the entries are about.
func (p *patch) name(entries []LogEntry, m state.Mirror) (why string) {
	for _, r := range m.Mirrored {
		p.mirrored[r.ID] = r
	}
	for _, e := range entries {
		word := strings.ReplaceAll(strings.ToLower(e.Type), "_", "")
		schema := p.schemaNamed(word)
		if known, ok := p.mirrored[e.Object]; ok {
			schema = p.agent.Schemas.Of(known.Kind)
		}
		other := slices.ContainsFunc(otherObjects, func(begin string) bool { return strings.HasPrefix(word, begin) })
		switch {
		case schema != nil && e.Object != "":
			p.named[e.Object] = schema
			p.above[e.Object] = cmp.Or(e.parent(schema), p.above[e.Object])
		case !other:
			return fmt.Sprintf("the audit log names a %q, which adsync does not know", e.Type)
		}
	}
	return ""
}

// schemaNamed finds the mirrored kind of an object's type, such as adgroup.
func (p *patch) schemaNamed(word string) *resource.Schema {
	for _, schema := range p.agent.Schemas {
		if Mirrors(schema) && strings.ReplaceAll(string(schema.Kind), "_", "") == word {
			return schema
		}
	}
	return nil
}

// takeOver keeps what was not changed as it was read before.
func (p *patch) takeOver(m state.Mirror) error {
	awaited := map[string]bool{}
	for _, id := range m.Awaited {
		awaited[id] = true
	}
	for _, r := range m.Mirrored {
		if p.named[r.ID] != nil || awaited[r.ID] {
			continue
		}
		if err := p.Add(p.agent.Schemas.Of(r.Kind), adsapi.Record{ID: r.ID, JSON: r.Record}, r.ParentID); err != nil {
			return err
		}
	}
	for _, schema := range p.agent.Schemas {
		if Mirrors(schema) {
			p.useOwnForms(schema.Kind)
		}
	}
	return nil
}

// lookForNamed notes everything that is read anew, and how much that is: what
// the log names, what adsync set out to change, and what is bound and not there.
func (p *patch) lookForNamed(awaited []string) int {
	bound := map[string]*resource.Resource{}
	for _, rows := range p.bound {
		for _, r := range rows {
			bound[r.ID] = r
		}
	}
	byKind := map[resource.Kind][]absent{}
	look := func(schema *resource.Schema, id string) absent {
		m := absent{schema, cmp.Or(bound[id], &resource.Resource{
			ID: id, ParentID: cmp.Or(p.mirrored[id].ParentID, p.above[id]),
		})}
		byKind[schema.Kind] = append(byKind[schema.Kind], m)
		return m
	}
	for id, schema := range p.named {
		look(schema, id)
	}
	for _, id := range awaited {
		if r, ok := p.mirrored[id]; ok && p.named[id] == nil {
			p.unnamed = append(p.unnamed, look(p.agent.Schemas.Of(r.Kind), id))
		}
	}
	for _, schema := range p.agent.Schemas {
		for _, r := range p.bound[schema.Kind] {
			if _, ok := p.mirrored[r.ID]; !ok && Mirrors(schema) && p.named[r.ID] == nil {
				p.unnamed = append(p.unnamed, look(schema, r.ID))
			}
		}
		p.missing = append(p.missing, byKind[schema.Kind])
	}
	total := 0
	for _, rows := range p.missing {
		slices.SortFunc(rows, func(a, b absent) int { return cmp.Compare(a.bound.ID, b.bound.ID) })
		total += len(rows)
	}
	return total
}

// read asks for what was changed. A change that is there, and that the log does
// not name, shows that the log cannot be relied on now.
func (p *patch) read(ctx context.Context) (why string, err error) {
	for _, rows := range p.missing {
		p.live.Reading.Changed += len(rows)
	}
	if err := p.readMissing(ctx); err != nil {
		return "", err
	}
	for id, schema := range p.named {
		if live := p.byID[id]; schema.Parent != "" && live != nil && live.ParentID == "" && p.mirrored[id].ID == "" {
			return fmt.Sprintf("neither the service nor its audit log says beneath what %s %s stands",
				schema.Kind, id), nil
		}
	}
	for _, m := range p.unnamed {
		same, err := p.asMirrored(m)
		if err != nil {
			return "", err
		}
		if !same {
			return fmt.Sprintf("the audit log lags behind: it does not name %s %s, which was changed",
				m.schema.Kind, m.bound.ID), nil
		}
	}
	return "", nil
}

// asMirrored reports whether a resource is as the mirror has it, or gone in both.
func (p *patch) asMirrored(m absent) (bool, error) {
	live, mirrored := p.byID[m.bound.ID], p.mirrored[m.bound.ID]
	if live == nil || mirrored.ID == "" {
		return live == nil && mirrored.ID == "", nil
	}
	before, err := p.decoder.Decode(m.schema, adsapi.Record{ID: mirrored.ID, JSON: mirrored.Record})
	if err != nil {
		return false, err
	}
	OwnForms(before, m.bound)
	return slices.EqualFunc(before.Attributes, live.Attributes, func(a, b resource.Named) bool {
		return a.Name == b.Name && a.Value.Equal(b.Value)
	}), nil
}
