package sources

import (
	"maps"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/synonyms"
)

// label is the attribute a column holds, else its title.
func (c *column) label() string {
	if c.role == roleAttribute {
		return c.attribute.Name
	}
	return c.title
}

// misspelt finds the one column a header is but for a letter, by its own words
// before those of others: Stauts is Status and not Starts.
func (t *tab) misspelt(header string) (*column, bool) {
	if c, found := t.misspeltAmong(header, func(c *column) []string { return c.own }); found {
		return c, true
	}
	return t.misspeltAmong(header, func(c *column) []string { return c.synonyms })
}

func (t *tab) misspeltAmong(header string, words func(*column) []string) (*column, bool) {
	byName := map[string]*column{}
	var names []string
	for i := range t.columns {
		col := &t.columns[i]
		for _, name := range append([]string{col.title}, words(col)...) {
			if folded := resource.Fold(name); byName[folded] == nil {
				byName[folded] = col
				names = append(names, folded)
			}
		}
	}
	var found *column
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

// holds reports whether a column can give an attribute its value.
func (c *column) holds(a *resource.Attribute) bool {
	return c.role == roleAttribute && c.attribute == a || c.role == roleSelected && slices.Contains(c.among, a)
}

// isOwn reports whether a header is the column's own, or a word of the service:
// nobody needs to be told what it is read as.
func (c *column) isOwn(header string) bool {
	if c.role == roleKind || c.role == roleSelector || c.role == roleSelected || c.micros {
		return true
	}
	folded := []string{resource.Fold(header), foldedHeader(header)}
	return slices.ContainsFunc(append([]string{c.title}, c.own...), func(name string) bool {
		return slices.Contains(folded, resource.Fold(name))
	})
}

// namedItems cuts the names of hint lists, which are no sentences.
func (c *column) namedItems(text string) []string {
	names := resource.Attribute{Type: resource.TypeIDs}
	return names.Split(text)
}

// columnFor finds the column a header means, with or without what its brackets
// say.
func (t *tab) columnFor(header string) *column {
	if t.layout != nil && t.layout.isOwn(header) {
		return nil
	}
	if c := t.columnNamed(header); c != nil || !strings.ContainsAny(header, "([") || synonyms.HasNothing(header) != "" {
		return c
	}
	if m := bracketed.FindStringSubmatch(header); m != nil {
		return t.columnNamed(m[1])
	}
	return nil
}

// columnNamed looks among the columns that are written, then among those that
// are only read. What a selector would select has its own meaning only beside it.
func (t *tab) columnNamed(header string) *column {
	if t.byName == nil {
		t.byName = map[string]*column{}
		for i := range t.columns {
			t.enterName(&t.columns[i])
		}
		for i := range t.also {
			if c := &t.also[i]; c.role != roleSelected {
				t.enterName(c)
			}
		}
	}
	return t.byName[resource.Fold(header)]
}

// enterName keeps the first column of a name.
func (t *tab) enterName(c *column) {
	for _, name := range append([]string{c.title}, c.synonyms...) {
		if folded := resource.Fold(name); t.byName[folded] == nil {
			t.byName[folded] = c
		}
	}
}

// nearest returns the known header a strange one is nearly, "" where there is none.
func (f *form) nearest(header string) string {
	if isFigureHeader(header) {
		return ""
	}
	if near := f.nearestAmong(header, func(c *column) []string { return c.own }); near != "" {
		return near
	}
	return f.nearestAmong(header, func(c *column) []string { return c.synonyms })
}

// nearestAmong compares a header with the titles of columns and other words for
// them.
func (f *form) nearestAmong(header string, words func(*column) []string) string {
	byFold := map[string]string{}
	for i := range f.tabs {
		f.tabs[i].gatherNear(byFold, words)
	}
	return byFold[diag.Nearest(foldedHeader(header), slices.Collect(maps.Keys(byFold)))]
}

// mainTitles are the headers a sheet cannot do without.
func (f *form) mainTitles() []string {
	var titles []string
	for _, t := range f.tabs {
		for _, c := range t.columns {
			if c.required && !slices.Contains(titles, c.title) {
				titles = append(titles, c.title)
			}
		}
	}
	return titles
}

func (t *tab) gatherNear(byFold map[string]string, words func(*column) []string) {
	for _, c := range append(slices.Clone(t.columns), t.also...) {
		if c.role == roleOurs || c.role == roleSelected {
			continue
		}
		byFold[resource.Fold(c.title)] = c.title
		for _, synonym := range words(&c) {
			if len(resource.Fold(synonym)) >= shortestNear {
				byFold[resource.Fold(synonym)] = synonym
			}
		}
	}
}

// side is where the cells of a column, and its header, stand.
func (c *column) side() string {
	switch {
	case c.figure != nil || c.role == roleAttribute && c.attribute.Type == resource.TypeMoney:
		return "right"
	case c.ours == oursLength, c.role == roleInclude,
		c.role == roleAttribute && (c.attribute.Type == resource.TypeDay || c.attribute.Type == resource.TypeLast):
		return "center"
	}
	return ""
}
