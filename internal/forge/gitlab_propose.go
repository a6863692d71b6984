package forge

import (
	"context"

	gitlab "gitlab.com/gitlab-org/api/client-go/v2"
)

// Propose implements Proposals.
func (g *GitLab) Propose(ctx context.Context, p Proposal) (int, error) {
	p.Text = noOrders(p.Text)
	return propose(ctx, g, p)
}

// Withdraw implements Proposals.
func (g *GitLab) Withdraw(ctx context.Context, p Proposal, why string) error {
	return withdraw(ctx, g, p, why)
}

func (g *GitLab) proposed(ctx context.Context, p Proposal) (int, string, error) {
	open, _, err := g.list(ctx, &gitlab.ListProjectMergeRequestsOptions{
		State: new("opened"), SourceBranch: &p.From, TargetBranch: &p.Into, Scope: new("all"),
	})
	for _, m := range open {
		if m.SourceBranch == p.From && m.TargetBranch == p.Into && m.State == "opened" &&
			m.SourceProjectID == m.TargetProjectID {
			return int(m.IID), m.Description, nil
		}
	}
	return 0, "", err
}

func (g *GitLab) create(ctx context.Context, p Proposal) (int, error) {
	made, answer, err := g.client.MergeRequests.CreateMergeRequest(g.project, &gitlab.CreateMergeRequestOptions{
		Title: &p.Title, Description: &p.Text, SourceBranch: &p.From, TargetBranch: &p.Into,
	}, gitlab.WithContext(ctx))
	if err != nil {
		return 0, enoughOf(answer, err)
	}
	return int(made.IID), nil
}

func (g *GitLab) revise(ctx context.Context, number int, p Proposal) error {
	return g.update(ctx, number, &gitlab.UpdateMergeRequestOptions{Title: &p.Title, Description: &p.Text})
}

func (g *GitLab) shut(ctx context.Context, number int) error {
	return g.update(ctx, number, &gitlab.UpdateMergeRequestOptions{StateEvent: new("close")})
}

func (g *GitLab) update(ctx context.Context, number int, o *gitlab.UpdateMergeRequestOptions) error {
	_, answer, err := g.client.MergeRequests.UpdateMergeRequest(g.project, int64(number), o, gitlab.WithContext(ctx))
	return enoughOf(answer, err)
}
