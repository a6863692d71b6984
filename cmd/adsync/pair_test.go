package main

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

var pairs = flag.Int("pairs", 3, "how many times two processes with two states apply the same files at once")

// TestS16TwoStatesOfOneAccountDoubleNothing lets two processes apply the same
// files to one account at once, each with a state of its own: what they make is
// counted in the mutation log.
func TestS16TwoStatesOfOneAccountDoubleNothing(t *testing.T) {
	for n := range *pairs {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			h := newHistory(t, rand.New(rand.NewPCG(*killSeed, uint64(n))), generous)
			other := filepath.Join(filepath.Dir(h.dir), "other")
			for range 2 {
				h.edit()
			}
			noError(t, os.CopyFS(other, os.DirFS(h.dir)))
			var both [2]*exec.Cmd
			var said [2]bytes.Buffer
			for i, dir := range []string{h.dir, other} {
				both[i] = exec.Command(os.Args[0], "apply", "--yes", dir)
				both[i].Env, both[i].Stderr = h.env, &said[i]
				noError(t, both[i].Start())
			}
			for i, c := range both {
				_ = c.Wait()
				t.Logf("process %d: code %d", i, c.ProcessState.ExitCode())
			}
			for _, dir := range []string{h.dir, other} { // what was left open comes to its end
				again := exec.Command(os.Args[0], "apply", "--yes", dir)
				again.Env = h.env
				_ = again.Run() // what the other made is held, until somebody adopts it
			}
			born := h.created()
			for ward := range h.shop.wanted() {
				if made := born[ward]; made != 1 {
					t.Errorf("%s was created %d times; want once\n%s\n%s", ward, made, &said[0], &said[1])
				}
			}
		})
	}
}
