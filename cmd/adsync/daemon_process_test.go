package main

import (
	"bufio"
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"adsync/cmd/adsync/internal/session"
	"adsync/internal/emulator"
)

const canaryKey = "sk-canary-do-not-show"

// keysAtOnce spares a process the minute that it gives a service to know a key: the
// emulator knows it at once, and a process waits by the wall clock.
const keysAtOnce = session.EnvKeyLag + "=0s"

// service is an emulator with the accounts of the test behind a handler that the
// test may replace.
type service struct {
	t        *testing.T
	url      string
	server   *emulator.Server
	before   atomic.Pointer[func(w http.ResponseWriter, r *http.Request) bool] // true: it has answered
	requests atomic.Int64
}

func serveAccount(t *testing.T) *service {
	t.Helper()
	server, err := emulator.Open(emulator.Options{Accounts: []emulator.Account{{
		ID: "adacct_quickstart", Name: "Test", Currency: "USD",
		TimeZone: "America/New_York", Key: canaryKey, Features: emulator.AllFeatures(),
		Particulars: emulator.Particulars{Keys: []emulator.APIKey{{Name: "stranger", Key: strangerKey}}},
	}}})
	noError(t, err)
	s := &service{t: t, server: server}
	line := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests.Add(1)
		if before := s.before.Load(); before != nil && (*before)(w, r) {
			return
		}
		server.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { line.CloseClientConnections(); line.Close(); noError(t, server.Close()) })
	s.url = line.URL + "/v1"
	return s
}

// patience ends the wait for a process that hangs. A busy machine takes long: what promises a time measures it.
const patience = 2 * time.Minute

// process is a daemon, and what it logs.
type process struct {
	t     *testing.T
	c     *exec.Cmd
	lines chan map[string]any
	mu    sync.Mutex
	text  bytes.Buffer
	ended chan error

	patience time.Duration // for a line of the log
}

// startDaemon starts a daemon that logs JSON. It is killed with the test.
func startDaemon(t *testing.T, s *service, args ...string) *process {
	t.Helper()
	return startDaemonWith(t, s.environment(), args...)
}

func startDaemonWith(t *testing.T, environment []string, args ...string) *process {
	t.Helper()
	c := asAdsync()
	if slices.ContainsFunc(environment, func(v string) bool { return strings.HasPrefix(v, memoryInto+"=") }) {
		c = asItself()
	}
	return startDaemonOf(t, c.Path, environment, args...)
}

// startDaemonOf starts that of a program.
func startDaemonOf(t *testing.T, program string, environment []string, args ...string) *process {
	t.Helper()
	p := &process{
		t: t, lines: make(chan map[string]any, 10_000), ended: make(chan error, 1), patience: patience,
	}
	p.c = asItself(append([]string{"daemon", "--log-format", "json"}, args...)...)
	p.c.Path = program
	p.c.Env = append(append(p.c.Env, "HOME="+t.TempDir()), environment...)
	out, err := p.c.StderrPipe()
	noError(t, err)
	noError(t, p.c.Start())
	read := make(chan bool)
	go func() {
		defer close(read)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			p.mu.Lock()
			p.text.Write(append(lines.Bytes(), '\n'))
			p.mu.Unlock()
			line := map[string]any{}
			if json.Unmarshal(lines.Bytes(), &line) == nil {
				p.lines <- line
			}
		}
	}()
	go func() { <-read; p.ended <- p.c.Wait() }()
	t.Cleanup(func() {
		_ = p.c.Process.Kill()
		if t.Failed() {
			t.Logf("the daemon said:\n%s", p.said())
		}
		if strings.Contains(p.said(), canaryKey) {
			t.Errorf("the daemon logs the key")
		}
	})
	return p
}

func (p *process) said() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}

