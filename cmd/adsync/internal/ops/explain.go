package ops

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/plan"

	"github.com/spf13/cobra"
)

// Explain returns the command adsync explain.
func Explain(env *session.Env) *cobra.Command {
	var live bool
	c := &cobra.Command{
		Use:   "explain [CODE|HOLD|HEADER|columns|ADDRESS] [FOLDER]",
		Short: "Say what a code or a hold means and what to do, or why a resource is as it is",
		Long: `Say what a code such as ADS1004 means, or the word of a hold such as drift, why it
comes, what to do, with an example; without an argument, all of them in a line each.

With a header such as "Max CPC": which column of which sheet it is read as, or why it
is not; with the word columns, all that the columns are also read under.

With an address such as campaign/spring: where it is written, what adsync has
recorded of it, which run changed it last, and whether it is held, refused or
unknown. The service is not asked, unless --live has it show what it holds.`,
		Example: `  adsync explain ADS1004
  adsync explain drift
  adsync explain 'Max CPC'
  adsync explain --live campaign/spring-launch`,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return explainAll(env)
			}
			if address, ok := resource.ParseAddress(args[0]); ok && session.Schemas().Of(address.Kind) != nil {
				dir, err := console.Folder(c, args[1:])
				if err != nil {
					return err
				}
				return explainAddress(c.Context(), env, address, dir, live)
			}
			if len(args) > 1 || live {
				return console.Usage(c, errors.New("want a code, "+
					"the word of a hold, or an address such as campaign/spring and a folder"))
			}
			if strings.EqualFold(args[0], "columns") {
				return explainColumns(env)
			}
			return explainWord(env, args[0])
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return append(append(codeNames(), hazardNames()...), "columns"), cobra.ShellCompDirectiveNoFileComp
		},
	}
	c.Flags().BoolVar(&live, "live", false, "of an address, also ask the service what it holds")
	env.Outputs(c, "text", "json")
	return c
}

// ExplainDocuments are the JSON forms of explain.
var ExplainDocuments = []any{explanations{}, explanation{}, explainedHeader{}, columnsDocument{}, explainedDocument{}}

type explanations struct {
	FormatVersion int                   `json:"format_version"`
	Codes         []explanationDocument `json:"codes"`
	Holds         []explanationDocument `json:"holds"`
}

type explanation struct {
	FormatVersion int `json:"format_version"`
	explanationDocument
}

type explainedHeader struct {
	FormatVersion int      `json:"format_version"`
	Header        string   `json:"header"`
	Means         []string `json:"means"`
}

// explanationDocument is the JSON form of what a code, or the word of a hold, means.
type explanationDocument struct {
	Code    string `json:"code"`
	Means   string `json:"means"`
	Why     string `json:"why"`
	Do      string `json:"do"`
	Example string `json:"example"`
}

func explainedCode(e diag.Explanation) explanationDocument {
	return explanationDocument{string(e.Code), e.Means, e.Why, e.Do, e.Example}
}

func explainedHazard(e plan.Explanation) explanationDocument {
	return explanationDocument{string(e.Hazard), e.Means, e.Why, e.Do, e.Example}
}

func explainAll(env *session.Env) error {
	codes, holds := []explanationDocument{}, []explanationDocument{}
	for _, e := range diag.Explanations() {
		codes = append(codes, explainedCode(e))
	}
	for _, e := range plan.Explanations() {
		holds = append(holds, explainedHazard(e))
	}
	if env.Flags.Output == "json" {
		return env.PrintJSON(explanations{console.FormatVersion, codes, holds})
	}
	for _, e := range append(codes, holds...) {
		if _, err := fmt.Fprintf(env.Out, "%-16s %s\n", e.Code, e.Means); err != nil {
			return err
		}
	}
	return nil
}

func codeNames() []string {
	var names []string
	for _, e := range diag.Explanations() {
		names = append(names, string(e.Code))
	}
	return names
}

func hazardNames() []string {
	var names []string
	for _, e := range plan.Explanations() {
		names = append(names, string(e.Hazard))
	}
	return names
}

// explainWord takes the word of a hold, or a code in any case, with or without its
// letters.
func explainWord(env *session.Env, text string) error {
	if e, known := plan.Explain(plan.Hazard(strings.ToLower(text))); known {
		return printExplanation(env, explainedHazard(e))
	}
	code := strings.ToUpper(text)
	if !strings.HasPrefix(code, "ADS") {
		code = "ADS" + code
	}
	e, known := diag.Explain(diag.Code(code))
	if !known {
		if header, err := explainHeader(env, text); header {
			return err
		}
		said := fmt.Sprintf("%q is no code, no hold, no header and no address", text)
		if near := cmp.Or(diag.DidYouMean(strings.ToLower(text), hazardNames()),
			diag.DidYouMean(code, codeNames())); near != "" {
			said += "; " + near
		}
		return console.Configuration("%s; adsync explain lists them all", said)
	}
	return printExplanation(env, explainedCode(e))
}

func printExplanation(env *session.Env, e explanationDocument) error {
	if env.Flags.Output == "json" {
		return env.PrintJSON(explanation{console.FormatVersion, e})
	}
	_, err := fmt.Fprintf(env.Out, "%s: %s\n\n%s\n\nWhat to do: %s\n\nFor example:\n  %s\n",
		e.Code, e.Means, e.Why, e.Do, e.Example)
	return err
}
