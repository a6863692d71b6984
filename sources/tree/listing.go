package tree

import (
	"fmt"
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/xlsx"
	"adsync/sources/bounded"
	"adsync/sources/config"
	"adsync/sources/draft"

	"golang.org/x/text/unicode/norm"
)

// listing is what one walk through the folder finds.
type listing struct {
	Files    []string // slash paths, in order
	refused  []string // copies with results that somebody takes for sources
	edited   []string // others that somebody edited
	Problems []diag.Problem
}

func (l *listing) report(file string, severity diag.Severity, code diag.Code, message, hint string) {
	l.Problems = append(l.Problems, diag.Problem{
		Severity: severity, Code: code, Position: diag.InFile(file), Message: message, Hint: hint,
	})
}

// List walks the folder for sources. It enters no hidden folder, no folder of
// another project, and no link.
func (t *Tree) List() listing {
	var found listing
	err := fs.WalkDir(t.Root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			found.report(name, diag.Error, diag.Unreadable,
				"folder or file cannot be read; want to read every source", bounded.Reason(err))
			return nil
		}
		if entry.IsDir() {
			return t.enter(name, &found)
		}
		t.judge(name, entry.Type(), &found)
		return nil
	})
	if err != nil {
		found.report(t.Project.File, diag.Error, diag.Unreadable,
			"folder cannot be read to its end; want to read every source", bounded.Reason(err))
	}
	if len(found.Files) > t.Bounds.Files {
		found.Problems = append(found.Problems, *draft.ProblemOf(t.Project.File,
			bounded.Limit("name fewer files in sources of adsync.yaml",
				resource.Enough("files", int64(len(found.Files))),
				"sources are %d files; want at most %d", len(found.Files), t.Bounds.Files)))
		found.Files = nil
	}
	if over := t.beyondTotal(found.Files); over != "" {
		found.Problems = append(found.Problems, *draft.ProblemOf(over, t.tooMuch()))
		found.Files = nil
	}
	found.reportTwins()
	return found
}

// beyondTotal returns the file with which sources are too large in all, "" where
// they are not. Those too large by themselves are not read and do not count.
func (t *Tree) beyondTotal(files []string) string {
	most := int64(0)
	for _, name := range files {
		most += t.Bounds.OfSource(name)
	}
	if most <= t.Bounds.TotalBytes {
		return ""
	}
	total := int64(0)
	for _, name := range files {
		about, err := t.Root.Lstat(name)
		if err != nil || about.Size() > t.Bounds.OfSource(name) {
			continue
		}
		if total += about.Size(); total > t.Bounds.TotalBytes {
			return name
		}
	}
	return ""
}

func (t *Tree) tooMuch() resource.Finding {
	return bounded.Limit("split the account's files into projects, or take pictures out of workbooks",
		resource.EnoughMiB("total", 2*t.Bounds.TotalBytes),
		"sources are over %s with this file; want less in all", xlsx.Size(t.Bounds.TotalBytes))
}

func (t *Tree) enter(folder string, found *listing) error {
	if folder == "." {
		return nil
	}
	if strings.HasPrefix(path.Base(folder), ".") || folder == t.Project.State || !t.reaches(folder) {
		return fs.SkipDir
	}
	if !utf8.ValidString(folder) {
		found.report(folder, diag.Error, diag.Unreadable,
			"folder has a name that is not UTF-8, and cannot be read; want one that is", "rename it")
		return fs.SkipDir
	}
	if strings.Count(folder, "/") >= t.Bounds.FolderDepth {
		found.Problems = append(found.Problems,
			*draft.ProblemOf(folder, bounded.Limit("move its files up",
				resource.Enough("folders", int64(t.Bounds.FolderDepth)),
				"folders are nested more than %d deep; want sources nearer to the project's folder",
				t.Bounds.FolderDepth)))
		return fs.SkipDir
	}
	if _, err := t.Root.Lstat(path.Join(folder, config.ProjectFile)); err == nil {
		found.report(folder, diag.Warning, diag.IgnoredRows,
			"folder holds another adsync.yaml, so that it is another project; its files are not read here", "")
		return fs.SkipDir
	}
	return nil
}

// judge takes a file as a source, leaves it, or says why it cannot be one.
func (t *Tree) judge(name string, mode fs.FileMode, found *listing) {
	base := path.Base(name)
	if original, locked := LockOf(base); locked {
		if t.Includes(path.Join(path.Dir(name), original)) {
			found.report(path.Join(path.Dir(name), original),
				diag.Warning, diag.Unreadable, "file is open in an editor; what is read is what was last saved", "")
		}
		return
	}
	if neverSource(base) || name == t.Project.File {
		return
	}
	if mode&fs.ModeSymlink != 0 {
		if t.Includes(name) || t.linksToFolder(name) {
			found.report(name, diag.Error, diag.Unreadable,
				"a symbolic link stands among the sources; want the file itself", t.linkHint(name))
		}
		return
	}
	if !t.Includes(name) {
		t.noteFormat(name, found)
		return
	}
	if !mode.IsRegular() {
		found.report(name, diag.Error, diag.Unreadable, "is not a regular file; want one", "")
		return
	}
	if !t.setAside(name, found) {
		found.Files = append(found.Files, name)
	}
}

