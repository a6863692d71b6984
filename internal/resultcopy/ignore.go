package resultcopy

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// LinesMissing are the lines that a text of patterns for git does not have, ready to be
// put behind it; "" where it has all of them.
func LinesMissing(text string, lines []string) string {
	var b strings.Builder
	for _, line := range lines {
		if !hasLine(text, line) {
			b.WriteString(line + "\n")
		}
	}
	if b.Len() > 0 && text != "" && !strings.HasSuffix(text, "\n") {
		return "\n" + b.String()
	}
	return b.String()
}

func hasLine(text, line string) bool {
	return slices.ContainsFunc(strings.Split(text, "\n"), func(have string) bool {
		return strings.Trim(have, "/ \t\r") == strings.Trim(line, "/")
	})
}

// Exclude has git leave copies alone that lie in a folder of a work tree: where no
// .gitignore from the folder up says so, the repository's own list of exclusions does,
// which is committed nowhere. It returns the file it wrote into, "" for none.
func Exclude(folder string) (written string, err error) {
	folder, err = filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	for above := folder; ; above = filepath.Dir(above) {
		patterns, err := os.ReadFile(filepath.Join(above, ".gitignore"))
		if err == nil && hasLine(string(patterns), Ignored) {
			return "", nil
		}
		if own, is := gitFolder(above); is {
			return exclude(filepath.Join(own, "info", "exclude"))
		}
		if above == filepath.Dir(above) {
			return "", nil // no work tree
		}
	}
}

func exclude(name string) (written string, err error) {
	text, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	missing := LinesMissing(string(text), []string{Ignored})
	if missing == "" {
		return "", nil
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return "", err
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return "", err
	}
	_, err = file.WriteString(missing)
	return name, errors.Join(err, file.Close())
}

// gitFolder is where the repository of a work tree keeps what all its work trees share.
func gitFolder(top string) (folder string, is bool) {
	name := filepath.Join(top, ".git")
	about, err := os.Stat(name)
	if err != nil {
		return "", false
	}
	if about.IsDir() {
		return name, true
	}
	text, err := os.ReadFile(name)
	to, linked := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir: ")
	if err != nil || !linked {
		return "", false
	}
	folder = inside(top, to)
	if common, err := os.ReadFile(filepath.Join(folder, "commondir")); err == nil {
		folder = inside(folder, strings.TrimSpace(string(common)))
	}
	return folder, true
}

func inside(folder, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(folder, name)
}
