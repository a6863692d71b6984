package gitstore

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
)

// A delta makes what it says it makes, or it is damaged: nothing beyond its base is read.
func TestADeltaIsMadeWholeOrDamaged(t *testing.T) {
	base := []byte("the quick brown fox")
	for _, row := range []struct {
		name  string
		delta []byte
		want  string // "" for a damaged one
	}{
		{name: "a copy and bytes of its own", delta: []byte{19, 8, 0x90, 4, 4, 'd', 'o', 'g', '!'}, want: "the dog!"},
		{name: "a copy from the middle", delta: []byte{19, 5, 0x91, 4, 5}, want: "quick"},
		{name: "another base", delta: []byte{18, 4, 0x90, 4}},
		{name: "a copy beyond its base", delta: []byte{19, 5, 0x91, 16, 5}},
		{name: "a copy from beyond its base", delta: []byte{19, 5, 0x98, 0xff, 5}},
		{name: "more than it says", delta: []byte{19, 2, 0x90, 4}},
		{name: "less than it says", delta: []byte{19, 9, 0x90, 4}},
		{name: "something behind its end", delta: []byte{19, 4, 0x90, 4, 1}},
		{name: "the command that is reserved", delta: []byte{19, 4, 0, 4}},
		{name: "cut in a command", delta: []byte{19, 4, 0x91, 4}},
		{name: "cut in its own bytes", delta: []byte{19, 4, 4, 'd'}},
		{name: "a size without an end", delta: bytes.Repeat([]byte{0xff}, 12)},
		{name: "nothing", delta: nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "base")
			must(t, os.WriteFile(name, base, 0o600))
			file, err := os.Open(name)
			must(t, err)
			defer file.Close()
			delta := &plumbing.MemoryObject{}
			_, err = delta.Write(row.delta)
			must(t, err)
			var made bytes.Buffer
			err = patchFile(file, delta, &made)
			if (err == nil) != (row.want != "") || err == nil && made.String() != row.want {
				t.Errorf("patchFile = %q, %v, want %q", made.String(), err, row.want)
			}
			if library, failed := packfile.PatchDelta(base, row.delta); row.want != "" &&
				(failed != nil || string(library) != row.want) {
				t.Errorf("the library makes %q, %v of it, want %q", library, failed, row.want)
			}
		})
	}
}
