package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"adsync/internal/testing/ports"
)

var (
	soakFor  = flag.Duration("soak", 15*time.Second, "how long TestSoak goes on")
	soakSeed = flag.Uint64("soak-seed", 1, "what TestSoak draws")
)

// Ceilings of a daemon with three accounts, whatever happens to it.
const (
	mostGoroutines  = 150
	mostDescriptors = 100
	mostMiB         = 250
)

// soak is a daemon and an emulator, each a process, and what happens to them.
type soak struct {
	t      *testing.T
	random *rand.Rand
	dir    string
	port   string // of the emulator
	page   string // of the daemon
	bids   map[string][]int
	emu    *exec.Cmd
	p      *process
	did    map[string]int
}

var soakAccounts = []string{"shop", "books", "trail"} // the last is read from git

// TestSoak has a daemon live through saves, commits, edits by others, faults of the
// service, and kills of both. At the end each account equals its files, and the
// daemon has not grown. make soak MINUTES=60 goes on for an hour.
func TestSoak(t *testing.T) {
	t.Parallel() // it mostly waits
	s := &soak{
		t: t, random: rand.New(rand.NewPCG(*soakSeed, 3)),
		dir: t.TempDir(), port: freePort(t), page: freePort(t), bids: map[string][]int{}, did: map[string]int{},
	}
	s.prepare()
	s.startEmulator()
	defer func() { _ = s.emu.Process.Kill(); _ = s.emu.Wait() }()
	s.startDaemon()
	for end := time.Now().Add(*soakFor); time.Now().Before(end); {
		s.act()
		time.Sleep(time.Duration(200+s.random.IntN(500)) * time.Millisecond) // life goes on
		s.measure()
	}
	s.calm()
	t.Logf("%s: %v", *soakFor, s.did)
}

func (s *soak) act() {
	acts := []struct {
		name string
		do   func()
		in20 int
	}{
		{"save", s.save, 7}, {"half a save", s.halfSave, 2}, {"commit", s.commit, 4}, {"edit by others", s.liveEdit, 3},
		{"faults", s.fault, 2}, {"kill of the daemon", s.killDaemon, 1}, {"kill of the service", s.killEmulator, 1},
	}
	draw := s.random.IntN(20)
	for _, a := range acts {
		if draw -= a.in20; draw < 0 {
			s.did[a.name]++
			a.do()
			return
		}
	}
}

func (s *soak) key(account string) string { return "sk-soak-key-" + account }

func (s *soak) url() string { return "http://127.0.0.1:" + s.port }

func (s *soak) prepare() {
	seed, config := `{"accounts": [`, "listen: 127.0.0.1:"+
		s.page+"\nsettle: 150ms\nevery: 1s\nstate: states\naccounts:\n"
	for i, name := range soakAccounts {
		if i > 0 {
			seed += ","
		}
		seed += fmt.Sprintf(`{"id": "adacct_%s", "name": `+
			`"%s", "currency_code": "USD", "timezone": "UTC", "api_keys": [{"key": "%s"}]}`, name, name, s.key(name))
		s.bids[name] = []int{50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50, 50}
		s.write(name)
		saveFile(s.t, filepath.Join(s.dir, name, "adsync.yaml"),
			"account: {id: adacct_"+name+", currency: USD, timezone: UTC}\n")
		saveFile(s.t, filepath.Join(s.dir, name+".key"), s.key(name))
		saveFile(s.t, filepath.Join(s.dir, name+".operator.yaml"), fmt.Sprintf("base_url: %s/v1\ncredentials: {file: "+
			"%s.key}\npolicy: {max_daily_exposure: 1000.00, drift: revert}\n", s.url(), filepath.Join(s.dir, name)))
		where := "folder: " + name
		if name == "trail" {
			where = "git: {url: " + filepath.Join(s.dir, name) + ", ref: main}"
		}
		config += fmt.Sprintf("- {name: %s, %s, operator: %s.operator.yaml}\n", name, where, name)
	}
	saveFile(s.t, filepath.Join(s.dir, "seed.json"), seed+"]}")
	saveFile(s.t, filepath.Join(s.dir, "daemon.yaml"), config)
	s.git("init", "-q", "-b", "main")
	s.git("add", ".")
	s.git("commit", "-q", "-m", "first")
}

