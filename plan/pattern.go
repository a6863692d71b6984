package plan

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
)

// Pattern names resources of a plan. It reads, segment by segment:
//
//	ad_group                 all of a kind
//	ad_group/spring/runners  one address
//	ad_group/spring-*/*      those whose keys fit: * within a segment, ? one character, [a-c] one of some
//	ad/**/hero               ** stands for any number of segments, none included
//	campaign/spring-*/**     ** at the end: what is named before it, and all that lies beneath, of whatever kind
//
// The first segment is the kind; * there is any kind.
type Pattern struct {
	Text     string
	Position diag.Position // where it is written in a file, zero on a command line
}

// ParsePattern checks a pattern.
func ParsePattern(text string, at diag.Position) (Pattern, error) {
	for _, segment := range strings.Split(text, "/") {
		if segment == "" {
			return Pattern{}, fmt.Errorf("pattern is %q; "+
				"want a kind, an address such as campaign/spring, or a glob such as ad_group/spring-*/**", text)
		}
		if _, err := path.Match(segment, ""); err != nil {
			return Pattern{}, fmt.Errorf("pattern is %q; want every bracket closed", text)
		}
	}
	return Pattern{text, at}, nil
}

// String returns the pattern as it is named to people: with where it is written.
func (p Pattern) String() string {
	if p.Position.IsZero() {
		return p.Text
	}
	return p.Text + " of " + p.Position.String()
}

// matcher tests addresses against patterns: what has no wildcard by one look
// into a map, the others one after the other.
type matcher struct {
	schemas  resource.Schemas
	patterns []Pattern
	exact    map[string][]int // addresses, and kinds
	trees    map[string][]int // tops of whole trees
	globs    []compiled
	used     []bool // by pattern: something matched it
}

type compiled struct {
	pattern  int
	segments []string
	tree     bool
}

func NewMatcher(schemas resource.Schemas, patterns []Pattern) *matcher {
	m := &matcher{
		schemas: schemas, patterns: patterns, exact: map[string][]int{},
		trees: map[string][]int{}, used: make([]bool, len(patterns)),
	}
	for i, p := range patterns {
		m.add(i, p.Text)
	}
	return m
}

func (m *matcher) add(i int, text string) {
	top, tree := strings.CutSuffix(text, "/**")
	switch {
	case strings.ContainsAny(top, `*?[\`) || !strings.Contains(top, "/") && tree:
		m.globs = append(m.globs, compiled{i, strings.Split(text, "/"), tree})
	case tree:
		m.trees[top] = append(m.trees[top], i)
	default:
		m.exact[text] = append(m.exact[text], i)
	}
}

// matches says whether a pattern names the address, and notes every one that
// does.
func (m *matcher) Matches(a resource.Address) bool {
	found := m.note(m.exact[a.String()]) || m.note(m.exact[string(a.Kind)])
	for up := a; len(m.trees) > 0 && !up.IsZero(); up = m.schemas.Parent(up) {
		found = m.note(m.trees[up.String()]) || found
	}
	for _, g := range m.globs {
		if found && m.used[g.pattern] {
			continue
		}
		if m.globbed(g, a) {
			m.used[g.pattern], found = true, true
		}
	}
	return found
}

func (m *matcher) note(patterns []int) bool {
	for _, i := range patterns {
		m.used[i] = true
	}
	return len(patterns) > 0
}

func (m *matcher) globbed(g compiled, a resource.Address) bool {
	for up := a; !up.IsZero(); up = m.schemas.Parent(up) {
		if segmentsMatch(g.segments, strings.Split(up.String(), "/")) {
			return true
		}
		if !g.tree {
			return false
		}
	}
	return false
}

// segmentsMatch compares a pattern with an address, segment by segment.
func segmentsMatch(pattern, segments []string) bool {
	if len(pattern) == 0 {
		return len(segments) == 0
	}
	if pattern[0] == "**" {
		for len(pattern) > 1 && pattern[1] == "**" { // each would try all that the one before tried
			pattern = pattern[1:]
		}
		return segmentsMatch(pattern[1:], segments) || len(segments) > 0 && segmentsMatch(pattern, segments[1:])
	}
	if len(segments) == 0 {
		return false
	}
	ok, err := path.Match(pattern[0], segments[0])
	return err == nil && ok && segmentsMatch(pattern[1:], segments[1:])
}

// unmatched gives the patterns that name nothing, with what may be meant.
func (m *matcher) Unmatched(flag string, addresses []resource.Address) error {
	return m.unmatchedIn("in the files or in adsync's record", flag, addresses)
}

func (m *matcher) unmatchedIn(where, flag string, addresses []resource.Address) error {
	var failures []error
	for i, p := range m.patterns {
		if m.used[i] {
			continue
		}
		hint := diag.DidYouMean(strings.TrimSuffix(p.Text, "/**"), m.named(p, addresses))
		if hint != "" {
			hint = "; " + hint
		}
		failures = append(failures,
			fmt.Errorf("%s %s names nothing %s%s", flag, diag.Printable(p.String()), where, hint))
	}
	return errors.Join(failures...)
}

// named returns what a pattern may have meant: kinds for one without a slash,
// addresses for the others.
func (m *matcher) named(p Pattern, addresses []resource.Address) []string {
	var names []string
	if !strings.Contains(strings.TrimSuffix(p.Text, "/**"), "/") {
		for _, s := range m.schemas {
			names = append(names, string(s.Kind))
		}
		return names
	}
	for _, a := range addresses {
		names = append(names, a.String())
	}
	slices.Sort(names)
	return names
}
