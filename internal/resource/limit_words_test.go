package resource

import "testing"

// TestACountHasItsPlural: as a length that is refused says it.
func TestACountHasItsPlural(t *testing.T) {
	title := Attribute{Name: "title", Type: TypeText, Min: 3, Max: 5}
	for text, want := range map[string]string{
		"a":  "title has 1 character; want at least 3",
		"ab": "title has 2 characters; want at least 3", "abcdef": "title has 6 characters; want at most 5",
	} {
		if f := title.badLength(text); f == nil || f.Message != want {
			t.Errorf("%q: %v; want %q", text, f, want)
		}
	}
}
