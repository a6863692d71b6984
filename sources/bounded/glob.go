package bounded

import (
	"errors"
	"path"
	"strings"
)

// Glob is an include pattern, segment by segment; `**` stands for any number of
// folders, none included.
type Glob []string

// NewGlob returns the pattern a text stands for, or why it is none.
func NewGlob(pattern string) (Glob, error) {
	if pattern == "" || path.IsAbs(pattern) || strings.Contains(pattern, `\`) {
		return nil, errors.New("a path is relative and its parts are joined by /")
	}
	segments := strings.Split(strings.TrimPrefix(pattern, "./"), "/")
	for _, s := range segments {
		if s == ".." || s == "." || s == "" {
			return nil, errors.New("a path stays below the project's folder")
		}
		if _, err := path.Match(s, ""); err != nil {
			return nil, errors.New("a bracket is not closed")
		}
	}
	return segments, nil
}

// Matches reports whether a slash path is included.
func (g Glob) Matches(name string) bool {
	return matchSegments(g, strings.Split(name, "/"))
}

// Reaches reports whether something below a folder may be included.
func (g Glob) Reaches(folder string) bool {
	if folder == "." {
		return true
	}
	for i, s := range strings.Split(folder, "/") {
		if i >= len(g)-1 && g[min(i, len(g)-1)] != "**" {
			return false
		}
		if g[i] == "**" {
			return true
		}
		if ok, err := path.Match(g[i], s); err != nil || !ok {
			return false
		}
	}
	return true
}

func matchSegments(pattern, segments []string) bool {
	if len(pattern) == 0 {
		return len(segments) == 0
	}
	if pattern[0] == "**" {
		return matchSegments(pattern[1:], segments) || len(segments) > 0 && matchSegments(pattern, segments[1:])
	}
	if len(segments) == 0 {
		return false
	}
	ok, err := path.Match(pattern[0], segments[0])
	return err == nil && ok && matchSegments(pattern[1:], segments[1:])
}