// until waits for a line of the log with these values.
func (p *process) until(want ...string) map[string]any {
	p.t.Helper()
	late := time.After(p.patience)
	for {
		select {
		case line := <-p.lines:
			matches := true
			for i := 0; i < len(want); i += 2 {
				matches = matches && strings.Contains(fmt.Sprint(line[want[i]]), want[i+1])
			}
			if matches {
				return line
			}
		case <-late:
			p.t.Fatalf("the daemon did not log %q", want)
		}
	}
}

// end ends it as a service manager does, and wants exit code 0.
func (p *process) end() {
	p.t.Helper()
	noError(p.t, p.c.Process.Signal(syscall.SIGTERM))
	select {
	case err := <-p.ended:
		if err != nil {
			p.t.Errorf("the daemon ended with %v after SIGTERM; want 0", err)
		}
	case <-time.After(40 * time.Second):
		p.t.Fatal("the daemon did not end within 40 s of SIGTERM")
	}
}

func ownQuickstart(t *testing.T) (dir, operator string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "shop")
	noError(t, os.CopyFS(dir, os.DirFS("../../examples/quickstart")))
	noError(t, os.RemoveAll(filepath.Join(dir, ".adsync")))
	operator = filepath.Join(t.TempDir(), "operator.yaml")
	saveFile(t, operator, "policy: {max_daily_exposure: 1000.00}\n")
	return dir, operator
}

const folderFlags = "--listen none --settle 200ms --every 2s"

func daemonArgs(dir, operator string) []string {
	return append(strings.Fields(folderFlags), "--operator", operator, dir)
}

// saveEdit saves a file as editors do: another in its place.
func saveEdit(t *testing.T, dir, from, to string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	noError(t, err)
	for _, name := range names {
		content, err := os.ReadFile(name)
		noError(t, err)
		if bytes.Contains(content, []byte(from)) {
			noError(t, os.WriteFile(name+".tmp", bytes.ReplaceAll(content, []byte(from), []byte(to)), 0o600))
			noError(t, os.Rename(name+".tmp", name))
			return
		}
	}
	t.Fatalf("no file of %s has %q", dir, from)
}

// TestADaemonAppliesWhatIsSaved, and nothing else: once files and account are
// equal, a look is one request.
func TestADaemonAppliesWhatIsSaved(t *testing.T) {
	t.Parallel()
	s := serveAccount(t)
	dir, operator := ownQuickstart(t)
	// a look every 10 s: a busy machine does not see the file by one that was due anyway
	p := startDaemon(t, s, append(daemonArgs(dir, operator), "--every", "10s")...)
	p.until("msg", "run ended", "class", "applied")
	p.until("msg", "run ended", "class", "in_sync")
	saveEdit(t, dir, "bid: {max: 1.25}", "bid: {max: 1.20}")
	line := p.until("msg", "run ended", "class", "applied")
	if fmt.Sprint(line["woken"]) != "[files]" {
		t.Errorf("the run was woken by %v; want the saved file", line["woken"])
	}
	p.until("msg", "run ended", "class", "in_sync")
	if out, err := asAdsync("status", dir).CombinedOutput(); err != nil || !strings.Contains(string(out), "daemon") {
		t.Errorf("status beside a daemon: %v\n%s", err, out)
	}
	p.end()
	if out, err := s.command("plan", "--detailed-exitcode", dir).CombinedOutput(); err != nil {
		t.Errorf("the account is not what the files say: %v\n%s", err, out)
	}
}

// command is another adsync on the same service.
func (s *service) command(args ...string) *exec.Cmd {
	c := asAdsync(args...)
	c.Env = append(c.Env, s.environment()...)
	return c
}

// environment is that of a process which works on the account.
func (s *service) environment(more ...string) []string {
	return append([]string{session.EnvBaseURL + "=" + s.url, session.EnvKey + "=" + canaryKey, keysAtOnce}, more...)
}

