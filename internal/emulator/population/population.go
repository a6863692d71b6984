// Package population is the people of the emulator: a fixed, made-up population
// that custom audiences are matched against. Person n, from 0 to Size-1, has the
// e-mail address person<n>@people.example, the telephone number +1555 and n in
// seven digits, and the advertising id that GAID gives. It refuses to invent a
// match: a hash matches when it is that of a person's own identifier, normalised.
// Its invariant: the population never changes.
package population

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"sync"
)

// Size is how many people there are.
const Size = 200_000

// Hash is the SHA-256 of a normalised identifier.
type Hash = [sha256.Size]byte

// Kind of an identifier, a bit each.
type Kind byte

// The three kinds.
const (
	Email Kind = 1 << iota
	Phone
	GAID
)

// Kinds are all kinds.
var Kinds = []Kind{Email, Phone, GAID}

// Identifier is a person's identifier of one kind, normalised.
func Identifier(kind Kind, person int) string {
	switch kind {
	case Email:
		return fmt.Sprintf("person%d@people.example", person)
	case Phone:
		return fmt.Sprintf("+1555%07d", person)
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "gaid/%d", person))
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[0:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}

// HashOf is the hash of a person's identifier.
func HashOf(kind Kind, person int) Hash { return sha256.Sum256([]byte(Identifier(kind, person))) }

// Find is the person whose identifier of that kind has that hash.
func Find(kind Kind, hash Hash) (person int, ok bool) {
	all := directories[kind]()
	want := prefix(hash)
	i, _ := slices.BinarySearchFunc(all, want, func(e entry, want uint64) int { return cmp.Compare(e.prefix, want) })
	for ; i < len(all) && all[i].prefix == want; i++ {
		if n := int(all[i].person); HashOf(kind, n) == hash {
			return n, true
		}
	}
	return 0, false
}

// entry finds a person by the first bytes of a hash.
type entry struct {
	prefix uint64
	person int32
}

// directories are made when they are first asked for, in about a tenth of a second each.
var directories = map[Kind]func() []entry{
	Email: sync.OnceValue(func() []entry { return directory(Email) }),
	Phone: sync.OnceValue(func() []entry { return directory(Phone) }),
	GAID:  sync.OnceValue(func() []entry { return directory(GAID) }),
}

func directory(kind Kind) []entry {
	all := make([]entry, Size)
	for n := range all {
		all[n] = entry{prefix(HashOf(kind, n)), int32(n)}
	}
	slices.SortFunc(all, func(a, b entry) int { return cmp.Compare(a.prefix, b.prefix) })
	return all
}

func prefix(hash Hash) uint64 { return binary.BigEndian.Uint64(hash[:8]) }
