package diff

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"

	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// yamlWriter puts steps into the text of ours.
type yamlWriter struct {
	*yamlMerger
	wrong   map[*yamlStep]string
	gone    map[*yaml.Node]map[int]*yamlStep // entries that go, by mapping
	groups  map[entryIn]*group
	ordered []entryIn
	adds    map[*unit]map[string][]*yamlStep // by parent and key of the list
	drops   map[*unit]map[string][]*yamlStep
}

// entryIn is an entry by its key.
type entryIn struct {
	mapping *yaml.Node
	key     string
}

// group are leaves that need one entry which ours does not have.
type group struct {
	from  entryOf // in theirs
	depth int     // of the entry below the unit
	steps []*yamlStep
	whole *entryOf // of ours, of which nothing else is left: theirs takes its place
}

// write returns ours with some steps done, or the steps that cannot be, with the reasons.
func (m *yamlMerger) write(steps []*yamlStep) ([]byte, map[*yamlStep]string) {
	m.ours.text.Begin()
	w := &yamlWriter{yamlMerger: m, wrong: map[*yamlStep]string{}, gone: map[*yaml.Node]map[int]*yamlStep{},
		groups: map[entryIn]*group{}, adds: map[*unit]map[string][]*yamlStep{},
		drops: map[*unit]map[string][]*yamlStep{}}
	for _, s := range steps {
		switch {
		case s.leaf == "" && s.theirs == nil:
			file(w.drops, s.unit.parent, s.unit.list, s)
		case s.leaf == "":
			file(w.adds, s.unit, s.theirs.list, s)
		case s.theirs == nil:
			w.drop(s.unit.leaves[s.leaf].chain, s)
		}
	}
	w.units()
	for _, s := range steps {
		if s.leaf != "" && s.theirs != nil {
			w.leaf(s)
		}
	}
	w.insert()
	w.takeAway()
	if len(w.wrong) > 0 {
		return nil, w.wrong
	}
	content, err := m.ours.text.Changed()
	if err != nil { // two steps are in each other's way: each is tried alone
		return nil, nil
	}
	return content, nil
}

func file(all map[*unit]map[string][]*yamlStep, under *unit, list string, s *yamlStep) {
	if all[under] == nil {
		all[under] = map[string][]*yamlStep{}
	}
	all[under][list] = append(all[under][list], s)
}

func (w *yamlWriter) fail(s *yamlStep, err error) {
	if err != nil && w.wrong[s] == "" {
		w.wrong[s] = err.Error()
	}
}

func (w *yamlWriter) drop(chain []entryOf, s *yamlStep) {
	e := chain[len(chain)-1]
	if w.gone[e.mapping] == nil {
		w.gone[e.mapping] = map[int]*yamlStep{}
	}
	w.gone[e.mapping][e.at] = s
	if len(w.gone[e.mapping]) == len(e.mapping.Content)/2 && len(chain) > 1 { // nothing is left of it
		w.drop(chain[:len(chain)-1], s)
	}
}

// entry finds the entry of a key in a mapping of ours.
func entry(m *yaml.Node, key string) (entryOf, bool) {
	for i := range len(m.Content) / 2 {
		if m.Content[2*i].Value == key {
			return entryOf{m, i}, true
		}
	}
	return entryOf{}, false
}

// leaf puts a leaf of theirs in its place, or notes which entry it needs.
func (w *yamlWriter) leaf(s *yamlStep) {
	chain, at := s.theirs.leaves[s.leaf].chain, s.unit.node
	for depth, from := range chain {
		here, there := entry(at, from.key().Value)
		isLast := depth == len(chain)-1
		switch {
		case there && isLast:
			w.fail(s, w.ours.text.Set(at, here.at, w.theirs.text, from.mapping, from.at))
			return
		case there && here.value().Kind == yaml.MappingNode:
			if inner := here.value(); len(w.gone[inner]) < len(inner.Content)/2 {
				at = inner
				continue
			}
		}
		in := entryIn{at, from.key().Value}
		if w.groups[in] == nil {
			w.groups[in] = &group{from: from, depth: depth}
			w.ordered = append(w.ordered, in)
		}
		g := w.groups[in]
		if g.steps = append(g.steps, s); there && here.value().Kind == yaml.MappingNode {
			g.whole = &here
		}
		return
	}
}

// swap puts an entry of theirs in the place of one of which nothing is left.
func (w *yamlWriter) swap(g *group) {
	err := errors.New("only a part of what stands around it goes along")
	if len(g.steps) == w.leavesUnder(g) {
		err = w.ours.text.Set(g.whole.mapping, g.whole.at, w.theirs.text, g.from.mapping, g.from.at)
	}
	delete(w.gone[g.whole.mapping], g.whole.at)
	for _, s := range w.gone[g.whole.value()] {
		w.fail(s, err)
	}
	for _, s := range g.steps {
		w.fail(s, err)
	}
}

