package ads

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"adsync/internal/emulator/wire"
	"adsync/internal/emulator/world"
)

// Placeholders of a query string template (interface, part 2).
var placeholders = []string{"{campaign_id}", "{ad_id}", "{oppref}"}

var placeholder = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{[^{}]*\}`) })

const maxTemplate = 2048 // characters; not published, that of a target URL

// readLandingPage reads landing_page_configuration; nil when absent or null.
func readLandingPage(o *wire.Object) *world.LandingPage {
	l, _ := o.Object("landing_page_configuration")
	if l == nil {
		return nil
	}
	l.AllowNull("query_string_template")
	v := l.Text("query_string_template", 0, maxTemplate)
	if v.Given() {
		checkTemplate(l, v.V)
	}
	return &world.LandingPage{QueryStringTemplate: v.Ptr()}
}

func checkTemplate(l *wire.Object, template string) {
	const name = "query_string_template"
	rest := template
	for _, found := range placeholder().FindAllString(template, -1) {
		if !slices.Contains(placeholders, found) {
			l.Fail(name, "invalid_value", "Invalid '%s': unknown placeholder %s; want one of %s.",
				l.At(name), found, strings.Join(placeholders, ", "))
		}
		rest = strings.Replace(rest, found, "", 1)
	}
	if strings.ContainsAny(rest, "{}#") || strings.ContainsFunc(rest, unicode.IsControl) {
		l.Fail(name, "invalid_value", "Invalid '%s': "+
			"want query parameters, without braces, fragments or control characters outside placeholders.", l.At(name))
	}
}
