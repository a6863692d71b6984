package main

import (
	"fmt"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/reconcile"

	"github.com/spf13/cobra"
)

func (a *app) adopt() *cobra.Command {
	all := false
	c := &cobra.Command{
		Use:   "adopt [FOLDER] ADDRESS[=ID]... | --all",
		Short: "Manage live resources that the files name, without changing them",
		Long: `Record which live resource a resource of the files is, with all the files name
beneath it: by the id given, by the id in the file, or by its name where that is
the name of one alone. Nothing is changed at the service. What the files say
otherwise is an edit of the next plan, with every guard there is.`,
		RunE: func(c *cobra.Command, args []string) error { return a.runAdopt(c, args, all) },
	}
	c.Flags().BoolVar(&all, "all", false, "everything the files name and adsync does not manage yet")
	a.outputs(c, "text", "json")
	return c
}

// adoptDocument is the JSON form of adopt.
type adoptDocument struct {
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

// addressed splits arguments into a folder, the first that is no address of a
// kind, and addresses, each with what follows its equals sign.
func addressed(c *cobra.Command, args []string) (dir string, picks []reconcile.Pick, err error) {
	for _, arg := range args {
		text, id, _ := strings.Cut(arg, "=")
		address, ok := resource.ParseAddress(text)
		switch {
		case ok && schemas().Of(address.Kind) != nil:
			picks = append(picks, reconcile.Pick{Address: address, ID: id})
		case dir != "":
			return "", nil, usage(c, fmt.Errorf("%q is no address; want one such as campaign/spring-launch", arg))
		default:
			dir = arg
		}
	}
	if dir == "" {
		dir = "."
	}
	return dir, picks, nil
}

func (a *app) runAdopt(c *cobra.Command, args []string, all bool) error {
	dir, picks, err := addressed(c, args)
	switch {
	case err != nil:
		return err
	case all == (len(picks) > 0):
		return usage(c, fmt.Errorf("want addresses such as campaign/spring-launch, or --all"))
	}
	l := a.load(c.Context(), dir)
	if err := a.invalid(l, l.desired.Problems); err != nil {
		return err
	}
	desired, err := a.wanted(l, planFlags{})
	if err != nil {
		return err
	}
	s, err := a.recording(c.Context(), l)
	if err != nil {
		return err
	}
	defer s.end()
	found, problems, err := s.agent.Adoptions(c.Context(), desired, picks)
	a.clearLine()
	if err != nil {
		return err
	}
	if diag.HasErrors(problems) {
		found = nil // a part of what was asked for is not what was asked for
	}
	if err := s.agent.Adopt(c.Context(), found); err != nil {
		return err
	}
	return a.showAdopted(l, found, problems)
}

func (a *app) showAdopted(l loaded, found []reconcile.Adoption, problems []diag.Problem) error {
	d := adoptDocument{FormatVersion: formatVersion, Adopted: []adoptionDocument{}, Problems: listed(problems)}
	edits := 0
	for _, one := range found {
		d.Adopted = append(d.Adopted,
			adoptionDocument{one.Address.String(), one.ID, one.Name, append([]string{}, one.Differs...)})
		edits += len(one.Differs)
	}
	if a.flags.output == "json" {
		if err := a.printJSON(d); err != nil {
			return err
		}
	}
	if err := a.invalid(l, problems); err != nil {
		return err
	}
	if a.flags.output != "json" {
		for _, one := range found {
			differs := ""
			if len(one.Differs) > 0 {
				differs = "  (the files say otherwise: " + strings.Join(one.Differs, ", ") + ")"
			}
			fmt.Fprintf(a.out, "%s is %s%s\n", diag.Printable(one.Address.String()), diag.Printable(one.ID), differs)
		}
	}
	a.note("adopted %s; nothing was changed at the service", plural(len(found), "resource"))
	if edits > 0 {
		a.note("to see what the files say otherwise: adsync plan %s", l.project.Root)
	}
	return nil
}
