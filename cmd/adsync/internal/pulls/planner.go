package pulls

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"adsync/cmd/adsync/internal/runs"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/internal/forge"
	"adsync/internal/gitstore"
	"adsync/internal/planview"
	"adsync/plan"
	"adsync/reconcile"
	"adsync/sources/commits"
	"adsync/sources/config"
	"adsync/state"
	"adsync/state/kv"
)

// Planner plans what pull requests would do to an account.
type Planner struct {
	Name string // of the account, for people
	Env  *session.Env
	// At returns the commit that was read last; nil before there is one.
	At     func() *session.GitSource
	Before bool     // what a pull request changes is applied before it is merged
	Kept   kv.Store // beside the account
	// CodeOwners is the forge whose CODEOWNERS say who owns the files; "" where nobody asks.
	CodeOwners string
	// Copies returns the address of the folder with the marked copies of a run; nil where they are pushed nowhere.
	Copies func(account, run string) string
	// Plan plans files against the account as it is now, with a client that can only read.
	Plan func(context.Context, *session.Env, session.Loaded) (*reconcile.View, state.Account, error)
}

// proposal is a pull request that is being planned.
type proposal struct {
	*Planner
	pull   forge.Pull
	env    *session.Env
	base   gitstore.Revision // of the branch it goes into
	merged *commits.Merged
}

// Answer says what a pull request would do.
func (p *Planner) Answer(ctx context.Context, pull forge.Pull) (*Answer, error) {
	read := p.At()
	if read == nil {
		return nil, errLater
	}
	at, own := *read, *p.Env
	own.Git, own.OnNote = &at, func(string) {}
	q := &proposal{Planner: p, pull: pull, env: &own, base: at.Revision}
	if err := q.fetch(ctx); err != nil {
		return q.unread(err)
	}
	defer q.merged.Close()
	switch {
	case len(q.merged.Changed) == 0:
		text := q.text("It changes no file of this account.\n")
		return &Answer{Text: text, Verdict: q.says(forge.Passes, "no change"), Asked: Asked{Unplanned: true}}, nil
	case len(q.merged.Stale) > 0:
		return q.stale(), nil
	}
	return q.planned(ctx)
}

// fetch gets the head, and what merging it would make of the branch.
func (q *proposal) fetch(ctx context.Context) (err error) {
	q.merged, err = readMerged(ctx, q.env, q.base, q.pull, q.pull.Ref, false)
	return err
}

