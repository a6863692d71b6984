package gitstore

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
)

// transports are the servers people have, none of them of Go, by how an address
// names them.
var transports = []struct {
	name  string
	serve func(*testing.T, *upstream) Config
}{
	{name: "ssh", serve: func(t *testing.T, u *upstream) Config { return shelledAt(t, u).config() }},
	{name: "ssh, a thin pack unasked", serve: func(t *testing.T, u *upstream) Config {
		h := shelledAt(t, u)
		h.thin(u)
		return h.config()
	}},
	{name: "https", serve: lighted},
	{name: "path", serve: func(_ *testing.T, u *upstream) Config {
		return Config{URL: "file://" + u.bare, Ref: "main", SubPath: "ads"}
	}},
}

// thin has the server behave as if a thin pack had been asked for, and no other form
// of a delta than one that names its base.
func (s *shelled) thin(u *upstream) {
	s.runs(fmt.Sprintf(`case "$SSH_ORIGINAL_COMMAND" in
git-upload-pack*) sed -u s/ofs-delta/thin-pack/ | git-upload-pack '%s' ;;
*) exec sh -c "$SSH_ORIGINAL_COMMAND" ;;
esac`, u.bare))
}

// runs has the server run this, whatever it is asked for.
func (s *shelled) runs(commands string) {
	s.t.Helper()
	script := filepath.Join(s.dir, "command")
	must(s.t, os.WriteFile(script, []byte("#!/bin/sh\n"+commands+"\n"), 0o755))
	public, err := os.ReadFile(filepath.Join(s.dir, "key.pub"))
	must(s.t, err)
	must(s.t, os.WriteFile(filepath.Join(s.dir, "authorized_keys"),
		fmt.Appendf(nil, "command=%q %s", script, public), 0o600))
}

// The steps of a repository that is worked in. Each of them is fetched by a store that
// has what came before.
var steps = []struct {
	name     string
	edit     func(*upstream) // ends with a push
	movement Movement
}{
	{name: "one line of a large file changes", movement: fastForward, edit: func(u *upstream) {
		u.write("ads/plan.csv", grown(1))
		u.push("one line")
	}},
	{name: "another one changes, and all is packed anew", movement: fastForward, edit: func(u *upstream) {
		u.write("ads/part-1.csv", grown(9))
		u.push("one line")
		u.packed()
	}},
	{name: "files are added, large ones like others", movement: fastForward, edit: func(u *upstream) {
		u.write("ads/new/copy.csv", strings.Replace(grown(1), "row 17,", "row seventeen,", 1))
		u.write("ads/new/small.yaml", "kind: campaign\n")
		u.push("a copy")
	}},
	{name: "files are deleted", movement: fastForward, edit: func(u *upstream) {
		u.git("rm", "-q", "ads/new/small.yaml", "ads/part-3.csv")
		u.push("fewer")
	}},
	{name: "files are renamed, one of them changed", movement: fastForward, edit: func(u *upstream) {
		u.git("mv", "ads/part-4.csv", "ads/part-four.csv")
		u.git("mv", "ads/plan.csv", "ads/budget.csv")
		u.write("ads/budget.csv", grown(2))
		u.push("other names")
	}},
	{name: "two branches are merged", movement: fastForward, edit: func(u *upstream) {
		u.git("checkout", "-q", "-b", "side", "HEAD~2")
		u.write("ads/side.csv", grown(3))
		u.commit("aside")
		u.git("checkout", "-q", "main")
		u.write("ads/budget.csv", grown(4))
		u.commit("meanwhile")
		u.git("merge", "-q", "--no-ff", "-m", "both", "side")
		u.git("push", "-q", "origin", "main")
	}},
	{name: "a thousand commits came, and the repository was packed anew",
		movement: fastForward, edit: func(u *upstream) {
			u.manyCommits(1000)
			u.packed()
		}},
	{name: "one line more, upon what was packed", movement: fastForward, edit: func(u *upstream) {
		u.write("ads/budget.csv", grown(6))
		u.push("one line more")
	}},
	{name: "history is rewritten by force", movement: rewrite, edit: func(u *upstream) {
		u.git("reset", "-q", "--hard", "HEAD~3")
		u.write("ads/budget.csv", grown(7))
		u.push("another past", "--amend")
	}},
	{name: "one line changes after that", movement: fastForward, edit: func(u *upstream) {
		u.write("ads/budget.csv", grown(8))
		u.push("goes on")
	}},
	{name: "the branch goes back", movement: rewind, edit: func(u *upstream) {
		u.git("reset", "-q", "--hard", "HEAD~1")
		u.git("push", "-q", "--force", "origin", "main")
	}},
}

