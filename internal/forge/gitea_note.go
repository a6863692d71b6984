package forge

import (
	"context"
	"net/http"
	"strconv"

	"code.gitea.io/sdk/gitea"
)

// Annotate implements Notes, by the comments of one review.
func (g *Gitea) Annotate(ctx context.Context, p Pull, mark string, notes []Note) error {
	return annotate(ctx, g, p, mark, notes)
}

// noted are the reviews of this user. One that was not sent was broken off.
func (g *Gitea) noted(ctx context.Context, p Pull, mark string) (of []noted, err error) {
	client, err := g.client(ctx)
	if err != nil {
		return nil, err
	}
	self, err := g.me(client)
	if err != nil {
		return nil, err
	}
	options := gitea.ListPullReviewsOptions{}
	reviews, err := giteaPages(&options.ListOptions, func() ([]*gitea.PullReview, *gitea.Response, error) {
		return client.ListPullReviews(g.owner, g.name, int64(p.Number), options)
	})
	if err != nil {
		return nil, err
	}
	for _, r := range reviews {
		sent := r.State == gitea.ReviewStateComment
		if r.Reviewer == nil || strconv.FormatInt(r.Reviewer.ID, 10) != self || !sent &&
			r.State != gitea.ReviewStatePending {
			continue
		}
		comments, answer, err := client.ListPullReviewComments(g.owner, g.name, int64(p.Number), r.ID)
		if err != nil {
			return nil, enoughOfGitea(answer, err)
		}
		one := noted{id: r.ID}
		for _, c := range comments {
			switch {
			case c == nil:
			case c.Reviewer == nil || strconv.FormatInt(c.Reviewer.ID, 10) != self:
				one.others = true
			case begins(c.Body, mark):
				n := Note{c.Path, int(c.LineNum), c.Body}
				if !sent || r.CommitID != p.Head {
					n.Line = 0
				}
				one.notes, one.each = append(one.notes, n), append(one.each, c.ID)
			}
		}
		if len(one.notes) > 0 {
			of = append(of, one)
		}
	}
	return of, nil
}

func (g *Gitea) shown(ctx context.Context, p Pull) (map[string]lines, error) {
	client, err := g.client(ctx)
	if err != nil {
		return nil, err
	}
	diff, answer, err := client.GetPullRequestDiff(g.owner, g.name, int64(p.Number), gitea.PullRequestDiffOptions{})
	if err != nil {
		return nil, refusedByGitea(answer, err)
	}
	return filesOf(string(diff)), nil
}

func (g *Gitea) note(ctx context.Context, p Pull, notes []Note, _ map[string]lines) error {
	client, err := g.client(ctx)
	if err != nil {
		return err
	}
	review := gitea.CreatePullReviewOptions{State: gitea.ReviewStateComment, CommitID: p.Head}
	for _, n := range notes {
		review.Comments = append(review.Comments,
			gitea.CreatePullReviewComment{Path: n.Path, NewLineNum: int64(n.Line), Body: n.Text})
	}
	_, answer, err := client.CreatePullReview(g.owner, g.name, int64(p.Number), review)
	return refusedByGitea(answer, err)
}

// erase takes a review away with all its comments. Where somebody answered, their words are among them: then only the
// own go.
func (g *Gitea) erase(ctx context.Context, p Pull, n noted) error {
	client, err := g.client(ctx)
	if err != nil {
		return err
	}
	if !n.others {
		answer, err := client.DeletePullReview(g.owner, g.name, int64(p.Number), n.id)
		return goneOfGitea(answer, err)
	}
	for _, id := range n.each {
		answer, err := client.DeleteIssueComment(g.owner, g.name, id)
		if err := goneOfGitea(answer, err); err != nil {
			return err
		}
	}
	return nil
}

func (*Gitea) sent(text string) string { return text }

// goneOfGitea is nil of what is gone.
func goneOfGitea(answer *gitea.Response, err error) error {
	if answer != nil && answer.StatusCode == http.StatusNotFound {
		return nil
	}
	return refusedByGitea(answer, err)
}

// refusedByGitea is a LimitError, or ErrRefused, where Gitea says so.
func refusedByGitea(answer *gitea.Response, err error) error {
	if answer == nil {
		return err
	}
	return refused(answer.Response, enoughOfGitea(answer, err))
}
