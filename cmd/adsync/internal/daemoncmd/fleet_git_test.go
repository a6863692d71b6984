package daemoncmd

import (
	"context"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/daemon"
	"adsync/sources/config"
)

// gitFleet is a fleet whose files are folders of one repository, on git's own server, and
// the daemon that runs it.
type gitFleet struct {
	*fleet
	root, work, bare string
	branches         []*followedBranch // of the accounts
	lists, packs     atomic.Int64      // that the server was asked for
	hub              *daemon.Hub
}

// performance.md: the accounts of one repository have one clone of it. A commit reaches all
// of them with one fetch, after the webhook of one account or without any.
func TestAFleetOfOneRepository(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	f := newGitFleet(t, *fleetOf)
	began := time.Now()
	f.count("")
	defer f.run()()
	first := f.git("rev-parse", "HEAD")
	f.await("the accounts are as their files say", 20*time.Minute, func() bool { return f.carriedOut(first) })
	f.fetchedOnce()
	t.Logf("%d accounts are as their files say after %s: %d requests to the service, %d lists of branches, %d packs",
		*fleetOf, time.Since(began), f.requests(), f.lists.Load(), f.packs.Load())
	within := map[bool]time.Duration{true: 5 * time.Second, false: 20 * time.Second}
	for _, hook := range []bool{true, false} {
		f.lists.Store(0)
		f.packs.Store(0)
		commit := f.commit(fmt.Sprintf("0.6%d", map[bool]int{true: 1}[hook]))
		pushed := time.Now()
		if hook {
			noError(t, f.hub.Wake("account-000", daemon.Push))
		}
		f.await("the commit reaches all", 5*time.Minute, func() bool {
			return !slices.ContainsFunc(f.branches, func(b *followedBranch) bool {
				read := b.read.Load()
				return read == nil || read.Revision.Commit != commit
			})
		})
		f.fetchedOnce()
		if took := time.Since(pushed); took > within[hook] {
			t.Errorf("webhook %t: a commit reaches all accounts after %s; want %s", hook, took, within[hook])
		}
		t.Logf("webhook %t: a commit reaches %d accounts after %s: %d lists of branches, %d packs",
			hook, *fleetOf, time.Since(pushed), f.lists.Load(), f.packs.Load())
		f.await("the accounts are as the commit says", 20*time.Minute, func() bool { return f.carriedOut(commit) })
		t.Logf("webhook %t: and is carried out after %s", hook, time.Since(pushed))
	}
}

// fetchedOnce holds how often the server was asked for objects.
func (f *gitFleet) fetchedOnce() {
	f.t.Helper()
	if packs := f.packs.Load(); packs != 1 {
		f.t.Errorf("%d packs were fetched for %d accounts; want one", packs, *fleetOf)
	}
}

// Accounts share a repository where address and credentials are the same, and no further.
func TestAccountsWithOtherCredentialsShareNothing(t *testing.T) {
	var settings config.Daemon
	settings.State = t.TempDir()
	add := func(url, token, path string) *config.Git {
		var a config.DaemonAccount
		a.Every = time.Minute
		a.Git.URL.Value, a.Git.Path.Value, a.Git.Ref.Value = url, path, path
		a.Git.Token = config.KeyReference{From: "file", Setting: config.Setting{Value: token}}
		settings.Accounts = append(settings.Accounts, a)
		return &settings.Accounts[len(settings.Accounts)-1].Git
	}
	one := repositoryOf(*add("https://git.example.com/ads.git", "a", "x"))
	same := repositoryOf(*add("https://git.example.com/ads.git", "a", "y"))
	token := repositoryOf(*add("https://git.example.com/ads.git", "b", "x"))
	url := repositoryOf(*add("https://git.example.com/other.git", "a", "x"))
	all := share(nil, settings)
	if len(all) != 3 || all[one] != all[same] || all[one] == all[token] || all[one] == all[url] {
		t.Errorf("%d repositories for two accounts of one, one with another token and one elsewhere; want 3", len(all))
	}
	if again := share(all, settings); again[one] != all[one] {
		t.Error("a configuration that is read again has another repository; want the one of before")
	}
	settings.State = ""
	if all := share(all, settings); len(all) != 0 {
		t.Errorf("%d repositories are shared without a folder for them; want none", len(all))
	}
}

// requests counts those to the service.
func (f *gitFleet) requests() (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, asked := range f.asked {
		n += len(asked)
	}
	return n
}

