package daemoncmd

import (
	"cmp"
	"context"
	"encoding/json"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/reports"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/comments"
	"adsync/internal/daemon"
	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/internal/notify"
	"adsync/internal/planview"
	"adsync/internal/secret"
	"adsync/sources/config"
	"adsync/state/kv"
)

// eventSink is a worker of which people are told what its runs came to.
type eventSink struct {
	daemon.Worker
	notifier *notify.Notifier
	commands notify.Commands
	orders   *session.Lease
	archive  daemon.Archive
	failures int  // runs in a row that failed for the time being
	locked   int  // runs in a row that met a lock
	once     bool // nobody delivers beside the run
	log      *slog.Logger
}

func (t *eventSink) Run(ctx context.Context, r daemon.Request) daemon.Result {
	defer func() {
		if cause := recover(); cause != nil { // people hear of it as of any run that failed
			t.emit(ctx, daemon.Result{
				Class: daemon.Internal, Message: "the run broke off: this is a mistake of adsync, its log has more",
			})
			panic(cause)
		}
	}()
	result := t.Worker.Run(ctx, r)
	if slices.Contains(r.Triggers, daemon.Commented) {
		if err := t.comments(ctx); err != nil {
			t.log.Warn("nobody is told what was commented on", "error", err)
		}
	}
	if !result.Waits {
		t.emit(ctx, result)
	}
	return result
}

// toldComments is where it is kept which comment was told last.
const toldComments = "told-comments.json"

// comments tells what people said since that was told last, and whom it concerns: who commented on the same, or
// approved it.
func (t *eventSink) comments(ctx context.Context) error {
	at := t.orders.Place
	all, err := comments.Kept{Store: at}.All()
	if err != nil || len(all) == 0 {
		return err
	}
	approvals, err := t.orders.Approvals()
	if err != nil {
		return err
	}
	told := comments.Comment{Time: time.Now().Add(-time.Hour)}
	if text, err := at.Get(toldComments, 1<<16); err == nil {
		_ = json.Unmarshal(text, &told) // else as if nothing was told yet
	}
	from := slices.IndexFunc(all, func(c comments.Comment) bool { return c.ID == told.ID }) + 1
	var said []notify.Said
	for i := range all {
		if c := &all[i]; i >= from && (from > 0 || c.Time.After(told.Time)) {
			said = append(said, notify.Said{By: c.By, Of: cmp.Or(c.About, c.Run, c.Address), Text: diag.Printable(
				strings.ReplaceAll(c.Text, "\n", " ")),
				Concerns: append(concerns(c, all[:i], approvals), t.approved(ctx, c.Run)...)})
		}
	}
	t.notifier.TellComments(said)
	last := all[len(all)-1]
	text, err := json.Marshal(comments.Comment{ID: last.ID, Time: last.Time})
	if err == nil {
		err = at.Put(toldComments, text)
	}
	return err
}

// concerns are those who commented on the same before, or approved something there.
func concerns(c *comments.Comment, before []comments.Comment, approvals []daemon.Approval) (names []string) {
	for i := range before {
		if o := &before[i]; o.Address == c.Address && o.Run == c.Run {
			names = append(names, o.By)
		}
	}
	for _, a := range approvals {
		if c.Address != "" && slices.ContainsFunc(a.Asks, func(one planview.Ask) bool {
			return slices.ContainsFunc(one.Parts, func(p planview.Part) bool { return p.Address == c.Address })
		}) {
			names = append(names, a.By)
			if a.Who != nil {
				names = append(names, a.Who.Name)
			}
		}
	}
	return names
}

// approved are those who approved something of a run.
func (t *eventSink) approved(ctx context.Context, run string) []string {
	if run == "" {
		return nil
	}
	d, err := t.archive.Report(ctx, run)
	if err != nil {
		t.log.Warn("who approved a run is not told of a comment on it", "run", run, "error", err)
		return nil
	}
	return d.ApprovedBy
}

