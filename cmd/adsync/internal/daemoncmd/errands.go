package daemoncmd

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/runs"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/errands"
	"adsync/internal/gitstore"
	"adsync/internal/insights"
	"adsync/internal/notify"
	"adsync/internal/report/schedule"
	"adsync/sources/config"
	"adsync/state"
	"adsync/state/kv"

	"github.com/jackc/pgx/v5"
)

// The kinds of errands. Their names are in the database: another release knows them by these.
const (
	tellKind   = "notify" // its key is a destination
	reportKind = "report" // its key is that of internal/report/schedule
	pushKind   = "push"
	retainKind = "retain" // of all accounts
)

// errandsBeside are what is done beside the runs of accounts whose states lie in a database, by any daemon that shares
// it. Where states lie in folders there are none: what the daemon tells and pushes stays in its process.
type errandsBeside struct {
	d      *daemonRun
	server *state.Server
	queue  *errands.Queue

	mu           sync.Mutex
	settings     config.Daemon
	repositories map[string]*gitstore.Shared
}

func errandsOf(d *daemonRun, s *sharing, keep config.Keep) (*errandsBeside, error) {
	if s == nil {
		return nil, nil
	}
	b := &errandsBeside{d: d, server: s.server}
	kinds := []errands.Kind{
		{Name: tellKind, Attempts: mostTries, Most: time.Minute, Wait: notify.Backoff, After: notify.After, Do: b.tell},
		{Name: pushKind, Attempts: mostTries, Most: mostAtOnce, Wait: notify.Backoff, Do: b.push},
		{Name: retainKind, Attempts: mostTries, Most: mostAtOnce, Wait: notify.Backoff, Do: b.retain},
		{Name: reportKind, Attempts: mostTries, Most: mostAtOnce, Wait: notify.Backoff, After: notify.After,
			Do: b.report},
	}
	if keep.People > 0 {
		kinds[2].Every = 24 * time.Hour
	}
	var err error
	b.queue, err = errands.New(s.server, errands.Options{Log: d.log, Kinds: kinds})
	return b, err
}

// How often an errand is tried, which is for a day and a half, and how long one try of many steps may take.
const (
	mostTries  = 200
	mostAtOnce = 30 * time.Minute
)

// run does errands until the context ends.
func (b *errandsBeside) run(ctx context.Context) {
	if b != nil {
		b.queue.Run(ctx)
	}
}

// configure says how the accounts are configured by now.
func (b *errandsBeside) configure(settings config.Daemon, repositories map[string]*gitstore.Shared) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.settings, b.repositories = settings, repositories
}

// errNotHere is an errand of an account that the configuration of this daemon does not have. Another's may.
var errNotHere = errors.New("this daemon's configuration does not have the account")

// account is how an account is configured, by its id.
func (b *errandsBeside) account(id string) (a config.DaemonAccount, settings config.Daemon, err error) {
	settings = b.configured()
	for _, a := range settings.Accounts {
		if session.StateOf(b.d.env, settings, a).Account.ID == id {
			return a, settings, nil
		}
	}
	return a, settings, errNotHere
}

func (b *errandsBeside) configured() config.Daemon {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.settings
}

func (b *errandsBeside) repository(g config.Git) *gitstore.Shared {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.repositories[repositoryOf(g)]
}

// outbox has what people are told of an account delivered by any daemon; nil where this one delivers.
func (b *errandsBeside) outbox(name string) notify.Outbox {
	if b == nil {
		return nil
	}
	return b.outboxOf(b.d.sharing.ids[name], nil)
}

// toldName is what the changes of an outbox wait for each other by.
const toldName = "told.json"

// outboxOf is the outbox of an account, for who delivers in an attempt.
func (b *errandsBeside) outboxOf(id string, attempt *errands.Attempt) notify.Outbox {
	return func(ctx context.Context, change func(kv.Store) (notify.Next, error)) error {
		return b.server.Together(ctx, id, toldName, func(ctx context.Context, tx pgx.Tx, kept kv.Store) error {
			next, err := change(kept)
			switch {
			case err != nil || !next.Done || attempt == nil:
			case next.Lost != nil:
				err = attempt.GiveUp(ctx, tx, next.Lost)
			default:
				err = attempt.End(ctx, tx)
			}
			for _, d := range next.Queue {
				if err == nil {
					err = b.queue.Add(ctx, tx, errands.Errand{Kind: tellKind, Account: id, Key: d.To}, d.At)
				}
			}
			return err
		})
	}
}

// tell delivers what waits for a destination.
func (b *errandsBeside) tell(ctx context.Context, attempt errands.Attempt) error {
	to, err := b.destination(attempt.Account, attempt.Key)
	if err != nil {
		nothing, failed := notify.NothingWaits(b.server.Beside(attempt.Account), attempt.Key)
		if failed == nil && nothing {
			return nil
		}
		return err
	}
	outbox := b.outboxOf(attempt.Account, &attempt)
	return b.redacted(notify.Deliver(ctx, *to, notify.Options{Log: b.d.log, Outbox: outbox}))
}

