// Package openpoint names every place where the interface leaves the service's
// behaviour open, the behaviours the emulator can take there, and the one it
// takes by default: the published one where one is published.
//
// A point is one row of the table and is consulted by name at one place. The
// package refuses unknown names and values. Its invariant: every Settings has a
// value for every point.
//
// A point is a row of the table of its subject, such as table_tree.go or table_audience.go;
// profile.go has the profiles interface, published and hostile.
package openpoint

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// Name of an open point.
type Name string

// Point is one row of the table.
type Point struct {
	Name    Name     `json:"name"`
	Values  []string `json:"values"`
	Default string   `json:"default"`
	Meaning string   `json:"meaning"`
	Where   string   `json:"where"` // where the interface leaves it open
}

// table is every row. A further resource adds a file table_NAME.go with its own
// constants and rows, and a word here.
var table = slices.Concat(
	treePoints,
	accountPoints,
	audiencePoints,
	conversionPoints,
	reportPoints,
	listPoints,
	additionPoints,
)

// Settings is the behaviour taken at every point. It may be changed while the
// emulator runs; each request sees one consistent choice per look.
type Settings struct {
	chosen atomic.Pointer[map[Name]string]
}

// Defaults takes the default of every row. The profile published lies over it.
func Defaults() *Settings {
	chosen := make(map[Name]string, len(table))
	for _, p := range table {
		chosen[p.Name] = p.Default
	}
	s := &Settings{}
	s.chosen.Store(&chosen)
	return s
}

// Parse reads "", "profile:NAME", "random:SEED", or "name=value,name=value"; they
// may be combined, and what comes later wins.
func Parse(text string) (*Settings, error) {
	s := Defaults()
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		if err := s.parseOne(part); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *Settings) parseOne(part string) error {
	if name, ok := strings.CutPrefix(part, "profile:"); ok {
		values, err := Profile(name)
		if err != nil {
			return err
		}
		return s.Apply(values)
	}
	if seed, ok := strings.CutPrefix(part, "random:"); ok {
		n, err := strconv.ParseUint(seed, 10, 64)
		if err != nil {
			return fmt.Errorf("open points: seed is %q; want a whole number", seed)
		}
		return s.Apply(Draw(n))
	}
	name, value, ok := strings.Cut(part, "=")
	if !ok {
		return fmt.Errorf("open points: %q; want name=value, random:SEED or profile:NAME", part)
	}
	return s.Apply(map[Name]string{Name(name): value})
}

// Draw takes one value of every point, always the same for a seed.
func Draw(seed uint64) map[Name]string {
	r := rand.New(rand.NewPCG(seed, 0x6f70656e))
	drawn := make(map[Name]string, len(table))
	for _, p := range table {
		drawn[p.Name] = p.Values[r.IntN(len(p.Values))]
	}
	return drawn
}

// Apply changes the named points, or none when a name or value is unknown.
func (s *Settings) Apply(changes map[Name]string) error {
	for name, value := range changes {
		if err := check(name, value); err != nil {
			return err
		}
	}
	next := maps.Clone(*s.chosen.Load())
	maps.Copy(next, changes)
	s.chosen.Store(&next)
	return nil
}

func check(name Name, value string) error {
	i := slices.IndexFunc(table, func(p Point) bool { return p.Name == name })
	if i < 0 {
		return fmt.Errorf("open points: no point is called %q; want one of GET /_emulator/open_points", name)
	}
	if !slices.Contains(table[i].Values, value) {
		return fmt.Errorf("open points: %s is %q; want one of %s", name, value, strings.Join(table[i].Values, ", "))
	}
	return nil
}

// Of is the behaviour taken at a point. An unknown name is a mistake of the
// programmer and panics.
func (s *Settings) Of(name Name) string {
	value, ok := (*s.chosen.Load())[name]
	if !ok {
		panic("open point without a row: " + string(name))
	}
	return value
}

// Is reports whether the behaviour taken at a point is value.
func (s *Settings) Is(name Name, value string) bool { return s.Of(name) == value }

// Duration reads a point whose values are durations.
func (s *Settings) Duration(name Name) time.Duration {
	d, err := time.ParseDuration(s.Of(name))
	if err != nil {
		panic("open point " + string(name) + " is no duration: " + s.Of(name))
	}
	return d
}

// Int reads a point whose values are whole numbers.
func (s *Settings) Int(name Name) int64 {
	n, err := strconv.ParseInt(s.Of(name), 10, 64)
	if err != nil {
		panic("open point " + string(name) + " is no number: " + s.Of(name))
	}
	return n
}

// With is a copy in which one point has a value, which may be none of its row's:
// faults take durations that nobody listed.
func (s *Settings) With(name Name, value string) *Settings {
	chosen := s.Chosen()
	chosen[name] = value
	changed := &Settings{}
	changed.chosen.Store(&chosen)
	return changed
}

// Chosen is a copy of every choice.
func (s *Settings) Chosen() map[Name]string { return maps.Clone(*s.chosen.Load()) }

// Table is a copy of the rows, in order of the document.
func Table() []Point { return slices.Clone(table) }
