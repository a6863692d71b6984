package gitstore

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
)

// thinPack is what git makes of the last commit for whoever has those before it.
func thinPack(t *testing.T, u *upstream, flags ...string) []byte {
	t.Helper()
	c := exec.Command("git", append([]string{"pack-objects", "--revs", "--thin", "--stdout", "-q"}, flags...)...)
	c.Dir, c.Stdin = u.work, strings.NewReader("HEAD\n^HEAD~1\n")
	pack, err := c.Output()
	must(t, err)
	check := exec.Command("git", "index-pack", "--stdin")
	check.Dir, check.Stdin = t.TempDir(), bytes.NewReader(pack)
	must(t, exec.Command("git", "init", "-q", check.Dir).Run())
	if out, err := check.CombinedOutput(); err == nil || !strings.Contains(string(out), "unresolved delta") {
		t.Fatalf("git makes a pack of its own of it: %s; want a thin one", out)
	}
	return pack
}

// A thin pack is made whole by what the store has, and refused where that is not there.
func TestAThinPackIsMadeWhole(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	t.Parallel()
	for _, flags := range [][]string{nil, {"--delta-base-offset"}} {
		t.Run(fmt.Sprint(flags), func(t *testing.T) {
			u := worked(t)
			s := opened(t, Config{URL: u.bare, Ref: "main", SubPath: "ads"})
			fetched(t, s)
			u.write("ads/plan.csv", grown(1))
			u.write("ads/part-2.csv", grown(2))
			u.push("two lines")
			pack := thinPack(t, u, flags...)
			must(t, installed(t, s, pack))
			u.same(s)
			must(t, installed(t, s, pack))
			if whole, left := packs(t, s); whole != 2 || left != 0 {
				t.Errorf("store has %d packs and %d parts; want the same pack once", whole, left)
			}

			empty := opened(t, Config{URL: u.bare, Ref: "main"})
			if err := installed(t, empty, pack); err == nil ||
				!strings.Contains(err.Error(), "build on no object that is there") {
				t.Errorf("without what it builds on: %v; want it refused", err)
			}
			u.write("ads/plan.csv", grown(3))
			u.push("another line")
			s.config.Limits.PackBytes = 100
			if err := installed(t, s, thinPack(t, u, flags...)); !errors.Is(err, errTooLarge) {
				t.Errorf("with more than it may hold: %v; want it refused", err)
			}
			if whole, _ := packs(t, s); whole != 2 {
				t.Errorf("store has %d packs; want the two from before", whole)
			}
		})
	}
}

// crafted makes packs as no git writes them.
type crafted struct {
	t     *testing.T
	body  bytes.Buffer
	count uint32
}

func (c *crafted) add(kind plumbing.ObjectType, base plumbing.Hash, content []byte) {
	c.t.Helper()
	size := uint64(len(content))
	first := byte(kind)<<4 | byte(size&0x0f)
	for size >>= 4; size > 0; size >>= 7 {
		c.body.WriteByte(first | 0x80)
		first = byte(size & 0x7f)
	}
	c.body.WriteByte(first)
	if kind == plumbing.REFDeltaObject {
		c.body.Write(base[:])
	}
	z := zlib.NewWriter(&c.body)
	_, err := z.Write(content)
	must(c.t, errors.Join(err, z.Close()))
	c.count++
}

func (c *crafted) delta(from, to string) {
	c.t.Helper()
	c.add(plumbing.REFDeltaObject, plumbing.ComputeHash(plumbing.BlobObject, []byte(from)),
		packfile.DiffDelta([]byte(from), []byte(to)))
}

func (c *crafted) pack() []byte {
	out := append([]byte("PACK\x00\x00\x00\x02"), binary.BigEndian.AppendUint32(nil, c.count)...)
	out = append(out, c.body.Bytes()...)
	sum := sha1.Sum(out)
	return append(out, sum[:]...)
}

// versions are contents each of which is like the one before it.
func versions(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = repeat("the same for all of them, ", 40) + fmt.Sprint(i)
	}
	return all
}

