package codeowners

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	_ "adsync/internal/testing/drawn"

	"pgregory.net/rapid"
)

// ownersOf returns the owners that are said of a file, in words; "-" where it has none.
func ownersOf(t *testing.T, forge, content, name string) string {
	t.Helper()
	r, err := Parse(forge, []byte(content))
	if err != nil {
		t.Fatalf("Parse(%q) = %v", content, err)
	}
	owners, owned := r.Owners(name)
	if !owned {
		return "-"
	}
	return strings.Join(owners, " ")
}

// The lines are those of the example in GitHub's documentation, and files are those that it speaks of.
func TestGitHubsExample(t *testing.T) {
	const example = `# This is a comment.
*       @global-owner1 @global-owner2
*.js    @js-owner #This is an inline comment.
*.go docs@example.com
*.txt @octo-org/octocats
/build/logs/ @doctocat
docs/* docs@example.com
apps/ @octocat
/docs/ @doctocat
/scripts/ @doctocat @octocat
**/logs @octocat
/apps/ @octocat
/apps/github
/apps/ @octocat
/apps/github @doctocat
`
	for name, want := range map[string]string{
		"README.md":                       "@global-owner1 @global-owner2",
		"web/index.js":                    "@js-owner",
		"cmd/main.go":                     "",
		"notes/a.txt":                     "@octo-org/octocats",
		"build/logs/a":                    "@octocat", // by a later line
		"docs/getting-started.md":         "@doctocat",
		"docs/build-app/troubleshoot.md":  "@doctocat",
		"deep/apps/a/b.md":                "@octocat",
		"scripts/logs":                    "@octocat",
		"deeply/nested/logs/a/b":          "@octocat",
		"apps/a.md":                       "@octocat",
		"apps/github/a.md":                "@doctocat",
		"scripts/run.sh":                  "@doctocat @octocat",
		"other/docs/getting-started.html": "@global-owner1 @global-owner2",
	} {
		if got := ownersOf(t, "github", example, name); got != want {
			t.Errorf("%s is owned by %q; want %q", name, got, want)
		}
	}
	if got := ownersOf(t, "github", "docs/* @a\n", "docs/build-app/troubleshooting.md"); got != "-" {
		t.Errorf("docs/* is of a folder below, too: %q", got)
	}
	if got := ownersOf(t, "github", "/apps/ @octocat\n/apps/github\n", "apps/github/a"); got != "-" {
		t.Errorf("a pattern without owners leaves %q; want nobody", got)
	}
}

// The lines are those of the examples in GitLab's documentation.
func TestGitLabsExamples(t *testing.T) {
	const example = `* @default-owner
README.md @doc-team @tech-lead
*.rb @ruby-owner
LICENSE @legal janedoe@gitlab.com
README @group @group/with-nested/subgroup
/docs/ @all-docs
/docs/* @root-docs
/docs/**/*.md @markdown-docs
/db/**/index.md @index-docs
lib/ @lib-owner
/config/ @config-owner
path\ with\ spaces/ @space-owner
/roles @@maintainer
`
	for name, want := range map[string]string{
		"a":                      "@default-owner",
		"x/README.md":            "@doc-team @tech-lead",
		"app/a.rb":               "@ruby-owner",
		"LICENSE":                "@legal",
		"README":                 "@group @group/with-nested/subgroup",
		"docs/a/b.txt":           "@all-docs",
		"docs/b.txt":             "@root-docs",
		"docs/b.md":              "@markdown-docs",
		"docs/a/b/c.md":          "@markdown-docs",
		"db/index.md":            "@index-docs",
		"db/x/y/index.md":        "@index-docs",
		"x/lib/y":                "@lib-owner",
		"config/y":               "@config-owner",
		"x/config/y":             "@default-owner",
		"x/path with spaces/y":   "@space-owner",
		"x/path  with spaces/y":  "@default-owner",
		"roles":                  "@@maintainer",
		"roles/y":                "@default-owner", // a name without a slash at its end is of a file alone
		"x/LICENSE/y":            "@default-owner",
		"docs/LICENSE.md/b.toml": "@all-docs",
	} {
		if got := ownersOf(t, "gitlab", example, name); got != want {
			t.Errorf("%s is owned by %q; want %q", name, got, want)
		}
	}
}

func TestWhoOwnsAFile(t *testing.T) {
	for _, row := range []struct{ name, forge, content, file, want string }{
		{"nobody", "github", "", "a", "-"},
		{"a name with spaces", "github", `/shop/q\ 3\ \ plan.xlsx @ann`, "shop/q 3  plan.xlsx", "@ann"},
		{"a name of which another is the beginning", "github", "/shop/ads @ann", "shop/ads.xlsx", "-"},
		{"parentheses", "github", "/ads(old).csv @ann", "ads(old).csv", "@ann"},
		{"what means something to others", "github", "/a+b|c{2}^d$.csv @ann", "a+b|c{2}^d$.csv", "@ann"},
		{"a dot is a dot", "github", "a.csv @ann", "axcsv", "-"},
		{"letters count", "github", "/Shop/ @ann", "shop/a", "-"},
		{"every folder, by two stars", "github", "**/ads/*.csv @ann", "ads/a.csv", "@ann"},
		{"a folder of the top, as there is a slash within", "github", "ads/de @ann", "x/ads/de", "-"},
		{"the same where it is of every folder", "gitlab", "ads/de @ann", "x/ads/de", "@ann"},
		{"everything", "github", "/** @ann", "a", "@ann"},
		{"everything below", "github", "/ads/** @ann", "ads/b/c", "@ann"},
		{"a line break in its name", "github", "/ads/ @ann", "ads/a\nb", ""},
		{"a line break in its name, and no owner", "github", "/ads/", "ads/a\nb", ""},
		{"lines of Windows", "github", "* @ann\r\n/ads/ @bob\r\n", "ads/a", "@bob"},
		{"no end of the last line", "github", "* @ann\n/ads/ @bob", "ads/a", "@bob"},
		{"a mail address alone", "github", "* ann@example.com", "a", ""},
		{"a later line without owners", "gitlab", "* @ann\n/ads/\n", "ads/a", "-"},
	} {
		if got := ownersOf(t, row.forge, row.content, row.file); got != row.want {
			t.Errorf("%s: %q is owned by %q; want %q", row.name, row.file, got, row.want)
		}
	}
}

