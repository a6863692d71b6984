package slips

import (
	"cmp"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/plan/drafting"
)

// row is one attribute of one resource of the files. A value that many
// resources inherit from one place is no row: it was written once.
// There may be as many as values in the files: what is there already it points to.
type row struct {
	address  *resource.Address
	position diag.Position
	desired  *resource.Value
	was      *resource.Value // of an edited row: what adsync applied last, else what is live; absent elsewhere
	change   int             // index of its change, unless kept
	state    rowState
	lowers   bool // the edit only lowers possible spend
}

// nothing is what a row was that was not there. Nobody writes to it.
var nothing resource.Value

// rowState says what became of a row.
type rowState uint8

const (
	kept   rowState = iota // nothing, or nothing an accident is made of
	edited                 // it said something else before, and the service still does
	added                  // its resource is created
)

// column is the rows of one attribute in one file or sheet, from top to bottom.
type column struct {
	kind      *drafting.Kind
	attribute *resource.Attribute
	source    diag.Position // the file, the sheet, and the column where it is one
	rows      []row
}

// edits are the edited rows of one attribute in all files, with those that
// inherit their value.
type edits struct {
	kind      *drafting.Kind
	attribute *resource.Attribute
	rows      []row
}

// surveyor reads the changes column by column, as they stand in the files.
type surveyor struct{ *drafting.Draft }

// surveyed is where suspicious edits are looked for.
type surveyed struct {
	columns []*column
	edits   []*edits
}

// columnKey tells columns apart. Attributes are told apart by where their
// description stands.
type columnKey struct {
	attribute *resource.Attribute
	origin    diag.Origin
}

// survey gathers what was edited, and whole columns where enough changed to
// look at them.
func (d *surveyor) survey() surveyed {
	changed, all := map[columnKey]int{}, map[*resource.Attribute]*edits{}
	for i := range d.Plan.Changes {
		c := &d.Plan.Changes[i]
		k := d.All[c.Index].Kind
		for j := range c.Fields {
			a := k.Attributes[c.Fields[j].Name]
			if c.Fields[j].Cause != plan.Edit || !typed(a) || c.Action == plan.Create && a.Spend != resource.Amount {
				continue
			}
			r := rowOf(d.Draft, i, a, &c.Fields[j].Desired)
			if r.state == kept {
				continue
			}
			changed[columnKey{a, r.position.Origin()}]++
			if r.state != edited {
				continue
			}
			if all[a] == nil {
				all[a] = &edits{kind: k, attribute: a}
			}
			all[a].rows = append(drafting.Doubled(all[a].rows), r)
		}
	}
	return surveyed{columns: d.columns(changed), edits: inOrder(all)}
}

func inOrder(all map[*resource.Attribute]*edits) []*edits {
	var ordered []*edits
	for _, e := range all {
		sortRows(e.rows)
		ordered = append(ordered, e)
	}
	slices.SortFunc(ordered, func(a, b *edits) int {
		return cmp.Or(strings.Compare(string(a.kind.Schema.Kind), string(b.kind.Schema.Kind)),
			strings.Compare(a.attribute.Name, b.attribute.Name))
	})
	return ordered
}

// typed reports whether people type the attribute row by row, so that its values can
// tell rows apart. Of choices there are too few.
func typed(a *resource.Attribute) bool {
	return a.Type != resource.TypeChoice && a.Type != resource.TypeSet
}

// rowOf returns the row of a changed resource.
func rowOf(d *drafting.Draft, change int, a *resource.Attribute, desired *resource.Value) row {
	c := &d.Plan.Changes[change]
	t := &d.All[c.Index]
	r := row{address: &t.Address, position: desired.Position, desired: desired, was: &nothing, change: change}
	switch c.Action {
	case plan.Create:
		if len(c.Fields) > 0 {
			r.state = added
		}
		return r
	case plan.Update, plan.Adopt, plan.Replace:
	default:
		return r
	}
	if t.Live == nil { // of a kind the account may not use: it is held
		return r
	}
	live := t.Live.Attributes.At(a.Name)
	if live == nil {
		live = &nothing
	}
	r.was = live
	if t.Last != nil {
		if last := t.Last.Attributes.At(a.Name); last != nil && last.IsSet() {
			r.was = last
		}
	}
	if desired.IsSet() && r.was.IsSet() && plan.Readable(a) &&
		!plan.Same(*desired, *r.was) && !plan.Same(*desired, *live) {
		r.state = edited
		r.lowers = drafting.PhaseOf(a, *desired, *live) == plan.Lower
	}
	return r
}

