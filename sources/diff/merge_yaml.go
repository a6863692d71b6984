package diff

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
	"adsync/sources/bounded"
	"adsync/sources/config"
	"adsync/sources/draft"

	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// isYAML reports whether a file is one of documents by its name.
func isYAML(file string) bool {
	return slices.Contains([]string{".yaml", ".yml"}, strings.ToLower(path.Ext(file)))
}

// yamlMerger merges three versions of a YAML file, resource by resource and attribute by attribute. What is taken of
// theirs is put into ours as it is written there.
type yamlMerger struct {
	ctx                context.Context
	in                 *draft.Input
	sides              Sides
	base, ours, theirs *yamlVersion
	going              map[string]bool // comments of which theirs has fewer than the base
	steps              []*yamlStep
	tried              int // bytes that were written to try steps alone
	made               Merged
}

// yamlStep is one thing that is done as a whole: to a leaf of a unit of ours, or to a unit.
type yamlStep struct {
	unit     *unit // of ours: whose leaf it is, what goes, or under what a unit is put; nil for a document
	leaf     string
	theirs   *unit // what has the leaf, or is put; nil where something goes
	conflict Conflict
	done     func(*Merged)
}

// mergeYAML merges as MergeSides does.
func mergeYAML(ctx context.Context, p config.Project, base, ours, theirs []byte,
	in draft.Input, sides Sides) (Merged, error) {
	env, err := p.Env()
	if err != nil { // said where the project is read
		env = resource.Env{Currency: p.Account.Currency, Zone: time.UTC}
	}
	in.Env = env
	m := &yamlMerger{ctx: ctx, in: &in, sides: sides}
	for _, side := range []struct {
		name    string
		content []byte
		version **yamlVersion
	}{{"base", base, &m.base}, {sides.Ours, ours, &m.ours}, {sides.Theirs, theirs, &m.theirs}} {
		if int64(len(side.content)) > in.Bounds.OfSource(sides.File) {
			return Merged{}, fmt.Errorf("%s: file is larger than is read", side.name)
		}
		if *side.version, err = readYAML(side.content, &in); err != nil {
			return Merged{}, fmt.Errorf("%s: %w", side.name, err)
		}
	}
	m.going = m.goingComments()
	m.units(nil, m.base.units, m.ours.units, m.theirs.units)
	if err := m.carryOut(ours); err != nil {
		return Merged{}, err
	}
	m.comments()
	return m.made, nil
}

func (m *yamlMerger) clash(c Conflict) { m.made.Conflicts = append(m.made.Conflicts, c) }

// takes reports whether theirs counts in a conflict in which it can; where not, it is noted.
func (m *yamlMerger) takes(c Conflict) bool {
	if m.sides.Take != nil && m.sides.Take(c) {
		return true
	}
	m.clash(c)
	return false
}

func (m *yamlMerger) step(s yamlStep) { m.steps = append(m.steps, &s) }

// units merges those beneath one of ours; nil: the documents.
func (m *yamlMerger) units(under *unit, base, ours, theirs []*unit) {
	inOurs, inTheirs := pairUnits(base, ours), pairUnits(base, theirs)
	known := map[*unit]bool{}
	for _, b := range base {
		o, t := inOurs[b], inTheirs[b]
		known[o], known[t] = true, true
		m.unit(under, b, o, t)
	}
	fresh := func(all []*unit) []*unit {
		return slices.DeleteFunc(slices.Clone(all), func(u *unit) bool { return known[u] })
	}
	mine := fresh(theirs)
	both := pairUnits(mine, fresh(ours))
	for _, t := range mine {
		if o := both[t]; o != nil {
			m.leaves(nil, o, t)
			m.units(o, nil, o.children, t.children)
			continue
		}
		m.add(under, t, Conflict{
			What: m.place(m.theirs, t, ""), Ours: catalogue.Say("shown.none"), Theirs: textOfUnit(t),
		})
	}
}

// unit merges one of the base.
func (m *yamlMerger) unit(under, b, o, t *unit) {
	switch {
	case o != nil && t != nil:
		m.leaves(b, o, t)
		m.units(o, b.children, o.children, t.children)
	case o == nil && t != nil && b.dump() != t.dump():
		if c := (Conflict{What: m.place(m.theirs, t, ""), Theirs: textOfUnit(t), Open: true,
			Reason: catalogue.Say("merge.stays-removed", "ours", m.sides.Ours, "theirs", m.sides.Theirs),
		}); m.takes(c) {
			m.add(under, t, c)
		}
	case o != nil && t == nil && b.dump() == o.dump():
		m.remove(o, Conflict{What: m.place(m.ours, o, ""), Ours: textOfUnit(o), Theirs: catalogue.Say("shown.removed")})
	case o != nil && t == nil:
		if c := (Conflict{What: m.place(m.ours, o, ""), Ours: textOfUnit(o), Open: true,
			Reason: catalogue.Say("merge.stays", "ours", m.sides.Ours, "theirs", m.sides.Theirs),
		}); m.takes(c) {
			m.remove(o, c)
		}
	}
}

