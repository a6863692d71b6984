package state

import (
	"crypto/sha256"
	"encoding/binary"
	"strings"
	"testing"
)

// A long value has the sum it would have in one piece: states that are there keep
// theirs.
func TestTheSumOfALongValueIsThatOfOnePiece(t *testing.T) {
	for _, n := range []int{0, 1, keptBuffer - 1, keptBuffer, keptBuffer + 1, 3*keptBuffer + 17} {
		value := strings.Repeat("exact bytes ", n/12+1)[:n]
		one := append([]byte("body\x00\x03"), "run"+value...)
		hash := sha256.Sum256(one)
		var s summer
		for range 2 {
			if got, want := s.sum(record{classBody, "run"}, value), binary.BigEndian.Uint64(hash[:8]); got != want {
				t.Errorf("sum of %d bytes = %x, want %x", n, got, want)
			}
		}
		if cap(s.buffer) > keptBuffer {
			t.Errorf("a buffer of %d bytes is kept after a value of %d; want %d at most", cap(s.buffer), n, keptBuffer)
		}
	}
}
