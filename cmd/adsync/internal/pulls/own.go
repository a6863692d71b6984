package pulls

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"adsync/cmd/adsync/internal/planning"
	"adsync/cmd/adsync/internal/runs"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/forge"
	"adsync/sources/marked"
	"adsync/state/kv"
)

// Own keeps pull requests of adsync's own for an account, one a purpose. Its fields are set before the first use and
// stay.
type Own struct {
	Name  string // of the account, for people
	Forge forge.Repository
	Kept  kv.Store // beside the account
}

// purpose is what a pull request is for.
type purpose struct {
	word      string // of its mark, and where it is kept
	does      string // what it does, for people
	over      string // why it is closed where nothing is left
	unwritten string // why it is closed where nothing can be written
}

var (
	drift = purpose{"drift", "takes over what was changed outside",
		"What was changed outside is no longer so: the files say what is live.",
		"What is changed outside now cannot be written into the files: somebody has to decide."}
	results = purpose{"results", "writes results into the files", "",
		"The files say what became of their rows, or results cannot be written into them."}
)

// proposed is what is proposed for a purpose.
type proposed struct {
	From   string `json:"from"` // branches
	Into   string `json:"into"`
	Base   string `json:"base"`   // commit
	What   string `json:"what"`   // digest of what is to be said
	Number int    `json:"number"` // of the pull request, 0 where it is not opened
}

// KeepDrift keeps the pull request of what was changed outside.
func (o *Own) KeepDrift(ctx context.Context, env *session.Env, l session.Loaded, found planning.DriftDocument) error {
	what := ""
	if len(found.Resources) > 0 {
		what = found.Digest()
	}
	_, err := o.keep(ctx, env, drift, what, func() (planning.Proposal, error) {
		return planning.ProposalOf(ctx, env, l, found)
	})
	return err
}

// KeepResults keeps the pull request that writes what became of rows into the workbooks and CSV files, and reports
// whether nothing of it is left.
func (o *Own) KeepResults(ctx context.Context, env *session.Env, l session.Loaded, account string,
	rows []marked.RowOutcome) (over bool, err error) {
	rows = slices.DeleteFunc(rows, func(r marked.RowOutcome) bool { return !marked.TakesResults(r.Position.File()) })
	return o.keep(ctx, env, results, digestOf(rows), func() (planning.Proposal, error) {
		return resultsOf(env, l, account, rows), nil
	})
}

// DriftStands reports whether a pull request of what was changed outside may be open.
func (o *Own) DriftStands() bool {
	kept, err := o.read(drift)
	return err == nil && kept.Number != 0
}

// keep opens the pull request of a purpose, has it say what is to be said by now, and closes it where nothing is, which
// it reports. One that somebody closed is not opened again before something else is to be said.
func (o *Own) keep(ctx context.Context, env *session.Env, of purpose, what string,
	propose func() (planning.Proposal, error)) (over bool, err error) {
	kept, err := o.read(of)
	if err != nil {
		return false, err
	}
	if what == "" {
		return true, o.end(ctx, env, of, kept, of.over)
	}
	base := env.Git.Revision
	into, is := strings.CutPrefix(base.Ref, "refs/heads/")
	if !is || kept.Base == base.Commit && kept.What == what { // nobody merges into a tag
		return false, nil
	}
	p, err := propose()
	if err != nil {
		return false, err
	}
	if len(p.Answer.Files) == 0 {
		return true, o.end(ctx, env, of, kept, of.unwritten)
	}
	p.Answer.Afresh = true
	if _, err := runs.Push(ctx, env, p.Answer); err != nil {
		return false, err
	}
	if kept.What != what || kept.Number == 0 {
		if kept.Number, err = o.open(ctx, env, of, p, into); err != nil {
			return false, err
		}
	}
	return false, o.put(of, proposed{p.Answer.Branch, into, base.Commit, what, kept.Number})
}

// open has the forge show what was pushed as a pull request.
func (o *Own) open(ctx context.Context, env *session.Env, of purpose, p planning.Proposal, into string) (int, error) {
	number, err := o.Forge.Propose(ctx, forge.Proposal{
		From: p.Answer.Branch, Into: into, Title: p.Title, Text: o.mark(of) + "\n" + p.Text,
	})
	if err == nil {
		env.Note("pull request %d %s", number, of.does)
	}
	return number, err
}

// end closes the pull request that is kept.
func (o *Own) end(ctx context.Context, env *session.Env, of purpose, kept proposed, why string) error {
	if kept.Number == 0 {
		return nil
	}
	p := forge.Proposal{From: kept.From, Into: kept.Into, Text: o.mark(of)}
	if err := o.Forge.Withdraw(ctx, p, why); err != nil {
		return err
	}
	was, err := o.Forge.Find(ctx, kept.Number)
	if err != nil {
		return err
	}
	if was.Merged != "" {
		env.Note("pull request %d is merged", kept.Number)
	} else {
		env.Note("pull request %d is not needed any more", kept.Number)
	}
	return o.Kept.Delete(nameFor(of))
}

func (o *Own) mark(of purpose) string { return fmt.Sprintf("<!-- adsync:%s:%s -->", of.word, o.Name) }

func nameFor(of purpose) string { return of.word + ".json" }

func (o *Own) read(of purpose) (kept proposed, err error) {
	content, err := o.Kept.Get(nameFor(of), mostKept)
	if errors.Is(err, fs.ErrNotExist) {
		return kept, nil
	}
	if err == nil {
		err = json.Unmarshal(content, &kept)
	}
	return kept, err
}

func (o *Own) put(of purpose, kept proposed) error {
	content, err := json.Marshal(kept)
	if err != nil {
		return err
	}
	return o.Kept.Put(nameFor(of), content)
}
