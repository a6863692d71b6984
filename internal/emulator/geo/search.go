package geo

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// Search gives up to limit places that the text names, best first: by id, code
// or whole name, then by the beginning of the name, of a word in it, and last by
// any part of the canonical name. Equals are in order of ids. Case, and blanks
// around the text, do not matter.
func Search(text string, limit int) []Place {
	type hit struct {
		place Place
		rank  int
	}
	want := strings.ToLower(strings.TrimSpace(text))
	var hits []hit
	for _, p := range catalogue().all {
		if rank, ok := p.rank(want); ok {
			hits = append(hits, hit{p, rank})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(a.rank, b.rank) })
	found := make([]Place, min(limit, len(hits)))
	for i := range found {
		found[i] = hits[i].place
	}
	return found
}

// rank returns how well a place fits, 0 best.
func (p Place) rank(want string) (int, bool) {
	name := strings.ToLower(p.Name)
	code := strings.ToLower(p.RegionCode)
	if p.Type == "country" {
		code = strings.ToLower(p.CountryCode)
	}
	switch {
	case want == "":
		return 0, false
	case name == want:
		return 0, true
	case p.ID == want || code == want:
		return 1, true
	case strings.HasPrefix(name, want):
		return 2, true
	case slices.ContainsFunc(words(name), func(word string) bool { return strings.HasPrefix(word, want) }):
		return 3, true
	case strings.Contains(strings.ToLower(p.CanonicalName()), want):
		return 4, true
	}
	return 0, false
}

func words(name string) []string {
	return strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
