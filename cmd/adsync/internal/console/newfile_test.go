package console

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file that comes to be while adsync writes is treated as one that was there before: what another adsync wrote is
// replaced, and what is a person's stays.
func TestAFileThatComesMeanwhileIsReplacedWhereItIsOurs(t *testing.T) {
	ours := func(content []byte) bool { return strings.HasPrefix(string(content), "ours") }
	for what, c := range map[string]struct {
		before, meanwhile string
		want              string
		taken             bool
	}{
		"nothing":                {want: "ours, new"},
		"ours of before":         {before: "ours", want: "ours, new"},
		"ours":                   {meanwhile: "ours, of another process", want: "ours, new"},
		"ours in its place":      {before: "ours", meanwhile: "ours, of another process", want: "ours, new"},
		"another's":              {meanwhile: "a person's", want: "a person's", taken: true},
		"another's in its place": {before: "ours", meanwhile: "a person's", want: "a person's", taken: true},
	} {
		t.Run(what, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "results", "results.json")
			put := func(content string) {
				if content == "" {
					return
				}
				if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			put(c.before)
			written := 0
			err := NewFile{Flag: "--results", Name: name, Never: true, Ours: ours}.Write(func(w io.Writer) error {
				written++
				put(c.meanwhile)
				_, err := io.WriteString(w, "ours, new")
				return err
			})
			if taken := err != nil && strings.Contains(err.Error(), "adsync did not write it"); taken != c.taken ||
				err != nil && !taken || written != 1 {
				t.Errorf("Write() = %v, written %d times; want it refused: %t", err, written, c.taken)
			}
			if content, err := os.ReadFile(name); err != nil || string(content) != c.want {
				t.Errorf("the file is %q, %v; want %q", content, err, c.want)
			}
			if left, err := os.ReadDir(filepath.Dir(name)); err != nil || len(left) != 1 {
				t.Errorf("the folder has %v, %v; want the file alone", left, err)
			}
		})
	}
}
