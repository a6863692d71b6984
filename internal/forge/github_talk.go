package forge

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"adsync/internal/pattern"

	"github.com/google/go-github/v89/github"
)

// Find implements Repository.
func (g *GitHub) Find(ctx context.Context, number int) (Pull, error) {
	p, answer, err := g.client.PullRequests.Get(ctx, g.owner, g.name, number)
	if answer != nil && answer.StatusCode == http.StatusNotFound {
		return deleted(number, err, func() error {
			one := &github.PullRequestListOptions{State: "all", ListOptions: github.ListOptions{PerPage: 1}}
			_, _, err := g.client.PullRequests.List(ctx, g.owner, g.name, one)
			return enough(err)
		})
	}
	if err != nil {
		return Pull{}, enough(err)
	}
	merged := !p.GetMerged() || commitName.MatchString(p.GetMergeCommitSHA())
	if p.GetNumber() != number || !commitName.MatchString(p.GetHead().GetSHA()) || !merged {
		return Pull{}, fmt.Errorf("the forge says of pull request %d what is no pull request", number)
	}
	return pullOf(p), nil
}

// Consents implements Repository.
func (*GitHub) Consents() (reviews, comments bool) { return true, true }

// Talk implements Repository.
func (g *GitHub) Talk(ctx context.Context, p Pull) (talk Talk, err error) {
	page := github.ListOptions{PerPage: 100}
	reviews, err := all(&page, func() ([]*github.PullRequestReview, *github.Response, error) {
		return g.client.PullRequests.ListReviews(ctx, g.owner, g.name, p.Number, &page)
	})
	if err != nil {
		return Talk{}, err
	}
	for _, r := range reviews {
		if opinion := opinions[r.GetState()]; opinion != "" {
			talk.Reviews = append(talk.Reviews, Review{
				ID: strconv.FormatInt(r.GetID(), 10), By: r.GetUser().GetLogin(), Bot: isBot(r.GetUser()),
				Opinion: opinion, Commit: r.GetCommitID(), At: r.GetSubmittedAt().Time,
				Address: g.site.page(r.GetHTMLURL()),
			})
		}
	}
	page = github.ListOptions{Page: 1}
	comments, err := all(&page, func() (found []*written, answer *github.Response, err error) {
		path := fmt.Sprintf("repos/%s/%s/issues/%d/comments?per_page=100&page=%d", g.owner, g.name, p.Number, page.Page)
		r, err := g.client.NewRequest(ctx, http.MethodGet, path, nil)
		if err == nil {
			answer, err = g.client.Do(r, &found)
		}
		return found, answer, err
	})
	if err != nil {
		return Talk{}, err
	}
	for _, c := range comments {
		if c == nil {
			continue
		}
		talk.Comments = append(talk.Comments, Comment{
			ID: strconv.FormatInt(c.GetID(), 10), By: c.GetUser().GetLogin(),
			Bot: isBot(c.GetUser()) || c.Via != nil, Text: c.GetBody(), At: c.GetCreatedAt().Time,
			Edited:  !c.GetUpdatedAt().Equal(c.GetCreatedAt()),
			Changed: c.GetUpdatedAt().Time, Address: g.site.page(c.GetHTMLURL()),
		})
	}
	return talk, nil
}

// written is a comment, and the app that wrote it for its user, if one did. The client does not know of that.
type written struct {
	github.IssueComment
	Via *github.App `json:"performed_via_github_app"`
}

var opinions = map[string]Opinion{
	"APPROVED": Approves, "CHANGES_REQUESTED": Objects, "DISMISSED": Dismissed, "COMMENTED": Remarks,
}

// isBot reports whether a user is not a person. A person is a User: what is not known is none.
func isBot(u *github.User) bool { return u.GetType() != "User" }

// all reads all pages of a list.
func all[T any](page *github.ListOptions, list func() ([]T, *github.Response, error)) (all []T, err error) {
	for range mostPages {
		found, answer, err := list()
		if err != nil {
			return nil, enough(err)
		}
		all = append(all, found...)
		if page.Page = answer.NextPage; page.Page == 0 {
			return all, nil
		}
	}
	return nil, ErrMore
}

// mostCommits is how many of a pull request GitHub lists.
const mostCommits = 250

// Authors implements Repository. Names in commits are what whoever pushed them wrote there: those who pushed are read
// from the activity of the branch, which GitHub keeps.
func (g *GitHub) Authors(ctx context.Context, p Pull) ([]string, error) {
	page := github.ListOptions{PerPage: 100}
	commits, err := all(&page, func() ([]*github.RepositoryCommit, *github.Response, error) {
		return g.client.PullRequests.ListCommits(ctx, g.owner, g.name, p.Number, &page)
	})
	if err != nil {
		return nil, err
	}
	logins := []string{p.Author}
	for _, c := range commits {
		logins = append(logins, c.GetAuthor().GetLogin(), c.GetCommitter().GetLogin())
	}
	logins = slices.DeleteFunc(logins, func(login string) bool { return login == "" }) // who pushed them is known
	pushers, err := g.pushers(ctx, p)
	if err != nil {
		return nil, err
	}
	self, err := g.login(ctx)
	if err != nil {
		return nil, enough(err)
	}
	for _, login := range append(pushers, p.Author) {
		if strings.HasSuffix(login, "[bot]") && login != self { // somebody told it to
			logins = append(logins, "")
		}
	}
	if logins = append(logins, pushers...); len(commits) >= mostCommits {
		logins = append(logins, "")
	}
	return uniqueLogins(logins), nil
}

// pushers returns who pushed a head, and "" where that is not known: a fork may be private, or gone, and GitHub may
// not tell of a push yet.
func (g *GitHub) pushers(ctx context.Context, p Pull) (logins []string, err error) {
	repository, branch, _ := strings.Cut(p.Source, ":")
	owner, name, ok := strings.Cut(repository, "/")
	if !ok {
		return []string{""}, nil
	}
	activities, answer, err := g.client.Repositories.ListRepositoryActivities(ctx, owner, name,
		&github.ListRepositoryActivityOptions{Ref: "refs/heads/" + branch, PerPage: 100})
	if err = enough(err); err != nil {
		limit := new(LimitError)
		if answer != nil && (answer.StatusCode == http.StatusNotFound || answer.StatusCode == http.StatusForbidden) &&
			!errors.As(err, &limit) {
			return []string{""}, nil
		}
		return nil, err
	}
	back := pushed{end: p.Head}
	for _, a := range activities {
		did := map[string]string{"branch_creation": branchMade, "branch_deletion": branchRemoved}[a.ActivityType]
		back.add(did, a.Before, a.After, a.Actor.GetLogin())
	}
	if !back.whole() {
		back.by = append(back.by, "")
	}
	return back.by, nil
}

// pathPart is a login, or the name of an organization or a team, as it is put into an address.
var pathPart = pattern.Of(`^[A-Za-z0-9_-]+$`)

// InTeam implements Repository.
func (g *GitHub) InTeam(ctx context.Context, team, login string) (bool, error) {
	organization, slug, _ := strings.Cut(team, "/")
	if !pathPart.MatchString(organization) || !pathPart.MatchString(slug) {
		return false, fmt.Errorf("the team is %q; want organization/team, such as acme/buyers", team)
	}
	if !pathPart.MatchString(login) {
		return false, nil // nobody has such a name
	}
	membership, answer, err := g.client.Teams.GetTeamMembershipBySlug(ctx, organization, slug, login)
	if answer != nil && answer.StatusCode == http.StatusNotFound {
		return false, nil
	}
	if err != nil {
		return false, enough(err)
	}
	return membership.GetState() == "active", nil
}
