package runs

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/daemon"
	"adsync/internal/diag"
	"adsync/internal/direct"
	"adsync/internal/orders"
	"adsync/internal/review"
	"adsync/internal/runview"
	"adsync/internal/trail"
	"adsync/reconcile"
	"adsync/sources/config"
	"adsync/state"

	"github.com/spf13/cobra"
)

// KeptRuns are the runs of a state, read as they are now.
type KeptRuns struct {
	Store   state.Store
	Orders  orders.Place
	Zone    *time.Location
	Busy    bool // a process holds the state: the newest run may go on
	End     func()
	Last    string // the newest run
	Reviews *review.Record
}

func heldBy(ctx context.Context, env *session.Env, p config.Project) (state.Holding, error) {
	at, err := session.PlaceOf(ctx, env, p)
	if err != nil {
		return state.Holding{}, err
	}
	return at.HeldBy(ctx)
}

// Kept opens the state of a project for reading. What its files say, and whether
// they can be read, does not matter.
func Kept(ctx context.Context, env *session.Env, dir string) (*KeptRuns, error) {
	project, err := session.ProjectOf(env, dir)
	if err != nil {
		return nil, err
	}
	store, err := session.OpenState(ctx, env, project, true)
	if err != nil {
		return nil, err
	}
	return keptIn(ctx, env, project, store)
}

// KeptOf is Kept of a project that is known, with or without files, and of its reports that of one run alone.
func KeptOf(ctx context.Context, env *session.Env, project config.Project, run string) (*KeptRuns, error) {
	store, err := session.OpenHistory(ctx, env, project, run)
	if err != nil {
		return nil, err
	}
	return keptIn(ctx, env, project, store)
}

func keptIn(ctx context.Context, env *session.Env, project config.Project, store state.Store) (*KeptRuns, error) {
	k := &KeptRuns{
		Store: store, End: func() { session.Closed(env, "state", store.Close()) },
		Zone: time.UTC, Orders: session.OrdersOf(env, project), Reviews: session.KnownReviews(env, project),
	}
	if zone, err := time.LoadLocation(project.Account.TimeZone); err == nil {
		k.Zone = zone
	}
	holding, err := heldBy(ctx, env, project)
	if err != nil {
		k.End()
		return nil, err
	}
	k.Busy = holding.Held
	newest, err := k.Store.Runs(ctx, 1)
	if err != nil {
		k.End()
		return nil, err
	}
	if len(newest) > 0 {
		k.Last = newest[0].ID
	}
	return k, nil
}

// Named returns the name of a run there is. Anybody may ask for any other.
func (k *KeptRuns) Named(ctx context.Context, run string) (string, error) {
	runs, err := k.Store.Runs(ctx, 0)
	if err != nil {
		return "", err
	}
	if !slices.ContainsFunc(runs, func(r state.Run) bool { return r.ID == run }) {
		return "", daemon.ErrNoRun
	}
	return run, nil
}

