package sources_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/sources"
	"adsync/sources/commits"
	"adsync/sources/config"
)

// bared is a repository without a work tree that has what was committed so far.
func (r *repository) bared() string {
	r.t.Helper()
	bare := filepath.Join(r.t.TempDir(), "bare.git")
	r.git("clone", "-q", "--bare", ".", bare)
	return bare
}

func TestAProjectIsReadFromACommitAlone(t *testing.T) {
	r := newRepository(t)
	r.write("adsync.yaml", "account: {id: adacct_1, currency: USD, timezone: UTC}\n")
	r.write("a.yaml", cheapSpring)
	first := r.commit("Ann")
	r.write("a.yaml", dearSpring)
	second := r.commit("Bob")
	bare := r.bared()
	must(t, os.RemoveAll(r.top))
	campaign, _ := resource.ParseAddress("campaign/spring-launch")
	for _, row := range []struct {
		commit, author, budget string
	}{{first, "Ann", "50.00"}, {second, "Bob", "80.00"}} {
		home := filepath.Join(t.TempDir(), "state")
		c, err := commits.ReadCommit(t.Context(),
			config.Commit{Repository: bare, Path: "ads", Hash: row.commit}, home, "")
		must(t, err)
		d := sources.Load(t.Context(), c.Project, kinds.All())
		if len(d.Problems) > 0 || c.Project.Account.ID != "adacct_1" || c.Commit != row.commit {
			t.Fatalf("commit %s has project %+v: %s", row.commit, c.Project, printed(d.Problems))
		}
		budget := d.Snapshot.Get(campaign).Value("budget.daily")
		attribute, _ := kinds.All().Of(campaign.Kind).Attribute("budget.daily")
		if got := attribute.Show(budget); got != row.budget {
			t.Errorf("budget at %.7s is %s; want %s", row.commit, got, row.budget)
		}
		origins, err := commits.OriginsOf(c.Project, t.Context(), kinds.All(),
			[]commits.Given{{Address: campaign, Attribute: "budget.daily", Value: budget},
				{Address: campaign, Attribute: "name", Value: d.Snapshot.Get(campaign).Value("name")}})
		must(t, err)
		if origins[0].Author != row.author || origins[0].Commit != row.commit || origins[1].Author != "Ann" {
			t.Errorf("origins at %.7s are %+v; want the budget by %s, the name by Ann", row.commit, origins, row.author)
		}
		if revision, err := commits.RevisionOf(c.Project, d.Sources); err != nil ||
			revision.Commit != row.commit || revision.Path != "ads" || len(revision.Uncommitted) != 0 {
			t.Errorf("revision is %+v, %v; want the commit, and nothing uncommitted", revision, err)
		}
		if c.Project.StateFolder() != home {
			t.Errorf("state is in %s; want %s", c.Project.StateFolder(), home)
		}
		about, err := os.Stat(c.Project.Root)
		if must(t, err); about.Mode().Perm() != 0o700 {
			t.Errorf("folder is %v; want it private", about.Mode())
		}
		c.Close()
		if _, err := os.Stat(c.Project.Root); !os.IsNotExist(err) {
			t.Errorf("after Close the folder is there: %v", err)
		}
	}
	if _, err := commits.ReadCommit(t.Context(), config.Commit{Repository: bare, Path: "ads", Hash: second},
		"", "total=10"); !errors.Is(err, commits.ErrBeyondBounds) {
		t.Error("a commit of over 10 bytes is read; want the bound to hold")
	}
	if _, err := commits.ReadCommit(t.Context(), config.Commit{Repository: bare, Path: "ads", Hash: second[:12]},
		"", ""); err == nil {
		t.Error("a short hash is read; want a full one")
	}
}

// G16: a pointer of Git LFS says what helps where it was found: of a commit nothing is
// pulled.
func TestG16APointerOfACommitSaysWhatHelps(t *testing.T) {
	const pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"
	for _, name := range []string{"more.yaml", "Campaigns.csv", "more.xlsx", "hints.txt"} {
		t.Run(name, func(t *testing.T) {
			r := newRepository(t)
			r.write("adsync.yaml", "account: {id: adacct_1, currency: USD, timezone: UTC}\n")
			r.write("a.yaml", cheapSpring+
				"ad_groups:\n  - {name: Runners, bid: {max: 1.00}, context_hints: [{file: hints.txt}]}\n")
			r.write("hints.txt", "people who run\n")
			r.write(name, pointer)
			hash := r.commit("Ann")
			c, err := commits.ReadCommit(t.Context(),
				config.Commit{Repository: r.bared(), Path: "ads", Hash: hash}, t.TempDir(), "")
			must(t, err)
			defer c.Close()
			folder, _ := config.ReadProject(r.dir)
			for project, want := range map[*config.Project]string{
				&c.Project: "a commit is read without Git LFS", &folder: "run git lfs pull",
			} {
				problems := sources.Load(t.Context(), *project, kinds.All()).Problems
				found := slices.ContainsFunc(problems, func(p diag.Problem) bool {
					return strings.Contains(p.Message, "Git LFS pointer") && strings.HasPrefix(p.Hint, want)
				})
				if !found {
					t.Errorf("problems are %+v; want one of the pointer with the hint %q", problems, want)
				}
			}
		})
	}
}
