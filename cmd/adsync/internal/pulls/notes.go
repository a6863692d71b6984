package pulls

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/internal/forge"
	"adsync/internal/planview"
	"adsync/sources/commits"
	"adsync/sources/config"
)

// unsure says that notes may stand at a pull request, and which is not known.
const unsure = "?"

// annotate has what is wrong in a pull request stand at its lines. That some may stand there is kept before they do.
func annotate(ctx context.Context, d *Desk, p forge.Pull, a answered, answer *Answer) (answered, error) {
	sum := sumOfNotes(p.Head, answer.Notes)
	if a.Noted == sum {
		return a, nil
	}
	if a.Noted != unsure {
		a.Noted = unsure
		if err := d.keep(p.Number, a); err != nil {
			return a, err
		}
	}
	err := d.Forge.Annotate(ctx, p, d.NotesMark, answer.Notes)
	if errors.Is(err, forge.ErrRefused) || errors.Is(err, forge.ErrMore) { // the comment has them all
		if !d.noteless {
			d.Log.Warn("problems of pull requests do not stand at their lines", "pull", p.Number, "error", err)
		}
		d.noteless, err = true, nil
	}
	if err == nil {
		a.Noted = sum
	}
	return a, err
}

// sumOfNotes is another for other notes, or for another head; "" where there is none.
func sumOfNotes(head string, notes []forge.Note) string {
	if len(notes) == 0 {
		return ""
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", []any{head, notes}))
	return hex.EncodeToString(sum[:16])
}

// NotesMark is the first line of each note.
func (p *Planner) NotesMark() string { return "<!-- adsync:note:" + p.Name + " -->" }

// notes are the problems of the files that the branch does not have without the pull request, by their lines, errors
// first.
func (q *proposal) notes(ctx context.Context, problems []diag.Problem) ([]forge.Note, error) {
	problems = slices.DeleteFunc(slices.Clone(problems), func(p diag.Problem) bool {
		return p.Severity == diag.Note || p.Position.Line() <= 0 || p.Position.Sheet() != "" ||
			!slices.Contains(q.merged.Changed, p.Position.File())
	})
	if len(problems) == 0 {
		return nil, nil
	}
	known, err := q.known(ctx)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(problems, func(a, b diag.Problem) int {
		return cmp.Compare(a.Severity, b.Severity) // an error comes before a warning
	})
	var notes []forge.Note
	for _, p := range problems {
		if known[identity(p)] {
			continue
		}
		n := forge.Note{Path: path.Join(q.env.Git.Store.SubPath(), p.Position.File()), Line: p.Position.Line(),
			Text: q.noteText(p)}
		at := slices.IndexFunc(notes, func(o forge.Note) bool { return o.Path == n.Path && o.Line == n.Line })
		if at < 0 {
			notes = append(notes, n)
		} else if len(notes[at].Text)+len(n.Text) < mostOfNote {
			notes[at].Text += "\n" + n.Text
		}
	}
	return notes, nil
}

// mostOfNote is how many bytes several problems of a line have.
const mostOfNote = 10_000

func (q *proposal) noteText(p diag.Problem) string {
	text := fmt.Sprintf("%s `%s`, column %d: %s", p.Severity, p.Code, p.Position.Column(),
		planview.Code(diag.Printable(q.placeless(p.Message))))
	if p.Hint != "" {
		text += "\n" + planview.Code(diag.Printable(q.placeless(p.Hint)))
	}
	return text + "\n"
}

// known are the problems of the branch.
func (q *proposal) known(ctx context.Context) (map[string]bool, error) {
	g := q.env.Git
	at := config.Commit{Repository: g.Store.Dir(), Path: g.Store.SubPath(), Hash: q.base.Commit}
	before, err := commits.ReadCommit(ctx, at, g.Home, q.env.Getenv(session.EnvBounds))
	if err != nil {
		return nil, err
	}
	defer before.Close()
	of := map[string]bool{}
	for _, p := range session.LoadRead(ctx, q.env, before.Project, before.Problems).Desired.Problems {
		of[identity(p)] = true
	}
	return of, nil
}

// identity is the same of a problem that an edit has moved to another line.
func identity(p diag.Problem) string {
	return strings.Join([]string{string(p.Code), p.Position.File(), p.Address, p.Message}, "\x00")
}
