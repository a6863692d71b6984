package gitstore

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"
)

// heavy has a file that takes a while on the line.
func heavy(t *testing.T) *upstream {
	u := filled(t)
	u.write("ads/picture.png", noise(1<<20))
	u.push("a picture")
	return u
}

// noise is what no compression makes smaller.
func noise(n int) string {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return string(b)
}

// through leads an address over another line, which the test holds.
func through(t *testing.T, address, line string) string {
	t.Helper()
	u, err := url.Parse(address)
	must(t, err)
	u.Host = line
	return u.String()
}

// G2: a fetch that is cut in the middle of a pack moves nothing, and the next one
// is whole.
func TestG2AFetchThatIsCutMovesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	t.Parallel()
	for _, name := range []string{"https", "ssh", "https shared", "ssh shared"} {
		t.Run(name, func(t *testing.T) {
			u := filled(t)
			name, _, shares := strings.Cut(name, " ")
			c := served(t, u, name)
			if shares {
				c.Shared = NewShared(filepath.Join(t.TempDir(), "shared"))
			}
			zerolog.SetGlobalLevel(zerolog.Disabled)
			line := toxiproxy.NewProxy(toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop()),
				"git", "127.0.0.1:0", hostOf(t, c.URL))
			must(t, line.Start())
			defer line.Stop()
			c = overLine(t, c, line.Listen)
			s := opened(t, c)
			first := fetched(t, s)
			u.write("ads/picture.png", noise(1<<20))
			tip := u.push("a picture")
			before, _ := os.ReadFile(whereAccepted(s))
			_, err := line.Toxics.AddToxicJson(
				strings.NewReader(`{"type":"limit_data","stream":"downstream","attributes":{"bytes":600000}}`))
			must(t, err)
			_, err = s.Fetch(t.Context())
			wantError(t, err, Transient, "fetch from")
			after, _ := os.ReadFile(whereAccepted(s))
			if whole, left := packs(t, s); whole != 1 || left != 0 || string(before) != string(after) {
				t.Errorf("after the cut %d packs, %d parts, record\n%swant one, none, and\n%s",
					whole, left, after, before)
			}
			line.Toxics.ResetToxics(t.Context())
			if r := fetched(t, s); r.Commit != tip || r.Movement != fastForward || r.Accepted != first.Commit {
				t.Errorf("afterwards %+v; want %s, forward", r, tip)
			}
		})
	}
}

// G1: a server that stalls in the middle of a pack is left at the deadline.
func TestG1AServerThatStallsInTheMiddleIsLeft(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	t.Parallel()
	for _, name := range []string{"https", "ssh"} {
		t.Run(name, func(t *testing.T) {
			u := heavy(t)
			c := served(t, u, name)
			line := stalling(t, hostOf(t, c.URL), 300_000)
			c = overLine(t, c, line.address)
			c.Timeout = 5 * time.Second
			s := opened(t, c)
			_, err := s.Fetch(t.Context())
			for line.passed.Load() < 300_000 && c.Timeout < time.Minute { // a busy machine was not in the pack by then
				line.passed.Store(0)
				c.Timeout *= 2
				s = opened(t, c)
				_, err = s.Fetch(t.Context())
			}
			wantError(t, err, Transient, fmt.Sprintf("no end after %v", c.Timeout))
			if line.passed.Load() < 300_000 {
				t.Errorf("the line stalled after %d bytes; want it in the middle of the pack", line.passed.Load())
			}
			if whole, left := packs(t, s); whole != 0 || left != 0 {
				t.Errorf("store has %d packs and %d parts; want none", whole, left)
			}
		})
	}
}

func served(t *testing.T, u *upstream, scheme string) Config {
	t.Helper()
	if scheme == "ssh" {
		return shelledAt(t, u).config()
	}
	return hostedAt(t, u).config()
}

func hostOf(t *testing.T, address string) string {
	t.Helper()
	host, err := HostOf(address)
	must(t, err)
	return host
}

