package planning

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/runs"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/internal/orders"
	"adsync/reconcile"

	"github.com/spf13/cobra"
)

// Resume returns the command adsync resume.
func Resume(env *session.Env) *cobra.Command {
	var keep bool
	var reason string
	var named session.NamedFlags
	c := &cobra.Command{
		Use:   "resume [FOLDER]",
		Short: "Lift a suspension, and end what an earlier apply left open",
		Long: `Lift the suspension that adsync suspend or pause-all left, if one stands, and then
end the steps an earlier apply left open, because it was interrupted or killed. Nothing
new is planned. Each step is ended by the rule of the point it stands at; what is said
of each is what was found and what became of it. What nothing at the service decides
stays unknown: adsync resolve ADDRESS decides it.

Where a daemon looks after the account it ends them itself, and is told to go on.
A file STOP is taken away by hand, by whoever put it there. To end what is open and
leave the suspension: --keep-suspended.`,
		Example: `  adsync resume
  adsync resume --reason 'the stock is counted'
  adsync resume --keep-suspended`,
		RunE: func(c *cobra.Command, args []string) error {
			if named.Given() {
				return resumeAt(env, c, args, named, reason)
			}
			dir, err := console.Folder(c, args)
			if err != nil {
				return err
			}
			return runResume(c.Context(), env, dir, keep, reason)
		},
	}
	c.Flags().BoolVar(&keep, "keep-suspended", false, "leave a suspension, and only end what is open")
	c.Flags().StringVar(&reason, "reason", "", "why, kept with who lifts it")
	named.Register(c)
	env.Outputs(c, "text", "json")
	return c
}

// ResumeDocument is the JSON form of resume.
type ResumeDocument struct {
	FormatVersion int                `json:"format_version"`
	Lifted        *orders.Suspension `json:"lifted"` // null where none stood
	Steps         []resumedDocument  `json:"steps"`
	Finished      int                `json:"finished"`
	Abandoned     int                `json:"abandoned"`
	Undecided     int                `json:"undecided"`
	Daemon        bool               `json:"daemon"` // one looks after the account, and ends what is open itself
	Error         string             `json:"error,omitempty"`
}

// resumedDocument is one step as it was found, and what became of it.
type resumedDocument struct {
	Step       string     `json:"step"`
	Point      string     `json:"point"`
	Request    string     `json:"request"`
	Operations []string   `json:"operations"` // addresses
	Job        string     `json:"job"`
	Sent       *time.Time `json:"sent"`
	Found      string     `json:"found"`
	Did        string     `json:"did"`
	Became     string     `json:"became"`
	Undecided  []string   `json:"undecided"`
}

func runResume(ctx context.Context, env *session.Env, dir string, keep bool, reason string) error {
	project, err := session.ProjectOf(env, dir)
	if err != nil {
		return err
	}
	if keep {
		env.Passes = session.Suspensions
		return endOpen(ctx, env, dir, nil)
	}
	at := session.OrdersOf(env, project)
	lifted, err := lift(env, at, reason)
	if err != nil {
		return err
	}
	if d, lives, err := at.Daemon(); err == nil && lives {
		return tellDaemon(env, at, d, lifted, reason)
	}
	return endOpen(ctx, env, dir, lifted)
}

// resumeAt lifts a suspension, and leaves the rest to the daemon.
func resumeAt(env *session.Env, c *cobra.Command, args []string, named session.NamedFlags,
	reason string) error {
	project, err := session.ProjectAt(env, c, args, named)
	if err != nil {
		return err
	}
	at := session.OrdersOf(env, project)
	lifted, err := lift(env, at, reason)
	if err != nil {
		return err
	}
	if d, lives, err := at.Daemon(); err == nil && lives {
		return tellDaemon(env, at, d, lifted, reason)
	}
	return showResumed(env, ResumeDocument{
		FormatVersion: console.FormatVersion, Lifted: lifted, Steps: []resumedDocument{},
	})
}

// lift takes a suspension away before anything else: it must not depend on the
// service.
func lift(env *session.Env, at orders.Place, reason string) (*orders.Suspension, error) {
	lifted, err := at.Resume(orders.Ordered{Time: time.Now(), By: session.Person(env), Reason: reason})
	if err != nil {
		return nil, console.Configuration("%v", err)
	}
	if lifted != nil {
		env.Note("lifted: %s", diag.Printable(lifted.String()))
	}
	return lifted, nil
}