// TestADaemonThatIsKilledGoesOn: killed while a job is under way, the next one
// makes nothing twice.
func TestADaemonThatIsKilledGoesOn(t *testing.T) {
	t.Parallel()
	s := serveAccount(t)
	dir, operator := ownQuickstart(t)
	reached := make(chan bool, 1)
	var first atomic.Bool
	hold := func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/bulk_mutation_jobs") {
			return false
		}
		body := new(bytes.Buffer)
		_, _ = body.ReadFrom(r.Body)
		r.Body = readCloser{bytes.NewReader(body.Bytes())}
		if bytes.Contains(body.Bytes(), []byte(`"validate_only":true`)) || !first.CompareAndSwap(false, true) {
			return false
		}
		s.server.ServeHTTP(httptest.NewRecorder(), r) // it is done, and nobody hears of it
		reached <- true
		<-r.Context().Done()
		return true
	}
	s.before.Store(&hold)
	p := startDaemon(t, s, daemonArgs(dir, operator)...)
	<-reached
	noError(t, p.c.Process.Kill())
	<-p.ended
	p = startDaemon(t, s, daemonArgs(dir, operator)...)
	p.until("msg", "run ended", "class", "in_sync")
	p.end()
	out, err := s.command("export", dir).Output()
	noError(t, err)
	for _, name := range []string{"Spring launch", "Winter sale", "Gift cards", "Trail runners"} {
		if n := bytes.Count(out, []byte("name: "+name+"\n")); n != 1 {
			t.Errorf("the account has %d of %q; want 1", n, name)
		}
	}
}

type readCloser struct{ *bytes.Reader }

func (readCloser) Close() error { return nil }

// TestC10APushWhileApplying: two merges seconds apart, told of by a webhook: the
// apply that goes on ends, without what they say otherwise and is not sent yet, and one
// run follows, of the latest commit.
func TestC10APushWhileApplying(t *testing.T) {
	t.Parallel()
	s := serveAccount(t)
	work, operator := ownQuickstart(t)
	git := func(args ...string) {
		t.Helper()
		c := exec.Command("git",
			append([]string{"-C", work, "-c", "user.name=Ann", "-c", "user.email=ann@example.com"}, args...)...)
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	git("init", "-q", "-b", "main")
	git("add", ".")
	git("commit", "-q", "-m", "The campaigns")
	conf := t.TempDir()
	saveFile(t, filepath.Join(conf, "daemon.yaml"), fmt.Sprintf(`
listen: 127.0.0.1:0
every: 1h
operator: %s
state: states
accounts:
- name: shop
  git: {url: %s, ref: main}
  webhook: {secret: {env: HOOK}}
`, operator, work))
	reached, release := make(chan bool, 1), make(chan bool)
	var once sync.Once
	hold := func(_ http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/bulk_mutation_jobs") {
			once.Do(func() {
				reached <- true
				select {
				case <-release:
				case <-r.Context().Done():
				}
			})
		}
		return false
	}
	s.before.Store(&hold)
	p := startDaemon(t, s, "--config", filepath.Join(conf, "daemon.yaml"))
	at := fmt.Sprint(p.until("msg", "the daemon runs")["listen"])
	<-reached
	for i := range 2 {
		saveEdit(t, work, fmt.Sprintf("bid: {max: 1.%d}", 25-i), fmt.Sprintf("bid: {max: 1.%d}", 24-i))
		git("commit", "-q", "-a", "-m", fmt.Sprintf("Merge %d", i))
		push(t, at, "refs/heads/main")
	}
	close(release)
	p.until("msg", "run ended") // all but what the latest commit says otherwise
	line := p.until("msg", "run ended", "class", "applied")
	if fmt.Sprint(line["woken"]) != "[push]" {
		t.Errorf("the second run was woken by %v; want the push alone", line["woken"])
	}
	before, asked := s.requests.Load(), time.Now()
	push(t, at, "refs/heads/main")
	p.until("msg", "run ended", "class", "in_sync")
	t.Logf("from a push to the end of a run that found nothing: %s, %d requests",
		time.Since(asked).Round(time.Millisecond), s.requests.Load()-before)
	p.end()
	out, err := s.command("export", work).Output()
	noError(t, err)
	if !bytes.Contains(out, []byte("max: 1.23")) {
		t.Errorf("the account is not as the latest commit says:\n%s", out)
	}
}

