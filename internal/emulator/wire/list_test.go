package wire

import (
	"slices"
	"testing"

	_ "adsync/internal/testing/drawn"

	"pgregory.net/rapid"
)

func same(s string) string { return s }

func TestCut(t *testing.T) {
	rows := []string{"a", "b", "c", "d", "e"} // in order of creation
	tests := []struct {
		name string
		page Page
		want []string
		more bool
	}{
		{"first page, newest first", Page{Limit: 2}, []string{"e", "d"}, true},
		{"next page", Page{Limit: 2, After: "d"}, []string{"c", "b"}, true},
		{"last page", Page{Limit: 2, After: "b"}, []string{"a"}, false},
		{"after the last row", Page{Limit: 2, After: "a"}, nil, false},
		{"back", Page{Limit: 2, Before: "a"}, []string{"c", "b"}, true},
		{"back to the start", Page{Limit: 2, Before: "d"}, []string{"e"}, false},
		{"before the first row", Page{Limit: 2, Before: "e"}, nil, false},
		{"oldest first", Page{Limit: 2, Ascending: true}, []string{"a", "b"}, true},
		{"all of them", Page{Limit: 5}, []string{"e", "d", "c", "b", "a"}, false},
	}
	for _, test := range tests {
		got, more, err := Cut(rows, same, test.page)
		if err != nil || !slices.Equal(got, test.want) || more != test.more {
			t.Errorf("%s: Cut = %v, more %v, %v; want %v, more %v", test.name, got, more, err, test.want, test.more)
		}
	}
	for _, page := range []Page{{Limit: 2, After: "x"}, {Limit: 2, Before: "x"}} {
		if _, _, err := Cut(rows, same, page); err == nil {
			t.Errorf("Cut(%+v) takes a cursor that names no row", page)
		}
	}
}

func TestPagesAreTheWholeListOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.SliceOfDistinct(rapid.StringMatching(`[a-z]{1,4}`), same).Draw(t, "rows")
		p := Page{Limit: rapid.IntRange(1, 7).Draw(t, "limit"), Ascending: rapid.Bool().Draw(t, "ascending")}
		var forward []string
		for more := true; more; p.After = forward[len(forward)-1] {
			page, m, err := Cut(rows, same, p)
			if err != nil {
				t.Fatal(err)
			}
			forward, more = append(forward, page...), m
			if len(forward) == 0 {
				break
			}
		}
		want := slices.Clone(rows)
		if !p.Ascending {
			slices.Reverse(want)
		}
		if !slices.Equal(forward, want) {
			t.Fatalf("pages of %d = %v, want %v", p.Limit, forward, want)
		}
	})
}
