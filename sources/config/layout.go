package config

import (
	"fmt"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/sources/bounded"
	"adsync/sources/celltext"

	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// Layout is what adsync.yaml says of the columns and sheets of every source:
// which columns are the user's own, and which sheets hold the rows of a kind
// under another name.
type Layout struct {
	Account string       // the account's id, "" where it is not declared
	own     []string     // headers, as they are written there
	sheets  []namedSheet // in the order they are written
}

// namedSheet is a sheet that adsync.yaml names for what its rows are.
type namedSheet struct {
	name string
	form string // a word of SheetKinds
}

// SheetKinds are the words that sheets in adsync.yaml takes: the titles of all
// sheets that are read, as keys.
var SheetKinds = []string{
	"campaigns", "ad_groups", "context_hints", "ads",
	"locations", "audiences", "spend_limits", "hint_lists", "pixels", "event_settings", "account",
}

// SheetKind returns the word of a title: ad_groups for Ad groups.
func SheetKind(title string) string { return strings.ReplaceAll(strings.ToLower(title), " ", "_") }

// IsOwn reports whether a header is of a column the user keeps.
func (l *Layout) IsOwn(header string) bool {
	return OwnMark(header) || slices.ContainsFunc(l.own, func(own string) bool {
		return resource.Fold(own) == resource.Fold(header) || resource.Fold(own) == celltext.FoldedHeader(header)
	})
}

// OwnMark reports whether a header, or the name of a sheet, begins as those do
// that are the user's own.
func OwnMark(name string) bool { return strings.HasPrefix(celltext.Trimmed(name), "#") }

// IsNamed reports whether adsync.yaml names a sheet for the rows of a form.
func (l *Layout) IsNamed(sheet, title string) bool { return l.FormOf(sheet) == SheetKind(title) }

// Name takes a sheet for the rows of a form, by its title, where it has none.
func (l *Layout) Name(sheet, title string) {
	if l.FormOf(sheet) == "" {
		l.sheets = append(slices.Clip(l.sheets), namedSheet{sheet, SheetKind(title)})
	}
}

// FormOf returns the word of the form adsync.yaml gives a sheet, "" where it
// names none.
func (l *Layout) FormOf(sheet string) string {
	for _, named := range l.sheets {
		if resource.Fold(named.name) == resource.Fold(sheet) {
			return named.form
		}
	}
	return ""
}

// OwnColumnsLine returns the line of adsync.yaml that makes columns the user's
// own, beside those it names already.
func (l *Layout) OwnColumnsLine(headers ...string) string {
	all := slices.Clone(l.own)
	for _, header := range headers {
		if !slices.ContainsFunc(all, func(have string) bool { return resource.Fold(have) == resource.Fold(header) }) {
			all = append(all, header)
		}
	}
	return "own_columns: " + flowList(all)
}

// SheetsLine returns the line of adsync.yaml that names the sheets.
func (l *Layout) SheetsLine() string {
	var parts []string
	for _, form := range SheetKinds {
		var names []string
		for _, named := range l.sheets {
			if named.form == form {
				names = append(names, named.name)
			}
		}
		if len(names) > 0 {
			parts = append(parts, form+": "+flowList(names))
		}
	}
	return "sheets: {" + strings.Join(parts, ", ") + "}"
}

// flowList writes texts as a YAML list on one line, each in double quotes.
func flowList(texts []string) string {
	quoted := make([]string, len(texts))
	for i, text := range texts {
		quoted[i] = `"` + strings.NewReplacer(`\`,
			`\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(text) + `"`
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

func (p *Project) readOwnColumns(w *settingReader, node *yaml.Node) {
	for _, header := range w.settings(node, "own_columns") {
		p.Layout.own = append(p.Layout.own, header.Value)
	}
}

func (p *Project) readSheets(w *settingReader, node *yaml.Node) {
	readers := map[string]func(*yaml.Node){}
	for _, form := range SheetKinds {
		readers[form] = func(n *yaml.Node) { p.readSheetNames(w, n, form) }
	}
	w.fields(node, "sheets", readers)
}

// readSheetNames takes the names of the sheets of one form. A sheet has rows of
// one form, so that a name stands once; and one that begins with # is never read.
func (p *Project) readSheetNames(w *settingReader, node *yaml.Node, form string) {
	for _, name := range w.settings(node, "sheets."+form) {
		wrong := ""
		switch before := p.Layout.FormOf(name.Value); {
		case OwnMark(name.Value):
			wrong = "begins with #, and such sheets are not read; want another name"
		case before != "":
			wrong = "stands under " + before + " already; want it once"
		case IsOurTab(name.Value):
			wrong = "is a sheet that adsync writes and does not read; want another name"
		}
		if wrong != "" {
			w.Problems = append(w.Problems, bounded.ProblemAt(name.Position, resource.Finding{
				Code: diag.BadProject, Message: fmt.Sprintf("sheets.%s has %q, which %s", form, name.Value, wrong),
			}))
			continue
		}
		p.Layout.sheets = append(p.Layout.sheets, namedSheet{name.Value, form})
	}
}

// IsOurTab reports whether a sheet is one adsync writes and does not read.
func IsOurTab(name string) bool {
	return slices.ContainsFunc(ourTabs, func(ours string) bool { return resource.Fold(ours) == resource.Fold(name) })
}

// ourTabs are sheets adsync writes and does not read.
// StartTab is the sheet that explains the others, and PublishLabel what stands beside its cell that says whether the
// workbook is a draft or ready.
const (
	StartTab     = "Start here"
	PublishLabel = "This workbook is"
)

var ourTabs = []string{StartTab, "Plan", "Problems", PerformanceTab, DailyTab, "Lists", SyncTab}

// The sheets of figures: of spans, and of days.
const (
	PerformanceTab = "Performance"
	DailyTab       = "Daily figures"
)

// SyncTab says what wrote the workbook.
const SyncTab = "_sync"

// HintListsTab is the sheet with one named list a column.
const HintListsTab = "Hint lists"
