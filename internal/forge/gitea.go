package forge

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"

	"code.gitea.io/sdk/gitea"
)

// Gitea is a repository on a Gitea or a Forgejo.
type Gitea struct {
	owner, name, address string
	site                 site
	http                 *http.Client
	self                 self // by its id
}

// NewGitea returns a repository, such as acme/ads.
func NewGitea(at Where) (*Gitea, error) {
	owner, name, err := ownerAndName(at.Repository)
	if err != nil {
		return nil, err
	}
	base, err := at.base("https://gitea.example.com")
	if err != nil {
		return nil, err
	}
	return &Gitea{owner: owner, name: name, address: base.String(), site: siteOf(base),
		http: at.client(base)}, nil
}

// client returns what asks under a context: a client has one for all requests.
func (g *Gitea) client(ctx context.Context) (*gitea.Client, error) {
	return gitea.NewClient(g.address, gitea.SetHTTPClient(g.http), gitea.SetContext(ctx), gitea.SetGiteaVersion(""))
}

// pageOfGitea is how many of a list Gitea gives at once, unless somebody set it to give fewer.
const pageOfGitea = 50

// pagesOfGitea bounds what is read of a list: 1,000 pull requests.
const pagesOfGitea = 20

// giteaPages reads the pages of a list until it has as many as Gitea says there are, or one is empty: not every list
// says it.
func giteaPages[T any](page *gitea.ListOptions, list func() ([]*T, *gitea.Response, error)) (all []*T, err error) {
	page.PageSize = pageOfGitea
	seen := 0
	for page.Page = 1; page.Page <= pagesOfGitea; page.Page++ {
		found, answer, err := list()
		if err != nil {
			return nil, enoughOfGitea(answer, err)
		}
		seen += len(found)
		total, bad := strconv.Atoi(answer.Header.Get("X-Total-Count"))
		if len(found) == 0 || bad == nil && seen >= total {
			return slices.DeleteFunc(append(all, found...), func(one *T) bool { return one == nil }), nil
		}
		all = append(all, found...)
	}
	return slices.DeleteFunc(all, func(one *T) bool { return one == nil }), ErrMore
}

// Open implements Repository.
func (g *Gitea) Open(ctx context.Context, branch string) (pulls []Pull, err error) {
	client, err := g.client(ctx)
	if err != nil {
		return nil, err
	}
	options := gitea.ListPullRequestsOptions{State: gitea.StateOpen, Sort: "recentupdate"}
	found, err := giteaPages(&options.ListOptions, func() ([]*gitea.PullRequest, *gitea.Response, error) {
		return client.ListRepoPullRequests(g.owner, g.name, options)
	})
	if err != nil && !errors.Is(err, ErrMore) {
		return nil, err
	}
	for _, r := range found {
		p := giteaPull(r)
		if p.Branch == branch && !p.Closed && p.Number > 0 && commitName.MatchString(p.Head) {
			pulls = append(pulls, p) // others were not asked for
		}
	}
	return pulls, err
}

func giteaPull(r *gitea.PullRequest) Pull {
	p := Pull{
		Number: int(r.Index), Title: r.Title, Address: r.HTMLURL, Ref: fmt.Sprintf("refs/pull/%d/head", r.Index),
		Closed: r.State != gitea.StateOpen,
	}
	if r.Poster != nil && !isGitea(r.Poster) {
		p.Author = r.Poster.UserName
	}
	if r.Base != nil {
		p.Branch = r.Base.Ref
	}
	if r.Head != nil {
		p.Head = r.Head.Sha
		if r.Head.Repository != nil {
			p.Source = r.Head.Repository.FullName + ":" + r.Head.Ref
		}
	}
	if r.Updated != nil {
		p.Updated = *r.Updated
	}
	if r.HasMerged && r.MergedCommitID != nil {
		p.Merged = *r.MergedCommitID
	}
	return p
}

