package main

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"
)

var serviceKills = flag.Int("service-kills",
	4, "how many times adsync apply is killed together with the service inside it")

// TestKilledWithItsServiceLeavesOneOfEverything kills apply while the emulator
// runs in the same process: the service dies in the middle of a job as well.
func TestKilledWithItsServiceLeavesOneOfEverything(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(*killSeed, 7))
	for done := 0; done < *serviceKills; {
		dir := t.TempDir()
		noError(t, os.CopyFS(dir, os.DirFS("../../examples/quickstart")))
		noError(t, os.RemoveAll(filepath.Join(dir, ".adsync")))
		for range 2 {
			if killedAfter(t, dir, time.Duration(random.Int64N(int64(1200*time.Millisecond)))) {
				done++
			}
		}
		if out, err := asAdsync("apply", "--yes", dir).CombinedOutput(); err != nil {
			t.Fatalf("apply after the kills: %v\n%s", err, out)
		}
		if out, err := asAdsync("plan", "--detailed-exitcode", dir).CombinedOutput(); err != nil {
			t.Fatalf("plan after apply: %v; want nothing to do\n%s", err, out)
		}
		out, err := asAdsync("export", dir).Output()
		noError(t, err)
		for _, name := range []string{"Spring launch",
			"Winter sale", "Gift cards", "Trail runners", "Day hikers", "Sledges",
			"Ice skates", "Last minute", "Hero A", "Hero B", "Summit", "Family sledge", "First steps", "Card"} {
			if n := bytes.Count(out, []byte("name: "+name+"\n")); n != 1 {
				t.Errorf("the account has %d of %q; want 1", n, name)
			}
		}
	}
}

// killedAfter starts apply and kills it after a while; false when it was faster.
func killedAfter(t *testing.T, dir string, after time.Duration) bool {
	t.Helper()
	c := asAdsync("apply", "--yes", dir)
	var said bytes.Buffer
	c.Stderr = &said
	noError(t, c.Start())
	timer := time.AfterFunc(after, func() { _ = c.Process.Kill() })
	err := c.Wait()
	if timer.Stop() && err != nil {
		t.Errorf("apply ended by itself: %v\n%s", err, &said)
	}
	return c.ProcessState.ExitCode() == -1
}
