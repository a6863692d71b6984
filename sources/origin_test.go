package sources_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/sources"
	"adsync/sources/attach"
	"adsync/sources/commits"
	"adsync/sources/config"
)

// repository is a real git repository with a project below its top.
type repository struct {
	t   *testing.T
	top string
	dir string
}

func newRepository(t *testing.T) *repository {
	t.Helper()
	top := t.TempDir()
	r := &repository{t: t, top: top, dir: filepath.Join(top, "ads")}
	must(t, os.MkdirAll(r.dir, 0o755))
	r.git("init", "-q", "-b", "main")
	return r
}

func (r *repository) git(args ...string) string {
	r.t.Helper()
	c := exec.Command("git",
		append([]string{"-C", r.top, "-c", "user.name=Nobody", "-c", "user.email=nobody@example.com"}, args...)...)
	out, err := c.CombinedOutput()
	if err != nil {
		r.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (r *repository) write(name, content string) {
	r.t.Helper()
	must(r.t, os.MkdirAll(filepath.Dir(filepath.Join(r.dir, name)), 0o755))
	must(r.t, os.WriteFile(filepath.Join(r.dir, name), []byte(content), 0o600))
}

// commit commits everything as somebody; each commit is an hour later.
func (r *repository) commit(author string) string {
	r.t.Helper()
	r.git("add", "-A")
	n := 0
	if exec.Command("git", "-C", r.top, "rev-parse", "-q", "--verify", "HEAD").Run() == nil {
		n = len(strings.Split(r.git("rev-list", "--all"), "\n"))
	}
	at := time.Date(2026, 11, 1, n, 0, 0, 0, time.UTC).Format(time.RFC3339)
	c := exec.Command("git", "-C", r.top, "-c", "user.name="+author,
		"-c", "user.email="+author+"@example.com", "commit", "-q", "-m", "by "+author)
	c.Env = append(os.Environ(), "GIT_AUTHOR_DATE="+at, "GIT_COMMITTER_DATE="+at)
	if out, err := c.CombinedOutput(); err != nil {
		r.t.Fatalf("git commit: %v\n%s", err, out)
	}
	return r.git("rev-parse", "HEAD")
}

// origin is who gave an attribute of the campaign what it is: the author's name,
// "uncommitted", or "" where that is not known.
func (r *repository) origin(address, attribute string) string {
	r.t.Helper()
	p, _ := config.ReadProject(r.dir)
	d := sources.Load(r.t.Context(), p, kinds.All())
	a, _ := resource.ParseAddress(address)
	found := d.Snapshot.Get(a)
	if found == nil {
		r.t.Fatalf("files have no %s: %s", address, printed(d.Problems))
	}
	origins, err := commits.OriginsOf(p, r.t.Context(),
		kinds.All(), []commits.Given{{Address: a, Attribute: attribute, Value: found.Value(attribute)}})
	must(r.t, err)
	o := origins[0]
	if o.Uncommitted {
		return "uncommitted"
	}
	if o.Commit != "" && r.git("show", "-s", "--format=%an %at",
		o.Commit) != fmt.Sprintf("%s %d", o.Author, o.At.Unix()) {
		r.t.Errorf("origin of %s is %+v; want what git says of that commit", attribute, o)
	}
	return o.Author
}

const (
	dearSpring  = "kind: campaign\nname: Spring launch\nbidding_type: clicks\nbudget: {daily: 80}\n"
	cheapSpring = "kind: campaign\nname: Spring launch\nbidding_type: clicks\nbudget: {daily: 50}\n"
)

func TestAValueHasTheCommitThatMadeIt(t *testing.T) {
	r := newRepository(t)
	r.write("a.yaml", cheapSpring)
	r.commit("Ann")
	r.write("a.yaml", "# moved down\n\n"+cheapSpring)
	r.commit("Bob") // a line moved is no value changed
	if got := r.origin("campaign/spring-launch", "budget.daily"); got != "Ann" {
		t.Errorf("budget is by %q; want Ann", got)
	}
	r.write("a.yaml", "\n"+dearSpring)
	r.commit("Cem")
	for attribute, want := range map[string]string{"budget.daily": "Cem", "name": "Ann"} {
		if got := r.origin("campaign/spring-launch", attribute); got != want {
			t.Errorf("%s is by %q; want %s", attribute, got, want)
		}
	}
	r.write("a.yaml", cheapSpring)
	if got := r.origin("campaign/spring-launch", "budget.daily"); got != "uncommitted" {
		t.Errorf("an edit nobody committed is by %q; want uncommitted", got)
	}
	r.commit("Dora") // the same as Ann's long ago, and Dora's all the same
	if got := r.origin("campaign/spring-launch", "budget.daily"); got != "Dora" {
		t.Errorf("a value put back is by %q; want Dora", got)
	}
}

func TestAValueHasTheCommitOfItsBranch(t *testing.T) {
	r := newRepository(t)
	r.write("a.yaml", cheapSpring)
	r.commit("Ann")
	r.git("checkout", "-q", "-b", "dearer")
	r.write("a.yaml", dearSpring)
	r.commit("Bob")
	r.git("checkout", "-q", "main")
	r.write("notes.txt", "nothing of ads")
	r.commit("Cem")
	r.git("merge", "-q", "--no-ff", "-m", "merge", "dearer")
	if got := r.origin("campaign/spring-launch", "budget.daily"); got != "Bob" {
		t.Errorf("a merged value is by %q; want Bob, who wrote it", got)
	}
}

func TestTheCellOfAWorkbookHasAnAuthor(t *testing.T) {
	r := newRepository(t)
	sheet := func(budget float64) string {
		return string(bookOf(t, sheetOf{name: "Campaigns",
			rows: [][]any{{"Campaign", "Bidding", "Daily budget"}, {"Spring launch", "clicks", budget}}}))
	}
	r.write("q4.xlsx", sheet(50))
	r.commit("Ann")
	r.write("q4.xlsx", sheet(80))
	r.commit("Bob")
	for attribute, want := range map[string]string{"budget.daily": "Bob", "bidding_type": "Ann"} {
		if got := r.origin("campaign/spring-launch", attribute); got != want {
			t.Errorf("%s is by %q; want %s", attribute, got, want)
		}
	}
}

func TestAValueThatMovedToAnotherFileKeepsItsAuthor(t *testing.T) {
	r := newRepository(t)
	r.write("a.yaml", cheapSpring)
	r.commit("Ann")
	must(t, os.Rename(filepath.Join(r.dir, "a.yaml"), filepath.Join(r.dir, "b.yaml")))
	r.commit("Bob")
	r.write("b.yaml", "kind: campaign\nname: [")
	r.commit("Cem") // what cannot be read says nothing
	r.write("b.yaml", cheapSpring)
	r.commit("Dora")
	if got := r.origin("campaign/spring-launch", "budget.daily"); got != "Ann" {
		t.Errorf("budget is by %q; want Ann", got)
	}
}

func TestAShallowCloneKnowsNoOrigins(t *testing.T) {
	r := newRepository(t)
	r.write("a.yaml", cheapSpring)
	r.commit("Ann")
	r.write("a.yaml", cheapSpring+"description: x\n")
	r.commit("Bob")
	shallow := filepath.Join(t.TempDir(), "shallow")
	r.git("clone", "-q", "--depth", "1", "file://"+r.top, shallow)
	r.top, r.dir = shallow, filepath.Join(shallow, "ads")
	if got := r.origin("campaign/spring-launch", "budget.daily"); got != "" {
		t.Errorf("in a shallow clone the budget is by %q; want nobody, as Ann's commit is not there", got)
	}
}

func TestOriginsEndWithTheirTime(t *testing.T) {
	r := newRepository(t)
	r.write("a.yaml", cheapSpring)
	r.commit("Ann")
	p, _ := config.ReadProject(r.dir)
	ctx, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	origins, err := commits.OriginsOf(p, ctx, kinds.All(), []commits.Given{{Attribute: "name"}})
	if err != nil || origins[0] != (commits.Origin{}) {
		t.Errorf("without time: %+v, %v; want nothing known and no error", origins, err)
	}
}

// G12 and X8: what a commit holds leads nowhere else, and nothing stays behind.
func TestACheckoutIsItsOwnFolder(t *testing.T) {
	r := newRepository(t)
	r.write("a.yaml", cheapSpring)
	r.write("deep/er/b.yaml", strings.ReplaceAll(dearSpring, "Spring", "Summer"))
	r.write(".adsync/state", "private")
	must(t, os.Symlink("/etc/passwd", filepath.Join(r.dir, "link.txt")))
	first := r.commit("Ann")
	r.write("a.yaml", dearSpring)
	p, _ := config.ReadProject(r.dir)
	c, err := commits.ReadCheckout(p, t.Context(), "HEAD")
	must(t, err)
	d := sources.Load(t.Context(), c.Project, kinds.All())
	if len(d.Problems) != 1 || d.Problems[0].Position.File() != "link.txt" ||
		d.Snapshot.Len() != 2 || c.Commit != first {
		t.Errorf("checkout of %s has %d resources, %s; want 2 of %s, and the link refused",
			c.Commit, d.Snapshot.Len(), printed(d.Problems), first)
	}
	if _, err := attach.ReadImageFile(c.Project, "link.txt"); err == nil {
		t.Error("a link out of the folder is followed")
	}
	if _, err := os.Lstat(filepath.Join(c.Project.Root, ".adsync")); err == nil {
		t.Error("adsync's own state is checked out")
	}
	folder := c.Project.Root
	c.Close()
	if _, err := os.Lstat(folder); !os.IsNotExist(err) {
		t.Errorf("after Close: %v; want the folder gone", err)
	}
	if _, err := commits.ReadCheckout(p, t.Context(), "gone"); err == nil ||
		!strings.Contains(err.Error(), `git revision is "gone"`) {
		t.Errorf("a revision nobody has: %v", err)
	}
}
