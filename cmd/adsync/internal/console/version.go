package console

import (
	"runtime/debug"
)

// Release is set when a release is built: -ldflags "-X adsync/cmd/adsync/internal/console.Release=1.2.3".
var Release = "0.1.0-dev"

// VersionDocument is the JSON form of version.
type VersionDocument struct {
	FormatVersion int    `json:"format_version"`
	Version       string `json:"version"`
	Commit        string `json:"commit"`
	Go            string `json:"go"`
}

// Commit returns the commit adsync was built from.
func Commit() string {
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
