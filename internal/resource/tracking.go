package resource

import (
	"fmt"
	"net/url"
	"strings"
	"unicode"

	"adsync/internal/diag"
)

// placeholders are what the service fills in (interface, part 2, campaign).
var placeholders = []string{"{campaign_id}", "{ad_id}", "{oppref}"}

// badQuery holds a query-string template to what can stand after the `?` of an
// address; the placeholders are the only braces (fault X20).
func badQuery(s string) *Finding {
	refuse := func(wanted, hint string) *Finding {
		return &Finding{Code: diag.BadValue, Message: fmt.Sprintf("tracking is %q; want %s", s, wanted), Hint: hint}
	}
	if strings.ContainsAny(s, "#? ") || strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsControl(r) || unicode.IsSpace(r)
	}) {
		return refuse("key=value pairs joined by &, without ?, # or spaces",
			"in a value write %20 for a space, %23 for # and %3F for ?")
	}
	rest := s
	for _, known := range placeholders {
		rest = strings.ReplaceAll(rest, known, "")
	}
	if i := strings.IndexAny(rest, "{}"); i >= 0 {
		written := rest[i:]
		if end := strings.IndexByte(written, '}'); end >= 0 {
			written = written[:end+1]
		}
		return refuse("only the placeholders {campaign_id}, {ad_id} and {oppref}",
			diag.DidYouMean(written, placeholders))
	}
	for _, part := range strings.Split(rest, "&") {
		if _, err := url.QueryUnescape(part); err != nil {
			return refuse("two hexadecimal digits after each %", "write %25 for a % that is meant")
		}
	}
	return nil
}

// Parameter is one key=value of a query-string template, as it is written.
type Parameter struct{ Key, Value string }

// Parameters takes a template apart. A key is decoded, so that two ways to
// write it are one.
func Parameters(template string) []Parameter {
	if template == "" {
		return nil
	}
	parts := strings.Split(template, "&")
	parameters := make([]Parameter, len(parts))
	for i, part := range parts {
		key, value, _ := strings.Cut(part, "=")
		if decoded, err := url.QueryUnescape(key); err == nil {
			key = decoded
		}
		parameters[i] = Parameter{key, value}
	}
	return parameters
}
