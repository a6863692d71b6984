package forge

import (
	"context"
	"strings"

	"github.com/google/go-github/v89/github"
)

// Propose implements Proposals.
func (g *GitHub) Propose(ctx context.Context, p Proposal) (int, error) { return propose(ctx, g, p) }

// Withdraw implements Proposals.
func (g *GitHub) Withdraw(ctx context.Context, p Proposal, why string) error {
	return withdraw(ctx, g, p, why)
}

// proposed leaves out those of a fork in the same organisation, which may have such a branch, too.
func (g *GitHub) proposed(ctx context.Context, p Proposal) (int, string, error) {
	open, _, err := g.client.PullRequests.List(ctx, g.owner, g.name, &github.PullRequestListOptions{
		State: "open", Base: p.Into, Head: g.owner + ":" + p.From,
	})
	for _, o := range open {
		if o.GetHead().GetRef() == p.From && o.GetBase().GetRef() == p.Into &&
			strings.EqualFold(o.GetHead().GetRepo().GetFullName(), g.owner+"/"+g.name) {
			return o.GetNumber(), o.GetBody(), nil
		}
	}
	return 0, "", enough(err)
}

func (g *GitHub) create(ctx context.Context, p Proposal) (int, error) {
	made, _, err := g.client.PullRequests.Create(ctx, g.owner, g.name, &github.NewPullRequest{
		Title: &p.Title, Body: &p.Text, Head: &p.From, Base: &p.Into,
	})
	return made.GetNumber(), enough(err)
}

func (g *GitHub) revise(ctx context.Context, number int, p Proposal) error {
	_, _, err := g.client.PullRequests.Edit(ctx, g.owner, g.name, number,
		&github.PullRequest{Title: &p.Title, Body: &p.Text})
	return enough(err)
}

func (g *GitHub) shut(ctx context.Context, number int) error {
	_, _, err := g.client.PullRequests.Edit(ctx, g.owner, g.name, number, &github.PullRequest{State: new("closed")})
	return enough(err)
}
