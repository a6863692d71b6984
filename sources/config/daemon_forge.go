package config

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"adsync/internal/diag"
	"adsync/internal/pattern"

	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// PullRequests is where the pull requests of a repository are, and how often they are looked at. Its zero value is
// nowhere.
type PullRequests struct {
	Forge      Setting
	Repository Setting // owner/name; of GitLab all groups and the name
	API        Setting // address; zero for that of the forge itself
	Token      KeyReference
	App        ForgeApp // in the place of a token; its zero value is none
	Every      time.Duration
	// ProposeResults has what became of rows proposed for the workbooks and CSV files, as a pull request.
	ProposeResults bool

	Approvers     []Approver
	FourEyes      bool          // the yes of somebody whose pull request it is does not count
	CodeOwners    bool          // a yes counts of those alone who own the files, by the repository's CODEOWNERS
	ReviewExpires time.Duration // how long a yes is good for before the merge
	Before        bool          // what is approved is applied before the merge
}

// ForgeApp is an app of GitHub, as it is installed at an organization.
type ForgeApp struct {
	ID, Installation int64
	Key              KeyReference // its private key, as PEM
}

// Approver is somebody whose yes on a pull request counts.
type Approver struct {
	Who     Setting  // a login, or a team such as @acme/buyers
	Hazards []string // that it counts for; empty is all
}

// forges are those whose pull requests can be answered, and how each names a repository.
var (
	forges  = []string{"github", "gitlab", "gitea"}
	forgeOf = map[string]struct {
		name         *pattern.Pattern
		form, needed string // needed is an address that the forge cannot do without
	}{
		"github": {pattern.Of(`^[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9._-]+$`), "owner/name, such as acme/ads", ""},
		"gitlab": {pattern.Of(`^([A-Za-z0-9_][A-Za-z0-9._-]*/)+[A-Za-z0-9_][A-Za-z0-9._-]*$`),
			"its groups and its name, such as acme/media/ads", ""},
		"gitea": {pattern.Of(`^[A-Za-z0-9_][A-Za-z0-9._-]*/[A-Za-z0-9._-]+$`), "owner/name, such as acme/ads",
			"https://gitea.example.com"},
	}
)

func (p *PullRequests) read(w *settingReader, node *yaml.Node) {
	p.Every, p.FourEyes, p.ReviewExpires = 30*time.Second, true, 14*24*time.Hour
	problems := len(w.Problems)
	w.fields(node, "pull_requests", map[string]func(*yaml.Node){
		"forge":      func(n *yaml.Node) { p.Forge = w.choice(n, "pull_requests.forge", forges...) },
		"repository": func(n *yaml.Node) { p.Repository = w.setting(n, "pull_requests.repository") },
		"api":        func(n *yaml.Node) { p.API = w.setting(n, "pull_requests.api") },
		"token":      func(n *yaml.Node) { p.Token.read(w, n, "pull_requests.token", "GITHUB_TOKEN") },
		"app":        func(n *yaml.Node) { p.App.read(w, n) },
		"every":      func(n *yaml.Node) { w.duration(n, "pull_requests.every", &p.Every, time.Second, time.Hour) },
		"approvers":  func(n *yaml.Node) { p.Approvers = w.approvers(n) },
		"four_eyes": func(n *yaml.Node) {
			p.FourEyes = w.choice(n, "pull_requests.four_eyes", "true", "false").Value != "false"
		},
		"codeowners":      func(n *yaml.Node) { p.CodeOwners = w.yes(n, "pull_requests.codeowners") },
		"propose_results": func(n *yaml.Node) { p.ProposeResults = w.yes(n, "pull_requests.propose_results") },
		"review_expires": func(n *yaml.Node) {
			w.duration(n, "pull_requests.review_expires", &p.ReviewExpires, time.Minute, mostReview)
		},
		"apply": func(n *yaml.Node) {
			p.Before = w.choice(n, "pull_requests.apply", "on-merge", "before-merge").Value == "before-merge"
		},
	})
	if lacks := p.lacks(); lacks != "" && len(w.Problems) == problems {
		w.Report(node, diag.BadProject, lacks,
			"for example pull_requests: {forge: github, repository: acme/ads, token: {env: GITHUB_TOKEN}}")
	}
}

