package workbook

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/sources/attach"
	"adsync/sources/catalog"
	"adsync/sources/celltext"
	"adsync/sources/draft"
)

// rowMaker says what stands in the rows of a snapshot, before a workbook gives
// it looks or a CSV file quotes.
type rowMaker struct {
	schemas  resource.Schemas
	currency string
	snapshot *resource.Snapshot // nil for a template
	byKind   map[resource.Kind][]*resource.Resource
	names    map[resource.Address]string // what the rows of children call each resource
	entries  []entryRow                  // entries of lists that stand in rows of their own
}

// entryRow is one entry of a list that stands on its own sheet.
type entryRow struct {
	list  *catalog.ListTab
	owner *resource.Resource
	use   string
	text  string
}

// index sorts the resources once.
func (m *rowMaker) index() {
	m.byKind = map[resource.Kind][]*resource.Resource{}
	for _, a := range m.snapshot.Addresses() {
		m.byKind[a.Kind] = append(m.byKind[a.Kind], m.snapshot.Get(a))
	}
	m.names = m.parentNames()
}

// sets reports whether some resource of a kind has a value of an attribute.
func (m *rowMaker) sets(kind resource.Kind, a *resource.Attribute) bool {
	return slices.ContainsFunc(m.byKind[kind], func(r *resource.Resource) bool { return !r.Value(a.Name).IsAbsent() })
}

// parentNames returns how the rows of children name each resource: by its name
// where that leads to it alone, else by its key.
func (m *rowMaker) parentNames() map[resource.Address]string {
	called := map[resource.Address]int{}
	place := func(r *resource.Resource, text string) resource.Address {
		return resource.Address{
			Kind: r.Address.Kind, Key: m.schemas.Parent(r.Address).Key + "\x00" + strings.ToLower(text),
		}
	}
	for _, r := range m.resources() {
		name, leaf := m.schemas.Of(r.Address.Kind).NameOf(r), r.Address.Leaf()
		called[place(r, leaf)]++
		if !strings.EqualFold(name, leaf) {
			called[place(r, name)]++
		}
	}
	names := map[resource.Address]string{}
	for _, r := range m.resources() {
		name := m.schemas.Of(r.Address.Kind).NameOf(r)
		names[r.Address] = r.Address.Leaf()
		if name != "" && called[place(r, name)] == 1 && !strings.Contains(name, "/") {
			names[r.Address] = name
		}
	}
	return names
}

func (m *rowMaker) resources() []*resource.Resource {
	var all []*resource.Resource
	for _, s := range m.schemas {
		all = append(all, m.byKind[s.Kind]...)
	}
	return all
}

// plainText is what a column that is no attribute says of a resource.
func (m *rowMaker) plainText(t *catalog.Tab, c *catalog.Column, r *resource.Resource) string {
	switch {
	case c.Role == catalog.RoleKind:
		return t.Words()[0]
	case c.Role == catalog.RoleParent:
		return m.called(m.ancestor(r, c.Depth))
	case c.Role == catalog.RoleKey:
		return r.Address.Leaf()
	case c.Role == catalog.RoleID:
		return r.ID
	case c.Ours == catalog.OursFact:
		return CutText(r.Facts.Value(c.Fact.Name).Text())
	}
	return ""
}

// called is what the rows of children name a resource: by its key where it
// stands in another file.
func (m *rowMaker) called(a resource.Address) string {
	if name, here := m.names[a]; here {
		return name
	}
	return a.Leaf()
}

func (m *rowMaker) ancestor(r *resource.Resource, depth int) resource.Address {
	a := m.schemas.Parent(r.Address)
	for m.schemas.Depth(a.Kind) > depth {
		a = m.schemas.Parent(a)
	}
	return a
}

