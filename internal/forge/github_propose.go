package forge

import (
	"context"
	"strings"

	"github.com/google/go-github/v89/github"
)

// Propose implements Proposals.
func (g *GitHub) Propose(ctx context.Context, p Proposal) (int, error) {
	open, err := g.proposed(ctx, p)
	switch {
	case err != nil:
		return 0, limited(err)
	case open == nil:
		made, _, err := g.client.PullRequests.Create(ctx, g.owner, g.name, &github.NewPullRequest{
			Title: &p.Title, Body: &p.Text, Head: &p.From, Base: &p.Into,
		})
		return made.GetNumber(), limited(err)
	case isOwn(p, open.GetBody()):
		_, _, err = g.client.PullRequests.Edit(ctx, g.owner, g.name, open.GetNumber(),
			&github.PullRequest{Title: &p.Title, Body: &p.Text})
	}
	return open.GetNumber(), limited(err)
}

// Withdraw implements Proposals.
func (g *GitHub) Withdraw(ctx context.Context, p Proposal, why string) error {
	open, err := g.proposed(ctx, p)
	if err != nil || open == nil || !isOwn(p, open.GetBody()) {
		return limited(err)
	}
	// closed first: where the comment fails, nothing is said twice
	closed := "closed"
	_, _, err = g.client.PullRequests.Edit(ctx, g.owner, g.name, open.GetNumber(), &github.PullRequest{State: &closed})
	if err != nil {
		return limited(err)
	}
	_, _, err = g.client.Issues.CreateComment(ctx, g.owner, g.name, open.GetNumber(), &github.IssueComment{Body: &why})
	return limited(err)
}

// proposed returns the open pull request from the branch of a proposal, nil where there is none.
func (g *GitHub) proposed(ctx context.Context, p Proposal) (*github.PullRequest, error) {
	open, _, err := g.client.PullRequests.List(ctx, g.owner, g.name, &github.PullRequestListOptions{
		State: "open", Base: p.Into, Head: g.owner + ":" + p.From,
	})
	for _, o := range open { // a fork in the same organisation may have such a branch, too
		if o.GetHead().GetRef() == p.From && o.GetBase().GetRef() == p.Into &&
			strings.EqualFold(o.GetHead().GetRepo().GetFullName(), g.owner+"/"+g.name) {
			return o, err
		}
	}
	return nil, err
}

// isOwn reports whether a text begins with the mark of a proposal.
func isOwn(p Proposal, text string) bool {
	mark, _, _ := strings.Cut(p.Text, "\n")
	first, _, _ := strings.Cut(text, "\n")
	return strings.TrimSuffix(first, "\r") == mark
}
