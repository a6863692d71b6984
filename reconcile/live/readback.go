package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"adsync/internal/adsapi"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/state"

	"golang.org/x/text/unicode/norm"
)

// Expectation is what reading back should show of a resource.
type Expectation struct {
	Address  resource.Address
	ID       string
	ParentID string
	Sent     resource.Attributes
	Created  bool // null may be what the service put there itself
	Late     bool // others may have written since
}

// Observation is what reading back showed.
type Observation struct {
	Record   adsapi.Record
	ParentID string       // "" where the service does not say it
	Differs  []Difference // none when it is as sent, in the service's normal form
	Hidden   bool         // the service does not show it
}

// Difference is what reading back shows otherwise than it was sent.
type Difference struct {
	Attribute string // "" where the resource does not show at all, or still does
	Words     string // with both values
}

// unseen is what it means that a resource does not show, or still does.
func unseen(schema *resource.Schema, e Expectation, there, hidden bool) Observation {
	switch {
	case hidden:
		return Observation{Hidden: true}
	case there:
		return Observation{Differs: []Difference{{Words: "it is still there"}}}
	case e.Deleted(schema):
		return Observation{}
	}
	return Observation{Differs: []Difference{{Words: "it does not show at the service"}}}
}

// Compare holds what was sent against what reading back gives: the normal forms
// the service made of it, and the differences that are none. What adsync notes by
// itself was not sent.
func Compare(schema *resource.Schema, e Expectation,
	live *resource.Resource) (normal resource.Attributes, differs []Difference) {
	for _, s := range e.Sent {
		a, _ := schema.Attribute(s.Name)
		have := live.Value(s.Name)
		switch {
		case !plan.Readable(a), schema.Notes(s.Name), have.Equal(s.Value), s.Value.IsNull() && have.IsAbsent():
		case e.Created && s.Value.IsNull():
		case sameMeaning(a, s.Value, have):
			normal.Set(s.Name, have)
		default:
			differs = append(differs,
				Difference{s.Name, fmt.Sprintf("%s is %s; want %s", s.Name, a.Show(have), a.Show(s.Value))})
		}
	}
	return normal, differs
}

// Hides reports whether the service shows nothing of what was sent: reading back cannot
// say whether it came.
func Hides(schema *resource.Schema, sent resource.Attributes) bool {
	return len(sent) > 0 && !slices.ContainsFunc(sent, func(s resource.Named) bool {
		a, _ := schema.Attribute(s.Name)
		return plan.Readable(a) && !schema.Notes(s.Name)
	})
}

// givenAtCreate is what a new resource holds beyond what was sent: the service's
// defaults, and what was left to a follow-up. It is recorded as nobody's edit,
// so that a file that begins to manage it later finds no stranger's value. Where it
// is read late, and was changed since, a value may be a stranger's: it is recorded as
// not given, or as the default that the create gave. What adsync notes itself is noted
// when the service is ready.
func givenAtCreate(schema *resource.Schema, e Expectation,
	live *resource.Resource, record adsapi.Record) resource.Attributes {
	var values resource.Attributes
	foreign := e.Late && !untouched(record)
	for _, held := range live.Attributes {
		sent := e.Sent.Value(held.Name)
		switch {
		case !e.Created || sent.IsSet() || schema.Notes(held.Name):
		case e.Late && sent.IsNull() && !e.gives(held.Value):
		case foreign && held.Value.IsSet() && !e.gives(held.Value):
			values.Set(held.Name, defaultOf(schema, held.Name))
		default:
			values.Set(held.Name, held.Value)
		}
	}
	return values
}

// defaultOf is what a create gives of an attribute that the files leave out; null where
// it gives nothing.
func defaultOf(schema *resource.Schema, name string) resource.Value {
	if a, _ := schema.Attribute(name); a.Default != "" {
		return resource.Text(a.Default)
	}
	return resource.Null()
}

// untouched reports whether nothing was changed since a resource was made, as far as its
// times tell.
func untouched(record adsapi.Record) bool {
	var at struct {
		Created json.Number `json:"created_at"`
		Updated json.Number `json:"updated_at"`
	}
	return json.Unmarshal(record.JSON, &at) == nil && at.Created != "" && at.Created == at.Updated
}

// sameMeaning reports whether a service may have made one value of the other by
// normalising: spaces, Unicode form, the case of an address, the order of a
// list, an image under the id of its upload.
func sameMeaning(a *resource.Attribute, sent, have resource.Value) bool {
	switch {
	case a.Wire.Codec == resource.FileID:
		return strings.Contains(sent.Text(), "://") && strings.HasPrefix(have.Text(), "file:")
	case a.Type == resource.TypeMoney:
		return false
	case a.Type.IsList():
		return slices.Equal(normalizedItems(sent.Items()), normalizedItems(have.Items()))
	case a.Type == resource.TypeURL:
		return strings.EqualFold(sent.Text(), have.Text()) || strings.EqualFold(sent.Text()+"/", have.Text())
	}
	return have.IsSet() && normalizedText(sent.Text()) == normalizedText(have.Text())
}