// readMerged gets the head of a pull request from a ref, and reads what merging it makes of the branch. signed is that
// somebody known must have signed it, where the account wants that: a merge of the forge is signed by nobody.
func readMerged(ctx context.Context, env *session.Env, base gitstore.Revision, pull forge.Pull, ref string,
	signed bool) (*commits.Merged, error) {
	g := env.Git
	settings, _, err := session.GitConfig(env, g.Flags)
	if err != nil {
		return nil, err
	}
	settings.Ref, settings.Records, settings.Limits.PackBytes = ref, forgets{}, mostFetched
	if !signed {
		settings.Signers = "" // nothing of it is applied
	}
	g.Shared.Renew()
	if g.Store, err = gitstore.Open(settings); err != nil {
		return nil, err
	}
	if g.Revision, err = g.Store.Fetch(ctx); err != nil {
		return nil, err
	}
	if g.Revision.Commit != pull.Head {
		return nil, errLater // it was pushed to meanwhile
	}
	merge := ""
	if settings.Signers == "" {
		if merge, err = mergeAt(ctx, settings, pull); err != nil {
			return nil, err
		}
	}
	end, err := g.Store.Reading(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	at := config.Commit{Repository: g.Store.Dir(), Path: g.Store.SubPath(), Hash: base.Commit}
	return commits.ReadMerged(ctx, at, pull.Head, merge, g.Home, env.Getenv(session.EnvBounds))
}

// mergeAt gets the merge that the forge made, and returns its commit; "" where there is none that can be read. Whether
// it is of this head and this branch is for who reads it.
func mergeAt(ctx context.Context, settings gitstore.Config, pull forge.Pull) (string, error) {
	settings.Ref = pull.MergeRef()
	store, err := gitstore.Open(settings)
	if err != nil {
		return "", err
	}
	r, err := store.Fetch(ctx)
	if gitstore.ClassOf(err) == gitstore.Input {
		return "", nil
	}
	return r.Commit, err
}

// mostFetched is how many bytes a fetch of a head may have: what strangers push stays on the disk of the daemon.
const mostFetched = 128 << 20

// forgets keeps nothing: a pull request may be rewritten, and nobody has to accept that.
type forgets struct{ kv.Store }

func (forgets) Get(string, int) ([]byte, error) { return nil, fs.ErrNotExist }
func (forgets) Put(string, []byte) error        { return nil }

// unread is what is said of a pull request that cannot be read. What may pass is tried again.
func (q *proposal) unread(err error) (*Answer, error) {
	if class := gitstore.ClassOf(err); errors.Is(err, gitstore.ErrNoRef) || class != gitstore.Input &&
		!errors.Is(err, commits.ErrBeyondBounds) && !errors.Is(err, commits.ErrUnmergeable) {
		return nil, err
	}
	why := diag.Printable(q.placeless(err.Error()))
	return &Answer{
		Touches: true, Text: q.text("Its files cannot be read: " + planview.Code(why) + "\n"),
		Verdict: q.says(forge.Fails, "its files cannot be read"), Asked: Asked{Unplanned: true},
	}, nil
}

func (q *proposal) stale() *Answer {
	var text strings.Builder
	text.WriteString("**Stale**: these files were changed on both sides since the pull request began, and the forge " +
		"has not merged them. Merge or rebase, and push:\n\n")
	for i, name := range q.merged.Stale {
		if i == mostListed {
			fmt.Fprintf(&text, "- … and %d more\n", len(q.merged.Stale)-i)
			break
		}
		fmt.Fprintf(&text, "- %s\n", planview.Code(diag.Printable(name)))
	}
	verdict := q.says(forge.Fails, "stale: "+diag.Plural(len(q.merged.Stale), "file")+" changed on both sides")
	return &Answer{
		Touches: true, Stale: true, Text: q.text(text.String()), Verdict: verdict, Asked: Asked{Unplanned: true},
	}
}

// mostListed is how many files are named.
const mostListed = 20

// planned plans the files as they would be.
func (q *proposal) planned(ctx context.Context) (*Answer, error) {
	q.env.Git.Checkout = q.merged.Checkout
	l := session.LoadRead(ctx, q.env, q.merged.Project, q.merged.Problems)
	if l.Failure != nil {
		return nil, l.Failure
	}
	document, verdict := runs.Unplanned(l), q.says(forge.Fails, diag.Plural(len(l.Desired.Problems), "problem"))
	answer := &Answer{Touches: true, Asked: Asked{Unplanned: true}}
	if !diag.HasErrors(l.Desired.Problems) {
		view, account, err := q.Plan(ctx, q.env, l)
		if err != nil {
			return nil, err
		}
		if err := q.since(ctx, view); err != nil {
			return nil, err
		}
		runs.TellAuthors(ctx, q.env, l, view.Plan)
		document, verdict = runs.Document(q.env, l, account, view), q.judge(view.Plan, nil)
		if !diag.HasErrors(view.Plan.Problems) {
			answer.Asked = q.asks(view, account)
			if answer.Owned, err = q.owners(); err != nil {
				return nil, err
			}
			answer.Judge = func(agreed func(plan.Hazard, []plan.Part) bool) forge.Verdict {
				return q.judge(view.Plan, agreed)
			}
		}
	}
	notes, err := q.notes(ctx, l.Desired.Problems)
	if err != nil {
		return nil, err
	}
	document.Service = nil
	for i, p := range document.Problems {
		at := diag.OriginOf(q.placeless(p.Position.File()), p.Position.Sheet())
		document.Problems[i].Position = at.At(p.Position.Line(), p.Position.Column())
		document.Problems[i].Message = q.placeless(p.Message)
	}
	answer.Within = func(room int) (string, int) {
		text, hidden := planview.Comment(l.Schemas, document, q.comment(room))
		return q.text(text), hidden
	}
	answer.Explain = func(address string) string { return q.explain(l, document, address) }
	if len(answer.Asked.Asks) > 0 {
		_, answer.Asked.Hidden = answer.Within(mostBelow)
	}
	answer.Text, _ = answer.Within(0)
	answer.Verdict, answer.Notes = verdict, notes
	return answer, nil
}

// asks is what the pull request asks people for: what is held of its own, and not of what is pending without it.
func (q *proposal) asks(view *reconcile.View, account state.Account) Asked {
	own := *view.Plan
	own.Changes = slices.DeleteFunc(slices.Clone(own.Changes), func(c plan.Change) bool { return c.Pending })
	a := Asked{Lineage: view.State.Lineage, Serial: view.State.Serial, Asks: own.FindAsks()}
	if ask, is := asksBefore(&own); q.Before && is {
		a.Asks = append(a.Asks, ask)
	}
	for i := range own.Changes {
		c := &own.Changes[i]
		at := c.Address.String()
		a.Addresses = append(a.Addresses, at)
		for k := range c.Fields {
			if f := &c.Fields[k]; f.Pending {
				a.Pending = append(a.Pending, pendingAt(at, f.Name), pendingAt(at, ""))
			}
		}
	}
	if len(a.Asks) > 0 {
		texts := []string{"pull request", q.Name, account.ID, strconv.Itoa(q.pull.Number)}
		for _, one := range a.Asks {
			texts = append(texts, one.Item)
		}
		a.Digest = plan.DigestOfTexts(texts...)
	}
	return a
}

// comment has the comment show whole what people are asked for.
func (q *proposal) comment(room int) planview.CommentOptions {
	return planview.CommentOptions{Room: room, Asked: func(c *plan.ChangeDocument) bool {
		return !c.Pending && (q.Before || planview.IsHeld(c))
	}}
}

// placeless leaves out where on this machine and its network things are: strangers may read a comment.
func (q *proposal) placeless(text string) string {
	text = strings.ReplaceAll(text, q.env.Git.Store.Address(), "the repository")
	file, _ := session.OperatorFile(q.env)
	if whole, err := filepath.Abs(file); file != "" && err == nil {
		text = strings.ReplaceAll(text, whole, filepath.Base(file))
	}
	return text
}

// since tells what is pending without the pull request.
func (q *proposal) since(ctx context.Context, view *reconcile.View) error {
	g := q.env.Git
	base := plan.Base{Revision: q.branch(), Commit: q.base.Commit}
	if alone, err := q.alone(); err != nil || alone {
		view.Plan.Since(base, nil)
		return err
	}
	at := config.Commit{Repository: g.Store.Dir(), Path: g.Store.SubPath(), Hash: q.base.Commit}
	before, err := commits.ReadCommit(ctx, at, g.Home, q.env.Getenv(session.EnvBounds))
	if err != nil {
		return err
	}
	defer before.Close()
	files := session.LoadRead(ctx, q.env, before.Project, before.Problems)
	if diag.HasErrors(files.Desired.Problems) {
		view.Plan.Since(base, nil)
		return nil
	}
	view.Plan.Since(base, view.Without(files.Desired.Snapshot))
	return nil
}

// judge is the status of a plan: what the pull request itself has held waits for a yes.
func (q *proposal) judge(p *plan.Plan, agreed func(plan.Hazard, []plan.Part) bool) forge.Verdict {
	own, held, approved := 0, 0, 0
	for i := range p.Changes {
		switch c := &p.Changes[i]; {
		case c.Pending:
		case c.IsHeld() && isAgreed(c, agreed):
			approved++
		case c.IsHeld():
			held++
		default:
			own++
		}
	}
	switch {
	case diag.HasErrors(p.Problems):
		return q.says(forge.Fails, diag.Plural(len(p.Problems), "problem"))
	case held > 0:
		return q.says(forge.Waits, "needs approval: "+diag.Plural(held, "change")+" held")
	case approved > 0:
		return q.says(forge.Passes, fmt.Sprintf("%s, %d approved", diag.Plural(own+approved, "change"), approved))
	case own == 0:
		return q.says(forge.Passes, "no change")
	}
	return q.says(forge.Passes, diag.Plural(own, "change"))
}

// isAgreed reports whether somebody agreed to all that holds a change.
func isAgreed(c *plan.Change, agreed func(plan.Hazard, []plan.Part) bool) bool {
	holds := c.Releasable()
	for _, h := range holds {
		if agreed == nil || len(h.Parts) == 0 || !agreed(h.Hazard, h.Parts) {
			return false
		}
	}
	return len(holds) > 0
}

func (q *proposal) says(state forge.State, text string) forge.Verdict {
	if q.changesPolicy() {
		text += "; " + config.ProjectFile + " changes, too"
	}
	return forge.Verdict{Name: q.Status(), State: state, Text: text}
}

// changesPolicy reports whether it changes what no plan counts before it is merged.
func (q *proposal) changesPolicy() bool {
	return q.merged != nil && slices.Contains(q.merged.Changed, config.ProjectFile)
}

// branch is the one it goes into.
func (q *proposal) branch() string { return strings.TrimPrefix(q.base.Ref, "refs/heads/") }

// how says which merge is planned.
func (q *proposal) how() string {
	switch {
	case q.merged == nil || len(q.merged.Stale) > 0:
		return ""
	case q.merged.ByForge:
		return ", by the forge"
	}
	return ", file by file"
}

// Status is the name of what commits are said to be.
func (p *Planner) Status() string { return "adsync/" + p.Name }

// Mark is the first line of each comment.
func (p *Planner) Mark() string { return "<!-- adsync:pull:" + p.Name + " -->" }

// text is a comment: its mark, whose it is, and what is said.
func (q *proposal) text(said string) string {
	if first, rest, ok := strings.Cut(said, "\n"); ok && strings.HasPrefix(first, "<!--") {
		said = rest // that was the mark of another comment
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%s\nAccount %s, `%.12s` merged into %s at `%.12s`%s.\n\n", q.Mark(),
		planview.Code(q.Name), q.pull.Head, planview.Code(q.branch()), q.base.Commit, q.how())
	if q.changesPolicy() {
		fmt.Fprintf(&text, "%s is changed, too. This plan is made under the one of the branch: the change counts "+
			"once it is merged. If it loosens what holds something here, that is then applied without an approval. "+
			"What the operator's file and the defaults hold stays held.\n\n", planview.Code(config.ProjectFile))
	}
	return text.String() + said
}
