package daemoncmd

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/edits"
	"adsync/cmd/adsync/internal/pulls"
	"adsync/cmd/adsync/internal/runs"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/adsapi"
	"adsync/internal/daemon"
	"adsync/internal/diag"
	"adsync/internal/downloads"
	"adsync/internal/eyes"
	"adsync/internal/orders"
	"adsync/internal/planview"
	"adsync/internal/watch"
	"adsync/plan"
	"adsync/sources/commits"
	"adsync/sources/config"
	"adsync/state"
)

// accounts makes what the loops need of each account. Those whose configuration is
// as it was are given again as they are.
func (d *daemonRun) accounts(config config.Daemon, page *page) []daemon.Account {
	d.repositories = share(d.repositories, config)
	d.errands.configure(config, d.repositories)
	var accounts []daemon.Account
	known := map[string]daemon.Account{}
	for _, a := range config.Accounts {
		if !d.sharing.has(a.Name.Value) {
			continue
		}
		account, there := d.known[a.Name.Value]
		version := versionOf(a) + fmt.Sprint(config.NoFigures, config.Icons)
		if a.Pulls.Forge.Value != "" {
			version += fmt.Sprint(uploadsOf(config), namesOf(config))
		}
		if !there || account.Version != version {
			account = d.account(config, a)
			account.Version = version
		}
		known[a.Name.Value] = account
		accounts = append(accounts, account)
	}
	d.known = known
	if err := page.wakeFor(config, pushed(d.desk, d.log), d.secret); err != nil {
		d.log.Error("a webhook is not taken", "error", err)
	}
	return accounts
}

// versionOf is another where a loop has to begin anew.
func versionOf(a config.DaemonAccount) string {
	g := a.Git
	return fmt.Sprintf("%q", []any{a.Folder, a.State, a.Operator,
		a.Every, a.Full, a.Settle, a.PlanOnly, a.Results, a.WriteBack, g.URL.Value, g.Ref.Value, g.Path.Value,
		g.Token.From, g.Token.Value, g.Key.Value, g.Passphrase.From,
		g.Passphrase.Value, g.KnownHosts.Value, g.CA.Value, g.Signers.Value,
		g.Timeout, g.Author.Value, a.Uploads.Value, a.Answers.Value, a.Proposes,
		fmt.Sprintf("%+v %+v", a.Notify, a.Also),
		fmt.Sprintf("%+v", a.Reports),
		a.Pulls.Repository.Value, a.Pulls.API.Value, a.Pulls.Token.From, a.Pulls.Token.Value, a.Pulls.Every,
		fmt.Sprint(a.Pulls.Approvers), a.Pulls.FourEyes, a.Pulls.ReviewExpires, a.Pulls.ProposeResults, a.Pulls.Before,
		a.Pulls.CodeOwners, a.Pulls.Forge.Value, a.Pulls.App.ID, a.Pulls.App.Installation, a.Pulls.App.Key.From,
		a.Pulls.App.Key.Value})
}

// uploadsOf are the begins of the branches that files are sent to by the page. Accounts of one repository may be read
// from the same files, and only one of them have uploads.
func uploadsOf(settings config.Daemon) (all []string) {
	for _, a := range settings.Accounts {
		if branch := a.Uploads.Value; branch != "" && !slices.Contains(all, branch) {
			all = append(all, branch)
		}
	}
	return all
}

// stateFolderOf is where the state of an account from git lies that names no folder.
func stateFolderOf(settings config.Daemon, a config.DaemonAccount) string {
	return filepath.Join(settings.State, a.Name.Value)
}

