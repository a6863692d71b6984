package main

import (
	"crypto/tls"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"adsync/cmd/adsync/internal/daemoncmd"
)

const gitToken = "git-canary-do-not-show"

// repository is the work tree of an engineer, and the server they push to.
type repository struct {
	t        *testing.T
	work     string
	url, ca  string // of the server, and what vouches for it
	upstream string // the bare repository that is served

	before atomic.Pointer[func(http.ResponseWriter, *http.Request) bool] // may answer in the server's place
	shows  atomic.Pointer[tls.Config]                                    // in place of its own certificate
}

// hostRepository has the files of a folder as the first commit of main, on git's own
// server over https, for whoever has the token.
func hostRepository(t *testing.T, work string) *repository {
	t.Helper()
	exe, err := exec.Command("git", "--exec-path").Output()
	noError(t, err)
	top := t.TempDir()
	r := &repository{t: t, work: work, upstream: filepath.Join(top, "ads.git")}
	backend := &cgi.Handler{
		Logger: log.New(io.Discard, "", 0), Stderr: io.Discard,
		Path: filepath.Join(strings.TrimSpace(string(exe)), "git-http-backend"),
		Env: []string{"GIT_PROJECT_ROOT=" + top, "GIT_HTTP_EXPORT_ALL=1",
			"REMOTE_USER=ann", "GIT_CONFIG_GLOBAL=/dev/null",
			"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*"},
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		if before := r.before.Load(); before != nil && (*before)(w, request) {
			return
		}
		if _, password, _ := request.BasicAuth(); password != gitToken {
			w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		backend.ServeHTTP(w, request)
	}))
	server.TLS = &tls.Config{GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
		return r.shows.Load(), nil
	}}
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	r.url, r.ca = server.URL+"/ads.git", filepath.Join(t.TempDir(), "ca.pem")
	saveFile(t, r.ca, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})))
	r.git("init", "-q", "-b", "main")
	r.git("add", ".")
	r.git("commit", "-q", "-m", "The campaigns")
	r.git("init", "-q", "--bare", "-b", "main", r.upstream)
	r.git("-C", r.upstream, "config", "http.receivepack", "true")
	r.git("push", "-q", r.upstream, "main")
	return r
}

func (r *repository) git(args ...string) string {
	r.t.Helper()
	return strings.TrimSpace(r.bytes(args...))
}

// bytes is all that git prints.
func (r *repository) bytes(args ...string) string {
	r.t.Helper()
	c := exec.Command("git",
		append([]string{"-C", r.work, "-c", "user.name=Ann Example", "-c", "user.email=ann@example.com"}, args...)...)
	out, err := c.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// save edits a file, commits and pushes.
func (r *repository) save(from, to, message string) {
	r.t.Helper()
	saveEdit(r.t, r.work, from, to)
	r.git("commit", "-q", "-a", "-m", message)
	r.git("push", "-q", r.upstream, "main")
}

// serveFrom starts a daemon on the repository. more are lines of daemon.yaml.
func (r *repository) serveFrom(s *service, operator, more string) (p *process, address, states string) {
	r.t.Helper()
	conf := r.t.TempDir()
	saveFile(r.t, filepath.Join(conf, "daemon.yaml"), fmt.Sprintf(`
listen: 127.0.0.1:0
figures: false
every: 1h
operator: %s
state: states
accounts:
- name: shop
  git: {url: "%s", ref: main, ca: %s, token: {env: TEST_GIT_TOKEN}}
%s`, operator, r.url, r.ca, more))
	token := watchmansToken
	if strings.Contains(more, "\npeople:") { // who log in, each by a name of their own
		token = ""
	}
	p = startDaemonWith(r.t, s.environment(daemoncmd.EnvDaemonToken+"="+token),
		"--config", filepath.Join(conf, "daemon.yaml"))
	r.t.Cleanup(func() {
		if strings.Contains(p.said(), gitToken) {
			r.t.Error("the daemon logs the token of git")
		}
	})
	return p, fmt.Sprint(p.until("msg", "the daemon runs")["listen"]), filepath.Join(conf, "states")
}

// fromPush is the most that may lie between a push and the first request. On a machine that does other things, too, it
// is so many times what git itself takes to ask for the branch, at best, just then.
const (
	fromPush     = time.Second
	mostOfAsking = 5
)

// TestFromAPushToTheFirstRequest, over https from git's own server: the best of a few
// pushes counts, for what else the machine does is not the daemon's.
func TestFromAPushToTheFirstRequest(t *testing.T) {
	t.Parallel()
	s := serveAccount(t)
	work, operator := ownQuickstart(t)
	r := hostRepository(t, work)
	p, at, _ := r.serveFrom(s, operator, "  webhook: {secret: {env: HOOK}}\n")
	p.until("msg", "run ended", "class", "applied")
	var first atomic.Int64 // when the first request came, in Unix nanoseconds; 0: none has
	note := func(http.ResponseWriter, *http.Request) bool {
		first.CompareAndSwap(0, time.Now().UnixNano())
		return false
	}
	best, asked, took := time.Hour, time.Hour, []time.Duration{}
	s.before.Store(&note)
	for i := range 5 {
		r.save(fmt.Sprintf("bid: {max: 1.%d}", 25-i), fmt.Sprintf("bid: {max: 1.%d}", 24-i), fmt.Sprintf("Push %d", i))
		first.Store(0)
		pushed := time.Now()
		push(t, at, "refs/heads/main")
		p.until("msg", "run ended", "class", "applied")
		took = append(took, time.Unix(0, first.Load()).Sub(pushed).Round(time.Millisecond))
		began := time.Now()
		r.git("-c", "http.sslVerify=false", "ls-remote", strings.Replace(r.url, "//", "//ann:"+gitToken+"@", 1), "main")
		asked = min(asked, time.Since(began))
		if best = min(best, took[i]); i >= 2 && best < fromPush {
			break
		}
	}
	if most := max(fromPush, mostOfAsking*asked); best >= most {
		t.Errorf("from a push to the first request: %s; want one below %s", took, most)
	}
	t.Logf("from a push to the first request: %s; git itself asks in %s", took, asked)
	p.end()
}
