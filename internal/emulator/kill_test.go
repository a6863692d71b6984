package emulator_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"adsync/internal/emulator"
	"adsync/internal/emulator/world"
	"adsync/internal/testing/emulatortest"
)

// serveIn is the environment variable that turns the test program into an
// emulator on a data folder, until it is killed.
const serveIn = "EMULATOR_TEST_SERVE_IN"

func TestMain(m *testing.M) {
	if dir := os.Getenv(serveIn); dir != "" {
		serveUntilKilled(dir)
	}
	os.Exit(m.Run())
}

func serveUntilKilled(dir string) {
	s, err := emulator.Open(onDisk(dir))
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	fmt.Println(httptest.NewServer(s).URL)
	select {}
}

func onDisk(dir string) emulator.Options {
	account := emulatortest.Account(emulatortest.AccountID, emulatortest.Key)
	account.Features.MaxCampaigns, account.Features.MaxAdGroups = 1<<30, 1<<30
	return emulator.Options{
		Dir: dir, Seed: 1,
		Accounts: []emulator.Account{account},
		Limits:   emulator.RateLimits{EndpointPerMinute: -1, OverallPerMinute: -1, BulkPer10Seconds: -1},
	}
}

// process is an emulator in a process of its own.
type process struct {
	*exec.Cmd
	address string
}

func startProcess(t *testing.T, dir string) *process {
	t.Helper()
	p := &process{Cmd: exec.Command(os.Args[0])}
	p.Env = append(os.Environ(), serveIn+"="+dir)
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "http") {
		t.Fatalf("emulator says %q (%v), want its address", line, err)
	}
	p.address = strings.TrimSpace(line)
	return p
}

// kill is kill -9.
func (p *process) kill() {
	p.Process.Kill()
	p.Wait()
}

// acknowledged is what clients were told: names by id, and keys by job.
type acknowledged struct {
	mu    sync.Mutex
	names map[string]string
	jobs  map[string]string
	last  error         // why a client stopped
	each  chan struct{} // one for every acknowledgement
}

// load sends creates and jobs until the emulator is gone, and notes every answer.
func (a *acknowledged) load(address string, round, client int) {
	for i := 0; ; i++ {
		name := fmt.Sprintf("c %d %d %d", round, client, i)
		to, path, body := a.names, "/v1/campaigns", emulatortest.CampaignBody(name)
		if i%5 == 4 {
			to, path, body = a.jobs, "/v1/bulk_mutation_jobs",
				job(campaignOp("x"+name), adGroupOp("g"+name, "x"+name), campaignOp("y"+name))
		}
		id, err := post(address+path, body)
		if err != nil {
			a.stop(err)
			return
		}
		a.note(to, id, name)
	}
}

func (a *acknowledged) stop(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.last = err
}

func (a *acknowledged) note(to map[string]string, id, name string) {
	a.mu.Lock()
	to[id] = name
	a.mu.Unlock()
	a.each <- struct{}{}
}

func post(address string, body any) (id string, err error) {
	text, err := json.Marshal(body)
	if err != nil {
		return "", err
	}
	req, err := http.NewRequest("POST", address, bytes.NewReader(text))
	if err != nil {
		return "", err
	}
	req.Header.Set("Authorization", "Bearer "+emulatortest.Key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		return "", err
	}
	var record struct{ ID string }
	if err := json.Unmarshal(got, &record); err != nil || record.ID == "" {
		return "", fmt.Errorf("answer %s", got)
	}
	return record.ID, nil
}

// TestKilledEmulatorLosesNothing kills the emulator under load, again and
// again. The number of kills is small here and large in the nightly run
// (EMULATOR_TEST_KILLS).
func TestKilledEmulatorLosesNothing(t *testing.T) {
	dir := t.TempDir()
	kills := 4
	if text := os.Getenv("EMULATOR_TEST_KILLS"); text != "" {
		if _, err := fmt.Sscan(text, &kills); err != nil {
			t.Fatal(err)
		}
	}
	told := &acknowledged{names: map[string]string{}, jobs: map[string]string{}, each: make(chan struct{}, 1<<20)}
	r := rand.New(rand.NewPCG(1, 2))
	for round := range kills {
		p := startProcess(t, dir)
		var clients sync.WaitGroup
		for client := range 4 {
			clients.Go(func() { told.load(p.address, round, client) })
		}
		stopped := make(chan struct{})
		go func() { clients.Wait(); close(stopped) }()
		for range 30 + r.IntN(100) {
			select {
			case <-told.each:
			case <-stopped:
				p.kill()
				t.Fatalf("round %d: the clients stopped before the kill: %v", round, told.last)
			}
		}
		p.kill()
		<-stopped
	}
	t.Logf("%d creates and %d jobs were acknowledged", len(told.names), len(told.jobs))
	checkNothingLost(t, dir, told)
}

