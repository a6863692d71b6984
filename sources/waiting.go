package sources

import (
	"fmt"
	"slices"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/sources/draft"
)

// Waiting is a row that waits while others go: a cell of its own is not valid, or
// a cell of a row above it or of what it takes over.
type Waiting struct {
	Resource *resource.Resource // what the other cells say
	Problems []diag.Problem     // errors, sorted; none where it waits with a row above it
	Lowers   bool               // a cell that is wrong could have lowered or stopped something
	Stops    bool               // it is a status or a last day
	Adrift   bool               // its cells do not say which resource it is: the address is as near as they come
}

// rowState is what an entry waits for, and whether it is read at all.
type rowState struct {
	problems []diag.Problem // errors of its own cells, and of what it takes over
	own      bool           // one of them is of its own cells
	draft.Effect
	adrift bool
	left   bool // out, as its row says so or one above it
}

// wrong notes errors of a row.
func (e *entry) wrong(problems []diag.Problem, own bool) {
	for _, p := range problems {
		if p.Severity == diag.Error {
			e.row.problems, e.row.own = append(e.row.problems, p), e.row.own || own
		}
	}
}

// keepOwn adds what the reader of a file found in the cells of a row to what the
// collection did. A row that is left out has no problems.
func (c *collection) keepOwn(results []draft.Result) {
	silent := map[int]map[int]bool{}
	for i := range c.entries {
		e := &c.entries[i]
		from, to := e.draft.Found[0], e.draft.Found[1]
		if !e.row.left {
			e.wrong(results[e.source].Problems[from:to], true)
			e.row.And(e.draft.Effect)
			continue
		}
		for at := from; at < to; at++ {
			if silent[e.source] == nil {
				silent[e.source] = map[int]bool{}
			}
			silent[e.source][at] = true
		}
	}
	for i := range results {
		for at, p := range results[i].Problems {
			if !silent[i][at] {
				c.problems.Add(p)
			}
		}
	}
}

// letWait takes what waits out of the snapshot, where other rows go.
func (c *collection) letWait(d *Desired) {
	if !diag.HasErrors(d.Problems) {
		return
	}
	d.Waiting, d.Partial = c.waiting(d.Problems)
	d.TooMany = c.tooMany
	for _, w := range d.Waiting {
		d.Snapshot.Remove(w.Resource.Address)
	}
	for i := range c.entries {
		if e := &c.entries[i]; d.Partial && e.waits() {
			d.keepImages(e)
		}
	}
}

// waiting finds the rows that wait. It says false where something of a file is
// wrong, or too many rows of a sheet, so that nothing goes.
func (c *collection) waiting(problems []diag.Problem) ([]Waiting, bool) {
	ofRows := map[diag.Problem]bool{}
	for p := range c.shared {
		ofRows[p] = true
	}
	for i := range c.entries {
		for _, p := range c.entries[i].row.problems {
			ofRows[p] = true
		}
	}
	if slices.ContainsFunc(problems, func(p diag.Problem) bool { return p.Severity == diag.Error && !ofRows[p] }) {
		return nil, false
	}
	if c.tooMany = c.tooManyWrong(); c.tooMany != "" {
		return nil, false
	}
	var all []Waiting
	for i := range c.entries {
		if e := &c.entries[i]; e.waits() {
			all = append(all, e.waiting())
		}
	}
	return all, true
}

// waits reports whether a row waits, by itself or with one above it.
func (e *entry) waits() bool {
	for up := e; up != nil; up = up.parent {
		if !e.row.left && (len(up.row.problems) > 0 || up.row.adrift) {
			return true
		}
	}
	return false
}

func (e *entry) waiting() Waiting {
	w := Waiting{Resource: e.resource, Lowers: e.row.Lowers, Stops: e.row.Stops, Adrift: e.row.adrift}
	var sorted diag.List
	sorted.AddAll(e.row.problems)
	w.Problems = sorted.Sorted()
	for up := e.parent; up != nil; up = up.parent {
		if up.row.adrift { // then nobody knows what this one is
			w.Adrift, w.Lowers = true, true
		}
	}
	return w
}

// tally counts the rows of a sheet, or of a kind in a file without sheets.
type tally struct{ rows, wrong int }

// tooManyWrong returns where more rows are wrong than may wait, "" for nowhere.
func (c *collection) tooManyWrong() string {
	tallies, order := map[string]*tally{}, []string{}
	note := func(at diag.Position, kind resource.Kind, wrong bool) {
		place := at.Sheet()
		if place == "" {
			place = string(kind)
		}
		place = at.File() + ", " + place
		if tallies[place] == nil {
			tallies[place], order = &tally{}, append(order, place)
		}
		tallies[place].rows++
		if wrong {
			tallies[place].wrong++
		}
	}
	for i := range c.entries {
		if e := &c.entries[i]; !e.row.left {
			note(e.draft.Position, e.draft.Schema.Kind, e.row.own)
		}
	}
	for _, item := range c.listItems {
		note(item.Text.Position, item.Schema.Kind, len(item.Wrong) > 0)
	}
	for _, place := range order {
		t := tallies[place]
		if most := diag.MayWait(t.rows); t.wrong > most {
			return fmt.Sprintf("%d of %d rows are not valid (%s), more than the %d that may wait while others go",
				t.wrong, t.rows, diag.Printable(place), most)
		}
	}
	return ""
}

// Whole is the snapshot with the rows that wait, as far as their cells are right.
func (d *Desired) Whole() *resource.Snapshot {
	if len(d.Waiting) == 0 {
		return d.Snapshot
	}
	whole := resource.NewSnapshot(d.Snapshot.Len() + len(d.Waiting))
	for r := range d.Snapshot.All() {
		whole.Add(r)
	}
	for _, w := range d.Waiting {
		whole.Add(w.Resource)
	}
	return whole
}

// Named is the snapshot with the rows that wait and say which resource they are.
func (d *Desired) Named() *resource.Snapshot {
	named := *d
	named.Waiting = slices.DeleteFunc(slices.Clone(d.Waiting), func(w Waiting) bool { return w.Adrift })
	return named.Whole()
}

// Stops reports whether what is wrong stops every row.
func (d *Desired) Stops() bool { return !d.Partial && diag.HasErrors(d.Problems) }
