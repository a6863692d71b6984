package wire

import (
	"slices"

	"adsync/internal/resource"
)

// Split cuts a tree that no job can hold into pieces that each fit into one. A
// child is created in the same job as its parent (interface, part 4, bulk rule
// 2), so every piece but the first repeats, byte for byte, the creates of the
// parents it shares with the first. What is beneath one parent and fits into a
// job stays together. What fits into no job is left over.
func Split(unit Batch, parent func(resource.Address) resource.Address, r Room) (pieces []Batch, left []Packed) {
	t := grow(unit, parent, r)
	front := &piece{members: map[int]bool{}}
	for i := range unit { // all torn parents come first, so that each is there before it is repeated
		switch {
		case !t.torn[i] || t.count[i] == 1:
		case t.has(front, t.parent[i]) && t.fits(front, []int{i}):
			t.put(front, []int{i})
		default:
			left = append(left, unit[i])
		}
	}
	made := []*piece{front}
	for _, branch := range t.branches() {
		above := t.above(branch[0])
		if t.torn[branch[0]] || !t.holds(front, above) {
			left = append(left, t.take(branch)...)
			continue
		}
		i := slices.IndexFunc(made, func(p *piece) bool { return t.fits(p, append(slices.Clone(above), branch...)) })
		if i < 0 {
			i, made = len(made), append(made, &piece{members: map[int]bool{}})
		}
		t.put(made[i], append(above, branch...))
	}
	for n, p := range made {
		pieces = append(pieces, t.write(p, n > 0))
	}
	return pieces, left
}

// tree is a new tree in the order of its addresses: a parent, then all that is
// beneath it.
type tree struct {
	unit   Batch
	room   Room
	parent []int  // -1 at the root
	count  []int  // operations of the branch that begins here
	weight []int  // and their bytes
	torn   []bool // with what is above it, the branch fits into no job
}

func grow(unit Batch, parent func(resource.Address) resource.Address, r Room) *tree {
	n := len(unit)
	t := &tree{
		unit: unit, room: r, parent: make([]int, n),
		count: make([]int, n), weight: make([]int, n), torn: make([]bool, n),
	}
	index := make(map[resource.Address]int, n)
	for i, p := range unit {
		index[p.Part.Change.Address] = i
		above, ok := index[parent(p.Part.Change.Address)]
		if t.parent[i] = above; !ok {
			t.parent[i] = -1
		}
	}
	for i := n - 1; i >= 0; i-- {
		t.count[i]++
		t.weight[i] += len(unit[i].JSON) + 1
		if above := t.parent[i]; above >= 0 {
			t.count[above] += t.count[i]
			t.weight[above] += t.weight[i]
		}
	}
	for i := range unit {
		count, weight := t.count[i], t.weight[i]
		for _, above := range t.above(i) {
			count, weight = count+1, weight+len(unit[above].JSON)+1
		}
		t.torn[i] = count > r.Operations || weight+BodyOverhead > r.Bytes
	}
	return t
}

// above returns what stands above a node, from the root down.
func (t *tree) above(i int) []int {
	var path []int
	for i = t.parent[i]; i >= 0; i = t.parent[i] {
		path = append(path, i)
	}
	slices.Reverse(path)
	return path
}

// branches returns the largest branches that fit into a job with what is above
// them, the largest first. Leaves that do not fit are among them.
func (t *tree) branches() [][]int {
	var branches [][]int
	for i := 0; i < len(t.unit); {
		if t.torn[i] && t.count[i] > 1 {
			i++
			continue
		}
		branch := make([]int, t.count[i])
		for j := range branch {
			branch[j] = i + j
		}
		branches = append(branches, branch)
		i += len(branch)
	}
	slices.SortStableFunc(branches, func(a, b []int) int { return t.share(b[0]) - t.share(a[0]) })
	return branches
}

func (t *tree) share(i int) int {
	return max(t.count[i]*t.room.Bytes, t.weight[i]*t.room.Operations)
}

// piece is a job in the making.
type piece struct {
	members map[int]bool
	weight  int
}

func (t *tree) has(p *piece, i int) bool { return i < 0 || p.members[i] }

func (t *tree) holds(p *piece, nodes []int) bool {
	return !slices.ContainsFunc(nodes, func(i int) bool { return !p.members[i] })
}

// fits reports whether a job can hold the piece and the nodes that are not in it yet.
func (t *tree) fits(p *piece, nodes []int) bool {
	count, weight := len(p.members), BodyOverhead+p.weight
	for _, i := range nodes {
		if !p.members[i] {
			count, weight = count+1, weight+len(t.unit[i].JSON)+1
		}
	}
	return count <= t.room.Operations && weight <= t.room.Bytes
}

func (t *tree) put(p *piece, nodes []int) {
	for _, i := range nodes {
		if !p.members[i] {
			p.members[i] = true
			p.weight += len(t.unit[i].JSON) + 1
		}
	}
}

func (t *tree) take(nodes []int) Batch {
	taken := make(Batch, len(nodes))
	for n, i := range nodes {
		taken[n] = t.unit[i]
	}
	return taken
}

// write returns the operations of a piece, parents before children. Torn parents
// are repetitions in all pieces but the first.
func (t *tree) write(p *piece, later bool) Batch {
	nodes := make([]int, 0, len(p.members))
	for i := range p.members {
		nodes = append(nodes, i)
	}
	slices.Sort(nodes)
	written := t.take(nodes)
	for n, i := range nodes {
		written[n].Repeat = later && t.torn[i]
	}
	return written
}
