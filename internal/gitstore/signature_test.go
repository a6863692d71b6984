package gitstore

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// G20: where signers are named, a commit of nobody among them is refused.
func TestG20ACommitOfNobodyKnownIsRefused(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	t.Parallel()
	dir := t.TempDir()
	key := func(name string) string {
		must(t, exec.Command("ssh-keygen", "-q", "-t",
			"ed25519", "-N", "", "-C", name, "-f", filepath.Join(dir, name)).Run())
		public, err := os.ReadFile(filepath.Join(dir, name+".pub"))
		must(t, err)
		return strings.TrimSpace(string(public))
	}
	ann := key("ann")
	key("eve")
	sign := func(name string) []string {
		return []string{"-c", "gpg.format=ssh", "-c", "user.signingkey=" + filepath.Join(dir, name)}
	}
	for _, row := range []struct {
		name    string
		signers string
		config  []string
		want    string // the signer
		says    string
	}{
		{name: "signed by Ann", signers: "ann@example.com " + ann, config: sign("ann"), want: "ann@example.com"},
		{name: "for git alone", signers: `ann@example.com namespaces="git" ` + ann,
			config: sign("ann"), want: "ann@example.com"},
		{name: "while it is valid", signers: `ann@example.com valid-after="20260101Z",valid-before="20270101Z" ` + ann,
			config: sign("ann"), want: "ann@example.com"},
		{name: "not signed", signers: "ann@example.com " + ann, says: "by Ann is not signed"},
		{name: "signed by Eve", signers: "ann@example.com " + ann,
			config: sign("eve"), says: "its signer is nobody who is allowed (SHA256:"},
		{name: "for files alone", signers: `ann@example.com namespaces="file" ` + ann,
			config: sign("ann"), says: "nobody who is allowed"},
		{name: "no longer valid", signers: `ann@example.com valid-before="20260101Z" ` + ann,
			config: sign("ann"), says: "nobody who is allowed"},
	} {
		t.Run(row.name, func(t *testing.T) {
			u := filled(t)
			u.n++
			flags := append(row.config, "commit", "-q", "--allow-empty", "-m", "the commit")
			if row.config != nil {
				flags = append(flags, "-S")
			}
			u.git(flags...)
			u.git("push", "-q", "origin", "HEAD")
			file := filepath.Join(t.TempDir(), "signers")
			must(t, os.WriteFile(file, []byte("# who may\n\n"+row.signers+"\n"), 0o600))
			s := opened(t, Config{URL: u.bare, Ref: "main", SubPath: "ads", Signers: file})
			r, err := s.Fetch(t.Context())
			if row.says != "" {
				wantError(t, err, Input, row.says, "want the signature of somebody in "+file)
				return
			}
			must(t, err)
			if r.Signer != row.want {
				t.Errorf("signer is %q; want %q", r.Signer, row.want)
			}
		})
	}
	t.Run("a signature of another commit", func(t *testing.T) {
		u := filled(t)
		u.git(append(sign("ann"), "commit", "-q", "--allow-empty", "-S", "-m", "the commit")...)
		signed := u.run(u.work, "cat-file", "commit", "HEAD")
		forged := u.object("commit", []byte(strings.Replace(signed, "the commit", "another one", 1)+"\n"))
		u.git("push", "-q", "origin", forged+":refs/heads/main")
		file := filepath.Join(t.TempDir(), "signers")
		must(t, os.WriteFile(file, []byte("ann@example.com "+ann), 0o600))
		_, err := opened(t, Config{URL: u.bare, Ref: "main", Signers: file}).Fetch(t.Context())
		wantError(t, err, Input, "its signature is of other bytes")
	})
}

func TestG20ACommitSignedWithGPG(t *testing.T) {
	home, err := os.MkdirTemp("", "adsync-gpg-") // its sockets want a short path
	must(t, err)
	t.Cleanup(func() {
		exec.Command("gpgconf", "--homedir", home, "--kill", "all").Run()
		os.RemoveAll(home)
	})
	gpg := func(args ...string) []byte {
		t.Helper()
		c := exec.Command("gpg", append([]string{"--homedir",
			home, "--batch", "--quiet", "--passphrase", "", "--pinentry-mode", "loopback"}, args...)...)
		out, err := c.Output()
		if err != nil {
			t.Fatalf("gpg %v: %v", args, err)
		}
		return out
	}
	for _, name := range []string{"ann", "eve"} {
		gpg("--quick-generate-key", name+"@example.com", "ed25519", "sign", "never")
	}
	t.Setenv("GNUPGHOME", home)
	ring := func(name string) string {
		file := filepath.Join(t.TempDir(), name)
		must(t, os.WriteFile(file, gpg("--armor", "--export", name+"@example.com"), 0o600))
		return file
	}
	u := filled(t)
	c := exec.Command("git", "-C", u.work, "-c", "user.name=Ann", "-c", "user.email=ann@example.com",
		"-c", "user.signingkey=ann@example.com", "commit", "-q", "--allow-empty", "-S", "-m", "signed")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	u.git("push", "-q", "origin", "HEAD")
	if r := fetched(t, opened(t, Config{URL: u.bare, Ref: "main", Signers: ring("ann")})); r.Signer !=
		"ann@example.com" {
		t.Errorf("signer is %q; want ann@example.com", r.Signer)
	}
	_, err = opened(t, Config{URL: u.bare, Ref: "main", Signers: ring("eve")}).Fetch(t.Context())
	wantError(t, err, Input, "its signature is of nobody known")
}

func TestFilesOfSignersThatCannotBeRead(t *testing.T) {
	for _, row := range []struct{ content, says string }{
		{"", "names no signer"},
		{"ann@example.com", "the line has no key"},
		{"ann@example.com ssh-ed25519 AAAA", "the key cannot be read"},
		{"ann@example.com cert-authority ssh-ed25519 " +
			"AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl",
			`the option "cert-authority" is not known here`},
		{"-----BEGIN PGP PUBLIC KEY BLOCK-----\nx\n", "is no keyring that can be read"},
	} {
		file := filepath.Join(t.TempDir(), "signers")
		must(t, os.WriteFile(file, []byte(row.content), 0o600))
		_, err := Open(Config{URL: "/srv/x", Dir: t.TempDir(), Signers: file})
		wantError(t, err, Configuration, row.says)
	}
	_, err := Open(Config{URL: "/srv/x", Dir: t.TempDir(), Signers: filepath.Join(t.TempDir(), "gone")})
	wantError(t, err, Configuration, "the file of signers cannot be read")
}
