package files

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/runs"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/resource"
	"adsync/sources/workbook"

	"github.com/spf13/cobra"
)

// errOneFile is what keeps an account out of one YAML file.
var errOneFile = errors.New("the account is more " +
	"than one YAML file may hold, and could not be read again; want a folder, such as --out live/")

// exportYAML writes one file, or a file for each campaign into the folder out.
func exportYAML(env *session.Env, c *cobra.Command,
	l session.Loaded, live *resource.Snapshot, values resource.Env, f exportFlags) error {
	if out := f.out; out != "" && (runs.IsFolder(out) || !isFormat(out, "yaml")) {
		files, err := workbook.YAMLFiles(l.Project, l.Schemas, live, values)
		if err != nil {
			return err
		}
		to := destination{root: filepath.Clean(out), folder: ".", ends: ".yaml", force: f.force}
		if err := to.refuseSources(l, files); err != nil {
			return err
		}
		_, err = to.write(files)
		return err
	}
	content, fits, err := workbook.YAMLFile(l.Project, l.Schemas, live, values)
	switch {
	case err != nil:
		return err
	case !fits && f.out != "":
		return console.Configuration("--out: %v", errOneFile)
	case !fits:
		env.Note("adsync: %v", errOneFile)
	}
	return writeOut(env, c, outFile(f.out, f.force), func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// oneYAML writes the content of one converted file.
func oneYAML(l session.Loaded, s *resource.Snapshot, values resource.Env, w io.Writer) error {
	content, fits, err := workbook.YAMLFile(l.Project, l.Schemas, s, values)
	if err == nil && !fits {
		err = errOneFile
	}
	if err != nil {
		return err
	}
	if _, err := w.Write(content); err != nil {
		return fmt.Errorf("write YAML: %w", err)
	}
	return nil
}
