package files

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/runs"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/sources/workbook"

	"github.com/spf13/cobra"
)

// convertFlags are those of convert.
type convertFlags struct {
	to, out string
	force   bool
}

// formats are what convert writes, by the word of --to, with the ends of their
// files' names.
var formats = map[string][]string{"yaml": {".yaml", ".yml"}, "xlsx": {".xlsx"}, "csv": {".csv"}, "json": {".json"}}

// Convert returns the command adsync convert.
func Convert(env *session.Env) *cobra.Command {
	var f convertFlags
	c := &cobra.Command{
		Use:   "convert --to yaml|xlsx|csv|json [FOLDER]",
		Short: "Write what the files say in another format",
		Long: `Write what the files of a project say in another format, nothing lost: what would
be written is read again first, and where that does not give the same resources,
ids and attributes, nothing is written and the attribute is named. Defaults,
templates and hint lists are resolved.

--out is a file, or for YAML and CSV a folder: YAML gets a file for each campaign,
CSV one for each sheet. A YAML file may have 1 MiB, so that a large account needs
the folder. Pictures that lie in a workbook become files in images/ beside the
new ones. Paths of images and members files lead on to the files they name; where
the new files stand outside the project's folder, images are copied there.

JSON is for programs of your own, with money in micros; adsync does not read it.`,
		Example: `  adsync convert --to xlsx --out all.xlsx
  adsync convert --to json`,
		RunE: func(c *cobra.Command, args []string) error { return runConvert(env, c, args, f) },
	}
	c.Flags().StringVar(&f.to, "to", "", "format: yaml, xlsx, csv or json")
	c.Flags().StringVar(&f.out, "out", "", "file to write, or for yaml and csv a folder (default: standard output)")
	console.ForceFlag(c, &f.force)
	console.Completes(c, "to", "yaml", "xlsx", "csv", "json")
	return c
}

func runConvert(env *session.Env, c *cobra.Command, args []string, f convertFlags) error {
	dir, err := console.Folder(c, args)
	if err != nil {
		return err
	}
	if formats[f.to] == nil {
		return console.Usage(c, fmt.Errorf("--to is %q; want yaml, xlsx, csv or json", f.to))
	}
	env.Flags.Output = f.to
	if f.to == "xlsx" && f.out == "" && console.IsTerminal(env.Out) {
		return console.Usage(c, fmt.Errorf("a workbook does not belong on a terminal; use --out FILE"))
	}
	env.DraftsCount = true
	l := session.Load(c.Context(), env, dir)
	if f.to == "json" {
		return convertJSON(env, c, l, outFile(f.out, f.force))
	}
	if err := session.Invalid(env, l, l.Desired.Problems); err != nil {
		return err
	}
	to, err := destinationOf(l, f)
	if err != nil {
		return err
	}
	return convertSources(env, c, l, f, to)
}

// convertSources makes the new files, holds them against the ones they are made
// of, and writes them.
func convertSources(env *session.Env, c *cobra.Command, l session.Loaded, f convertFlags, to destination) error {
	snapshot, beside, err := to.bring(l)
	if err != nil {
		return console.ExitWith(console.ExitInvalid, err.Error())
	}
	if f.out == "" && len(beside) > 0 {
		return console.Usage(c, fmt.Errorf("%s would be written beside the new file; use --out",
			diag.Plural(len(beside), "picture")))
	}
	contents, err := written(l, f, to, snapshot)
	if err != nil {
		return console.ExitWith(console.ExitInvalid, fmt.Sprintf("%v; nothing was written", err))
	}
	if err := to.refuseSources(l, contents); err != nil {
		return err
	}
	fresh, err := to.write(beside)
	if err != nil {
		return err
	}
	if err := to.holds(c.Context(), l, contents); err != nil {
		to.remove(fresh)
		return console.ExitWith(console.ExitInvalid,
			fmt.Sprintf("%s cannot say it all: %v; nothing was written", f.to, err))
	}
	if f.out == "" {
		_, err := env.Out.Write(contents[to.name("")])
		return err
	}
	if _, err := to.write(contents); err != nil {
		return err
	}
	env.Note("%s in %s, read again and the same", diag.Plural(l.Desired.Snapshot.Len(), "resource"),
		diag.Plural(len(contents), "file"))
	if to.inside {
		env.Note("the new files stand in the project's " +
			"folder beside the ones they were made of; keep one of them, as nothing may be said twice")
	}
	return nil
}

// written returns the content of the new files by their slash paths.
func written(l session.Loaded, f convertFlags, to destination, s *resource.Snapshot) (map[string][]byte, error) {
	env, err := l.Project.Env()
	if err != nil {
		return nil, err
	}
	one := func(write func(io.Writer) error) (map[string][]byte, error) {
		var content bytes.Buffer
		err := write(&content)
		return map[string][]byte{to.name(""): content.Bytes()}, err
	}
	var files map[string][]byte
	switch {
	case f.to == "xlsx":
		return one(func(w io.Writer) error { return workbook.WriteWorkbook(w, l.Schemas, s, l.Project.Account) })
	case f.to == "yaml" && to.file != "":
		return one(func(w io.Writer) error { return oneYAML(l, s, env, w) })
	case f.to == "yaml":
		files, err = workbook.YAMLFiles(l.Project, l.Schemas, s, env)
	case to.file != "":
		return one(func(w io.Writer) error { return workbook.WriteCSV(w, l.Schemas, s, l.Project.Account) })
	default:
		files, err = workbook.WriteCSVFiles(l.Schemas, s, l.Project.Account)
	}
	placed := map[string][]byte{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		placed[to.name(name)] = files[name]
	}
	return placed, err
}

// convertJSON prints the snapshot and the problems, whatever there is of both.
func convertJSON(env *session.Env, c *cobra.Command, l session.Loaded, out console.NewFile) error {
	document := runs.SnapshotDocument{
		FormatVersion: console.FormatVersion, Resources: []runs.ResourceDocument{},
		Problems: session.Listed(l.Desired.Problems),
	}
	for r := range l.Desired.Snapshot.All() {
		document.Resources = append(document.Resources,
			runs.ResourceDocument{
				Address: r.Address.String(), Kind: r.Address.Kind,
				ID: r.ID, Attributes: runs.Nested(r.Attributes), Position: r.Position,
			})
	}
	if err := writeOut(env, c, out, func(w io.Writer) error { return console.WriteJSON(w, document) }); err != nil {
		return err
	}
	env.Flags.Output = "text"
	return session.Invalid(env, l, l.Desired.Problems)
}

func isFormat(out, to string) bool { return slices.Contains(formats[to], filepath.Ext(out)) }
