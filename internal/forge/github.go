package forge

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/google/go-github/v89/github"
)

// GitHub is a repository on GitHub, or on a GitHub Enterprise Server.
type GitHub struct {
	owner, name string
	client      *github.Client
	asked       bool   // who the token's user is
	login       string // of the token's user, "" for an app
}

// NewGitHub returns a repository, such as acme/ads. api is the address of the API, "" for that of github.com. The token
// is asked for before each request.
func NewGitHub(repository, api string, token func(context.Context) (string, error)) (*GitHub, error) {
	owner, name, ok := strings.Cut(repository, "/")
	if !ok || owner == "" || name == "" || strings.Contains(name, "/") {
		return nil, fmt.Errorf("the repository is %q; want owner/name, such as acme/ads", repository)
	}
	if api == "" {
		api = "https://api.github.com/"
	}
	base, err := url.Parse(strings.TrimSuffix(api, "/") + "/")
	if err != nil || base.Host == "" || base.User != nil || base.Scheme != "https" && !isHere(base.Hostname()) {
		return nil, fmt.Errorf("the address of the API is %q; "+
			"want one of https, such as https://ghe.example.com/api/v3", api)
	}
	at := base.String()
	client, err := github.NewClient(github.WithURLs(&at, nil), github.WithHTTPClient(&http.Client{
		Transport: &signed{host: base.Host, token: token}, Timeout: 30 * time.Second,
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if r.URL.Host != base.Host || len(via) > 3 {
				return errors.New("the forge sends this request elsewhere")
			}
			return nil
		},
	}))
	if err != nil {
		return nil, err
	}
	return &GitHub{owner: owner, name: name, client: client}, nil
}

func isHere(host string) bool { return host == "127.0.0.1" || host == "::1" || host == "localhost" }

// signed gives the token to the forge, and to no other host.
type signed struct {
	host  string
	token func(context.Context) (string, error)
}

func (s *signed) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Host != s.host {
		return nil, errors.New("the forge sends this request elsewhere")
	}
	token, err := s.token(r.Context())
	if err != nil {
		return nil, err
	}
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err == nil {
		answer.Body = http.MaxBytesReader(nil, answer.Body, mostAnswer)
	}
	return answer, err
}

// mostAnswer bounds an answer, in bytes: 100 comments of 65,536 characters, each of them escaped, are within it.
const mostAnswer = 64 << 20

// commitName is the full hash of a commit.
var commitName = regexp.MustCompile(`^[0-9a-f]{40}$`)

// mostPages bounds what is read of a list: 1,000 pull requests, or comments of one.
const mostPages = 10

// Open implements Repository.
func (g *GitHub) Open(ctx context.Context, branch string) (pulls []Pull, err error) {
	page := github.ListOptions{PerPage: 100}
	for range mostPages {
		found, answer, err := g.client.PullRequests.List(ctx, g.owner, g.name, &github.PullRequestListOptions{
			State: "open", Base: branch, Sort: "updated", Direction: "desc", ListOptions: page,
		})
		if err != nil {
			return nil, limited(err)
		}
		for _, p := range found {
			if p.GetBase().GetRef() != branch || p.GetNumber() <= 0 || !commitName.MatchString(p.GetHead().GetSHA()) {
				continue // what was not asked for
			}
			pulls = append(pulls, pullOf(p))
		}
		if page.Page = answer.NextPage; page.Page == 0 {
			break
		}
	}
	return pulls, nil
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
func (g *GitHub) Say(ctx context.Context, pull int, id, text string) (string, error) {
	comment := &github.IssueComment{Body: &text}
	if id == "" {
		var err error
		if id, err = g.said(ctx, pull, text); err != nil {
			return "", limited(err)
		}
	}
	if number, err := strconv.ParseInt(id, 10, 64); err == nil {
		_, answer, err := g.client.Issues.EditComment(ctx, g.owner, g.name, number, comment)
		if err == nil || answer == nil || answer.StatusCode != http.StatusNotFound {
			return id, limited(err)
		}
	}
	made, _, err := g.client.Issues.CreateComment(ctx, g.owner, g.name, pull, comment)
	if err != nil {
		return "", limited(err)
	}
	return strconv.FormatInt(made.GetID(), 10), nil
}

// said returns the id of this user's comment that begins with the first line of a text, "" where there is none. An app
// is not told who it is: its comment is that of an app.
func (g *GitHub) said(ctx context.Context, pull int, text string) (string, error) {
	if !g.asked {
		user, answer, err := g.client.Users.Get(ctx, "")
		app := answer != nil && answer.StatusCode == http.StatusForbidden && limited(err) == err
		if err != nil && !app {
			return "", err
		}
		g.asked, g.login = true, user.GetLogin()
	}
	mark, _, _ := strings.Cut(text, "\n")
	page := github.ListOptions{PerPage: 100}
	for range mostPages {
		comments, answer, err := g.client.Issues.ListComments(ctx, g.owner, g.name, pull,
			&github.IssueListCommentsOptions{ListOptions: page})
		if err != nil {
			return "", err
		}
		for _, c := range comments {
			first, _, _ := strings.Cut(c.GetBody(), "\n")
			own := c.GetUser().GetLogin() == g.login || g.login == "" && c.GetUser().GetType() == "Bot"
			if strings.TrimSuffix(first, "\r") == mark && own {
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
	state, text := string(v.State), v.Text
	if all := []rune(text); len(all) > mostText {
		text = string(all[:mostText-1]) + "…"
	}
	_, _, err := g.client.Repositories.CreateStatus(ctx, g.owner, g.name, commit,
		github.RepoStatus{State: &state, Description: &text, Context: &v.Name})
	return limited(err)
}

// limited is a LimitError where the forge has had enough.
func limited(err error) error {
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
