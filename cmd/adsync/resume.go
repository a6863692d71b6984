package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"adsync/internal/diag"
	"adsync/reconcile"

	"github.com/spf13/cobra"
)

func (a *app) resume() *cobra.Command {
	c := &cobra.Command{
		Use:   "resume [FOLDER]",
		Short: "End what an earlier apply left open, and send nothing new",
		Long: `End the steps an earlier apply left open, because it was interrupted or killed, and
plan nothing new. Each step is ended by the rule of the point it stands at; what is
said of each is what was found and what became of it. What nothing at the service
decides stays unknown: adsync resolve ADDRESS decides it.`,
		RunE: func(c *cobra.Command, args []string) error {
			dir, err := folder(c, args)
			if err != nil {
				return err
			}
			return a.runResume(c.Context(), dir)
		},
	}
	a.outputs(c, "text", "json")
	return c
}

// resumeDocument is the JSON form of resume.
type resumeDocument struct {
	FormatVersion int               `json:"format_version"`
	Steps         []resumedDocument `json:"steps"`
	Finished      int               `json:"finished"`
	Abandoned     int               `json:"abandoned"`
	Undecided     int               `json:"undecided"`
	Error         string            `json:"error,omitempty"`
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

func (a *app) runResume(ctx context.Context, dir string) error {
	s, err := a.connectToRecover(ctx, dir)
	if err != nil {
		return err
	}
	defer s.end()
	recovered, failure := a.recovered(ctx, s.agent)
	a.clearLine()
	if err := a.showResumed(resumedOf(recovered, failure)); err != nil {
		return err
	}
	switch {
	case failure != nil:
		return failure
	case len(recovered.Undecided) > 0:
		return &exit{exitUnknown, fmt.Sprintf("%s unknown; to decide it: adsync resolve ADDRESS", pluralAre(len(recovered.Undecided), "outcome"))}
	}
	return nil
}

// connectToRecover opens a project whose rows may be wrong: what an earlier run
// sent has nothing to do with what they say now. A row that cannot be read may
// still name what was sent.
func (a *app) connectToRecover(ctx context.Context, dir string) (*session, error) {
	if _, err := a.projectOf(dir); err != nil {
		return nil, err
	}
	l := a.load(ctx, dir)
	s, err := a.connect(ctx, l, false)
	if err == nil && diag.HasErrors(l.desired.Problems) {
		s.agent.Named = nil
	}
	return s, err
}

func resumedOf(r reconcile.Recovered, failure error) resumeDocument {
	d := resumeDocument{FormatVersion: formatVersion, Steps: []resumedDocument{}, Finished: r.Finished, Abandoned: r.Abandoned, Undecided: len(r.Undecided)}
	if failure != nil {
		d.Error = coded(failure)
	}
	for _, one := range r.Steps {
		step := resumedDocument{
			Step: one.Step.ID, Point: string(one.Step.Point), Request: "POST " + one.Step.Path, Operations: []string{}, Job: one.Step.JobID,
			Sent: orNull(one.Step.SentAt), Found: one.Rule.Found, Did: one.Rule.Does, Became: one.Became, Undecided: append([]string{}, one.Undecided...),
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
	if len(d.Steps) == 0 {
		_, err := fmt.Fprintln(a.out, "Nothing is open: every step of earlier runs has ended.")
		return err
	}
	for _, s := range d.Steps {
		addresses := strings.Join(s.Operations[:min(named, len(s.Operations))], ", ")
		if more := len(s.Operations) - named; more > 0 {
			addresses += fmt.Sprintf(" and %d more", more)
		}
		lines := []string{
			fmt.Sprintf("%s  %s: %s", s.Step, s.Became, addresses),
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
	_, err := fmt.Fprintf(a.out, "\n%s: %d finished, %d never had an effect, %d unknown\n", plural(len(d.Steps), "step"), d.Finished, d.Abandoned, d.Undecided)
	return err
}
