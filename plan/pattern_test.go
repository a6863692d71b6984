package plan

import (
	"strings"
	"testing"
	"time"

	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/internal/resource"
)

// X19: however many wildcards a pattern has, an address is compared at once.
func TestX19PatternsTakeLittle(t *testing.T) {
	long, _ := resource.ParseAddress("ad/" + strings.Repeat("a", 60) +
		"/" + strings.Repeat("a", 60) + "/" + strings.Repeat("a", 60))
	for _, text := range []string{strings.Repeat("**/", 2_000) + "b",
		strings.Repeat("**/*/", 2_000) + "b", "ad/*/*/" + strings.Repeat("*a", 2_000) + "b"} {
		p, err := ParsePattern(text, diag.Position{})
		if err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		if NewMatcher(kinds.All(), []Pattern{p}).Matches(long) {
			t.Errorf("%.20s… names %s; want nothing", text, long)
		}
		if took := time.Since(begun); took > 2*time.Second {
			t.Errorf("%.20s… took %s; want next to nothing", text, took)
		}
	}
}
