package catalog

import (
	"slices"
	"strings"

	"adsync/internal/resource"
	"adsync/sources/config"
	"adsync/sources/draft"
)

// Form is what a sheet or a CSV file holds: the rows of one tab, or of several,
// told apart by the column Kind.
type Form struct {
	Title string
	Tabs  []Tab
}

// Names returns the names a sheet of the form may have.
func (f *Form) Names() []string {
	names := []string{f.Title}
	for i := range f.Tabs {
		names = append(names, f.Tabs[i].synonyms...)
	}
	return names
}

// Many reports whether the form may have the rows of hints, not of a sheet.
func (f *Form) Many() bool {
	return len(f.Tabs) == 1 && f.Tabs[0].List != nil && f.Tabs[0].List.Many
}

// Forms returns what the sheets of a source can hold, with the columns the user
// keeps for himself.
func Forms(in *draft.Input) []Form {
	forms := FormsOf(in.Schemas)
	for i := range forms {
		forms[i].Keep(&in.Layout)
	}
	return forms
}

// Keep lets the columns of the user's own be none of the form's.
func (f *Form) Keep(l *config.Layout) {
	for i := range f.Tabs {
		f.Tabs[i].Layout = l
	}
}

// FormsOf gathers the tabs that share a sheet.
func FormsOf(schemas resource.Schemas) []Form {
	var forms []Form
	for _, t := range TabsOf(schemas) {
		i := slices.IndexFunc(forms, func(f Form) bool { return f.Title == t.Title })
		if i < 0 {
			forms = append(forms, Form{Title: t.Title, Tabs: []Tab{t}})
			continue
		}
		forms[i].Tabs = append(forms[i].Tabs, t)
	}
	for i := range forms {
		if len(forms[i].Tabs) > 1 {
			forms[i].AddKind()
		}
	}
	return forms
}

// AddKind gives every tab of a form the column that tells their rows apart.
func (f *Form) AddKind() {
	var words []string
	for i := range f.Tabs {
		words = append(words, f.Tabs[i].Words()[0])
	}
	kind := Column{
		Title: "Kind", Role: RoleKind, Required: true,
		Words: words, Help: "What the row is: " + strings.Join(words, ", ") + ".",
	}
	for i := range f.Tabs {
		f.Tabs[i].Columns = append([]Column{kind}, f.Tabs[i].Columns...)
	}
}
