package celltext

import (
	"strings"

	"adsync/internal/pattern"
	"adsync/internal/resource"
)

// FoldedHeader is a header without what its brackets say.
func FoldedHeader(header string) string {
	if m := Bracketed.FindStringSubmatch(header); m != nil {
		header = m[1]
	}
	return resource.Fold(header)
}

var Bracketed = pattern.Of(`(?s)^(.*?)\s*[(\[]([^)\]]*)[)\]][\s*]*$`)

// InBrackets is what the brackets at the end of a header say, "" where there are none.
func InBrackets(header string) string {
	if m := Bracketed.FindStringSubmatch(header); m != nil {
		return strings.TrimSpace(m[2])
	}
	return ""
}

// ShortestNear is the shortest synonym a strange header is compared with: short
// words are near too many others.
const ShortestNear = 6

// SameNumber reports whether two texts are one number.
func SameNumber(a, b string) bool {
	x, ok := Exact(a)
	y, ok2 := Exact(b)
	if !ok || !ok2 {
		return false
	}
	// Programs keep numbers as floats: what is one float is one number.
	f, _ := x.Float64()
	g, _ := y.Float64()
	return f == g
}
