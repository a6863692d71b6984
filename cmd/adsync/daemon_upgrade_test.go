package main

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"adsync/cmd/adsync/internal/console"
	"adsync/internal/testing/pgtest"
	"adsync/state"
)

// built is the program of another release: this one, with one migration more.
func built(t *testing.T, release, sql string) string {
	t.Helper()
	dir := t.TempDir()
	root, err := filepath.Abs("../..")
	noError(t, err)
	migration := filepath.Join(dir, "migration.sql")
	saveFile(t, migration, "-- +goose Up\n"+sql+"\n")
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {
		filepath.Join(root, "state", "postgres", "migrations", "00099_later.sql"): migration,
	}})
	noError(t, err)
	saveFile(t, filepath.Join(dir, "overlay.json"), string(overlay))
	program := filepath.Join(dir, "adsync")
	said, err := exec.Command("go", "build", "-overlay", filepath.Join(dir, "overlay.json"), "-o", program, "-ldflags",
		"-s -w -X adsync/cmd/adsync/internal/console.Release="+release, "adsync/cmd/adsync").CombinedOutput()
	if err != nil {
		t.Fatalf("go build: %v\n%s", err, said)
	}
	return program
}

func (a *agency) startOf(program string) *process {
	a.t.Helper()
	return startDaemonOf(a.t, program, a.environment(), "--config", filepath.Join(a.dir, "daemon.yaml"))
}

// refused wants a daemon to end with a code at once, and to say why.
func (a *agency) refused(code int, why string) {
	a.t.Helper()
	c := asAdsync("daemon", "--config", filepath.Join(a.dir, "daemon.yaml"))
	c.Env = append(append(c.Env, "HOME="+a.t.TempDir()), a.environment()...)
	text, _ := c.CombinedOutput() // its code is looked at
	said := strings.Join(strings.Fields(string(text)), " ")
	if got := c.ProcessState.ExitCode(); got != code || !strings.Contains(said, why) {
		a.t.Errorf("the daemon ends with %d, want %d and %q:\n%s", got, code, why, said)
	}
}

// TestTwoReleasesWorkSideBySide: daemons are replaced one after the other, forth and back, and no change is lost or
// made twice. What an older one cannot live with waits until none works any more, and it says which release is needed.
func TestTwoReleasesWorkSideBySide(t *testing.T) {
	t.Parallel()
	a := newAgency(t, 6)
	server, err := state.OpenServer(t.Context(), a.database, state.Options{Command: "test"})
	noError(t, err)
	later := built(t, "0.9.0", `ALTER TABLE adsync.worker ADD COLUMN zone text NOT NULL DEFAULT '';`)
	first, second := a.start(), a.start()
	a.await("Spring", 6)

	third := a.startOf(later) // it changes the tables while the others work
	a.shares(server, 3)
	a.edit("Summer")
	a.await("Summer", 6)
	first.end()
	fourth := a.start() // and one of the older begins after that
	a.shares(server, 3)
	a.edit("Autumn")
	a.await("Autumn", 6)
	third.end()
	a.shares(server, 2)
	a.edit("Winter")
	a.await("Winter", 6)

	raised := `SELECT adsync.raise_floor(100, '7.0.0');
		INSERT INTO adsync.migration (version_id, is_applied) VALUES (100, true)`
	if err := pgtest.Exec(a.database, raised); err == nil || !strings.Contains(err.Error(), "only 7.0.0 or newer may") {
		t.Errorf("beside older daemons the tables are changed for 7.0.0 alone: %v; want who has to end first", err)
	}
	second.end()
	fourth.end()
	noError(t, server.Close())
	noError(t, pgtest.Exec(a.database, raised))
	a.refused(4, "it wants adsync 7.0.0 or newer; this is "+console.Release)
}