func (d *daemonRun) account(settings config.Daemon, a config.DaemonAccount) daemon.Account {
	name := a.Name.Value
	own := forAccount(d.env, d.log.With("account", name))
	own.OnSecret, own.Addresses = d.secrets.add, &d.addresses
	if a.Operator != "" {
		own.Flags.Operator = a.Operator
	}
	w := &worker{
		env: own, planOnly: a.PlanOnly, rests: a.Every > adsapi.IdleMost, copies: &copies{env: own,
			folder: a.Results, beside: a.Folder != "", writeBack: a.WriteBack}, keeping: keeping{keep: settings.Keep},
		freed: freed{held: make(chan isHeld, 1)},
	}
	account := daemon.Account{
		Name: name, Source: a.Folder, Every: a.Every,
		Full: a.Full, Asks: a.Folder == "", PlanOnly: a.PlanOnly, Worker: w,
	}
	watched := func(context.Context, func(daemon.Trigger)) {}
	var project config.Project
	var branch *followedBranch
	if a.Folder != "" {
		folder := newWatchedFolder(own, a.Folder, a.Settle, d.looking())
		project, _ = session.ReadProject(own, a.Folder) // its problems are those of the first run
		if at, err := commits.RevisionOf(project, nil); err == nil && at.Commit != "" {
			own.Note("%s is in a git work tree: its files "+
				"count as they are, committed or not; git: {url: …} takes commits alone", diag.Printable(a.Folder))
		}
		w.stays, w.copies.took = folder.stays, folder.follow.Took
		w.source, watched = folder, folder.watch
	} else {
		if a.State == "" {
			a.State = stateFolderOf(settings, a)
		}
		branch = newFollowedBranch(own, a, d.repositories[repositoryOf(a.Git)])
		if own.Git.Shared != nil {
			watched = branch.watch
		}
		w.source, account.Source, project.Home = branch, branch.name(), branch.stateFolder()
		w.answers = &answers{
			results: a.Answers.Value, proposes: a.Proposes,
			timeout: a.Git.Timeout, waits: runs.UnpushedOf(own, project),
		}
	}
	if d.sharing != nil {
		if branch != nil { // the daemon that had it may have applied a commit that no list here has yet
			own.Git.Shared.Renew()
		}
		project, w.id = session.StateOf(own, settings, a), d.sharing.ids[name]
		if w.answers != nil {
			w.answers.waits, w.answers.queued = d.errands.unpushed(w.id), true
		}
	}
	w.orders = d.lease(settings, name, own, project)
	last := w.orders.Place.Equal(time.Now())
	account.Good, account.Applied = last.At, last.Revision
	account.Orders, account.Shown, account.Archive = w.orders, w.orders.Shown, archiveAt(own, w.orders, a.Folder)
	if d.sharing != nil {
		account.Shown = func(s daemon.Status, plan *planview.Document) {
			w.orders.Shown(s, plan)
			d.sharing.publisher.Show(s, plan)
		}
		w.busy = func() { d.sharing.tell(name) }
	}
	account.Asked = func(a orders.Ask) error { return orders.NoteAsk(w.orders.Place, a) }
	w.authors.Keep(w.orders.Kept(), func(err error) {
		own.Note("who wrote what the files ask for is not kept: %s", console.OneLine(err))
	})
	note := func(o orders.Ordered) error { return orders.NoteEdit(w.orders.Place, o) }
	k := &previewer{worker: w, open: atFolder(own, a.Folder), note: note,
		saves: a.Folder != "" && a.Uploads.Value != "", downloads: &downloads.Kept{Store: w.orders.Kept()}}
	account.Files, account.File, account.Picture = k.files, k.file, k.picture
	if branch != nil {
		k.open, k.newest, k.uploads = branch.atCommit, branch.newest, a.Uploads.Value
		account.Picture = branch.picture(k.picture)
	}
	edit := &edits.Desk{Open: k.open, Plan: k.draw, View: k.live, Files: &w.copies.writing, Note: note,
		Authors: &w.authors}
	if branch != nil {
		edit.Open, edit.Git, edit.Uploads = k.newest, true, k.uploads
	}
	account.Draft, account.Edit = edit.Draft, edit.Edit
	account.Look = k.preview
	switch {
	case k.uploads != "":
		account.Commit = k.commit
	case k.saves:
		account.Commit = k.save
	}
	if branch != nil {
		branch.took, account.Accept, account.Acceptances = w.orders.Took, w.orders.Accept, w.orders.Acceptances
	}
	worker, notifier := d.telling(settings, a, w, w.orders, account.Archive, d.log.With("account", name))
	reviews := &reviewer{
		Worker: worker, of: w, project: project, bell: make(chan struct{}, 1), notifier: notifier,
		reached: make(chan struct{}), once: d.flags.once, others: len(settings.Accounts),
		archive: account.Archive, pace: a.Pace, icons: settings.Icons,
	}
	account.Worker = reviews
	account.Watch = []func(context.Context, func(daemon.Trigger)){
		watched,
		w.freed.watch,
		func(ctx context.Context, _ func(daemon.Trigger)) {
			if notifier != nil {
				notifier.Run(ctx)
			}
		},
		reviews.watch,
		func(ctx context.Context, wake func(daemon.Trigger)) {
			d.watchOrders(ctx, w, project.StateFolder(), wake)
		},
	}
	if !settings.NoFigures {
		account.Figures = reviews.watchFigures
	}
	if len(a.Reports) > 0 {
		reviews.figures = make(chan struct{}, 1)
		if sends, err := scheduled(d, settings, a, own, project, w.orders.Place); err != nil {
			d.log.Error("no report is sent", "account", name, "error", err)
		} else {
			watch := sends.Watch(reviews.figures, d.errands.reports(w.id))
			account.Watch = append(account.Watch, func(ctx context.Context, _ func(daemon.Trigger)) { watch.Run(ctx) })
		}
	}
	if branch != nil {
		applyBefore(a, branch, w)
	}
	if branch != nil && a.Pulls.Forge.Value != "" {
		if desk := answering(d, settings, a, branch, w); desk != nil {
			branch.desk = desk
			w.answers.own = &pulls.Own{Name: name, Forge: desk.Forge, Kept: w.orders.Kept()}
			w.answers.fills, w.copies.owes = a.Pulls.ProposeResults, a.Pulls.ProposeResults
			w.merged, k.own, k.sent = desk.Settle, w.answers.own, desk.Ring
			edit.Own, edit.Sent = k.own, k.sent
			account.Watch = append(account.Watch, func(ctx context.Context, wake func(daemon.Trigger)) {
				desk.Wake = func() { wake(daemon.Approved) }
				desk.Run(ctx)
			})
			shown := account.Shown
			account.Shown = func(s daemon.Status, plan *planview.Document) {
				if shown(s, plan); !s.Running && slices.ContainsFunc(s.Woken, renewing) {
					desk.Ring()
				}
			}
		}
	}
	account.Close = func() {
		w.hangUp()
		if own.Git != nil {
			own.Git.End()
		}
		if err := w.orders.Release(); err != nil {
			d.log.Warn("the account could not be given back", "account", name, "error", err)
		}
		d.sharing.leave(name, w.id)
	}
	return account
}