// attributeText is the text of a value, "" where it stands elsewhere. Every text
// is read again as the reader would, so that what is written is what loads.
func (m *rowMaker) attributeText(a *resource.Attribute, r *resource.Resource) (string, error) {
	v := r.Value(a.Name)
	_, isNumber := v.Number()
	switch {
	case v.IsAbsent() || v.IsNull() || isNumber:
		return a.Format(v), nil
	case a.Type.IsList():
		return m.listText(a, r)
	}
	text := attach.ImageText(v)
	if finding := unwritable(text); finding != "" {
		return "", fmt.Errorf("%s %s", a.Name, finding)
	}
	if again, finding := a.Parse(text, resource.Env{Currency: m.currency}); finding != nil ||
		a.Type != resource.TypeImage && a.Type != resource.TypeMembers && !again.Equal(v) ||
		celltext.AsksToClear(text, a.Type) {
		return "", fmt.Errorf("%s is %q, which a cell cannot say", a.Name, diag.Printable(text))
	}
	return text, nil
}

// listText is a list in one text where reading it gives the list again; else
// its entries become rows of their own.
func (m *rowMaker) listText(a *resource.Attribute, r *resource.Resource) (string, error) {
	v := r.Value(a.Name)
	if len(v.Items()) == 0 {
		return "", nil // the service holds none: nothing to decide
	}
	text := a.JoinItems(v.Items())
	if unwritable(text) == "" && readsBack(a, text, v) {
		return text, nil
	}
	list, use := listFor(r.Address.Kind, a.Name)
	if list == nil || draft.LooksLikeFile(a, v.Items()) {
		return jsonText(a, v)
	}
	for _, item := range v.Items() {
		if finding := unwritable(item); finding != "" {
			return "", fmt.Errorf("an entry of %s %s", a.Name, finding)
		}
		m.entries = append(m.entries, entryRow{list: list, owner: r, use: use, text: item})
	}
	return "", nil
}

// jsonText writes entries with separators in them as the vendor's workbook does.
func jsonText(a *resource.Attribute, v resource.Value) (string, error) {
	text, err := json.Marshal(v.Items())
	if err != nil {
		return "", fmt.Errorf("%s: %w", a.Name, err)
	}
	if finding := unwritable(string(text)); finding != "" {
		return "", fmt.Errorf("%s %s", a.Name, finding)
	}
	if !readsBack(a, string(text), v) {
		return "", fmt.Errorf("%s is %s, which a cell cannot say", a.Name, diag.Printable(string(text)))
	}
	return string(text), nil
}

func readsBack(a *resource.Attribute, text string, v resource.Value) bool {
	items, finding := celltext.ListItems(a, text)
	if finding != nil || celltext.AsksToClear(text, a.Type) ||
		len(items) == 0 || draft.TakesFiles(a, text) && draft.LooksLikeFile(a, items) {
		return false
	}
	again, findings := a.ParseList(items)
	return len(findings) == 0 && again.Equal(v)
}

// listFor finds the sheet whose entries fill an attribute.
func listFor(kind resource.Kind, attribute string) (*catalog.ListTab, string) {
	for i := range catalog.ListTabs {
		list := &catalog.ListTabs[i]
		use := slices.IndexFunc(list.Uses, func(u catalog.ListUse) bool { return u.Attribute == attribute })
		if list.Kind == kind && use >= 0 {
			return list, list.Uses[use].Word
		}
	}
	return nil, ""
}

func (m *rowMaker) entryText(t *catalog.Tab, c *catalog.Column, e entryRow) string {
	switch c.Role {
	case catalog.RoleKind:
		return t.Words()[0]
	case catalog.RoleParent:
		if c.Depth < m.schemas.Depth(e.owner.Address.Kind) {
			return m.called(m.ancestor(e.owner, c.Depth))
		}
		return m.names[e.owner.Address]
	case catalog.RoleItem:
		return e.text
	case catalog.RoleUse:
		return e.use
	}
	return ""
}

// CutText keeps a message to what a cell holds and says that it is longer.
func CutText(text string) string {
	if unwritable(text) == "" {
		return text
	}
	text = diag.Printable(text)
	if runes := []rune(text); len(runes) > maxCellText/2 {
		text = string(runes[:maxCellText/2]) + " … (longer)"
	}
	return text
}
