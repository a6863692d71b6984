package openpoint

import (
	"maps"
	"slices"
	"testing"
	"time"
)

func TestEveryRowIsWhole(t *testing.T) {
	seen := map[Name]bool{}
	for _, p := range table {
		if seen[p.Name] {
			t.Errorf("%s has two rows", p.Name)
		}
		seen[p.Name] = true
		if !slices.Contains(p.Values, p.Default) {
			t.Errorf("%s: default %q is none of %q", p.Name, p.Default, p.Values)
		}
		if len(p.Values) < 2 || p.Meaning == "" || p.Where == "" {
			t.Errorf("%s: row is not whole: %+v", p.Name, p)
		}
	}
}

func TestDrawIsTheSameForASeedAndReachesEveryValue(t *testing.T) {
	reached := map[Name]map[string]bool{}
	for seed := range uint64(300) {
		drawn := Draw(seed)
		if again := Draw(seed); !maps.Equal(drawn, again) {
			t.Fatalf("Draw(%d) = %v, then %v", seed, drawn, again)
		}
		for name, value := range drawn {
			if reached[name] == nil {
				reached[name] = map[string]bool{}
			}
			reached[name][value] = true
		}
	}
	for _, p := range table {
		if len(reached[p.Name]) != len(p.Values) {
			t.Errorf("%s: 300 draws reached %v of %q", p.Name, reached[p.Name], p.Values)
		}
	}
}

func TestParse(t *testing.T) {
	s, err := Parse("random:7, key_ttl=30m")
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Duration(KeyTTL); got != 30*time.Minute {
		t.Errorf("Duration(key_ttl) = %v, want 30m", got)
	}
	want := Draw(7)
	want[KeyTTL] = "30m"
	if !maps.Equal(s.Chosen(), want) {
		t.Errorf("Chosen() = %v, want the draw of 7 with key_ttl 30m", s.Chosen())
	}
	for _, bad := range []string{"random:x", "key_ttl", "key_ttl=2h", "no_such=1"} {
		if _, err := Parse(bad); err == nil {
			t.Errorf("Parse(%q) is accepted", bad)
		}
	}
}

func TestApplyChangesAllOrNothing(t *testing.T) {
	s := Defaults()
	if err := s.Apply(map[Name]string{KeyTTL: "1h", ListOrder: "sideways"}); err == nil {
		t.Fatal("Apply accepted list_default_order=sideways")
	}
	if got := s.Of(KeyTTL); got != "never" {
		t.Errorf("after a refused Apply key_ttl = %q, want never", got)
	}
}
