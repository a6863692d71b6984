package workbook

import (
	"adsync/sources/catalog"
	"adsync/sources/config"
	"adsync/sources/look"

	"github.com/xuri/excelize/v2"
)

// hintColumns is how many columns of the sheet Hint lists are made ready.
const hintColumns = "H"

// writeHintLists makes the sheet with one list a column ready, with the name of
// a first list that nobody has filled.
func (b *bookWriter) writeHintLists() error {
	header, err := b.styles.Number(headerLook(&catalog.Column{Role: catalog.RoleItem}))
	if err != nil {
		return err
	}
	entry, err := b.styles.Number(look.Look{Wrap: true, Line: true})
	if err != nil {
		return err
	}
	for _, step := range []func() error{
		func() error { return b.file.SetColWidth(config.HintListsTab, "A", hintColumns, 40) },
		func() error { return b.file.SetColStyle(config.HintListsTab, "A:"+hintColumns, entry) },
		func() error { return b.file.SetSheetRow(config.HintListsTab, "A1", &[]string{"my-list"}) },
		func() error { return b.file.SetCellStyle(config.HintListsTab, "A1", hintColumns+"1", header) },
		func() error { return b.file.SetRowHeight(config.HintListsTab, 1, 2*LineHeight+4) },
		func() error {
			return b.file.AddComment(config.HintListsTab,
				NoteAt("A1", "One list a column: its name here, its sentences below, one a cell. "+
					"Ad groups take it in by its name, in their column Hint lists.\nBlank: "+
					"there is no list in the column.\nExample: trail-basics, and below it: people who run in mud"))
		},
		func() error {
			return b.file.SetPanes(config.HintListsTab, &excelize.Panes{
				Freeze: true, YSplit: 1, TopLeftCell: "A2", ActivePane: "bottomLeft",
			})
		},
		func() error { return SetUpPrint(b.file, config.HintListsTab, ManyPages) },
		func() error { return ColourTab(b.file, config.HintListsTab, "7FB3B0") },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}
