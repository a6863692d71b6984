package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"adsync/cmd/adsync/internal/session"
	"adsync/internal/testing/ports"
)

// serveOverSSH puts OpenSSH's server before a repository, and returns the lines of the
// configuration that reach it.
func (r *repository) serveOverSSH() (url, key, known string) {
	t := r.t
	t.Helper()
	dir, err := os.MkdirTemp("", "adsync-sshd-") // below /tmp, as sshd wants no folder above that others may write
	noError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	for _, name := range []string{"host", "key"} {
		out, err := exec.Command("ssh-keygen", "-q",
			"-t", "ed25519", "-N", "", "-f", filepath.Join(dir, name)).CombinedOutput()
		if err != nil {
			t.Fatalf("ssh-keygen: %v\n%s", err, out)
		}
	}
	if os.Getuid() == 0 {
		noError(t, os.MkdirAll("/run/sshd", 0o755))
	}
	port, err := ports.Free()
	noError(t, err)
	address := fmt.Sprintf("127.0.0.1:%d", port)
	saveFile(t, filepath.Join(dir, "sshd_config"), fmt.Sprintf("ListenAddress 127.0.0.1\n"+
		"Port %d\nHostKey %[2]s/host\nPidFile none\nAuthorizedKeysFile %[2]s/key.pub\nStrictModes no\nUsePAM no\n"+
		"SetEnv SHLVL=1 GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_COUNT=1 "+ // a shell below another reads no .bashrc
		"GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0=*\n", port, dir))
	server := exec.Command("/usr/sbin/sshd", "-D", "-f", filepath.Join(dir, "sshd_config"))
	noError(t, server.Start())
	t.Cleanup(func() { server.Process.Kill(); server.Wait() })
	public, err := os.ReadFile(filepath.Join(dir, "host.pub"))
	noError(t, err)
	known = filepath.Join(dir, "known_hosts")
	saveFile(t, known, fmt.Sprintf("[127.0.0.1]:%d %s", port, public))
	for deadline := time.Now().Add(10 * time.Second); ; {
		line, err := net.Dial("tcp", address)
		if err == nil {
			line.Close()
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("sshd does not listen: %v", err)
		}
	}
	me, err := user.Current()
	noError(t, err)
	return fmt.Sprintf("ssh://%s@%s%s", me.Username, address, r.upstream), filepath.Join(dir, "key"), known
}

// TestPlanAndApplyOverSSH: the commands of a person, one commit after the other.
func TestPlanAndApplyOverSSH(t *testing.T) {
	t.Parallel()
	s := serveAccount(t)
	work, operator := ownQuickstart(t)
	r := hostRepository(t, work)
	url, key, known := r.serveOverSSH()
	home := t.TempDir()
	adsync := func(want int, args ...string) string {
		t.Helper()
		c := asAdsync(append(args, "--git", url, "--ref", "main")...)
		c.Env = append(c.Env, "HOME="+home, session.EnvBaseURL+"="+s.url, session.EnvKey+"="+canaryKey,
			keysAtOnce, session.EnvOperator+"="+operator, "ADSYNC_GIT_SSH_KEY="+key, "ADSYNC_GIT_KNOWN_HOSTS="+known)
		out, err := c.CombinedOutput()
		if code := c.ProcessState.ExitCode(); code != want {
			t.Fatalf("adsync %v ends with %d, %v; want %d\n%s", args, code, err, want, out)
		}
		return string(out)
	}
	adsync(2, "plan", "--detailed-exitcode")
	adsync(0, "apply", "--yes", "--allow", "activates")
	adsync(0, "plan", "--detailed-exitcode")
	for _, edit := range [][2]string{{"bid: {max: 1.25}", "bid: {max: 1.20}"},
		{"bid: {max: 1.20}", "bid: {max: 1.15}"}} {
		r.save(edit[0], edit[1], "Lower")
		if out := adsync(2, "plan", "--detailed-exitcode"); !strings.Contains(out,
			strings.TrimSuffix(edit[1][len("bid: {max: "):], "}")) {
			t.Errorf("the plan says\n%s\nwant the edit", out)
		}
		adsync(0, "apply", "--yes", "--push-results")
		adsync(0, "plan", "--detailed-exitcode")
	}
	if n := r.git("-C", r.upstream, "rev-list", "--count", "adsync/results"); n != "2" {
		t.Errorf("the branch for results has %s commits; want one an apply", n)
	}
}

// TestADaemonReadsOverSSH: it applies the first commit, and each one that changes a
// file, and answers into the repository.
func TestADaemonReadsOverSSH(t *testing.T) {
	t.Parallel()
	s := serveAccount(t)
	work, operator := ownQuickstart(t)
	r := hostRepository(t, work)
	url, key, known := r.serveOverSSH()
	conf := t.TempDir()
	saveFile(t, filepath.Join(conf, "daemon.yaml"), fmt.Sprintf(`
listen: none
every: 2s
operator: %s
state: states
accounts:
- name: shop
  git: {url: "%s", ref: main, ssh_key: %s, known_hosts: %s}
  push_results: adsync/results
`, operator, url, key, known))
	p := startDaemon(t, s, "--config", filepath.Join(conf, "daemon.yaml"))
	p.until("msg", "run ended", "class", "applied")
	for _, edit := range [][2]string{{"bid: {max: 1.25}", "bid: {max: 1.20}"},
		{"bid: {max: 1.20}", "bid: {max: 1.15}"}} {
		r.save(edit[0], edit[1], "Lower")
		p.until("msg", "run ended", "class", "applied", "message", "1 applied; verified 1/1")
	}
	p.until("msg", "run ended", "class", "in_sync")
	if n := r.git("-C", r.upstream, "rev-list", "--count", "adsync/results"); n != "3" {
		t.Errorf("the branch for results has %s commits; want one a run", n)
	}
	p.end()
}
