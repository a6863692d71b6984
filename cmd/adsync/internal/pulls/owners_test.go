package pulls

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"adsync/internal/codeowners"
)

// Where owners count, a yes counts of an approver who owns all files that the pull request changes. Approvers are bob,
// may, who is one of @acme/buyers, and ann, who is the author.
func TestWhoseYesCountsByOwners(t *testing.T) {
	both := []string{"bob: a=1", "bob: b=2"}
	file := func(name string, owners ...string) owned { return owned{File: name, Owners: owners} }
	for _, row := range []struct {
		name  string
		by    string
		owned Owned
		do    func(*consenting)
		want  []string
		says  string
	}{
		{name: "no file is owned", by: "bob", want: both, says: "Approved by `bob`"},
		{name: "an owner", by: "bob", owned: Owned{Files: []owned{file("a.csv", "@eve", "@BOB")}}, want: both,
			says: "Approved by `bob`"},
		{name: "one of a team", by: "may", owned: Owned{Files: []owned{file("a.csv", "@acme/buyers")}},
			want: []string{"may: a=1", "may: b=2"}, says: "- It needs a yes of `@acme/buyers`, who own `a.csv`.\n"},
		{name: "who is not of the team", by: "bob", owned: Owned{Files: []owned{file("a.csv", "@acme/buyers", "@fay")}},
			says: "as they do not own all of it: it needs a yes of `@acme/buyers` or `@fay`, who own `a.csv`"},
		{name: "an owner who is no approver", by: "eve", owned: Owned{Files: []owned{file("a.csv", "@eve")}},
			says: "as they are no approver"},
		{name: "an owner whose pull request it is", by: "ann", owned: Owned{Files: []owned{file("a.csv", "@ann")}},
			says: "as it is theirs"},
		{name: "of one file of two", by: "bob",
			owned: Owned{Files: []owned{file("a.csv", "@bob"), {File: "b.csv", More: 3, Owners: []string{"@fay"}}}},
			says:  "it needs a yes of `@fay`, who own `b.csv` and 3 more"},
		{name: "owned by mail addresses", by: "bob", owned: Owned{Files: []owned{file("a.csv")}},
			says: "CODEOWNERS names no login or team for it"},
		{name: "owners are not read", by: "bob", owned: Owned{Unread: "CODEOWNERS, line 3"},
			says: "as nobody owns its files: `CODEOWNERS, line 3`"},
		{name: "a role of GitLab", by: "bob", owned: Owned{Files: []owned{file("a.csv", "@@bob")}},
			says: "they do not own all of it"},
		{name: "a push to files of somebody else, and the same plan", by: "bob",
			owned: Owned{Files: []owned{file("a.csv", "@bob")}},
			do: func(f *consenting) {
				f.owned[7] = Owned{Files: []owned{file("b.csv", "@fay")}}
				f.push("h2", "a=1 b=2")
			}, says: "it needs a yes of `@fay`, who own `b.csv`"},
		{name: "the branch names somebody else", by: "bob", owned: Owned{Files: []owned{file("a.csv", "@bob")}},
			do: func(f *consenting) {
				f.owned[7] = Owned{Files: []owned{file("a.csv", "@fay")}}
				f.stamp = "two"
			}, says: "it needs a yes of `@fay`, who own `a.csv`"},
	} {
		t.Run(row.name, func(t *testing.T) {
			f := newConsenting(t)
			f.Rules.CodeOwners, f.owned[7] = true, row.owned
			f.look(t)
			f.reviews(row.by, "h1")
			if row.do != nil {
				f.look(t)
				row.do(f)
			}
			said := strings.Join(f.hubSays(func(*consenting) {}), "\n")
			if !strings.Contains(said, row.says) {
				t.Errorf("the comment is\n%s\nwant %q", said, row.says)
			}
			if got := f.merges(); !slices.Equal(got, row.want) {
				t.Errorf("handed on is %q; want %q", got, row.want)
			}
		})
	}
}

