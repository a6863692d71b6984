package arch

import (
	"go/ast"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// TestLinksLeadSomewhere checks every relative link and picture of every page: the
// file is there, and has what is named: a page the heading, a Go file the function.
func TestLinksLeadSomewhere(t *testing.T) {
	checked := 0
	for _, page := range pages(t) {
		links := linksOf(read(t, page))
		checked += len(links)
		for _, link := range links {
			if problem := wrongLink(t, page, link); problem != "" {
				t.Errorf("%s: the link %q: %s", page, link, problem)
			}
		}
	}
	if checked < 100 {
		t.Errorf("found %d relative links; want those of the whole documentation", checked)
	}
}

// wrongLink returns what is wrong with a relative link of a page; "" where nothing is.
func wrongLink(t *testing.T, page, link string) string {
	t.Helper()
	file, anchor, _ := strings.Cut(link, "#")
	file, err := url.PathUnescape(file)
	if err != nil {
		return err.Error()
	}
	target := page
	if file != "" {
		target = path.Join(path.Dir(page), file)
	}
	if anchor != "" && path.Ext(target) == ".go" {
		return wrongFunction(t, target, anchor)
	}
	if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(target))); err != nil {
		return "no file " + target
	}
	if anchor == "" || path.Ext(target) != ".md" {
		return ""
	}
	if anchors := anchorsOf(read(t, target)); !slices.Contains(anchors, anchor) {
		return target + " has no heading #" + anchor + "; it has " + strings.Join(anchors, ", ")
	}
	return ""
}

// wrongFunction returns where a function or method is, such as Diff or Agent.Apply, that a
// Go file should declare; "" where the file does.
func wrongFunction(t *testing.T, file, function string) string {
	t.Helper()
	var found []string
	for _, s := range program(t) {
		for _, d := range s.tree.Decls {
			if f, is := d.(*ast.FuncDecl); is && declared(f) == function {
				found = append(found, s.name)
			}
		}
	}
	switch {
	case slices.Contains(found, file):
		return ""
	case len(found) == 0:
		return "no file declares " + function
	}
	return file + " does not declare " + function + "; " + strings.Join(found, " and ") + " does"
}

// declared is the name of a function, or of a method after that of its type.
func declared(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	receiver := f.Recv.List[0].Type
	if pointer, is := receiver.(*ast.StarExpr); is {
		receiver = pointer.X
	}
	if name, is := receiver.(*ast.Ident); is {
		return name.Name + "." + f.Name.Name
	}
	return f.Name.Name
}

// TestAValueIsFollowedInTwelveStages: each stage of the page is a link to a function.
func TestAValueIsFollowedInTwelveStages(t *testing.T) {
	stages := 0
	for line := range strings.Lines(read(t, "docs/develop/cell-to-result.md")) {
		number, _, _ := strings.Cut(strings.TrimPrefix(line, "| "), " ")
		if _, err := strconv.Atoi(number); err != nil || !strings.HasPrefix(line, "| ") {
			continue
		}
		stages++
		if links := linksOf(line); len(links) == 0 || !strings.Contains(links[0], ".go#") {
			t.Errorf("docs/develop/cell-to-result.md, stage %s: no link to a function", number)
		}
	}
	if stages == 0 || stages > 12 {
		t.Errorf("docs/develop/cell-to-result.md has %d stages; want 1 to 12", stages)
	}
}

var namedFile = regexp.MustCompile("`((?:cmd|examples|internal|plan|reconcile|sources|state)" +
	"/[a-z0-9_/.-]*[a-z0-9_-][.][a-z]+)`")

// TestFilesThatPagesNameAreThere: a file that a page names in code is where the page says,
// or in a folder below it.
func TestFilesThatPagesNameAreThere(t *testing.T) {
	below := map[string]bool{} // "reconcile/waves.go" for every file of that name below reconcile
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && entry.Name() == ".git":
			return fs.SkipDir
		case entry.IsDir():
			return nil
		}
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			below[path.Join(dir, path.Base(name))] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages(t) {
		for _, line := range prose(read(t, page)) {
			for _, found := range namedFile.FindAllStringSubmatch(line.text, -1) {
				if !below[found[1]] {
					t.Errorf("%s:%d names %s, which is not there", page, line.number, found[1])
				}
			}
		}
	}
}

// TestEveryIndexNamesItsPages: whoever opens a folder of docs finds each page in its
// README, once and with a line that says what it answers.
func TestEveryIndexNamesItsPages(t *testing.T) {
	named := map[string]int{}
	for _, page := range pages(t) {
		if path.Base(page) != "README.md" || !strings.HasPrefix(page, "docs/") || path.Dir(page) == "docs" {
			continue
		}
		for line := range strings.Lines(read(t, page)) {
			if links := linksOf(line); strings.HasPrefix(line, "| [") && len(links) == 1 {
				named[path.Join(path.Dir(page), links[0])]++
			}
		}
	}
	for _, page := range pages(t) {
		inRoom := strings.HasPrefix(page, "docs/") && path.Dir(page) != "docs" && path.Base(page) != "README.md"
		if inRoom && named[page] != 1 {
			t.Errorf("%s/README.md names %s %d times; want one row of its table",
				path.Dir(page), path.Base(page), named[page])
		}
	}
}

// pages returns every page of the repository as a slash path below the root; goldens
// in testdata are left out.
func pages(t *testing.T) []string {
	t.Helper()
	var found []string
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || name != "." && strings.HasPrefix(entry.Name(), ".")):
			return fs.SkipDir
		case !entry.IsDir() && path.Ext(name) == ".md":
			found = append(found, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

var (
	mdLink   = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	inCode   = regexp.MustCompile("`[^`\n]*`")
	mdScheme = regexp.MustCompile(`^[a-z][a-z0-9+.-]*:`)
)

// linksOf returns the relative links of a page, in code left out.
func linksOf(content string) []string {
	var links []string
	for _, line := range prose(content) {
		for _, found := range mdLink.FindAllStringSubmatch(inCode.ReplaceAllString(line.text, ""), -1) {
			if !mdScheme.MatchString(found[1]) {
				links = append(links, found[1])
			}
		}
	}
	return links
}

// anchorsOf returns the anchors of the headings of a page, as forges make them.
func anchorsOf(content string) []string {
	var anchors []string
	times := map[string]int{}
	for _, line := range prose(content) {
		title := strings.TrimLeft(line.text, "#")
		if title == line.text || !strings.HasPrefix(title, " ") {
			continue
		}
		anchor := anchorOf(strings.TrimSpace(title))
		if n := times[anchor]; n > 0 {
			anchors = append(anchors, anchor+"-"+strconv.Itoa(n))
		} else {
			anchors = append(anchors, anchor)
		}
		times[anchor]++
	}
	return anchors
}

func anchorOf(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, mdLink.ReplaceAllString(title, "]"))
}

// proseLine is a line of a page outside of blocks of code, with its number from 1.
type proseLine struct {
	number int
	text   string
}

// prose returns the lines of a page that are no part of a block of code.
func prose(content string) []proseLine {
	var lines []proseLine
	fenced := false
	number := 0
	for line := range strings.SplitSeq(content, "\n") {
		number++
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
			continue
		}
		if !fenced {
			lines = append(lines, proseLine{number: number, text: line})
		}
	}
	return lines
}