func (a *ForgeApp) read(w *settingReader, node *yaml.Node) {
	number := func(into *int64, name string) func(*yaml.Node) {
		return func(n *yaml.Node) {
			text := w.setting(n, "pull_requests.app."+name).Value
			var err error
			if *into, err = strconv.ParseInt(text, 10, 64); err != nil || *into <= 0 {
				w.Report(n, diag.BadProject,
					fmt.Sprintf("pull_requests.app.%s is %q; want its number at GitHub", name, text), "")
			}
		}
	}
	w.fields(node, "pull_requests.app", map[string]func(*yaml.Node){
		"id": number(&a.ID, "id"), "installation": number(&a.Installation, "installation"),
		"key": func(n *yaml.Node) { a.Key.read(w, n, "pull_requests.app.key", "GITHUB_APP_KEY") },
	})
}

// mostReview is how long a yes is good for at most: what was used is remembered for 60 days.
const mostReview = 30 * 24 * time.Hour

var (
	loginName  = pattern.Of(`^(@[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9._-]+)+|[A-Za-z0-9_][A-Za-z0-9._-]*)$`)
	hazardName = pattern.Of(`^[a-z]+(-[a-z]+)*$`)
)

// approvers reads a list of logins and teams, or of {who: ann, hazards: [exposure]}.
func (w *settingReader) approvers(node *yaml.Node) (all []Approver) {
	for one := range w.entriesOf(node, "pull_requests.approvers") {
		var a Approver
		if one.Kind == yaml.MappingNode {
			w.fields(one, "pull_requests.approvers", map[string]func(*yaml.Node){
				"who": func(n *yaml.Node) { a.Who = w.setting(n, "pull_requests.approvers.who") },
				"hazards": func(n *yaml.Node) {
					for _, h := range w.settings(n, "pull_requests.approvers.hazards") {
						a.Hazards = append(a.Hazards, h.Value)
					}
					if len(a.Hazards) == 0 || slices.ContainsFunc(a.Hazards, isNoHazard) {
						w.Report(n, diag.BadProject, "pull_requests.approvers.hazards names no hazards; "+
							"want names such as exposure", "leave it out for all hazards")
					}
				},
			})
		} else {
			a.Who = w.setting(one, "pull_requests.approvers")
		}
		if !loginName.MatchString(a.Who.Value) {
			w.Report(one, diag.BadProject,
				fmt.Sprintf("an approver is %q; want a login, or a team such as @acme/buyers", a.Who.Value), "")
			continue
		}
		all = append(all, a)
	}
	return all
}

func isNoHazard(name string) bool { return !hazardName.MatchString(name) }

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
	case p.App == ForgeApp{} && p.Token.From == "":
		return "pull_requests has no token; want where it is"
	case p.App != ForgeApp{} && (p.Token.From != "" || p.Forge.Value != "github"):
		return "pull_requests has an app; want it for github alone, and in the place of a token"
	case p.App != ForgeApp{} && (p.App.ID <= 0 || p.App.Installation <= 0 || p.App.Key.From == ""):
		return "pull_requests.app lacks something; want its id, its installation and its key"
	case p.Before && len(p.Approvers) == 0:
		return "pull_requests.apply is before-merge, and there are no approvers; want who says that it is applied"
	case p.CodeOwners && p.Forge.Value == "gitea":
		return "pull_requests.codeowners is true; want a forge whose CODEOWNERS has patterns: that of Gitea and " +
			"Forgejo has regular expressions, which adsync does not read"
	case p.CodeOwners && len(p.Approvers) == 0:
		return "pull_requests.codeowners is true, and there are no approvers; want whose yes counts where they own"
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
