package gitstore

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"adsync/internal/testing/ports"
)

// shelled serves a repository as OpenSSH does, on a port of its own.
type shelled struct {
	t     *testing.T
	dir   string
	url   string
	known string
	key   string
}

func shelledAt(t *testing.T, u *upstream) *shelled {
	t.Helper()
	// Below /tmp alone, as sshd wants no folder above that others may write.
	dir, err := os.MkdirTemp("", "adsync-sshd-")
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	s := &shelled{t: t, dir: dir, key: filepath.Join(dir, "key"), known: filepath.Join(dir, "known_hosts")}
	s.keygen("host", "")
	s.keygen("key", "")
	port := freePort(t)
	public, err := os.ReadFile(filepath.Join(dir, "key.pub"))
	must(t, err)
	must(t, os.WriteFile(filepath.Join(dir, "authorized_keys"), public, 0o600))
	// a shell below another reads no .bashrc, which may take seconds
	config := fmt.Sprintf("ListenAddress 127.0.0.1\n"+
		"Port %d\nHostKey %s/host\nPidFile none\nAuthorizedKeysFile %s/authorized_keys\nStrictModes no\nUsePAM "+
		"no\nPasswordAuthentication no\nKbdInteractiveAuthentication no\nSetEnv SHLVL=1 GIT_CONFIG_GLOBAL=/dev/null "+
		"GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0=*\n", port, dir, dir)
	must(t, os.WriteFile(filepath.Join(dir, "sshd_config"), []byte(config), 0o600))
	s.serve(port)
	me, err := user.Current()
	must(t, err)
	s.url = fmt.Sprintf("ssh://%s@127.0.0.1:%d%s", me.Username, port, u.bare)
	s.knows("host")
	return s
}

func (s *shelled) serve(port int) {
	s.t.Helper()
	if os.Getuid() == 0 {
		must(s.t, os.MkdirAll("/run/sshd", 0o755)) // where sshd of root keeps nothing, and wants to
	}
	runServer(s.t, port, exec.Command("/usr/sbin/sshd", "-D", "-e", "-f", filepath.Join(s.dir, "sshd_config")))
}

// runServer starts a server, and returns once it listens. It ends with the test.
func runServer(t *testing.T, port int, c *exec.Cmd) {
	t.Helper()
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	must(t, err)
	c.Stderr = log
	must(t, c.Start())
	t.Cleanup(func() { c.Process.Kill(); c.Wait(); log.Close() })
	for deadline := time.Now().Add(10 * time.Second); ; {
		line, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			line.Close()
			return
		}
		if time.Now().After(deadline) {
			said, _ := os.ReadFile(log.Name())
			t.Fatalf("%s does not listen: %v\n%s", c.Path, err, said)
		}
	}
}

func freePort(t *testing.T) int {
	t.Helper()
	port, err := ports.Free()
	must(t, err)
	return port
}

func (s *shelled) keygen(name, passphrase string) {
	s.t.Helper()
	out, err := exec.Command("ssh-keygen", "-q", "-t",
		"ed25519", "-N", passphrase, "-C", name, "-f", filepath.Join(s.dir, name)).CombinedOutput()
	if err != nil {
		s.t.Fatalf("ssh-keygen: %v\n%s", err, out)
	}
}

// knows writes a known_hosts file that has one key for the server.
func (s *shelled) knows(key string) {
	s.t.Helper()
	public, err := os.ReadFile(filepath.Join(s.dir, key+".pub"))
	must(s.t, err)
	host := strings.TrimPrefix(s.url, "ssh://")
	_, host, _ = strings.Cut(host, "@")
	host, _, _ = strings.Cut(host, "/")
	name, port, _ := strings.Cut(host, ":")
	must(s.t, os.WriteFile(s.known, fmt.Appendf(nil, "[%s]:%s %s", name, port, public), 0o600))
}

func (s *shelled) config() Config {
	return Config{URL: s.url, Ref: "main", SubPath: "ads", KeyFile: s.key, KnownHosts: s.known}
}

func TestAServerOverSSHIsFetchedFrom(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	t.Parallel()
	u := filled(t)
	h := shelledAt(t, u)
	s := opened(t, h.config())
	first := fetched(t, s)
	u.write("ads/autumn.yaml", "kind: campaign\n")
	second := u.push("autumn")
	if r := fetched(t, s); first.Movement != firstSeen || r.Movement != fastForward || r.Commit != second {
		t.Errorf("fetches are %+v and %+v; want %s, forward", first, r, second)
	}
	if whole, left := packs(t, s); whole != 2 || left != 0 {
		t.Errorf("store has %d packs and %d parts; want one a fetch, and no part", whole, left)
	}
	if r := fetched(t, s); r.Movement != unmoved {
		t.Errorf("with nothing new %+v; want the same", r)
	}
}

