package sources

import (
	"encoding/json"
	"fmt"
	"slices"

	"adsync/internal/diag"
	"adsync/internal/resource"

	"github.com/xuri/excelize/v2"
)

// entryRow is one entry of a list that stands on its own sheet.
type entryRow struct {
	list  *listTab
	owner *resource.Resource
	use   string
	text  string
}

// listCell writes a list in one cell where reading the cell gives the list
// again, else as rows of the sheet of its entries.
func (b *bookWriter) listCell(a *resource.Attribute, r *resource.Resource, style int) (any, error) {
	v := r.Value(a.Name)
	if len(v.Items()) == 0 {
		return nil, nil // the service holds none: nothing to decide
	}
	text := a.JoinItems(v.Items())
	if unwritable(text) == "" && readsBack(a, text, v) {
		return excelize.Cell{StyleID: style, Value: text}, nil
	}
	list, use := listFor(r.Address.Kind, a.Name)
	if list == nil {
		return jsonCell(a, v, style)
	}
	for _, item := range v.Items() {
		if finding := unwritable(item); finding != "" {
			return nil, fmt.Errorf("an entry of %s %s", a.Name, finding)
		}
		b.entries = append(b.entries, entryRow{list: list, owner: r, use: use, text: item})
	}
	return nil, nil
}

// jsonCell writes entries with separators in them as the vendor's workbook does.
func jsonCell(a *resource.Attribute, v resource.Value, style int) (any, error) {
	text, err := json.Marshal(v.Items())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a.Name, err)
	}
	if finding := unwritable(string(text)); finding != "" {
		return nil, fmt.Errorf("%s %s", a.Name, finding)
	}
	if !readsBack(a, string(text), v) {
		return nil, fmt.Errorf("%s is %s, which a cell cannot say", a.Name, diag.Printable(string(text)))
	}
	return excelize.Cell{StyleID: style, Value: string(text)}, nil
}

func readsBack(a *resource.Attribute, text string, v resource.Value) bool {
	items, finding := listItems(a, text)
	if finding != nil || asksToClear(text, a.Type) || len(items) == 0 {
		return false
	}
	again, findings := a.ParseList(items)
	return len(findings) == 0 && again.Equal(v)
}

// listFor finds the sheet whose entries fill an attribute.
func listFor(kind resource.Kind, attribute string) (*listTab, string) {
	for i := range listTabs {
		list := &listTabs[i]
		use := slices.IndexFunc(list.uses, func(u listUse) bool { return u.attribute == attribute })
		if list.kind == kind && use >= 0 {
			return list, list.uses[use].word
		}
	}
	return nil, ""
}

// entryRows are the rows of a sheet of entries.
func (b *bookWriter) entryRows(s *sheet) []rowCells {
	var rows []rowCells
	for _, e := range b.entries {
		if e.list.title != s.title {
			continue
		}
		cells := make([]any, len(s.columns))
		for i := range s.columns {
			cells[i] = textCell(s.styles[i], b.entryText(&s.columns[i], e))
		}
		guardRemark(cells)
		rows = append(rows, func(int) []any { return cells })
	}
	return rows
}

func (b *bookWriter) entryText(c *column, e entryRow) string {
	switch c.role {
	case roleParent:
		if c.depth < b.schemas.Depth(e.owner.Address.Kind) {
			return b.names[b.ancestor(e.owner, c.depth)]
		}
		return b.names[e.owner.Address]
	case roleItem:
		return e.text
	case roleUse:
		return e.use
	}
	return ""
}
