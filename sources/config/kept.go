package config

import (
	"path"
	"strings"
	"time"

	"adsync/internal/policy"
)

// WhenReady reports whether a workbook has to say that it is ready.
func (p Project) WhenReady() bool { return p.Publish.Value == policy.Publish.Values[0] }

// Kept has the last ready versions of workbooks. One that there never was is no error.
type Kept interface {
	Version(file string) (v Version, known bool, err error)
	Content(v Version) ([]byte, error)
}

// Version is a workbook as it was when it was ready last.
type Version struct {
	Bytes  int64     `json:"bytes"`
	Sum    string    `json:"sha256"`           // of its bytes, in hex
	At     time.Time `json:"at"`               // when it was first read
	Paused []string  `json:"paused,omitempty"` // addresses of rows that drafts since then have paused
}

// readyPrefix begins the names of what is read in the place of drafts. No source is called so.
const readyPrefix = "last ready version of "

// ReadyName is what the last ready version of a file is called in positions.
func ReadyName(file string) string { return path.Join(path.Dir(file), readyPrefix+path.Base(file)) }

// OfReady returns the file that a ReadyName is of, "" for any other name.
func OfReady(name string) string {
	base, is := strings.CutPrefix(path.Base(name), readyPrefix)
	if !is {
		return ""
	}
	return path.Join(path.Dir(name), base)
}
