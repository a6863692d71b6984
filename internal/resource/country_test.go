package resource

import (
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
)

// TestCountriesAreKnownByTheNamesPeopleWrite has a name or two of each language that
// many people write, and short forms.
func TestCountriesAreKnownByTheNamesPeopleWrite(t *testing.T) {
	for written, want := range map[string]string{
		"UK": "GB", "uk": "GB", "U.K.": "GB", "USA": "US",
		"U.S.A.": "US", "U.S.": "US", "DEU": "DE", "GBR": "GB", "UAE": "AE", "Holland": "NL",
		"South Korea": "KR", "Türkiye": "TR", "Turkey": "TR", "NO": "NO", "no": "NO", "Czech Republic": "CZ",
		"中国": "CN", "美国": "US", "美國": "US", "भारत": "IN",
		"संयुक्त राज्य": "US", "España": "ES", "Alemania": "DE", "Estados Unidos": "US",
		"Allemagne": "DE", "Royaume-Uni": "GB", "الإمارات العربية المتحدة": "AE", "مصر": "EG",
		"বাংলাদেশ": "BD", "Alemanha": "DE", "Reino Unido": "GB",
		"Россия": "RU", "Германия": "DE", "پاکستان": "PK", "Deutschland": "DE",
		"Österreich": "AT", "Vereinigtes Königreich": "GB", "日本": "JP", "アメリカ合衆国": "US", "대한민국": "KR",
		"Jerman": "DE", "Germania": "DE", "Almanya": "DE",
		"Duitsland": "DE", "Niemcy": "DE", "Tyskland": "DE", "Côte d’Ivoire": "CI", "Österreich ": "AT",
	} {
		for _, form := range []string{written, norm.NFD.String(written), strings.ToLower(written)} {
			if form == strings.ToLower(written) &&
				len(written) == 3 && form != written && written != "USA" && written != "UAE" {
				continue // mar is March, MAR is Morocco
			}
			if got, finding := parseCountry(form); finding != nil || got != want {
				t.Errorf("ParseCountry(%q) = %q, %v; want %s", form, got, finding, want)
			}
		}
	}
	for written, hint := range map[string]string{
		"Germny": `did you mean "DE"?`, "EU": "list its countries",
		"Europe": "list its countries", "DACH": "list its countries", "worldwide": "a new campaign without " +
			"countries runs in all of them: leave the cell blank; [clear] (in YAML: null) takes away those one has",
		"n/a": "a new campaign without countries runs in all of them: leave " +
			"the cell blank; [clear] (in YAML: null) takes away those one has", "mar": "", "Texas": "", "ZZ": "",
	} {
		_, finding := parseCountry(written)
		if finding == nil || finding.Hint != hint || !strings.HasPrefix(finding.Message, "country is ") {
			t.Errorf("ParseCountry(%q): %+v; want the hint %q", written, finding, hint)
		}
	}
}
