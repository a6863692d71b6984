package daemoncmd

import (
	"context"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
)

// lateEvery is how long what could not be pushed waits at least.
const lateEvery = 10 * time.Minute

// late pushes what earlier runs could not, whether anything else is to be done or not.
// Why it could not is a line of the log.
func (n *answers) late(ctx context.Context, env *session.Env) {
	if n == nil || n.results == "" || env.Clock.OrSystem().Now().Before(n.again) {
		return
	}
	if runs, err := n.waits.Runs(); err == nil && len(runs) == 0 {
		return
	}
	if err := n.away(ctx, func() error { return n.waits.Push(ctx, env, n.results) }); err != nil {
		n.again = env.Clock.OrSystem().Now().Add(lateEvery)
		env.Note("the results of an earlier run could not be pushed: %s", console.OneLine(err))
	}
}
