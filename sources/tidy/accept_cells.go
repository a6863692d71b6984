package tidy

import (
	"context"
	"fmt"

	"adsync/internal/resource"
	"adsync/internal/xlsx"
	"adsync/sources/catalog"
	"adsync/sources/table"
)

// acceptCells writes values into the cells of their rows.
func (a *accepter) acceptCells(ctx context.Context, accepted []Accepted) ([]byte, error) {
	f, err := a.openCells(ctx, a.file.File, a.file.Before)
	if err != nil {
		return nil, err
	}
	edits := map[*table.Reader][]cellEdit{}
	for _, one := range accepted {
		row := a.desired.Get(one.Address)
		t, at, err := f.cellOf(row, one.Attribute)
		if err != nil {
			return nil, err
		}
		attribute, _ := a.schemas.Of(one.Address.Kind).Attribute(one.Attribute)
		form, text := cellText(attribute, one.Value)
		edits[t] = append(edits[t], cellEdit{At: at, form: form, text: text})
		if attribute.Name == a.schemas.Of(one.Address.Kind).NameFrom[0] && one.Value.IsSet() {
			if err := f.rename(edits, a.schemas.Depth(one.Address.Kind),
				row.Value(attribute.Name).Text(), one.Value.Text()); err != nil {
				return nil, err
			}
		}
	}
	return f.rewrite(edits)
}

// rename has the rows beneath a row go on calling it by its name.
func (f *cellFile) rename(edits map[*table.Reader][]cellEdit, depth int, was, is string) error {
	for _, t := range f.tables {
		err := t.Visit(func(known *catalog.Column, at xlsx.At, cell xlsx.Cell) {
			if known.Role == catalog.RoleParent && known.Depth == depth && cell.Text == was {
				edits[t] = append(edits[t], cellEdit{At: at, form: asText, text: is})
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// cellOf finds the cell of a row and an attribute, which may be blank.
func (f *cellFile) cellOf(row *resource.Resource, attribute string) (*table.Reader, xlsx.At, error) {
	for _, t := range f.tables {
		if t.At(row.Position.Line(), 0).Sheet() != row.Position.Sheet() {
			continue
		}
		var found *table.Reader
		at := xlsx.At{}
		err := t.Visit(func(_ *catalog.Column, cell xlsx.At, _ xlsx.Cell) {
			if cell.Row != row.Position.Line() || found != nil {
				return
			}
			number := t.Header.ColumnOf(func(c *catalog.Column) bool {
				return c.Role == catalog.RoleAttribute && c.Attribute.Name == attribute
			})
			if number > 0 {
				found, at = t, xlsx.At{Row: cell.Row, Column: number}
			}
		})
		if err != nil {
			return nil, at, err
		}
		if found != nil {
			return found, at, nil
		}
	}
	return nil, xlsx.At{}, refuse(row, attribute, fmt.Sprintf("its sheet has no column of %s", attribute))
}

// cellText is a value as a cell holds it.
func cellText(a *resource.Attribute, v resource.Value) (editForm, string) {
	switch {
	case !v.IsSet():
		return asText, "[clear]"
	case a.Type == resource.TypeMoney:
		return asNumber, a.Format(v)
	case a.Type == resource.TypeDay || a.Type == resource.TypeLast:
		return asDay, v.Text()
	case a.Type == resource.TypeID || a.Type == resource.TypeIDs:
		return asExact, a.Format(v)
	}
	return asText, a.Format(v)
}
