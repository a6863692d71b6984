package forge

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/google/go-github/v89/github"
)

// GitHub is a repository on GitHub, or on a GitHub Enterprise Server.
type GitHub struct {
	owner, name string
	site        site
	client      *github.Client
	self        self       // by its login
	app         *appTokens // nil: the token is configured
}

// NewGitHub returns a repository, such as acme/ads.
func NewGitHub(at Where) (*GitHub, error) {
	owner, name, err := ownerAndName(at.Repository)
	if err != nil {
		return nil, err
	}
	if at.API == "" {
		at.API = "https://api.github.com"
	}
	base, err := at.base("https://ghe.example.com/api/v3")
	if err != nil {
		return nil, err
	}
	g := &GitHub{owner: owner, name: name, site: siteOf(base)}
	if at.App != nil {
		if g.app, err = newAppTokens(name, at, base); err != nil {
			return nil, err
		}
		at.Token = g.app.token
	}
	address := base.String()
	g.client, err = github.NewClient(github.WithURLs(&address, nil), github.WithHTTPClient(at.client(base)))
	return g, err
}

func ownerAndName(repository string) (owner, name string, err error) {
	owner, name, ok := strings.Cut(repository, "/")
	if !ok || owner == "" || name == "" || strings.Contains(name, "/") {
		return "", "", fmt.Errorf("the repository is %q; want owner/name, such as acme/ads", repository)
	}
	return owner, name, nil
}

// Open implements Repository.
func (g *GitHub) Open(ctx context.Context, branch string) (pulls []Pull, err error) {
	page := github.ListOptions{PerPage: 100}
	for range mostPages {
		found, answer, err := g.client.PullRequests.List(ctx, g.owner, g.name, &github.PullRequestListOptions{
			State: "open", Base: branch, Sort: "updated", Direction: "desc", ListOptions: page,
		})
		if err != nil {
			return nil, enough(err)
		}
		for _, p := range found {
			if p.GetBase().GetRef() != branch || p.GetNumber() <= 0 || !commitName.MatchString(p.GetHead().GetSHA()) {
				continue // what was not asked for
			}
			pulls = append(pulls, pullOf(p))
		}
		if page.Page = answer.NextPage; page.Page == 0 {
			return pulls, nil
		}
	}
	return pulls, ErrMore
}

func pullOf(p *github.PullRequest) Pull {
	of := Pull{
		Number: p.GetNumber(), Title: p.GetTitle(), Author: p.GetUser().GetLogin(), Branch: p.GetBase().GetRef(),
		Head: p.GetHead().GetSHA(), Ref: fmt.Sprintf("refs/pull/%d/head", p.GetNumber()), Address: p.GetHTMLURL(),
		Updated: p.GetUpdatedAt().Time, Closed: p.GetState() == "closed",
	}
	if from := p.GetHead(); from.GetRepo().GetFullName() != "" {
		of.Source = from.GetRepo().GetFullName() + ":" + from.GetRef()
	}
	if p.GetMerged() {
		of.Merged = p.GetMergeCommitSHA()
	}
	return of
}

// Say implements Repository.
func (g *GitHub) Say(ctx context.Context, pull int, id, text string) (Said, error) {
	comment := &github.IssueComment{Body: &text}
	if id == "" {
		var err error
		if id, err = g.said(ctx, pull, text); err != nil {
			return Said{}, enough(err)
		}
	}
	if number, err := strconv.ParseInt(id, 10, 64); err == nil {
		edited, answer, err := g.client.Issues.EditComment(ctx, g.owner, g.name, number, comment)
		if err == nil || answer == nil || answer.StatusCode != http.StatusNotFound {
			return Said{id, edited.GetBody()}, enough(err)
		}
	}
	made, _, err := g.client.Issues.CreateComment(ctx, g.owner, g.name, pull, comment)
	if err != nil {
		return Said{}, enough(err)
	}
	return Said{strconv.FormatInt(made.GetID(), 10), made.GetBody()}, nil
}

// login is that of this user, or of the app. The token of an app alone does not say whose it is.
func (g *GitHub) login(ctx context.Context) (string, error) {
	return g.self.ask(func() (string, error) {
		if g.app != nil {
			return g.app.login(ctx)
		}
		user, answer, err := g.client.Users.Get(ctx, "")
		if app := answer != nil && answer.StatusCode == http.StatusForbidden && enough(err) == err; app {
			return "", errors.New("GitHub does not say whose this token is, as of an app's: name the app itself " +
				"(pull_requests.app), so that its comments are told from those of other programs")
		}
		return user.GetLogin(), err
	})
}

// isOwn reports whether something is of this user.
func isOwn(u *github.User, login string) bool { return u.GetLogin() == login }

// said returns the id of this user's comment that begins with the first line of a text, "" where there is none.
func (g *GitHub) said(ctx context.Context, pull int, text string) (string, error) {
	login, err := g.login(ctx)
	if err != nil {
		return "", err
	}
	page := github.ListOptions{PerPage: 100}
	for range mostPages {
		comments, answer, err := g.client.Issues.ListComments(ctx, g.owner, g.name, pull,
			&github.IssueListCommentsOptions{ListOptions: page})
		if err != nil {
			return "", err
		}
		for _, c := range comments {
			if isOwn(c.GetUser(), login) && begins(c.GetBody(), text) {
				return strconv.FormatInt(c.GetID(), 10), nil
			}
		}
		if page.Page = answer.NextPage; page.Page == 0 {
			break
		}
	}
	return "", nil
}

// mostText is how many characters GitHub takes of a status.
const mostText = 140

// Judge implements Repository.
func (g *GitHub) Judge(ctx context.Context, commit string, v Verdict) error {
	state, text := string(v.State), clipped(v.Text, mostText)
	_, _, err := g.client.Repositories.CreateStatus(ctx, g.owner, g.name, commit,
		github.RepoStatus{State: &state, Description: &text, Context: &v.Name})
	return enough(err)
}

// enough is a LimitError where the forge has had enough.
func enough(err error) error {
	var primary *github.RateLimitError
	var secondary *github.AbuseRateLimitError
	switch {
	case errors.As(err, &primary):
		return &LimitError{primary.Rate.Reset.Time, err}
	case errors.As(err, &secondary) && secondary.RetryAfter != nil:
		return &LimitError{time.Now().Add(*secondary.RetryAfter), err}
	case errors.As(err, &secondary):
		return &LimitError{time.Now().Add(time.Minute), err}
	}
	return err
}

// Tree implements Repository.
func (g *GitHub) Tree(branch, folder string) string {
	return g.site.tree(g.owner+"/"+g.name, "tree", branch, folder)
}
