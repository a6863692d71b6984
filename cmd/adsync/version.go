package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// release is set when a release is built: -ldflags "-X main.release=1.2.3".
var release = "0.1.0-dev"

func (a *app) version() *cobra.Command {
	c := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if a.flags.output == "json" {
				return a.printJSON(struct {
					FormatVersion int    `json:"format_version"`
					Version       string `json:"version"`
					Commit        string `json:"commit"`
					Go            string `json:"go"`
				}{formatVersion, release, commit(), runtime.Version()})
			}
			return a.printVersion()
		},
	}
	a.outputs(c, "text", "json")
	return c
}

func (a *app) printVersion() error {
	_, err := fmt.Fprintf(a.out, "adsync %s %s %s\n", release, commit(), runtime.Version())
	return err
}

func commit() string {
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, s := range build.Settings {
		if s.Key == "vcs.revision" {
			return s.Value
		}
	}
	return "unknown"
}
