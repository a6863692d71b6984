package sources

import (
	"fmt"
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

// shortestNear is the shortest synonym a strange header is compared with: short
// words are near too many others.
const shortestNear = 6

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// orList joins texts as a sentence has them: a, b or c.
func orList(texts []string) string {
	if len(texts) < 2 {
		return strings.Join(texts, "")
	}
	last := len(texts) - 1
	return strings.Join(texts[:last], ", ") + " or " + texts[last]
}

func sameNumber(a, b string) bool {
	x, ok := exact(a)
	y, ok2 := exact(b)
	if !ok || !ok2 {
		return false
	}
	// Programs keep numbers as floats: what is one float is one number.
	f, _ := x.Float64()
	g, _ := y.Float64()
	return f == g
}