func checkNothingLost(t *testing.T, dir string, told *acknowledged) {
	t.Helper()
	s, err := emulator.Open(onDisk(dir))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	running := &emulatortest.Service{Server: s, Key: emulatortest.Key, Client: http.DefaultClient}
	line := httptest.NewServer(s)
	defer line.Close()
	running.BaseURL = line.URL + "/v1"
	a := s.World().Account(emulatortest.AccountID)
	a.View(func() error {
		for id, name := range told.names {
			if c, ok := a.Campaigns.Get(id); !ok || c.Name != name {
				t.Errorf("acknowledged campaign %s %q is lost", id, name)
			}
		}
		return nil
	})
	for id := range told.jobs {
		if got := running.JobEnd(t, id)["status"]; got != "completed" {
			t.Errorf("acknowledged job %s is %v after restart, want completed", id, got)
		}
	}
	checkNothingTwice(t, s, a)
}

// checkNothingTwice: every name was created once, and the log says the same as the table.
func checkNothingTwice(t *testing.T, s *emulator.Server, a *world.Account) {
	t.Helper()
	seen := map[string]int{}
	a.View(func() error {
		for _, c := range a.Campaigns.All() {
			seen[c.Name]++
		}
		for _, g := range a.AdGroups.All() {
			seen[g.Name]++
		}
		return nil
	})
	log, err := s.World().Mutations(0, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	logged := map[string]int{}
	for _, m := range log {
		if m.Action == "create" && (m.Resource == "campaign" || m.Resource == "ad_group") {
			logged[nameOf(t, m.After)]++
		}
	}
	for name, n := range seen {
		if n != 1 || logged[name] != 1 {
			t.Errorf("%q is there %d times and %d times in the log, want once", name, n, logged[name])
		}
	}
	if len(logged) != len(seen) {
		t.Errorf("the log has %d creates, the tables %d", len(logged), len(seen))
	}
}

func nameOf(t *testing.T, record json.RawMessage) string {
	t.Helper()
	var r struct{ Name string }
	if err := json.Unmarshal(record, &r); err != nil {
		t.Fatal(err)
	}
	return r.Name
}

func TestAFolderBelongsToOneProcess(t *testing.T) {
	dir := t.TempDir()
	p := startProcess(t, dir)
	defer p.kill()
	s, err := emulator.Open(onDisk(dir))
	if err == nil {
		s.Close()
		t.Fatal("a folder that another process has open is opened again")
	}
	if !strings.Contains(err.Error(), "open in another process") {
		t.Errorf("error = %q, want it to say that another process has the folder open", err)
	}
}

func TestReopenedFolderSaysTheSame(t *testing.T) {
	dir := t.TempDir()
	var before [3]string
	paths := []string{"/campaigns", "/ad_groups", "/ads"}
	on := func(o *emulator.Options) { *o = onDisk(dir) }
	t.Run("first", func(t *testing.T) {
		w := newTree(t, emulatortest.Start(t, on))
		w.runJob(t, campaignOp("a"), adGroupOp("g", "a"), adOp("d", "a", "g"))
		w.Advance(t, 3600)
		for i, path := range paths {
			before[i] = string(w.Must(t, "GET", path, nil).Body)
		}
	})
	t.Run("second", func(t *testing.T) {
		s := emulatortest.Start(t, on)
		for i, path := range paths {
			if got := string(s.Must(t, "GET", path, nil).Body); got != before[i] {
				t.Errorf("%s after reopening:\n%s\nwant\n%s", path, got, before[i])
			}
		}
		if first := s.Campaign(t, "New"); strings.Contains(before[0], first) {
			t.Errorf("the id %s is given twice", first)
		}
		if got := (&tree{Service: s}).runJob(t, campaignOp("a"),
			adGroupOp("g", "a")); !strings.Contains(before[0], fmt.Sprint(got[0]["resource_id"])) {
			t.Errorf("the key of a create is forgotten after reopening: %v", got[0])
		}
	})
}
