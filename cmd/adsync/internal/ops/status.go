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
	"adsync/cmd/adsync/internal/runs"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/internal/orders"
	"adsync/internal/resource"
	"adsync/internal/review"
	"adsync/internal/runview"
	"adsync/reconcile"
	"adsync/sources/commits"
	"adsync/sources/config"
	"adsync/state"

	"github.com/spf13/cobra"
)

// Status returns the command adsync status.
func Status(env *session.Env) *cobra.Command {
	c := &cobra.Command{
		Use:   "status [FOLDER]",
		Short: "Show what adsync's own record says: who holds it, what is open, what is unknown",
		Long: `Show what adsync's own record says of an account: whose it is, who holds it now,
the daemon that looks after it, with the drafts and the spend beyond a budget that it saw, what was ordered (STOP, a
suspension), the last run, the steps an earlier run left open, the outcomes nobody knows, and what the service refused for good. The service is not asked; nothing is changed.

adsync resume ends what is open; adsync resolve ADDRESS decides what is unknown.`,
		Example: `  adsync status
  adsync status -o json`,
		RunE: func(c *cobra.Command, args []string) error {
			dir, err := console.Folder(c, args)
			if err != nil {
				return err
			}
			return runStatus(c.Context(), env, dir)
		},
	}
	session.FromGit(env, c, false)
	orNamed(env, c)
	env.Outputs(c, "text", "json")
	return c
}

// orNamed has status find the record by --account, or by --state without --git, as
// the commands that order something do: no files are needed.
func orNamed(env *session.Env, c *cobra.Command) {
	var named session.NamedFlags
	c.Flags().StringVar(&named.Account, "account",
		"", "name of an account in the daemon's configuration, in the place of a folder")
	c.Flags().StringVar(&named.Config, "config", "/etc/adsync/daemon.yaml",
		"the daemon's configuration, with --account")
	c.Flags().Lookup("state").Usage = "folder of adsync's " +
		"own state, where the files are not in a folder here; with --git as everywhere"
	byFiles := c.RunE
	c.RunE = func(c *cobra.Command, args []string) error {
		if git := c.Flags().Lookup("git"); git.Value.String() != "" ||
			!c.Flags().Changed("state") && named.Account == "" {
			return byFiles(c, args)
		}
		named.State = c.Flags().Lookup("state").Value.String()
		project, err := session.NamedBy(env, c, args, named)
		if err != nil {
			return err
		}
		return showStatus(c.Context(), env, project)
	}
}

// StatusDocument is the JSON form of status.
type StatusDocument struct {
	FormatVersion int                  `json:"format_version"`
	Folder        string               `json:"folder"`
	Lineage       string               `json:"lineage"`
	Serial        int64                `json:"serial"`
	Account       runs.AccountDocument `json:"account"`
	Managed       int                  `json:"managed"` // resources in the record
	Lock          lockDocument         `json:"lock"`
	Stop          string               `json:"stop"`      // the file STOP that stops everything; "" without one
	Suspended     *orders.Suspension   `json:"suspended"` // null where nothing is
	// the pauses that stand, the oldest first
	Pauses      []orders.StandingPause `json:"pauses,omitempty"`
	Daemon      *orders.Daemon         `json:"daemon"` // null where none looks after the account
	LastRun     *lastRunDocument       `json:"last_run"`
	Open        []runs.OpenDocument    `json:"open"`
	Undecided   []undecidedDocument    `json:"undecided"`
	Quarantined []quarantinedDocument  `json:"quarantined"`
	Review      *review.Summary        `json:"review"`      // as it was read last; null where nothing is known
	ReviewRead  *time.Time             `json:"review_read"` // null where it never was

	WritableByOthers []string `json:"writable_by_others"` // what of the folder is, with its mode
}

type lockDocument struct {
	Held   bool            `json:"held"`
	Holder *holderDocument `json:"holder"` // who holds it; or was killed with it, where it is not held
}

type holderDocument struct {
	PID     int       `json:"pid"`
	Host    string    `json:"host"`
	Since   time.Time `json:"since"`
	Command string    `json:"command"`
	Version string    `json:"version"`
}

type lastRunDocument struct {
	ID       string     `json:"id"`
	Started  time.Time  `json:"started"`
	Finished *time.Time `json:"finished"` // null where it did not come to its end
	Summary  string     `json:"summary"`

	goesOn bool
}

type undecidedDocument struct {
	Address string `json:"address"`
	Step    string `json:"step"`
	Action  string `json:"action"`
	Message string `json:"message"`
}

type quarantinedDocument struct {
	Address string    `json:"address"`
	Code    string    `json:"code"`
	Message string    `json:"message"`
	Since   time.Time `json:"since"`
	Run     string    `json:"run"`     // that was refused first; "" where it is not known
	Release string    `json:"release"` // what ends it
}

// quarantineEnds is what ends a quarantine.
const quarantineEnds = "its row or the resource at the service changes, an apply " +
	"that somebody looks at asks again and is not refused, or somebody allows it: adsync reconcile --retry ADDRESS"

