package main

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/daemoncmd"
	"adsync/cmd/adsync/internal/session"
)

// Fault rows X1 and X14: no credential stands in what commands and a daemon print,
// log, tell and leave on the disk, not even where the service repeats the key and the
// daemon is killed; and what they leave is for its owner alone. Result copies are for
// whoever may look into their folder.
func TestX1X14NoFileHoldsACredential(t *testing.T) {
	t.Parallel()
	s := serveAccount(t)
	dir, operator := ownQuickstart(t)
	told := make(chan []byte, 100)
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		told <- body
	}))
	defer hook.Close()
	home := t.TempDir()
	canaries := map[string]string{
		session.EnvKey: canaryKey, daemoncmd.EnvDaemonToken: "canary-token-0123456789abcdef",
		"HOOK_KEY": "canary-of-a-key-0123456789", "HOOK_URL": hook.URL + "/canary-address-0123456789",
	}
	environment := []string{session.EnvBaseURL + "=" + s.url, keysAtOnce,
		"HOME=" + home, "TMPDIR=" + home, "XDG_STATE_HOME=" + home, "XDG_CONFIG_HOME=" + home, "XDG_CACHE_HOME=" + home}
	for name, secret := range canaries {
		environment = append(environment, name+"="+secret)
	}
	shown := map[string][]byte{}
	adsync := func(args ...string) {
		c := asAdsync(args...)
		c.Env = append(c.Env, environment...)
		said, err := c.CombinedOutput()
		if err != nil && c.ProcessState.ExitCode() != console.ExitPermission {
			t.Fatalf("%q: %v\n%s", args, err, said)
		}
		shown[strings.Join(args, " ")] = said
	}
	adsync("plan", "--out", filepath.Join(home, "plan.saved"), dir)
	adsync("apply", "--yes", dir)
	adsync("plan", "-o", "json", dir)

	config := filepath.Join(t.TempDir(), "daemon.yaml")
	saveFile(t, config, fmt.Sprintf("listen: 127.0.0.1:0\nevery: 2s\nsettle: 200ms\noperator: "+
		"%s\nnotify:\n- webhook: {url: {env: HOOK_URL}, key: {env: HOOK_KEY}}\naccounts:\n- {name: shop, folder: %s}\n",
		operator, dir))
	p := startDaemonWith(t, environment, "--config", config)
	p.until("msg", "run ended", "class", "in_sync")
	echo := func(w http.ResponseWriter, r *http.Request) bool {
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintf(w, `{"error":{"message":"the key %s is wrong","code":%q}}`, canaryKey, canaryKey)
		return true
	}
	s.before.Store(&echo)
	saveEdit(t, dir, "bid: {max: 1.25}", "bid: {max: 1.20}")
	p.until("msg", "run ended", "class", "credentials")
	select {
	case shown["what people are told"] = <-told:
	case <-time.After(patience):
		t.Fatal("nobody is told that the key is refused")
	}
	adsync("plan", dir)
	adsync("status", dir)
	line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.c.Process.Pid))
	noError(t, err)
	shown["the command line"] = line
	noError(t, p.c.Process.Kill())
	<-p.ended
	shown["the log"] = []byte(p.said())

	for _, root := range []string{dir, home} {
		noError(t, filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if about, err := entry.Info(); err == nil && strings.Contains(name, "/.adsync") &&
				!strings.Contains(name, "/results/") && about.Mode().Perm()&0o077 != 0 {
				t.Errorf("%s is %v; want it for its owner alone", name, about.Mode())
			}
			if entry.Type().IsRegular() {
				shown[name], err = os.ReadFile(name)
			}
			return err
		}))
	}
	for where, content := range shown {
		for name, secret := range canaries {
			if bytes.Contains(content, []byte(secret)) {
				t.Errorf("%s shows %s", where, name)
			}
		}
	}
	if len(shown) < 12 {
		t.Errorf("%d texts and files were looked at; want more", len(shown))
	}
}
