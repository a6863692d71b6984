package pulls

import (
	"context"
	"fmt"
	"path"
	"strings"
	"time"
	"unicode"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/planning"
	"adsync/cmd/adsync/internal/runs"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/internal/eyes"
	"adsync/internal/forge"
	"adsync/internal/gitstore"
	"adsync/internal/planview"
	"adsync/plan"
)

// Sent is a file that a person sends from the page.
type Sent struct {
	Uploads string // begin of its branch
	Into    string // branch that it is proposed for
	Path    string // from the top of the repository
	Content []byte
	By      string // the name that the page knows
	Who     *eyes.Who
	Note    string
	Message string // of the commit
}

var uploads = purpose{word: "upload", does: "has a file that was sent from the page"}

// Send pushes a file to a branch for this file of this person, made afresh from the commit that was read, and keeps one
// pull request of it. What was pushed is returned also where the forge did not open one.
func (o *Own) Send(ctx context.Context, env *session.Env, s Sent) (gitstore.Pushed, forge.Pull, error) {
	base := env.Git.Revision
	p := planning.Proposal{
		Title: fmt.Sprintf("Upload %s by %s", plain(path.Base(s.Path)), plain(s.By)),
		Text:  s.text(),
		Answer: gitstore.Answer{
			Branch: s.branch(o.Name), Base: base.Commit, Files: map[string][]byte{s.Path: s.Content},
			Message: s.Message, By: s.By, Afresh: true,
		},
	}
	return o.send(ctx, env, uploads, p, s.Into, s.Who)
}

// send pushes what somebody ordered at the page, and keeps one pull request of it.
func (o *Own) send(ctx context.Context, env *session.Env, of purpose,
	p planning.Proposal, into string, who *eyes.Who) (gitstore.Pushed, forge.Pull, error) {
	pushed, err := runs.Push(ctx, env, p.Answer)
	if err != nil {
		return pushed, forge.Pull{}, err
	}
	if who != nil {
		err := eyes.NoteSender(o.Kept, eyes.Sender{Time: time.Now().UTC(), Who: *who, Commit: pushed.Commit})
		if err != nil { // as if nobody knew: that wants more approvals, and not fewer
			env.Note("who had adsync propose %s is not noted: %s", pushed, console.OneLine(err))
		}
	}
	number, err := o.open(ctx, env, of, p, into)
	if err != nil {
		return pushed, forge.Pull{}, err
	}
	pull, err := o.Forge.Find(ctx, number)
	if err != nil { // it is open all the same, and has no link here
		pull = forge.Pull{Number: number}
	}
	return pushed, pull, nil
}

// branch is another for each file of each person, so that nobody's file is in the pull request of somebody else.
func (s *Sent) branch(account string) string {
	return branchOf(plan.DigestOfTexts(account, s.Path, strings.ToLower(s.By)),
		s.Uploads, account, path.Base(s.Path), s.By)
}

// branchOf is a branch that begins as the first of some words. What people wrote is in it for people to read, in
// letters that lead nowhere; the digest tells them apart.
func branchOf(digest, begin string, texts ...string) string {
	words := []string{begin}
	for _, word := range texts {
		if word = runs.RefWord(word); len(word) > mostOfWord {
			word = strings.Trim(word[:mostOfWord], "-")
		}
		if word != "" {
			words = append(words, strings.ToLower(word))
		}
	}
	return strings.Join(append(words, digest[:12]), "-")
}

// mostOfWord is how many bytes of a word a branch has.
const mostOfWord = 40

func (s *Sent) text() string {
	text := fmt.Sprintf("%s was sent from the page of adsync by %s: that is the name the page knows, and the forge "+
		"does not.\n", code(s.Path), code(s.By))
	if s.Note != "" {
		text += "\nWhy: " + code(s.Note) + "\n"
	}
	return text + "\nWhat it changes is in the comment of adsync. Nothing of it is applied before it is merged.\n"
}

// code is what somebody wrote, in a form in which it neither mentions nor orders anything.
func code(text string) string { return planview.Code(diag.Printable(text)) }

// plain leaves of what somebody wrote what a title can show: a forge reads mentions in it.
func plain(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) || strings.ContainsRune(" ._-", r) {
			return r
		}
		return ' '
	}, text)
	if r := []rune(text); len(r) > mostOfTitle {
		text = string(r[:mostOfTitle]) + "…"
	}
	return strings.Join(strings.Fields(text), " ")
}

// mostOfTitle is how many characters of a name a title has.
const mostOfTitle = 80

// WithoutMarks keeps what somebody wrote of themselves in one line, and out of the
// form of a commit.
func WithoutMarks(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '<' || r == '>' || r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, diag.Printable(text))
}