func runStatus(ctx context.Context, env *session.Env, dir string) error {
	project, err := session.ProjectOf(env, dir)
	if err != nil {
		return err
	}
	return showStatus(ctx, env, project)
}

func showStatus(ctx context.Context, env *session.Env, project config.Project) error {
	d, err := statusOf(ctx, env, project)
	if err != nil {
		return err
	}
	if env.Flags.Output == "json" {
		return env.PrintJSON(d)
	}
	return statusText(env, d)
}

func statusOf(ctx context.Context, env *session.Env, p config.Project) (StatusDocument, error) {
	at, err := session.PlaceOf(ctx, env, p)
	if err != nil {
		return StatusDocument{}, err
	}
	d := StatusDocument{
		FormatVersion: console.FormatVersion, Folder: at.String(),
		Open: []runs.OpenDocument{}, Undecided: []undecidedDocument{}, Quarantined: []quarantinedDocument{},
	}
	d.WritableByOthers = append([]string{}, state.WritableByOthers(p.StateFolder())...)
	holding, err := at.HeldBy(ctx)
	if err != nil {
		return d, err
	}
	d.Lock = lockOf(holding)
	d.order(session.OrdersOf(env, p), time.Now())
	d.Stop = cmp.Or(d.Stop, commits.CommittedStop(p))
	known := session.KnownReviews(env, p)
	d.Review, d.ReviewRead = known.Summary(), console.OrNull(known.Read)
	store, err := session.OpenState(ctx, env, p, true)
	if err != nil {
		return d, err
	}
	defer func() { session.Closed(env, "state", store.Close()) }()
	header := store.Header()
	d.Lineage, d.Serial, d.Account = header.Lineage, header.Serial, runs.AccountOf(header.Account)
	last, err := store.Last(ctx)
	if err != nil {
		return d, err
	}
	d.Managed = last.Len()
	return d, d.fill(ctx, store)
}

// order reads what was ordered, and what the daemon says.
func (d *StatusDocument) order(at orders.Place, now time.Time) {
	d.Stop, d.Suspended = at.Stop(), at.Suspension(now)
	d.Pauses, _ = at.Pauses() // what cannot be asked stops what sends, which says why
	said, lives, err := at.Daemon()
	if err != nil || !lives {
		return
	}
	if d.Daemon = &said; d.Stop == "" && said.Shared != "" {
		d.Stop = orders.Folder(said.Shared).Stop()
	}
}

// fill reads what earlier runs left.
func (d *StatusDocument) fill(ctx context.Context, store state.Store) error {
	latest, err := store.Runs(ctx, 1)
	if err != nil {
		return err
	}
	for _, run := range latest {
		if d.LastRun, err = lastRunOf(run, d.Lock.Held); err != nil {
			return err
		}
	}
	steps, err := store.Open(ctx)
	if err != nil {
		return err
	}
	for _, s := range steps {
		d.Open = append(d.Open, runs.OpenDocument{Step: s.ID,
			Point: string(s.Point), Request: "POST " + s.Path,
			Operations: len(s.Operations), Job: s.JobID, Sent: console.OrNull(s.SentAt)})
	}
	for _, u := range reconcile.UndecidedOf(session.Schemas(), steps) {
		if u.Step.Point != state.Unknown && u.Step.Point != state.BlockedStep {
			continue // nobody has asked the service yet
		}
		d.Undecided = append(d.Undecided,
			undecidedDocument{u.Operation.Address.String(), u.Step.ID, u.Operation.Action, u.Message()})
	}
	blocked, err := store.Blocked(ctx)
	if err != nil {
		return err
	}
	for _, address := range slices.SortedFunc(maps.Keys(blocked), resource.Address.Compare) {
		b := blocked[address]
		d.Quarantined = append(d.Quarantined,
			quarantinedDocument{address.String(), b.Code, b.Message, b.Since, b.Run, quarantineEnds})
	}
	return nil
}

// lastRunOf is the newest run. One that stopped at an error has its end in its
// report alone.
func lastRunOf(run state.Run, held bool) (*lastRunDocument, error) {
	d := &lastRunDocument{
		ID: run.ID, Started: run.Started, Finished: console.OrNull(run.Finished), Summary: run.Summary,
	}
	h, err := (&runs.KeptRuns{Busy: held, Last: run.ID}).Head(run)
	if err != nil {
		return nil, err
	}
	d.goesOn = h.Ended == runview.Running
	if ended := h.Ended == runview.Finished || h.Ended == runview.Interrupted; ended && d.Finished == nil {
		d.Finished, d.Summary = console.OrNull(h.Finished), h.Result()
	}
	return d, nil
}

func lockOf(h state.Holding) lockDocument {
	d := lockDocument{Held: h.Held}
	if h.Known {
		d.Holder = &holderDocument{h.Holder.PID, h.Holder.Host, h.Holder.Since, h.Holder.Command, h.Holder.Version}
	}
	return d
}

