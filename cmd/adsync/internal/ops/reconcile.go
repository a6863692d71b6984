package ops

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/daemon"
	"adsync/internal/diag"
	"adsync/internal/orders"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/sources/config"
	"adsync/state"

	"github.com/spf13/cobra"
)

// reconcileFlags are those of reconcile.
type reconcileFlags struct {
	session.NamedFlags
	full   bool
	wait   bool
	accept string
	retry  []string
	note   string
}

// lookEvery is how often the word of a daemon is looked at.
const lookEvery = 200 * time.Millisecond

// Reconcile returns the command adsync reconcile.
func Reconcile(env *session.Env) *cobra.Command {
	var f reconcileFlags
	c := &cobra.Command{
		Use:   "reconcile [FOLDER]",
		Short: "Ask the daemon of an account to run now",
		Long: `Ask the daemon that looks after an account to read, plan and apply now, as if a file
had changed. With --wait its run is waited for, and its exit code is that of reconcile.

The wish is a file in the state folder: no network and no token are needed. Where no
daemon looks after the account nothing is asked: adsync apply does it at once.

What the service refused for good is not sent again while nobody looks. --retry has it
sent once more, as it is now: who and when is kept with the approvals of the account.`,
		Example: `  adsync reconcile --wait`,
		RunE: func(c *cobra.Command, args []string) error {
			project, err := session.ProjectAt(env, c, args, f.NamedFlags)
			if err != nil {
				return err
			}
			return runReconcile(c.Context(), env, project, f)
		},
	}
	c.Flags().BoolVar(&f.full, "full", false, "read the whole account, not only what the audit log names")
	c.Flags().BoolVar(&f.wait, "wait", false, "wait until the run has ended, and end as it did")
	c.Flags().StringVar(&f.accept, "accept-commit",
		"", "go on with this commit although the branch went back or was rewritten, 12 digits of it at least")
	c.Flags().StringArrayVar(&f.retry, "retry", nil,
		"ask the service once more for what it refused at this address; may be repeated")
	c.Flags().StringVar(&f.note, "note", "", "why, kept with who asks")
	f.Register(c)
	env.Outputs(c, "text", "json")
	return c
}

// askAgain allows what was refused to be asked once more, each refusal by its digest.
func askAgain(ctx context.Context, env *session.Env, p config.Project, f reconcileFlags) error {
	if len(f.retry) == 0 {
		return nil
	}
	store, err := session.OpenState(ctx, env, p, true)
	if err != nil {
		return err
	}
	defer func() { session.Closed(env, "state", store.Close()) }()
	blocked, err := store.Blocked(ctx)
	if err != nil {
		return err
	}
	var allow []string
	for _, text := range f.retry {
		address, _ := resource.ParseAddress(text)
		b, refused := blocked[address]
		if !refused {
			return console.Configuration("nothing that the service refused is at %q; want one of %s",
				text, cmp.Or(strings.Join(refusedAt(blocked), ", "), "those that adsync status names: there are none"))
		}
		allow = append(allow, plan.Refused{Basis: b.InputHash, Asked: b.Asked}.AskAgain(address).String())
	}
	given := daemon.Approval{Allow: allow, By: session.Person(env), Note: f.note, Time: time.Now().UTC()}
	if err := (&session.Lease{Place: session.OrdersOf(env, p)}).Approve(given); err != nil {
		return console.Configuration("who asks again cannot be written down: %v", err)
	}
	return nil
}

func refusedAt(blocked map[resource.Address]state.Blocked) (texts []string) {
	for _, address := range slices.SortedFunc(maps.Keys(blocked), resource.Address.Compare) {
		texts = append(texts, address.String())
	}
	return texts
}

// ReconcileDocument is the JSON form of reconcile.
type ReconcileDocument struct {
	FormatVersion int           `json:"format_version"`
	Asked         orders.Ask    `json:"asked"`
	Daemon        orders.Daemon `json:"daemon"` // as it was asked; with --wait as the run ended
	Ended         bool          `json:"ended"`
}

func runReconcile(ctx context.Context, env *session.Env, p config.Project, f reconcileFlags) error {
	at := session.OrdersOf(env, p)
	d, lives, err := at.Daemon()
	if err != nil || !lives {
		return console.Configuration("no daemon looks after the account of %s; to do it now: adsync apply",
			at.Where(""))
	}
	if err := askAgain(ctx, env, p, f); err != nil {
		return err
	}
	asked, err := at.Ask(orders.Ask{By: session.Person(env), Full: f.full, Accept: f.accept, Note: f.note,
		Since: time.Now().UTC()})
	if err != nil {
		return console.Configuration("ask the daemon: %v", err)
	}
	ended := false
	if f.wait {
		if d, err = answered(ctx, at, asked); err != nil {
			return err
		}
		ended = true
	}
	if err := showReconcile(env, ReconcileDocument{console.FormatVersion, asked, d, ended}); err != nil {
		return err
	}
	if ended && d.Exit != console.ExitDone {
		return console.ExitWith(d.Exit, "")
	}
	return nil
}

func showReconcile(env *session.Env, r ReconcileDocument) error {
	if env.Flags.Output == "json" {
		return env.PrintJSON(r)
	}
	text := fmt.Sprintf("asked the daemon (process %d on %s)", r.Daemon.PID, r.Daemon.Host)
	if r.Ended {
		text = r.Daemon.State
		if r.Daemon.Message != "" {
			text += ": " + r.Daemon.Message
		}
	}
	_, err := fmt.Fprintln(env.Out, diag.Printable(text))
	return err
}

// answered waits until the run that was asked for has ended.
func answered(ctx context.Context, at orders.Place, asked orders.Ask) (orders.Daemon, error) {
	for {
		d, lives, err := at.Daemon()
		switch {
		case err == nil && slices.Contains(d.Answered, asked.ID):
			return d, nil
		case err != nil || !lives:
			return d, console.ExitWith(console.ExitUnavailable,
				"the daemon ended before it ran; it runs as it begins again")
		}
		if err := session.Sleep(ctx, lookEvery); err != nil {
			return d, console.ExitWith(console.ExitInterrupted, "not waited for any more; the daemon runs all the same")
		}
	}
}
