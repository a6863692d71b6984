package tree

import (
	"io"
	"os"
	"path"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/resultcopy"
	"adsync/sources/bounded"
)

// setAside reports whether a file is a copy with results, or has figures, and is never a source,
// whatever its name. A copy that somebody edited, or that stands where a source should, is
// said. A file that was read before is none: it would have other bytes.
func (t *Tree) setAside(name string, found *listing) bool {
	switch {
	case t.readBefore[name]:
		return false
	case path.Base(name) == "results.csv":
		return t.isResultsCSV(name)
	case strings.EqualFold(path.Ext(name), ".csv") && isFigures(t.begin(name, mostHeader)):
		severity := diag.Warning
		if t.isNamed(name) {
			severity = diag.Error
			found.refused = append(found.refused, name)
		}
		found.report(name, severity, diag.UnknownKey,
			"file has figures that adsync wrote, such as what a click cost, and is never read",
			"move it out of the sources")
		return true
	case !strings.EqualFold(path.Ext(name), ".xlsx"):
		return false
	}
	c, is := t.resultsCopy(name)
	if !is {
		return false
	}
	switch {
	case t.wants(name, c):
		found.refused = append(found.refused, name)
		found.report(name, diag.Error, diag.ResultsCopy, neverRead(c), wayBack(name, c))
	case c.Edited:
		message := "file is a copy with results that somebody edited, and is not read; want the changes in " +
			quotedName(c.Of)
		found.report(name, diag.Warning, diag.ResultsCopy, message, editInstead(c))
		found.edited = append(found.edited, name)
	}
	return true
}

// isResultsCSV reports whether a file is the list of results that stands beside copies.
func (t *Tree) isResultsCSV(name string) bool {
	return t.begin(name, len(resultsHead)) == resultsHead
}

// mostHeader is how much of a file its first line is looked for in.
const mostHeader = 4096

// begin is what a file begins with.
func (t *Tree) begin(name string, most int) string {
	handle, err := bounded.OpenRegular(t.Root, name)
	if err != nil {
		return "" // who reads it says why
	}
	defer handle.Close()
	content, err := io.ReadAll(io.LimitReader(handle, int64(most)))
	if err != nil {
		return ""
	}
	return string(content)
}

// isFigures reports whether a file is what insights or hotels wrote, also if a spreadsheet saved it since:
// its last columns say so. Its CPC and its status are what was, and would be taken for what is wanted.
func isFigures(begin string) bool {
	line, _, _ := strings.Cut(begin, "\n")
	names := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(",;\t\"\r\ufeff", r) })
	if n := len(names); n > 0 && names[n-1] == "partial" {
		names = names[:n-1]
	}
	return len(names) > 1 && names[len(names)-1] == "preliminary" && slices.ContainsFunc(names, func(name string) bool {
		return slices.Contains([]string{"address", "feed_id", "conversions"}, name)
	})
}

// resultsCopy is what a workbook of the tree says of itself where it is such a copy.
func (t *Tree) resultsCopy(name string) (resultcopy.Copy, bool) {
	handle, err := bounded.OpenRegular(t.Root, name)
	if err != nil {
		return resultcopy.Copy{}, false // who reads it says why
	}
	defer handle.Close()
	return resultsCopyIn(handle, t.Bounds.OfSource(name))
}

func resultsCopyIn(handle *os.File, limit int64) (resultcopy.Copy, bool) {
	about, err := handle.Stat()
	if err != nil || about.Size() > limit {
		return resultcopy.Copy{}, false
	}
	return resultcopy.Read(handle, about.Size())
}

// wants reports whether somebody takes a copy for a source: it is named itself, or stands
// where its original did.
func (t *Tree) wants(name string, c resultcopy.Copy) bool {
	return t.isNamed(name) || c.Of == name
}

// isNamed reports whether the sources name a file itself.
func (t *Tree) isNamed(name string) bool {
	return slices.ContainsFunc(t.globs, func(g bounded.Glob) bool { return strings.Join(g, "/") == literal(name) })
}

// literal is the pattern that means one path alone.
func literal(name string) string {
	return strings.NewReplacer(`[`, `[[]`, `*`, `[*]`, `?`, `[?]`).Replace(name)
}

func neverRead(c resultcopy.Copy) string {
	return "file is a copy with results, which is never read; want " + quotedName(c.Of) + " itself"
}

func wayBack(name string, c resultcopy.Copy) string {
	if c.Of == name {
		return "put the workbook itself back into its place"
	}
	return editInstead(c)
}

func editInstead(c resultcopy.Copy) string {
	return "edit " + quotedName(c.Of) + ", and delete this copy"
}

func quotedName(name string) string {
	if name == "" {
		return "the workbook it was made of"
	}
	return `"` + diag.Printable(name) + `"`
}

// RefuseResults is the finding of a copy with results that is given as a source; nil for
// every other content.
func RefuseResults(name string, content []byte) *resource.Finding {
	if !strings.EqualFold(path.Ext(name), ".xlsx") {
		return nil
	}
	c, is := resultcopy.ReadBytes(content)
	if !is {
		return nil
	}
	return &resource.Finding{Code: diag.ResultsCopy, Message: neverRead(c), Hint: editInstead(c)}
}

// resultsHead is how the list of results begins, also that of an adsync before review and serving.
var resultsHead = "\ufeff" + strings.Join(ReportColumns[:len(ReportColumns)-2], ",")

var ReportColumns = []string{
	"result", "action", "kind", "address", "name", "id", "file", "sheet", "row", "cell", "code", "message",
	"review", "serving",
}
