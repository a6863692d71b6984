package plan

import (
	"fmt"

	"adsync/internal/diag"
	"adsync/internal/resource"
)

// Move says that a resource has another key from now on: its record, and that of
// everything beneath it, goes along.
type Move struct {
	From, To resource.Address
	Position diag.Position
}

// MoveDocument is the JSON form of a move that a plan carries out.
type MoveDocument struct {
	From    string `json:"from"`
	To      string `json:"to"`
	Beneath int    `json:"beneath"` // resources that go along
}

// Renamed is one address of the record and what it becomes.
type Renamed struct{ From, To resource.Address }

// Relocate returns the record under the addresses the moves say, and each address
// that changes, in order. A move whose resource is not in the record any more has
// been made before, and does nothing. Nothing moves where there is a problem: a
// move from or to the same twice, one that goes on from where another ends, one
// whose old key the files still name or whose new key they do not, or whose new
// key the record has already.
func Relocate(schemas resource.Schemas, moves []Move,
	last, desired *resource.Snapshot) (*resource.Snapshot, []Renamed, []diag.Problem) {
	m := mover{schemas: schemas, moves: moves, last: last, desired: desired, from: map[resource.Address]Move{}}
	m.check()
	if problems := m.problems.Sorted(); len(moves) == 0 || len(problems) > 0 {
		return last, nil, problems
	}
	relocated := resource.NewSnapshot(last.Len())
	var renamed []Renamed
	for r := range last.All() {
		to := m.rename(r.Address)
		if to != r.Address {
			renamed = append(renamed, Renamed{r.Address, to})
		}
		moved := *r
		moved.Address = to
		relocated.Add(&moved)
	}
	return relocated, renamed, nil
}

// KeyOfNow is what the moves make of an address, whether it is in the record or
// not: of a create of unknown outcome nothing is recorded.
func KeyOfNow(schemas resource.Schemas, moves []Move, a resource.Address) resource.Address {
	m := mover{schemas: schemas, from: make(map[resource.Address]Move, len(moves))}
	for _, move := range moves {
		m.from[move.From] = move
	}
	return m.rename(a)
}

type mover struct {
	schemas       resource.Schemas
	moves         []Move
	last, desired *resource.Snapshot
	from          map[resource.Address]Move
	problems      diag.List
}

func (m *mover) report(at Move, format string, arguments ...any) {
	m.problems.Add(diag.Problem{
		Severity: diag.Error, Code: diag.BadProject,
		Position: at.Position, Address: at.To.String(), Message: fmt.Sprintf(format, arguments...),
	})
}

func (m *mover) check() {
	for _, move := range m.moves {
		if first, twice := m.from[move.From]; twice {
			m.report(move, "%s is moved twice, first at %s; want it once", move.From, first.Position)
			continue
		}
		m.from[move.From] = move
	}
	to := map[resource.Address]Move{}
	for _, move := range m.moves {
		m.checkOne(move)
		first, twice := to[move.To]
		if to[move.To] = move; twice && m.last.Get(move.From) != nil && m.last.Get(first.From) != nil {
			m.report(move, "%s and %s are both moved to %s, and both are in the record; want a key for each",
				first.From, move.From, move.To)
		}
	}
}

func (m *mover) checkOne(move Move) {
	schema := m.schemas.Of(move.From.Kind)
	onwards, goesOn := m.from[move.To]
	switch {
	case schema == nil || move.From.Kind != move.To.Kind:
		m.report(move, "%s is moved to %s; want two keys of one kind", move.From, move.To)
	case move.From == move.To:
		m.report(move, "%s is moved to itself; want another key", move.From)
	case goesOn:
		m.report(move, "%s is moved to %s, and that on to %s; want one move from the first to the last",
			move.From, move.To, onwards.To)
	case m.desired.Get(move.From) != nil:
		m.report(move, "%s is moved to %s, and the files still name it at %s; want the new key there",
			move.From, move.To, m.desired.Get(move.From).Position)
	case m.last.Get(move.From) == nil: // made before
	case m.desired.Get(move.To) == nil:
		m.report(move, "%s is moved to %s, which no file names; want the new key in the files", move.From, move.To)
	case m.last.Get(move.To) != nil:
		m.report(move, "%s is moved to %s, which adsync manages already, as %s; want a key that is free",
			move.From, move.To, m.last.Get(move.To).ID)
	case m.rename(m.schemas.Parent(move.From)) != m.schemas.Parent(move.To):
		m.report(move, "%s is moved to %s, beneath "+
			"another parent; nothing moves there at the service: want the same parent", move.From, move.To)
	}
}

// rename returns what an address becomes: by a move of its own, which may name it
// as it was or beneath a parent that has moved, or along with its parent.
func (m *mover) rename(a resource.Address) resource.Address {
	if move, own := m.from[a]; own {
		return move.To
	}
	parent := m.schemas.Parent(a)
	if a.IsZero() || parent.IsZero() {
		return a
	}
	along := m.rename(parent).Down(a.Kind, a.Leaf())
	if move, own := m.from[along]; own && along != a {
		return move.To
	}
	return along
}

// NoteMoves has a plan say which moves it carries out.
func (p *Plan) NoteMoves(moves []Move, renamed []Renamed) {
	made := map[resource.Address]*MoveDocument{}
	for _, move := range moves {
		for _, r := range renamed {
			if r.To == move.To {
				p.Moved = append(p.Moved, MoveDocument{From: r.From.String(), To: r.To.String()})
				made[r.To] = nil
			}
		}
	}
	for i := range p.Moved {
		to, _ := resource.ParseAddress(p.Moved[i].To)
		for _, r := range renamed {
			if _, own := made[r.To]; !own && len(r.To.Key) > len(to.Key) && r.To.Key[:len(to.Key)+1] == to.Key+"/" {
				p.Moved[i].Beneath++
			}
		}
	}
	for i := range p.Changes {
		for _, done := range p.Moved {
			if done.To == p.Changes[i].Address.String() {
				p.Changes[i].MovedFrom = &done.From
			}
		}
	}
}

// MovedByID adds to the moves of a project those that the files say by an id: a row whose id
// the record has under another key, which no file names any more, is what it was under a new
// key. So is a row without a key whose name has changed. What the project says comes first.
func MovedByID(schemas resource.Schemas, moves []Move, last, desired *resource.Snapshot) []Move {
	var bound map[identity]resource.Address
	m := mover{schemas: schemas, from: map[resource.Address]Move{}}
	to := map[resource.Address]bool{}
	for _, move := range moves {
		m.from[move.From], to[move.To] = move, true
	}
	said := len(moves)
	moves = moves[:said:said]
	for r := range desired.All() {
		if _, moves := m.from[r.Address]; r.ID == "" || moves || to[r.Address] || last.Get(r.Address) != nil {
			continue
		}
		if bound == nil {
			bound = boundAddresses(last)
		}
		was, known := bound[identity{r.Address.Kind, r.ID}]
		if !known || desired.Get(was) != nil {
			continue
		}
		now := m.rename(was)
		if now == r.Address || schemas.Parent(now) != schemas.Parent(r.Address) || m.from[was].From == was {
			continue
		}
		move := Move{From: was, To: r.Address, Position: r.IDAt}
		moves, m.from[was], to[r.Address] = append(moves, move), move, true
	}
	return moves
}

func boundAddresses(last *resource.Snapshot) map[identity]resource.Address {
	bound := make(map[identity]resource.Address, last.Len())
	for r := range last.All() {
		if r.ID != "" {
			bound[identity{r.Address.Kind, r.ID}] = r.Address
		}
	}
	return bound
}
