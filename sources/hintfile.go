package sources

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/sources/bounded"
)

// fileOfHints is how a cell names a file of hints among its sentences.
var fileOfHints = regexp.MustCompile(`^(?i)file:\s*(\S.*)$`)

// hintFiles are the files of hints of one reading of the sources. Each is read
// once, however many lists take it in. The nil hintFiles is of a single file: it
// keeps nothing and counts nothing.
type hintFiles struct {
	mu    sync.Mutex
	read  map[string]hintText // by slash path
	taken int
	most  int
}

// hintText is what a file of hints says, or why it says nothing.
type hintText struct {
	hints    []hint
	finding  *resource.Finding
	position diag.Position // of the finding, zero where it is that of who asks
}

func newHintFiles(most int) *hintFiles {
	return &hintFiles{read: map[string]hintText{}, most: most}
}

// takes counts the entries that stand in one place and are taken in at another,
// any number of times: a file of 1 MiB could ask for more than there is memory
// for. What is beyond the bound is left out, and the sources are refused.
func (f *hintFiles) takes(entries int) bool {
	if f == nil {
		return true
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.taken = min(f.taken+entries, f.most+1)
	return f.taken <= f.most
}

func (f *hintFiles) kept(path string) (hintText, bool) {
	if f == nil {
		return hintText{}, false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	text, read := f.read[path]
	return text, read
}

func (f *hintFiles) keep(path string, text hintText) {
	if f == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.read[path] = text
}

// hintFile returns the hints of a text file, each with its position in it.
func (in input) hintFile(name string, at diag.Position) ([]hint, []diag.Problem) {
	path, finding := attachedPath(name, at.File())
	if finding != nil {
		return nil, []diag.Problem{bounded.ProblemAt(at, *finding)}
	}
	text, read := in.files.kept(path)
	if !read {
		text = in.readHints(name, at)
		in.files.keep(path, text)
	}
	switch {
	case text.finding != nil && text.position.IsZero():
		return nil, []diag.Problem{bounded.ProblemAt(at, *text.finding)}
	case text.finding != nil:
		return nil, []diag.Problem{bounded.ProblemAt(text.position, *text.finding)}
	case !in.files.takes(len(text.hints)):
		return nil, nil
	}
	return text.hints, nil
}

// readHints reads a text file of hints, one a line. Blank lines and lines that
// begin with # say nothing.
func (in input) readHints(name string, at diag.Position) hintText {
	content, path, finding := in.attach(name, at)
	if finding != nil {
		return hintText{finding: finding}
	}
	content = bytes.TrimPrefix(content, bounded.UTF8Mark)
	position := diag.InFile(path)
	if finding := brokenHints(content, &position); finding != nil {
		return hintText{finding: finding, position: position}
	}
	var hints []hint
	line := 0
	for text := range strings.SplitSeq(lineBreaks.Replace(string(content)), "\n") {
		line++
		if text = trimmed(text); text == "" || text[0] == '#' {
			continue
		}
		position := diag.At(path, line, 1)
		if len(hints) >= in.bounds.HintRows {
			tooMany := bounded.Limit("split it into several files",
				resource.Enough("hints", 2*int64(in.bounds.HintRows)),
				"file has over %d hints; want at most that", in.bounds.HintRows)
			return hintText{finding: &tooMany, position: position}
		}
		hints = append(hints, hint{mark: mark{text: text, position: position}})
	}
	if len(hints) == 0 {
		return hintText{finding: badFile(fmt.Sprintf("file %q holds no hint; want one a line", name))}
	}
	return hintText{hints: hints}
}

// lineBreaks makes those of every system one.
var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n")

func brokenHints(content []byte, position *diag.Position) *resource.Finding {
	if bytes.HasPrefix(content, bounded.LFSPointer) {
		return &resource.Finding{
			Code: diag.Damaged, Message: "file is a Git LFS pointer; want the file itself", Hint: bounded.PullLFS,
		}
	}
	if finding := bounded.BrokenEncoding(content, position); finding != nil {
		return finding
	}
	return bounded.ConflictMark(content, position)
}

// marked returns the entries of a cell the position of the cell.
func marked(items []string, position diag.Position) []hint {
	hints := make([]hint, len(items))
	for i, item := range items {
		hints[i] = hint{mark: mark{item, position}}
	}
	return hints
}

// withHintFiles puts the sentences of files where a cell names them.
func (in input) withHintFiles(items []hint) (hints []hint, problems []diag.Problem) {
	for _, item := range items {
		m := fileOfHints.FindStringSubmatch(item.text)
		if m == nil {
			hints = append(hints, item)
			continue
		}
		read, wrong := in.hintFile(m[1], item.position)
		hints, problems = append(hints, read...), append(problems, wrong...)
	}
	return hints, problems
}

// takesFiles reports whether a cell of hints may name files: a list in the form of
// JSON holds nothing but sentences.
func takesFiles(a *resource.Attribute, text string) bool {
	return a.Type == resource.TypeHints && !looksLikeJSON(a, strings.TrimSpace(text))
}

// looksLikeFile reports whether a sentence would be read as the name of a file.
func looksLikeFile(a *resource.Attribute, items []string) bool {
	return a.Type == resource.TypeHints && slices.ContainsFunc(items, fileOfHints.MatchString)
}