// A push right before the merge has files whose owners nobody has asked for.
func TestOwnersAreOfTheCommitThatIsMerged(t *testing.T) {
	f := newConsenting(t)
	f.Rules.CodeOwners, f.owned[7] = true, Owned{Files: []owned{{File: "a.csv", Owners: []string{"@bob"}}}}
	f.look(t)
	f.reviews("bob", "h1")
	f.look(t)
	f.hub.heads[7] = "h2"
	if got := f.merges(); got != nil {
		t.Errorf("handed on is %q; want nothing of a commit that was not planned", got)
	}
}

// Once owners count, what was planned before is planned anew: it does not know them.
func TestOwnersAreAskedForOfWhatWasPlannedBefore(t *testing.T) {
	f := newConsenting(t)
	f.reviews("bob", "h1")
	f.look(t)
	f.Rules.CodeOwners, f.owned[7] = true, Owned{Files: []owned{{File: "a.csv", Owners: []string{"@bob"}}}}
	f.look(t)
	if got := f.merges(); len(got) != 2 {
		t.Errorf("handed on is %q; want both", got)
	}
}

// The owners are those of the branch, where its forge looks for them.
func TestOwnersAreReadFromTheBranch(t *testing.T) {
	root := t.TempDir()
	git := func(args ...string) string {
		c := exec.Command("git", append([]string{"-C", root, "-c", "user.name=Ann", "-c", "user.email=a@example.com"},
			args...)...)
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q")
	for _, row := range []struct {
		name  string
		files map[string]string // "" is a link
		forge string
		want  string
	}{
		{"there is none", map[string]string{"a": "a"}, "github", "the branch has no CODEOWNERS"},
		{"in another forge's place", map[string]string{".gitlab/CODEOWNERS": "* @a"}, "github", "no CODEOWNERS"},
		{"in two places of GitHub", map[string]string{".github/CODEOWNERS": "* @a", "CODEOWNERS": "* @b"}, "github",
			"shop/b.csv of [@a]"},
		{"in two places of GitLab", map[string]string{".gitlab/CODEOWNERS": "* @a", "CODEOWNERS": "* @b"}, "gitlab",
			"shop/b.csv of [@b]"},
		{"below docs", map[string]string{"docs/CODEOWNERS": "/shop/ @a"}, "gitlab", "shop/b.csv of [@a]"},
		{"files of two", map[string]string{"CODEOWNERS": "* @a\nshop/c.csv @b"}, "github",
			"shop/b.csv of [@a], shop/c.csv of [@b]"},
		{"a section", map[string]string{"CODEOWNERS": "[Ads]\n* @a"}, "gitlab",
			"CODEOWNERS of the branch, line 1: it begins a"},
		{"a link", map[string]string{"CODEOWNERS": ""}, "github",
			"it is no regular file"},
		{"a folder", map[string]string{"CODEOWNERS/a": "* @a"}, "github", "it is no regular file"},
		{"too large", map[string]string{"CODEOWNERS": strings.Repeat("#", codeowners.MostBytes+1)}, "github",
			"262145 bytes"},
	} {
		git("rm", "-q", "-r", "-f", "--ignore-unmatch", ".")
		for name, content := range row.files {
			at := filepath.Join(root, name)
			err := os.MkdirAll(filepath.Dir(at), 0o700)
			if content == "" {
				err = os.Symlink("elsewhere", at)
			} else if err == nil {
				err = os.WriteFile(at, []byte(content), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		git("add", "-A")
		git("commit", "-q", "-m", row.name)
		got, err := ownersAt(filepath.Join(root, ".git"), git("rev-parse", "HEAD"), row.forge,
			[]string{"shop/b.csv", "shop/c.csv"})
		if err != nil {
			t.Fatal(err)
		}
		said := got.Unread
		for i, f := range got.Files {
			if i > 0 {
				said += ", "
			}
			said += f.File + " of [" + strings.Join(f.Owners, " ") + "]"
		}
		if !strings.Contains(said, row.want) {
			t.Errorf("%s: %q; want %q", row.name, said, row.want)
		}
	}
}
