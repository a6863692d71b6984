// Package pattern is regular expressions that are compiled when they are first used. A program has many, and a command
// uses few: compiled as it starts, they would be much of what it takes to start.
//
// internal/arch compiles each pattern of the program, so that none fails when it is used.
package pattern

import (
	"regexp"
	"sync"
)

// Pattern is a regular expression. Its methods are those of [regexp.Regexp].
type Pattern struct {
	compiled func() *regexp.Regexp
}

// Of returns the pattern that a text writes.
func Of(text string) *Pattern {
	return &Pattern{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })}
}

func (p *Pattern) MatchString(s string) bool { return p.compiled().MatchString(s) }

func (p *Pattern) Match(b []byte) bool { return p.compiled().Match(b) }

func (p *Pattern) FindString(s string) string { return p.compiled().FindString(s) }

func (p *Pattern) FindAllStringIndex(s string, n int) [][]int {
	return p.compiled().FindAllStringIndex(s, n)
}

func (p *Pattern) FindStringSubmatch(s string) []string { return p.compiled().FindStringSubmatch(s) }

func (p *Pattern) FindSubmatch(b []byte) [][]byte { return p.compiled().FindSubmatch(b) }

func (p *Pattern) FindStringSubmatchIndex(s string) []int {
	return p.compiled().FindStringSubmatchIndex(s)
}

func (p *Pattern) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return p.compiled().FindAllStringSubmatchIndex(s, n)
}

func (p *Pattern) FindAllSubmatch(b []byte, n int) [][][]byte {
	return p.compiled().FindAllSubmatch(b, n)
}

func (p *Pattern) ReplaceAllString(s, by string) string { return p.compiled().ReplaceAllString(s, by) }

func (p *Pattern) ReplaceAllStringFunc(s string, by func(string) string) string {
	return p.compiled().ReplaceAllStringFunc(s, by)
}

func (p *Pattern) ReplaceAll(b, by []byte) []byte { return p.compiled().ReplaceAll(b, by) }

func (p *Pattern) Split(s string, n int) []string { return p.compiled().Split(s, n) }

// String returns what was given to [Of].
func (p *Pattern) String() string { return p.compiled().String() }
