package audience

import (
	"encoding/binary"
	"maps"
	"math/bits"
	"slices"

	"adsync/internal/emulator/population"
	"adsync/internal/emulator/world"
)

// members are the matched people of an audience, each with the kinds of
// identifiers that named them.
type members map[uint32]population.Kind

func membersOf(a *world.Account, audienceID string) members {
	row, _ := a.AudienceMembers.Get(audienceID)
	m := make(members, len(row.Packed)/cellSize)
	eachCell(row.Packed, func(c cell) { m[c.person] = population.Kind(c.mark) })
	return m
}

func (m members) pack() []byte {
	packed := make([]byte, 0, len(m)*cellSize)
	for _, person := range slices.Sorted(maps.Keys(m)) {
		packed = binary.BigEndian.AppendUint32(append(packed, byte(m[person])), person)
	}
	return packed
}

func (m members) add(packed []byte) {
	eachCell(packed, func(c cell) {
		if c.person != nobody {
			m[c.person] |= c.kind()
		}
	})
}

// remove takes people away, whichever of their identifiers names them.
func (m members) remove(packed []byte) {
	eachCell(packed, func(c cell) { delete(m, c.person) })
}

// identifiers counts the matched ones.
func (m members) identifiers() (n int64) {
	for _, kinds := range m {
		n += int64(bits.OnesCount8(byte(kinds)))
	}
	return n
}

// cells are the members as identifiers that would give the same members again.
func (m members) cells() []byte {
	var packed []byte
	for _, person := range slices.Sorted(maps.Keys(m)) {
		for _, kind := range population.Kinds {
			if m[person]&kind != 0 {
				packed = appendCell(packed, cell{byte(population.HashShape) | byte(kind)<<4, person})
			}
		}
	}
	return packed
}
