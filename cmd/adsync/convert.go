package main

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/sources"

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

func (a *app) convert() *cobra.Command {
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
		RunE: func(c *cobra.Command, args []string) error { return a.runConvert(c, args, f) },
	}
	c.Flags().StringVar(&f.to, "to", "", "format: yaml, xlsx, csv or json")
	c.Flags().StringVar(&f.out, "out", "", "file to write, or for yaml and csv a folder (default: standard output)")
	forceFlag(c, &f.force)
	completes(c, "to", "yaml", "xlsx", "csv", "json")
	return c
}

func (a *app) runConvert(c *cobra.Command, args []string, f convertFlags) error {
	dir, err := folder(c, args)
	if err != nil {
		return err
	}
	if formats[f.to] == nil {
		return usage(c, fmt.Errorf("--to is %q; want yaml, xlsx, csv or json", f.to))
	}
	a.flags.output = f.to
	if f.to == "xlsx" && f.out == "" && isTerminal(a.out) {
		return usage(c, fmt.Errorf("a workbook does not belong on a terminal; use --out FILE"))
	}
	l := a.load(c.Context(), dir)
	if f.to == "json" {
		return a.convertJSON(c, l, outFile(f.out, f.force))
	}
	if err := a.invalid(l, l.desired.Problems); err != nil {
		return err
	}
	to, err := destinationOf(l, f)
	if err != nil {
		return err
	}
	return a.convertSources(c, l, f, to)
}

// convertSources makes the new files, holds them against the ones they are made
// of, and writes them.
func (a *app) convertSources(c *cobra.Command, l loaded, f convertFlags, to destination) error {
	snapshot, beside, err := to.bring(l)
	if err != nil {
		return exitWith(exitInvalid, err.Error())
	}
	if f.out == "" && len(beside) > 0 {
		return usage(c, fmt.Errorf("%s would be written beside the new file; use --out",
			plural(len(beside), "picture")))
	}
	contents, err := written(l, f, to, snapshot)
	if err != nil {
		return exitWith(exitInvalid, fmt.Sprintf("%v; nothing was written", err))
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
		return exitWith(exitInvalid, fmt.Sprintf("%s cannot say it all: %v; nothing was written", f.to, err))
	}
	if f.out == "" {
		_, err := a.out.Write(contents[to.name("")])
		return err
	}
	if _, err := to.write(contents); err != nil {
		return err
	}
	a.note("%s in %s, read again and the same", plural(l.desired.Snapshot.Len(), "resource"),
		plural(len(contents), "file"))
	if to.inside {
		a.note("the new files stand in the project's " +
			"folder beside the ones they were made of; keep one of them, as nothing may be said twice")
	}
	return nil
}

// written gives the content of the new files by their slash paths.
func written(l loaded, f convertFlags, to destination, s *resource.Snapshot) (map[string][]byte, error) {
	env, err := l.project.Env()
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
		return one(func(w io.Writer) error { return sources.WriteWorkbook(w, l.schemas, s, l.project.Account) })
	case f.to == "yaml" && to.file != "":
		return one(func(w io.Writer) error { return oneYAML(l, s, env, w) })
	case f.to == "yaml":
		files, err = l.project.YAMLFiles(l.schemas, s, env)
	case to.file != "":
		return one(func(w io.Writer) error { return sources.WriteCSV(w, l.schemas, s, l.project.Account) })
	default:
		files, err = sources.WriteCSVFiles(l.schemas, s, l.project.Account)
	}
	placed := map[string][]byte{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		placed[to.name(name)] = files[name]
	}
	return placed, err
}

// convertJSON prints the snapshot and the problems, whatever there is of both.
func (a *app) convertJSON(c *cobra.Command, l loaded, out newFile) error {
	document := snapshotDocument{formatVersion, []resourceDocument{}, listed(l.desired.Problems)}
	for r := range l.desired.Snapshot.All() {
		document.Resources = append(document.Resources,
			resourceDocument{r.Address.String(), r.Address.Kind, r.ID, nested(r.Attributes), r.Position})
	}
	if err := a.writeOut(c, out, func(w io.Writer) error { return writeJSON(w, document) }); err != nil {
		return err
	}
	a.flags.output = "text"
	return a.invalid(l, l.desired.Problems)
}

func isFormat(out, to string) bool { return slices.Contains(formats[to], filepath.Ext(out)) }

// nameOf is a path as people see it.
func nameOf(name string) string { return diag.Printable(shorter(name)) }