// tellDaemon has the daemon of the account run now.
func tellDaemon(env *session.Env, at orders.Place, d orders.Daemon, lifted *orders.Suspension,
	reason string) error {
	if err := wake(env, at, lifted, reason); err != nil {
		return console.Configuration("ask the daemon to go on: %v", err)
	}
	if env.Flags.Output == "json" {
		return env.PrintJSON(ResumeDocument{
			FormatVersion: console.FormatVersion, Lifted: lifted, Daemon: true, Steps: []resumedDocument{},
		})
	}
	_, err := fmt.Fprintf(env.Out, "The daemon (process %d on %s) goes on, and ends what is open.\n",
		d.PID, diag.Printable(d.Host))
	return err
}

// wake notes who asks for the run where no suspension's end says so already: one order is one line.
func wake(env *session.Env, at orders.Place, lifted *orders.Suspension, reason string) error {
	if lifted != nil {
		return session.WakeResumed(at)
	}
	_, err := at.Ask(orders.Ask{By: session.Person(env), Note: reason, Since: time.Now()})
	return err
}

// endOpen ends the steps earlier runs left open.
func endOpen(ctx context.Context, env *session.Env, dir string, lifted *orders.Suspension) error {
	s, err := connectToRecover(ctx, env, dir)
	if err != nil {
		return err
	}
	defer s.End()
	recovered, failure := session.Recovered(ctx, s.Agent)
	env.ClearLine()
	d := resumedOf(recovered, failure)
	d.Lifted = lifted
	if err := showResumed(env, d); err != nil {
		return err
	}
	switch {
	case failure != nil:
		return failure
	case len(recovered.Undecided) > 0:
		return console.ExitWith(console.ExitUnknown, fmt.Sprintf("%s unknown; to decide it: adsync resolve ADDRESS",
			console.PluralAre(len(recovered.Undecided), "outcome")))
	}
	return nil
}

// connectToRecover opens a project whose rows may be wrong: what an earlier run
// sent has nothing to do with what they say now.
func connectToRecover(ctx context.Context, env *session.Env, dir string) (*session.Session, error) {
	if _, err := session.ProjectOf(env, dir); err != nil {
		return nil, err
	}
	return session.Connect(ctx, env, session.Load(ctx, env, dir), false)
}

func resumedOf(r reconcile.Recovered, failure error) ResumeDocument {
	d := ResumeDocument{
		FormatVersion: console.FormatVersion, Steps: []resumedDocument{},
		Finished: r.Finished, Abandoned: r.Abandoned, Undecided: len(r.Undecided),
	}
	if failure != nil {
		d.Error = console.Coded(failure)
	}
	for _, one := range r.Steps {
		step := resumedDocument{
			Step: one.Step.ID, Point: string(one.Step.Point),
			Request: "POST " + one.Step.Path, Operations: []string{}, Job: one.Step.JobID,
			Sent: console.OrNull(one.Step.SentAt), Found: one.Rule.Found,
			Did: one.Rule.Does, Became: one.Became, Undecided: append([]string{}, one.Undecided...),
		}
		for _, o := range one.Step.Operations {
			step.Operations = append(step.Operations, o.Address.String())
		}
		d.Steps = append(d.Steps, step)
	}
	return d
}

// named is how many addresses of a step are said in the text.
const named = 3

func showResumed(env *session.Env, d ResumeDocument) error {
	if env.Flags.Output == "json" {
		return env.PrintJSON(d)
	}
	switch {
	case len(d.Steps) == 0 && d.Error != "": // what kept it from looking is said, and nothing else is known
		return nil
	case len(d.Steps) == 0:
		_, err := fmt.Fprintln(env.Out, "Nothing is open: every step of earlier runs has ended.")
		return err
	}
	for _, s := range d.Steps {
		addresses := strings.Join(s.Operations[:min(named, len(s.Operations))], ", ")
		if more := len(s.Operations) - named; more > 0 {
			addresses += fmt.Sprintf(" and %d more", more)
		}
		lines := []string{
			fmt.Sprintf("%s  %s: %s", s.Step, s.Became, cmp.Or(addresses, s.Request)),
			"  found  " + s.Found + runs.OpenDocument{Job: s.Job, Sent: s.Sent}.When(),
			"  did    " + s.Did,
		}
		for _, u := range s.Undecided {
			lines = append(lines, "  unknown  "+u)
		}
		for _, text := range lines {
			if _, err := fmt.Fprintln(env.Out, diag.Printable(text)); err != nil {
				return err
			}
		}
	}
	_, err := fmt.Fprintf(env.Out, "\n%s: %d finished, %d never had an effect, %d unknown\n",
		diag.Plural(len(d.Steps), "step"), d.Finished, d.Abandoned, d.Undecided)
	return err
}