// grown is a large file of which every version has another line.
func grown(version int) string {
	var b strings.Builder
	for n := range 500 {
		fmt.Fprintf(&b, "row %d,%x,a campaign of the shop\n", n, uint64(n)*0x9e3779b97f4a7c15)
	}
	return strings.Replace(b.String(), fmt.Sprintf("row %d,", 12*version),
		fmt.Sprintf("row of version %d,", version), 1)
}

// manyCommits puts commits upon the branch, each of which changes the large file.
func (u *upstream) manyCommits(count int) {
	u.t.Helper()
	var b bytes.Buffer
	lines := strings.SplitAfter(grown(5), "\n")
	for n := range count {
		lines[n%len(lines)] = fmt.Sprintf("row %d,of commit %d\n", n, n)
		content := strings.Join(lines, "")
		from := ""
		if n == 0 {
			from = "from refs/heads/main^0\n"
		}
		fmt.Fprintf(&b, "commit refs/heads/main\ncommitter Ann <ann@example.com> %d +0000\ndata 4\n"+
			"more\n%sM 100644 inline ads/budget.csv\ndata %d\n%s\n", 1793491200+60*n, from, len(content), content)
	}
	c := exec.Command("git", "fast-import", "--quiet", "--depth=50")
	c.Dir, c.Stdin = u.bare, &b
	if out, err := c.CombinedOutput(); err != nil {
		u.t.Fatalf("git fast-import: %v\n%s", err, out)
	}
	u.git("fetch", "-q", "origin", "main")
	u.git("reset", "-q", "--hard", "FETCH_HEAD")
}

// packed packs a repository as tightly as git does, with every index beside the packs.
func (u *upstream) packed() {
	u.t.Helper()
	for _, setting := range []string{"repack.writeBitmaps", "pack.writeReverseIndex"} {
		u.run(u.bare, "config", setting, "true")
	}
	u.run(u.bare, "gc", "-q", "--aggressive", "--prune=now")
	u.run(u.bare, "commit-graph", "write", "--reachable")
	u.run(u.bare, "multi-pack-index", "write", "--bitmap")
	u.run(u.bare, "pack-refs", "--all")
}

// worked is a repository with a history of large files that are like each other.
func worked(t *testing.T) *upstream {
	u := filled(t)
	for n := range 6 {
		u.write(fmt.Sprintf("ads/part-%d.csv", n), grown(20+n))
		u.commit(fmt.Sprint("part ", n))
	}
	u.write("ads/plan.csv", grown(0))
	u.push("the plan")
	return u
}

// Every transport fetches what people do to a repository, from servers as they are,
// into one store, which stays whole by git's own judgement.
func TestEveryTransportFetchesWhatPeopleDo(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	t.Parallel()
	for _, transport := range transports {
		t.Run(transport.name, func(t *testing.T) {
			t.Parallel()
			u := worked(t)
			s := opened(t, transport.serve(t, u))
			if r := fetched(t, s); r.Movement != firstSeen {
				t.Fatalf("the first fetch is %+v", r)
			}
			u.same(s)
			for _, step := range steps {
				step.edit(u)
				r, err := s.Fetch(t.Context())
				if held := step.movement != fastForward; held {
					wantError(t, err, Held)
					err = s.Accept(t.Context(), r)
				}
				if err != nil {
					t.Fatalf("%s: %v", step.name, err)
				}
				if r.Movement != step.movement {
					t.Errorf("%s: the branch moved by %s; want %s", step.name, r.Movement, step.movement)
				}
				u.same(s)
			}
		})
	}
}

// same holds that the store has the very files of the branch, as adsync reads them,
// and that git finds nothing wrong with it.
func (u *upstream) same(s *Store) {
	u.t.Helper()
	tip := u.run(u.bare, "rev-parse", "main")
	commit, err := s.commit(hashOf(tip))
	must(u.t, err)
	top, err := commit.Tree()
	must(u.t, err)
	var read []string
	must(u.t, top.Files().ForEach(func(f *object.File) error {
		content, err := f.Contents()
		if want, _ := os.ReadFile(filepath.Join(u.work, f.Name)); content != string(want) {
			u.t.Errorf("%s is read with %d bytes; want the %d of the file", f.Name, len(content), len(want))
		}
		if f.Mode != filemode.Regular {
			u.t.Errorf("%s has the mode %s", f.Name, f.Mode)
		}
		read = append(read, f.Name)
		return err
	}))
	if want := strings.Fields(u.git("ls-files")); !slices.Equal(read, want) {
		u.t.Errorf("files are %q; want %q", read, want)
	}
	u.run(s.Dir(), "-c", "safe.directory=*", "fsck", "--full", "--strict", tip)
	packs, err := filepath.Glob(filepath.Join(s.Dir(), "objects/pack/*.idx"))
	must(u.t, err)
	u.run(s.Dir(), append([]string{"verify-pack"}, packs...)...)
}

