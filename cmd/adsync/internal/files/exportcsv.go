package files

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/resource"
	"adsync/sources/config"
	"adsync/sources/workbook"

	"github.com/spf13/cobra"
)

// exportCSV writes one file a sheet into the folder out, or everything with a
// column Kind into the file out that ends in .csv, or to standard output.
func exportCSV(env *session.Env, c *cobra.Command, schemas resource.Schemas,
	live *resource.Snapshot, account config.Account, f exportFlags) error {
	if f.out == "" || filepath.Ext(f.out) == ".csv" {
		return writeOut(env, c, outFile(f.out, f.force), func(w io.Writer) error {
			return workbook.WriteCSV(w, schemas, live, account)
		})
	}
	files, err := workbook.WriteCSVFiles(schemas, live, account)
	if err != nil {
		return err
	}
	if err := makeRoom(f.out, files); err != nil {
		return console.Configuration("--out: %v", err)
	}
	to := destination{root: filepath.Clean(f.out), folder: ".", ends: ".csv", force: f.force}
	_, err = to.write(files)
	return err
}

// makeRoom makes the folder. One that holds other CSV files is refused: rows of
// an earlier export would stand beside the new ones.
func makeRoom(folder string, files map[string][]byte) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	there, err := fs.Glob(os.DirFS(folder), "*.csv")
	if err != nil {
		return err
	}
	for _, name := range there {
		if _, ours := files[name]; !ours {
			return fmt.Errorf("%s holds %s, which this export does not write; want a folder without other CSV files",
				folder, name)
		}
	}
	return nil
}
