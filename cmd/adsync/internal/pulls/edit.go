package pulls

import (
	"context"
	"fmt"
	"strings"

	"adsync/cmd/adsync/internal/planning"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/eyes"
	"adsync/internal/forge"
	"adsync/internal/gitstore"
	"adsync/plan"
)

// Edited are files that a person has edited by an order at the page.
type Edited struct {
	Uploads string // begin of the branch
	Of      string // what the order is about, such as the name of a run and an address: orders of one are on one branch
	Title   string // what it does, such as Undo run-000042
	Files   map[string][]byte
	By      string // the name that the page knows
	Who     *eyes.Who
	Note    string
	Message string // of the commit
}

var edits = purpose{word: "edit", does: "edits files as it was ordered at the page"}

// Answer is the commit of the files, for a branch of this order of this person, made afresh.
func (e *Edited) Answer(account, base string) gitstore.Answer {
	return gitstore.Answer{
		Branch: branchOf(plan.DigestOfTexts(account, e.Of, strings.ToLower(e.By)), e.Uploads, account, e.Of, e.By),
		Base:   base, Files: e.Files, Message: e.Message, By: e.By, Afresh: true,
	}
}

// Into is the branch that pull requests of an account go into; "" where none are opened.
func (o *Own) Into(env *session.Env) string {
	if o == nil || env.Git == nil {
		return ""
	}
	branch, is := strings.CutPrefix(env.Git.Revision.Ref, "refs/heads/") // nobody merges into a tag
	if !is {
		return ""
	}
	return branch
}

// SendEdit pushes the files to their branch, and keeps one pull request of it. What was pushed is returned also where
// the forge did not open one.
func (o *Own) SendEdit(ctx context.Context, env *session.Env, e Edited, into string) (
	gitstore.Pushed, forge.Pull, error) {
	return o.send(ctx, env, edits, planning.Proposal{
		Title:  fmt.Sprintf("%s by %s", plain(e.Title), plain(e.By)),
		Text:   e.text(),
		Answer: e.Answer(o.Name, env.Git.Revision.Commit),
	}, into, e.Who)
}

func (e *Edited) text() string {
	text := fmt.Sprintf("%s ordered this at the page of adsync: that is the name the page knows, and the forge does "+
		"not.\n", code(e.By))
	if e.Note != "" {
		text += "\nWhy: " + code(e.Note) + "\n"
	}
	return text + "\nWhat it changes is in the comment of adsync. Nothing of it is applied before it is merged.\n"
}
