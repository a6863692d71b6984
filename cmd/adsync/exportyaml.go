package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"adsync/internal/resource"

	"github.com/spf13/cobra"
)

// errOneFile is what keeps an account out of one YAML file.
var errOneFile = errors.New("the account is more " +
	"than one YAML file may hold, and could not be read again; want a folder, such as --out live/")

// exportYAML writes one file, or a file for each campaign into the folder out.
func (a *app) exportYAML(c *cobra.Command, l loaded, live *resource.Snapshot, values resource.Env, f exportFlags) error {
	if out := f.out; out != "" && (isFolder(out) || !isFormat(out, "yaml")) {
		files, err := l.project.YAMLFiles(l.schemas, live, values)
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
	content, fits, err := l.project.YAMLFile(l.schemas, live, values)
	switch {
	case err != nil:
		return err
	case !fits && f.out != "":
		return configuration("--out: %v", errOneFile)
	case !fits:
		a.note("adsync: %v", errOneFile)
	}
	return a.writeOut(c, outFile(f.out, f.force), func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// oneYAML writes the content of one converted file.
func oneYAML(l loaded, s *resource.Snapshot, values resource.Env, w io.Writer) error {
	content, fits, err := l.project.YAMLFile(l.schemas, s, values)
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