// Head is a run in the history. One without a report, of an older adsync or
// ended before it could be kept, has its summary alone.
func (k *KeptRuns) Head(run state.Run) (runview.Head, error) {
	h := runview.Head{
		Run: run.ID, Command: runview.Apply, Started: run.Started, Finished: run.Finished, Summary: map[string]int{},
	}
	switch {
	case reconcile.IsDecision(run.ID):
		h.Command, h.Ended, h.Decided = runview.Resolve, runview.Finished, run.Summary
	case direct.IsVerb(run.ID):
		verb, told := direct.Told(run.Summary)
		h.Command, h.Ended, h.Decided = runview.Command(verb), runview.Finished, told
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
func (k *KeptRuns) endOf(run string, ended runview.Ended) runview.Ended {
	if ended == runview.Running && (!k.Busy || run != k.Last) {
		return runview.Killed
	}
	return ended
}

// Document returns the report of a run: `last`, its name, or its number.
func (k *KeptRuns) Document(ctx context.Context, name string) (*ReportDocument, error) {
	runs, err := k.Store.Runs(ctx, 0)
	if err != nil {
		return nil, err
	}
	newest := slices.IndexFunc(runs, func(run state.Run) bool {
		return !reconcile.IsDecision(run.ID) && !direct.IsVerb(run.ID)
	})
	names := []string{}
	for i, run := range runs {
		names = append(names, run.ID)
		if run.ID != name && run.ID != runName(name) && (name != "last" || i != newest) {
			continue
		}
		content, err := k.Store.Report(ctx, run.ID)
		if err != nil {
			return nil, console.Configuration("%v; adsync history has its summary", err)
		}
		d, err := runview.Decode(content)
		if err != nil {
			return nil, err
		}
		d.Ended = k.endOf(d.Run, d.Ended)
		return d, nil
	}
	if len(runs) == 0 {
		return nil, console.Configuration("there are no runs yet")
	}
	message := fmt.Sprintf("there is no run %q; want one of adsync history, such as %s",
		diag.Printable(name), runs[0].ID)
	if hint := diag.DidYouMean(name, names); hint != "" {
		message += "; " + hint
	}
	return nil, console.Configuration("%s", message)
}

// History is what happened within a time, with so many runs; 0 is all.
func (k *KeptRuns) History(ctx context.Context, within trail.Window, limit int) (*trail.Trail, error) {
	h := &trail.Trail{History: runview.History{FormatVersion: console.FormatVersion, Runs: []runview.Head{}}}
	runs, err := k.Store.Runs(ctx, 0)
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
		head, err := k.Head(run)
		if err != nil {
			return nil, err
		}
		h.Runs = append(h.Runs, head)
	}
	h.Reviews = trail.Within(k.Reviews.Changes, within, func(c review.Change) time.Time { return c.Time })
	if limit > 0 {
		h.Reviews = h.Reviews[:min(limit, len(h.Reviews))]
	}
	at := &session.Lease{Place: k.Orders}
	approvals, err := at.Approvals()
	if err != nil {
		return nil, err
	}
	accepted, err := at.Acceptances()
	if err != nil {
		return nil, err
	}
	ordered, err := k.Orders.Ordered()
	if err != nil {
		return nil, err
	}
	h.Approvals = trail.Within(approvals, within, func(a daemon.Approval) time.Time { return a.Time })
	h.Accepted = trail.Within(accepted, within, func(a daemon.Acceptance) time.Time { return a.Time })
	h.Orders = trail.Within(ordered, within, func(o orders.Ordered) time.Time { return o.Time })
	return h, nil
}

// runName is the name of a run that is given by its number.
func runName(number string) string {
	if number == "" || len(number) > 6 || strings.Trim(number, "0123456789") != "" {
		return number
	}
	return "run-" + strings.Repeat("0", 6-len(number)) + number
}

// RunArguments are a run and a folder.
func RunArguments(c *cobra.Command, args []string) (run, dir string, err error) {
	switch len(args) {
	case 0:
		return "", "", console.Usage(c, fmt.Errorf("no run is named; want last, or one of adsync history"))
	case 1:
		return args[0], ".", nil
	case 2:
		return args[0], args[1], nil
	}
	return "", "", console.Usage(c, fmt.Errorf("%d arguments; want a run and a folder", len(args)))
}

// CompleteRuns offers the runs of the folder the command stands in.
func CompleteRuns(env *session.Env) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveFilterDirs
		}
		quiet := &session.Env{
			Console: console.Console{In: env.In, Out: io.Discard,
				Err: io.Discard, Getenv: env.Getenv, Flags: env.Flags}, Clock: env.Clock,
		}
		kept, err := Kept(c.Context(), quiet, ".")
		if err != nil {
			return []string{"last"}, cobra.ShellCompDirectiveNoFileComp
		}
		defer kept.End()
		names := []string{"last"}
		runs, err := kept.Store.Runs(c.Context(), 30)
		if err != nil {
			return names, cobra.ShellCompDirectiveNoFileComp
		}
		for _, run := range runs {
			names = append(names, run.ID)
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

// OpenDocument is a step that still asks for something to be done.
type OpenDocument struct {
	Step       string     `json:"step"`
	Point      string     `json:"point"`
	Request    string     `json:"request"`
	Operations int        `json:"operations"`
	Job        string     `json:"job"`
	Sent       *time.Time `json:"sent"`
}

func (s OpenDocument) When() string {
	text := ""
	if s.Job != "" {
		text += ", job " + s.Job
	}
	if s.Sent != nil {
		text += ", sent " + console.UTC(*s.Sent)
	}
	return text
}