// hookSecret is that of a webhook, from the variable HOOK.
const hookSecret = "a secret of the webhook"

// push is what GitHub sends.
func push(t *testing.T, at, ref string) {
	t.Helper()
	tell(t, at, "push", fmt.Sprintf(`{"ref":%q,"repository":{"pushed_at":%d}}`, ref, time.Now().UnixNano()))
}

// tell tells a daemon of an event as GitHub does.
func tell(t *testing.T, at, event, body string) {
	t.Helper()
	id := fmt.Sprint(time.Now().UnixNano())
	if status := knock(t, at, event, id, signatureOf(hookSecret, body), body); status != http.StatusAccepted {
		t.Fatalf("the webhook answers %d", status)
	}
}

// knock sends a webhook as it is, and returns the status of the answer.
func knock(t *testing.T, at, event, id, signature, body string) int {
	t.Helper()
	r, err := http.NewRequest(http.MethodPost, "http://"+at+"/hooks/shop", strings.NewReader(body))
	noError(t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-GitHub-Event", event)
	r.Header.Set("X-GitHub-Delivery", id)
	r.Header.Set("X-Hub-Signature-256", signature)
	answer, err := http.DefaultClient.Do(r)
	noError(t, err)
	answer.Body.Close()
	return answer.StatusCode
}

// TestAHangupReadsTheConfigurationAgain: accounts come and go, and what is not
// valid changes nothing.
func TestAHangupReadsTheConfigurationAgain(t *testing.T) {
	t.Parallel()
	s := serveAccount(t)
	dir, operator := ownQuickstart(t)
	conf := filepath.Join(t.TempDir(), "daemon.yaml")
	config := func(accounts ...string) {
		text := "listen: none\nsettle: 100ms\noperator: " + operator + "\naccounts:\n"
		for _, a := range accounts {
			text += "- {name: " + a + ", folder: " + dir + "}\n"
		}
		saveFile(t, conf, text)
	}
	config("first")
	p := startDaemon(t, s, "--config", conf)
	p.until("msg", "run ended", "account", "first", "class", "applied")
	saveFile(t, conf, "accounts: nothing\n")
	noError(t, p.c.Process.Signal(syscall.SIGHUP))
	p.until("msg", "a problem of the configuration", "problem", "daemon.yaml:1:11: ")
	p.until("msg", "not taken over")
	config("second")
	noError(t, p.c.Process.Signal(syscall.SIGHUP))
	p.until("msg", "taken over")
	p.until("msg", "run ended", "account", "second", "class", "in_sync")
	for line := range strings.Lines(p.said()) {
		if !strings.HasPrefix(line, "{") {
			t.Errorf("a line of the log is no JSON: %s", line)
		}
	}
	p.end()
}

// TestTheServiceRefusesTheKey: the key is in no line of the log, and the daemon
// waits instead of asking again and again.
func TestADaemonWhoseKeyIsRefusedShowsItNowhere(t *testing.T) {
	s := serveAccount(t)
	refuse := func(w http.ResponseWriter, r *http.Request) bool {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintf(w, `{"error":{"message":"no such key: %s"}}`,
			strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
		return true
	}
	s.before.Store(&refuse)
	dir, operator := ownQuickstart(t)
	p := startDaemon(t, s, daemonArgs(dir, operator)...)
	line := p.until("msg", "run ended", "class", "credentials")
	if !strings.Contains(fmt.Sprint(line["message"]), "[redacted]") {
		t.Errorf("the message is %v; want the service's words without the key", line["message"])
	}
	p.end()
}

func signatureOf(secret, body string) string {
	m := hmac.New(sha256.New, []byte(secret))
	m.Write([]byte(body))
	return "sha256=" + hex.EncodeToString(m.Sum(nil))
}
