package kinds

import (
	"strings"
	"testing"

	"adsync/internal/resource"
)

// TestDescriptionsAreWhole holds what everything else takes for granted.
func TestDescriptionsAreWhole(t *testing.T) {
	seen := map[resource.Kind]bool{"": true}
	for _, s := range All() {
		if !seen[s.Parent] {
			t.Errorf("%s stands before its parent %s", s.Kind, s.Parent)
		}
		seen[s.Kind] = true
		needed := s.NameFrom
		if s.Removal != "" {
			needed = append([]string{"status"}, needed...)
		}
		for _, name := range needed {
			if _, ok := s.Attribute(name); !ok {
				t.Errorf("%s has no attribute %s", s.Kind, name)
			}
		}
		headers := map[string]string{}
		for _, a := range s.Attributes {
			checkAttribute(t, s, a)
			folded := resource.Fold(a.Header)
			if other := headers[folded]; folded != "" && other != "" {
				t.Errorf("%s: header %q means %s and %s", s.Kind, a.Header, other, a.Name)
			}
			headers[folded] = a.Name
		}
	}
}

func checkAttribute(t *testing.T, s *resource.Schema, a resource.Attribute) {
	t.Helper()
	at := string(s.Kind) + "." + a.Name
	if a.Help == "" {
		t.Errorf("%s has no help", at)
	}
	withPeople := s.Membership != nil && s.Membership.Has(a.Name)
	if a.Wire.Path == "" && a.Bulk.Update == "" && len(a.Calls) == 0 && !withPeople && !a.Protects {
		t.Errorf("%s has no route", at)
	}
	if (a.Type == resource.TypeChoice || a.Type == resource.TypeSet) && len(a.Choices) == 0 {
		t.Errorf("%s has no choices", at)
	}
	if a.Immutable && a.Bulk.Update != "" {
		t.Errorf("%s is immutable, and bulk updates it", at)
	}
	if a.Header != "" && a.Required && a.Example == "" {
		t.Errorf("%s has no example", at)
	}
	if a.Default != "" {
		if _, finding := a.Parse(a.Default, resource.Env{}); finding != nil {
			t.Errorf("%s: default %q: %s", at, a.Default, finding.Message)
		}
	}
}

func TestRulesAcrossAttributes(t *testing.T) {
	for _, row := range []struct {
		name   string
		kind   resource.Kind
		values map[string]resource.Value
		want   string // part of the finding, "" for none
	}{
		{"one budget", Campaign, map[string]resource.Value{"budget.daily": resource.Number(1)}, ""},
		{"two budgets", Campaign, map[string]resource.Value{"budget.daily": resource.Number(1),
			"budget.lifetime": resource.Number(1)}, "a daily and a lifetime budget"},
		{"one half cleared", Campaign, map[string]resource.Value{
			"budget.daily": resource.Number(1), "budget.lifetime": resource.Null(),
		}, ""},
		{"conversions without a goal",
			Campaign, map[string]resource.Value{"bidding_type": resource.Text("conversions")}, "conversion_goal"},
		{"end before start", Campaign, map[string]resource.Value{"start": resource.Text("2027-02-01"),
			"end": resource.Text("2027-01-31")}, "before the start"},
		{"one day", Campaign, map[string]resource.Value{
			"start": resource.Text("2027-02-01"), "end": resource.Text("2027-02-01"),
		}, ""},
		{"fixed without a bid", AdGroup, map[string]resource.Value{"bid.strategy": resource.Text("fixed_bid")},
			"without bid.max"},
		{"maximise with a bid", AdGroup, map[string]resource.Value{"bid.strategy": resource.Text("maximize_clicks"),
			"bid.max": resource.Number(1)}, "want no bid"},
		{"a bid over a strategy only the service names", AdGroup, map[string]resource.Value{
			"bid.strategy": resource.Text("automated_bid"), "bid.max": resource.Number(1),
		}, ""},
		{"a product filter twice", AdGroup,
			productSetIs(`{"product_feed_id":"fd_1","filters":[{"field":"brand","operator":"in","values":["a"]},` +
				`{"field":"brand","operator":"in","values":["b"]}]}`), "by \"brand\" twice"},
		{"an unknown product field", AdGroup,
			productSetIs(`{"product_feed_id":"fd_1","filters":[{"field":"brend","operator":"in","values":["a"]}]}`),
			"filters by \"brend\""},
		{"an unknown operator", AdGroup,
			productSetIs(`{"product_feed_id":"fd_1","filters":[{"field":"brand","operator":"is","values":["a"]}]}`),
			"has the operator \"is\""},
		{"a brand compared", AdGroup,
			productSetIs(`{"product_feed_id":"fd_1","filters":[{"field":"brand","operator":"gt","values":["a"]}]}`),
			"for price and star_rating only"},
		{"a price compared, and a field of one's own", AdGroup,
			productSetIs(`{"product_feed_id":"fd_1","filters":[{"field":"price","operator":"lt","values":["9"]},` +
				`{"field":"ads_metadata.x","operator":"in","values":["a"]}]}`), ""},
		{"a filter of nothing", AdGroup,
			productSetIs(`{"product_feed_id":"fd_1","filters":[{"field":"brand","operator":"in","values":[]}]}`),
			"without values"},
		{"a product set of another shape", AdGroup, productSetIs(`{"feed":"fd_1"}`), "product_set is "},
		{"exclusion hints no operation holds", AdGroup, map[string]resource.Value{
			"exclusion_hints": resource.List([]string{strings.Repeat("x", 512<<10)})}, "in one bulk operation only"},
		{"a bid alone", AdGroup, map[string]resource.Value{"bid.max": resource.Number(1)}, ""},
	} {
		var found []string
		for _, rule := range All().Of(row.kind).Rules {
			if f := rule.Check(func(name string) resource.Value { return row.values[name] }); f != nil {
				found = append(found, f.Message)
			}
		}
		if all := strings.Join(found, "\n"); row.want == "" && all != "" || !strings.Contains(all, row.want) {
			t.Errorf("%s: %q; want %q", row.name, all, row.want)
		}
	}
}

func productSetIs(json string) map[string]resource.Value {
	return map[string]resource.Value{"product_set": resource.Text(json)}
}
