package resource

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"adsync/internal/diag"
	"adsync/internal/pattern"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

// parseCountry reads an ISO 3166-1 code of two or three letters, or the name of a
// country in English or another of the largest languages, and gives the code of two.
func parseCountry(s string) (string, *Finding) {
	if code := strings.ToUpper(s); len(code) == 2 && countryCodes()[code] {
		return code, nil
	}
	if region, err := language.ParseRegion(s); len(s) == 3 &&
		s == strings.ToUpper(s) && err == nil && countryCodes()[region.String()] {
		return region.String(), nil
	}
	name := foldCountry(s)
	for _, names := range []func() map[string]string{englishNames, foreignNames} {
		if code, ok := names()[name]; ok {
			return code, nil
		}
	}
	finding := &Finding{
		Code:    diag.BadChoice,
		Message: fmt.Sprintf("country is %q; want a two-letter code such as US, or the country's name", s),
	}
	switch {
	case worldwide.MatchString(s), saysNothing(s):
		finding.Hint = "a new campaign without " +
			"countries runs in all of them: leave the cell blank; [clear] (in YAML: null) takes away those one has"
	case regionOfMany.MatchString(s):
		finding.Hint = "list its countries"
	case len(s) > 3:
		finding.Hint = nearestCountry(s)
	}
	return "", finding
}

var (
	worldwide = pattern.Of(`(?i)^(all|all ` +
		`countries|world|world ?wide|global|everywhere|any|\*|rest of (the )?world|row|international)$`)
	regionOfMany = pattern.Of(`(?i)^(eu|europe|european union|dach|nordics|scandinavia|benelux|` +
		`apac|emea|latam|mena|asia|africa|(north|south|latin|central) america|americas|middle east|oceania|gcc|anz)$`)
)

// foldCountry makes names comparable: U.S.A. is USA, St. Lucia is St Lucia.
func foldCountry(s string) string { return Fold(strings.ReplaceAll(s, ".", "")) }

func nearestCountry(s string) string {
	near := diag.Nearest(foldCountry(s), slices.Collect(maps.Keys(englishNames())))
	if near == "" {
		return ""
	}
	return `did you mean "` + englishNames()[near] + `"?`
}

var countryCodes = sync.OnceValue(func() map[string]bool {
	codes := map[string]bool{}
	for a := 'A'; a <= 'Z'; a++ {
		for b := 'A'; b <= 'Z'; b++ {
			code := string([]rune{a, b})
			region, err := language.ParseRegion(code)
			current := err == nil && region.IsCountry() && region.M49() != 0 && region.Canonicalize() == region
			if current && !retired[code] && code[0] != 'X' {
				codes[code] = true
			}
		}
	}
	codes["XK"] = true // Kosovo: user-assigned, in general use
	return codes
})

// retired are codes the library still knows and ISO 3166-1 has withdrawn or
// only reserves.
var retired = map[string]bool{
	"AC": true, "AN": true, "BU": true, "CP": true,
	"CQ": true, "CS": true, "DD": true, "DG": true, "EA": true, "FX": true, "IC": true,
	"NT": true, "QO": true, "QU": true, "SU": true,
	"TA": true, "TP": true, "YD": true, "YU": true, "ZR": true, "ZZ": true, "UK": true,
}

// usualNames are what people write that is no name of CLDR.
var usualNames = map[string]string{
	"uk": "GB", "us": "US", "usa": "US", "us of a": "US",
	"america": "US", "united states of america": "US", "great britain": "GB", "britain": "GB", "england": "GB",
	"south korea": "KR", "korea": "KR", "republic of korea": "KR", "czech republic": "CZ", "holland": "NL",
	"the netherlands": "NL", "uae": "AE", "emirates": "AE", "ivory coast": "CI", "burma": "MM", "macedonia": "MK",
	"swaziland": "SZ", "cape verde": "CV", "east timor": "TL", "turkey": "TR", "hong kong": "HK", "macau": "MO",
	"macao": "MO", "taiwan": "TW", "palestine": "PS", "vatican": "VA", "bosnia": "BA", "trinidad": "TT",
	"republic of ireland": "IE", "eire": "IE", "russian federation": "RU",
	"viet nam": "VN", "brasil": "BR", "deutschland": "DE", "ee uu": "US", "eeuu": "US", "méjico": "MX",
}

// nameLanguages are those country names are taken in: the largest of the world, and
// those of the largest markets for ads. English counts first.
var nameLanguages = []string{"en", "zh", "zh-Hant", "hi", "es", "fr", "ar", "bn",
	"pt", "pt-PT", "ru", "ur", "id", "de", "ja", "ko", "it", "tr", "vi", "nl", "pl", "sv", "da", "nb", "fi", "cs", "uk"}

// englishNames leads from the names people write in English to codes.
var englishNames = sync.OnceValue(func() map[string]string {
	names := map[string]string{}
	for name, code := range usualNames {
		names[foldCountry(name)] = code
	}
	for code := range countryCodes() {
		names[foldCountry(display.English.Regions().Name(language.MustParseRegion(code)))] = code
	}
	return names
})

// foreignNames leads from the names in other languages to codes. A name that is of one
// country in one language and of another in the next is none. They take ten times as long
// to make as the English ones, and few files need them.
var foreignNames = sync.OnceValue(func() map[string]string {
	names := map[string]string{}
	for _, tag := range nameLanguages[1:] {
		namer := display.Regions(language.MustParse(tag))
		for code := range countryCodes() {
			name := foldCountry(namer.Name(language.MustParseRegion(code)))
			if have, taken := names[name]; taken && have != code {
				names[name] = ""
				continue
			}
			names[name] = code
		}
	}
	maps.DeleteFunc(names, func(name, code string) bool { return code == "" || len(name) <= 2 })
	return names
})

// CountryCodes returns every code parseCountry takes, in order.
func CountryCodes() []string { return slices.Sorted(maps.Keys(countryCodes())) }