// insert puts in the entries that leaves need.
func (w *yamlWriter) insert() {
	for _, in := range w.ordered {
		g := w.groups[in]
		if g.whole != nil {
			w.swap(g)
			continue
		}
		at := w.behind(in.mapping, g.from)
		if len(g.steps) == w.leavesUnder(g) {
			err := w.ours.text.Insert(in.mapping, at, w.theirs.text, g.from.mapping, g.from.at)
			for _, s := range g.steps {
				w.fail(s, err)
			}
			continue
		}
		err := errors.New("only a part of what stands around it goes along")
		var entries [][2]*yaml.Node
		for _, s := range g.steps {
			chain := s.theirs.leaves[s.leaf].chain
			if len(chain) != g.depth+2 {
				entries = nil
				break
			}
			entries = append(entries, [2]*yaml.Node{chain[g.depth+1].key(), chain[g.depth+1].value()})
		}
		if text, fits := w.theirs.text.Inline(entries); fits && len(entries) > 0 {
			err = w.ours.text.InsertText(in.mapping, at, in.key+": "+text+"\n")
		}
		for _, s := range g.steps {
			w.fail(s, err)
		}
	}
}

// leavesUnder counts the leaves that theirs has in an entry.
func (w *yamlWriter) leavesUnder(g *group) (n int) {
	for _, l := range g.steps[0].theirs.leaves {
		if len(l.chain) > g.depth && l.chain[g.depth] == g.from {
			n++
		}
	}
	return n
}

// behind is the entry of ours behind which one of theirs is put: that which stands before it there, else the first.
func (w *yamlWriter) behind(m *yaml.Node, from entryOf) int {
	for at := from.at - 1; at >= 0; at-- {
		if e, there := entry(m, from.mapping.Content[2*at].Value); there && w.gone[m][e.at] == nil {
			return e.at
		}
	}
	for at := range len(m.Content) / 2 {
		if w.gone[m][at] == nil {
			return at
		}
	}
	return 0
}

// units puts in and takes away whole units.
func (w *yamlWriter) units() {
	for under, lists := range w.drops {
		for list, steps := range lists {
			w.dropUnits(under, list, steps)
		}
	}
	for under, lists := range w.adds {
		for _, list := range slices.Sorted(maps.Keys(lists)) {
			w.addUnits(under, list, lists[list])
		}
	}
}

func (w *yamlWriter) dropUnits(under *unit, list string, steps []*yamlStep) {
	if under == nil {
		for _, s := range steps {
			if len(steps) == len(w.ours.units) && len(w.adds[nil]) == 0 {
				w.fail(s, errors.New("nothing would be left in the file"))
				continue
			}
			w.fail(s, w.ours.text.DropDocument(s.unit.node, w.isGoing))
		}
		return
	}
	e, _ := entry(under.node, list)
	if len(steps) == len(e.value().Content) && len(w.adds[under][list]) == 0 {
		w.drop([]entryOf{e}, steps[0])
		return
	}
	for _, s := range steps {
		w.fail(s, w.ours.text.DropItem(e.value(), s.unit.at, w.isGoing))
	}
}

func (w *yamlWriter) addUnits(under *unit, list string, steps []*yamlStep) {
	if under == nil {
		for _, s := range steps {
			w.fail(s, w.ours.text.AppendDocument(w.theirs.text, s.theirs.node))
		}
		return
	}
	from, _ := entry(steps[0].theirs.parent.node, list)
	if e, there := entry(under.node, list); there && len(e.value().Content) > 0 {
		for _, s := range steps {
			w.fail(s, w.ours.text.Append(e.value(), w.theirs.text, from.value(), s.theirs.at))
		}
		return
	}
	outer, fits := w.theirs.text.Column(from.mapping)
	inner, _ := w.theirs.text.Column(from.value())
	column, isBlock := w.ours.text.Column(under.node)
	text := list + ":\n"
	for _, s := range steps {
		item, err := w.theirs.text.Item(from.value(), s.theirs.at, column+inner-outer)
		if !fits || !isBlock {
			err = cmp.Or(err, errors.New("it stands in brackets, or is to"))
		}
		w.fail(s, err)
		text += item
	}
	if strings.HasSuffix(text, ":\n") {
		return
	}
	err := w.ours.text.InsertText(under.node, w.behind(under.node, from), text)
	for _, s := range steps {
		w.fail(s, err)
	}
}

// takeAway takes away the entries that go.
func (w *yamlWriter) takeAway() {
	for m, gone := range w.gone {
		if len(gone) == len(m.Content)/2 { // with the entry that it stands in
			continue
		}
		err := w.ours.text.Drop(m, slices.Sorted(maps.Keys(gone)), w.isGoing)
		for _, s := range gone {
			w.fail(s, err)
		}
	}
}
