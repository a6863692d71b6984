package pulls

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"adsync/cmd/adsync/internal/planning"
	"adsync/cmd/adsync/internal/runs"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/forge"
	"adsync/state/kv"
)

// Drift keeps one pull request of an account that takes over what was changed outside. Its fields are set before Keep
// and stay.
type Drift struct {
	Name  string // of the account, for people
	Forge forge.Proposals
	Kept  kv.Store // beside the account
}

// driftName is where it is kept what is proposed.
const driftName = "drift.json"

// driftKept is what is proposed.
type driftKept struct {
	From   string `json:"from"` // branches
	Into   string `json:"into"`
	Base   string `json:"base"`   // commit
	What   string `json:"what"`   // digest of what was changed outside
	Number int    `json:"number"` // of the pull request, 0 where it is not opened
}

// Keep opens the pull request of what was changed outside, has it say what was changed since, and closes it where
// nothing is left. One that somebody closed is not opened again before something else is changed.
func (d *Drift) Keep(ctx context.Context, env *session.Env, l session.Loaded, found planning.DriftDocument) error {
	kept, err := d.read()
	if err != nil {
		return err
	}
	if len(found.Resources) == 0 {
		return d.end(ctx, env, kept, "What was changed outside is no longer so: the files say what is live.")
	}
	base, what := env.Git.Revision, found.Digest()
	into, is := strings.CutPrefix(base.Ref, "refs/heads/")
	if !is || kept.Base == base.Commit && kept.What == what { // nobody merges into a tag
		return nil
	}
	p, err := planning.ProposalOf(ctx, env, l, found)
	if err != nil {
		return err
	}
	if len(p.Answer.Files) == 0 {
		return d.end(ctx, env, kept, "What is changed outside now cannot be written into the files: "+
			"somebody has to decide.")
	}
	p.Answer.Afresh = true
	if err := runs.Push(ctx, env, p.Answer); err != nil {
		return err
	}
	if kept.What != what || kept.Number == 0 {
		kept.Number, err = d.Forge.Propose(ctx, forge.Proposal{
			From: p.Answer.Branch, Into: into, Title: p.Title, Text: d.mark() + "\n" + p.Text,
		})
		if err != nil {
			return err
		}
		env.Note("pull request %d takes over what was changed outside", kept.Number)
	}
	return d.keep(driftKept{p.Answer.Branch, into, base.Commit, what, kept.Number})
}

// Stands reports whether a pull request may be open.
func (d *Drift) Stands() bool {
	kept, err := d.read()
	return err == nil && kept.Number != 0
}

// end closes the pull request that is kept.
func (d *Drift) end(ctx context.Context, env *session.Env, kept driftKept, why string) error {
	if kept.Number == 0 {
		return nil
	}
	p := forge.Proposal{From: kept.From, Into: kept.Into, Text: d.mark()}
	if err := d.Forge.Withdraw(ctx, p, why); err != nil {
		return err
	}
	env.Note("pull request %d is not needed any more", kept.Number)
	return d.Kept.Delete(driftName)
}

func (d *Drift) mark() string { return fmt.Sprintf("<!-- adsync:drift:%s -->", d.Name) }

func (d *Drift) read() (kept driftKept, err error) {
	content, err := d.Kept.Get(driftName, mostKept)
	if errors.Is(err, fs.ErrNotExist) {
		return kept, nil
	}
	if err == nil {
		err = json.Unmarshal(content, &kept)
	}
	return kept, err
}

func (d *Drift) keep(kept driftKept) error {
	content, err := json.Marshal(kept)
	if err != nil {
		return err
	}
	return d.Kept.Put(driftName, content)
}
