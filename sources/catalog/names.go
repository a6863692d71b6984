package catalog

import (
	"maps"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/synonyms"
	"adsync/sources/celltext"
)

// Label is the attribute a column holds, else its title.
func (c *Column) Label() string {
	if c.Role == RoleAttribute {
		return c.Attribute.Name
	}
	return c.Title
}

// Misspelt finds the one column a header is but for a letter, by its own words
// before those of others: Stauts is Status and not Starts.
func (t *Tab) Misspelt(header string) (*Column, bool) {
	if c, found := t.misspeltAmong(header, func(c *Column) []string { return c.own }); found {
		return c, true
	}
	return t.misspeltAmong(header, func(c *Column) []string { return c.Synonyms })
}

func (t *Tab) misspeltAmong(header string, words func(*Column) []string) (*Column, bool) {
	byName := map[string]*Column{}
	var names []string
	for i := range t.Columns {
		col := &t.Columns[i]
		for _, name := range append([]string{col.Title}, words(col)...) {
			if folded := resource.Fold(name); byName[folded] == nil {
				byName[folded] = col
				names = append(names, folded)
			}
		}
	}
	var found *Column
	for _, name := range names {
		if near, ok := diag.Misspelt(resource.Fold(header), []string{name}); ok {
			if found != nil && found != byName[near] {
				return nil, false
			}
			found = byName[near]
		}
	}
	return found, found != nil
}

// Holds reports whether a column can give an attribute its value.
func (c *Column) Holds(a *resource.Attribute) bool {
	return c.Role == RoleAttribute && c.Attribute == a || c.Role == RoleSelected && slices.Contains(c.among, a)
}

// IsOwn reports whether a header is the column's own, or a word of the service:
// nobody needs to be told what it is read as.
func (c *Column) IsOwn(header string) bool {
	if c.Role == RoleKind || c.Role == RoleSelector || c.Role == RoleSelected || c.Micros {
		return true
	}
	folded := []string{resource.Fold(header), celltext.FoldedHeader(header)}
	return slices.ContainsFunc(append([]string{c.Title}, c.own...), func(name string) bool {
		return slices.Contains(folded, resource.Fold(name))
	})
}

// NamedItems cuts the names of hint lists, which are no sentences.
func (c *Column) NamedItems(text string) []string {
	names := resource.Attribute{Type: resource.TypeIDs}
	return names.Split(text)
}

// ColumnFor finds the column a header means, with or without what its brackets
// say.
func (t *Tab) ColumnFor(header string) *Column {
	if t.Layout != nil && t.Layout.IsOwn(header) {
		return nil
	}
	if c := t.ColumnNamed(header); c != nil || !strings.ContainsAny(header, "([") || synonyms.HasNothing(header) != "" {
		return c
	}
	if m := celltext.Bracketed.FindStringSubmatch(header); m != nil {
		return t.ColumnNamed(m[1])
	}
	return nil
}

// ColumnNamed looks among the columns that are written, then among those that
// are only read. What a selector would select has its own meaning only beside it.
func (t *Tab) ColumnNamed(header string) *Column {
	if t.byName == nil {
		t.byName = map[string]*Column{}
		for i := range t.Columns {
			t.enterName(&t.Columns[i])
		}
		for i := range t.Also {
			if c := &t.Also[i]; c.Role != RoleSelected {
				t.enterName(c)
			}
		}
	}
	return t.byName[resource.Fold(header)]
}

// enterName keeps the first column of a name.
func (t *Tab) enterName(c *Column) {
	for _, name := range append([]string{c.Title}, c.Synonyms...) {
		if folded := resource.Fold(name); t.byName[folded] == nil {
			t.byName[folded] = c
		}
	}
}

// Nearest returns the known header a strange one is nearly, "" where there is none.
func (f *Form) Nearest(header string) string {
	if IsFigureHeader(header) {
		return ""
	}
	if near := f.nearestAmong(header, func(c *Column) []string { return c.own }); near != "" {
		return near
	}
	return f.nearestAmong(header, func(c *Column) []string { return c.Synonyms })
}

// nearestAmong compares a header with the titles of columns and other words for
// them.
func (f *Form) nearestAmong(header string, words func(*Column) []string) string {
	byFold := map[string]string{}
	for i := range f.Tabs {
		f.Tabs[i].gatherNear(byFold, words)
	}
	return byFold[diag.Nearest(celltext.FoldedHeader(header), slices.Collect(maps.Keys(byFold)))]
}

// MainTitles are the headers a sheet cannot do without.
func (f *Form) MainTitles() []string {
	var titles []string
	for _, t := range f.Tabs {
		for _, c := range t.Columns {
			if c.Required && !slices.Contains(titles, c.Title) {
				titles = append(titles, c.Title)
			}
		}
	}
	return titles
}

func (t *Tab) gatherNear(byFold map[string]string, words func(*Column) []string) {
	for _, c := range append(slices.Clone(t.Columns), t.Also...) {
		if c.Role == RoleOurs || c.Role == RoleSelected {
			continue
		}
		byFold[resource.Fold(c.Title)] = c.Title
		for _, synonym := range words(&c) {
			if len(resource.Fold(synonym)) >= celltext.ShortestNear {
				byFold[resource.Fold(synonym)] = synonym
			}
		}
	}
}

// Side is where the cells of a column, and its header, stand.
func (c *Column) Side() string {
	switch {
	case c.Figure != nil || c.Role == RoleAttribute && c.Attribute.Type == resource.TypeMoney:
		return "right"
	case c.Ours == OursLength, c.Role == RoleInclude,
		c.Role == RoleAttribute && (c.Attribute.Type == resource.TypeDay || c.Attribute.Type == resource.TypeLast):
		return "center"
	}
	return ""
}
