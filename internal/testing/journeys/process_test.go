package journeys

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// patience is how long a journey waits for what has to come.
const patience = time.Minute

// text is written by a process and read by the script.
type text struct {
	mu      sync.Mutex
	written bytes.Buffer
	read    int // up to where logs has found what it was asked for
}

func (t *text) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.written.Write(p)
}

func (t *text) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.written.String()
}

// next finds the pattern in the lines that were not read yet, and reads up to there.
func (t *text) next(pattern *regexp.Regexp) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	unread := t.written.String()[t.read:]
	at := 0
	for line := range strings.Lines(unread) {
		at += len(line)
		if found := pattern.FindStringSubmatch(line); found != nil && strings.HasSuffix(line, "\n") {
			t.read += at
			return found
		}
	}
	return nil
}

// running is a process that goes on beside the script.
type running struct {
	command *exec.Cmd
	said    text
	ended   chan error
}

// processes finds what a script started, by its name.
var processes sync.Map

type named struct {
	script *testscript.TestScript
	name   string
}

// start starts a process that is killed with its script.
func start(ts *testscript.TestScript, name, program string, args ...string) *running {
	p := &running{command: exec.Command(program, args...), ended: make(chan error, 1)}
	p.command.Dir = ts.MkAbs(".")
	p.command.Env = environment(ts)
	p.command.Stdout, p.command.Stderr = &p.said, &p.said
	ts.Check(p.command.Start())
	go func() { p.ended <- p.command.Wait() }()
	ts.Defer(func() { _ = p.command.Process.Kill() })
	processes.Store(named{ts, name}, p)
	return p
}

func find(ts *testscript.TestScript, name string) *running {
	p, ok := processes.Load(named{ts, name})
	if !ok {
		ts.Fatalf("no %s runs", name)
	}
	return p.(*running)
}

// environment is that of the script's commands, as far as they look at it.
func environment(ts *testscript.TestScript) []string {
	var all []string
	for _, name := range []string{
		"PATH", "HOME", "NO_COLOR", "TMPDIR",
		"ADSYNC_KEY_LAG", "ADSYNC_BASE_URL", "ADSYNC_API_KEY", "ADSYNC_OPERATOR", "ADSYNC_DAEMON_TOKEN",
		"ADSYNC_DATABASE", "ADSYNC_DATABASE_LEASE", "SSL_CERT_FILE", "MAIL_PASSWORD",
	} {
		if value := ts.Getenv(name); value != "" {
			all = append(all, name+"="+value)
		}
	}
	return all
}

// until asks again until it is so, and gives up in the end.
func until(ts *testscript.TestScript, what func() string, is func() bool) {
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for began := time.Now(); !is(); <-look.C {
		if time.Since(began) > patience {
			ts.Fatalf("%s", what())
		}
	}
}

// line waits for a line of a process.
func (p *running) line(ts *testscript.TestScript, pattern string) (found []string) {
	wanted := regexp.MustCompile(pattern)
	until(ts, func() string { return "no line " + pattern + " in\n" + p.said.String() }, func() bool {
		found = p.said.next(wanted)
		return found != nil
	})
	return found
}

// service [FLAGS...]: serves the emulator, as what stands for the advertising service,
// and points the environment at it.
func startService(ts *testscript.TestScript, _ bool, args []string) {
	flags := []string{
		"emulator", "--memory", "--listen", "127.0.0.1:0",
		"--profile", ts.Getenv("PROFILE"), "--open-points", withoutWaits, "--review-delay", "0s",
	}
	if len(args) == 0 {
		args = []string{"--account", "adacct_shop", "--timezone", "America/New_York", "--key", "sk-shop"}
	}
	p := start(ts, "service", filepath.Join(bin, "adsync"), append(flags, args...)...)
	ts.Setenv("ADSYNC_BASE_URL", p.line(ts, `^ADSYNC_BASE_URL=(\S+)`)[1])
	ts.Setenv("ADSYNC_API_KEY", p.line(ts, `^ADSYNC_API_KEY=(\S+)`)[1])
}

// theirs METHOD PATH [BODY]: what somebody else does at the service, or the emulator's
// own controls below /_emulator; the answer is answer.json.
func atTheService(ts *testscript.TestScript, neg bool, args []string) {
	body := ""
	if len(args) > 2 {
		body = args[2]
	}
	base := ts.Getenv("ADSYNC_BASE_URL")
	if strings.HasPrefix(args[1], "/_emulator/") {
		base = strings.TrimSuffix(base, "/v1")
	}
	r, err := http.NewRequest(args[0], base+args[1], strings.NewReader(body))
	ts.Check(err)
	r.Header.Set("Authorization", "Bearer "+ts.Getenv("ADSYNC_API_KEY"))
	r.Header.Set("Content-Type", "application/json")
	got, err := http.DefaultClient.Do(r)
	ts.Check(err)
	defer got.Body.Close()
	content, err := io.ReadAll(got.Body)
	ts.Check(err)
	if refused := got.StatusCode >= 300; refused != neg {
		ts.Fatalf("%s %s: %s %s", args[0], args[1], got.Status, content)
	}
	ts.Check(os.WriteFile(ts.MkAbs("answer.json"), content, 0o600))
}

// finds NAME: $ID is the id of what is called so in the answer.
func findID(ts *testscript.TestScript, _ bool, args []string) {
	var list struct{ Data []struct{ ID, Name string } }
	ts.Check(json.Unmarshal([]byte(ts.ReadFile("answer.json")), &list))
	at := slices.IndexFunc(list.Data, func(one struct{ ID, Name string }) bool { return one.Name == args[0] })
	if at < 0 {
		ts.Fatalf("the answer has no %q", args[0])
	}
	ts.Setenv("ID", list.Data[at].ID)
}

// replace FILE FROM TO: as an editor saves it, another file in its place.
func replaceText(ts *testscript.TestScript, _ bool, args []string) {
	name := ts.MkAbs(args[0])
	content, err := os.ReadFile(name)
	ts.Check(err)
	if n := bytes.Count(content, []byte(args[1])); n != 1 {
		ts.Fatalf("%s has %q %d times; want once", args[0], args[1], n)
	}
	ts.Check(os.WriteFile(name+".tmp", bytes.Replace(content, []byte(args[1]), []byte(args[2]), 1), 0o644))
	ts.Check(os.Rename(name+".tmp", name))
}

// daemon ARGS...: starts the daemon; $PAGE is its page, where it has one.
func startDaemon(ts *testscript.TestScript, _ bool, args []string) {
	p := start(ts, "daemon", filepath.Join(bin, "adsync"), append([]string{"daemon"}, args...)...)
	ready := p.line(ts, `the daemon runs.*?listen=(\S+)`)
	ts.Setenv("PAGE", "http://"+strings.Trim(ready[1], `"`))
}

// logs PATTERN: waits for the next such line of the daemon.
func awaitLog(ts *testscript.TestScript, _ bool, args []string) {
	find(ts, "daemon").line(ts, args[0])
}

// end NAME: ends a process as a service manager does.
func endProcess(ts *testscript.TestScript, _ bool, args []string) {
	p := find(ts, args[0])
	ts.Check(p.command.Process.Signal(syscall.SIGTERM))
	select {
	case err := <-p.ended:
		if err != nil {
			ts.Fatalf("%s ended with %v\n%s", args[0], err, &p.said)
		}
	case <-time.After(patience):
		ts.Fatalf("%s does not end\n%s", args[0], &p.said)
	}
}
