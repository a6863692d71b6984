package xlsx

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"
)

// checkRewritten reads the result as any workbook is read, and holds it against
// the original: the cells edited hold their values, all others what they held.
// The sheet that was added, if any, holds what it held.
func checkRewritten(before, added *Book, rewritten []byte, bySheet [][]Edit, within Limits) error {
	after, err := openBook(rewritten, within)
	if err != nil {
		return fmt.Errorf("the rewritten workbook does not read: %w", err)
	}
	count := len(before.Sheets)
	if added != nil {
		if err := checkAdded(before, added, after); err != nil {
			return fmt.Errorf("the sheet that was added: %w", err)
		}
		count++
	}
	if len(after.Sheets) != count || !slices.Equal(before.Sheets, after.Sheets[:len(before.Sheets)]) ||
		before.Date1904 != after.Date1904 {
		return fmt.Errorf("the rewritten workbook has other sheets than the original")
	}
	edits := map[string][]Edit{}
	for _, list := range bySheet {
		edits[list[0].Sheet] = list
	}
	for _, sheet := range before.Sheets {
		if err := checkSheet(before, after, sheet.Part, edits[sheet.Name]); err != nil {
			return fmt.Errorf("sheet %q, rewritten: %w", sheet.Name, err)
		}
	}
	return nil
}

// checkAdded wants the last sheet to hold what that of the other workbook holds, in the same number formats, and the
// numbers of the styles that were there to mean what they meant.
func checkAdded(before, added, after *Book) error {
	last := after.Sheets[len(after.Sheets)-1]
	if last.Name != added.Sheets[0].Name || last.Hidden {
		return fmt.Errorf("the last sheet is %q; want %q", last.Name, added.Sheets[0].Name)
	}
	if len(after.styles) < len(before.styles) || !slices.Equal(before.styles, after.styles[:len(before.styles)]) {
		return fmt.Errorf("styles mean something else")
	}
	want, err := shownOn(added, added.Sheets[0].Part)
	if err != nil {
		return err
	}
	got, err := shownOn(after, last.Part)
	if err == nil && want != got {
		err = fmt.Errorf("cells differ")
	}
	return err
}

// shownOn is a sum of what a sheet holds, with its number formats.
func shownOn(b *Book, part string) ([sha256.Size]byte, error) {
	sum := sha256.New()
	_, err := Walk(b, part, func(row *Row) error {
		for _, c := range row.Cells {
			style, err := b.StyleOf(c.Style)
			if err != nil {
				return err
			}
			c.Style = 0
			fmt.Fprintf(sum, "%d %v %#v %#v\n", row.Number, row.Hidden, c, style)
		}
		return nil
	})
	return [sha256.Size]byte(sum.Sum(nil)), err
}

func checkSheet(before, after *Book, part string, edits []Edit) error {
	if bytes.Equal(before.parts.content[part], after.parts.content[part]) && len(edits) == 0 {
		return nil
	}
	edited := map[At]EditValue{}
	for _, e := range edits {
		edited[e.at()] = e.Value
	}
	_, want, err := splitSheet(before, part, edited)
	if err != nil {
		return err
	}
	found, got, err := splitSheet(after, part, edited)
	if err != nil {
		return err
	}
	if want != got {
		return fmt.Errorf("cells differ that no edit names")
	}
	for at, value := range edited {
		if err := checkCell(after, at, value, found); err != nil {
			return err
		}
	}
	return nil
}

func checkCell(after *Book, at At, value EditValue, found map[At]Cell) error {
	got, there := found[at]
	looks, err := after.StyleOf(got.Style)
	if err != nil {
		return err
	}
	want, filled := value.result(after.Date1904, looks)
	if filled != there || got.Form != want.Form ||
		got.Text != want.Text || got.IsFormula != want.IsFormula || got.Formula != want.Formula {
		return fmt.Errorf("cell %s holds %q; want %q", at, got.Text, want.Text)
	}
	return nil
}

// splitSheet walks a sheet and parts its cells: the edited ones as they are, the
// others as one sum.
func splitSheet(b *Book, part string, edited map[At]EditValue) (found map[At]Cell, rest [sha256.Size]byte, err error) {
	found = map[At]Cell{}
	sum := sha256.New()
	_, err = Walk(b, part, func(row *Row) error {
		for _, c := range row.Cells {
			at := At{row.Number, c.Column}
			if _, ok := edited[at]; ok {
				found[at] = c
				continue
			}
			fmt.Fprintf(sum, "%d %v %#v\n", row.Number, row.Hidden, c)
		}
		return nil
	})
	return found, [sha256.Size]byte(sum.Sum(nil)), err
}
