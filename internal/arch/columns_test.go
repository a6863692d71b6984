package arch

import (
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// maxColumns is how wide a line of Go or of a page may be; a tab counts as four.
const maxColumns = 120

// TestNoLineIsTooWide leaves out lines that hold part of a raw string: what is
// quoted is as wide as it is.
func TestNoLineIsTooWide(t *testing.T) {
	for _, s := range sources(t) {
		content, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(s.name)))
		if err != nil {
			t.Fatal(err)
		}
		quoted := rawLines(s)
		n := 0
		for line := range strings.SplitSeq(string(content), "\n") {
			n++
			wide := utf8.RuneCountInString(line) + 3*strings.Count(line, "\t")
			if wide > maxColumns && !quoted[n] {
				t.Errorf("%s:%d is %d columns wide; want at most %d", s.name, n, wide, maxColumns)
			}
		}
	}
}

// rawLines returns the lines of a file that hold part of a raw string.
func rawLines(s *source) map[int]bool {
	lines := map[int]bool{}
	ast.Inspect(s.tree, func(n ast.Node) bool {
		if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING && text.Value[0] == '`' {
			for at := s.set.Position(text.Pos()).Line; at <= s.set.Position(text.End()).Line; at++ {
				lines[at] = true
			}
		}
		return true
	})
	return lines
}

var (
	mdTarget = regexp.MustCompile(`\]\([^)]*\)`)
	mdToken  = regexp.MustCompile("`[^`]*`|\\S+")
)

// TestNoLineOfAPageIsTooWide leaves out tables, blocks of code, and lines that cannot be
// broken: one address, picture or span of code that alone is too wide.
func TestNoLineOfAPageIsTooWide(t *testing.T) {
	for _, page := range pages(t) {
		for _, line := range prose(read(t, page)) {
			wide := utf8.RuneCountInString(line.text)
			if wide > maxColumns && !strings.HasPrefix(strings.TrimSpace(line.text), "|") && breakable(line.text) {
				t.Errorf("%s:%d is %d columns wide; want at most %d", page, line.number, wide, maxColumns)
			}
		}
	}
}

// breakable reports whether a line has a place within the columns at which a page can go
// on in the next line.
func breakable(line string) bool {
	text := strings.TrimLeft(line, " ->*")
	if strings.HasPrefix(text, "![") || strings.HasPrefix(text, "<!--") {
		return false
	}
	return len(mdToken.FindAllString(mdTarget.ReplaceAllString(text, "]"), 2)) > 1
}
