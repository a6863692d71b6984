package arch

import (
	"strings"
	"testing"
)

// mostUnreleased is how many lines of what is not released yet somebody reads.
const mostUnreleased = 40

// TestTheChangelogIsRead: what is not released is short and grouped, as Keep a Changelog
// wants it; what grows beyond that is folded into fewer words.
func TestTheChangelogIsRead(t *testing.T) {
	groups := map[string]bool{"Added": true, "Changed": true, "Deprecated": true, "Removed": true, "Fixed": true,
		"Security": true}
	_, after, found := strings.Cut(read(t, "CHANGELOG.md"), "\n## [Unreleased]\n")
	section, _, closed := strings.Cut(after, "\n## [")
	if !found || !closed {
		t.Fatal("CHANGELOG.md has no section Unreleased above one of a version")
	}
	if lines := strings.Count(strings.TrimSpace(section), "\n") + 1; lines > mostUnreleased {
		t.Errorf("CHANGELOG.md, Unreleased: %d lines; want at most %d", lines, mostUnreleased)
	}
	for line := range strings.Lines(section) {
		if name, is := strings.CutPrefix(strings.TrimSpace(line), "### "); is && !groups[name] {
			t.Errorf("CHANGELOG.md, Unreleased: the group %q; want one of Keep a Changelog", name)
		}
	}
}
