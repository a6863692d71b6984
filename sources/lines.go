package sources

import (
	"os"
	"strings"
	"sync"

	"adsync/internal/diag"
)

// SourceLine gives lines of a project's text files, to show a problem with the
// line it stands in. A file is read once, when it is first asked for.
func SourceLine(p Project) diag.Source {
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
		return lines[line-1], true
	}
}

func textLines(p Project, file string) []string {
	root, err := os.OpenRoot(p.folder())
	if err != nil {
		return nil
	}
	defer root.Close()
	content, _, err := readRegular(root, file, mebibyte)
	if err != nil {
		return nil
	}
	text := strings.ReplaceAll(strings.TrimPrefix(string(content), string(utf8Mark)), "\r\n", "\n")
	return strings.Split(text, "\n")
}