func normalizedItems(items []string) []string {
	sorted := make([]string, len(items))
	for i, item := range items {
		sorted[i] = normalizedText(item)
	}
	slices.Sort(sorted)
	return slices.Compact(sorted)
}

func normalizedText(s string) string { return strings.Join(strings.Fields(norm.NFC.String(s)), " ") }

// Observe reads resources back, compares, and records the normal forms the
// service gave. The observations stand in the order of the expectations.
func (a *Lists) Observe(ctx context.Context, expected []Expectation) ([]Observation, error) {
	records, hidden, err := a.ReadAll(ctx, expected)
	if err != nil {
		return nil, err
	}
	d, err := a.Decoder(ctx)
	if err != nil {
		return nil, err
	}
	seen := make([]Observation, len(expected))
	var normal []state.Applied
	for i, e := range expected {
		record, ok := records[e.ID]
		schema := a.Schemas.Of(e.Address.Kind)
		if !ok || e.Deleted(schema) {
			seen[i] = unseen(schema, e, ok, hidden[e.Address.Kind])
			continue
		}
		live, err := d.Decode(schema, record)
		if err != nil {
			return nil, err
		}
		forms, differs := Compare(schema, e, live)
		seen[i] = Observation{Record: record, ParentID: live.ParentID, Differs: differs}
		given := givenAtCreate(schema, e, live, record)
		if len(forms)+len(given) > 0 {
			normal = append(normal, state.Applied{Address: e.Address, ID: e.ID, Attributes: given, Normal: forms})
		}
	}
	return seen, a.Store.Record(ctx, normal)
}

// ReadAll reads each kind by ids or by its lists, whichever is fewer requests; what a
// list does not show is asked for by its id. It names the kinds the service does not
// show.
func (a *Lists) ReadAll(ctx context.Context, expected []Expectation) (records map[string]adsapi.Record,
	hidden map[resource.Kind]bool, err error) {
	bound, count := &resource.Snapshot{}, map[resource.Kind]int{}
	for _, e := range expected {
		count[e.Address.Kind]++
	}
	var apart []Expectation
	for _, e := range expected {
		if schema := a.Schemas.Of(e.Address.Kind); !schema.Paged() ||
			schema.Listing.NoRead || !Mirrors(schema) && count[schema.Kind] <= readOne {
			apart = append(apart, e)
			continue
		}
		bound.Add(&resource.Resource{Address: e.Address, ID: e.ID, ParentID: e.ParentID})
	}
	r, err := a.refresher(ctx, bound)
	if err != nil {
		return nil, nil, err
	}
	r.only = make(map[string]bool, len(expected))
	for _, e := range expected {
		r.only[e.ID] = true
	}
	listed := map[resource.Kind]bool{}
	for _, schema := range a.Schemas {
		if _, fewer := a.Census.ByList(schema.Kind, len(r.bound[schema.Kind]), len(r.parentsOf(schema))); fewer {
			listed[schema.Kind] = true
			continue
		}
		r.missing = append(r.missing, r.absentOf(schema))
	}
	if err := r.readKinds(ctx, bound.Len(), func(s *resource.Schema) bool { return listed[s.Kind] }); err != nil {
		return nil, nil, fmt.Errorf("read back: %w", err)
	}
	hidden = map[resource.Kind]bool{}
	for _, live := range r.live.Resources {
		hidden[live.Address.Kind] = hidden[live.Address.Kind] || live.AsSent
	}
	for kind := range r.live.Lacking {
		hidden[kind] = true
	}
	return r.live.Records, hidden, a.readApart(ctx, apart, r.live.Records, hidden)
}

// readApart reads kinds that come in one answer each, or that an account may not have.
func (a *Lists) readApart(ctx context.Context, expected []Expectation,
	records map[string]adsapi.Record, hidden map[resource.Kind]bool) error {
	reader := a.Reader()
	for i, e := range expected {
		a.ShowProgress("read back", i, len(expected))
		schema := a.Schemas.Of(e.Address.Kind)
		record, err := reader.One(ctx, schema, e.ID, nil)
		switch {
		case err == nil:
			records[e.ID] = record
		case errors.Is(err, ErrUnlisted):
			hidden[e.Address.Kind] = true
		case errors.Is(err, adsapi.ErrNotFound):
		case LacksFeature(schema, err): // the account may have none by now
			hidden[e.Address.Kind] = true
		default:
			return fmt.Errorf("read back %s: %w", e.Address, err)
		}
	}
	return nil
}

// Deleted reports whether what was sent leaves nothing to read.
func (e Expectation) Deleted(schema *resource.Schema) bool {
	a := schema.RemovalAttribute()
	return a != nil && schema.Deletes() && e.Sent.Value(a.Name).Text() == schema.Removal
}

// gives reports whether a create may have put a value somewhere else as well, as an ad
// without a name takes its title. What is read late and is none of these may be
// somebody's: it is not taken over, so that a follow-up that was cut off meets
// it as a conflict (compare.Diff) and does not overwrite it.
func (e Expectation) gives(have resource.Value) bool {
	return slices.ContainsFunc(e.Sent, func(s resource.Named) bool {
		return s.Value.IsSet() && normalizedText(s.Value.Text()) == normalizedText(have.Text())
	})
}