// saveAsXLSX helps with a workbook in another form.
const saveAsXLSX = "save it as .xlsx: File, Save As, Excel Workbook"

// OtherWorkbooks are the files of spreadsheet programs that are never read, by the end
// of their names.
var OtherWorkbooks = map[string]string{
	".xlsm": "a workbook with macros", ".xltm": "a workbook with macros", ".xlsb": "a binary workbook",
	".xls": "an old workbook", ".ods": "an OpenDocument file", ".numbers": "a Numbers document",
}

// noteFormat warns of a file that would be a source in the form, or by the spelling
// of its name, that adsync reads: whoever saved it there takes it for one.
func (t *Tree) noteFormat(name string, found *listing) {
	end := path.Ext(name)
	if lower := strings.ToLower(end); lower != end &&
		readers[lower] != nil && !bounded.InPrivate(name) && t.Includes(strings.TrimSuffix(name, end)+lower) {
		found.report(name, diag.Warning, diag.Unreadable,
			"file ends in "+end+" and is not read; want "+lower, "rename it, or name it in sources of adsync.yaml")
	}
	if what, known := OtherWorkbooks[strings.ToLower(end)]; known && t.Includes(strings.TrimSuffix(name, end)+".xlsx") {
		found.report(name, diag.Warning, diag.Unreadable,
			"file is "+what+" and is not read; want a workbook (.xlsx)", saveAsXLSX+", or move it out of the sources")
	}
}

// linkHint knows the links of a mounted ConfigMap, each of which leads through
// the one link that is replaced when the files change.
func (t *Tree) linkHint(name string) string {
	target, err := t.Root.Readlink(name)
	if link, _, through := strings.Cut(target, "/"); err == nil && through && link == "..data" {
		return "give the folder " + path.Join(path.Dir(name), link) + " to adsync: its files are replaced all at once"
	}
	return "name the sources exactly in adsync.yaml to leave it out"
}

// Includes reports whether a file is among the sources.
func (t *Tree) Includes(name string) bool {
	for _, g := range t.globs {
		if g.Matches(name) {
			return true
		}
	}
	return false
}

// Reaches reports whether sources may stand in a folder.
func (t *Tree) reaches(folder string) bool {
	for _, g := range t.globs {
		if g.Reaches(folder) {
			return true
		}
	}
	return false
}

// linksToFolder reports whether sources might stand behind a link to a folder.
func (t *Tree) linksToFolder(name string) bool {
	if !t.reaches(name) {
		return false
	}
	about, err := t.Root.Stat(name)
	return err != nil || about.IsDir()
}

// LockOf returns the file an editor's lock file stands for.
func LockOf(base string) (original string, locked bool) {
	if rest, ok := strings.CutPrefix(base, "~$"); ok {
		return rest, true
	}
	if rest, ok := strings.CutPrefix(base, ".~lock."); ok {
		return strings.TrimSuffix(rest, "#"), true
	}
	return "", false
}

// NeverSource reports whether a file of a name is never read as a source, whatever
// a project names.
func NeverSource(name string) bool { return neverSource(path.Base(name)) }

// neverSource is true for what editors leave behind, for hidden files, and for
// the copies adsync itself writes its results into or keeps of a file it replaced.
func neverSource(base string) bool {
	if keptFile.MatchString(base) || strings.HasPrefix(base, ".") ||
		strings.HasPrefix(base, "#") || strings.HasSuffix(base, "~") || strings.EqualFold(base, config.ProjectFile) ||
		config.OfReady(base) != "" {
		return true
	}
	lower := strings.ToLower(base)
	for _, suffix := range []string{".tmp", ".temp", ".swp", ".bak", ".orig", ".part", ".crdownload", ".result.xlsx"} {
		if strings.HasSuffix(lower, suffix) {
			return true
		}
	}
	return false
}

// reportTwins refuses two files whose names differ only in case or in Unicode
// form: on another machine they are one file.
func (l *listing) reportTwins() {
	first := map[string]string{}
	for _, file := range l.Files {
		folded := strings.ToLower(norm.NFC.String(file))
		if twin, taken := first[folded]; taken {
			l.report(file, diag.Error, diag.Duplicate, fmt.Sprintf("file differs "+
				"from %q only in case or in the form of its letters; want names that differ", twin), "")
			continue
		}
		first[folded] = file
	}
}