func (m *yamlMerger) add(under, t *unit, c Conflict) {
	m.step(yamlStep{unit: under, theirs: t, conflict: c, done: func(m *Merged) { m.Added++ }})
}

func (m *yamlMerger) remove(o *unit, c Conflict) {
	m.step(yamlStep{unit: o, conflict: c, done: func(m *Merged) { m.Removed++ }})
}

// leaves merges what two units that are the same say. A base that is nil says that both sides added it.
func (m *yamlMerger) leaves(b, o, t *unit) {
	if b == nil {
		b = &unit{}
	}
	paths := slices.Concat(t.order, o.order)
	for i, path := range paths {
		if slices.Contains(paths[:i], path) {
			continue
		}
		was, is, wants := b.leaves[path], o.leaves[path], t.leaves[path]
		c := Conflict{What: m.place(m.ours, o, path),
			Base: shownLeaf(was), Ours: shownLeaf(is), Theirs: shownLeaf(wants)}
		if is == nil {
			c.What = m.place(m.ours, o, "") + " " + wants.of(was).header
		}
		switch {
		case sameLeaf(wants, was) || sameLeaf(wants, is):
			continue
		case reshaped(path, o) || reshaped(path, t):
			c.Reason = catalogue.Say("merge.parts", "ours", m.sides.Ours, "theirs", m.sides.Theirs)
			m.clash(c)
			continue
		case !sameLeaf(is, was):
			if c.Open = true; !m.takes(c) {
				continue
			}
		}
		s := yamlStep{unit: o, leaf: path, theirs: t, conflict: c, done: func(m *Merged) { m.Cells++ }}
		if wants == nil {
			s.theirs = nil
		}
		m.step(s)
	}
}

// reshaped reports whether a unit says something of parts of a leaf, or of what the leaf is a part of.
func reshaped(path string, u *unit) bool {
	for _, other := range u.order {
		if strings.HasPrefix(other, path+".") || strings.HasPrefix(path, other+".") {
			return true
		}
	}
	return false
}

// of is a leaf, or the other one where it is none.
func (l *leaf) of(other *leaf) *leaf {
	if l == nil {
		return other
	}
	return l
}

func sameLeaf(a, b *leaf) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.same == b.same
}

// place names what a unit says, or the unit, for people: line 12 [sledges] Max bid.
func (m *yamlMerger) place(v *yamlVersion, u *unit, path string) string {
	at, header := u.node, ""
	if l := u.leaves[path]; l != nil {
		at, header = l.last().key(), " "+l.header
	}
	text := catalogue.Say("merge.line", "line", v.text.Line(at), "name", u.label()) + header
	if v == m.theirs {
		text = m.sides.Theirs + " " + text
	}
	return text
}

func shownLeaf(l *leaf) string {
	if l == nil {
		return catalogue.Say("shown.none")
	}
	return shownNode(l.last().value())
}

