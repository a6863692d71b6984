package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/reconcile"
	"adsync/sources"
	"adsync/state"

	"github.com/spf13/cobra"
)

// importFlags are those of import.
type importFlags struct {
	out      string
	campaign []string
}

func (a *app) importing() *cobra.Command {
	var f importFlags
	c := &cobra.Command{
		Use:   "import [FOLDER]",
		Short: "Write files for what is live and not managed yet, and manage it from now on",
		Long: `Write files for everything in the account that neither the files nor adsync's
record have yet, and record which resource each row is, so that the next plan is
empty. Nothing is changed at the service, and no file that is there is changed:
what is imported goes into new files.

YAML goes into a file a campaign, or into the one file --out names; a workbook or
CSV files with -o xlsx or -o csv. --campaign takes those whose key, name or id
fits, with all that is beneath them; a star stands for any text.`,
		RunE: func(c *cobra.Command, args []string) error { return a.runImport(c, args, f) },
	}
	c.Flags().StringVar(&f.out, "out",
		"", "new file, or a folder for several, in the project's folder (default: the folder itself, imported.xlsx)")
	c.Flags().StringArrayVar(&f.campaign, "campaign",
		nil, "only campaigns with this key, name or id, such as 'Spring*' (repeatable)")
	a.outputs(c, "yaml", "xlsx", "csv")
	return c
}

func (a *app) runImport(c *cobra.Command, args []string, f importFlags) error {
	dir, err := folder(c, args)
	if err != nil {
		return err
	}
	l := a.load(c.Context(), dir)
	// the files come now
	l.desired.Problems = slices.DeleteFunc(l.desired.Problems, func(p diag.Problem) bool {
		return p.Code == diag.NoSources
	})
	if err := a.invalid(l, l.desired.Problems); err != nil {
		return err
	}
	s, err := a.recording(c.Context(), l)
	if err != nil {
		return err
	}
	defer s.end()
	found, err := s.agent.Import(c.Context(), l.desired.Snapshot)
	a.clearLine()
	if err != nil {
		return err
	}
	if len(f.campaign) > 0 {
		if unused := found.Only(l.schemas, f.campaign); len(unused) > 0 {
			return usage(c, fmt.Errorf("--campaign %s fits nothing that is live and not managed",
				strings.Join(unused, ", ")))
		}
	}
	found.NameByKeys(l.schemas)
	return a.imported(c, l, f, s, found)
}