// applyBefore has an account follow its branch with the pull request that it has before it, where it may have one.
func applyBefore(a config.DaemonAccount, branch *followedBranch, w *worker) {
	if a.Pulls.Before {
		branch.before = func() (*pulls.Ahead, error) { return pulls.AheadOf(w.orders.Place) }
		w.answers.holds = branch.isAhead.Load
		return
	}
	// It would count again, should this be asked for again. A lock of a folder is not taken yet.
	if err := pulls.NeverAhead(cmp.Or(w.orders.Place.Fenced, w.orders.Place.Store)); err != nil {
		w.env.Note("what was applied before its merge is not forgotten: %v", err)
	}
}

// namesOf are what people are called, by their login at the forge.
func namesOf(settings config.Daemon) map[string]string {
	names := map[string]string{}
	for _, p := range settings.Access.People {
		if p.Forge.Value != "" {
			names[strings.ToLower(p.Forge.Value)] = p.Name.Value
		}
	}
	return names
}

// answering returns what answers the pull requests of an account; nil where nothing can.
func answering(d *daemonRun, settings config.Daemon, a config.DaemonAccount, branch *followedBranch,
	w *worker) *pulls.Desk {
	log := d.log.With("account", a.Name.Value)
	repository, err := d.forges.Of(w.env, a.Pulls)
	if err != nil {
		log.Error("pull requests are not answered", "error", err)
		return nil
	}
	planner := &pulls.Planner{
		Name: a.Name.Value, Env: w.env, At: branch.read.Load, Plan: (&previewer{worker: w}).plan,
		Before: a.Pulls.Before, Kept: w.orders.Kept(),
	}
	if branch := a.Answers.Value; branch != "" {
		planner.Copies = func(account, run string) string {
			return repository.Tree(branch, runs.FolderOf(account, run))
		}
	}
	if a.Pulls.CodeOwners {
		planner.CodeOwners = a.Pulls.Forge.Value
	}
	rules := pulls.Rules{
		OwnCounts: !a.Pulls.FourEyes, CodeOwners: a.Pulls.CodeOwners, Lasts: a.Pulls.ReviewExpires,
		Uploads: uploadsOf(settings), Names: namesOf(settings),
	}
	for _, one := range a.Pulls.Approvers {
		approver := pulls.Approver{Name: one.Who.Value}
		for _, hazard := range one.Hazards {
			approver.Hazards = append(approver.Hazards, plan.Hazard(hazard))
		}
		rules.Approvers = append(rules.Approvers, approver)
	}
	return &pulls.Desk{
		Rules: rules, Approve: w.orders.Approve,
		Wrote:  func(wrote eyes.Wrote) error { return eyes.Note(w.orders.Place, wrote) },
		Before: a.Pulls.Before, Mark: planner.Mark(), Has: planner.Has,
		Status: planner.Status(),
		Result: func(ctx context.Context, m pulls.Merge) (string, bool, error) { return planner.Result(ctx, d.hub, m) },
		Bell:   make(chan struct{}, 1), Forge: repository, Plan: planner.Answer, Kept: w.orders.Kept(), Log: log,
		Every: a.Pulls.Every, Now: time.Now, NotesMark: planner.NotesMark(),
		At: func() (string, string, bool) {
			s, known := d.hub.Account(a.Name.Value)
			read := branch.read.Load()
			if !known || read == nil {
				return "", "", false
			}
			into, is := strings.CutPrefix(read.Revision.Ref, "refs/heads/") // nobody merges into a tag
			if s.PlanHash == "" {
				return into, "", is
			}
			return into, read.Revision.Commit + " " + s.PlanHash, is
		},
	}
}

