package daemoncmd

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/merging"
	"adsync/cmd/adsync/internal/pulls"
	"adsync/cmd/adsync/internal/runs"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/daemon"
	"adsync/internal/diag"
	"adsync/internal/downloads"
	"adsync/internal/orders"
	"adsync/internal/pattern"
	"adsync/internal/planview"
	"adsync/internal/resource"
	"adsync/internal/words/catalogue"
	"adsync/reconcile"
	"adsync/sources"
	"adsync/sources/marked"
	"adsync/state"
)

// previewer plans with a file that was dropped for a look in the place of the source
// of its name. Nothing is written, and its client cannot change anything.
type previewer struct {
	worker  *worker
	open    opener
	newest  opener // the files as they are by now, for what is committed
	uploads string // branch that files are committed to; "" for none
	saves   bool   // files may be put into the folder
	note    func(orders.Ordered) error
	own     *pulls.Own // opens a pull request of what is committed; nil: nobody does
	sent    func()     // is told that it did

	downloads *downloads.Kept // what people have of the files
}

// opener gives the account's files as they are now: an app that reads them, their
// folder, and how to give them back.
type opener func(context.Context) (env *session.Env, dir string, done func(), err error)

// atFolder has the files of a folder.
func atFolder(env *session.Env, dir string) opener {
	return func(context.Context) (*session.Env, string, func(), error) { return env, dir, func() {}, nil }
}

