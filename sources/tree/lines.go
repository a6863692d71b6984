package tree

import (
	"os"
	"strings"
	"sync"

	"adsync/internal/csvfile"
	"adsync/internal/diag"
	"adsync/internal/secret"
	"adsync/sources/bounded"
	"adsync/sources/config"
)

// SourceLine returns lines of a project's text files, to show a problem with the
// line it stands in, but for the credentials in it. A file is read once, when it
// is first asked for.
func SourceLine(p config.Project) diag.Source {
	var mu sync.Mutex
	files := map[string][]string{}
	return func(file string, line int) (string, bool) {
		mu.Lock()
		defer mu.Unlock()
		lines, read := files[file]
		if !read {
			lines = textLines(p, file)
			files[file] = lines
		}
		if line < 1 || line > len(lines) {
			return "", false
		}
		return secret.Masked(lines[line-1]), true
	}
}

func textLines(p config.Project, file string) []string {
	root, err := os.OpenRoot(p.Folder())
	if err != nil {
		return nil
	}
	defer root.Close()
	bound := int64(bounded.MiB)
	if bounded.IsCSV(file) {
		bound = p.FileLimits().CSVBytes
	}
	content, _, err := bounded.ReadRegular(root, file, bound)
	if err != nil {
		return nil
	}
	if bounded.IsCSV(file) {
		text, _ := csvfile.Decode(content)
		return strings.Split(strings.ReplaceAll(text.String(), "\r\n", "\n"), "\n")
	}
	text := strings.ReplaceAll(strings.TrimPrefix(string(content), string(bounded.UTF8Mark)), "\r\n", "\n")
	return strings.Split(text, "\n")
}

// LineOf returns lines of text files that are at hand.
func LineOf(contents map[string][]byte) diag.Source {
	return func(file string, line int) (string, bool) {
		lines := strings.Split(strings.TrimPrefix(string(contents[file]), string(bounded.UTF8Mark)), "\n")
		if line < 1 || line > len(lines) {
			return "", false
		}
		return strings.TrimSuffix(lines[line-1], "\r"), true
	}
}
