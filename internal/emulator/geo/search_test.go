package geo

import (
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPublishedIDs(t *testing.T) {
	rows := []Place{
		{"1000055", "Czechia", "country", "CZ", "", ""},
		{"2000043", "California", "region", "US", "US-CA", "1000238"},
		{"3000001", "New York", "dma", "US", "501", "1000238"},
		{"3000194", "San Francisco-Oakland-San Jose", "dma", "US", "807", "1000238"},
	}
	for _, want := range rows {
		got, _ := Find(want.ID)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("Find(%s) (-want +got):\n%s", want.ID, diff)
		}
	}
}

func TestCatalogueIsWhole(t *testing.T) {
	last := 0
	for _, p := range catalogue().all {
		id, err := strconv.Atoi(p.ID)
		if err != nil || id <= last {
			t.Errorf("%q follows %d; want rising decimal ids", p.ID, last)
		}
		last = id
		parent, ok := Find(p.ParentID)
		if ok == (p.Type == "country") {
			t.Errorf("%s (%s) has the parent %q", p.Name, p.Type, p.ParentID)
		}
		if ok && (parent.Type != "country" || parent.CountryCode != p.CountryCode) {
			t.Errorf("%s of %s lies in %s", p.Name, p.CountryCode, parent.Name)
		}
		if best := Search(p.Name, 100); len(best) == 0 || best[0].Name != p.Name {
			t.Errorf("Search(%q) = %v, want the place of that name first", p.Name, best)
		}
	}
}

func TestSearch(t *testing.T) {
	rows := []struct {
		name, text string
		limit      int
		want       []string
	}{
		{"a whole name", "california", 5, []string{"2000043"}},
		{"a name, the region before the market", "New York", 2, []string{"2000032", "3000001"}},
		{"a country's code", "cz", 1, []string{"1000055"}},
		{"a region's code", "us-ca", 1, []string{"2000043"}},
		{"an id", "3000194", 5, []string{"3000194"}},
		{"the beginning of a later word", "oakland", 5, []string{"3000194"}},
		{"blanks around", "  Czechia ", 5, []string{"1000055"}},
		{"no more than asked for", "united", 2, []string{"1000236", "1000237"}},
		{"nowhere", "atlantis", 5, []string{}},
		{"blanks alone", "   ", 5, []string{}},
	}
	for _, row := range rows {
		got := []string{}
		for _, p := range Search(row.text, row.limit) {
			got = append(got, p.ID)
		}
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s: Search(%q, %d) (-want +got):\n%s", row.name, row.text, row.limit, diff)
		}
	}
}
