package planview

import (
	"strings"

	"adsync/internal/resource"
)

// trees writes the changes, a blank line after each tree.
func (t *printer) trees(p *page) {
	pending := false
	for i := range p.trees {
		if tree := &p.trees[i]; tree.pending && !pending {
			pending = true
			t.put(bold, 0, 2, alsoPending+":")
			t.line("")
		}
		t.tree(&p.trees[i])
		t.line("")
	}
	if len(p.left) > 0 {
		t.put(plain, 0, 2, "Not listed: "+strings.Join(p.left, ", ")+". --full lists everything.")
		t.line("")
	}
}

// alsoPending begins what a pull request is not to blame for.
const alsoPending = "Also pending, not because of this pull request"

func (t *printer) tree(tree *tree) {
	if tree.title != "" {
		t.put(bold, 0, 2, tree.title)
	}
	for i := range tree.changes {
		t.change(&tree.changes[i])
	}
	for _, left := range tree.left {
		t.put(dim, 2, 2, "… and "+left)
	}
}

// ChangeText writes what a plan does to one resource, with the reason of each field; "" where it does nothing.
func ChangeText(schemas resource.Schemas, d *Document, address string) string {
	t := &teller{schemas: schemas, room: 60, says: &engineers}
	p := &printer{TextOptions: TextOptions{Width: 100}}
	for i := range d.Changes {
		if d.Changes[i].Address != address {
			continue
		}
		c := t.entry(d, &d.Changes[i], addressOf(address))
		c.depth, c.create = 0, false // a line a field
		p.change(&c)
	}
	return p.text.String()
}

func (t *printer) change(c *entry) {
	indent := 2 * c.depth
	title := c.action + " " + c.address
	if c.name != "" {
		title += ` "` + c.name + `"`
	}
	for _, aside := range t.asides(c) {
		title += "  " + aside
	}
	t.mark(c.symbol, plain, indent, title)
	t.fields(indent+4, c)
	if c.along != "" {
		t.put(dim, indent+4, 2, "sent along unchanged: "+c.along)
	}
	if c.recorded != "" {
		t.put(dim, indent+4, 2, "agrees already: "+c.recorded)
	}
	if c.starts != "" {
		t.put(yellow, indent+4, 2, strings.ToLower(startsTitle)+" "+c.starts)
	}
	if c.hazards != "" {
		t.put(plain, indent+4, 2, "hazards: "+c.hazards)
	}
	t.holds(indent+4, c.holds)
}

// asides say what a change costs and where it comes from.
func (t *printer) asides(c *entry) []string {
	var asides []string
	if c.money != "" {
		asides = append(asides, c.money)
	}
	if c.position != "" {
		asides = append(asides, c.position)
	}
	if t.Full && c.id != "" {
		asides = append(asides, c.id)
	}
	if c.note != "" {
		asides = append(asides, "("+c.note+")")
	}
	return asides
}

// fields of a create run on, as all of them stand in its row; others have a line
// each, in columns.
func (t *printer) fields(indent int, c *entry) {
	if c.create && !c.held && !t.Full {
		t.runOn(indent, c)
		return
	}
	t.columns(indent, c)
}

func (t *printer) runOn(indent int, c *entry) {
	var parts []string
	for _, f := range c.fields {
		if f.value != `"`+c.name+`"` {
			parts = append(parts, f.name+": "+f.value)
		}
	}
	line := ""
	for _, part := range parts {
		if line != "" && indent+Columns(line)+len("; ;")+Columns(part) > t.Width {
			t.put(plain, indent, 2, line+";")
			line = ""
		}
		if line != "" {
			line += "; "
		}
		line += part
	}
	if line != "" {
		t.put(plain, indent, 2, line)
	}
}

// columns aligns names, values and reasons; a reason without room goes beneath
// its value.
func (t *printer) columns(indent int, c *entry) {
	name, value := 0, 0
	for _, f := range c.fields {
		name = max(name, Columns(f.name)+2)
	}
	for _, f := range c.fields {
		if v := Columns(f.value); indent+name+v+2+Columns(f.why) <= t.Width {
			value = max(value, v)
		}
	}
	for _, f := range c.fields {
		t.field(indent, name, value, &f)
		t.holds(indent+2, f.holds)
	}
}

func (t *printer) field(indent, name, value int, f *row) {
	start := strings.Repeat(" ", indent) + Pad(f.name+":", name)
	room := t.Width - indent - name
	if padded := Pad(f.value, value); Columns(padded)+2+Columns(f.why) <= room {
		t.line(start + padded + "  " + t.styled(dim, f.why))
		return
	}
	if Columns(f.value)+2+Columns(f.why) <= room {
		t.line(start + f.value + "  " + t.styled(dim, f.why))
		return
	}
	for i, line := range Wrap(f.value, max(room, narrow/2)) {
		if i > 0 {
			start = strings.Repeat(" ", indent+name)
		}
		t.line(start + line)
	}
	t.put(dim, indent+name, 2, f.why)
}

// holds writes what holds something, and the exact flag that releases it.
func (t *printer) holds(indent int, holds []hold) {
	for _, h := range holds {
		t.mark("!", plain, indent, "held ("+h.hazard+"): "+h.message)
		release := "no allowance releases it"
		if h.allow != "" {
			release = "release with --allow " + h.allow
		}
		t.put(plain, indent+2, 2, release)
	}
}
