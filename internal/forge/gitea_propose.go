package forge

import (
	"context"
	"strings"

	"code.gitea.io/sdk/gitea"
)

// Propose implements Proposals.
func (g *Gitea) Propose(ctx context.Context, p Proposal) (int, error) { return propose(ctx, g, p) }

// Withdraw implements Proposals.
func (g *Gitea) Withdraw(ctx context.Context, p Proposal, why string) error {
	return withdraw(ctx, g, p, why)
}

func (g *Gitea) proposed(ctx context.Context, p Proposal) (int, string, error) {
	client, err := g.client(ctx)
	if err != nil {
		return 0, "", err
	}
	options := gitea.ListPullRequestsOptions{State: gitea.StateOpen, Sort: "recentupdate"}
	open, err := giteaPages(&options.ListOptions, func() ([]*gitea.PullRequest, *gitea.Response, error) {
		return client.ListRepoPullRequests(g.owner, g.name, options)
	})
	if err != nil {
		return 0, "", err
	}
	for _, r := range open {
		o := giteaPull(r)
		repository, from, _ := strings.Cut(o.Source, ":")
		if from == p.From && o.Branch == p.Into && strings.EqualFold(repository, g.owner+"/"+g.name) {
			return o.Number, r.Body, nil
		}
	}
	return 0, "", nil
}

func (g *Gitea) create(ctx context.Context, p Proposal) (int, error) {
	client, err := g.client(ctx)
	if err != nil {
		return 0, err
	}
	made, answer, err := client.CreatePullRequest(g.owner, g.name, gitea.CreatePullRequestOption{
		Head: p.From, Base: p.Into, Title: p.Title, Body: p.Text,
	})
	if err != nil {
		return 0, enoughOfGitea(answer, err)
	}
	return int(made.Index), nil
}

func (g *Gitea) revise(ctx context.Context, number int, p Proposal) error {
	return g.edit(ctx, number, gitea.EditPullRequestOption{Title: p.Title, Body: &p.Text})
}

func (g *Gitea) shut(ctx context.Context, number int) error {
	return g.edit(ctx, number, gitea.EditPullRequestOption{State: new(gitea.StateClosed)})
}

func (g *Gitea) edit(ctx context.Context, number int, o gitea.EditPullRequestOption) error {
	client, err := g.client(ctx)
	if err != nil {
		return err
	}
	_, answer, err := client.EditPullRequest(g.owner, g.name, int64(number), o)
	return enoughOfGitea(answer, err)
}
