package forge

import (
	"net/url"
	"strings"
	"testing"
)

// What a forge says is the address of a comment is passed on only where a browser may be sent there.
func TestAddressesOfPages(t *testing.T) {
	for _, row := range []struct {
		name, api, address string
		want               bool
	}{
		{"GitHub", "https://api.github.com/", "https://github.com/acme/ads/pull/7#pullrequestreview-1", true},
		{"GitHub with its data apart", "https://api.acme.ghe.com/", "https://acme.ghe.com/acme/ads/pull/7", true},
		{"an Enterprise Server", "https://ghe.example.com/api/v3/", "https://ghe.example.com/acme/ads/pull/7", true},
		{"one with a port", "https://git.example.com:3000/", "https://git.example.com:3000/acme/ads/pulls/7", true},
		{"in other letters", "https://gitlab.example.com/", "https://GitLab.example.com/acme/ads", true},
		{"no https", "https://gitlab.example.com/", "http://gitlab.example.com/acme/ads", false},
		{"a program", "https://gitlab.example.com/", "javascript:alert(1)//gitlab.example.com", false},
		{"another host", "https://api.github.com/", "https://github.com.evil.example/acme", false},
		{"the API of an own host is no GitHub", "https://api.example.com/", "https://example.com/acme", false},
		{"another port", "https://git.example.com:3000/", "https://git.example.com/acme", false},
		{"with a user", "https://api.github.com/", "https://github.com@evil.example/", false},
		{"with a user of that host", "https://api.github.com/", "https://eve:x@github.com/", false},
		{"markup", "https://api.github.com/", "https://github.com/><img src=x>", false},
		{"a line break", "https://api.github.com/", "https://github.com/\n@acme/all", false},
		{"a direction mark", "https://api.github.com/", "https://github.com/\u202eevil", false},
		{"long", "https://api.github.com/", "https://github.com/" + strings.Repeat("a", 2000), false},
		{"none", "https://api.github.com/", "", false},
	} {
		base, err := url.Parse(row.api)
		if err != nil {
			t.Fatal(err)
		}
		want := ""
		if row.want {
			want = row.address
		}
		if got := siteOf(base).page(row.address); got != want {
			t.Errorf("%s: page(%q) = %q; want %q", row.name, row.address, got, want)
		}
	}
}

// The folders of a branch have pages at each forge, below what its own address has.
func TestPagesOfAFolder(t *testing.T) {
	for _, row := range []struct{ name, of, api, want string }{
		{"GitHub", "github", "", "https://github.com/acme/ads/tree/adsync/results/results/a/r1"},
		{"an Enterprise Server", "github", "https://ghe.example.com/api/v3",
			"https://ghe.example.com/acme/ads/tree/adsync/results/results/a/r1"},
		{"GitLab", "gitlab", "", "https://gitlab.com/acme/ads/-/tree/adsync/results/results/a/r1"},
		{"GitLab below a path", "gitlab", "https://example.com/gitlab/",
			"https://example.com/gitlab/acme/ads/-/tree/adsync/results/results/a/r1"},
		{"Gitea", "gitea", "https://git.example.com:3000",
			"https://git.example.com:3000/acme/ads/src/branch/adsync/results/results/a/r1"},
		{"Gitea below a path", "gitea", "https://example.com/git",
			"https://example.com/git/acme/ads/src/branch/adsync/results/results/a/r1"},
	} {
		r, err := map[string]func(Where) (Repository, error){
			"github": func(at Where) (Repository, error) { return NewGitHub(at) },
			"gitlab": func(at Where) (Repository, error) { return NewGitLab(at) },
			"gitea":  func(at Where) (Repository, error) { return NewGitea(at) },
		}[row.of](Where{Repository: "acme/ads", API: row.api})
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Tree("adsync/results", "results/a/r1"); got != row.want {
			t.Errorf("%s: %q; want %q", row.name, got, row.want)
		}
	}
}
