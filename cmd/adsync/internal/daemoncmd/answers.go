package daemoncmd

import (
	"context"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/planning"
	"adsync/cmd/adsync/internal/pulls"
	"adsync/cmd/adsync/internal/runs"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/daemon"
	"adsync/internal/diag"
	"adsync/internal/gitstore"
	"adsync/reconcile"
)

// answers is what the daemon of an account says into its repository, on branches of
// adsync's own and never on the one that is read. nil says nothing.
type answers struct {
	results  string     // branch that what became of runs is committed to; "" for none
	proposes bool       // what others changed at the service is proposed
	own      *pulls.Own // as pull requests; nil: as a branch alone
	fills    bool       // what became of rows is proposed for the files, as a pull request
	timeout  time.Duration
	holds    func() bool // the files have what the branch has not: nothing is proposed from them; nil: they never do

	waits    runs.Unpushed // results that are not there yet
	queued   bool          // others push them
	retry    time.Time     // before then they are not tried again
	proposed string        // hash of the last plan of which that was tried
	owes     bool          // a pull request is not as it should be
}

// push commits what became of a run. What could not be pushed is tried again later.
func (n *answers) push(ctx context.Context, env *session.Env,
	l session.Loaded, r *reconcile.Report, d *runs.ReportDocument) (err error) {
	if n == nil || n.results == "" {
		return nil
	}
	if n.queued {
		return n.waits.Keep(env, l, r, d)
	}
	if err = n.away(ctx, func() error { return runs.PushResults(ctx, env, l, n.results, r, d) }); err != nil {
		n.retry = env.Clock.OrSystem().Now().Add(lateEvery)
	}
	return err
}

// away lets others use the machine meanwhile.
func (n *answers) away(ctx context.Context, do func() error) (err error) {
	daemon.Away(ctx, n.timeout, func() { err = do() })
	return err
}

// propose pushes the files with what others changed at the service, once a plan, where
// nothing else is left to do, and keeps the pull requests. Why it could not is a line of the log.
func (n *answers) propose(ctx context.Context, env *session.Env,
	l session.Loaded, agent *reconcile.Agent, view *reconcile.View, c *copies) {
	if n == nil || diag.HasErrors(view.Plan.Problems) || n.holds != nil && n.holds() {
		return
	}
	var drift, results error
	if n.proposes {
		drift = n.proposeDrift(ctx, env, l, agent, view)
	}
	if n.fills && n.own != nil {
		results = n.away(ctx, func() error {
			said, err := n.own.KeepResults(ctx, env, l, agent.Account.ID, c.lasting(&l, view))
			if said && err == nil {
				err = c.settle(&l)
			}
			return err
		})
	}
	n.owes = n.own != nil && (drift != nil || results != nil)
	if drift != nil {
		env.Note("what others changed could not be proposed: %s", console.OneLine(drift))
	}
	if results != nil {
		env.Note("results could not be proposed: %s", console.OneLine(results))
	}
}

func (n *answers) proposeDrift(ctx context.Context, env *session.Env,
	l session.Loaded, agent *reconcile.Agent, view *reconcile.View) (err error) {
	d, hash := planning.DriftOf(l, view, nil), view.Hash()
	d.Account = agent
	switch {
	case n.own != nil:
		return n.away(ctx, func() error { return n.own.KeepDrift(ctx, env, l, d) })
	case len(d.Resources) > 0 && n.proposed != hash:
		err = n.away(ctx, func() error { return planning.Propose(ctx, env, l, d, false, hash) })
		if n.proposed = hash; gitstore.ClassOf(err) == gitstore.Transient {
			n.proposed = ""
		}
	}
	return err
}

// again returns when a pull request wants another plan; zero for none.
func (n *answers) again(now time.Time, ended daemon.Class) time.Time {
	switch {
	case n == nil || n.own == nil:
		return time.Time{}
	case n.owes:
		return now.Add(lateEvery)
	case ended == daemon.Applied && (n.fills || n.own.DriftStands()): // that may have put it right
		return now.Add(againSoon)
	}
	return time.Time{}
}

// lateEvery is how long what could not be pushed waits at least.
const lateEvery = 10 * time.Minute

// late pushes what earlier runs could not, whether anything else is to be done or not.
// Why it could not is a line of the log.
func (n *answers) late(ctx context.Context, env *session.Env) {
	if n == nil || n.results == "" || n.queued || env.Clock.OrSystem().Now().Before(n.retry) {
		return
	}
	if runs, err := n.waits.Runs(); err == nil && len(runs) == 0 {
		return
	}
	if err := n.away(ctx, func() error { return n.waits.Push(ctx, env, n.results) }); err != nil {
		n.retry = env.Clock.OrSystem().Now().Add(lateEvery)
		env.Note("the results of an earlier run could not be pushed: %s", console.OneLine(err))
	}
}
