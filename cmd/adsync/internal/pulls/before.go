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
	"adsync/internal/gitstore"
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
	Given     []string  `json:"given,omitempty"`  // ids of the yeses that were handed on
	Since     time.Time `json:"since"`            // when they were handed on last
}

// renewEvery is how often yeses that count are handed on again while what they are to is not applied: approvals of the
// account expire, by its policy, before those yeses do.
const renewEvery = 10 * time.Minute

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
	if in, err := Contains(ctx, at.Store, at.Revision.Commit, a.Head); err == nil && in {
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

// Contains reports whether a commit has another among those it came from.
func Contains(ctx context.Context, store *gitstore.Store, commit, other string) (bool, error) {
	end, err := store.Reading(ctx)
	if err != nil {
		return false, err
	}
	defer end()
	return commits.Contains(config.Commit{Repository: store.Dir(), Hash: commit}, other)
}

// beforeMerge is what somebody has to agree to of all changes, held or not, as the yes has them applied. Of a row that
// is held in part, the rest is applied, too.
const beforeMerge plan.Hazard = "before-merge"

// asksBefore is that ask; false where there are no changes.
func asksBefore(p *plan.Plan) (ask plan.Ask, asks bool) {
	ask.Hazard, ask.Allow = beforeMerge, string(beforeMerge)
	for i := range p.Changes {
		ask.Parts = append(ask.Parts, drafting.PartsOf(&p.Changes[i], 0)...)
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
		return pending("waits for pull request %d, which is applied and not merged", ahead.Number), false, nil
	case !agreesBefore(e.all, e.answer.Asked.Asks):
		return pending("needs approval: applies %s before the merge", diag.Plural(changes, "change")), told, nil
	case !told || e.Now().Sub(ahead.Since) >= renewEvery || slices.ContainsFunc(e.all, func(j judged) bool {
		return j.why == "" && !slices.Contains(ahead.Given, j.ID)
	}):
		if same, err := e.still(ctx); err != nil || !same {
			return pending("approved, and changed since; it is planned again"), true, err
		}
		err = e.goAhead(ctx, ahead)
	}
	return pending("approved; applies now"), true, err
}

// still reports whether the pull request and the yeses to it are by now as they were planned with. What is applied from
// here on cannot be held any more, and planning takes its time.
func (e *early) still(ctx context.Context) (bool, error) {
	p, err := e.Forge.Find(ctx, e.pull.Number)
	if err != nil || p.Closed || p.Head != e.pull.Head || p.Branch != e.pull.Branch {
		return false, err
	}
	talk, err := e.Forge.Talk(ctx, p)
	if err != nil {
		return false, err
	}
	c, err := e.consented(p.Number)
	if err != nil {
		return false, err
	}
	if e.all, err = e.judge(ctx, p, c, talk); err != nil {
		return false, err
	}
	agreed := func(h plan.Hazard, parts []plan.Part) bool { return covers(e.all, h, parts) }
	return (e.answer.Judge == nil || e.answer.Judge(agreed).State == forge.Passes) &&
		agreesBefore(e.all, e.answer.Asked.Asks), nil
}

// agreesBefore reports whether one yes that counts is to all of it.
func agreesBefore(all []judged, asks []plan.Ask) bool {
	return !slices.ContainsFunc(asks, func(a plan.Ask) bool {
		return a.Hazard == beforeMerge && !covers(all, a.Hazard, a.Parts)
	})
}

// goAhead hands on what people agreed to, and has the account have the pull request from now on. It is kept before
// anything can be applied: whoever begins anew finds it. before is the one that it has; nil: none.
func (e *early) goAhead(ctx context.Context, before *Ahead) error {
	a := Ahead{
		Number: e.pull.Number, Head: e.pull.Head, Ref: e.pull.Ref, Branch: e.pull.Branch,
		Addresses: e.answer.Asked.Addresses, Since: e.Now().UTC(),
	}
	for _, ask := range ofTheAccount(e.answer.Asked.Asks) {
		for _, part := range ask.Parts {
			a.Agreed = append(a.Agreed, part.Address)
		}
	}
	for _, j := range e.all {
		if j.why == "" {
			a.Given = append(a.Given, j.ID)
		}
	}
	if before != nil && before.Number == a.Number && before.Head == a.Head { // some of it may be applied already
		a.Addresses = with(before.Addresses, a.Addresses)
		a.Agreed = with(before.Agreed, a.Agreed)
	}
	if _, err := e.handOn(ctx, e.pull, e.all, e.answer.Asked, e.Rules.sent(e.pull)); err != nil {
		return err
	}
	if err := e.put(aheadName, a); err != nil {
		return err
	}
	e.Log.Info("a pull request is applied before its merge", "pull", a.Number, "head", a.Head)
	e.Wake()
	return nil
}

// with returns all of two lists, each once.
func with(some, others []string) []string {
	return slices.Compact(slices.Sorted(slices.Values(slices.Concat(some, others))))
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
// is closed without that, the account has the branch alone again. Where nothing can be planned, the forge is asked for
// an open one, too: that has it merge anew what may be why.
func (d *Desk) landed(ctx context.Context, branch string, open []forge.Pull, planned bool) error {
	if !d.Before {
		return nil
	}
	a, err := AheadOf(d.Kept)
	if err != nil || a == nil {
		return err
	}
	is := func(p forge.Pull) bool { return p.Number == a.Number }
	if planned && slices.ContainsFunc(open, is) && branch == a.Branch {
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
	merged := p.Merged != "" && p.Branch == branch
	var failed error
	if !merged && p.Head != "" { // said before it is so: whoever is killed in between says it again
		failed = takeBack(ctx, d, a)
	}
	if err := NeverAhead(d.Kept); err != nil {
		return err
	}
	d.Log.Info("the account has its branch alone again", "pull", a.Number, "merged", merged)
	d.Wake()
	return failed
}

// takeBack says that a pull request which the account has before its branch does not come into it.
func takeBack(ctx context.Context, d *Desk, a *Ahead) error {
	err := d.Forge.Judge(ctx, a.Head, forge.Verdict{Name: d.Status, State: forge.Waits,
		Text: "taken back: not merged into " + a.Branch})
	if was := d.said[a.Number]; was.Comment != "" {
		_, said := d.say(ctx, a.Number, was, d.Mark+"\n"+fmt.Sprintf(notMerged, a.Branch))
		err = errors.Join(err, said)
	}
	return err
}

// IsAhead reports whether the account has it before its branch, as the forge says now. in says whether the branch has a
// commit.
func (a *Ahead) IsAhead(ctx context.Context, d *Desk, in func(commit string) bool) (bool, error) {
	p, err := d.Forge.Find(ctx, a.Number)
	switch {
	case err != nil:
		return false, err
	case p.Merged != "" && p.Branch == a.Branch:
		return !in(p.Merged), nil
	}
	return !p.Closed && p.Branch == a.Branch, nil
}

// notMerged is said where a pull request was applied before its merge, and is not merged into the branch.
const notMerged = "Not merged into %s: it was closed, or is to go elsewhere. What it changed was applied before: the " +
	"account goes back to what the branch says, as ordinary changes under the same guards and holds, which wait at " +
	"the daemon's page. What was created is treated like rows that were removed (`prune`), and what was archived " +
	"stays archived.\n"

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
