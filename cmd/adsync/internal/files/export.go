package files

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/runs"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/review"
	"adsync/sources/workbook"

	"github.com/spf13/cobra"
)

// exportFlags are those of export.
type exportFlags struct {
	out        string
	figures    []string
	force      bool
	update     string
	addColumns bool
}

// Export returns the command adsync export.
func Export(env *session.Env) *cobra.Command {
	var f exportFlags
	c := &cobra.Command{
		Use:   "export [FOLDER]",
		Short: "Write the live account as YAML, as a workbook or as CSV",
		Long: `Write the live account as YAML, as a workbook or as CSV.

With --update it writes into a workbook of your own what the service knows of its
rows: ids where their cells are blank, Review, Serving issues and their like, and
figures. It fills the columns that are there (--add-columns adds the others at
the right end of the header) and the sheet Performance, which --figures adds, or
its spans, and changes no other cell. The former file stays beside it.`,
		Example: `  adsync export --out live.yaml
  adsync export --update winter.xlsx --figures 7d`,
		RunE: func(c *cobra.Command, args []string) error { return runExport(env, c, args, f) },
	}
	c.Flags().StringVar(&f.out, "out", "",
		"file to write, or a folder: of one YAML file a campaign, of one CSV file a sheet (default: standard output)")
	c.Flags().StringSliceVar(&f.figures, "figures", nil, "figures to add, such as 7d,30d, yesterday, last-week, "+
		"last-month or 2026-11-01..2026-11-15: whole days in the account's time zone")
	c.Flags().StringVar(&f.update, "update", "", "workbook of your own to write ids, reviews and figures into")
	c.Flags().BoolVar(&f.addColumns, "add-columns", false, "with --update: add the columns the workbook does not have")
	console.ForceFlag(c, &f.force)
	env.Outputs(c, "yaml", "xlsx", "csv")
	return c
}

func runExport(env *session.Env, c *cobra.Command, args []string, f exportFlags) error {
	if f.update != "" {
		return runUpdate(env, c, args, f)
	}
	if f.addColumns {
		return console.Usage(c, errors.New("--add-columns goes with --update"))
	}
	dir, err := console.Folder(c, args)
	if err != nil {
		return err
	}
	if len(f.figures) > 0 && env.Flags.Output != "xlsx" {
		return console.Usage(c, fmt.Errorf("figures go into a workbook; use -o xlsx"))
	}
	if f.out != "" && isFormat(f.out, env.Flags.Output) && !runs.IsFolder(f.out) { // said before anything long begins
		if err := outFile(f.out, f.force).Free(); err != nil {
			return err
		}
	}
	project, problems := session.ReadProject(env, dir)
	l := session.Loaded{Project: project, Schemas: session.Schemas()}
	if err := session.Invalid(env, l, problems); err != nil {
		return err
	}
	s, err := session.Connect(c.Context(), env, l, true)
	if err != nil {
		return err
	}
	defer s.End()
	live, about, err := runs.Exported(c, s, strings.Join(f.figures, ","))
	if err != nil {
		return err
	}
	review.InWords(live)
	if err := writeExport(env, c, l, live, about, s.Agent.Zone, f); err != nil {
		return err
	}
	noteUnlisted(env, s)
	env.Note("exported %s", diag.Plural(live.Len(), "resource"))
	return nil
}

func writeExport(env *session.Env, c *cobra.Command, l session.Loaded,
	live *resource.Snapshot, about workbook.Export, zone *time.Location, f exportFlags) error {
	switch env.Flags.Output {
	case "csv":
		return exportCSV(env, c, l.Schemas, live, about.Account, f)
	case "yaml":
		return exportYAML(env, c, l, live, resource.Env{Currency: about.Account.Currency, Zone: zone}, f)
	}
	return writeOut(env, c, outFile(f.out, f.force), func(w io.Writer) error {
		return workbook.WriteExport(w, l.Schemas, live, about)
	})
}

// outFile is the file that --out names.
func outFile(name string, force bool) console.NewFile {
	return console.NewFile{Flag: "--out", Name: name, Force: force}
}

// writeOut writes to a file, or without a name to standard output, but never a
// workbook to a terminal.
func writeOut(env *session.Env, c *cobra.Command, out console.NewFile, write func(io.Writer) error) error {
	if out.Name != "" {
		return out.Write(write)
	}
	if env.Flags.Output == "xlsx" && console.IsTerminal(env.Out) {
		return console.Usage(c, fmt.Errorf("a workbook does not belong on a terminal; use --out FILE"))
	}
	return write(env.Out)
}
