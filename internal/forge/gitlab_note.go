package forge

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	gitlab "gitlab.com/gitlab-org/api/client-go/v2"
)

// Annotate implements Notes, by a thread each.
func (g *GitLab) Annotate(ctx context.Context, p Pull, mark string, notes []Note) error {
	return annotate(ctx, g, p, mark, notes)
}

func (g *GitLab) noted(ctx context.Context, p Pull, mark string) (of []noted, err error) {
	self, err := g.me(ctx)
	if err != nil {
		return nil, err
	}
	notes, err := g.notes(ctx, p.Number)
	for _, n := range notes {
		if n.Type != gitlab.DiffNote || strconv.FormatInt(n.Author.ID, 10) != self || !begins(n.Body, mark) {
			continue
		}
		one := Note{Text: n.Body}
		if at := n.Position; at != nil && at.HeadSHA == p.Head {
			one.Path, one.Line = at.NewPath, int(at.NewLine)
		}
		of = append(of, noted{id: n.ID, notes: []Note{one}})
	}
	return of, err
}

func (g *GitLab) shown(ctx context.Context, p Pull) (map[string]lines, error) {
	options := &gitlab.ListMergeRequestDiffsOptions{}
	files, err := everyPage(&options.ListOptions, func() ([]*gitlab.MergeRequestDiff, *gitlab.Response, error) {
		return g.client.MergeRequests.ListMergeRequestDiffs(g.project, int64(p.Number), options,
			gitlab.WithContext(ctx))
	})
	if err != nil && !errors.Is(err, ErrMore) {
		return nil, err
	}
	of := map[string]lines{}
	for _, f := range files {
		of[f.NewPath] = linesOf(f.OldPath, f.Diff)
	}
	return of, nil
}

func (g *GitLab) note(ctx context.Context, p Pull, notes []Note, shown map[string]lines) error {
	m, answer, err := g.client.MergeRequests.GetMergeRequest(g.project, int64(p.Number), nil, gitlab.WithContext(ctx))
	if err != nil {
		return enoughOf(answer, err)
	}
	if m.DiffRefs.HeadSha != p.Head { // it was pushed to, or GitLab is not done with it
		return fmt.Errorf("the diff of merge request %d is of commit %.12s; want %.12s", p.Number,
			m.DiffRefs.HeadSha, p.Head)
	}
	for _, n := range notes {
		at := &gitlab.PositionOptions{
			BaseSHA: &m.DiffRefs.BaseSha, StartSHA: &m.DiffRefs.StartSha, HeadSHA: &m.DiffRefs.HeadSha,
			PositionType: new("text"), NewPath: &n.Path, OldPath: new(shown[n.Path].before),
			NewLine: new(int64(n.Line)),
		}
		if old := shown[n.Path].at[n.Line]; old > 0 {
			at.OldLine = new(int64(old))
		}
		_, answer, err := g.client.Discussions.CreateMergeRequestDiscussion(g.project, int64(p.Number),
			&gitlab.CreateMergeRequestDiscussionOptions{Body: &n.Text, Position: at}, gitlab.WithContext(ctx))
		if err != nil {
			return refusedByGitLab(answer, err)
		}
	}
	return nil
}

func (g *GitLab) erase(ctx context.Context, p Pull, n noted) error {
	answer, err := g.client.Notes.DeleteMergeRequestNote(g.project, int64(p.Number), n.id, gitlab.WithContext(ctx))
	if errors.Is(err, gitlab.ErrNotFound) {
		return nil
	}
	return refusedByGitLab(answer, err)
}

func (*GitLab) sent(text string) string { return noOrders(text) }

// refusedByGitLab is a LimitError, or ErrRefused, where GitLab says so.
func refusedByGitLab(answer *gitlab.Response, err error) error {
	if answer == nil {
		return err
	}
	return refused(answer.Response, enoughOf(answer, err))
}
