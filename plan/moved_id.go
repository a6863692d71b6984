package plan

import "adsync/internal/resource"

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
