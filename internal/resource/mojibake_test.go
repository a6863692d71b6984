package resource

import (
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

func TestMojibakeIsToldFromNaturalText(t *testing.T) {
	for _, meant := range []string{"Grün", "Menü",
		"Österreich", "Übergröße", "café", "it’s", "“quoted”", "a – b", "20 €", "Nestlé", "naïve", "schöne Spaß", "日本語",
		"Привет", "😀 fun", "Ærø", "Łódź", "año", "São", "½ price", "Tom & Jerry’s", "İstanbul", "×2 faster – ±1"} {
		garbled := garble(meant)
		if garbled == meant {
			continue
		}
		if got, found := mojibake(garbled); !found || got != meant {
			t.Errorf("Mojibake(%q) = %q, %v, want %q", garbled, got, found, meant)
		}
	}
	for _, natural := range []string{"", "plain", "Grün",
		"CAFÉ»", "« CAFÉ »", "„Spaß“", "“NESTLÉ®”", "AMANHÃ”", "IRMÃ…", "é…»", "20 €", "naïve – really",
		"Ångström", "ÄÖÜ", "Â", "château", "â", "日本語", "Привет", "×2", "½", "ÐÑ", "Ý¿Qué?", "señor’s"} {
		if got, found := mojibake(natural); found {
			t.Errorf("Mojibake(%q) = %q, want it taken for natural", natural, got)
		}
	}
}

// garble reads the bytes of a text as Windows-1252, as programs do by mistake.
func garble(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		r := charmap.Windows1252.DecodeByte(c)
		if r == utf8.RuneError {
			r = rune(c)
		}
		b.WriteRune(r)
	}
	return b.String()
}
