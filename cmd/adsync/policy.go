package main

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/plan"
	"adsync/sources"

	"github.com/spf13/cobra"
)

// policyCommand shows what holds a plan back, and who says so.
func (a *app) policyCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "policy", Short: "Show the guards of a plan, and where each comes from",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage(c, fmt.Errorf("unknown command %q", args[0]))
			}
			return c.Help()
		},
	}
	var allow []string
	show := &cobra.Command{
		Use: "show [FOLDER]", Short: "Print every value of the policy with its origin",
		RunE: func(c *cobra.Command, args []string) error { return a.showPolicy(c, args, allow) },
	}
	show.Flags().StringArrayVar(&allow, "allow", nil,
		"an allowance as apply takes it, to see it beside the others (repeatable)")
	a.outputs(show, "text", "json")
	c.AddCommand(show)
	return c
}

type policyDocument struct {
	FormatVersion int            `json:"format_version"`
	Operator      string         `json:"operator"` // the operator's file, "" where there is none
	Values        []policyValue  `json:"values"`   // sorted by name
	Problems      []diag.Problem `json:"problems"`
}

func (a *app) showPolicy(c *cobra.Command, args []string, allow []string) error {
	dir, err := folder(c, args)
	if err != nil {
		return err
	}
	project, problems := a.readProject(dir)
	g := a.govern(project, kinds.All(), time.Now())
	for _, text := range allow {
		if _, err := plan.ParseAllowance(text); err != nil {
			return configuration("--allow: %v", err)
		}
		g.values = append(g.values, policyValue{Name: "allow", Value: text, Origin: "flag"})
	}
	g.values = append(g.values, a.serviceValues(project, g)...)
	slices.SortStableFunc(g.values, func(a, b policyValue) int { return strings.Compare(a.Name, b.Name) })
	problems = onceEach(problems, g.problems)
	if a.flags.output == "json" {
		if err := a.printJSON(policyDocument{formatVersion, g.operator.File, g.values, listed(problems)}); err != nil {
			return err
		}
		return a.policyVerdict(problems)
	}
	a.showProblems(project, problems)
	table := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	for _, v := range g.values {
		fmt.Fprintf(table, "%s\t%s\t%s\n", v.Name, diag.Printable(v.Value), v.Origin)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	return a.policyVerdict(problems)
}

func (a *app) policyVerdict(problems []diag.Problem) error {
	if !diag.HasErrors(problems) {
		return nil
	}
	return exitWith(exitInvalid, counted(problems))
}

// serviceValues are where the service and its key are. The key itself is never
// read for this.
func (a *app) serviceValues(project sources.Project, g governed) []policyValue {
	values := []policyValue{{Name: "base_url", Value: "none", Origin: "default"},
		{Name: "credentials", Value: "none", Origin: "default"}}
	if base := a.env(envBaseURL); base != "" {
		values[0] = policyValue{Name: "base_url", Value: hostOf(base), Origin: envBaseURL}
	} else if g.operator.BaseURL.Value != "" {
		values[0] = policyValue{
			Name: "base_url", Value: hostOf(g.operator.BaseURL.Value), Origin: g.origin(g.operator.BaseURL.Position),
		}
	} else if s := a.serviceOf(project); s != nil {
		values[0] = policyValue{Name: "base_url", Value: s.Address, Origin: g.origin(project.ServiceAt())}
	}
	for _, name := range []string{envKeyCommand, envKeyFile, envKey} {
		if a.env(name) != "" {
			values[1] = policyValue{Name: "credentials", Value: "set, not shown", Origin: name}
		}
	}
	if k := g.operator.Key; values[1].Origin == "default" && k.From != "" {
		shown := k.From + " " + k.Value
		if k.From == "command" {
			shown = "a command, not shown" // it may hold a secret
		}
		values[1] = policyValue{Name: "credentials", Value: shown, Origin: g.origin(k.Position)}
	}
	return values
}

// hostOf is an address without what may be a password.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "not an address"
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}
