package pulls

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/internal/forge"
	"adsync/plan"
	"adsync/plan/drafting"
	"adsync/sources/commits"
	"adsync/sources/config"
	"adsync/state/kv"
)

// Ahead is the pull request that an account has, and its branch has not yet. While there is one, the files of the
// account are those of the branch with the pull request merged into it: so no run takes back what was applied. The
// pull request counts with the commit that was agreed to, whatever is pushed to it.
type Ahead struct {
	Number    int       `json:"number"`
	Head      string    `json:"head"`
	Ref       string    `json:"ref"`    // as of forge.Pull
	Branch    string    `json:"branch"` // that it goes into
	Addresses []string  `json:"addresses"`
	Agreed    []string  `json:"agreed,omitempty"` // of those, whose change was held
	Since     time.Time `json:"since"`
}

const (
	aheadName = "ahead.json"
	mostOfIt  = 16 << 20 // bytes
)

// AheadOf returns the pull request that an account is ahead of its branch by; nil where there is none.
func AheadOf(kept kv.Store) (*Ahead, error) {
	content, err := kept.Get(aheadName, mostOfIt)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var a Ahead
	if err == nil {
		err = json.Unmarshal(content, &a)
	}
	if err == nil && (a.Number <= 0 || a.Head == "") {
		err = errors.New("it is damaged")
	}
	if err != nil {
		return nil, fmt.Errorf("%s, which says what the account has before its branch, cannot be read: %w",
			diag.Printable(kept.Where(aheadName)), err)
	}
	return &a, nil
}

