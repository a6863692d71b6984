package main

import (
	"errors"
	"fmt"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"

	"github.com/spf13/cobra"
)

func (a *app) explain() *cobra.Command {
	var live bool
	c := &cobra.Command{
		Use:   "explain [CODE|ADDRESS] [FOLDER]",
		Short: "Say what a code means and what to do, or why a resource is as it is",
		Long: `Say what a code such as ADS1004 means, why it comes, what to do, with an example;
without an argument, all of them in a line each.

With an address such as campaign/spring: where it is written, what adsync has
recorded of it, which run changed it last, and whether it is held, refused or
unknown. The service is not asked, unless --live has it show what it holds.`,
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return a.explainAll()
			}
			if address, ok := resource.ParseAddress(args[0]); ok && schemas().Of(address.Kind) != nil {
				dir, err := folder(c, args[1:])
				if err != nil {
					return err
				}
				return a.explainAddress(c.Context(), address, dir, live)
			}
			if len(args) > 1 || live {
				return usage(c, errors.New("want a code, or an address such as campaign/spring and a folder"))
			}
			return a.explainCode(args[0])
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return codeNames(), cobra.ShellCompDirectiveNoFileComp
		},
	}
	c.Flags().BoolVar(&live, "live", false, "of an address, also ask the service what it holds")
	a.outputs(c, "text", "json")
	return c
}

// explanationDocument is the JSON form of what a code means.
type explanationDocument struct {
	Code    diag.Code `json:"code"`
	Means   string    `json:"means"`
	Why     string    `json:"why"`
	Do      string    `json:"do"`
	Example string    `json:"example"`
}

func (a *app) explainAll() error {
	all := diag.Explanations()
	if a.flags.output == "json" {
		documents := []explanationDocument{}
		for _, e := range all {
			documents = append(documents, explanationDocument(e))
		}
		return a.printJSON(struct {
			FormatVersion int                   `json:"format_version"`
			Codes         []explanationDocument `json:"codes"`
		}{formatVersion, documents})
	}
	for _, e := range all {
		if _, err := fmt.Fprintf(a.out, "%s  %s\n", e.Code, e.Means); err != nil {
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

// explainCode takes a code in any case, with or without its letters.
func (a *app) explainCode(text string) error {
	code := strings.ToUpper(text)
	if !strings.HasPrefix(code, "ADS") {
		code = "ADS" + code
	}
	e, known := diag.Explain(diag.Code(code))
	if !known {
		said := fmt.Sprintf("%q is no code and no address", text)
		if near := diag.DidYouMean(code, codeNames()); near != "" {
			said += "; " + near
		}
		return configuration("%s; adsync explain lists the codes", said)
	}
	if a.flags.output == "json" {
		return a.printJSON(struct {
			FormatVersion int `json:"format_version"`
			explanationDocument
		}{formatVersion, explanationDocument(e)})
	}
	_, err := fmt.Fprintf(a.out, "%s: %s\n\n%s\n\nWhat to do: %s\n\nFor example:\n  %s\n", e.Code, e.Means, e.Why, e.Do, e.Example)
	return err
}
