package forge

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"code.gitea.io/sdk/gitea"
)

// Authors implements Repository. Who is named in commits counts, and is what whoever pushed them wrote there: those who
// pushed are read from the activity of the repository. Users can hide theirs, so that the pushes count only where each
// begins at the commit at which the one before it ended, from the head back to the making of the branch.
func (g *Gitea) Authors(ctx context.Context, p Pull) ([]string, error) {
	logins := []string{p.Author}
	repository, branch, _ := strings.Cut(p.Source, ":")
	if !strings.EqualFold(repository, g.owner+"/"+g.name) { // a fork may be private
		return uniqueLogins(append(logins, "")), nil
	}
	client, err := g.client(ctx)
	if err != nil {
		return nil, err
	}
	commits := gitea.ListPullRequestCommitsOptions{}
	written, err := giteaPages(&commits.ListOptions, func() ([]*gitea.Commit, *gitea.Response, error) {
		return client.ListPullRequestCommits(g.owner, g.name, int64(p.Number), commits)
	})
	if err != nil && !errors.Is(err, ErrMore) {
		return nil, err
	}
	if errors.Is(err, ErrMore) {
		logins = append(logins, "")
	}
	for _, c := range written {
		for _, user := range []*gitea.User{c.Author, c.Committer} {
			if user != nil && user.UserName != "" && !isGitea(user) { // who pushed them is known
				logins = append(logins, user.UserName)
			}
		}
	}
	back := &pushes{ref: "refs/heads/" + branch, end: p.Head}
	options := gitea.ListRepoActivityFeedsOptions{}
	_, err = giteaPages(&options.ListOptions, func() ([]*gitea.Activity, *gitea.Response, error) {
		found, answer, err := client.ListRepoActivityFeeds(g.owner, g.name, options)
		for _, a := range found {
			if a != nil && a.OpType == "commit_repo" && a.RefName == back.ref && !back.done() {
				back.add(a)
			}
		}
		if back.done() {
			found = nil
		}
		return found, answer, err
	})
	if err != nil && !errors.Is(err, ErrMore) {
		return nil, err
	}
	if !back.done() && err == nil {
		back.close()
	}
	if !back.whole {
		logins = append(logins, "")
	}
	return uniqueLogins(append(logins, back.by...)), nil
}

func uniqueLogins(logins []string) []string {
	slices.Sort(logins)
	return slices.Compact(logins)
}

// pushes are those to a branch, the newest first.
type pushes struct {
	ref  string
	end  string // the commit at which the next older one ends
	made *gitea.Activity
	last string // who pushed the oldest that was read
	by   []string

	whole, broken bool
}

func (b *pushes) done() bool { return b.whole || b.broken }

// atOnce is how far apart the making of a branch and the push that made it may be noted, in either order.
const atOnce = 2 * time.Second

// add takes the next older entry. One without a content says that the branch was made.
func (b *pushes) add(a *gitea.Activity) {
	if b.made != nil && a.Created.Before(b.made.Created.Add(-atOnce)) { // of an earlier branch of this name
		b.close()
		return
	}
	login := ""
	if a.ActUser != nil && !isGitea(a.ActUser) {
		login = a.ActUser.UserName
	}
	b.by = append(b.by, login)
	if a.Content == "" {
		b.broken, b.made = b.made != nil, a
		return
	}
	var content struct {
		HeadCommit struct{ Sha1 string }
		CompareURL string
	}
	if err := json.Unmarshal([]byte(a.Content), &content); err != nil || content.HeadCommit.Sha1 != b.end {
		b.broken = true
		return
	}
	compared := content.CompareURL[strings.LastIndexByte(content.CompareURL, '/')+1:] // such as old...new
	b.end, _, _ = strings.Cut(compared, "...")
	b.last = login
}

// close says that there is nothing older. Who made the branch pushed its first commits.
func (b *pushes) close() {
	made := b.made != nil && b.made.ActUser != nil
	b.whole = made && b.last != "" && b.made.ActUser.UserName == b.last && !b.broken
	b.broken = !b.whole
}
