package planning

import (
	"fmt"
	"strings"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/runs"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/reconcile"

	"github.com/spf13/cobra"
)

// Adopt returns the command adsync adopt.
func Adopt(env *session.Env) *cobra.Command {
	all := false
	c := &cobra.Command{
		Use:   "adopt [FOLDER] ADDRESS[=ID]... | --all",
		Short: "Manage live resources that the files name, without changing them",
		Long: `Record which live resource a resource of the files is, with all the files name
beneath it: by the id given, by the id in the file, or by its name where that is
the name of one alone. Nothing is changed at the service. What the files say
otherwise is an edit of the next plan, with every guard there is.`,
		Example: `  adsync adopt --all
  adsync adopt campaign/spring-launch`,
		RunE: func(c *cobra.Command, args []string) error { return runAdopt(env, c, args, all) },
	}
	c.Flags().BoolVar(&all, "all", false, "everything the files name and adsync does not manage yet")
	env.Outputs(c, "text", "json")
	return c
}

// AdoptDocument is the JSON form of adopt.
type AdoptDocument struct {
	FormatVersion int                `json:"format_version"`
	Adopted       []adoptionDocument `json:"adopted"`
	Problems      []diag.Problem     `json:"problems"`
}

type adoptionDocument struct {
	Address string   `json:"address"`
	ID      string   `json:"id"`
	Name    string   `json:"name"`
	Differs []string `json:"differs"` // attributes the next plan edits
}

func runAdopt(env *session.Env, c *cobra.Command, args []string, all bool) error {
	dir, picks, err := session.Addressed(c, args)
	switch {
	case err != nil:
		return err
	case all == (len(picks) > 0):
		return console.Usage(c, fmt.Errorf("want addresses such as campaign/spring-launch, or --all"))
	}
	l := session.Load(c.Context(), env, dir)
	if err := session.Invalid(env, l, l.Desired.Problems); err != nil {
		return err
	}
	desired, err := runs.Desired(env, l, runs.PlanFlags{})
	if err != nil {
		return err
	}
	s, err := runs.Recording(c.Context(), env, l)
	if err != nil {
		return err
	}
	defer s.End()
	found, problems, err := s.Agent.Adoptions(c.Context(), desired, picks)
	env.ClearLine()
	if err != nil {
		return err
	}
	if diag.HasErrors(problems) {
		found = nil // a part of what was asked for is not what was asked for
	}
	if err := s.Agent.Adopt(c.Context(), found); err != nil {
		return err
	}
	return showAdopted(env, l, found, problems)
}

func showAdopted(env *session.Env, l session.Loaded, found []reconcile.Adoption, problems []diag.Problem) error {
	d := AdoptDocument{
		FormatVersion: console.FormatVersion, Adopted: []adoptionDocument{}, Problems: session.Listed(problems),
	}
	edits := 0
	for _, one := range found {
		d.Adopted = append(d.Adopted,
			adoptionDocument{one.Address.String(), one.ID, one.Name, append([]string{}, one.Differs...)})
		edits += len(one.Differs)
	}
	if env.Flags.Output == "json" {
		if err := env.PrintJSON(d); err != nil {
			return err
		}
	}
	if err := session.Invalid(env, l, problems); err != nil {
		return err
	}
	if env.Flags.Output != "json" {
		for _, one := range found {
			differs := ""
			if len(one.Differs) > 0 {
				differs = "  (the files say otherwise: " + strings.Join(one.Differs, ", ") + ")"
			}
			fmt.Fprintf(env.Out, "%s is %s%s\n", diag.Printable(one.Address.String()), diag.Printable(one.ID), differs)
		}
	}
	env.Note("adopted %s; nothing was changed at the service", diag.Plural(len(found), "resource"))
	if edits > 0 {
		env.Note("to see what the files say otherwise: adsync plan %s", l.Project.Root)
	}
	return nil
}
