package sources

import (
	"slices"
	"strings"

	"adsync/internal/resource"
)

// form is what a sheet or a CSV file holds: the rows of one tab, or of several,
// told apart by the column Kind.
type form struct {
	title string
	tabs  []tab
}

func (f *form) names() []string {
	names := []string{f.title}
	for i := range f.tabs {
		names = append(names, f.tabs[i].synonyms...)
	}
	return names
}

// many reports whether the form may have the rows of hints, not of a sheet.
func (f *form) many() bool {
	return len(f.tabs) == 1 && f.tabs[0].list != nil && f.tabs[0].list.many
}

// forms returns what the sheets of a source can hold, with the columns the user
// keeps for himself.
func forms(in *input) []form {
	forms := formsOf(in.schemas)
	for i := range forms {
		forms[i].keep(&in.layout)
	}
	return forms
}

func (f *form) keep(l *layout) {
	for i := range f.tabs {
		f.tabs[i].layout = l
	}
}

// formsOf gathers the tabs that share a sheet.
func formsOf(schemas resource.Schemas) []form {
	var forms []form
	for _, t := range tabsOf(schemas) {
		i := slices.IndexFunc(forms, func(f form) bool { return f.title == t.title })
		if i < 0 {
			forms = append(forms, form{title: t.title, tabs: []tab{t}})
			continue
		}
		forms[i].tabs = append(forms[i].tabs, t)
	}
	for i := range forms {
		if len(forms[i].tabs) > 1 {
			forms[i].addKind()
		}
	}
	return forms
}

// addKind returns every tab of a form the column that tells their rows apart.
func (f *form) addKind() {
	var words []string
	for i := range f.tabs {
		words = append(words, f.tabs[i].words()[0])
	}
	kind := column{
		title: "Kind", role: roleKind, required: true,
		words: words, help: "What the row is: " + strings.Join(words, ", ") + ".",
	}
	for i := range f.tabs {
		f.tabs[i].columns = append([]column{kind}, f.tabs[i].columns...)
	}
}
