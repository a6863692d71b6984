package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"adsync/internal/resource"
	"adsync/sources"

	"github.com/spf13/cobra"
)

// exportFlags are those of export.
type exportFlags struct {
	out        string
	figures    string
	force      bool
	update     string
	addColumns bool
}

func (a *app) export() *cobra.Command {
	var f exportFlags
	c := &cobra.Command{
		Use:   "export [FOLDER]",
		Short: "Write the live account as YAML, as a workbook or as CSV",
		Long: `Write the live account as YAML, as a workbook or as CSV.

With --update it writes into a workbook of your own what the service knows of its
rows: ids where their cells are blank, Review, Serving issues and their like, and
figures. It fills the columns that are there (--add-columns adds the others at
the right end of the header) and changes no other cell. The former file stays
beside it.`,
		RunE: func(c *cobra.Command, args []string) error { return a.runExport(c, args, f) },
	}
	c.Flags().StringVar(&f.out, "out", "",
		"file to write, or a folder: of one YAML file a campaign, of one CSV file a sheet (default: standard output)")
	c.Flags().StringVar(&f.figures, "figures", "",
		"figures to add, such as 7d,30d, yesterday or 2026-11-01..2026-11-15: whole days in the account's time zone")
	c.Flags().StringVar(&f.update, "update", "", "workbook of your own to write ids, reviews and figures into")
	c.Flags().BoolVar(&f.addColumns, "add-columns", false, "with --update: add the columns the workbook does not have")
	forceFlag(c, &f.force)
	a.outputs(c, "yaml", "xlsx", "csv")
	return c
}

func (a *app) runExport(c *cobra.Command, args []string, f exportFlags) error {
	if f.update != "" {
		return a.runUpdate(c, args, f)
	}
	if f.addColumns {
		return usage(c, errors.New("--add-columns goes with --update"))
	}
	dir, err := folder(c, args)
	if err != nil {
		return err
	}
	if f.figures != "" && a.flags.output != "xlsx" {
		return usage(c, fmt.Errorf("figures go into a workbook; use -o xlsx"))
	}
	if f.out != "" && isFormat(f.out, a.flags.output) && !isFolder(f.out) { // said before anything long begins
		if err := outFile(f.out, f.force).free(); err != nil {
			return err
		}
	}
	project, problems := a.readProject(dir)
	l := loaded{project: project, schemas: schemas()}
	if err := a.invalid(l, problems); err != nil {
		return err
	}
	s, err := a.connect(c.Context(), l, true)
	if err != nil {
		return err
	}
	defer s.end()
	live, about, err := a.exported(c, s, f.figures)
	if err != nil {
		return err
	}
	if err := a.writeExport(c, l, live, about, s.agent.Zone, f); err != nil {
		return err
	}
	a.noteUnlisted(s)
	a.note("exported %s", plural(live.Len(), "resource"))
	return nil
}

func (a *app) writeExport(c *cobra.Command, l loaded,
	live *resource.Snapshot, about sources.Export, zone *time.Location, f exportFlags) error {
	switch a.flags.output {
	case "csv":
		return a.exportCSV(c, l.schemas, live, about.Account, f)
	case "yaml":
		return a.exportYAML(c, l, live, resource.Env{Currency: about.Account.Currency, Zone: zone}, f)
	}
	return a.writeOut(c, outFile(f.out, f.force), func(w io.Writer) error {
		return sources.WriteExport(w, l.schemas, live, about)
	})
}

// exported reads the account, and the figures that are asked for. What the
// figures are to be is judged before anything long begins.
func (a *app) exported(c *cobra.Command, s *session, of string) (*resource.Snapshot, sources.Export, error) {
	var windows []resource.Window
	if of != "" {
		now, err := s.agent.Present(c.Context())
		if err != nil {
			return nil, sources.Export{}, err
		}
		if windows, err = resource.ParseWindows(of, now); err != nil {
			return nil, sources.Export{}, usage(c, fmt.Errorf("--figures: %w", err))
		}
	}
	live, err := s.agent.Export(c.Context())
	if err != nil {
		return nil, sources.Export{}, err
	}
	about := sources.Export{
		Account: sources.Account{
			ID: s.agent.Account.ID, Currency: s.agent.Account.Currency, TimeZone: s.agent.Account.TimeZone,
		},
		At: s.agent.Now(),
	}
	about.Figures, err = figures(c.Context(), s, windows)
	return live, about, err
}

// figures are nil where no window is asked for.
func figures(ctx context.Context, s *session, windows []resource.Window) (*resource.Figures, error) {
	if len(windows) == 0 {
		return nil, nil
	}
	return s.agent.Figures(ctx, windows)
}

// outFile is the file that --out names.
func outFile(name string, force bool) newFile {
	return newFile{flag: "--out", name: name, force: force}
}

// writeOut writes to a file, or without a name to standard output, but never a
// workbook to a terminal.
func (a *app) writeOut(c *cobra.Command, out newFile, write func(io.Writer) error) error {
	if out.name != "" {
		return out.write(write)
	}
	if a.flags.output == "xlsx" && isTerminal(a.out) {
		return usage(c, fmt.Errorf("a workbook does not belong on a terminal; use --out FILE"))
	}
	return write(a.out)
}