// destination finds a destination of an account by its identity.
func (b *errandsBeside) destination(id, identity string) (*notify.Destination, error) {
	a, _, err := b.account(id)
	if err != nil {
		return nil, err
	}
	all, err := b.d.destinations(a)
	if err != nil {
		return nil, err
	}
	for i := range all {
		if all[i].Identity() == identity {
			return &all[i], nil
		}
	}
	return nil, fmt.Errorf("this daemon's configuration has no destination %s for the account", identity)
}

// reports has a report of an account sent by any daemon; nil where this one sends it.
func (b *errandsBeside) reports(id string) func(ctx context.Context, key string) error {
	if b == nil {
		return nil
	}
	return func(ctx context.Context, key string) error {
		return b.server.Together(ctx, id, schedule.RecordName, func(ctx context.Context, tx pgx.Tx, _ kv.Store) error {
			return b.queue.Add(ctx, tx, errands.Errand{Kind: reportKind, Account: id, Key: key}, time.Time{})
		})
	}
}

// report sends a report of an account.
func (b *errandsBeside) report(ctx context.Context, attempt errands.Attempt) error {
	a, settings, err := b.account(attempt.Account)
	if err != nil {
		return err
	}
	env := forAccount(b.d.env, b.d.log.With("account", a.Name.Value))
	project := session.StateOf(env, settings, a)
	s, err := scheduled(b.d, settings, a, env, project, b.server.Beside(attempt.Account))
	if err != nil {
		return b.redacted(err)
	}
	ended := func(place string, days insights.Span, is schedule.Sent, refused error) error {
		return b.server.Together(ctx, attempt.Account, schedule.RecordName,
			func(ctx context.Context, tx pgx.Tx, kept kv.Store) error {
				if err := schedule.Note(kept, place, days, is); err != nil {
					return err
				}
				if refused != nil {
					return attempt.GiveUp(ctx, tx, b.redacted(refused))
				}
				return attempt.End(ctx, tx)
			})
	}
	return b.redacted(s.Queued(ctx, attempt.Key, ended))
}

// unpushedName is what those that keep results and those that push them wait for each other by.
const unpushedName = "unpushed"

// unpushed are the results of an account that wait to be pushed.
func (b *errandsBeside) unpushed(id string) runs.Unpushed {
	return runs.UnpushedIn(b.server.Beside(id), func(put func(kv.Store) error) error {
		ctx := context.Background()
		return b.server.Together(ctx, id, unpushedName, func(ctx context.Context, tx pgx.Tx, kept kv.Store) error {
			if err := put(kept); err != nil {
				return err
			}
			return b.queue.Add(ctx, tx, errands.Errand{Kind: pushKind, Account: id}, time.Time{})
		})
	})
}

// push pushes the results of an account that wait. Of two daemons that push the same, one finds it said already.
func (b *errandsBeside) push(ctx context.Context, attempt errands.Attempt) error {
	a, settings, err := b.account(attempt.Account)
	if err != nil {
		return err
	}
	if a.Folder != "" || a.Answers.Value == "" {
		return errors.New("this daemon's configuration does not say where the results of the account are pushed to")
	}
	env := forAccount(b.d.env, b.d.log.With("account", a.Name.Value))
	env.OnSecret = b.d.secrets.add
	if a.State == "" {
		a.State = stateFolderOf(settings, a)
	}
	newFollowedBranch(env, a, b.repository(a.Git))
	if err := session.OpenStore(env); err != nil {
		return b.redacted(err)
	}
	waits := runs.UnpushedIn(b.server.Beside(attempt.Account), nil)
	if err := waits.Push(ctx, env, a.Answers.Value); err != nil {
		return b.redacted(err)
	}
	return b.server.Together(ctx, attempt.Account, unpushedName,
		func(ctx context.Context, tx pgx.Tx, kept kv.Store) error {
			left, err := runs.UnpushedIn(kept, nil).Runs()
			switch {
			case err != nil:
				return err
			case len(left) > 0:
				return attempt.Again(ctx, tx, time.Time{})
			}
			return attempt.End(ctx, tx)
		})
}

// retain takes away what is kept beside the states of all accounts for longer than is said, also of those that no
// daemon runs. What is within a state goes with a run, which has it open.
func (b *errandsBeside) retain(ctx context.Context, _ errands.Attempt) (failed error) {
	settings := b.configured()
	k, names := keeping{keep: settings.Keep}, 0
	for _, a := range settings.Accounts {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		beside := b.server.Beside(session.StateOf(b.d.env, settings, a).Account.ID)
		n, err := k.ageBeside(beside, time.Now())
		_, tooMany := runs.UnpushedIn(beside, nil).Runs() // which drops the oldest
		names, failed = names+n, errors.Join(failed, err, tooMany)
	}
	if names > 0 {
		b.d.log.Info("kept no longer: names of people", "places", names)
	}
	return b.redacted(failed)
}

// redacted is an error without what is secret, in one line.
func (b *errandsBeside) redacted(err error) error {
	if err == nil {
		return nil
	}
	return redactedError{err, b.d.secrets.redact(console.OneLine(err))}
}

// redactedError is an error that says otherwise what it is.
type redactedError struct {
	error
	said string
}

func (e redactedError) Error() string { return e.said }

func (e redactedError) Unwrap() error { return e.error }
