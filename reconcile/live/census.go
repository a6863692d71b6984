package live

import (
	"maps"
	"sync"

	"adsync/internal/resource"
)

// readOne is up to how many resources of a kind are asked for by id while nobody
// knows what a list of it costs.
const readOne = 50

// Memory is what reading the account left known.
type Memory struct {
	Census   *census    // what the lists of the account cost, once it was read
	unlisted []OneByOne // kinds that an export or import found no list of
	heard    []LogEntry // what was read of the audit log to see what changed
}

// census is what it takes to list the account, as it was read and as this run adds
// to it. The nil census knows nothing.
type census struct {
	mu    sync.Mutex
	kinds map[resource.Kind]counted
}

// counted is one kind: how many there are, and how its list is asked for.
type counted struct {
	rows    int
	parents int  // each asked for its own list; 0: one list holds them all
	none    bool // there is no list
}

// requests is how many it takes to list those of the kind that stand beneath so many
// parents.
func (c counted) requests(parents int) int {
	if c.parents > 0 {
		return max(1, parents, (c.rows*parents/c.parents+rowsAPage-1)/rowsAPage)
	}
	return max(1, (c.rows+rowsAPage-1)/rowsAPage)
}

// censusOf counts what was read.
func (a *Lists) censusOf(live *Live) *census {
	c := &census{kinds: map[resource.Kind]counted{}}
	for _, o := range live.OneByOne {
		c.kinds[o.Kind] = counted{none: true}
	}
	parents := map[resource.Kind]int{}
	for _, b := range live.ByParent {
		if !b.Whole {
			parents[b.Kind] = b.Lists
		}
	}
	for _, schema := range a.Schemas {
		lists, byParent := parents[schema.Kind]
		if none := c.kinds[schema.Kind].none; Mirrors(schema) && !none && (!byParent || lists > 0) {
			c.kinds[schema.Kind] = counted{parents: lists}
		}
	}
	for _, r := range live.Resources {
		c.Add(r.Address.Kind)
	}
	return c
}

// Add counts one more of a kind that is known.
func (c *census) Add(kind resource.Kind) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if known, ok := c.kinds[kind]; ok {
		known.rows++
		c.kinds[kind] = known
	}
}

// ByList reports whether so many of a kind, beneath so many parents, are read in fewer
// requests by its list, and how many those are.
func (c *census) ByList(kind resource.Kind, n, parents int) (requests int, fewer bool) {
	known, ok := c.of(kind)
	if !ok {
		return counted{rows: n}.requests(parents), n > readOne
	}
	requests = known.requests(parents)
	return requests, !known.none && requests < n
}

func (c *census) of(kind resource.Kind) (counted, bool) {
	if c == nil {
		return counted{}, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	known, ok := c.kinds[kind]
	return known, ok
}

// Clone is one that counts by itself.
func (c *census) Clone() *census {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return &census{kinds: maps.Clone(c.kinds)}
}
