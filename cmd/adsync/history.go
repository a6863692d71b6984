package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"adsync/internal/daemon"
	"adsync/internal/diag"
	"adsync/internal/orders"
	"adsync/internal/review"
	"adsync/internal/runview"
	"adsync/internal/trail"
	"adsync/reconcile"
	"adsync/state"

	"github.com/spf13/cobra"
)

// historyFlags are those of history.
type historyFlags struct {
	limit    int
	since    string
	from, to string
}

func (a *app) history() *cobra.Command {
	var f historyFlags
	c := &cobra.Command{
		Use:   "history [FOLDER]",
		Short: "List the runs of the account: when, who, from which files, what became of them; and its reviews",
		Long: `List the runs of this account's state, the newest first: number, moment, how it
ended, how many changes have which outcome, who ran it and on which machine, the
commit of the files, and possible spend before and after. The service is not
asked. The newest 1,000 runs are kept. After them come the ads that the service's
review rejected or limited, or no longer does, as far as adsync has read that.

For auditors: -o csv has a row for each run, decision, approval and order (suspend,
resume, reconcile), the oldest first, with who and when in UTC; -o json has the same
in lists. --from and --to bound it by days of the account's time zone, both included.`,
		RunE: func(c *cobra.Command, args []string) error {
			dir, err := folder(c, args)
			if err != nil {
				return err
			}
			return a.runHistory(c, dir, f)
		},
	}
	c.Flags().IntVar(&f.limit, "limit", 20, "how many runs at most; 0 lists all")
	c.Flags().StringVar(&f.since, "since", "", "only runs since a day (2026-11-01) or for so long (36h, 7d)")
	c.Flags().StringVar(&f.from,
		"from", "", "only what happened from this day on (2026-11-01), or for so long (36h, 7d)")
	c.Flags().StringVar(&f.to, "to", "", "only what happened up to this day (2026-11-30), with it")
	a.fromGit(c, false)
	a.outputs(c, "text", "json", "csv")
	return c
}

func (a *app) runHistory(c *cobra.Command, dir string, f historyFlags) error {
	if f.limit < 0 || f.since != "" && f.from != "" {
		return usage(c, fmt.Errorf("--limit is %d, --since %q and --from %q; want 0 or more, and one of the two",
			f.limit, f.since, f.from))
	}
	if !c.Flags().Changed("limit") && (f.from != "" || f.to != "" || a.flags.output == "csv") {
		f.limit = 0
	}
	kept, err := a.kept(c.Context(), dir)
	if err != nil {
		return err
	}
	defer kept.end()
	within, err := f.window(time.Now(), kept.zone)
	if err != nil {
		return usage(c, err)
	}
	h, err := kept.history(c.Context(), within, f.limit)
	if err != nil {
		return err
	}
	switch a.flags.output {
	case "json":
		return a.printJSON(h)
	case "csv":
		return h.WriteCSV(a.out)
	}
	return runview.WriteHistory(a.out, &h.History, kept.zone)
}

// window is the time that is asked for.
func (f historyFlags) window(now time.Time, zone *time.Location) (w trail.Window, err error) {
	if f.since != "" {
		w.From, err = sinceOf(f.since, now)
		return w, err
	}
	if day, wrong := time.ParseInLocation(time.DateOnly, f.from, zone); wrong == nil {
		w.From = day
	} else if w.From, err = sinceOf(f.from, now); err != nil {
		return w, fmt.Errorf("--from is %q; want a day such as 2026-11-01, or a time such as 36h or 7d", f.from)
	}
	if f.to == "" {
		return w, nil
	}
	last, err := time.ParseInLocation(time.DateOnly, f.to, zone)
	if err != nil {
		return w, fmt.Errorf("--to is %q; want a day such as 2026-11-30", f.to)
	}
	if w.To = last.AddDate(0, 0, 1); !w.From.Before(w.To) {
		return w, fmt.Errorf("--to is %q, before --from; want a later day", f.to)
	}
	return w, nil
}

// history is what happened within a time, with so many runs; 0 is all.
func (k *keptRuns) history(ctx context.Context, within trail.Window, limit int) (*trail.Trail, error) {
	h := &trail.Trail{History: runview.History{FormatVersion: formatVersion, Runs: []runview.Head{}}}
	runs, err := k.store.Runs(ctx, 0)
	if err != nil {
		return nil, err
	}
	for _, run := range runs {
		if !within.Holds(run.Started) {
			continue
		}
		if limit > 0 && len(h.Runs) == limit {
			h.More++
			continue
		}
		head, err := k.head(run)
		if err != nil {
			return nil, err
		}
		h.Runs = append(h.Runs, head)
	}
	h.Reviews = trail.Within(k.reviews.Changes, within, func(c review.Change) time.Time { return c.Time })
	if limit > 0 {
		h.Reviews = h.Reviews[:min(limit, len(h.Reviews))]
	}
	at := &attendant{folder: k.orders}
	approvals, err := at.Approvals()
	if err != nil {
		return nil, err
	}
	accepted, err := at.acceptances()
	if err != nil {
		return nil, err
	}
	ordered, err := k.orders.Ordered()
	if err != nil {
		return nil, err
	}
	h.Approvals = trail.Within(approvals, within, func(a daemon.Approval) time.Time { return a.Time })
	h.Accepted = trail.Within(accepted, within, func(a daemon.Acceptance) time.Time { return a.Time })
	h.Orders = trail.Within(ordered, within, func(o orders.Ordered) time.Time { return o.Time })
	return h, nil
}

