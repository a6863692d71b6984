package draft

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"

	"adsync/internal/diag"
	"adsync/internal/pattern"
	"adsync/internal/resource"
	"adsync/sources/bounded"
	"adsync/sources/celltext"
)

// FileOfHints is how a cell names a file of hints among its sentences.
var FileOfHints = pattern.Of(`^(?i)file:\s*(\S.*)$`)

// HintFiles are the files of hints of one reading of the sources. Each is read
// once, however many lists take it in. The nil HintFiles is of a single file: it
// keeps nothing and counts nothing.
type HintFiles struct {
	mu    sync.Mutex
	read  map[string]hintText // by slash path
	taken int
	most  int
}

// hintText is what a file of hints says, or why it says nothing.
type hintText struct {
	hints    []Hint
	finding  *resource.Finding
	position diag.Position // of the finding, zero where it is that of who asks
}

// NewHintFiles returns the files of hints of one reading, which take in so many entries at most.
func NewHintFiles(most int) *HintFiles {
	return &HintFiles{read: map[string]hintText{}, most: most}
}

// Takes counts the entries that stand in one place and are taken in at another,
// any number of times: a file of 1 MiB could ask for more than there is memory
// for. What is beyond the bound is left out, and the sources are refused.
func (f *HintFiles) Takes(entries int) bool {
	if f == nil {
		return true
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.taken = min(f.taken+entries, f.most+1)
	return f.taken <= f.most
}

func (f *HintFiles) kept(path string) (hintText, bool) {
	if f == nil {
		return hintText{}, false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	text, read := f.read[path]
	return text, read
}

func (f *HintFiles) keep(path string, text hintText) {
	if f == nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.read[path] = text
}

// HintFile returns the hints of a text file, each with its position in it.
func (in Input) HintFile(name string, at diag.Position) ([]Hint, []diag.Problem) {
	path, finding := AttachedPath(name, at.File())
	if finding != nil {
		return nil, []diag.Problem{bounded.ProblemAt(at, *finding)}
	}
	text, read := in.Files.kept(path)
	if !read {
		text = in.readHints(name, at)
		in.Files.keep(path, text)
	}
	switch {
	case text.finding != nil && text.position.IsZero():
		return nil, []diag.Problem{bounded.ProblemAt(at, *text.finding)}
	case text.finding != nil:
		return nil, []diag.Problem{bounded.ProblemAt(text.position, *text.finding)}
	case !in.Files.Takes(len(text.hints)):
		return nil, nil
	}
	return text.hints, nil
}

// readHints reads a text file of hints, one a line. Blank lines and lines that
// begin with # say nothing.
func (in Input) readHints(name string, at diag.Position) hintText {
	content, path, finding := in.Attach(name, at)
	if finding != nil {
		return hintText{finding: finding}
	}
	content = bytes.TrimPrefix(content, bounded.UTF8Mark)
	position := diag.InFile(path)
	if finding := brokenHints(content, &position); finding != nil {
		return hintText{finding: finding, position: position}
	}
	var hints []Hint
	line := 0
	for text := range strings.SplitSeq(lineBreaks.Replace(string(content)), "\n") {
		line++
		if text = celltext.Trimmed(text); text == "" || text[0] == '#' {
			continue
		}
		position := diag.At(path, line, 1)
		if len(hints) >= in.Bounds.HintRows {
			tooMany := bounded.Limit("split it into several files",
				resource.Enough("hints", 2*int64(in.Bounds.HintRows)),
				"file has over %d hints; want at most that", in.Bounds.HintRows)
			return hintText{finding: &tooMany, position: position}
		}
		hints = append(hints, Hint{Mark: Mark{Text: text, Position: position}})
	}
	if len(hints) == 0 {
		return hintText{finding: BadFile(fmt.Sprintf("file %q holds no hint; want one a line", name))}
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

// Marked returns the entries of a cell the position of the cell.
func Marked(items []string, position diag.Position) []Hint {
	hints := make([]Hint, len(items))
	for i, item := range items {
		hints[i] = Hint{Mark: Mark{item, position}}
	}
	return hints
}

// WithHintFiles puts the sentences of files where a cell names them.
func (in Input) WithHintFiles(items []Hint) (hints []Hint, problems []diag.Problem) {
	for _, item := range items {
		m := FileOfHints.FindStringSubmatch(item.Text)
		if m == nil {
			hints = append(hints, item)
			continue
		}
		read, wrong := in.HintFile(m[1], item.Position)
		hints, problems = append(hints, read...), append(problems, wrong...)
	}
	return hints, problems
}

// TakesFiles reports whether a cell of hints may name files: a list in the form of
// JSON holds nothing but sentences.
func TakesFiles(a *resource.Attribute, text string) bool {
	return a.Type == resource.TypeHints && !celltext.LooksLikeJSON(a, strings.TrimSpace(text))
}

// LooksLikeFile reports whether a sentence would be read as the name of a file.
func LooksLikeFile(a *resource.Attribute, items []string) bool {
	return a.Type == resource.TypeHints && slices.ContainsFunc(items, FileOfHints.MatchString)
}