// Deltas are resolved in whatever order they come, whatever they build on, and with as
// little memory as there is.
func TestDeltasAreResolvedInAnyOrder(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	t.Parallel()
	v := versions(40)
	blob := func(c *crafted, text string) { c.add(plumbing.BlobObject, plumbing.ZeroHash, []byte(text)) }
	for _, row := range []struct {
		name string
		here string // what the store has before
		fill func(*crafted)
		adds int // objects that come from the store
	}{
		{name: "each upon the one before", fill: func(c *crafted) {
			blob(c, v[0])
			for n := 1; n < len(v); n++ {
				c.delta(v[n-1], v[n])
			}
		}},
		{name: "each upon the one after", fill: func(c *crafted) {
			for n := len(v) - 1; n > 0; n-- {
				c.delta(v[n-1], v[n])
			}
			blob(c, v[0])
		}},
		{name: "each upon the one after, the last upon the store", here: v[0], adds: 1, fill: func(c *crafted) {
			for n := len(v) - 1; n > 0; n-- {
				c.delta(v[n-1], v[n])
			}
		}},
		{name: "all upon one of the store", here: v[0], adds: 1, fill: func(c *crafted) {
			for n := 1; n < len(v); n++ {
				c.delta(v[0], v[n])
			}
		}},
		{name: "a tree of them", fill: func(c *crafted) {
			for n := len(v) - 1; n > 0; n-- {
				c.delta(v[(n-1)/2], v[n])
			}
			blob(c, v[0])
		}},
		{name: "upon two of the store, one of which came along",
			here: v[0] + "|" + v[1], adds: 1, fill: func(c *crafted) {
				c.delta(v[0], v[1])
				for n := 2; n < len(v); n++ {
					c.delta(v[n-1], v[n])
				}
			}},
	} {
		for _, memory := range []int64{256 << 20, 0} {
			t.Run(fmt.Sprintf("%s, %d bytes of memory", row.name, memory), func(t *testing.T) {
				s := opened(t, Config{URL: "/nowhere"})
				for text := range strings.SplitSeq(row.here, "|") {
					before := &crafted{t: t}
					blob(before, text)
					must(t, installed(t, s, before.pack()))
				}
				c := &crafted{t: t}
				row.fill(c)
				u := resolved(t, s, c.pack(), memory)
				if got := len(u.stored) - int(c.count); got < row.adds || row.adds == 0 && got != 0 {
					t.Errorf("%d objects come from the store; want %d", got, row.adds)
				}
				must(t, installed(t, s, c.pack()))
				for n, text := range v {
					object, err := s.objects.EncodedObject(plumbing.BlobObject,
						plumbing.ComputeHash(plumbing.BlobObject, []byte(text)))
					if err != nil || object.Size() != int64(len(text)) {
						t.Fatalf("version %d is %v, %v; want it in the store", n, object, err)
					}
				}
				names, err := filepath.Glob(filepath.Join(s.Dir(), "objects/pack/*.idx"))
				must(t, err)
				if out, err := exec.Command("git",
					append([]string{"verify-pack"}, names...)...).CombinedOutput(); err != nil {
					t.Errorf("git verify-pack: %v\n%s", err, out)
				}
			})
		}
	}
}

// resolved is a pack whose objects are named, with so much memory for them.
func resolved(t *testing.T, s *Store, pack []byte, memory int64) *unpacker {
	t.Helper()
	file, err := os.CreateTemp(t.TempDir(), "")
	must(t, err)
	t.Cleanup(func() { file.Close() })
	_, err = file.Write(pack)
	must(t, err)
	u, err := s.read(t.Context(), file, s.config.Limits)
	must(t, err)
	u.mostHeld = memory
	must(t, u.resolve())
	return u
}

// G14: deltas that cannot be resolved are refused.
func TestG14CraftedDeltasAreRefused(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	t.Parallel()
	v := versions(deepestChain + 3)
	for _, row := range []struct {
		name, says string
		fill       func(*crafted)
	}{
		{name: "upon nothing", says: "1 of its deltas, the first at byte 12, build on no object",
			fill: func(c *crafted) { c.delta(v[0], v[1]) }},
		{name: "in a circle", says: "2 of its deltas", fill: func(c *crafted) {
			c.delta(v[0], v[1])
			c.delta(v[1], v[0])
		}},
		{name: "too many upon each other", says: "over 4095 deltas", fill: func(c *crafted) {
			c.add(plumbing.BlobObject, plumbing.ZeroHash, []byte(v[0]))
			for n := 1; n < len(v); n++ {
				c.delta(v[n-1], v[n])
			}
		}},
		{name: "of another base than they say", says: "delta", fill: func(c *crafted) {
			c.add(plumbing.BlobObject, plumbing.ZeroHash, []byte("short"))
			c.add(plumbing.REFDeltaObject, plumbing.ComputeHash(plumbing.BlobObject, []byte("short")),
				packfile.DiffDelta([]byte(v[0]), []byte(v[1])))
		}},
		{name: "of no kind there is", says: "unknown type 5", fill: func(c *crafted) {
			c.add(5, plumbing.ZeroHash, []byte("x"))
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := opened(t, Config{URL: "/nowhere"})
			c := &crafted{t: t}
			row.fill(c)
			err := installed(t, s, c.pack())
			if err == nil || !strings.Contains(err.Error(), row.says) {
				t.Errorf("it is taken with %v; want it refused with %q", err, row.says)
			}
			if cutShort(err) {
				t.Errorf("%v is taken for a line that was cut", err)
			}
			if whole, left := packs(t, s); whole+left != 0 {
				t.Errorf("store has %d packs and %d parts; want none", whole, left)
			}
		})
	}
}
