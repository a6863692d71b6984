package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"adsync/internal/daemon"
	"adsync/internal/diag"
	"adsync/internal/orders"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/state"

	"github.com/spf13/cobra"
)

// reconcileFlags are those of reconcile.
type reconcileFlags struct {
	namedFlags
	full   bool
	wait   bool
	accept string
	retry  []string
	note   string
}

// lookEvery is how often the word of a daemon is looked at.
const lookEvery = 200 * time.Millisecond

func (a *app) reconcileNow() *cobra.Command {
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
		RunE: func(c *cobra.Command, args []string) error {
			at, err := a.ordersAt(c, args, f.namedFlags)
			if err != nil {
				return err
			}
			return a.runReconcile(c.Context(), at, f)
		},
	}
	c.Flags().BoolVar(&f.full, "full", false, "read the whole account, not only what the audit log names")
	c.Flags().BoolVar(&f.wait, "wait", false, "wait until the run has ended, and end as it did")
	c.Flags().StringVar(&f.accept, "accept-commit",
		"", "go on with this commit although the branch went back or was rewritten, 12 digits of it at least")
	c.Flags().StringArrayVar(&f.retry, "retry", nil,
		"ask the service once more for what it refused at this address; may be repeated")
	c.Flags().StringVar(&f.note, "note", "", "why, kept with --retry")
	f.register(c)
	a.outputs(c, "text", "json")
	return c
}

// askAgain allows what was refused to be asked once more, each refusal by its digest.
func (a *app) askAgain(ctx context.Context, at orders.Folder, f reconcileFlags) error {
	if len(f.retry) == 0 {
		return nil
	}
	store, err := state.OpenReadOnly(ctx, string(at))
	if err != nil {
		return err
	}
	defer func() { a.closed("state", store.Close()) }()
	blocked, err := store.Blocked(ctx)
	if err != nil {
		return err
	}
	var allow []string
	for _, text := range f.retry {
		address, _ := resource.ParseAddress(text)
		b, refused := blocked[address]
		if !refused {
			return configuration("nothing that the service refused is at %q; want one of %s",
				text, cmp.Or(strings.Join(refusedAt(blocked), ", "), "those that adsync status names: there are none"))
		}
		allow = append(allow, plan.Refused{Basis: b.InputHash, Asked: b.Asked}.AskAgain(address).String())
	}
	given := daemon.Approval{Allow: allow, By: a.person(), Note: f.note, Time: time.Now().UTC()}
	if err := appendLine(filepath.Join(string(at), approvalsName), given); err != nil {
		return configuration("who asks again cannot be written down: %v", err)
	}
	return nil
}

func refusedAt(blocked map[resource.Address]state.Blocked) (texts []string) {
	for _, address := range slices.SortedFunc(maps.Keys(blocked), resource.Address.Compare) {
		texts = append(texts, address.String())
	}
	return texts
}

// reconcileDocument is the JSON form of reconcile.
type reconcileDocument struct {
	FormatVersion int           `json:"format_version"`
	Asked         orders.Ask    `json:"asked"`
	Daemon        orders.Daemon `json:"daemon"` // as it was asked; with --wait as the run ended
	Ended         bool          `json:"ended"`
}

func (a *app) runReconcile(ctx context.Context, at orders.Folder, f reconcileFlags) error {
	d, lives, err := at.Daemon()
	if err != nil || !lives {
		return configuration("no daemon looks after the account of %s; to do it now: adsync apply", at)
	}
	if err := a.askAgain(ctx, at, f); err != nil {
		return err
	}
	asked, err := at.Ask(orders.Ask{By: a.person(), Full: f.full, Accept: f.accept, Since: time.Now().UTC()})
	if err != nil {
		return configuration("ask the daemon: %v", err)
	}
	ended := false
	if f.wait {
		if d, err = answered(ctx, at, asked); err != nil {
			return err
		}
		ended = true
	}
	if err := a.showReconcile(reconcileDocument{formatVersion, asked, d, ended}); err != nil {
		return err
	}
	if ended && d.Exit != exitDone {
		return exitWith(d.Exit, "")
	}
	return nil
}

func (a *app) showReconcile(r reconcileDocument) error {
	if a.flags.output == "json" {
		return a.printJSON(r)
	}
	text := fmt.Sprintf("asked the daemon (process %d on %s)", r.Daemon.PID, r.Daemon.Host)
	if r.Ended {
		text = r.Daemon.State
		if r.Daemon.Message != "" {
			text += ": " + r.Daemon.Message
		}
	}
	_, err := fmt.Fprintln(a.out, diag.Printable(text))
	return err
}

// answered waits until the run that was asked for has ended.
func answered(ctx context.Context, at orders.Folder, asked orders.Ask) (orders.Daemon, error) {
	for {
		d, lives, err := at.Daemon()
		switch {
		case err == nil && slices.Contains(d.Answered, asked.ID):
			return d, nil
		case err != nil || !lives:
			return d, exitWith(exitUnavailable, "the daemon ended before it ran; it runs as it begins again")
		}
		if err := sleep(ctx, lookEvery); err != nil {
			return d, exitWith(exitInterrupted, "not waited for any more; the daemon runs all the same")
		}
	}
}
