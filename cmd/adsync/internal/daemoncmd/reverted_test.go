package daemoncmd

import (
	"context"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/daemon"
	"adsync/sources/config"
)

// overtaken is a source whose files somebody writes once they are read.
type overtaken struct {
	source
	writes func()
}

// still is asked after each reading, and before the account is taken.
func (o *overtaken) still(ctx context.Context, f folderAt, sum string, read []string) (bool, error) {
	is, err := o.source.still(ctx, f, sum, read)
	if o.writes != nil {
		o.writes()
		o.writes = nil
	}
	return is, err
}

// TestFilesThatAreWrittenBeforeTheAccountIsTakenAreReadAnew: a revert applies, writes the files, and gives the account
// back, all after a run of the daemon has read the files of before. That run would do again what was taken back.
func TestFilesThatAreWrittenBeforeTheAccountIsTakenAreReadAnew(t *testing.T) {
	f := newFleet(t, 1)
	t.Cleanup(func() { noError(t, f.service.Close()) })
	root := t.TempDir()
	work := filepath.Join(root, "work")
	saveProject(t, work, 0)
	saveFile(t, filepath.Join(root, "key"), keyOfFleet(0))
	operator := filepath.Join(root, "operator.yaml")
	saveFile(t, operator, "base_url: http://127.0.0.1/v1\ncredentials: {file: "+filepath.Join(root, "key")+"}\n")
	env := &session.Env{Console: console.Console{In: strings.NewReader(""),
		Out: io.Discard, Err: io.Discard, Getenv: func(string) string { return "" }}}
	env.Flags.Quiet, env.Backing.Transport = true, f
	d := &daemonRun{env: env, log: slog.New(slog.DiscardHandler), began: time.Now(), known: map[string]daemon.Account{}}
	settings := config.Daemon{Listen: config.Setting{Value: listenNowhere}, Accounts: []config.DaemonAccount{{
		Name: config.Setting{Value: "shop"}, Folder: work, Operator: operator,
		Every: fleetEvery, Full: 24 * time.Hour, Settle: time.Millisecond,
	}}}
	w := d.accounts(settings, &page{config: settings, log: d.log})[0].Worker.(*reviewer).of
	defer w.hangUp()
	pass := func() daemon.Result {
		return w.Run(t.Context(), daemon.Request{Tell: func(string, map[string]any) {}})
	}
	for runs := 1; pass().Class != daemon.InSync; runs++ {
		if runs == 5 {
			t.Fatal("after 5 runs the account is not what the files say")
		}
	}
	of := &overtaken{source: w.source}
	w.source = of
	saveFile(t, filepath.Join(work, "ads.yaml"), strings.ReplaceAll(projectOfFleet, "0.50", "0.40"))
	of.writes = func() { saveFile(t, filepath.Join(work, "ads.yaml"), projectOfFleet) }
	f.changed = 0
	if r := pass(); r.Class != daemon.Transient || !strings.Contains(r.Message, "the files change") || f.changed != 0 {
		t.Errorf("the run ended %s: %s, with %d requests that could change something; want it to read anew, and none",
			r.Class, r.Message, f.changed)
	}
	if r := pass(); r.Class != daemon.InSync || f.changed != 0 {
		t.Errorf("the next run ended %s: %s, with %d changes; want the files of now in sync",
			r.Class, r.Message, f.changed)
	}
	saveFile(t, filepath.Join(work, "ads.yaml"), strings.ReplaceAll(projectOfFleet, "0.50", "0.40"))
	if r := pass(); r.Class != daemon.Applied || f.changed == 0 {
		t.Errorf("a bid that is saved ended %s: %s; want it applied", r.Class, r.Message)
	}
}
