package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"adsync/cmd/adsync/internal/session"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"
	"golang.org/x/sys/unix"
)

var partitions = flag.Int("partitions", 2, "how many times a process is cut off from its database")

// island is a network of its own, with one link to it. What is sent while the link is down is lost, and nobody is told.
type island struct{ name, link, shore string }

func newIsland(t *testing.T) island {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root makes networks")
	}
	pid := os.Getpid()
	i := island{fmt.Sprintf("adsync-%d", pid), fmt.Sprintf("ads%d", pid), subnet(pid, 1)}
	i.ip(t, "netns", "add", i.name)
	t.Cleanup(func() { i.ip(t, "netns", "del", i.name) })
	i.ip(t, "link", "add", i.link, "type", "veth", "peer", "name", "shore", "netns", i.name)
	i.ip(t, "addr", "add", i.shore+"/30", "dev", i.link)
	i.ip(t, "-n", i.name, "addr", "add", subnet(pid, 2)+"/30", "dev", "shore")
	i.ip(t, "-n", i.name, "link", "set", "lo", "up")
	i.ip(t, "-n", i.name, "link", "set", "shore", "up")
	i.ip(t, "link", "set", i.link, "up")
	return i
}

// subnet is an address of a link, of which a process has one.
func subnet(pid, end int) string { return fmt.Sprintf("10.213.%d.%d", pid%256, pid/256%64*4+end) }

func (i island) ip(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
		t.Errorf("ip %v: %v\n%s", args, err, out)
	}
}

// listen listens on the loopback of the island.
func (i island) listen() (listener net.Listener, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // and never unlocked: the thread ends there
		var space *os.File
		if space, err = os.Open(filepath.Join("/var/run/netns", i.name)); err != nil {
			return
		}
		defer space.Close()
		if err = unix.Setns(int(space.Fd()), unix.CLONE_NEWNET); err == nil {
			listener, err = net.Listen("tcp", "127.0.0.1:0")
		}
	}()
	<-done
	return listener, err
}

// on has a command run there, under the id that it gets.
func (i island) on(c *exec.Cmd) *exec.Cmd {
	there := exec.Command("ip", append([]string{"netns", "exec", i.name, c.Path}, c.Args[1:]...)...)
	there.Env, there.Dir, there.Stdin, there.Stdout, there.Stderr = c.Env, c.Dir, c.Stdin, c.Stdout, c.Stderr
	return there
}

// TestCutOffFromItsDatabase has a process apply in a network of its own. The link to its database goes down for half a
// lease to five, while the service is in reach; others apply meanwhile, edited files. In the end the account is as the
// files say, with one of everything.
func TestCutOffFromItsDatabase(t *testing.T) {
	t.Parallel()
	i := newIsland(t)
	f := newFleet(t, 29)
	server := fmt.Sprintf("127.0.0.1:%d", f.server.Port)
	database := toxiproxy.NewProxy(toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop()),
		"database", i.shore+":0", server)
	noError(t, database.Start())
	t.Cleanup(database.Stop)
	cut, rounds, start := 0, 0, time.Now()
	for ; cut < *partitions; rounds++ {
		if rounds%3 == 0 {
			f.populate(4000 + rounds)
			f.accounts = f.accounts[rounds%2 : rounds%2+1] // with bulk jobs, or without
		}
		if rounds > 10**partitions+20 {
			t.Fatalf("%d of %d applies were cut off; want more", cut, rounds)
		}
		h := f.accounts[0]
		h.edit()
		if f.cutOff(h, i, strings.Replace(f.server.URL("adsync"), server, database.Listen, 1)) {
			cut++
		}
		f.judge()
	}
	t.Logf("seed %d, %.0f s: %d times cut off; %d doubled, %d lost, second plan empty %d times\n  %s\n  %s",
		*killSeed, time.Since(start).Seconds(), cut, f.sum.doubled, f.sum.lost, f.sum.empty, &f.late, perKind(f.codes))
	if f.sum.doubled+f.sum.lost+f.late.left > 0 || f.sum.empty == 0 {
		t.Errorf("want none doubled, none lost, none left, and empty second plans")
	}
}

// cutOff runs an apply on an island, whose link goes down at one of its requests; false where it ended before.
func (f *fleet) cutOff(h *history, i island, database string) bool {
	down := make(chan struct{})
	before := &executioner{strike: func(*os.Process) error {
		defer close(down)
		i.ip(f.t, "link", "set", i.link, "down")
		return nil
	}}
	before.emulator = &sender{h, before}
	listener, err := i.listen()
	noError(f.t, err)
	line := httptest.NewUnstartedServer(before)
	_ = line.Listener.Close()
	line.Listener = listener
	line.Start()
	defer line.Close()
	c, said := f.command(h, "apply", "--yes")
	c.Env = append(c.Env, session.EnvBaseURL+"="+line.URL+"/v1", "ADSYNC_DATABASE="+database)
	c = i.on(c)
	random := rand.New(rand.NewPCG(f.random.Uint64(), 0))
	at := moment{n: random.IntN(4), changing: true, edge: afterAnswer}
	if random.IntN(2) == 0 {
		at.edge, at.afterward = onItsWay, time.Duration(random.Int64N(int64(3*testLease)))
	}
	noError(f.t, before.start(c, at))
	ended := make(chan struct{})
	go func() {
		_ = c.Wait() // its code is looked at
		close(ended)
	}()
	struck := false
	select {
	case <-down:
		struck = true
		f.edit(h)
		f.others(h, time.After(testLease/2+time.Duration(random.Int64N(int64(testLease*9/2)))))
		i.ip(f.t, "link", "set", i.link, "up")
	case <-ended:
	}
	<-ended
	f.ended(c, said.String())
	return struck
}