func (t *eventSink) emit(ctx context.Context, result daemon.Result) {
	switch result.Class {
	case daemon.Transient, daemon.Internal, daemon.Credentials:
		t.failures++
		t.locked = 0
	case daemon.Locked:
		t.locked++
	case daemon.Stopped:
	default:
		t.failures, t.locked = 0, 0
	}
	in := t.failures
	if result.Class == daemon.Locked {
		in = t.locked
	}
	now := time.Now()
	t.notifier.Tell(notify.Of(result, daemon.Status{Failures: in, Suspended: t.orders.SuspensionAsLooked(now)},
		now, kinds.All(), t.commands))
	t.tellPauses(&result)
	if t.once {
		ctx, cancel := context.WithTimeout(ctx, flushMost)
		defer cancel()
		t.notifier.Flush(ctx)
	}
}

// tellPauses tells what became of pauses. A run that found nothing new carried none out.
func (t *eventSink) tellPauses(result *daemon.Result) {
	if result.Skipped {
		return
	}
	standing, err := t.orders.Pauses()
	if err != nil { // the next run can say
		return
	}
	failure := ""
	switch result.Class {
	case daemon.Transient, daemon.Internal, daemon.Credentials, daemon.Locked, daemon.Misplaced:
		failure = result.Message
	}
	t.notifier.TellPauses(standing, failure, t.orders.Place.Ordered)
}

// flushMost is how long a daemon with --once waits for its messages to leave. What is
// left then is told by the next.
const flushMost = time.Minute

// telling has people told of an account, where its configuration names somebody: else
// the notifier is nil.
func (d *daemonRun) telling(config config.Daemon,
	a config.DaemonAccount, w daemon.Worker, at *session.Lease, archive daemon.Archive,
	log *slog.Logger) (daemon.Worker, *notify.Notifier) {
	to, err := d.destinations(a)
	var notifier *notify.Notifier
	if err == nil && len(to) > 0 {
		notifier, err = notify.New(a.Name.Value, to, notify.Options{
			Page: d.pageOf(config, a.Name.Value), Log: log, Kept: at.Place, Outbox: d.errands.outbox(a.Name.Value),
		})
	}
	if err != nil {
		log.Error("nobody is told", "error", err)
	}
	if notifier == nil {
		return w, nil
	}
	return &eventSink{Worker: w, notifier: notifier, commands: d.commandsFor(config, a),
		orders: at, archive: archive, once: d.flags.once, log: log}, notifier
}

// commandsFor is what a command says that somebody pastes on this machine, whatever
// the folder it is pasted in.
func (d *daemonRun) commandsFor(config config.Daemon, a config.DaemonAccount) (c notify.Commands) {
	at := " " + console.Quoted(a.Folder)
	if a.Folder == "" {
		at = (&session.GitSource{Flags: session.GitFlags{URL: a.Git.URL.Value,
			Ref: a.Git.Ref.Value, Path: a.Git.Path.Value, State: a.State}}).Words()
	}
	c.Files, c.Orders = at, at
	if config.File != "" {
		c.Orders = " --account " + console.Quoted(a.Name.Value) + " --config " + console.Quoted(config.File)
	}
	if operator := cmp.Or(a.Operator, d.env.Flags.Operator); operator != "" {
		if whole, err := filepath.Abs(operator); err == nil {
			operator = whole
		}
		c.Files += " --operator " + console.Quoted(operator)
	}
	return c
}

// checkNotify says what keeps people from being told, before anything runs.
func (d *daemonRun) checkNotify(config config.Daemon) error {
	for _, a := range config.Accounts {
		to, err := d.destinations(a)
		if err == nil {
			_, err = notify.New(a.Name.Value, to, notify.Options{})
		}
		if err == nil {
			err = new(reports.Scheduled).Plan(a.Reports, destinationBy(d))
		}
		if err != nil {
			return console.Configuration("account %s: %v", a.Name.Value, err)
		}
	}
	return nil
}

