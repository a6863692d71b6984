package members

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"iter"
	"slices"
)

// hashes are a set of hashes by their first byte. What is put in twice is taken
// out again whenever a part has doubled, so that memory follows the number of
// different hashes: 32 bytes each, at the worst 80.
type hashes struct{ parts [256]hashPart }

type hashPart struct {
	hashes   []Hash
	distinct int // of them, from the front, sorted
}

// smallestPart is how many hashes a part gathers before it is first sorted.
const smallestPart = 1024

func (h *hashes) add(hash Hash) {
	p := &h.parts[hash[0]]
	if len(p.hashes) >= max(2*p.distinct, smallestPart) {
		p.settle()
	}
	p.hashes = append(p.hashes, hash)
}

func (p *hashPart) settle() {
	slices.SortFunc(p.hashes, func(a, b Hash) int { return bytes.Compare(a[:], b[:]) })
	p.hashes = slices.Compact(p.hashes)
	p.distinct = len(p.hashes)
}

// settle sorts what is left and counts the distinct hashes.
func (h *hashes) settle() int {
	count := 0
	for i := range h.parts {
		h.parts[i].settle()
		count += h.parts[i].distinct
	}
	return count
}

// all walks the distinct hashes in ascending order.
func (h *hashes) all() iter.Seq[Hash] {
	return func(yield func(Hash) bool) {
		for i := range h.parts {
			for _, hash := range h.parts[i].hashes {
				if !yield(hash) {
					return
				}
			}
		}
	}
}

// Hashes walks the distinct hashes in ascending order.
func (l *List) Hashes() iter.Seq[Hash] { return l.hashes.all() }

// Digest stands for the set of people, "sha256:<hex>": the same for the same
// people, and of no use to find one of them. It is never the hash of an
// identifier.
func (l *List) Digest() string {
	sum := sha256.New()
	io.WriteString(sum, ruleSet+"\n"+string(l.Identifier.Hashed())+"\n") // a hash takes any bytes
	for hash := range l.Hashes() {
		sum.Write(hash[:])
	}
	return "sha256:" + hex.EncodeToString(sum.Sum(nil))
}

// WriteTo writes what is uploaded: one hash a line, ascending.
func (l *List) WriteTo(w io.Writer) (int64, error) {
	out := bufio.NewWriter(w)
	var line [65]byte
	line[64] = '\n'
	var n int64
	for hash := range l.Hashes() {
		hex.Encode(line[:64], hash[:])
		written, err := out.Write(line[:])
		n += int64(written)
		if err != nil {
			return n, err
		}
	}
	return n, out.Flush()
}
