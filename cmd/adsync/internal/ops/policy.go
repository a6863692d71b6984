package ops

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/plan"
	"adsync/sources/config"

	"github.com/spf13/cobra"
)

// Policy shows what holds a plan back, and who says so.
func Policy(env *session.Env) *cobra.Command {
	c := &cobra.Command{
		Use: "policy", Short: "Show the guards of a plan, and where each comes from",
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return console.Usage(c, fmt.Errorf("unknown command %q", args[0]))
			}
			return c.Help()
		},
	}
	var allow []string
	show := &cobra.Command{
		Use: "show [FOLDER]", Short: "Print every value of the policy with its origin",
		Example: `  adsync policy show
  adsync policy show --allow raises-spend=120/day`,
		RunE: func(c *cobra.Command, args []string) error { return showPolicy(env, c, args, allow) },
	}
	show.Flags().StringArrayVar(&allow, "allow", nil,
		"an allowance as apply takes it, to see it beside the others (repeatable)")
	env.Outputs(show, "text", "json")
	c.AddCommand(show)
	return c
}

type PolicyDocument struct {
	FormatVersion int                   `json:"format_version"`
	Operator      string                `json:"operator"` // the operator's file, "" where there is none
	Values        []session.PolicyValue `json:"values"`   // sorted by name
	Problems      []diag.Problem        `json:"problems"`
}

func showPolicy(env *session.Env, c *cobra.Command, args []string, allow []string) error {
	dir, err := console.Folder(c, args)
	if err != nil {
		return err
	}
	project, problems := session.ReadProject(env, dir)
	g := session.Govern(env, project, kinds.All(), time.Now())
	for _, text := range allow {
		if _, err := plan.ParseAllowance(text); err != nil {
			return console.Configuration("--allow: %v", err)
		}
		g.Values = append(g.Values, session.PolicyValue{Name: "allow", Value: text, Origin: "flag"})
	}
	g.Values = append(g.Values, serviceValues(env, project, g)...)
	slices.SortStableFunc(g.Values, func(a, b session.PolicyValue) int { return strings.Compare(a.Name, b.Name) })
	problems = session.OnceEach(problems, g.Problems)
	if env.Flags.Output == "json" {
		if err := env.PrintJSON(PolicyDocument{console.FormatVersion,
			g.Operator.File, g.Values, session.Listed(problems)}); err != nil {
			return err
		}
		return policyVerdict(problems)
	}
	session.ShowProblems(env, project, problems)
	table := tabwriter.NewWriter(env.Out, 0, 0, 2, ' ', 0)
	for _, v := range g.Values {
		fmt.Fprintf(table, "%s\t%s\t%s\n", v.Name, diag.Printable(v.Value), v.Origin)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	return policyVerdict(problems)
}

func policyVerdict(problems []diag.Problem) error {
	if !diag.HasErrors(problems) {
		return nil
	}
	return console.ExitWith(console.ExitInvalid, console.Counted(problems))
}

// serviceValues are where the service and its key are. The key itself is never
// read for this.
func serviceValues(env *session.Env, project config.Project, g session.Governed) []session.PolicyValue {
	values := []session.PolicyValue{{Name: "base_url", Value: "none", Origin: "default"},
		{Name: "credentials", Value: "none", Origin: "default"}}
	if base := env.Getenv(session.EnvBaseURL); base != "" {
		values[0] = session.PolicyValue{Name: "base_url", Value: console.HostOf(base), Origin: session.EnvBaseURL}
	} else if g.Operator.BaseURL.Value != "" {
		values[0] = session.PolicyValue{
			Name: "base_url", Value: console.HostOf(g.Operator.BaseURL.Value),
			Origin: g.Origin(g.Operator.BaseURL.Position),
		}
	} else if s := session.ServiceOf(env, project); s != nil {
		values[0] = session.PolicyValue{Name: "base_url", Value: s.Address, Origin: g.Origin(project.ServiceAt())}
	}
	for _, name := range []string{session.EnvKeyCommand, session.EnvKeyFile, session.EnvKey} {
		if env.Getenv(name) != "" {
			values[1] = session.PolicyValue{Name: "credentials", Value: "set, not shown", Origin: name}
		}
	}
	if k := g.Operator.Key; values[1].Origin == "default" && k.From != "" {
		shown := k.From + " " + k.Value
		if k.From == "command" {
			shown = "a command, not shown" // it may hold a secret
		}
		values[1] = session.PolicyValue{Name: "credentials", Value: shown, Origin: g.Origin(k.Position)}
	}
	return values
}