// destinations reads the secrets of the places an account names.
func (d *daemonRun) destinations(a config.DaemonAccount) ([]notify.Destination, error) {
	var all []notify.Destination
	person := map[string]int{} // where in all each of them is
	for _, n := range a.Notify {
		one, err := destinationBy(d)(n)
		if err != nil {
			return nil, err
		}
		for _, topic := range n.On {
			one.On = append(one.On, notify.Topic(topic.Value))
		}
		if len(one.On) == 0 {
			one.On = notify.Usual()
		}
		if at, twice := person[n.Person]; twice { // one message, whatever it is about
			all[at].On = append(all[at].On, one.On...)
			continue
		}
		if n.Person != "" {
			person[n.Person] = len(all)
		}
		all = append(all, one)
	}
	for _, n := range a.Also {
		if one, err := destinationBy(d)(n); err == nil { // else who watches is told all the same
			one.Concerned = true
			all = append(all, one)
		}
	}
	return all, nil
}

// destinationBy reads places, with the secrets of each.
func destinationBy(d *daemonRun) func(config.Notify) (notify.Destination, error) {
	return func(n config.Notify) (notify.Destination, error) {
		one := notify.Destination{
			Name: n.Form + " of " + n.Position.String(), Person: n.Person,
			Form: notify.Form(n.Form), Remind: n.Remind, Quiet: notify.Quiet(n.Quiet),
		}
		one.Mail = notify.Mail{Host: n.Host, Port: n.Port, TLS: n.TLS, User: n.User, From: n.From, To: n.To}
		for _, s := range []struct {
			from config.KeyReference
			to   *secret.Text
		}{{n.URL, &one.URL}, {n.Key, &one.Key}, {n.Password, &one.Mail.Password}} {
			if s.from.From == "" {
				continue
			}
			text, err := d.secret(s.from)
			if err != nil {
				return one, err
			}
			*s.to = secret.New(text)
		}
		return one, nil
	}
}

// scheduled are the reports of an account. kept is what is kept beside its state.
func scheduled(d *daemonRun, settings config.Daemon, a config.DaemonAccount, env *session.Env, project config.Project,
	kept kv.Store) (*reports.Scheduled, error) {
	s := &reports.Scheduled{
		Env: env, Project: project, Name: a.Name.Value, Page: d.pageOf(settings, a.Name.Value), Kept: kept,
		Log: d.log.With("account", a.Name.Value), Turns: d.reporting,
		Picture: func(ctx context.Context, sum string) ([]byte, error) {
			return d.hub.Desk().Picture(ctx, a.Name.Value, sum)
		},
	}
	return s, s.Plan(a.Reports, destinationBy(d))
}

// alive is what tells a monitor that the daemon moves; nil where none is named.
func (d *daemonRun) alive(config config.Daemon) (*notify.Alive, error) {
	if config.Alive.URL.From == "" {
		return nil, nil
	}
	url, err := d.secret(config.Alive.URL)
	if err != nil {
		return nil, err
	}
	moved := func(since time.Time) bool { return d.hub.Moved(since) }
	alive, err := notify.NewAlive(secret.New(url), config.Alive.Every, notify.AliveOptions{Log: d.log, Moved: moved})
	if err != nil {
		return nil, console.Configuration("%v", err)
	}
	return alive, nil
}

// checkAlive says what keeps a monitor from being told, before anything runs.
func (d *daemonRun) checkAlive(config config.Daemon) error {
	_, err := d.alive(config)
	return err
}

// askOnce tells the monitor of a daemon with --once that each account had its run.
func (d *daemonRun) askOnce(alive *notify.Alive) {
	if alive == nil || !d.flags.once {
		return
	}
	if err := alive.Ask(context.Background()); err != nil {
		d.log.Warn("the address of alive does not answer", "error", err)
	}
}
