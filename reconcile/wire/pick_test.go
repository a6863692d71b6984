package wire

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"adsync/internal/adsapi"
	"adsync/internal/kinds"
	"adsync/internal/resource"
	_ "adsync/internal/testing/drawn"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// pathsOf are the fields a schema reads.
func pathsOf(s *resource.Schema) (paths []string) {
	for _, attributes := range [][]resource.Attribute{s.Attributes, s.Noted} {
		for _, a := range attributes {
			paths = append(append(paths, a.Wire.Path), a.Wire.Same...)
		}
	}
	for _, f := range s.Facts {
		paths = append(paths, f.Path, f.Detail)
	}
	paths = append(paths, s.ParentWire)
	return slices.DeleteFunc(paths, func(path string) bool { return path == "" })
}

// deepest is so many objects and lists in each other.
const deepest = 4

// drawnJSON is an object, so deep, in one of the many ways to write it; it has the names a schema reads, and others.
func drawnJSON(t *rapid.T, names []string, depth int) string {
	blank := func() string { return rapid.SampledFrom([]string{"", "", " ", "\n\t"}).Draw(t, "blank") }
	least, most := 0, 5
	switch depth {
	case 0:
		most = 3
	case deepest:
		least = most
	}
	list := func(one func() string) string {
		var parts []string
		for range rapid.IntRange(0, 6).Draw(t, "count") {
			parts = append(parts, blank()+one()+blank())
		}
		return strings.Join(parts, ",")
	}
	text := func(s string) string {
		if rapid.Bool().Draw(t, "escaped") {
			var b strings.Builder
			for _, r := range s {
				fmt.Fprintf(&b, `\u%04x`, r&0xffff)
			}
			return `"` + b.String() + `"`
		}
		quoted, _ := json.Marshal(s)
		return string(quoted)
	}
	value := func() string { return drawnJSON(t, names, depth-1) }
	switch rapid.IntRange(least, most).Draw(t, "form") {
	case 0:
		return rapid.SampledFrom([]string{"null", "true", "false"}).Draw(t, "word")
	case 1:
		return rapid.SampledFrom([]string{"0", "-12", "1e8", "25000000", "0.50", "123456789012345678901"}).
			Draw(t, "number")
	case 2:
		return text(rapid.SampledFrom([]string{"", "Shoes", "ö", `a "b" \`, "{", "]", "a,b:c", "\u2028", "e\u0301"}).
			Draw(t, "text"))
	case 3:
		return "\"\xff\"" // which is no text in UTF-8
	case 4:
		return "[" + list(value) + "]"
	}
	return "{" + list(func() string {
		return text(rapid.SampledFrom(names).Draw(t, "name")) + blank() + ":" + blank() + value()
	}) + "}"
}

// What is read of a record is what the whole of it says, however it is written.
func TestTheFieldsOfASchemaAreThoseOfTheWholeRecord(t *testing.T) {
	schemas := kinds.All()
	rapid.Check(t, func(t *rapid.T) {
		schema := rapid.SampledFrom(schemas).Draw(t, "kind")
		names := []string{"", "other", "a.b"}
		for _, path := range pathsOf(schema) {
			names = append(append(names, path), strings.Split(path, ".")...)
		}
		record := json.RawMessage(drawnJSON(t, names, deepest))
		if rapid.IntRange(0, 9).Draw(t, "cut") == 0 {
			record = record[:rapid.IntRange(0, len(record)).Draw(t, "at")]
		}
		whole, wholeErr := Object(record)
		fields, err := readFields(schema, record)
		if fmt.Sprint(err) != fmt.Sprint(wholeErr) {
			t.Fatalf("readFields(%s) fails by %v, want %v", record, err, wholeErr)
		}
		for _, path := range pathsOf(schema) {
			if diff := cmp.Diff(At(whole, path), At(fields, path)); diff != "" {
				t.Fatalf("%s of %s, want less, is more: %s", path, record, diff)
			}
		}
		d := Decoder{Zone: time.UTC}
		if diff := cmp.Diff(d.resource(schema, "id", whole), d.resource(schema, "id", fields)); diff != "" {
			t.Fatalf("%s as it is, and as it is read:\n%s", record, diff)
		}
	})
}

// A field that is named itself is read whole, though a field within it is named, too.
func TestAFieldThatIsNamedIsReadWhole(t *testing.T) {
	schema := &resource.Schema{
		ParentWire: "parent",
		Attributes: []resource.Attribute{
			{Wire: resource.Wire{Path: "budget"}}, {Wire: resource.Wire{Path: "budget.day"}},
			{Wire: resource.Wire{Path: "place.town.name", Same: []string{"town"}}},
		},
		Noted: []resource.Attribute{{Wire: resource.Wire{Path: "noted"}}},
		Facts: []resource.Fact{{Path: "review_status", Detail: "review.reason"}},
	}
	got, err := readFields(schema, json.RawMessage(`{"id": "x", "parent": "p", "budget": {"day": 5, "all": [true]},
		"place": {"town": {"name": "Ulm", "id": 3}, "street": "none"}, "town": {"name": "Ulm"}, "noted": [1], "towns": 3,
		"review_status": "rejected", "review": {"reason": "dark", "by": {"name": "}"}}}`))
	want := map[string]any{
		"parent": "p", "budget": map[string]any{"day": json.Number("5"), "all": []any{true}},
		"place": map[string]any{"town": map[string]any{"name": "Ulm"}}, "town": map[string]any{"name": "Ulm"},
		"noted": []any{json.Number("1")}, "review_status": "rejected", "review": map[string]any{"reason": "dark"},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("readFields, want less, is more (%v):\n%s", err, diff)
	}
}

// An account has as many records as resources: what is read of one costs what its schema names of it, and its facts
// alone cost what they are.
func TestAllocationsOfARecord(t *testing.T) {
	record := adsapi.Record{ID: "ad_1", JSON: json.RawMessage(`{"id": "ad_1", "object": "ad", "name": "Hero 1",
		"ad_account_id": "adacct_1", "campaign_id": "cmpn_1", "ad_group_id": "adgrp_1", "created_at": 1700000000,
		"updated_at": 1700000000, "status": "active", "creative": {"type": "chat_card", "title": "Boots",
		"body": "Warm in winter", "target_url": "https://example.com/boots", "file_id": "file_1",
		"image_url": "https://example.com/i.png"}, "review_status": "rejected", "review": {"reason": "crawl_failed",
		"reviewed_at": 1700000000}, "serving_issues": [{"code": "review_not_approved"}]}`)}
	schema, d := kinds.All().Of(kinds.Ad), Decoder{Zone: time.UTC}
	for _, c := range []struct {
		what string
		most float64
		read func() error
	}{
		{"a record with its facts", 44, func() error { _, err := d.DecodeWithFacts(schema, record); return err }},
		{"its facts alone", 20, func() error { _, err := FactsOf(schema, record); return err }},
	} {
		if took := testing.AllocsPerRun(100, func() {
			if err := c.read(); err != nil {
				t.Fatal(err)
			}
		}); took > c.most {
			t.Errorf("%s takes %.0f allocations; want %.0f at most", c.what, took, c.most)
		}
	}
}
