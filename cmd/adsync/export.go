package main

import (
	"fmt"
	"io"

	"adsync/internal/resource"
	"adsync/sources"

	"github.com/spf13/cobra"
)

func (a *app) export() *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "export [FOLDER]",
		Short: "Write the live account as YAML or as a workbook",
		RunE:  func(c *cobra.Command, args []string) error { return a.runExport(c, args, out) },
	}
	c.Flags().StringVar(&out, "out", "", "file to write (default: standard output)")
	a.outputs(c, "yaml", "xlsx")
	return c
}

func (a *app) runExport(c *cobra.Command, args []string, out string) error {
	dir, err := folder(c, args)
	if err != nil {
		return err
	}
	project, problems := a.readProject(dir)
	l := loaded{project: project, schemas: schemas().Routed()}
	if err := a.invalid(l, problems); err != nil {
		return err
	}
	s, err := a.connect(c.Context(), l, true)
	if err != nil {
		return err
	}
	defer s.end()
	live, err := s.agent.Export(c.Context())
	if err != nil {
		return err
	}
	env := resource.Env{Currency: s.agent.Account.Currency, Zone: s.agent.Zone}
	account := sources.Account{ID: s.agent.Account.ID, Currency: s.agent.Account.Currency, TimeZone: s.agent.Account.TimeZone}
	if err := a.writeOut(c, out, func(w io.Writer) error {
		if a.flags.output == "xlsx" {
			return sources.WriteWorkbook(w, l.schemas, live, account)
		}
		return sources.WriteYAML(w, l.schemas, live, env)
	}); err != nil {
		return err
	}
	a.note("exported %s", plural(live.Len(), "resource"))
	return nil
}

// writeOut writes to a file, or to standard output, but never a workbook to a
// terminal.
func (a *app) writeOut(c *cobra.Command, out string, write func(io.Writer) error) error {
	if out != "" {
		if err := writeFile(out, write); err != nil {
			return configuration("--out: %v", err)
		}
		return nil
	}
	if a.flags.output == "xlsx" && isTerminal(a.out) {
		return usage(c, fmt.Errorf("a workbook does not belong on a terminal; use --out FILE"))
	}
	return write(a.out)
}