func (k *previewer) preview(ctx context.Context, f daemon.Dropped) (*daemon.Upload, error) {
	env, dir, done, err := k.open(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	found, err := find(ctx, env, dir, f.Name)
	if err != nil {
		return nil, err
	}
	content, name, base := f.Content, found.name, found.base
	u := &daemon.Upload{Name: path.Base(name), Problems: []string{}, Source: name, Base: base}
	if err := k.merge(ctx, found.loaded, f, u); err != nil {
		return nil, err
	}
	switch m := u.Merge; {
	case m != nil && m.Content != nil:
		content = m.Content
	case m != nil && m.Refused == "":
		return u, nil // it is planned once it is settled
	}
	l := found.with(ctx, content)
	problems := l.Desired.Problems
	marks := marked.Marks{Problems: problems}
	if !diag.HasErrors(problems) {
		view, account, err := k.plan(ctx, env, l)
		if err != nil {
			return nil, notNow(ctx, err)
		}
		u.Plan = runs.Document(env, l, account, view)
		runs.Draw(l, u.Plan)
		problems, marks = u.Plan.Problems, runs.PlanMarks(l, account, view.Plan)
	}
	for _, p := range problems {
		u.Problems = append(u.Problems, spelled(p))
	}
	u.Into = k.own.Into(env)
	sends := !diag.HasErrors(problems) && (u.Merge == nil || u.Merge.Refused == "")
	if sends && (u.Into == "" || base != sumOf(content)) { // no forge opens one of nothing
		u.Branch, u.Saves = k.uploads, k.saves && base != sumOf(content)
	}
	var results bytes.Buffer
	if strings.EqualFold(path.Ext(name), ".xlsx") && marked.WriteCopy(content, &results, name, marks) == nil {
		u.Marked = results.Bytes()
	}
	return u, nil
}

// merge finds what a file began as, and where somebody else changed its place since, what it comes to in that.
func (k *previewer) merge(ctx context.Context, l session.Loaded, f daemon.Dropped, u *daemon.Upload) error {
	desk := merging.Desk{Kept: k.downloads, Project: l.Project, Schemas: l.Schemas, Now: time.Now()}
	began, err := desk.Began(ctx, f, u.Source, u.Base)
	switch {
	case err != nil: // who knows what is written over
		return notNowAs(console.OneLine(err))
	case began == nil:
		return nil
	}
	if !began.Moved {
		u.Began = began.Sum
		return nil
	}
	var today []byte
	if u.Base != "" {
		today, err = os.ReadFile(filepath.Join(l.Project.Root, filepath.FromSlash(u.Source)))
	}
	if err == nil && u.Base != "" && sumOf(today) != u.Base {
		err = notNowAs(catalogue.Say("failed.being-saved"))
	}
	if err != nil {
		return err
	}
	u.Merge = desk.Merge(ctx, f, began, u.Source, today)
	return nil
}

// draw plans files for the named resources alone, as people see it.
func (k *previewer) draw(ctx context.Context, env *session.Env,
	l session.Loaded, of []string) (*planview.Document, error) {
	view, account, err := k.planOf(ctx, env, l, of)
	if err != nil {
		return nil, notNow(ctx, err)
	}
	d := runs.Document(env, l, account, view)
	runs.Draw(l, d)
	return d, nil
}

// live compares files with what is live of the named resources.
func (k *previewer) live(ctx context.Context, env *session.Env,
	l session.Loaded, of []string) (*reconcile.View, error) {
	view, _, err := k.planOf(ctx, env, l, of)
	if err != nil {
		return nil, notNow(ctx, err)
	}
	return view, nil
}

func sumOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// notNow puts in words why a look is not planned that is no fault of adsync: who
// dropped the file can do something about it, or try again.
func notNow(ctx context.Context, err error) error {
	switch console.ClassOfError(ctx, err) {
	case daemon.Internal:
		return err
	case daemon.Stopped: // it took longer than the page waits
		return notNowAs(catalogue.Say("failed.no-answer"))
	}
	return notNowAs(console.OneLine(err))
}

func notNowAs(why string) error { return fmt.Errorf("%w: %s", daemon.ErrNotNow, why) }

func spelled(p diag.Problem) string {
	return diag.Printable(strings.TrimPrefix(p.Position.String()+": ", ": ") + p.Message + " (" + string(p.Code) + ")")
}

// with loads the files with the dropped one among them, and gives its name among
// the sources, and the sum of the file whose place it takes, "" for none.
func (k *previewer) with(ctx context.Context, env *session.Env,
	dir, filename string, content []byte) (l session.Loaded, name, base string, err error) {
	p, err := find(ctx, env, dir, filename)
	if err != nil {
		return p.loaded, "", "", err
	}
	return p.with(ctx, content), p.name, p.base, nil
}

// placeOf is where a dropped file belongs among the sources.
type placeOf struct {
	loaded session.Loaded
	name   string            // among the sources
	base   string            // the sum of the file whose place it takes, "" for none
	others map[string][]byte // the sources but that
}

// find loads the files, and finds the place of one of a name.
func find(ctx context.Context, env *session.Env, dir, filename string) (p placeOf, err error) {
	p.loaded = session.Load(ctx, env, dir)
	if p.loaded.Failure != nil {
		return p, p.loaded.Failure
	}
	if p.name, p.others, err = sourcesBeside(p.loaded, filename); err != nil {
		return p, err
	}
	for _, s := range p.loaded.Desired.Sources {
		if s.File == p.name {
			p.base = s.Hash
		}
	}
	return p, nil
}

// with reads the sources with a content in that place.
func (p placeOf) with(ctx context.Context, content []byte) session.Loaded {
	l := p.loaded
	if problem := unread(l, p.name); problem != nil {
		l.Desired = sources.Desired{Snapshot: &resource.Snapshot{}, Problems: []diag.Problem{*problem}}
		return l
	}
	contents := maps.Clone(p.others)
	contents[p.name] = content
	l.Project.AsReady = []string{p.name} // whoever looks at a draft wants to see what it would do
	l.Desired = sources.LoadContents(ctx, l.Project, l.Schemas, contents)
	return l
}

// unread is why a file of this name would never be read where it was committed, or
// whose place it would take nobody can tell; nil where nothing is wrong with it.
func unread(l session.Loaded, name string) *diag.Problem {
	problem := func(code diag.Code, message, hint string) *diag.Problem {
		return &diag.Problem{
			Severity: diag.Error, Code: code, Position: diag.InFile(name), Message: message, Hint: hint,
		}
	}
	var places []string
	for _, s := range l.Desired.Sources {
		if strings.EqualFold(path.Base(s.File), path.Base(name)) {
			places = append(places, s.File)
		}
	}
	if len(places) > 1 {
		return problem(diag.AmbiguousName, fmt.Sprintf("%d sources have this name: %s; want one",
			len(places), strings.Join(places, ", ")), "commit it with git in the place it belongs to")
	}
	base := path.Base(name)
	odd := strings.ContainsAny(base, notOnWindows) || base != diag.Printable(base) || strings.TrimSpace(base) != base
	if odd && len(places) == 0 {
		return problem(diag.NoSources, "a file of this name cannot be checked out everywhere; "+
			"want letters, digits, blanks, - and _", "give it another name")
	}
	if reads, err := sources.ReadsAsSource(l.Project, name); err != nil || !reads {
		return problem(diag.NoSources, fmt.Sprintf("a file of this name is no source; "+
			"want one of %s, neither hidden, nor locked, nor a result copy", strings.Join(l.Project.Sources, ", ")),
			"give it the name under which it is to be read")
	}
	return nil
}

// notOnWindows are the characters that no file has there: who works there could not check out what has one.
const notOnWindows = `<>:"|?*\`

// sourcesBeside are the sources without the one of a name, and what that is called among them.
func sourcesBeside(l session.Loaded, filename string) (name string, contents map[string][]byte, err error) {
	name, contents = path.Base(filepath.ToSlash(filename)), map[string][]byte{}
	called := calledAs(l.Desired.Sources, name)
	for _, s := range l.Desired.Sources {
		if strings.EqualFold(path.Base(s.File), called) {
			name = s.File
			continue
		}
		if contents[s.File], err = os.ReadFile(filepath.Join(l.Project.Root, filepath.FromSlash(s.File))); err != nil {
			return name, nil, err
		}
	}
	return name, contents, nil
}

// secondDownload is what browsers call what they have downloaded under its own name before: `ads (1).xlsx`.
var secondDownload = pattern.Of(`^(.+?) ?\([0-9]{1,3}\)(\.[A-Za-z]+)$`)

// calledAs is the name of the source that a file of a name is: the name itself, or, where no source has it, that of
// which it is a second download.
func calledAs(all []sources.Source, name string) string {
	has := func(name string) bool {
		return slices.ContainsFunc(all, func(s sources.Source) bool {
			return strings.EqualFold(path.Base(s.File), name)
		})
	}
	if of := secondDownload.ReplaceAllString(name, "$1$2"); !has(name) && has(of) {
		return of
	}
	return name
}

func (k *previewer) plan(ctx context.Context, env *session.Env,
	l session.Loaded) (*reconcile.View, state.Account, error) {
	return k.planOf(ctx, env, l, nil)
}

// planOf plans files for the named resources alone; none are named: for all.
func (k *previewer) planOf(ctx context.Context, env *session.Env,
	l session.Loaded, of []string) (*reconcile.View, state.Account, error) {
	desired, err := runs.Desired(env, l, runs.PlanFlags{SelectFlags: runs.SelectFlags{Target: of}, Unattended: true})
	if err == nil {
		err = k.worker.dial(l)
	}
	if err != nil {
		return nil, state.Account{}, err
	}
	desired.Asks = true // a pull request says what may be agreed to
	store, err := session.OpenState(ctx, env, l.Project, true)
	if err != nil {
		return nil, state.Account{}, err
	}
	defer func() { session.Closed(env, "state", store.Close()) }()
	client := k.worker.dialed()
	if client == nil { // the account's run has hung up in this moment
		return nil, state.Account{}, console.Configuration("%s", catalogue.Say("failed.unreached"))
	}
	agent := session.AgentOf(env, l, store, client.Reader())
	agent.Incremental, agent.Breaks = true, &reconcile.Breaks{}
	view, err := agent.Plan(ctx, desired)
	if err == nil {
		session.See(env, l, view)
	}
	return view, agent.Account, err
}
