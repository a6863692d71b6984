package gitstore

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A server may be set up in many ways; every transport says the same of each.
func TestEveryTransportReadsServersAsTheyAreSetUp(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	t.Parallel()
	for _, row := range []struct {
		name  string
		setup func(*upstream) (ref, commit string)
		says  string // where it is refused
		file  string // where a path says something else
	}{
		{name: "HEAD names another branch than main", setup: func(u *upstream) (string, string) {
			u.git("checkout", "-q", "-b", "trunk")
			tip := u.push("upon the trunk")
			u.run(u.bare, "symbolic-ref", "HEAD", "refs/heads/trunk")
			return "", tip
		}},
		{name: "HEAD names a branch that is not there", setup: func(u *upstream) (string, string) {
			u.run(u.bare, "symbolic-ref", "HEAD", "refs/heads/gone")
			return "", ""
		}, says: "names no branch; want ref to name one of: main",
			file: "has no refs/heads/gone; want one of its branches: main"},
		{name: "a thousand branches and tags", setup: func(u *upstream) (string, string) {
			var lines strings.Builder
			for n := range 500 {
				fmt.Fprintf(&lines, "create refs/heads/team/%d HEAD\ncreate refs/tags/v%d HEAD\n", n, n)
			}
			c := exec.Command("git", "update-ref", "--stdin")
			c.Dir, c.Stdin = u.bare, strings.NewReader(lines.String())
			must(u.t, c.Run())
			return "team/499", u.git("rev-parse", "HEAD")
		}},
		{name: "an annotated tag", setup: func(u *upstream) (string, string) {
			u.git("tag", "-a", "-m", "the spring", "v1")
			u.git("push", "-q", "origin", "v1")
			return "v1", u.git("rev-parse", "HEAD")
		}},
		{name: "a commit within the history, any of which may be asked for", setup: func(u *upstream) (string, string) {
			first := u.git("rev-parse", "HEAD")
			u.push("later")
			u.run(u.bare, "config", "uploadpack.allowAnySHA1InWant", "true")
			return first, first
		}},
		{name: "a commit within the history, where only branches may be asked for",
			setup: func(u *upstream) (string, string) {
				first := u.git("rev-parse", "HEAD")
				u.push("later")
				return first, first
			}},
		{name: "a commit in a branch that is hidden, any of which may be asked for",
			setup: func(u *upstream) (string, string) {
				u.git("checkout", "-q", "-b", "hidden")
				tip := u.push("out of sight")
				u.run(u.bare, "config", "uploadpack.hideRefs", "refs/heads/hidden")
				u.run(u.bare, "config", "uploadpack.allowAnySHA1InWant", "true")
				return tip, tip
			}},
		{name: "settings of newer git, and a protocol of another version", setup: func(u *upstream) (string, string) {
			for _, setting := range []string{"uploadpack.allowFilter=true",
				"uploadpack.allowRefInWant=true", "protocol.version=2",
				"lsrefs.unborn=advertise", "transfer.advertiseSID=true", "receive.advertisePushOptions=true"} {
				name, value, _ := strings.Cut(setting, "=")
				u.run(u.bare, "config", name, value)
			}
			return "main", u.git("rev-parse", "HEAD")
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			u := filled(t)
			ref, commit := row.setup(u)
			for _, transport := range transports {
				c := transport.serve(t, u)
				c.Ref = ref
				says := row.says
				if transport.name == "path" && row.file != "" {
					says = row.file
				}
				r, err := opened(t, c).Fetch(t.Context())
				if says != "" {
					wantError(t, err, Input, says)
					continue
				}
				if err != nil || r.Commit != commit {
					t.Errorf("%s: fetched %+v, %v; want %s", transport.name, r, err, commit)
				}
			}
		})
	}
}

