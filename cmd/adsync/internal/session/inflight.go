package session

import (
	"context"

	"adsync/cmd/adsync/internal/console"
	"adsync/internal/diag"
	"adsync/reconcile"
)

// tellInFlight says, once it is interrupted, what is under way and how to go on.
func tellInFlight(ctx context.Context, env *Env, agent *reconcile.Agent) (stop func()) {
	stopped := context.AfterFunc(ctx, func() {
		steps := agent.InFlight.Steps()
		if len(steps) == 0 {
			env.Note("interrupted: no more requests " +
				"are sent, and none is under way; adsync resume ends what is open, adsync apply goes on")
			return
		}
		env.Note("interrupted: no more requests are sent; %s under "+
			"way and waited for, 30 s at most; interrupt again to end at once",
			console.PluralAre(len(steps), "request"))
		for _, s := range steps {
			env.Note("  %s  POST %s, %s, sent %s", s.ID,
				diag.Printable(s.Path), diag.Plural(len(s.Operations), "operation"), console.UTC(s.SentAt))
		}
		env.Note("nothing is lost by that: adsync resume ends what is open, adsync apply goes on")
	})
	return func() { stopped() }
}
