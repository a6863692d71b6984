package state

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"adsync/internal/testing/pgtest"
)

// copyVictim carries a state to and fro without end, and writes it where it is.
func copyVictim(dir, address string) error {
	ctx := context.Background()
	server, err := OpenServer(ctx, address, Options{Lease: copyLease})
	if err != nil {
		return err
	}
	fmt.Println("ready")
	for {
		for _, in := range []bool{true, false} {
			open := func() (Store, error) { return Open(ctx, dir, Options{}) }
			from, err := InFolder(dir)
			if err != nil {
				return err
			}
			to := server.InDatabase(acme.ID)
			if !in {
				open = func() (Store, error) { return server.Open(ctx, acme.ID, Options{}) }
				from, to = to, from
			}
			s, err := open()
			if errors.Is(err, ErrMoved) { // it is in the other
				continue
			}
			if err != nil {
				return err
			}
			n, err := s.NextSequence(ctx)
			if err := errors.Join(err, s.Close()); err != nil {
				return err
			}
			fmt.Println("taken", n)
			if _, err := Copy(ctx, from, to, acme.ID, alone, Options{}); err != nil {
				return err
			}
			fmt.Println("copied")
		}
	}
}

// copyLease is how long a killed victim is waited for.
const copyLease = 300 * time.Millisecond

// ADSYNC_STATE_KILLS sets the number of kills; 12 by default.
func TestACopyThatIsKilledLeavesOneState(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	kills, err := strconv.Atoi(os.Getenv("ADSYNC_STATE_KILLS"))
	if err != nil {
		kills = 12
	}
	address := pgtest.Database(t)
	p := places{t, filepath.Join(t.TempDir(), "state"), openServer(t, address)}
	s := openFolder(t, p.dir)
	must(t, s.Record(t.Context(), ads(0, 2000)))
	lineage := s.Header().Lineage
	must(t, s.Close())
	random := rand.New(rand.NewPCG(1, 2))
	var acknowledged, copies, between int64
	most := time.Duration(0) // until a victim is killed: twice what the first one takes to its first copy
	for range kills {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "ADSYNC_STATE_VICTIM="+p.dir, "ADSYNC_STATE_COPIES="+address)
		var complaints strings.Builder
		cmd.Stderr = &complaints
		out, err := cmd.StdoutPipe()
		must(t, err)
		must(t, cmd.Start())
		var began time.Time
		for lines := bufio.NewScanner(out); lines.Scan(); {
			word, rest, _ := strings.Cut(lines.Text(), " ")
			switch word {
			case "ready":
				began = time.Now()
				if most > 0 {
					time.AfterFunc(time.Duration(random.Int64N(int64(most))), func() { cmd.Process.Kill() })
				}
			case "taken":
				acknowledged, err = strconv.ParseInt(rest, 10, 64)
				must(t, err)
			case "copied":
				copies++
				if most == 0 {
					most = 2 * time.Since(began)
					must(t, cmd.Process.Kill())
				}
			}
		}
		cmd.Wait() // it was killed, or says why on stderr
		if complaints.Len() > 0 {
			t.Fatalf("the process ended with %s", complaints.String())
		}
		open := p.opened(t)
		if len(open) == 0 { // between closing and receiving
			between++
			_, there := Copy(t.Context(), p.folder(), p.database(), acme.ID, alone, Options{})
			_, back := Copy(t.Context(), p.database(), p.folder(), acme.ID, alone, Options{})
			if there != nil && back != nil {
				t.Fatalf("no copy ends it: %v; %v", there, back)
			}
			open = p.opened(t)
		}
		if len(open) != 1 || open[0].Header().Lineage != lineage {
			t.Fatalf("%d states can be written; want one, of lineage %s", len(open), lineage)
		}
		n, err := open[0].NextSequence(t.Context())
		must(t, err)
		if n <= acknowledged || n > acknowledged+2 {
			t.Fatalf("the next number is %d; want one above %d", n, acknowledged)
		}
		acknowledged = n
		last, err := open[0].Last(t.Context())
		must(t, err)
		if last.Len() != 2000 {
			t.Fatalf("%d resources are recorded; want 2000", last.Len())
		}
		must(t, open[0].Close())
	}
	t.Logf("%d kills, %d copies, %d kills between", kills, copies, between)
	if copies == 0 {
		t.Error("no victim came as far as a copy; want some that do")
	}
}