func TestTheKeyIsOpenedByItsPassphraseOrTheAgent(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	t.Parallel()
	u := filled(t)
	h := shelledAt(t, u)
	must(t, exec.Command("ssh-keygen", "-q", "-p", "-P", "", "-N", "canary-phrase", "-f", h.key).Run())
	locked := h.config()
	_, err := opened(t, locked).Fetch(t.Context())
	wantError(t, err, Configuration, "has a passphrase")
	locked.Passphrase = says("canary-wrong")
	_, err = opened(t, locked).Fetch(t.Context())
	wantError(t, err, Credentials, "does not open the key file")
	hidden(t, err)
	locked.Passphrase = says("canary-phrase")
	fetched(t, opened(t, locked))

	agent := h.config()
	agent.KeyFile, agent.Agent = "", runAgent(t, h)
	fetched(t, opened(t, agent))
	agent.Agent = ""
	_, err = opened(t, agent).Fetch(t.Context())
	wantError(t, err, Configuration, "want a key file, or an ssh agent")
}

// runAgent starts an agent that has the key, and gives its socket.
func runAgent(t *testing.T, h *shelled) string {
	t.Helper()
	socket := filepath.Join(h.dir, "agent")
	c := exec.Command("ssh-agent", "-D", "-a", socket)
	must(t, c.Start())
	t.Cleanup(func() { c.Process.Kill(); c.Wait() })
	ask := filepath.Join(h.dir, "ask")
	must(t, os.WriteFile(ask, []byte("#!/bin/sh\necho canary-phrase\n"), 0o700))
	for deadline := time.Now().Add(10 * time.Second); ; {
		add := exec.Command("ssh-add", h.key)
		add.Env = append(os.Environ(), "SSH_AUTH_SOCK="+socket, "SSH_ASKPASS="+ask, "SSH_ASKPASS_REQUIRE=force")
		out, err := add.CombinedOutput()
		if err == nil {
			return socket
		}
		if time.Now().After(deadline) {
			t.Fatalf("ssh-add: %v\n%s", err, out)
		}
	}
}

// G11: the host must be the one that is known, and it says so.
func TestG11AHostThatIsNotTheOneKnownIsRefused(t *testing.T) {
	t.Parallel()
	u := filled(t)
	h := shelledAt(t, u)
	h.keygen("other", "")
	for _, row := range []struct {
		name  string
		setup func(*Config)
		class Class
		says  string
	}{
		{name: "another key", class: Credentials, says: "shows another key than the known_hosts file",
			setup: func(*Config) { h.knows("other") }},
		{name: "in no line", class: Credentials, says: "is in no line of the known_hosts file", setup: func(*Config) {
			must(t, os.WriteFile(h.known, nil, 0o600))
		}},
		{name: "the file is gone", class: Configuration, says: "known hosts cannot be read", setup: func(c *Config) {
			c.KnownHosts += ".gone"
		}},
		{name: "a key the server does not have", class: Credentials, says: "does not accept the key",
			setup: func(c *Config) { c.KeyFile = filepath.Join(h.dir, "other") }},
		{name: "a repository that is not there", class: Credentials, says: "is not there, " +
			"or the key may not see it", setup: func(c *Config) { c.URL += "x" }},
		{name: "a key others may read", class: Configuration,
			says: "want it readable by its owner alone", setup: func(c *Config) { must(t, os.Chmod(h.key, 0o644)) }},
	} {
		t.Run(row.name, func(t *testing.T) {
			h.knows("host")
			must(t, os.Chmod(h.key, 0o600))
			c := h.config()
			row.setup(&c)
			_, err := opened(t, c).Fetch(t.Context())
			wantError(t, err, row.class, row.says)
		})
	}
	_, err := Open(Config{URL: h.url, Dir: t.TempDir()})
	wantError(t, err, Configuration, "no known_hosts file")
}

// G1: a server of ssh that goes silent is left, in the middle of the handshake too.
func TestG1AServerOfSSHThatHangsIsLeft(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer l.Close()
	go func() { // ends with the listener
		for {
			if _, err := l.Accept(); err != nil {
				return
			}
		}
	}()
	known, key := filepath.Join(t.TempDir(), "known_hosts"), filepath.Join(t.TempDir(), "key")
	must(t, os.WriteFile(known, nil, 0o600))
	must(t, exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key).Run())
	s := opened(t, Config{
		URL:        "ssh://git@" + l.Addr().String() + "/shop.git",
		KnownHosts: known, KeyFile: key, Timeout: 300 * time.Millisecond,
	})
	_, err = s.Fetch(t.Context())
	wantError(t, err, Transient, "no end after 300ms")
}

// A server that has answered and closed the channel before the request is ended has
// failed nobody: over ssh that end is then answered with io.EOF.
func TestAServerMayCloseTheChannelFirst(t *testing.T) {
	for _, row := range []struct{ closing, want error }{{nil, nil}, {io.EOF, nil}, {net.ErrClosed, net.ErrClosed}} {
		p := &shellPeer{in: ending{row.closing}}
		if err := p.asked(); !errors.Is(err, row.want) || row.want == nil && err != nil {
			t.Errorf("ended with %v: %v; want %v", row.closing, err, row.want)
		}
	}
}

// ending is a stream that ends with an error.
type ending struct{ err error }

func (ending) Write(p []byte) (int, error) { return len(p), nil }
func (e ending) Close() error              { return e.err }
