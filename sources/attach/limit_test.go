package attach

import (
	"strings"
	"testing"

	"adsync/internal/members"
)

// A file of short addresses is small, and what is sent of it is not: 65 bytes a person.
func TestPeopleThatFillMoreThanAnUpload(t *testing.T) {
	for people, refused := range map[int]bool{1: false, 7_692_307: false, 7_692_308: true} {
		findings := JudgeMembers("all.csv", &members.List{Counts: members.Counts{Read: people, Used: people}})
		if (len(findings) > 0) != refused {
			t.Errorf("%d people: %v; want refused: %t", people, findings, refused)
		}
		for _, f := range findings {
			if !strings.Contains(f.Message, "500000020 bytes as they are sent") ||
				!strings.Contains(f.Message, "at most 7692307 people") {
				t.Errorf("said %q; want the bytes and the most", f.Message)
			}
		}
	}
}
