package sources

import (
	"regexp"
	"strings"

	"adsync/internal/resource"
)

// foldedHeader is a header without what its brackets say.
func foldedHeader(header string) string {
	if m := bracketed.FindStringSubmatch(header); m != nil {
		header = m[1]
	}
	return resource.Fold(header)
}

var bracketed = regexp.MustCompile(`(?s)^(.*?)\s*[(\[]([^)\]]*)[)\]][\s*]*$`)

// inBrackets is what the brackets at the end of a header say, "" where there are none.
func inBrackets(header string) string {
	if m := bracketed.FindStringSubmatch(header); m != nil {
		return strings.TrimSpace(m[2])
	}
	return ""
}