func statusText(env *session.Env, d StatusDocument) error {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	if d.Account.ID == "" {
		line("account      none yet: nothing was applied from here")
	} else {
		line("account      %s (%s, %s)", d.Account.ID, d.Account.Currency, d.Account.TimeZone)
	}
	line("record       %s, %s managed, commit %d", d.Folder, diag.Plural(d.Managed, "resource"), d.Serial)
	for _, open := range d.WritableByOthers {
		line("  others may write %s, and with it what adsync sends; take that away: chmod go-w", open)
	}
	line("lock         %s", d.Lock)
	line("daemon       %s", daemonLine(d.Daemon))
	if d.Daemon != nil {
		for _, draft := range d.Daemon.Drafts {
			line("draft        %s", draft)
		}
		for _, passed := range d.Daemon.Passed {
			line("spend        %s", passed)
		}
	}
	if d.Stop != "" {
		line("stopped      %s lies there: nothing is sent until it is taken away", d.Stop)
	}
	for i := range d.Pauses {
		what := diag.Printable(d.Pauses[i].What() + ", " + strings.TrimPrefix(d.Pauses[i].String(), "paused "))
		if !d.Pauses[i].Settled {
			what += " (not carried out yet)"
		}
		line("paused       %s", what)
	}
	if d.Suspended != nil {
		line("suspended    %s", strings.TrimPrefix(d.Suspended.String(), "suspended "))
	}
	line("last run     %s", d.LastRun)
	line("open         %s", diag.Plural(len(d.Open), "step"))
	for _, s := range d.Open {
		line("  %s  %s  %s, %s%s", s.Step, s.Point, s.Request, diag.Plural(s.Operations, "operation"), s.When())
	}
	line("unknown      %s", diag.Plural(len(d.Undecided), "outcome"))
	for _, u := range d.Undecided {
		line("  %s  %s", u.Address, u.Message)
	}
	line("quarantined  %s", diag.Plural(len(d.Quarantined), "resource"))
	for _, q := range d.Quarantined {
		line("  %s  refused since %s%s: %s (%s)", q.Address, console.UTC(q.Since), q.by(), q.Message, q.Code)
	}
	if len(d.Quarantined) > 0 {
		line("  no unattended run sends it again until %s", quarantineEnds)
	}
	b.WriteString(d.reviewText())
	for text := range strings.Lines(b.String()) {
		if _, err := fmt.Fprintln(env.Out, diag.Printable(strings.TrimSuffix(text, "\n"))); err != nil {
			return err
		}
	}
	nextAfterStatus(env, d)
	return nil
}

// daemonLine says who looks after the account, and when again.
func daemonLine(d *orders.Daemon) string {
	if d == nil {
		return "none"
	}
	text := fmt.Sprintf("process %d on %s since %s", d.PID, d.Host, console.UTC(d.Since))
	switch {
	case d.Running:
		text += ", at work"
	case d.State != "":
		text += ", " + d.State
		if d.Message != "" {
			text += ": " + d.Message
		}
	}
	if d.Uncommitted > 0 {
		text += fmt.Sprintf(", with %s that %.12s has not, or not so", diag.Plural(d.Uncommitted, "file"), d.Commit)
	}
	if !d.Running && !d.Next.IsZero() {
		text += ", next run " + console.UTC(d.Next)
	}
	return text
}

func nextAfterStatus(env *session.Env, d StatusDocument) {
	if d.Suspended != nil {
		env.Note("to go on: adsync resume")
	}
	switch {
	case d.Lock.Held:
	case len(d.Open) > 0:
		env.Note("to end what is open, and send nothing new: adsync resume")
	case d.Lock.Holder != nil:
		env.Note("to take the text of the killed process away: adsync unlock (the next apply does so too)")
	}
	if len(d.Undecided) > 0 && !d.Lock.Held {
		env.Note("to see what is known of one and decide it: adsync resolve %s", d.Undecided[0].Address)
	}
}

// String says who holds the state.
func (l lockDocument) String() string {
	if l.Holder == nil {
		if l.Held {
			return "held by another process"
		}
		return "free"
	}
	who := state.Holder{
		PID: l.Holder.PID, Host: l.Holder.Host, Since: l.Holder.Since,
		Command: l.Holder.Command, Version: l.Holder.Version,
	}
	if l.Held {
		return "held by " + who.String()
	}
	return "free; " + who.String() + " was killed"
}

func (q quarantinedDocument) by() string {
	if q.Run == "" {
		return ""
	}
	return ", " + q.Run
}

// String returns when the last run was and what it came to.
func (r *lastRunDocument) String() string {
	switch {
	case r == nil:
		return "none"
	case r.goesOn:
		return fmt.Sprintf("%s, begun %s, goes on", r.ID, console.UTC(r.Started))
	case r.Finished == nil:
		return fmt.Sprintf("%s, begun %s, did not come to its end", r.ID, console.UTC(r.Started))
	}
	return fmt.Sprintf("%s, ended %s: %s", r.ID, console.UTC(*r.Finished), r.Summary)
}
