package files

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/sources/diff"
	"adsync/sources/tree"

	"github.com/google/renameio/v2"
	"github.com/spf13/cobra"
)

// exitConflict is what git expects of a merge driver that could not merge all.
const exitConflict = 1

// mergeFlags are those of merge.
type mergeFlags struct {
	path, out string
	force     bool
}

// Merge returns the command adsync merge.
func Merge(env *session.Env) *cobra.Command {
	var f mergeFlags
	c := &cobra.Command{
		Use:   "merge BASE OURS THEIRS",
		Short: "Merge two versions of a workbook cell by cell, as git's merge driver",
		Long: "merge puts into OURS what THEIRS " +
			"changed since BASE, cell by cell, and leaves all else of OURS as it is. As git's merge driver:\n" +
			"    git config merge.adsync.driver 'adsync merge %O %A %B --path %P'\n" +
			"    echo '*.xlsx merge=adsync' >> .gitattributes\n" +
			"What both changed differently stays as OURS has it, is listed, and ends with exit code 1.",
		Example: `  adsync merge former.xlsx winter.xlsx theirs.xlsx`,
		RunE:    func(c *cobra.Command, args []string) error { return runMerge(env, c, args, f) },
	}
	c.Flags().StringVar(&f.path, "path", "", "name of the file that is merged, for messages (default OURS)")
	c.Flags().StringVarP(&f.out, "out", "o", "", "file for the result (default OURS)")
	console.ForceFlag(c, &f.force)
	return c
}

func runMerge(env *session.Env, c *cobra.Command, args []string, f mergeFlags) error {
	if len(args) != 3 {
		return console.Usage(c, fmt.Errorf("%d arguments; want BASE, OURS and THEIRS", len(args)))
	}
	name := cmp.Or(f.path, args[1])
	if !strings.EqualFold(filepath.Ext(name), ".xlsx") {
		return console.Usage(c, fmt.Errorf("%q is no workbook; want one named .xlsx, as git merges text itself", name))
	}
	if f.out != "" && filepath.Clean(f.out) != filepath.Clean(args[1]) {
		if err := outFile(f.out, f.force).Free(); err != nil {
			return err
		}
	}
	if lock := tree.LockFile(args[1]); lock != "" {
		return console.Configuration("%s is open in an editor (%s is there); want it closed",
			console.NameOf(args[1]), console.NameOf(lock))
	}
	var versions [3][]byte
	for i, file := range args {
		content, err := readRegularFile(file)
		if err != nil {
			return console.Configuration("%s", diag.Printable(err.Error()))
		}
		versions[i] = content
	}
	// its problems are those of its file
	project, _ := session.ReadProject(env, session.ProjectFolder(filepath.Dir(name)))
	merged, err := diff.Merge(c.Context(), project, versions[0], versions[1], versions[2], kinds.All())
	if err != nil {
		return console.ExitWith(console.ExitInvalid,
			diag.Printable(fmt.Sprintf("%s is not merged, and left as it is: %v", name, err)))
	}
	if f.out != "" || !bytes.Equal(merged.Content, versions[1]) {
		if err := replaceFile(cmp.Or(f.out, args[1]), args[1], merged.Content); err != nil {
			return err
		}
	}
	return showMerge(env, name, merged)
}

// maxVersion is the most of a file that is read; the bounds of workbooks are far
// below it.
const maxVersion = 1 << 30

func readRegularFile(name string) ([]byte, error) {
	about, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !about.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file; want one", name)
	}
	handle, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer handle.Close()
	return io.ReadAll(io.LimitReader(handle, maxVersion))
}

// replaceFile writes a file as a whole, with the permissions it has, else with
// those of another.
func replaceFile(name, like string, content []byte) error {
	about, err := os.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		about, err = os.Stat(like)
	}
	if err != nil {
		return console.Configuration("%v", err)
	}
	if !about.Mode().IsRegular() {
		return console.Configuration("%s is a symbolic link or no file; want the file itself", diag.Printable(name))
	}
	return renameio.WriteFile(name, content, about.Mode().Perm())
}

// showMerge lists the conflicts on standard output and says the rest beside it.
func showMerge(env *session.Env, name string, m diff.Merged) error {
	name = diag.Printable(name)
	for _, c := range m.Conflicts {
		if _, err := fmt.Fprintf(env.Out, "conflict in %s: %s\n", name, diag.Printable(conflictText(c))); err != nil {
			return err
		}
	}
	env.Note("merged %s: took %s, added %s, removed %s",
		name, diag.Plural(m.Cells, "cell"), diag.Plural(m.Added, "row"), diag.Plural(m.Removed, "row"))
	if m.Filled > 0 {
		env.Note("%s that adsync fills stayed as ours has them", diag.Plural(m.Filled, "cell"))
	}
	if len(m.Conflicts) > 0 {
		return console.ExitWith(exitConflict, fmt.Sprintf("%s in %s; ours "+
			"is kept there: write what is right into it, then git add it",
			diag.Plural(len(m.Conflicts), "conflict"), name))
	}
	return nil
}

// conflictText returns what both sides have, and why that was not merged.
func conflictText(c diff.Conflict) string {
	text := c.What
	for _, side := range []struct{ name, said string }{{"base", c.Base}, {"ours", c.Ours}, {"theirs", c.Theirs}} {
		if side.said != "" {
			text += "; " + side.name + " " + side.said
		}
	}
	if c.Reason != "" {
		text += "; " + c.Reason
	}
	return strings.Replace(text, "; ", ": ", 1)
}
