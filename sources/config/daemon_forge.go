package config

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"time"

	"adsync/internal/diag"

	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// PullRequests is where the pull requests of a repository are, and how often they are looked at. Its zero value is
// nowhere.
type PullRequests struct {
	Forge      Setting
	Repository Setting // owner/name; of GitLab all groups and the name
	API        Setting // address; zero for that of the forge itself
	Token      KeyReference
	Every      time.Duration
}

// forges are those whose pull requests can be answered, and how each names a repository.
var (
	forges  = []string{"github", "gitlab", "gitea"}
	forgeOf = map[string]struct {
		name         *regexp.Regexp
		form, needed string // needed is an address that the forge cannot do without
	}{
		"github": {regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9._-]+$`), "owner/name, such as acme/ads", ""},
		"gitlab": {regexp.MustCompile(`^([A-Za-z0-9_][A-Za-z0-9._-]*/)+[A-Za-z0-9_][A-Za-z0-9._-]*$`),
			"its groups and its name, such as acme/media/ads", ""},
		"gitea": {regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]*/[A-Za-z0-9._-]+$`), "owner/name, such as acme/ads",
			"https://gitea.example.com"},
	}
)

func (p *PullRequests) read(w *settingReader, node *yaml.Node) {
	p.Every = 30 * time.Second
	problems := len(w.Problems)
	w.fields(node, "pull_requests", map[string]func(*yaml.Node){
		"forge":      func(n *yaml.Node) { p.Forge = w.choice(n, "pull_requests.forge", forges...) },
		"repository": func(n *yaml.Node) { p.Repository = w.setting(n, "pull_requests.repository") },
		"api":        func(n *yaml.Node) { p.API = w.setting(n, "pull_requests.api") },
		"token":      func(n *yaml.Node) { p.Token.read(w, n, "pull_requests.token", "GITHUB_TOKEN") },
		"every":      func(n *yaml.Node) { w.duration(n, "pull_requests.every", &p.Every, time.Second, time.Hour) },
	})
	if lacks := p.lacks(); lacks != "" && len(w.Problems) == problems {
		w.Report(node, diag.BadProject, lacks,
			"for example pull_requests: {forge: github, repository: acme/ads, token: {env: GITHUB_TOKEN}}")
	}
}

// lacks returns what is missing of it.
func (p *PullRequests) lacks() string {
	api, err := url.Parse(p.API.Value)
	forge, known := forgeOf[p.Forge.Value]
	switch {
	case !known:
		return "pull_requests has no forge; want " + strings.Join(forges, ", ")
	case !forge.name.MatchString(p.Repository.Value):
		return fmt.Sprintf("pull_requests.repository is %q; want %s", p.Repository.Value, forge.form)
	case p.API.Value == "" && forge.needed != "":
		return "pull_requests has no api; want the address of the forge, such as " + forge.needed
	case p.Token.From == "":
		return "pull_requests has no token; want where it is"
	case p.API.Value != "" &&
		(err != nil || api.Host == "" || api.User != nil || api.Scheme != "https" && !isLoopback(api)):
		return fmt.Sprintf("pull_requests.api is %q; want an address of https, such as https://ghe.example.com/api/v3",
			p.API.Value)
	}
	return ""
}

func isLoopback(u *url.URL) bool {
	return u.Scheme == "http" && (u.Hostname() == "127.0.0.1" || u.Hostname() == "::1" || u.Hostname() == "localhost")
}