// looksAtOrders returns what wakes for orders that came since it looked last. A suspension may have ended and another
// begun between two looks.
func looksAtOrders(t *session.Lease, wake func(daemon.Trigger)) (look func() time.Duration) {
	standing := func() string {
		if s := t.Suspension(time.Now()); s != nil {
			return fmt.Sprint(s.Since.UTC(), s)
		}
		return ""
	}
	before := standing()
	return func() time.Duration {
		stands := standing()
		switch {
		case stands == before:
		case stands == "":
			wake(daemon.Continued)
		default:
			wake(daemon.Asked)
		}
		for _, ask := range t.Place.Asks() {
			wake(session.TriggerOf(ask))
		}
		before = stands
		return 0
	}
}

// watchOrders wakes the loop for what people order by files.
func (d *daemonRun) watchOrders(ctx context.Context, of *worker, folder string, wake func(daemon.Trigger)) {
	look := looksAtOrders(of.orders, wake)
	if d.sharing != nil {
		d.sharing.hear(ctx, of.id, look)
		return
	}
	w := &watch.Watcher{
		Root: folder, Files: []string{orders.StopName, orders.SuspendName, "ask-*.json"},
		Quiet: afterEvent, Note: of.env.Note, Look: look,
	}
	d.looking().lead(w)
	w.Run(ctx)
}

func (d *daemonRun) lease(
	config config.Daemon, name string, env *session.Env, project config.Project) *session.Lease {
	host, _ := os.Hostname()
	t := &session.Lease{
		Place: session.OrdersOf(env, project), Stops: session.StopsOf(env, project), Terse: d.sharing != nil,
		Say: orders.Daemon{
			PID: os.Getpid(), Host: host, Version: console.Release, Account: name, Since: d.began,
		},
	}
	if at, err := session.PlaceOf(context.Background(), env, project); err == nil && at.Server != nil {
		t.Standing = func() (state.Standing, error) { return at.Server.Standing(context.Background(), at.Account) }
	}
	if config.File != "" {
		t.Shared = filepath.Dir(config.File)
		t.Say.Shared = t.Shared
	}
	if config.Listen.Value != listenNowhere && !d.flags.once {
		t.Say.Listen = config.Listen.Value
	}
	return t
}

// forAccount is the command as the run of one account needs it: nothing is
// printed, what people would hear is logged, and who waits lets others work.
func forAccount(env *session.Env, log *slog.Logger) *session.Env {
	c := env.Clock.OrSystem()
	own := &session.Env{
		Console: console.Console{
			In: strings.NewReader(""), Out: io.Discard, Err: io.Discard,
			Getenv: env.Getenv, Flags: env.Flags, Command: "adsync daemon", OnNote: func(text string) {
				log.Info(text)
			},
		},
	}
	own.Flags.Quiet, own.Flags.Output, own.Daemon = true, "json", true
	own.Backing, own.Reviewing = env.Backing, new(sync.Mutex)
	own.Databases, own.Database, own.Address = env.Databases, env.Database, env.Address
	own.Clock = session.Clock{Now: c.Now, Sleep: func(ctx context.Context, wait time.Duration) (err error) {
		daemon.Away(ctx, wait, func() { err = c.Sleep(ctx, wait) })
		return err
	}}
	return own
}
