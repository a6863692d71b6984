package sources

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
)

// fileOfHints is how a cell names a file of hints among its sentences.
var fileOfHints = regexp.MustCompile(`^(?i)file:\s*(\S.*)$`)

// hintFile reads a text file of hints, one a line, each with its position in
// it. Blank lines and lines that begin with # say nothing.
func (in input) hintFile(name string, at diag.Position) ([]hint, []diag.Problem) {
	content, path, finding := in.attach(name, at)
	if finding != nil {
		return nil, []diag.Problem{problemAt(at, *finding)}
	}
	content = bytes.TrimPrefix(content, utf8Mark)
	position := diag.Position{File: path}
	if finding := brokenHints(content, &position); finding != nil {
		return nil, []diag.Problem{problemAt(position, *finding)}
	}
	var hints []hint
	line := 0
	for text := range strings.SplitSeq(lineBreaks.Replace(string(content)), "\n") {
		line++
		if text = trimmed(text); text == "" || text[0] == '#' {
			continue
		}
		position := diag.Position{File: path, Line: line, Column: 1}
		if len(hints) >= in.bounds.hintRows {
			return nil, []diag.Problem{problemAt(position, resource.Finding{Code: diag.Damaged, Message: fmt.Sprintf("file has over %d hints; want fewer", in.bounds.hintRows)})}
		}
		hints = append(hints, hint{mark: mark{text: text, position: position}})
	}
	if len(hints) == 0 {
		return nil, []diag.Problem{problemAt(at, *badFile(fmt.Sprintf("file %q holds no hint; want one a line", name)))}
	}
	return hints, nil
}

// lineBreaks makes those of every system one.
var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n")

func brokenHints(content []byte, position *diag.Position) *resource.Finding {
	if bytes.HasPrefix(content, lfsPointer) {
		return &resource.Finding{Code: diag.Damaged, Message: "file is a Git LFS pointer; want the file itself", Hint: "run git lfs pull"}
	}
	if finding := brokenEncoding(content, position); finding != nil {
		return finding
	}
	return conflictMark(content, position)
}

// marked gives the entries of a cell the position of the cell.
func marked(items []string, position diag.Position) []hint {
	hints := make([]hint, len(items))
	for i, item := range items {
		hints[i] = hint{mark: mark{item, position}}
	}
	return hints
}

// withHintFiles puts the sentences of files where a cell names them.
func (r *fileReader) withHintFiles(items []hint) (hints []hint, problems []diag.Problem) {
	for _, item := range items {
		m := fileOfHints.FindStringSubmatch(item.text)
		if m == nil {
			hints = append(hints, item)
			continue
		}
		read, wrong := r.in.hintFile(m[1], item.position)
		hints, problems = append(hints, read...), append(problems, wrong...)
	}
	return hints, problems
}

// takesFiles says that a cell of hints may name files: a list in the form of
// JSON holds nothing but sentences.
func takesFiles(a *resource.Attribute, text string) bool {
	return a.Type == resource.TypeHints && !looksLikeJSON(a, strings.TrimSpace(text))
}

// looksLikeFile says that a sentence would be read as the name of a file.
func looksLikeFile(a *resource.Attribute, items []string) bool {
	return a.Type == resource.TypeHints && slices.ContainsFunc(items, fileOfHints.MatchString)
}