// imported writes the files of an import, and then the record. Killed between
// the two it leaves files with ids, which adopt takes.
func (a *app) imported(c *cobra.Command, l loaded, f importFlags, s *session, found *reconcile.Import) error {
	a.noteLeftOut(found)
	a.noteUnlisted(s)
	if found.Snapshot.Len() == 0 {
		a.note("nothing to import: %s managed already", pluralAre(found.Managed, "resource"))
		return nil
	}
	l.project.Account = sources.Account{
		ID: s.agent.Account.ID, Currency: s.agent.Account.Currency, TimeZone: s.agent.Account.TimeZone,
	}
	to, err := importDestination(l, f, a.flags.output)
	if err != nil {
		return err
	}
	contents, err := importContents(l, a.flags.output, to, found.Snapshot, s)
	if err != nil {
		return exitWith(exitInvalid, fmt.Sprintf("%v; nothing was written", err))
	}
	applied, err := a.agreeing(c.Context(), l, found, contents)
	if err != nil {
		return err
	}
	if _, err := to.write(contents); err != nil {
		return err
	}
	if err := s.store.Record(c.Context(), applied); err != nil {
		return fmt.Errorf("record what was imported (the files are written; adsync adopt --all records it): %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(contents)) {
		fmt.Fprintln(a.out, nameOf(filepath.Join(to.root, filepath.FromSlash(name))))
	}
	a.note("imported %s into %s; nothing was changed at the service",
		plural(len(applied), "resource"), plural(len(contents), "new file"))
	return nil
}

// noteUnlisted says of what an export or import cannot see all.
func (a *app) noteUnlisted(s *session) {
	for _, text := range s.agent.UnlistedNotes() {
		a.note("%s", text)
	}
}

func (a *app) noteLeftOut(found *reconcile.Import) {
	for _, u := range found.Unsaid {
		a.note("%s: %s is left out of the files and not managed: %s",
			diag.Printable(u.Address.String()), u.Attribute, diag.Printable(u.Why))
	}
	if n := len(found.Waiting); n > 0 {
		a.note("%s beneath what the files name and adsync does not manage yet, such as %s; run adsync "+
			"adopt --all, then import again", pluralAre(n, "resource"), diag.Printable(found.Waiting[0].String()))
	}
}

// agreeing reads the new files with those that are there, and gives what is to
// be recorded. Files with a problem, and files that would say something else
// than what is live, are not written.
func (a *app) agreeing(ctx context.Context, l loaded,
	found *reconcile.Import, contents map[string][]byte) ([]state.Applied, error) {
	again, err := l.project.Joined(ctx, schemas(), contents)
	if err != nil {
		return nil, configuration("--out: %v", err)
	}
	if diag.HasErrors(again.Problems) {
		a.showProblems(l.project, again.Problems)
		return nil, exitWith(exitInvalid,
			fmt.Sprintf("the new files would have %s; nothing was written", counted(again.Problems)))
	}
	applied, err := found.Agreeing(l.schemas, again.Snapshot)
	if err != nil {
		return nil, exitWith(exitInvalid, fmt.Sprintf("%v; nothing was written", err))
	}
	return applied, nil
}

// importDestination is where new files go: always in the project's folder.
func importDestination(l loaded, f importFlags, format string) (destination, error) {
	to := destination{root: l.project.Root, folder: ".", ends: formats[format][0], inside: true}
	if f.out == "" {
		if format == "xlsx" {
			to.file = "imported.xlsx"
		}
		return to, nil
	}
	to, err := destinationOf(l, convertFlags{to: format, out: f.out})
	switch {
	case err != nil:
		return to, err
	case !to.inside:
		return to, configuration("--out is %s; want a place in the project's folder, where its sources are",
			diag.Printable(f.out))
	case to.file != "":
		if _, err := os.Lstat(filepath.Join(to.root, filepath.FromSlash(to.name("")))); !errors.Is(err,
			os.ErrNotExist) {
			return to, configuration("--out is %s, which is there already; want a new file", diag.Printable(f.out))
		}
	}
	return to, nil
}

// importContents makes the new files, none under a name that is there.
func importContents(l loaded, format string, to destination,
	s *resource.Snapshot, at *session) (map[string][]byte, error) {
	var contents map[string][]byte
	var err error
	if format == "xlsx" {
		var book strings.Builder
		err = sources.WriteExport(&book, l.schemas, s, sources.Export{Account: l.project.Account, At: at.agent.Now()})
		contents = map[string][]byte{to.name(""): []byte(book.String())}
	} else {
		contents, err = written(l, convertFlags{to: format}, to, s)
	}
	if err != nil {
		return nil, err
	}
	fresh := map[string][]byte{}
	for name, content := range contents {
		fresh[freeName(to.root, name)] = content
	}
	return fresh, nil
}

// freeName gives the name, or the first of name-2, name-3 and so on that is not
// there.
func freeName(root, name string) string {
	ends := path.Ext(name)
	free := name
	for n := 2; ; n++ {
		if _, err := os.Lstat(filepath.Join(root, filepath.FromSlash(free))); errors.Is(err, os.ErrNotExist) {
			return free
		}
		free = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(name, ends), n, ends)
	}
}

// recording connects for reading the service and writing adsync's own record:
// the client of such a session cannot send a mutation. A record that an apply
// left in the middle is that apply's to finish.
func (a *app) recording(ctx context.Context, l loaded) (*session, error) {
	s := &session{}
	if err := a.openAs(ctx, s, l, false, true); err != nil {
		s.end()
		return nil, err
	}
	steps, err := s.store.Open(ctx)
	if err == nil && len(steps) > 0 {
		err = exitWith(exitRefused, fmt.Sprintf("%s open from an apply "+
			"that did not end; run adsync apply first: it finds out what became of it", pluralAre(len(steps), "step")))
	}
	if err != nil {
		s.end()
		return nil, err
	}
	return s, nil
}