// A server may have keys of several kinds, and a known_hosts file may say in several
// ways which of them is right.
func TestAKnownHostIsFoundHoweverItIsWritten(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	t.Parallel()
	u := filled(t)
	h := shelledAt(t, u)
	keygen(t, "-t", "rsa", "-b", "2048", "-f", filepath.Join(h.dir, "rsa"))
	keygen(t, "-t", "ed25519", "-f", filepath.Join(h.dir, "authority"))
	port := freePort(t)
	config, err := os.ReadFile(filepath.Join(h.dir, "sshd_config"))
	must(t, err)
	_, now, _ := strings.Cut(h.url, "127.0.0.1:")
	now, _, _ = strings.Cut(now, "/")
	keygen(t, "-s", filepath.Join(h.dir, "authority"),
		"-I", "host", "-h", "-n", "127.0.0.1", filepath.Join(h.dir, "host.pub"))
	more := strings.Replace(string(config), "Port "+now,
		fmt.Sprintf("Port %d\nHostKey %s/rsa\nHostCertificate %s/host-cert.pub", port, h.dir, h.dir), 1)
	must(t, os.WriteFile(filepath.Join(h.dir, "sshd_config"), []byte(more), 0o600))
	h.serve(port)
	h.url = strings.Replace(h.url, ":"+now+"/", fmt.Sprintf(":%d/", port), 1)
	key := func(name string) string {
		public, err := os.ReadFile(filepath.Join(h.dir, name+".pub"))
		must(t, err)
		return strings.TrimSpace(string(public))
	}
	at := fmt.Sprintf("[127.0.0.1]:%d ", port)
	for _, row := range []struct {
		name, lines string
		hashed      bool
		says        string
	}{
		{name: "the other kind of key alone", lines: at + key("rsa")},
		{name: "both, after a remark", lines: "# the shop\n\n" + at + key("rsa") + "\n" + at + key("host")},
		{name: "names that are hashed", lines: at + key("host"), hashed: true},
		{name: "among other names", lines: fmt.Sprintf("git.example.com,[127.0.0.1]:%d %s", port, key("host"))},
		{name: "an authority of hosts", lines: "@cert-authority " + at + key("authority")},
		{name: "on another port", lines: "[127.0.0.1]:1 " + key("host"), says: "is in no line of the known_hosts file"},
		{name: "a key that was revoked", lines: "@revoked " + at + key("host") + "\n" + at + key("host"),
			says: "was revoked"},
		{name: "another key of that kind", lines: at + key("authority"),
			says: "shows another key than the known_hosts file"},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := h.config()
			c.KnownHosts = filepath.Join(t.TempDir(), "known_hosts")
			must(t, os.WriteFile(c.KnownHosts, []byte(row.lines+"\n"), 0o600))
			if row.hashed {
				keygen(t, "-H", "-f", c.KnownHosts)
			}
			_, err := opened(t, c).Fetch(t.Context())
			if row.says == "" {
				must(t, err)
				return
			}
			wantError(t, err, Credentials, row.says)
		})
	}
}

func keygen(t *testing.T, args ...string) {
	t.Helper()
	flags := []string{"-q"}
	if args[0] == "-t" {
		flags = append(flags, "-N", "")
	}
	if out, err := exec.Command("ssh-keygen", append(flags, args...)...).CombinedOutput(); err != nil {
		t.Fatalf("ssh-keygen %v: %v\n%s", args, err, out)
	}
}

// A server may serve those alone who ask for acknowledgements in detail, as Azure DevOps
// does; a thin pack is asked for by nobody.
func TestWhatIsAskedForIsTheSameOnEveryTransport(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	t.Parallel()
	u := worked(t)
	https := hostedAt(t, u)
	var asked []string
	https.intercept(func(w http.ResponseWriter, r *http.Request) bool {
		if strings.HasSuffix(r.URL.Path, "/git-upload-pack") {
			body, _ := io.ReadAll(r.Body)
			asked = append(asked, string(body))
			r.Body = io.NopCloser(bytes.NewReader(body))
		}
		return false
	})
	ssh := shelledAt(t, u)
	log := filepath.Join(ssh.dir, "asked")
	ssh.runs(fmt.Sprintf("tee -a %s | git-upload-pack '%s'", log, u.bare))
	for _, c := range []Config{https.config(), ssh.config()} {
		s := opened(t, c)
		fetched(t, s)
		u.write("ads/plan.csv", grown(u.n))
		u.push("a line")
		fetched(t, s)
		u.same(s)
	}
	over, err := os.ReadFile(log)
	must(t, err)
	for _, said := range append(asked, string(over)) {
		if !strings.Contains(said, " multi_ack_detailed") || strings.Contains(said, "thin-pack") {
			t.Errorf("the server is asked for\n%s\nwant multi_ack_detailed, and no thin pack", said)
		}
	}
	if len(asked) != 2 || strings.Count(string(over), "done\n") != 2 {
		t.Errorf("asked %d times over https, %q over ssh; want twice", len(asked), over)
	}
}