// columns gathers the rows of the columns in which at least two changed.
func (d *surveyor) columns(changed map[columnKey]int) []*column {
	columns := map[columnKey]*column{}
	for key, n := range changed {
		if n >= 2 {
			columns[key] = &column{attribute: key.attribute, rows: make([]row, 0, n)}
		}
	}
	if len(columns) == 0 {
		return nil
	}
	busyOf, next := d.busyAttributes(columns), 0 // next counts the changes, which are in the order of their addresses
	for i := range d.All {
		t, change := &d.All[i], -1
		if next < len(d.Plan.Changes) && d.Plan.Changes[next].Index == i {
			change = next
			next++
		}
		if t.Desired == nil {
			continue
		}
		for _, a := range busyOf[t.Kind] {
			v := t.Desired.Attributes.At(a.Name)
			if v == nil || !v.IsSet() {
				continue
			}
			if c := columns[columnKey{a, v.Position.Origin()}]; c != nil {
				c.kind = t.Kind
				c.add(d, &t.Address, change, v)
			}
		}
	}
	return arranged(columns)
}

// busyAttributes returns the attributes of each kind that have a column.
func (d *surveyor) busyAttributes(columns map[columnKey]*column) map[*drafting.Kind][]*resource.Attribute {
	busy := map[*drafting.Kind][]*resource.Attribute{}
	for key := range columns {
		for _, k := range d.Kinds {
			if a := key.attribute; k.Attributes[a.Name] == a && !slices.Contains(busy[k], a) {
				busy[k] = append(busy[k], a)
			}
		}
	}
	return busy
}

func (c *column) add(d *surveyor, address *resource.Address, change int, desired *resource.Value) {
	if change >= 0 {
		c.rows = append(drafting.Doubled(c.rows), rowOf(d.Draft, change, c.attribute, desired))
		return
	}
	c.rows = append(drafting.Doubled(c.rows), row{
		address: address, position: desired.Position, desired: desired, was: &nothing,
	})
}

// arranged returns the columns in one order, each from top to bottom.
func arranged(columns map[columnKey]*column) []*column {
	var ordered []*column
	for _, c := range columns {
		c.rows = writtenEach(c.rows)
		if len(c.rows) == 0 {
			continue
		}
		c.source = sourceOf(c.rows)
		ordered = append(ordered, c)
	}
	slices.SortFunc(ordered, func(a, b *column) int {
		return cmp.Or(a.source.Compare(b.source), strings.Compare(string(a.kind.Schema.Kind),
			string(b.kind.Schema.Kind)), strings.Compare(a.attribute.Name, b.attribute.Name))
	})
	return ordered
}

// writtenEach sorts rows by position and leaves out, in place, what was written
// once for several of them.
func writtenEach(rows []row) []row {
	sortRows(rows)
	own, above := rows[:0], diag.Position{}
	for i := range rows {
		at := rows[i].position
		shared := !at.IsZero() && (at == above || i+1 < len(rows) && at == rows[i+1].position)
		if above = at; !shared {
			own = append(own, rows[i])
		}
	}
	return own
}

// sortRows puts rows in the order they are written in.
func sortRows(rows []row) {
	slices.SortFunc(rows, func(a, b row) int {
		return cmp.Or(a.position.Compare(b.position), a.address.Compare(*b.address))
	})
}

// sourceOf names what rows have in common: their file, else nothing; their
// sheet and its column.
func sourceOf(rows []row) diag.Position {
	origin, column := rows[0].position.Origin(), rows[0].position.Column()
	if origin.Sheet() == "" {
		column = 0
	}
	for i := range rows {
		p := rows[i].position
		if p.Origin() != origin {
			return diag.Position{}
		}
		if p.Column() != column {
			column = 0
		}
	}
	return origin.At(0, column)
}

// where returns the rows that pass, in their order.
func where(rows []row, passes func(*row) bool) []*row {
	var some []*row
	for i := range rows {
		if passes(&rows[i]) {
			some = append(some, &rows[i])
		}
	}
	return some
}

func values(rows []*row) []row {
	var some []row
	for _, r := range rows {
		some = append(some, *r)
	}
	return some
}

func wasEdited(r *row) bool { return r.state == edited }

// valueKey makes values comparable.
type valueKey struct {
	text   string
	number int64
}

func keyOf(v resource.Value) valueKey {
	n, _ := v.Number()
	if items := v.Items(); len(items) > 0 {
		return valueKey{text: strings.Join(items, "\x00")}
	}
	return valueKey{v.Text(), n}
}
