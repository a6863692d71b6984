package planning

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/user"
	"strings"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/runs"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/plan"
	"adsync/reconcile"
	"adsync/state"

	"github.com/spf13/cobra"
)

// resolveFlags are those of resolve.
type resolveFlags struct {
	as       string
	id       string
	retry    bool
	unproven bool
	yes      bool
}

// Resolve returns the command adsync resolve.
func Resolve(env *session.Env) *cobra.Command {
	var f resolveFlags
	c := &cobra.Command{
		Use:   "resolve [FOLDER] ADDRESS",
		Short: "Show what is known of a request nobody knows the outcome of, and decide it",
		Long: `Show what is known of a request whose outcome is unknown: what was sent, under which
key and when, what is live that it may have made, and what the audit log has of it.
Nothing is changed by that.

With --as or --retry it is decided, and who decided it is kept (adsync history). What
the service shows otherwise, or does not show, is refused unless --without-evidence
says that it is right all the same.`,
		Example: `  adsync resolve pixel/shop
  adsync resolve pixel/shop --as not-applied`,
		RunE: func(c *cobra.Command, args []string) error { return runResolve(env, c, args, f) },
	}
	c.Flags().StringVar(&f.as, "as", "", "decide it: applied, or not-applied")
	console.Completes(c, "as", "applied", "not-applied")
	c.Flags().StringVar(&f.id, "id", "", "the id of what was created, with --as applied")
	c.Flags().BoolVar(&f.retry, "retry", false, "send the same bytes again under the same key")
	c.Flags().BoolVar(&f.unproven, "without-evidence", false, "decide it although nothing at the service shows it")
	c.Flags().BoolVarP(&f.yes, "yes", "y", false, "do not ask")
	session.FromGit(env, c, false)
	env.Outputs(c, "text", "json")
	return c
}

// ResolveDocument is the JSON form of what is known.
type ResolveDocument struct {
	FormatVersion int              `json:"format_version"`
	Address       string           `json:"address"`
	Action        string           `json:"action"`
	Step          string           `json:"step"`
	Point         string           `json:"point"`
	Request       string           `json:"request"`
	Key           string           `json:"key"`
	Job           string           `json:"job"`
	Bytes         int              `json:"bytes"`
	SHA256        string           `json:"sha256"` // of the body
	Sent          *time.Time       `json:"sent"`
	Why           string           `json:"why"`
	Listed        bool             `json:"listed"` // the service shows resources of the kind
	Live          []string         `json:"live"`
	Log           []loggedDocument `json:"log"`
	Shows         string           `json:"shows"`   // applied, not-applied, or nothing
	ID            string           `json:"id"`      // of what it made or changed, as far as that is known
	Decided       string           `json:"decided"` // as what, by this command
}

type loggedDocument struct {
	ID    string    `json:"id"`
	Actor string    `json:"actor"`
	At    time.Time `json:"at"`
}

// outcomeWords are the words of --as.
var outcomeWords = map[string]state.Outcome{"applied": state.OutcomeApplied, "not-applied": state.OutcomeSkipped}

func runResolve(env *session.Env, c *cobra.Command, args []string, f resolveFlags) error {
	dir, picks, err := session.Addressed(c, args)
	_, known := outcomeWords[f.as]
	switch {
	case err != nil:
		return err
	case len(picks) != 1 || picks[0].ID != "":
		return console.Usage(c, errors.New("want one address, such as pixel/shop"))
	case f.as != "" && !known:
		return console.Usage(c, fmt.Errorf("--as is %q; want applied or not-applied", f.as))
	case f.as != "" && f.retry:
		return console.Usage(c, errors.New("--as and --retry; want one of them"))
	case f.id != "" && f.as != "applied":
		return console.Usage(c, errors.New("--id without --as applied; want both"))
	}
	decides := f.as != "" || f.retry
	s, err := connectToResolve(c.Context(), env, dir, decides)
	if err != nil {
		return err
	}
	defer s.End()
	return resolveWith(c.Context(), env, s.Agent, picks[0].Address, f)
}

// connectToResolve opens the state for reading, and the service for reading,
// where nothing is decided.
func connectToResolve(ctx context.Context, env *session.Env, dir string, decides bool) (*session.Session, error) {
	if decides {
		return connectToRecover(ctx, env, dir)
	}
	if _, err := session.ProjectOf(env, dir); err != nil {
		return nil, err
	}
	return session.Connect(ctx, env, session.Load(ctx, env, dir), true)
}