// A private key may be of any kind and form that ssh-keygen writes.
func TestPrivateKeysOfEveryKindAreRead(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	t.Parallel()
	u := filled(t)
	h := shelledAt(t, u)
	var all []byte
	rows := map[string][]string{
		"ed25519": {"-t", "ed25519"}, "ecdsa": {"-t", "ecdsa", "-b", "384"}, "rsa": {"-t", "rsa", "-b", "3072"},
		"rsa-pem":   {"-t", "rsa", "-b", "2048", "-m", "PEM"},
		"ecdsa-pem": {"-t", "ecdsa", "-m", "PEM"}, "rsa-pkcs8": {"-t", "rsa", "-b", "2048", "-m", "PKCS8"},
	}
	for name, flags := range rows {
		for _, phrase := range []string{"", "canary-phrase"} {
			file := filepath.Join(h.dir, name+phrase)
			out, err := exec.Command("ssh-keygen",
				append([]string{"-q", "-N", phrase, "-f", file}, flags...)...).CombinedOutput()
			if err != nil {
				t.Fatalf("ssh-keygen: %v\n%s", err, out)
			}
			public, err := os.ReadFile(file + ".pub")
			must(t, err)
			all = append(all, public...)
		}
	}
	must(t, os.WriteFile(filepath.Join(h.dir, "authorized_keys"), all, 0o600))
	for name := range rows {
		for _, phrase := range []string{"", "canary-phrase"} {
			t.Run(name+phrase, func(t *testing.T) {
				c := h.config()
				c.KeyFile, c.Passphrase = filepath.Join(h.dir, name+phrase), says(phrase)
				r, err := opened(t, c).Fetch(t.Context())
				if name == "rsa-pkcs8" && phrase != "" { // the one form that the library does not open
					wantError(t, err, Configuration, "in a form that is not read (PKCS 8)", "ssh-keygen -p -f")
					return
				}
				if err != nil || r.Movement != firstSeen {
					t.Errorf("fetched %+v, %v", r, err)
				}
			})
		}
	}
}

// An address may lead to a home on the other side.
func TestAnAddressMayNameAHome(t *testing.T) {
	for text, want := range map[string]string{
		"ssh://git@host/~ann/shop.git":     "~ann/shop.git",
		"ssh://git@host:2222/~/shop.git":   "~/shop.git",
		"ssh://git@host/srv/~ann/shop.git": "/srv/~ann/shop.git",
		"git@host:~ann/shop.git":           "~ann/shop.git",
		"git@host:/srv/shop.git":           "/srv/shop.git",
		"git@host:shop.git":                "shop.git",
		"host:shop.git":                    "shop.git",
		"git@[::1]:shop.git":               "shop.git",
	} {
		a, err := parseAddress(text)
		if err != nil || a.path != want || a.scheme != "ssh" {
			t.Errorf("parseAddress(%q) = %+v, %v; want the path %s", text, a, err, want)
		}
	}
}

// A server that is busy for a while before it says a word is waited for.
func TestAServerOfSSHThatTakesItsTimeIsWaitedFor(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	t.Parallel()
	u := filled(t)
	h := shelledAt(t, u)
	h.runs(fmt.Sprintf("echo 'Welcome to the shop' >&2\nsleep 2\nexec git-upload-pack '%s'", u.bare))
	c := h.config()
	c.Timeout = time.Minute
	fetched(t, opened(t, c))
	c.Timeout, c.Dir = time.Second, ""
	_, err := opened(t, c).Fetch(t.Context())
	wantError(t, err, Transient, "no end after 1s")
}
