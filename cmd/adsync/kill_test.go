package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"adsync/internal/emulator"
)

var (
	kills    = flag.Int("kills", 12, "how many times adsync apply is killed")
	killSeed = flag.Uint64("kill-seed", 1, "seed of the moments")
)

// TestKilledApplyLeavesOneOfEverything kills apply at random moments and runs
// it again: in the end there is one of everything, and nothing is left to do
// (faults.md S1 to S8). In every second history the service dies with it.
func TestKilledApplyLeavesOneOfEverything(t *testing.T) {
	random := rand.New(rand.NewPCG(*killSeed, 7))
	longest := 3 * time.Second
	for done, history := 0, 0; done < *kills; history++ {
		h := newHistory(t, history%2 == 0)
		for range 1 + random.IntN(3) {
			if h.killed(time.Duration(random.Int64N(int64(longest)))) {
				done++
			}
		}
		took := h.finish()
		longest = max(took, 200*time.Millisecond)
		h.check()
	}
}

// history is one project from its first apply to its last.
type history struct {
	t       *testing.T
	dir     string
	env     []string
	address string // of the emulator beside the agent; "" where it is inside it
}

func newHistory(t *testing.T, outside bool) *history {
	h := &history{t: t, dir: t.TempDir(), env: append(os.Environ(), asCommand+"=1")}
	if err := os.CopyFS(h.dir, os.DirFS("../../examples/quickstart")); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(h.dir, ".adsync")); err != nil {
		t.Fatal(err)
	}
	if outside {
		h.address = h.serve(filepath.Join(t.TempDir(), "emulator"))
		h.env = append(h.env, envBaseURL+"="+h.address+"/v1", envKey+"="+emulatorKey)
	}
	return h
}

// serve runs an emulator that outlives the agent.
func (h *history) serve(data string) string {
	server, err := emulator.Open(emulator.Options{Dir: data, Accounts: []emulator.Account{{
		ID: "adacct_quickstart", Name: "Test", Currency: "USD", TimeZone: "America/New_York", Key: emulatorKey, Features: emulator.AllFeatures(),
	}}})
	if err != nil {
		h.t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		h.t.Fatal(err)
	}
	line := &http.Server{Handler: server, ReadHeaderTimeout: time.Minute}
	go func() { _ = line.Serve(listener) }()
	h.t.Cleanup(func() { line.Close(); server.Close() })
	return "http://" + listener.Addr().String()
}

func (h *history) command(args ...string) *exec.Cmd {
	c := exec.Command(os.Args[0], append(args, h.dir)...)
	c.Env = h.env
	return c
}

// killed starts apply and kills it after a while; false when it was faster.
func (h *history) killed(after time.Duration) bool {
	h.t.Helper()
	c := h.command("apply", "--yes")
	var stderr bytes.Buffer
	c.Stderr = &stderr
	if err := c.Start(); err != nil {
		h.t.Fatal(err)
	}
	timer := time.AfterFunc(after, func() { _ = c.Process.Kill() })
	err := c.Wait()
	if timer.Stop() && err != nil {
		h.t.Errorf("apply ended by itself: %v\n%s", err, stderr.String())
	}
	return c.ProcessState.ExitCode() == -1
}

// finish lets apply come to its end, and says how long that took.
func (h *history) finish() time.Duration {
	h.t.Helper()
	start := time.Now()
	if out, err := h.command("apply", "--yes").CombinedOutput(); err != nil {
		h.t.Fatalf("apply after the kills: %v\n%s", err, out)
	}
	return time.Since(start)
}

// check holds that nothing is left to do and that the account has one of
// everything the files name.
func (h *history) check() {
	h.t.Helper()
	out, err := h.command("plan", "-o", "json", "--quiet").Output()
	var planned struct{ Changes []json.RawMessage }
	if err != nil || json.Unmarshal(out, &planned) != nil || len(planned.Changes) != 0 {
		h.t.Fatalf("plan after apply: %v, %d changes; want none\n%s", err, len(planned.Changes), out)
	}
	address := h.address
	if address == "" {
		address = h.serve(filepath.Join(h.dir, ".adsync", "emulator"))
	}
	for collection, want := range map[string][]string{
		"campaigns": {"Spring launch", "Winter sale", "Gift cards"},
		"ad_groups": {"Trail runners", "Day hikers", "Sledges", "Ice skates", "Last minute"},
		"ads":       {"Hero A", "Hero B", "Summit", "Family sledge", "First steps", "Card"},
	} {
		have := names(h.t, address, collection)
		if len(have) != len(want) {
			h.t.Errorf("%s: %d live %q; want %d", collection, len(have), have, len(want))
		}
		for _, name := range want {
			if n := strings.Count("\n"+strings.Join(have, "\n")+"\n", "\n"+name+"\n"); n != 1 {
				h.t.Errorf("%s has %d of %q; want 1", collection, n, name)
			}
		}
	}
}

func names(t *testing.T, address, collection string) []string {
	t.Helper()
	request, err := http.NewRequest(http.MethodGet, address+"/v1/"+collection+"?limit=500", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+emulatorKey)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	var list struct{ Data []struct{ Name string } }
	if err != nil || json.Unmarshal(content, &list) != nil {
		t.Fatalf("list %s: %v %s", collection, err, content)
	}
	var found []string
	for _, r := range list.Data {
		found = append(found, r.Name)
	}
	return found
}
