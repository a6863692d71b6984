package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"adsync/internal/diag"
	"adsync/internal/orders"
	"adsync/reconcile"

	"github.com/spf13/cobra"
)

func (a *app) resume() *cobra.Command {
	var keep bool
	var named namedFlags
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
		RunE: func(c *cobra.Command, args []string) error {
			if named.given() {
				return a.resumeAt(c, args, named)
			}
			dir, err := folder(c, args)
			if err != nil {
				return err
			}
			return a.runResume(c.Context(), dir, keep)
		},
	}
	c.Flags().BoolVar(&keep, "keep-suspended", false, "leave a suspension, and only end what is open")
	named.register(c)
	a.outputs(c, "text", "json")
	return c
}

// resumeDocument is the JSON form of resume.
type resumeDocument struct {
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

func (a *app) runResume(ctx context.Context, dir string, keep bool) error {
	project, err := a.projectOf(dir)
	if err != nil {
		return err
	}
	if keep {
		a.passes = suspensions
		return a.endOpen(ctx, dir, nil)
	}
	lifted, err := a.lift(ordersOf(project))
	if err != nil {
		return err
	}
	if d, lives, err := ordersOf(project).Daemon(); err == nil && lives {
		return a.tellDaemon(ordersOf(project), d, lifted)
	}
	return a.endOpen(ctx, dir, lifted)
}

// resumeAt lifts a suspension, and leaves the rest to the daemon.
func (a *app) resumeAt(c *cobra.Command, args []string, named namedFlags) error {
	at, err := a.ordersAt(c, args, named)
	if err != nil {
		return err
	}
	lifted, err := a.lift(at)
	if err != nil {
		return err
	}
	if d, lives, err := at.Daemon(); err == nil && lives {
		return a.tellDaemon(at, d, lifted)
	}
	return a.showResumed(resumeDocument{FormatVersion: formatVersion, Lifted: lifted, Steps: []resumedDocument{}})
}

// lift takes a suspension away before anything else: it must not depend on the
// service.
func (a *app) lift(at orders.Folder) (*orders.Suspension, error) {
	lifted, err := at.Resume(time.Now(), a.person())
	if err != nil {
		return nil, configuration("%v", err)
	}
	if lifted != nil {
		a.note("lifted: %s", diag.Printable(lifted.String()))
	}
	return lifted, nil
}

// tellDaemon has the daemon of the account run now.
func (a *app) tellDaemon(at orders.Folder, d orders.Daemon, lifted *orders.Suspension) error {
	if _, err := at.Ask(orders.Ask{By: a.person(), Since: time.Now()}); err != nil {
		return configuration("ask the daemon to go on: %v", err)
	}
	if a.flags.output == "json" {
		return a.printJSON(resumeDocument{
			FormatVersion: formatVersion, Lifted: lifted, Daemon: true, Steps: []resumedDocument{},
		})
	}
	_, err := fmt.Fprintf(a.out, "The daemon (process %d on %s) goes on, and ends what is open.\n",
		d.PID, diag.Printable(d.Host))
	return err
}

// endOpen ends the steps earlier runs left open.
func (a *app) endOpen(ctx context.Context, dir string, lifted *orders.Suspension) error {
	s, err := a.connectToRecover(ctx, dir)
	if err != nil {
		return err
	}
	defer s.end()
	recovered, failure := a.recovered(ctx, s.agent)
	a.clearLine()
	d := resumedOf(recovered, failure)
	d.Lifted = lifted
	if err := a.showResumed(d); err != nil {
		return err
	}
	switch {
	case failure != nil:
		return failure
	case len(recovered.Undecided) > 0:
		return exitWith(exitUnknown, fmt.Sprintf("%s unknown; to decide it: adsync resolve ADDRESS",
			pluralAre(len(recovered.Undecided), "outcome")))
	}
	return nil
}

// connectToRecover opens a project whose rows may be wrong: what an earlier run
// sent has nothing to do with what they say now.
func (a *app) connectToRecover(ctx context.Context, dir string) (*session, error) {
	if _, err := a.projectOf(dir); err != nil {
		return nil, err
	}
	return a.connect(ctx, a.load(ctx, dir), false)
}

func resumedOf(r reconcile.Recovered, failure error) resumeDocument {
	d := resumeDocument{
		FormatVersion: formatVersion, Steps: []resumedDocument{},
		Finished: r.Finished, Abandoned: r.Abandoned, Undecided: len(r.Undecided),
	}
	if failure != nil {
		d.Error = coded(failure)
	}
	for _, one := range r.Steps {
		step := resumedDocument{
			Step: one.Step.ID, Point: string(one.Step.Point),
			Request: "POST " + one.Step.Path, Operations: []string{}, Job: one.Step.JobID,
			Sent: orNull(one.Step.SentAt), Found: one.Rule.Found,
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

func (a *app) showResumed(d resumeDocument) error {
	if a.flags.output == "json" {
		return a.printJSON(d)
	}
	switch {
	case len(d.Steps) == 0 && d.Error != "": // what kept it from looking is said, and nothing else is known
		return nil
	case len(d.Steps) == 0:
		_, err := fmt.Fprintln(a.out, "Nothing is open: every step of earlier runs has ended.")
		return err
	}
	for _, s := range d.Steps {
		addresses := strings.Join(s.Operations[:min(named, len(s.Operations))], ", ")
		if more := len(s.Operations) - named; more > 0 {
			addresses += fmt.Sprintf(" and %d more", more)
		}
		lines := []string{
			fmt.Sprintf("%s  %s: %s", s.Step, s.Became, cmp.Or(addresses, s.Request)),
			"  found  " + s.Found + openDocument{Job: s.Job, Sent: s.Sent}.when(),
			"  did    " + s.Did,
		}
		for _, u := range s.Undecided {
			lines = append(lines, "  unknown  "+u)
		}
		for _, text := range lines {
			if _, err := fmt.Fprintln(a.out, diag.Printable(text)); err != nil {
				return err
			}
		}
	}
	_, err := fmt.Fprintf(a.out, "\n%s: %d finished, %d never had an effect, %d unknown\n",
		plural(len(d.Steps), "step"), d.Finished, d.Abandoned, d.Undecided)
	return err
}
