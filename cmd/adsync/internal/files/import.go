package files

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

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/runs"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/reconcile"
	"adsync/sources"
	"adsync/sources/config"
	"adsync/sources/workbook"
	"adsync/state"

	"github.com/spf13/cobra"
)

// importFlags are those of import.
type importFlags struct {
	out      string
	campaign []string
}

// Import returns the command adsync import.
func Import(env *session.Env) *cobra.Command {
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
		Example: `  adsync import
  adsync import --campaign 'Winter*' -o xlsx --out imported.xlsx`,
		RunE: func(c *cobra.Command, args []string) error { return runImport(env, c, args, f) },
	}
	c.Flags().StringVar(&f.out, "out",
		"", "new file, or a folder for several, in the project's folder (default: the folder itself, imported.xlsx)")
	c.Flags().StringArrayVar(&f.campaign, "campaign",
		nil, "only campaigns with this key, name or id, such as 'Spring*' (repeatable)")
	env.Outputs(c, "yaml", "xlsx", "csv")
	return c
}

func runImport(env *session.Env, c *cobra.Command, args []string, f importFlags) error {
	dir, err := console.Folder(c, args)
	if err != nil {
		return err
	}
	env.DraftsCount = true
	l := session.Load(c.Context(), env, dir)
	// the files come now
	l.Desired.Problems = slices.DeleteFunc(l.Desired.Problems, func(p diag.Problem) bool {
		return p.Code == diag.NoSources
	})
	if err := session.Invalid(env, l, l.Desired.Problems); err != nil {
		return err
	}
	s, err := runs.Recording(c.Context(), env, l)
	if err != nil {
		return err
	}
	defer s.End()
	found, err := s.Agent.Import(c.Context(), l.Desired.Snapshot)
	env.ClearLine()
	if err != nil {
		return err
	}
	if len(f.campaign) > 0 {
		if unused := found.Only(l.Schemas, f.campaign); len(unused) > 0 {
			return console.Usage(c, fmt.Errorf("--campaign %s fits nothing that is live and not managed",
				strings.Join(unused, ", ")))
		}
	}
	found.NameByKeys(l.Schemas)
	return imported(env, c, l, f, s, found)
}

// imported writes the files of an import, and then the record. Killed between
// the two it leaves files with ids, which adopt takes.
func imported(env *session.Env, c *cobra.Command, l session.Loaded,
	f importFlags, s *session.Session, found *reconcile.Import) error {
	noteLeftOut(env, found)
	noteUnlisted(env, s)
	if found.Snapshot.Len() == 0 {
		env.Note("nothing to import: %s managed already", console.PluralAre(found.Managed, "resource"))
		return nil
	}
	l.Project.Account = config.Account{
		ID: s.Agent.Account.ID, Currency: s.Agent.Account.Currency, TimeZone: s.Agent.Account.TimeZone,
	}
	to, err := importDestination(l, f, env.Flags.Output)
	if err != nil {
		return err
	}
	contents, err := importContents(l, env.Flags.Output, to, found.Snapshot, s)
	if err != nil {
		return console.ExitWith(console.ExitInvalid, fmt.Sprintf("%v; nothing was written", err))
	}
	applied, err := agreeing(c.Context(), env, l, found, contents)
	if err != nil {
		return err
	}
	if _, err := to.write(contents); err != nil {
		return err
	}
	if err := s.Store.Record(c.Context(), applied); err != nil {
		return fmt.Errorf("record what was imported (the files are written; adsync adopt --all records it): %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(contents)) {
		fmt.Fprintln(env.Out, console.NameOf(filepath.Join(to.root, filepath.FromSlash(name))))
	}
	env.Note("imported %s into %s; nothing was changed at the service",
		diag.Plural(len(applied), "resource"), diag.Plural(len(contents), "new file"))
	return nil
}

// noteUnlisted says of what an export or import cannot see all.
func noteUnlisted(env *session.Env, s *session.Session) {
	for _, text := range s.Agent.UnlistedNotes() {
		env.Note("%s", text)
	}
}

func noteLeftOut(env *session.Env, found *reconcile.Import) {
	for _, u := range found.Unsaid {
		env.Note("%s: %s is left out of the files and not managed: %s",
			diag.Printable(u.Address.String()), u.Attribute, diag.Printable(u.Why))
	}
	if n := len(found.Waiting); n > 0 {
		env.Note("%s beneath what the files name and adsync does not manage yet, such as %s; run adsync "+
			"adopt --all, then import again", console.PluralAre(n, "resource"),
			diag.Printable(found.Waiting[0].String()))
	}
}

// agreeing reads the new files with those that are there, and gives what is to
// be recorded. Files with a problem, and files that would say something else
// than what is live, are not written.
func agreeing(ctx context.Context, env *session.Env, l session.Loaded,
	found *reconcile.Import, contents map[string][]byte) ([]state.Applied, error) {
	again, err := sources.LoadJoined(l.Project, ctx, session.Schemas(), contents)
	if err != nil {
		return nil, console.Configuration("--out: %v", err)
	}
	if diag.HasErrors(again.Problems) {
		session.ShowProblems(env, l.Project, again.Problems)
		return nil, console.ExitWith(console.ExitInvalid,
			fmt.Sprintf("the new files would have %s; nothing was written", console.Counted(again.Problems)))
	}
	applied, err := found.Agreeing(l.Schemas, again.Snapshot)
	if err != nil {
		return nil, console.ExitWith(console.ExitInvalid, fmt.Sprintf("%v; nothing was written", err))
	}
	return applied, nil
}

// importDestination is where new files go: always in the project's folder.
func importDestination(l session.Loaded, f importFlags, format string) (destination, error) {
	to := destination{root: l.Project.Root, folder: ".", ends: formats[format][0], inside: true}
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
		return to, console.Configuration("--out is %s; want a place in the project's folder, where its sources are",
			diag.Printable(f.out))
	case to.file != "":
		if _, err := os.Lstat(filepath.Join(to.root, filepath.FromSlash(to.name("")))); !errors.Is(err,
			os.ErrNotExist) {
			return to, console.Configuration("--out is %s, which is there already; want a new file",
				diag.Printable(f.out))
		}
	}
	return to, nil
}

// importContents makes the new files, none under a name that is there.
func importContents(l session.Loaded, format string, to destination,
	s *resource.Snapshot, at *session.Session) (map[string][]byte, error) {
	var contents map[string][]byte
	var err error
	if format == "xlsx" {
		var book strings.Builder
		err = workbook.WriteExport(&book, l.Schemas, s, workbook.Export{Account: l.Project.Account, At: at.Agent.Now()})
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

// freeName returns the name, or the first of name-2, name-3 and so on that is not
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