func newGitFleet(t *testing.T, accounts int) *gitFleet {
	root := t.TempDir()
	f := &gitFleet{fleet: newFleet(t, accounts), root: root,
		work: filepath.Join(root, "work"), bare: filepath.Join(root, "served", "ads.git")}
	for i := range accounts {
		saveProject(t, filepath.Join(f.work, fmt.Sprintf("account-%03d", i)), i)
	}
	f.git("init", "-q", "-b", "main")
	f.git("add", ".")
	f.git("commit", "-q", "-m", "The campaigns")
	f.git("init", "-q", "--bare", "-b", "main", f.bare)
	f.git("push", "-q", f.bare, "main")
	return f
}

func (f *gitFleet) git(args ...string) string {
	f.t.Helper()
	c := exec.Command("git",
		append([]string{"-C", f.work, "-c", "user.name=Ann", "-c", "user.email=ann@example.com"}, args...)...)
	out, err := c.CombinedOutput()
	if err != nil {
		f.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit pushes another bid for every account.
func (f *gitFleet) commit(bid string) string {
	for i := range *fleetOf {
		saveFile(f.t, filepath.Join(f.work, fmt.Sprintf("account-%03d", i), "ads.yaml"),
			strings.ReplaceAll(projectOfFleet, "0.50", bid))
	}
	f.git("commit", "-q", "-a", "-m", "A bid of "+bid)
	f.git("push", "-q", f.bare, "main")
	return f.git("rev-parse", "HEAD")
}

func (f *gitFleet) await(what string, most time.Duration, is func() bool) {
	f.t.Helper()
	for began := time.Now(); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Since(began) > most {
			f.t.Fatalf("not within %s: %s; the accounts stand so: %+v", most, what, f.hub.Accounts()[:min(3, *fleetOf)])
		}
	}
}

// carriedOut reports whether the last run of every account was of a commit. A daemon that has just begun names none.
func (f *gitFleet) carriedOut(commit string) bool {
	all := f.hub.Accounts()
	return len(all) == *fleetOf &&
		!slices.ContainsFunc(all, func(s daemon.Status) bool { return s.Revision.Commit != commit })
}

// run starts a daemon of all accounts, and the server they are from.
func (f *gitFleet) run() (end func()) {
	exe, err := exec.Command("git", "--exec-path").Output()
	noError(f.t, err)
	backend := &cgi.Handler{
		Logger: log.New(io.Discard, "", 0), Stderr: io.Discard,
		Path: filepath.Join(strings.TrimSpace(string(exe)), "git-http-backend"),
		Env: []string{"GIT_PROJECT_ROOT=" + filepath.Dir(f.bare),
			"GIT_HTTP_EXPORT_ALL=1", "GIT_CONFIG_GLOBAL=/dev/null"},
	}
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/info/refs") {
			f.lists.Add(1)
		} else {
			f.packs.Add(1)
		}
		backend.ServeHTTP(w, r)
	}))
	ca := filepath.Join(f.root, "ca.pem")
	saveFile(f.t, ca, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})))
	log := slog.New(slog.DiscardHandler)
	env := &session.Env{Console: console.Console{In: strings.NewReader(""),
		Out: io.Discard, Err: io.Discard, Getenv: func(string) string { return "" }}}
	env.Flags.Quiet, env.Backing.Transport = true, f
	d := &daemonRun{env: env, log: log, began: time.Now(), known: map[string]daemon.Account{}}
	d.hub = daemon.New(daemon.Options{Logger: log, Random: f.chance, Redact: d.secrets.redact, Observer: f})
	f.hub = d.hub
	settings := config.Daemon{Listen: config.Setting{Value: listenNowhere}, State: filepath.Join(f.root, "state")}
	for i := range *fleetOf {
		name := fmt.Sprintf("account-%03d", i)
		saveFile(f.t, filepath.Join(f.root, name+".key"), keyOfFleet(i))
		operator := filepath.Join(f.root, name+".yaml")
		saveFile(f.t, operator, fmt.Sprintf("base_url: http://127.0.0.1/v1\ncredentials: {file: %s.key}\n",
			filepath.Join(f.root, name)))
		a := config.DaemonAccount{
			Name: config.Setting{Value: name}, Operator: operator, Every: fleetEvery, Full: 24 * time.Hour,
			State: filepath.Join(settings.State, name),
		}
		a.Git.URL.Value, a.Git.Ref.Value, a.Git.Path.Value = server.URL+"/ads.git", "main", name
		a.Git.CA.Value, a.Git.Timeout = ca, time.Minute
		settings.Accounts = append(settings.Accounts, a)
	}
	accounts := d.accounts(settings, &page{config: settings, log: log})
	for _, a := range accounts {
		f.branches = append(f.branches, a.Worker.(*reviewer).of.source.(*followedBranch))
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		d.hub.Run(ctx, accounts, nil)
	}()
	return func() {
		cancel()
		<-ended
		server.Close()
		noError(f.t, f.service.Close())
	}
}