func shownNode(n *yaml.Node) string {
	var parts []string
	switch n.Kind {
	case yaml.ScalarNode:
		if n.Tag == "!!str" {
			return `"` + diag.Printable(n.Value) + `"`
		}
		return diag.Printable(n.Value)
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			parts = append(parts, diag.Printable(n.Content[i].Value)+": "+shownNode(n.Content[i+1]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	for _, item := range n.Content {
		parts = append(parts, shownNode(item))
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// textOfUnit is what a unit says, for people.
func textOfUnit(u *unit) string {
	var texts []string
	for _, path := range u.order {
		if path != "kind" {
			texts = append(texts, u.leaves[path].header+" "+shownLeaf(u.leaves[path]))
		}
	}
	if n := len(u.children); n > 0 {
		texts = append(texts, catalogue.Say("merge.beneath", "n", n))
	}
	return strings.Join(texts, ", ")
}

// carryOut writes what was decided, reads it again, and holds it against what was promised. A step that cannot be
// written alone becomes a conflict, and the others are carried out without it.
func (m *yamlMerger) carryOut(ours []byte) error {
	m.made.Content = ours
	for {
		content, wrong := m.write(m.steps)
		if len(wrong) == 0 && !m.holds(content, m.steps) {
			if wrong = m.wrongAlone(); len(wrong) == 0 {
				return errors.New("the merged file would not read as it should")
			}
		}
		if len(wrong) > 0 {
			m.drop(wrong)
			continue
		}
		m.made.Content = content
		for _, s := range m.steps {
			s.done(&m.made)
			m.made.Took = append(m.made.Took, s.conflict)
		}
		return nil
	}
}

// mostTried is how many bytes are written to try steps one by one, where all together do not read as they should.
const mostTried = 16 << 20

// wrongAlone finds the steps that do not read as they should by themselves.
func (m *yamlMerger) wrongAlone() map[*yamlStep]string {
	wrong := map[*yamlStep]string{}
	for _, s := range m.steps {
		if m.tried += len(m.made.Content); m.tried > mostTried {
			break
		}
		alone := []*yamlStep{s}
		content, refused := m.write(alone)
		if len(refused) > 0 || !m.holds(content, alone) || m.ctx.Err() != nil {
			wrong[s] = catalogue.Say("merge.otherwise")
		}
	}
	return wrong
}

// drop makes conflicts of steps.
func (m *yamlMerger) drop(wrong map[*yamlStep]string) {
	var kept []*yamlStep
	for _, s := range m.steps {
		reason := wrong[s]
		if reason == "" {
			kept = append(kept, s)
			continue
		}
		s.conflict.Reason, s.conflict.Open = reason, false
		m.clash(s.conflict)
	}
	m.steps = kept
}

// holds reports whether a file says what is promised, no more and no less, and has the comments of ours.
func (m *yamlMerger) holds(content []byte, steps []*yamlStep) bool {
	after, err := readYAML(content, m.in)
	if err != nil || int64(len(content)) > m.in.Bounds.OfSource(m.sides.File) {
		return false
	}
	got := (&unit{children: after.units}).dump()
	has := counted(after.text.Comments())
	for text, n := range counted(m.ours.text.Comments()) {
		if has[text] < n && !m.isGoing(text) {
			return false
		}
	}
	return got == m.promised(steps)
}

// promised is what the file says with some steps done.
func (m *yamlMerger) promised(steps []*yamlStep) string {
	gone, added, leaves := map[*unit]bool{}, map[*unit][]*unit{}, map[*unit][]*yamlStep{}
	for _, s := range steps {
		switch {
		case s.leaf != "":
			leaves[s.unit] = append(leaves[s.unit], s)
		case s.theirs == nil:
			gone[s.unit] = true
		default:
			added[s.unit] = append(added[s.unit], s.theirs)
		}
	}
	var dump func(u *unit) string
	below := func(of *unit, children []*unit) (all []string) {
		for _, child := range children {
			if !gone[child] {
				all = append(all, dump(child))
			}
		}
		for _, t := range added[of] {
			all = append(all, t.dump())
		}
		return all
	}
	dump = func(u *unit) string {
		said := map[string]string{}
		for path, l := range u.leaves {
			said[path] = l.same
		}
		for _, s := range leaves[u] {
			if delete(said, s.leaf); s.theirs != nil {
				said[s.leaf] = s.theirs.leaves[s.leaf].same
			}
		}
		return dumpOf(u.kind, said, below(u, u.children))
	}
	return dumpOf("", nil, below(nil, m.ours.units))
}

func counted(texts []string) map[string]int {
	counts := map[string]int{}
	for _, text := range texts {
		counts[text]++
	}
	return counts
}

// goingComments are those that theirs took away: they may go with what they stand at.
func (m *yamlMerger) goingComments() map[string]bool {
	going, has := map[string]bool{}, counted(m.theirs.text.Comments())
	for text, n := range counted(m.base.text.Comments()) {
		going[text] = has[text] < n
	}
	return going
}

func (m *yamlMerger) isGoing(comment string) bool { return m.going[comment] }

// comments lists those of theirs that are new and went along with nothing.
func (m *yamlMerger) comments() {
	after, err := readYAML(m.made.Content, m.in)
	if err != nil {
		return
	}
	has, had := counted(after.text.Comments()), counted(m.base.text.Comments())
	for _, text := range m.theirs.text.Comments() {
		if had[text]--; had[text] >= 0 {
			continue
		}
		if has[text]--; has[text] < 0 {
			m.clash(Conflict{What: catalogue.Say("merge.comment", "text", bounded.Shortened(diag.Printable(text))),
				Reason: catalogue.Say("merge.new-comment", "theirs", m.sides.Theirs)})
		}
	}
}