func TestWhatIsNotRead(t *testing.T) {
	for _, row := range []struct{ name, forge, content, want string }{
		{"a section", "gitlab", "* @a\n[Docs] @b\n", "line 2: it begins a section"},
		{"a section that is optional", "gitlab", "^[Docs]\ndocs/ @b", "line 1: it begins a section"},
		{"a section of two", "gitlab", "[Docs][2] @b", "it begins a section"},
		{"a section where there is none", "github", "[Docs]", "it begins a section"},
		{"what is left out", "gitlab", "* @a\n!b @a", "with ! before it"},
		{"a range", "github", "a[bc].csv @a", "* and ** alone"},
		{"any character", "github", "a?.csv @a", "* and ** alone"},
		{"a sign that is escaped", "github", `\#a @a`, "* and ** alone"},
		{"a backslash of Windows", "github", `ads\shop.csv @a`, "* and ** alone"},
		{"two stars among letters", "github", "a**b @a", "** as a whole folder"},
		{"two stars twice", "github", "**/**/a @a", "** as a whole folder"},
		{"two stars, and a slash at the end", "github", "/a/**/ @a", "** as a whole folder"},
		{"two stars at the end", "gitlab", "/a/** @a", "does not read"},
		{"a slash alone", "github", "/ @a", "does not read"},
		{"two slashes", "github", "/a//b @a", "does not read"},
		{"a word that is no owner", "github", "a.csv and b.csv @a", `an owner is "and"`},
		{"an owner without his sign", "github", "a.csv ann", `an owner is "ann"`},
		{"a group in a group", "github", "a.csv @a/b/c", `an owner is "@a/b/c"`},
		{"a comment behind owners", "gitlab", "a.csv @a # since June", `an owner is "#"`},
		{"a mark of the byte order", "github", "\ufeff* @a", "do not print"},
		{"a space of no keyboard", "github", "a\u00a0b @a", "do not print"},
		{"bytes of nothing", "github", "a\xff @a", "not UTF-8"},
		{"a pointer in the file's place", "github", "version https://git-lfs.github.com/spec/v1", "an owner is"},
		{"too much", "github", strings.Repeat("#", MostBytes+1), "want 262144 at most"},
		{"of a forge whose file is another", "gitea", `.*\\.go @a`, "is not read"},
	} {
		if _, err := Parse(row.forge, []byte(row.content)); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: Parse(%.40q) = %v; want %q", row.name, row.content, err, row.want)
		}
	}
}

// Patterns of GitHub are those of .gitignore, but that a star at the end is of files alone: git itself is asked.
func TestPatternsAreThoseOfGit(t *testing.T) {
	root := t.TempDir()
	git := func(in string, args ...string) string {
		c := exec.Command("git", append([]string{"-C", root}, args...)...)
		c.Stdin = strings.NewReader(in)
		out, _ := c.Output() // it ends with 1 where nothing matches
		return string(out)
	}
	git("", "init", "-q")
	var names []string
	for _, a := range []string{"a", "b", "a.csv"} {
		names = append(names, a+"1", a)
		for _, b := range []string{"a", "b.csv", "x(1)"} {
			names = append(names, "d/"+a+"/"+b, a+"/"+b+"/c/a", "x(1)/"+a+"/e/"+b)
		}
	}
	matched := 0
	rapid.Check(t, func(rt *rapid.T) {
		one := rapid.SampledFrom([]string{"a", "b", "d", "e", "*", "**", "a*", "*.csv", "x(1)", "a.csv"})
		pattern := strings.Join(rapid.SliceOfN(one, 1, 4).Draw(rt, "folders"), "/")
		pattern = rapid.SampledFrom([]string{"", "/"}).Draw(rt, "top") + pattern
		pattern += rapid.SampledFrom([]string{"", "/"}).Draw(rt, "end")
		r, err := Parse("github", []byte(pattern+" @a"))
		if err != nil || strings.HasSuffix(pattern, "/*") {
			return
		}
		if err := os.WriteFile(filepath.Join(root, ".gitignore"), []byte(pattern+"\n"), 0o600); err != nil {
			rt.Fatal(err)
		}
		ignored := "\n" + git(strings.Join(names, "\n"), "check-ignore", "--no-index", "--stdin")
		for _, name := range names {
			_, owned := r.Owners(name)
			if want := strings.Contains(ignored, "\n"+name+"\n"); owned != want {
				rt.Fatalf("%s matches %s: %t; git says %t", pattern, name, owned, want)
			}
			if owned {
				matched++
			}
		}
	})
	if matched == 0 {
		t.Error("nothing ever matched")
	}
}