// Every transport carries adsync's own branches, upon what others put there.
func TestEveryTransportCarriesAnswers(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	t.Parallel()
	for _, transport := range transports {
		t.Run(transport.name, func(t *testing.T) {
			t.Parallel()
			u := worked(t)
			s := opened(t, transport.serve(t, u))
			watched := fetched(t, s)
			answer := func(version int) Answer {
				return Answer{
					Branch: "adsync/results", Base: watched.Commit,
					Files:   map[string][]byte{"results/plan.csv": []byte(grown(version))},
					Message: "adsync: applied",
				}
			}
			_, err := s.Push(t.Context(), answer(1))
			must(t, err)
			u.git("fetch", "-q", "origin", "adsync/results")
			u.git("checkout", "-q", "-B", "adsync/results", "FETCH_HEAD")
			u.write("results/notes.txt", "seen\n")
			u.write("results/plan.csv", grown(2))
			u.push("somebody writes there too")
			u.packed()
			pushed, err := s.Push(t.Context(), answer(3))
			must(t, err)
			if got := u.run(u.bare, "rev-parse", "adsync/results"); got != pushed.Commit {
				t.Errorf("the branch stands at %s; want %s", got, pushed.Commit)
			}
			if got := u.run(u.bare, "show", "adsync/results:results/plan.csv"); got+"\n" != grown(3) {
				t.Errorf("the file has %d bytes there; want %d", len(got), len(grown(3)))
			}
			if got := u.run(u.bare, "log", "--format=%s",
				"-3", "adsync/results"); got != "adsync: applied\nsomebody writes there too\nadsync: applied" {
				t.Errorf("the branch has %q", got)
			}
			u.run(u.bare, "fsck", "--full", "--strict")
		})
	}
}

// lighted serves a repository through git http-backend behind lighttpd and TLS.
func lighted(t *testing.T, u *upstream) Config {
	t.Helper()
	dir, port := t.TempDir(), freePort(t)
	certificate := filepath.Join(dir, "certificate.pem")
	out, err := exec.Command("openssl", "req", "-x509",
		"-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=127.0.0.1",
		"-addext", "subjectAltName=IP:127.0.0.1", "-keyout",
		filepath.Join(dir, "key.pem"), "-out", certificate).CombinedOutput()
	if err != nil {
		t.Fatalf("openssl: %v\n%s", err, out)
	}
	exe, err := exec.Command("git", "--exec-path").Output()
	must(t, err)
	must(t, os.WriteFile(filepath.Join(dir, "users"), []byte("x-access-token:"+theToken+"\n"), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "conf"), fmt.Appendf(nil, `
server.document-root = "%[1]s"
server.bind = "127.0.0.1"
server.port = %[2]d
server.modules = ("mod_alias", "mod_setenv", "mod_auth", "mod_authn_file", "mod_cgi", "mod_openssl")
ssl.engine = "enable"
ssl.pemfile = "%[1]s/certificate.pem"
ssl.privkey = "%[1]s/key.pem"
auth.backend = "plain"
auth.backend.plain.userfile = "%[1]s/users"
auth.require = ("/" => ("method" => "basic", "realm" => "git", "require" => "valid-user"))
alias.url = ("/git" => "%[3]s/git-http-backend")
cgi.assign = ("" => "")
setenv.set-environment = ("GIT_PROJECT_ROOT" => "%[4]s", "GIT_HTTP_EXPORT_ALL" => "1", "HOME" => "%[1]s",
  "GIT_CONFIG_COUNT" => "1", "GIT_CONFIG_KEY_0" => "safe.directory", "GIT_CONFIG_VALUE_0" => "*")
`, dir, port, strings.TrimSpace(string(exe)), filepath.Dir(u.bare)), 0o600))
	runServer(t, port, exec.Command("/usr/sbin/lighttpd", "-D", "-f", filepath.Join(dir, "conf")))
	return Config{
		URL: fmt.Sprintf("https://127.0.0.1:%d/git/%s", port, filepath.Base(u.bare)),
		Ref: "main", SubPath: "ads", CAFile: certificate, Token: says(theToken),
	}
}
