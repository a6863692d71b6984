package daemoncmd

import (
	"context"
	"io"
	"log/slog"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/daemon"
	"adsync/sources/config"
)

// loading counts how often the files of a source were read.
type loading struct {
	source
	read int
}

// still is asked after each reading.
func (l *loading) still(ctx context.Context, f folderAt, sum string, read []string) (bool, error) {
	l.read++
	return l.source.still(ctx, f, sum, read)
}

// performance.md: of an account from git a pass at the same commit is one request,
// and no file is parsed; nor is any where another commit has the same files.
func TestAPassAtTheSameCommitIsOneRequest(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	f := newFleet(t, 1)
	t.Cleanup(func() { noError(t, f.service.Close()) })
	root := t.TempDir()
	work := filepath.Join(root, "work")
	git := func(args ...string) {
		t.Helper()
		c := exec.Command("git",
			append([]string{"-C", work, "-c", "user.name=Ann", "-c", "user.email=ann@example.com"}, args...)...)
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	saveProject(t, work, 0)
	git("init", "-q", "-b", "main")
	git("add", ".")
	git("commit", "-q", "-m", "The campaigns")
	saveFile(t, filepath.Join(root, "key"), keyOfFleet(0))
	operator := filepath.Join(root, "operator.yaml")
	saveFile(t, operator, "base_url: http://127.0.0.1/v1\ncredentials: {file: "+filepath.Join(root, "key")+"}\n")
	env := &session.Env{Console: console.Console{In: strings.NewReader(""),
		Out: io.Discard, Err: io.Discard, Getenv: func(string) string {
			return ""
		}}}
	env.Flags.Quiet, env.Backing.Transport = true, f
	d := &daemonRun{env: env, log: slog.New(slog.DiscardHandler), began: time.Now(), known: map[string]daemon.Account{}}
	settings := config.Daemon{Listen: config.Setting{Value: listenNowhere}, State: filepath.Join(root, "state")}
	account := config.DaemonAccount{
		Name: config.Setting{Value: "shop"}, Operator: operator,
		Every: fleetEvery, Full: 24 * time.Hour, State: filepath.Join(root, "state"),
	}
	account.Git.URL.Value, account.Git.Ref.Value, account.Git.Timeout = work, "main", time.Minute
	settings.Accounts = []config.DaemonAccount{account}
	w := d.accounts(settings, &page{config: settings, log: d.log})[0].Worker.(*reviewer).of
	defer w.hangUp()
	counted := &loading{source: w.source}
	w.source = counted
	pass := func() daemon.Result {
		return w.Run(t.Context(), daemon.Request{Tell: func(string, map[string]any) {}})
	}
	r := pass()
	for runs := 1; r.Class != daemon.InSync || !r.Skipped; runs++ {
		if runs == 5 {
			t.Fatalf("after %d runs the last ended %s: %s; want nothing to do", runs, r.Class, r.Message)
		}
		r = pass()
	}
	for _, commit := range []string{"the same commit", "another commit of the same files"} {
		counted.read = 0
		for range 3 {
			if r := pass(); r.Requests != 1 || counted.read != 0 || !r.Skipped {
				t.Errorf("%s: %d requests, read %d times, %s %s; want 1 and never",
					commit, r.Requests, counted.read, r.Class, r.Message)
			}
		}
		git("commit", "-q", "--allow-empty", "-m", "Nothing")
	}
	saveFile(t, filepath.Join(work, "ads.yaml"), strings.ReplaceAll(projectOfFleet, "0.50", "0.60"))
	git("commit", "-q", "-a", "-m", "A bid")
	if r := pass(); counted.read != 1 || r.Skipped {
		t.Errorf("a commit that edits a bid was read %d times and ended %s %s; want it read once",
			counted.read, r.Class, r.Message)
	}
}
