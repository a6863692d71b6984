package resource

import (
	"testing"
	"unicode"

	_ "adsync/internal/testing/drawn"

	"pgregory.net/rapid"
)

func TestTextIsReadWithoutWhatNobodySees(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"spaces", "  a b ", "a b"},
		{"spaces that do not break", "\u00a0\u202fa\u00a0b\u00a0", "a\u00a0b"},
		{"spaces of print", "\u2003a\u2009", "a"},
		{"spaces of East Asian text", "\u3000東京\u3000", "東京"},
		{"zero width", "\u200b\ufeffa\u200bb\u2060\u200d\u200c", "a\u200bb"},
		{"fillers", "\u3164\u2800a\uffa0", "a"},
		{"line ends of all systems", "\r\n\u0085\u2028a\u2029", "a"},
		{"nothing but spaces", " \u00a0\u2003\u3000\u200b\u2060\ufeff\u180e", ""},
		{"nothing but marks of direction", "\u200f\u202e", ""},
		{"nothing but a control", "\x7f", ""},
		{"a mark of direction beside text", "!שלום\u200f", "!שלום\u200f"},
		{"letters and their accents apart", "Cafe\u0301 mu\u0308nchen", "Café münchen"},
		{"a family, which joiners hold together", "👩\u200d👩\u200d👧", "👩\u200d👩\u200d👧"},
		{"a heart in colour", "❤\ufe0f", "❤\ufe0f"},
	} {
		if got := Clean(row.text); got != row.want {
			t.Errorf("%s: Clean(%q) = %q, want %q", row.name, row.text, got, row.want)
		}
	}
}

// Every space Unicode knows, now and later, is none to see.
func TestEverySpaceIsBlank(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if (unicode.IsSpace(r) || unicode.Is(unicode.Z, r)) && !IsBlank(string(r)) {
			t.Errorf("U+%04X is a space and not blank", r)
		}
	}
}

func TestTextThatWasReadReadsTheSame(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		once := Clean(rapid.String().Draw(rt, "text"))
		if again := Clean(once); again != once {
			rt.Fatalf("Clean(%q) = %q", once, again)
		}
		if IsBlank(once) != (once == "") {
			rt.Fatalf("IsBlank(%q) = %v", once, IsBlank(once))
		}
	})
}