// Say implements Repository.
func (g *Gitea) Say(ctx context.Context, pull int, id, text string) (Said, error) {
	client, err := g.client(ctx)
	if err != nil {
		return Said{}, err
	}
	if id == "" {
		if id, err = g.said(client, pull, text); err != nil {
			return Said{}, err
		}
	}
	if number, err := strconv.ParseInt(id, 10, 64); err == nil {
		edited, answer, err := client.EditIssueComment(g.owner, g.name, number,
			gitea.EditIssueCommentOption{Body: text})
		switch {
		case err == nil:
			return Said{id, edited.Body}, nil
		case answer == nil || answer.StatusCode != http.StatusNotFound:
			return Said{}, enoughOfGitea(answer, err)
		}
	}
	made, answer, err := client.CreateIssueComment(g.owner, g.name, int64(pull),
		gitea.CreateIssueCommentOption{Body: text})
	if err != nil {
		return Said{}, enoughOfGitea(answer, err)
	}
	return Said{strconv.FormatInt(made.ID, 10), made.Body}, nil
}

// me is the id of this user.
func (g *Gitea) me(client *gitea.Client) (string, error) {
	return g.self.ask(func() (string, error) {
		user, answer, err := client.GetMyUserInfo()
		if err != nil {
			return "", enoughOfGitea(answer, err)
		}
		return strconv.FormatInt(user.ID, 10), nil
	})
}

// said returns the id of this user's comment that begins with the first line of a text, "" where there is none.
func (g *Gitea) said(client *gitea.Client, pull int, text string) (string, error) {
	self, err := g.me(client)
	if err != nil {
		return "", err
	}
	comments, err := g.comments(client, pull)
	if err != nil {
		return "", err
	}
	for _, c := range comments {
		if strconv.FormatInt(c.Poster.ID, 10) == self && begins(c.Body, text) {
			return strconv.FormatInt(c.ID, 10), nil
		}
	}
	return "", nil
}

// comments are those of a pull request, the oldest first: Gitea gives all of them at once. What was brought from
// another forge is left out: it is not of who seems to have written it.
func (g *Gitea) comments(client *gitea.Client, pull int) ([]*gitea.Comment, error) {
	comments, answer, err := client.ListIssueComments(g.owner, g.name, int64(pull), gitea.ListIssueCommentOptions{})
	return slices.DeleteFunc(comments, func(c *gitea.Comment) bool {
		return c == nil || c.Poster == nil || c.OriginalAuthor != "" || c.OriginalAuthorID != 0
	}), enoughOfGitea(answer, err)
}

// Judge implements Repository.
func (g *Gitea) Judge(ctx context.Context, commit string, v Verdict) error {
	client, err := g.client(ctx)
	if err != nil {
		return err
	}
	_, answer, err := client.CreateStatus(g.owner, g.name, commit, gitea.CreateStatusOption{
		State: gitea.StatusState(v.State), Description: clipped(v.Text, mostOfGitea), Context: v.Name})
	return enoughOfGitea(answer, err)
}

// mostOfGitea is how many characters are sent of a status: its page shows a line.
const mostOfGitea = 255

// enoughOfGitea is a LimitError where a Gitea, or what is before it, has had enough.
func enoughOfGitea(answer *gitea.Response, err error) error {
	if answer == nil {
		return err
	}
	return limited(answer.Response, err)
}

// Find implements Repository.
func (g *Gitea) Find(ctx context.Context, number int) (Pull, error) {
	client, err := g.client(ctx)
	if err != nil {
		return Pull{}, err
	}
	r, answer, err := client.GetPullRequest(g.owner, g.name, int64(number))
	if answer != nil && answer.StatusCode == http.StatusNotFound {
		return deleted(number, err, func() error {
			_, answer, err := client.ListRepoPullRequests(g.owner, g.name, gitea.ListPullRequestsOptions{
				State: gitea.StateAll, ListOptions: gitea.ListOptions{Page: 1, PageSize: 1},
			})
			return enoughOfGitea(answer, err)
		})
	}
	if err != nil {
		return Pull{}, enoughOfGitea(answer, err)
	}
	p := giteaPull(r)
	merged := !r.HasMerged || commitName.MatchString(p.Merged)
	if p.Number != number || !commitName.MatchString(p.Head) || !merged {
		return Pull{}, fmt.Errorf("the forge says of pull request %d what is no pull request", number)
	}
	return p, nil
}

