package forge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"adsync/internal/pattern"

	gitlab "gitlab.com/gitlab-org/api/client-go/v2"
)

// Find implements Repository.
func (g *GitLab) Find(ctx context.Context, number int) (Pull, error) {
	m, answer, err := g.client.MergeRequests.GetMergeRequest(g.project, int64(number), nil, gitlab.WithContext(ctx))
	if errors.Is(err, gitlab.ErrNotFound) {
		return deleted(number, err, func() error {
			_, _, err := g.list(ctx, &gitlab.ListProjectMergeRequestsOptions{
				Scope: new("all"), ListOptions: gitlab.ListOptions{PerPage: 1, Page: 1},
			})
			return err
		})
	}
	if err != nil {
		return Pull{}, enoughOf(answer, err)
	}
	p := g.pull(&m.BasicMergeRequest)
	merged := p.Merged == "" || commitName.MatchString(p.Merged)
	if p.Number != number || !commitName.MatchString(p.Head) || !merged {
		return Pull{}, fmt.Errorf("the forge says of pull request %d what is no pull request", number)
	}
	return p, nil
}

// Consents implements Repository.
func (*GitLab) Consents() (reviews, comments bool) { return false, true }

// Talk implements Repository. It has no reviews: GitLab does not say which commit somebody approved.
func (g *GitLab) Talk(ctx context.Context, p Pull) (talk Talk, err error) {
	notes, err := g.notes(ctx, p.Number)
	if err != nil {
		return Talk{}, err
	}
	for _, n := range notes {
		if n.System || n.Type == gitlab.DiffNote || n.CreatedAt == nil || n.UpdatedAt == nil {
			continue
		}
		id := strconv.FormatInt(n.ID, 10)
		talk.Comments = append(talk.Comments, Comment{
			ID: id, By: n.Author.Username, Bot: botOfGitLab.MatchString(n.Author.Username), Text: n.Body,
			At: *n.CreatedAt, Edited: !n.UpdatedAt.Equal(*n.CreatedAt), Changed: *n.UpdatedAt,
			Address: g.site.page(p.Address + "#note_" + id),
		})
	}
	return talk, nil
}

// botOfGitLab is the user of a token of a project or a group, or of a service.
var botOfGitLab = pattern.Of(`^(project|group)_[0-9]+_bot|^service_account_|^support-bot$|^alert-bot$`)

// Authors implements Repository. Names in commits are what whoever pushed them wrote there: those who pushed are read
// from the events of the project, the newest first, back to who made the branch; and, as far back as pages are read,
// those who had pushed a commit of it to another branch before, from which somebody took it.
func (g *GitLab) Authors(ctx context.Context, p Pull) ([]string, error) {
	_, branch, ours := strings.Cut(p.Source, ":")
	if !ours { // a fork may be private
		return []string{"", p.Author}, nil
	}
	self, err := g.named.ask(func() (string, error) {
		user, answer, err := g.client.Users.CurrentUser(gitlab.WithContext(ctx))
		if err != nil {
			return "", enoughOf(answer, err)
		}
		return user.Username, nil
	})
	if err != nil {
		return nil, err
	}
	logins, back := []string{p.Author}, pushed{end: p.Head}
	its, err := g.commits(ctx, p)
	if errors.Is(err, ErrMore) {
		logins, err = append(logins, ""), nil
	}
	if err != nil {
		return nil, err
	}
	options := &gitlab.ListProjectVisibleEventsOptions{Action: new(gitlab.PushedEventType), Sort: new("desc"),
		ListOptions: gitlab.ListOptions{PerPage: 100, Page: 1}}
	for range mostPages {
		events, answer, err := g.client.Events.ListProjectVisibleEvents(g.project, options, gitlab.WithContext(ctx))
		if err != nil {
			return nil, enoughOf(answer, err)
		}
		for _, e := range events {
			if e == nil {
				continue
			}
			switch push := e.PushData; {
			case push.Ref == "" && !back.done: // of many branches at once
				logins = append(logins, "", e.AuthorUsername)
			case push.RefType == "branch" && push.Ref == branch && !back.done:
				did := map[string]string{"created": branchMade, "removed": branchRemoved}[push.Action]
				back.add(did, push.CommitFrom, push.CommitTo, e.AuthorUsername)
			case len(back.by) > 0 && its[push.CommitTo]: // whoever pushes it on afterwards wrote nothing
				logins = append(logins, e.AuthorUsername)
			}
		}
		if options.Page = answer.NextPage; options.Page == 0 {
			break
		}
	}
	if logins = append(logins, back.by...); !back.whole() {
		logins = append(logins, "")
	}
	for _, login := range logins {
		if botOfGitLab.MatchString(login) && login != self { // somebody told it to
			logins = append(logins, "")
		}
	}
	return uniqueLogins(logins), nil
}

// commits are the hashes of a merge request's.
func (g *GitLab) commits(ctx context.Context, p Pull) (map[string]bool, error) {
	options := &gitlab.GetMergeRequestCommitsOptions{}
	all, err := everyPage(&options.ListOptions, func() ([]*gitlab.Commit, *gitlab.Response, error) {
		return g.client.MergeRequests.GetMergeRequestCommits(g.project, int64(p.Number), options,
			gitlab.WithContext(ctx))
	})
	its := map[string]bool{}
	for _, c := range all {
		its[c.ID] = true
	}
	return its, err
}

// groupPath is a group of GitLab with those above it.
var groupPath = pattern.Of(`^[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)*$`)

// InTeam implements Repository. A team is a group; who is only in a group above it is not in the team.
func (g *GitLab) InTeam(ctx context.Context, team, login string) (bool, error) {
	if !groupPath.MatchString(team) {
		return false, fmt.Errorf("the team is %q; want a group, such as acme/buyers", team)
	}
	options := &gitlab.ListGroupMembersOptions{Query: &login}
	members, err := everyPage(&options.ListOptions, func() ([]*gitlab.GroupMember, *gitlab.Response, error) {
		return g.client.Groups.ListGroupMembers(team, options, gitlab.WithContext(ctx))
	})
	if errors.Is(err, gitlab.ErrNotFound) {
		return false, nil
	}
	return login != "" && slices.ContainsFunc(members, func(m *gitlab.GroupMember) bool {
		return m.Username == login && m.State == "active"
	}), err
}