func (s *soak) git(args ...string) {
	s.t.Helper()
	c := exec.Command("git", append([]string{"-C",
		filepath.Join(s.dir, "trail"), "-c", "user.name=Ann", "-c", "user.email=ann@example.com"}, args...)...)
	if out, err := c.CombinedOutput(); err != nil {
		s.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func (s *soak) text(account string) string {
	var b strings.Builder
	for i, bid := range s.bids[account] {
		if i%4 == 0 {
			fmt.Fprintf(&b, "---\nkind: campaign\nkey: c%d\nname: Campaign "+
				"%d\nstatus: paused\nbidding_type: clicks\nbudget: {daily: 10.00}\nad_groups:\n", i/4, i/4)
		}
		fmt.Fprintf(&b, "  - {key: g%d, name: Group %d, status: paused, bid: {max: 0.%d}, context_hints: [hint %d]}\n",
			i, i, bid, i)
	}
	return b.String()
}

func (s *soak) write(account string) {
	name := filepath.Join(s.dir, account, "ads.yaml")
	saveFile(s.t, name+".tmp", s.text(account))
	noError(s.t, os.Rename(name+".tmp", name))
}

func (s *soak) another(account string) {
	s.bids[account][s.random.IntN(12)] = 45 + s.random.IntN(10)
}

func (s *soak) save() {
	account := soakAccounts[s.random.IntN(2)]
	s.another(account)
	s.write(account)
}

// halfSave empties the file, then writes half of it, then all.
func (s *soak) halfSave() {
	account := soakAccounts[s.random.IntN(2)]
	s.another(account)
	name, text := filepath.Join(s.dir, account, "ads.yaml"), s.text(account)
	for _, part := range []string{"", text[:len(text)/2], text} {
		noError(s.t, os.WriteFile(name, []byte(part), 0o600))
		time.Sleep(40 * time.Millisecond) // an editor at work
	}
}

func (s *soak) commit() {
	s.another("trail")
	s.write("trail")
	s.git("commit", "-q", "--allow-empty", "-a", "-m", "another")
}

// liveEdit renames an ad group at the service.
func (s *soak) liveEdit() {
	account := soakAccounts[s.random.IntN(3)]
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if s.ask("GET", "/v1/ad_groups?limit=100", account, "", &list) && len(list.Data) > 0 {
		s.ask("POST", "/v1/ad_groups/"+list.Data[s.random.IntN(len(list.Data))].ID,
			account, fmt.Sprintf(`{"name": "Renamed %d"}`, s.random.IntN(1000)), nil)
	}
}

// ask sends a request that may fail: the service is not always there.
func (s *soak) ask(method, path, account, body string, into any) bool {
	r, err := http.NewRequest(method, s.url()+path, strings.NewReader(body))
	noError(s.t, err)
	if account != "" {
		r.Header.Set("Authorization", "Bearer "+s.key(account))
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return false
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	return err == nil && answer.StatusCode < 300 && (into == nil || json.Unmarshal(content, into) == nil)
}

func (s *soak) fault() {
	faults := []string{
		`{"faults": [{"match": {"probability": 0.2}, "action": {"drop_after_commit": {}}}]}`,
		`{"faults": [{"match": {"probability": 0.3}, "action": {"delay": {"for": "300ms"}}}]}`,
		`{"faults": [{"match": {"method": "GET", "probability": 0.3}, "action": {"status": {"code": 503}}}]}`,
	}
	if !s.ask("POST", "/_emulator/faults", "", faults[s.random.IntN(len(faults))], nil) {
		return
	}
	time.Sleep(time.Second) // trouble has its time
	s.ask("DELETE", "/_emulator/faults", "", "", nil)
}

func (s *soak) startEmulator() {
	s.emu = asAdsync("emulator", "--listen", "127.0.0.1:"+s.port,
		"--data", filepath.Join(s.dir, "emulator"), "--seed-file", filepath.Join(s.dir, "seed.json"))
	var said bytes.Buffer
	s.emu.Stderr = &said
	noError(s.t, s.emu.Start())
	for range 200 {
		if line, err := net.Dial("tcp", "127.0.0.1:"+s.port); err == nil {
			line.Close()
			return
		}
		time.Sleep(50 * time.Millisecond) // another process starts
	}
	s.t.Fatalf("the emulator does not listen: %s", said.String())
}

func (s *soak) startDaemon() {
	s.p = startDaemonWith(s.t, nil, "--config", filepath.Join(s.dir, "daemon.yaml"))
	s.p.patience = time.Minute
	s.p.until("msg", "the daemon runs")
}

func (s *soak) killDaemon() {
	noError(s.t, s.p.c.Process.Kill())
	<-s.p.ended
	s.startDaemon()
}

func (s *soak) killEmulator() {
	noError(s.t, s.emu.Process.Kill())
	_ = s.emu.Wait() // it was killed
	s.startEmulator()
}

// measure holds the ceilings.
func (s *soak) measure() {
	s.t.Helper()
	answer, err := http.Get("http://127.0.0.1:" + s.page + "/metrics")
	if err != nil {
		return // it has just begun
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	noError(s.t, err)
	_, rest, _ := strings.Cut(string(content), "\ngo_goroutines ")
	n, err := strconv.Atoi(strings.SplitN(rest, "\n", 2)[0])
	noError(s.t, err)
	if d, m := descriptors(s.t, s.p.c.Process.Pid), residentMiB(s.t, s.p.c.Process.Pid); n > mostGoroutines ||
		d > mostDescriptors || m > mostMiB {
		s.t.Fatalf("the daemon has %d goroutines, %d descriptors and %d MiB; want at most %d, %d and %d",
			n, d, m, mostGoroutines, mostDescriptors, mostMiB)
	}
}

// calm ends all trouble, and wants each account to be as its files say.
func (s *soak) calm() {
	s.ask("DELETE", "/_emulator/faults", "", "", nil)
	for _, account := range soakAccounts {
		s.another(account)
		s.write(account)
	}
	s.git("commit", "-q", "--allow-empty", "-a", "-m", "last")
	late := time.Now().Add(3 * time.Minute)
	for _, account := range soakAccounts {
		for !s.equal(account) {
			if time.Now().After(late) {
				s.t.Fatalf("account %s does not become what its files say", account)
			}
			time.Sleep(500 * time.Millisecond) // the daemon is at work
		}
	}
	s.p.end()
}

// equal reports whether another plan of the account is empty.
func (s *soak) equal(account string) bool {
	args := []string{"plan", "--detailed-exitcode",
		"--refresh", "full", "--operator", filepath.Join(s.dir, account+".operator.yaml")}
	if account == "trail" {
		args = append(args, "--git", filepath.Join(s.dir, account),
			"--ref", "main", "--state", filepath.Join(s.dir, "states", account))
	} else {
		args = append(args, filepath.Join(s.dir, account))
	}
	c := asAdsync(args...)
	c.Env = append(c.Env, "HOME="+s.dir)
	return c.Run() == nil
}

func freePort(t *testing.T) string {
	t.Helper()
	port, err := ports.Free()
	noError(t, err)
	return strconv.Itoa(port)
}