// overLine is the same server at another address, which known_hosts knows, too.
func overLine(t *testing.T, c Config, line string) Config {
	t.Helper()
	if c.KnownHosts != "" {
		content, err := os.ReadFile(c.KnownHosts)
		must(t, err)
		_, key, _ := strings.Cut(string(content), " ")
		host, port, err := net.SplitHostPort(line)
		must(t, err)
		c.KnownHosts = filepath.Join(t.TempDir(), "known_hosts")
		must(t, os.WriteFile(c.KnownHosts, fmt.Appendf(nil, "[%s]:%s %s", host, port, key), 0o600))
	}
	c.URL = through(t, c.URL, line)
	return c
}

// stall is a line that carries some bytes to the client, then none, and stays open.
type stall struct {
	address string
	passed  atomic.Int64
}

func stalling(t *testing.T, to string, after int64) *stall {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { l.Close() })
	s := &stall{address: l.Addr().String()}
	go func() { // ends with the listener
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", to)
			if err != nil {
				client.Close()
				continue
			}
			go func() { io.Copy(server, client); server.Close() }() // ends with the client
			go s.carry(client, server, after)
		}
	}()
	return s
}

func (s *stall) carry(client, server net.Conn, after int64) {
	buffer := make([]byte, 4096)
	for s.passed.Load() < after {
		n, err := server.Read(buffer)
		if err != nil {
			client.Close()
			return
		}
		s.passed.Add(int64(n))
		client.Write(buffer[:n])
	}
}

// A repository beyond the bounds is refused, and is not kept.
func TestARepositoryBeyondItsBoundsIsRefused(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	u := heavy(t)
	u.write("ads/zeros.bin", repeat("\x00", 4<<20)) // a few kilobytes on the line
	u.push("zeros")
	h := hostedAt(t, u)
	for _, row := range []struct {
		name   string
		limits Limits
		says   string
	}{
		{name: "a pack", limits: Limits{PackBytes: 500_000}, says: "gives more than it may"},
		{name: "branches", limits: Limits{RefsBytes: 100}, says: "gives more than it may"},
		{name: "one file that unpacks to more", limits: Limits{ObjectBytes: 2 << 20},
			says: "has 4194304 bytes; want at most 2097152"},
		{name: "objects", limits: Limits{Objects: 3}, says: "objects at once; want at most 3"},
	} {
		for _, url := range []string{h.url, u.bare} {
			if row.limits.RefsBytes > 0 && url == u.bare {
				continue // no list comes over a line
			}
			t.Run(row.name+" of "+filepath.Base(filepath.Dir(url)), func(t *testing.T) {
				c := h.config()
				c.Limits, c.URL = row.limits, url
				s := opened(t, c)
				_, err := s.Fetch(t.Context())
				wantError(t, err, Input, row.says)
				if whole, left := packs(t, s); whole != 0 || left != 0 {
					t.Errorf("store has %d packs and %d parts; want none", whole, left)
				}
			})
		}
	}
}

// G21: a disk that is full leaves what was there, and the next fetch is whole.
func TestG21AFullDiskLeavesWhatWasThere(t *testing.T) {
	for n, what := range []string{"the pack", "its index"} {
		t.Run(what, func(t *testing.T) {
			u := filled(t)
			s := opened(t, Config{URL: u.bare, Ref: "main", SubPath: "ads"})
			first := fetched(t, s)
			u.write("ads/autumn.yaml", "kind: campaign\n")
			tip := u.push("autumn")
			files := 0
			s.create = func(folder, pattern string) (*os.File, error) {
				if files++; files > n {
					return os.OpenFile("/dev/full", os.O_RDWR, 0)
				}
				return os.CreateTemp(folder, pattern)
			}
			_, err := s.Fetch(t.Context())
			wantError(t, err, Transient, "no space left for the store", "what was there is as it was")
			if whole, left := packs(t, s); whole != 1 || left != 0 {
				t.Errorf("store has %d packs and %d parts; want the one that was there", whole, left)
			}
			again := opened(t, s.config)
			if _, err := again.commit(hashOf(first.Commit)); err != nil {
				t.Errorf("the commit that was there: %v; want it whole", err)
			}
			if r := fetched(t, again); r.Commit != tip || r.Movement != fastForward {
				t.Errorf("with space again %+v; want %s, forward", r, tip)
			}
		})
	}
}