// NeverAhead has an account follow its branch alone.
func NeverAhead(kept kv.Store) error {
	err := kept.Delete(aheadName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// CheckOut reads the project of the commit that was fetched, with the pull request. Where the branch has that already,
// it is the commit alone.
func (a *Ahead) CheckOut(ctx context.Context, env *session.Env) error {
	at, own := *env.Git, *env
	own.Git = &at
	end, err := at.Store.Reading(ctx)
	if err != nil {
		return err
	}
	commit := config.Commit{Repository: at.Store.Dir(), Path: at.Store.SubPath(), Hash: at.Revision.Commit}
	in, err := commits.Contains(commit, a.Head)
	end()
	if err == nil && in {
		return session.CheckOut(ctx, env)
	}
	// The head is fetched by its commit: it may have been pushed away since.
	m, err := readMerged(ctx, &own, at.Revision, forge.Pull{Head: a.Head, Ref: a.Ref}, a.Head, true)
	if err != nil {
		return session.GitExit(fmt.Errorf("read pull request %d, which the account has before its branch: %w",
			a.Number, err))
	}
	if len(m.Stale) > 0 {
		return console.ExitWith(console.ExitRefused, fmt.Sprintf("the branch and pull request %d, which the account "+
			"has before it, have both changed %q, and the forge has not merged them; nothing is sent until the pull "+
			"request is merged or closed, or the branch merged into it and approved", a.Number, m.Stale[0]))
	}
	env.Note("%s of %.12s with pull request %d at %.12s, which is applied before its merge",
		env.Git.Revision.Ref, env.Git.Revision.Commit, a.Number, a.Head)
	env.Git.Checkout = m.Checkout
	return nil
}

// beforeMerge is what somebody has to agree to of changes that nothing holds, as the yes has them applied.
const beforeMerge plan.Hazard = "before-merge"

// asksBefore is that ask; false where there are no such changes.
func asksBefore(p *plan.Plan) (ask plan.Ask, asks bool) {
	ask.Hazard, ask.Allow = beforeMerge, string(beforeMerge)
	for i := range p.Changes {
		if c := &p.Changes[i]; !c.IsHeld() {
			ask.Parts = append(ask.Parts, drafting.PartsOf(c, 0)...)
		}
	}
	ask.Item = ask.Digest()
	return ask, len(ask.Parts) > 0
}

// ofTheAccount are the asks that the account knows.
func ofTheAccount(asks []plan.Ask) (left []plan.Ask) {
	return slices.DeleteFunc(slices.Clone(asks), func(a plan.Ask) bool { return a.Hazard == beforeMerge })
}

// early is an open pull request whose changes are applied before it is merged, as it was planned just now.
type early struct {
	*Desk
	pull   forge.Pull
	answer *Answer
	all    []judged // what people said
}

// stands says where it stands, and has it be applied once all is agreed to. It passes only where the account is as it
// says. waits is that this may become another without anybody's doing.
func (e *early) stands(ctx context.Context, v forge.Verdict) (_ forge.Verdict, waits bool, err error) {
	if !e.Before || e.answer.Asked.Unplanned || v.State == forge.Fails {
		return v, false, nil
	}
	ahead, err := AheadOf(e.Kept)
	if err != nil {
		return v, false, err
	}
	told := ahead != nil && ahead.Number == e.pull.Number && ahead.Head == e.pull.Head
	if told {
		if applied, err := e.becomes(ctx, ahead); err != nil || applied {
			v.Text = "applied before the merge, and verified"
			return v, false, err
		}
	}
	pending := func(format string, args ...any) forge.Verdict {
		return forge.Verdict{Name: v.Name, State: forge.Waits, Text: fmt.Sprintf(format, args...)}
	}
	changes := len(e.answer.Asked.Addresses)
	switch {
	case v.State != forge.Passes || changes == 0 && !told: // something is held, or nothing is to be done
		return v, told, nil
	case ahead != nil && ahead.Number != e.pull.Number:
		return pending("waits for pull request %d, which is applied and not merged", ahead.Number), true, nil
	case !agreesBefore(e.all, e.answer.Asked.Asks):
		return pending("needs approval: applies %s before the merge", diag.Plural(changes, "change")), told, nil
	case !told:
		err = e.goAhead()
	}
	return pending("approved; applies now"), true, err
}

// agreesBefore reports whether one yes that counts is to all that nothing holds.
func agreesBefore(all []judged, asks []plan.Ask) bool {
	return !slices.ContainsFunc(asks, func(a plan.Ask) bool {
		return a.Hazard == beforeMerge && !covers(all, a.Hazard, a.Parts)
	})
}

// goAhead hands on what people agreed to, and has the account have the pull request from now on. It is kept before
// anything can be applied: whoever begins anew finds it.
func (e *early) goAhead() error {
	a := Ahead{
		Number: e.pull.Number, Head: e.pull.Head, Ref: e.pull.Ref, Branch: e.pull.Branch,
		Addresses: e.answer.Asked.Addresses, Since: e.Now().UTC(),
	}
	for _, ask := range ofTheAccount(e.answer.Asked.Asks) {
		for _, part := range ask.Parts {
			a.Agreed = append(a.Agreed, part.Address)
		}
	}
	if _, err := e.handOn(e.pull, e.all); err != nil {
		return err
	}
	if err := e.put(aheadName, a); err != nil {
		return err
	}
	e.Log.Info("a pull request is applied before its merge", "pull", a.Number, "head", a.Head)
	e.Wake()
	return nil
}

// becomes has the answer say what became of it, and reports whether a run has read the account back since, and nothing
// is left.
func (e *early) becomes(ctx context.Context, a *Ahead) (applied bool, err error) {
	text, done, err := e.Result(ctx, Merge{Commit: a.Head, Addresses: a.Addresses, Agreed: a.Agreed, Before: true})
	switch {
	case errors.Is(err, errLater):
		e.answer.Text += "\n**Approved**: it is applied now, before the merge.\n"
		return false, nil
	case err != nil:
		return false, err
	case len(e.answer.Asked.Addresses) == 0:
		e.answer.Text = text
		return done, nil
	}
	_, rest, _ := strings.Cut(text, "\n") // the plan says what is to be agreed to yet
	e.answer.Text += "\n" + rest
	return false, nil
}

// landed sees to the pull request that the account has before its branch. Once the branch as it was read has it, or it
// is closed without that, the account has the branch alone again.
func (d *Desk) landed(ctx context.Context, branch string, open []forge.Pull) error {
	if !d.Before {
		return nil
	}
	a, err := AheadOf(d.Kept)
	if err != nil || a == nil {
		return err
	}
	is := func(p forge.Pull) bool { return p.Number == a.Number }
	if slices.ContainsFunc(open, is) && branch == a.Branch {
		return nil
	}
	p, err := d.Forge.Find(ctx, a.Number)
	if err != nil || !p.Closed && p.Branch == branch {
		return err
	}
	if p.Merged != "" && p.Branch == branch { // a run that began before would take it back
		if in, err := d.Has(ctx, p.Merged); err != nil || !in {
			return err
		}
	}
	if err := NeverAhead(d.Kept); err != nil {
		return err
	}
	d.Log.Info("the account has its branch alone again", "pull", a.Number, "merged", p.Merged != "")
	d.Wake()
	if was := d.said[a.Number]; p.Merged == "" && was.Comment != "" {
		_, err = d.say(ctx, a.Number, was, d.Mark+"\n"+notMerged)
	}
	return err
}

// notMerged is said where a pull request was applied before its merge, and is closed without one.
const notMerged = "Closed without a merge. What it changed was applied before: the account goes back to what the " +
	"branch says, as ordinary changes under the same guards and holds, which wait at the daemon's page. What was " +
	"created is treated like rows that were removed (`prune`), and what was archived stays archived.\n"

// Has reports whether the branch, as it was read last, has a commit.
func (p *Planner) Has(ctx context.Context, commit string) (bool, error) {
	read := p.At()
	if read == nil {
		return false, nil
	}
	in, err := p.contains(ctx, read.Revision.Commit, commit)
	return err == nil && in, nil // else it is not here yet
}

// alone reports whether all changes of a plan count as those of the pull request: it was pushed to after it was
// applied, and what the branch alone would do says nothing.
func (q *proposal) alone() (bool, error) {
	if !q.Before {
		return false, nil
	}
	a, err := AheadOf(q.Kept)
	return a != nil && a.Number == q.pull.Number && a.Head != q.pull.Head, err
}