func resolveWith(ctx context.Context, env *session.Env,
	agent *reconcile.Agent, address resource.Address, f resolveFlags) error {
	e, err := agent.Evidence(ctx, address)
	env.ClearLine()
	if err != nil {
		return err
	}
	if e == nil {
		return console.ExitWith(console.ExitUsage,
			fmt.Sprintf("nothing of %s is unknown; adsync status shows what is", address))
	}
	d := evidenceOf(e)
	if f.as == "" && !f.retry {
		if err := showEvidence(env, d); err != nil {
			return err
		}
		return console.ExitWith(console.ExitUnknown, fmt.Sprintf("what became of %s is "+
			"unknown; to decide it: adsync resolve %s --as applied, --as not-applied or --retry", address, address))
	}
	decision := reconcile.Decision{As: outcomeWords[f.as], Retry: f.retry, ID: f.id, Unproven: f.unproven, By: whoami()}
	if err := askDecision(ctx, env, d, f); err != nil {
		return err
	}
	err = agent.Resolve(ctx, e, decision)
	if errors.Is(err, reconcile.ErrUnproven) {
		return console.ExitWith(console.ExitRefused,
			err.Error()+"; nothing was decided. If you know that it is so, say --without-evidence (ADS3005)")
	}
	if errors.Is(err, reconcile.ErrOtherID) {
		return console.Configuration("%v; nothing was decided", err)
	}
	if err != nil {
		return err
	}
	if d.Decided = f.as; f.retry {
		d.Decided = "retry"
	}
	bound, err := agent.Store.Bindings(ctx, []resource.Address{address})
	if err != nil {
		return err
	}
	if d.ID = e.Operation.ResourceID; d.ID == "" {
		d.ID = bound[address]
	}
	return showEvidence(env, d)
}

// askDecision shows what is known and wants the word yes.
func askDecision(ctx context.Context, env *session.Env, d ResolveDocument, f resolveFlags) error {
	if f.yes {
		return nil
	}
	if !console.IsTerminal(env.In) {
		return console.Configuration("resolve asks before it decides, and there is no terminal to ask at; use --yes")
	}
	w := bufio.NewWriter(env.Err)
	for _, text := range d.lines() {
		fmt.Fprintln(w, diag.Printable(text))
	}
	fmt.Fprint(w, "Decide it so? Only yes does: ")
	if err := w.Flush(); err != nil {
		return err
	}
	return console.Confirmed(ctx, env.In)
}

// whoami names who decides: the user and the machine.
func whoami() string {
	name, host := "somebody", "an unnamed host"
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	if h, err := os.Hostname(); err == nil {
		host = h
	}
	return name + " on " + host
}

func evidenceOf(e *reconcile.Evidence) ResolveDocument {
	sum := sha256.Sum256(e.Step.Body)
	d := ResolveDocument{
		FormatVersion: console.FormatVersion, Address: e.Operation.Address.String(),
		Action: e.Operation.Action, Step: e.Step.ID, Point: string(e.Step.Point),
		Request: "POST " + e.Step.Path, Key: e.Step.Key,
		Job: e.Step.JobID, Bytes: len(e.Step.Body), SHA256: hex.EncodeToString(sum[:]),
		Sent: console.OrNull(e.Step.SentAt), Why: e.Message(),
		Listed: e.Listed, Live: append([]string{}, e.Live...), Log: []loggedDocument{}, Shows: "nothing", ID: e.ID,
	}
	for _, entry := range e.Log {
		d.Log = append(d.Log, loggedDocument{entry.ID, entry.Actor, entry.At})
	}
	for word, outcome := range outcomeWords {
		if e.Proves == outcome {
			d.Shows = word
		}
	}
	return d
}

func showEvidence(env *session.Env, d ResolveDocument) error {
	if env.Flags.Output == "json" {
		return env.PrintJSON(d)
	}
	lines := d.lines()
	if d.Decided != "" {
		lines = []string{d.Address + ": " + d.became()}
	}
	for _, text := range lines {
		if _, err := fmt.Fprintln(env.Out, diag.Printable(text)); err != nil {
			return err
		}
	}
	return nil
}

// became is what the decision came to.
func (d ResolveDocument) became() string {
	created := d.Action == string(plan.Create)
	switch {
	case d.Decided == "retry" && created && d.ID != "":
		return "sent again, and it is there as " + d.ID
	case d.Decided == "retry" && created:
		return "sent again, and the service shows nothing of it; the next apply plans it anew"
	case d.Decided == "retry":
		return "sent again"
	case d.Decided == "applied":
		return "decided as applied, as " + d.ID
	}
	return "decided as not-applied; the next apply plans it anew"
}

// lines say what is known to people.
func (d ResolveDocument) lines() []string {
	key := "no key"
	if d.Key != "" {
		key = "key " + d.Key
	}
	lines := []string{
		fmt.Sprintf("%s  %s", d.Address, d.Why),
		fmt.Sprintf("  request    %s, %d bytes, %s%s; step %s, %s",
			d.Request, d.Bytes, key, runs.OpenDocument{Job: d.Job, Sent: d.Sent}.When(), d.Step, d.Point),
	}
	switch {
	case !d.Listed:
		lines = append(lines, "  live       the service does not show resources of this kind")
	case len(d.Live) == 0 && d.Shows != "applied":
		lines = append(lines, "  live       nothing that it may have made or changed")
	case len(d.Live) == 0:
		lines = append(lines, "  live       "+d.ID)
	default:
		lines = append(lines, "  live       of its name, beneath its parent: "+strings.Join(d.Live, ", "))
	}
	for _, entry := range d.Log {
		lines = append(lines, fmt.Sprintf("  audit log  %s created %s at %s",
			entry.Actor, entry.ID, console.UTC(entry.At)))
	}
	if len(d.Log) == 0 {
		lines = append(lines, "  audit log  no create of its kind and name since then, or it is not shown")
	}
	shows := map[string]string{"applied": "it was applied",
		"not-applied": "it was not applied", "nothing": "nothing is certain"}[d.Shows]
	return append(lines, "  all in all "+shows)
}
