package sources

import "github.com/xuri/excelize/v2"

// hintColumns is how many columns of the sheet Hint lists are made ready.
const hintColumns = "H"

// writeHintLists makes the sheet with one list a column ready, with the name of
// a first list that nobody has filled.
func (b *bookWriter) writeHintLists() error {
	header, err := b.styles.number(headerLook(&column{role: roleItem}))
	if err != nil {
		return err
	}
	entry, err := b.styles.number(look{wrap: true, line: true})
	if err != nil {
		return err
	}
	for _, step := range []func() error{
		func() error { return b.file.SetColWidth(hintListsTab, "A", hintColumns, 40) },
		func() error { return b.file.SetColStyle(hintListsTab, "A:"+hintColumns, entry) },
		func() error { return b.file.SetSheetRow(hintListsTab, "A1", &[]string{"my-list"}) },
		func() error { return b.file.SetCellStyle(hintListsTab, "A1", hintColumns+"1", header) },
		func() error { return b.file.SetRowHeight(hintListsTab, 1, 2*lineHeight+4) },
		func() error {
			return b.file.AddComment(hintListsTab,
				noteAt("A1", "One list a column: its name here, its sentences below, one a cell. "+
					"Ad groups take it in by its name, in their column Hint lists.\nBlank: "+
					"there is no list in the column.\nExample: trail-basics, and below it: people who run in mud"))
		},
		func() error {
			return b.file.SetPanes(hintListsTab, &excelize.Panes{
				Freeze: true, YSplit: 1, TopLeftCell: "A2", ActivePane: "bottomLeft",
			})
		},
		func() error { return b.setUpPrint(hintListsTab, manyPages) },
		func() error { return b.colourTab(hintListsTab, "7FB3B0") },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}