// Consents implements Repository.
func (*Gitea) Consents() (reviews, comments bool) { return true, false }

// Talk implements Repository. All comments count as edited: Gitea's times are whole seconds, and whoever may write to
// the repository can edit what somebody said within the second in which they said it. What a review says stays.
func (g *Gitea) Talk(ctx context.Context, p Pull) (talk Talk, err error) {
	client, err := g.client(ctx)
	if err != nil {
		return Talk{}, err
	}
	options := gitea.ListPullReviewsOptions{}
	reviews, err := giteaPages(&options.ListOptions, func() ([]*gitea.PullReview, *gitea.Response, error) {
		return client.ListPullReviews(g.owner, g.name, int64(p.Number), options)
	})
	if err != nil {
		return Talk{}, err
	}
	for _, r := range reviews {
		opinion := giteaOpinions[r.State]
		if opinion == "" || r.Reviewer == nil {
			continue
		}
		if r.Dismissed {
			opinion = Dismissed
		}
		talk.Reviews = append(talk.Reviews, Review{
			ID: strconv.FormatInt(r.ID, 10), By: r.Reviewer.UserName, Bot: isGitea(r.Reviewer), Opinion: opinion,
			Commit: r.CommitID, At: r.Submitted, Address: g.site.page(r.HTMLURL),
		})
	}
	comments, err := g.comments(client, p.Number)
	if err != nil {
		return Talk{}, err
	}
	for _, c := range comments {
		talk.Comments = append(talk.Comments, Comment{
			ID: strconv.FormatInt(c.ID, 10), By: c.Poster.UserName, Bot: isGitea(c.Poster), Text: c.Body, At: c.Created,
			Edited: true, Changed: c.Updated, Address: g.site.page(c.HTMLURL),
		})
	}
	return talk, nil
}

var giteaOpinions = map[gitea.ReviewStateType]Opinion{
	gitea.ReviewStateApproved: Approves, gitea.ReviewStateRequestChanges: Objects, gitea.ReviewStateComment: Remarks,
}

// isGitea reports whether a user is of Gitea itself: who was deleted, its workflows.
func isGitea(u *gitea.User) bool { return u.ID <= 0 }

// InTeam implements Repository.
func (g *Gitea) InTeam(ctx context.Context, team, login string) (bool, error) {
	organization, name, err := ownerAndName(team)
	if err != nil {
		return false, fmt.Errorf("the team is %q; want organization/team, such as acme/buyers", team)
	}
	client, err := g.client(ctx)
	if err != nil || login == "" {
		return false, err
	}
	options, absent := &gitea.SearchTeamsOptions{Query: name}, false
	teams, err := giteaPages(&options.ListOptions, func() ([]*gitea.Team, *gitea.Response, error) {
		teams, answer, err := client.SearchOrgTeams(organization, options)
		absent = answer != nil && answer.StatusCode == http.StatusNotFound
		return teams, answer, err
	})
	if absent {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	for _, one := range teams {
		if one.Name != name {
			continue
		}
		member, answer, err := client.GetTeamMember(one.ID, login)
		if answer != nil && answer.StatusCode == http.StatusNotFound {
			return false, nil
		}
		return err == nil && member.UserName == login, enoughOfGitea(answer, err)
	}
	return false, nil
}

// Tree implements Repository.
func (g *Gitea) Tree(branch, folder string) string {
	_, below, _ := strings.Cut(g.address, "://"+string(g.site))
	return g.site.tree(path.Join(below, g.owner, g.name), "src/branch", branch, folder)
}