// sinceOf reads a day, or how long ago; the zero time is always.
func sinceOf(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if day, err := time.ParseInLocation(time.DateOnly, text, time.Local); err == nil {
		return day, nil
	}
	hours := text
	if days, is := strings.CutSuffix(text, "d"); is {
		hours = days + "h"
	}
	ago, err := time.ParseDuration(hours)
	if err != nil || ago < 0 {
		return time.Time{},
			fmt.Errorf("--since is %q; want a day such as 2026-11-01, or a time such as 36h or 7d", text)
	}
	if hours != text {
		ago *= 24
	}
	return now.Add(-ago), nil
}

// keptRuns are the runs of a state, read as they are now.
type keptRuns struct {
	store   state.Store
	orders  orders.Folder
	zone    *time.Location
	busy    bool // a process holds the state: the newest run may go on
	end     func()
	last    string // the newest run
	reviews *review.Record
}

// kept opens the state of a project for reading. What its files say, and whether
// they can be read, does not matter.
func (a *app) kept(ctx context.Context, dir string) (*keptRuns, error) {
	project, err := a.projectOf(dir)
	if err != nil {
		return nil, err
	}
	k := &keptRuns{zone: time.UTC, orders: ordersOf(project), reviews: a.knownReviews(project)}
	if zone, err := time.LoadLocation(project.Account.TimeZone); err == nil {
		k.zone = zone
	}
	if k.store, err = a.openState(ctx, project, true); err != nil {
		return nil, err
	}
	k.end = func() { a.closed("state", k.store.Close()) }
	holding, err := state.HeldBy(project.StateFolder())
	if err != nil {
		k.end()
		return nil, err
	}
	k.busy = holding.Held
	newest, err := k.store.Runs(ctx, 1)
	if err != nil {
		k.end()
		return nil, err
	}
	if len(newest) > 0 {
		k.last = newest[0].ID
	}
	return k, nil
}

// head is a run in the history. One without a report, of an older adsync or
// ended before it could be kept, has its summary alone.
func (k *keptRuns) head(run state.Run) (runview.Head, error) {
	h := runview.Head{
		Run: run.ID, Command: runview.Apply, Started: run.Started, Finished: run.Finished, Summary: map[string]int{},
	}
	switch {
	case reconcile.IsDecision(run.ID):
		h.Command, h.Ended, h.Decided = runview.Resolve, runview.Finished, run.Summary
	case len(run.Head) > 0:
		if err := json.Unmarshal(run.Head, &h); err != nil {
			return h, fmt.Errorf("read the head of %s: %w", run.ID, err)
		}
	case !run.Finished.IsZero():
		h.Ended = runview.Finished
	}
	h.Ended = k.endOf(h.Run, h.Ended)
	return h, nil
}

// endOf finds out whether a run that never said its end goes on.
func (k *keptRuns) endOf(run string, ended runview.Ended) runview.Ended {
	if ended == runview.Running && (!k.busy || run != k.last) {
		return runview.Killed
	}
	return ended
}

// document gives the report of a run: `last`, its name, or its number.
func (k *keptRuns) document(ctx context.Context, name string) (*reportDocument, error) {
	runs, err := k.store.Runs(ctx, 0)
	if err != nil {
		return nil, err
	}
	newest := slices.IndexFunc(runs, func(run state.Run) bool { return !reconcile.IsDecision(run.ID) })
	names := []string{}
	for i, run := range runs {
		names = append(names, run.ID)
		if run.ID != name && run.ID != runName(name) && (name != "last" || i != newest) {
			continue
		}
		content, err := k.store.Report(ctx, run.ID)
		if err != nil {
			return nil, configuration("%v; adsync history has its summary", err)
		}
		d, err := runview.Decode(content)
		if err != nil {
			return nil, err
		}
		d.Ended = k.endOf(d.Run, d.Ended)
		return d, nil
	}
	if len(runs) == 0 {
		return nil, configuration("there are no runs yet")
	}
	message := fmt.Sprintf("there is no run %q; want one of adsync history, such as %s",
		diag.Printable(name), runs[0].ID)
	if hint := diag.DidYouMean(name, names); hint != "" {
		message += "; " + hint
	}
	return nil, configuration("%s", message)
}

// runName is the name of a run that is given by its number.
func runName(number string) string {
	if number == "" || len(number) > 6 || strings.Trim(number, "0123456789") != "" {
		return number
	}
	return "run-" + strings.Repeat("0", 6-len(number)) + number
}

// runArguments are a run and a folder.
func runArguments(c *cobra.Command, args []string) (run, dir string, err error) {
	switch len(args) {
	case 0:
		return "", "", usage(c, fmt.Errorf("no run is named; want last, or one of adsync history"))
	case 1:
		return args[0], ".", nil
	case 2:
		return args[0], args[1], nil
	}
	return "", "", usage(c, fmt.Errorf("%d arguments; want a run and a folder", len(args)))
}

// completeRuns offers the runs of the folder the command stands in.
func (a *app) completeRuns() cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveFilterDirs
		}
		quiet := &app{
			console: console{in: a.in, out: io.Discard, err: io.Discard, env: a.env, flags: a.flags}, clock: a.clock,
		}
		kept, err := quiet.kept(c.Context(), ".")
		if err != nil {
			return []string{"last"}, cobra.ShellCompDirectiveNoFileComp
		}
		defer kept.end()
		names := []string{"last"}
		runs, err := kept.store.Runs(c.Context(), 30)
		if err != nil {
			return names, cobra.ShellCompDirectiveNoFileComp
		}
		for _, run := range runs {
			names = append(names, run.ID)
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}
