package ops

import (
	"fmt"
	"strings"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/runs"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/runview"
	"adsync/internal/trail"

	"github.com/spf13/cobra"
)

// historyFlags are those of history.
type historyFlags struct {
	limit    int
	since    string
	from, to string
}

// History returns the command adsync history.
func History(env *session.Env) *cobra.Command {
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
		Example: `  adsync history
  adsync history --since 7d -o csv`,
		RunE: func(c *cobra.Command, args []string) error {
			dir, err := console.Folder(c, args)
			if err != nil {
				return err
			}
			return runHistory(env, c, dir, f)
		},
	}
	c.Flags().IntVar(&f.limit, "limit", 20, "how many runs at most; 0 lists all")
	c.Flags().StringVar(&f.since, "since", "", "only runs since a day (2026-11-01) or for so long (36h, 7d)")
	c.Flags().StringVar(&f.from,
		"from", "", "only what happened from this day on (2026-11-01), or for so long (36h, 7d)")
	c.Flags().StringVar(&f.to, "to", "", "only what happened up to this day (2026-11-30), with it")
	session.FromGit(env, c, false)
	env.Outputs(c, "text", "json", "csv")
	return c
}

func runHistory(env *session.Env, c *cobra.Command, dir string, f historyFlags) error {
	if f.limit < 0 || f.since != "" && f.from != "" {
		return console.Usage(c, fmt.Errorf("--limit is %d, "+
			"--since %q and --from %q; want 0 or more, and one of the two",
			f.limit, f.since, f.from))
	}
	if !c.Flags().Changed("limit") && (f.from != "" || f.to != "" || env.Flags.Output == "csv") {
		f.limit = 0
	}
	kept, err := runs.Kept(c.Context(), env, dir)
	if err != nil {
		return err
	}
	defer kept.End()
	within, err := f.window(time.Now(), kept.Zone)
	if err != nil {
		return console.Usage(c, err)
	}
	h, err := kept.History(c.Context(), within, f.limit)
	if err != nil {
		return err
	}
	switch env.Flags.Output {
	case "json":
		return env.PrintJSON(h)
	case "csv":
		return h.WriteCSV(env.Out)
	}
	return runview.WriteHistory(env.Out, &h.History, kept.Zone)
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
