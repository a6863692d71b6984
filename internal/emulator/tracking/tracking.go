// Package tracking combines tracking parameters into the final URL of an ad
// (interface, part 2, tracking parameters). It is a pure function and shows every
// step. It refuses destinations it cannot read. Its invariant: of each query key
// the final URL has the values of exactly one level, the one with the highest
// priority that has the key.
package tracking

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// Mode is an order of precedence.
type Mode string

// The two modes of part 2.
const (
	New    Mode = "new"    // rule 3
	Legacy Mode = "legacy" // rule 5, product feeds only
)

// Level is where parameters come from.
type Level string

// The five levels.
const (
	Feed     Level = "feed" // the destination's own parameters
	Account  Level = "account"
	Campaign Level = "campaign"
	AdGroup  Level = "ad_group"
	Ad       Level = "ad"
)

// Order is the precedence of a mode, lowest first.
func (m Mode) Order() []Level {
	if m == Legacy {
		return []Level{Account, Campaign, AdGroup, Ad, Feed}
	}
	return []Level{Feed, Account, Campaign, AdGroup, Ad}
}

// Input is what is combined. Templates are query strings by level; a level
// without one has "".
type Input struct {
	Destination string // a product's address, or the ad's target URL
	FromFeed    bool   // it is a product's
	Mode        Mode
	Templates   map[Level]string
	Values      map[string]string // of placeholders: campaign_id, ad_id, oppref
}

// Parameter is one key and its value, decoded.
type Parameter struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	raw   string // as it is written in the final URL
}

// Step is what one level did.
type Step struct {
	Level     Level       `json:"level"`
	Query     string      `json:"query"`     // the template, or the destination's own
	Given     []Parameter `json:"given"`     // with placeholders filled in
	Removed   []Parameter `json:"removed"`   // utm_* of a feed in Legacy ordering
	Overrides []Parameter `json:"overrides"` // what lower levels had for the same keys
	After     []Parameter `json:"after"`     // what holds when the level is done
}

// Result is a final URL and how it came about.
type Result struct {
	Mode  Mode   `json:"mode"`
	Steps []Step `json:"steps"`
	URL   string `json:"final_url"`
}

// Combine makes the final URL.
// assumption: a destination that is no feed's has the new mode's order, its own
// parameters lowest; Legacy ordering is for product feeds.
func Combine(in Input) (Result, error) {
	destination, err := url.Parse(in.Destination)
	if err != nil || destination.Host == "" {
		return Result{}, fmt.Errorf("destination is %q; want an absolute address", in.Destination)
	}
	if !in.FromFeed {
		in.Mode = New
	}
	r := Result{Mode: in.Mode}
	held := []Parameter{}
	for _, level := range in.Mode.Order() {
		step := in.step(level, destination.RawQuery)
		held, step.Overrides = override(held, step.Given)
		step.After = slices.Clone(held)
		r.Steps = append(r.Steps, step)
	}
	destination.RawQuery = write(held)
	r.URL = destination.String()
	return r, nil
}

// step is what one level gives.
func (in Input) step(level Level, own string) Step {
	s := Step{Level: level, Query: in.Templates[level], Given: []Parameter{}, Removed: []Parameter{}}
	if level == Feed {
		s.Query = own
	}
	for _, raw := range strings.Split(s.Query, "&") {
		if raw == "" {
			continue
		}
		if level != Feed {
			raw = in.fill(raw)
		}
		p := read(raw)
		if level == Feed && in.Mode == Legacy && strings.HasPrefix(p.Key, "utm_") {
			s.Removed = append(s.Removed, p)
			continue
		}
		s.Given = append(s.Given, p)
	}
	return s
}

// fill writes the values of placeholders, escaped, into a parameter of a template.
// A placeholder without a value stays as it is.
func (in Input) fill(raw string) string {
	for name, value := range in.Values {
		raw = strings.ReplaceAll(raw, "{"+name+"}", url.QueryEscape(value))
	}
	return raw
}

// read takes key=value apart. What cannot be decoded is kept as it is written.
func read(raw string) Parameter {
	key, value, _ := strings.Cut(raw, "=")
	return Parameter{Key: decoded(key), Value: decoded(value), raw: raw}
}

func decoded(text string) string {
	if plain, err := url.QueryUnescape(text); err == nil {
		return plain
	}
	return text
}

// override puts a level above what holds: its keys lose their lower values, and
// stand where they stood; new keys follow (rules 1, 2 and 4).
// assumption: a key that a level has several times keeps all of that level's values.
func override(held, given []Parameter) (after, lost []Parameter) {
	after, lost = []Parameter{}, []Parameter{}
	placed := map[string]bool{}
	for _, p := range held {
		winners := of(given, p.Key)
		if len(winners) == 0 {
			after = append(after, p)
			continue
		}
		lost = append(lost, p)
		if !placed[p.Key] {
			after = append(after, winners...)
		}
		placed[p.Key] = true
	}
	for _, p := range given {
		if !placed[p.Key] {
			after = append(after, p)
		}
	}
	return after, lost
}

func of(all []Parameter, key string) []Parameter {
	var found []Parameter
	for _, p := range all {
		if p.Key == key {
			found = append(found, p)
		}
	}
	return found
}

func write(held []Parameter) string {
	raw := make([]string, len(held))
	for i, p := range held {
		raw[i] = p.raw
	}
	return strings.Join(raw, "&")
}
