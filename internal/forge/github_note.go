package forge

import (
	"context"
	"net/http"

	"github.com/google/go-github/v89/github"
)

// Annotate implements Notes, by comments of a review: the notes of a check may be written by an app alone.
func (g *GitHub) Annotate(ctx context.Context, p Pull, mark string, notes []Note) error {
	return annotate(ctx, g, p, mark, notes)
}

func (g *GitHub) noted(ctx context.Context, p Pull, mark string) (of []noted, err error) {
	login, err := g.login(ctx)
	if err != nil {
		return nil, enough(err)
	}
	options := &github.PullRequestListCommentsOptions{ListOptions: github.ListOptions{PerPage: 100}}
	comments, err := all(&options.ListOptions, func() ([]*github.PullRequestComment, *github.Response, error) {
		return g.client.PullRequests.ListComments(ctx, g.owner, g.name, p.Number, options)
	})
	for _, c := range comments {
		if isOwn(c.GetUser(), login) && begins(c.GetBody(), mark) {
			n := Note{c.GetPath(), c.GetLine(), c.GetBody()}
			if c.GetSide() == "LEFT" {
				n.Line = 0
			}
			of = append(of, noted{id: c.GetID(), notes: []Note{n}})
		}
	}
	return of, err
}

func (g *GitHub) shown(ctx context.Context, p Pull) (map[string]lines, error) {
	of, page := map[string]lines{}, github.ListOptions{PerPage: 100}
	for range mostPages {
		files, answer, err := g.client.PullRequests.ListFiles(ctx, g.owner, g.name, p.Number, &page)
		if err != nil {
			return nil, refusedBy(answer, err)
		}
		for _, f := range files {
			of[f.GetFilename()] = linesOf(f.GetPreviousFilename(), f.GetPatch())
		}
		if page.Page = answer.NextPage; page.Page == 0 {
			break
		}
	}
	return of, nil
}

// note writes a review without a text of its own, which goes with the last of its comments.
func (g *GitHub) note(ctx context.Context, p Pull, notes []Note, _ map[string]lines) error {
	review := &github.PullRequestReviewRequest{CommitID: &p.Head, Event: new("COMMENT")}
	for _, n := range notes {
		review.Comments = append(review.Comments,
			&github.DraftReviewComment{Path: &n.Path, Line: &n.Line, Side: new("RIGHT"), Body: &n.Text})
	}
	_, answer, err := g.client.PullRequests.CreateReview(ctx, g.owner, g.name, p.Number, review)
	return refusedBy(answer, err)
}

func (g *GitHub) erase(ctx context.Context, _ Pull, n noted) error {
	answer, err := g.client.PullRequests.DeleteComment(ctx, g.owner, g.name, n.id)
	if answer != nil && answer.StatusCode == http.StatusNotFound {
		return nil
	}
	return refusedBy(answer, err)
}

func (*GitHub) sent(text string) string { return text }

// refusedBy is a LimitError, or ErrRefused, where GitHub says so.
func refusedBy(answer *github.Response, err error) error {
	if answer == nil {
		return enough(err)
	}
	return refused(answer.Response, enough(err))
}
