package sources

import (
	"github.com/xuri/excelize/v2"
)

// bookStyles are the looks of a workbook's cells, by number.
type bookStyles struct {
	header, required, readOnlyHeader int
	text, wrapped, money, day        int
	exact, readOnly, example         int
	title, heading, body, accent     int
}

// The colours: dark for what is asked for, grey for what is not read.
const (
	colourHeader   = "1F4E5F"
	colourRequired = "0B7A75"
	colourReadOnly = "E7E9EB"
	colourQuiet    = "6B7780"
)

func newBookStyles(f *excelize.File) (bookStyles, error) {
	var s bookStyles
	middle := &excelize.Alignment{Vertical: "center", WrapText: true}
	top := &excelize.Alignment{Vertical: "top"}
	wrap := &excelize.Alignment{Vertical: "top", WrapText: true}
	white := &excelize.Font{Bold: true, Color: "FFFFFF", Family: "Calibri", Size: 11}
	quiet := &excelize.Font{Color: colourQuiet, Family: "Calibri", Size: 11}
	plain := &excelize.Font{Family: "Calibri", Size: 11}
	for _, want := range []struct {
		number *int
		style  excelize.Style
	}{
		{&s.header, excelize.Style{Font: white, Fill: solid(colourHeader), Alignment: middle}},
		{&s.required, excelize.Style{Font: white, Fill: solid(colourRequired), Alignment: middle}},
		{&s.readOnlyHeader, excelize.Style{Font: &excelize.Font{Bold: true, Color: colourQuiet, Family: "Calibri", Size: 11}, Fill: solid(colourReadOnly), Alignment: middle}},
		{&s.text, excelize.Style{Font: plain, Alignment: top}},
		{&s.wrapped, excelize.Style{Font: plain, Alignment: wrap}},
		{&s.money, excelize.Style{Font: plain, Alignment: top, CustomNumFmt: new("#,##0.00####")}},
		{&s.day, excelize.Style{Font: plain, Alignment: top, CustomNumFmt: new("yyyy-mm-dd")}},
		{&s.exact, excelize.Style{Font: plain, Alignment: top, NumFmt: textFormat}},
		{&s.readOnly, excelize.Style{Font: quiet, Fill: solid(colourReadOnly), Alignment: top, NumFmt: textFormat}},
		{&s.example, excelize.Style{Font: &excelize.Font{Italic: true, Color: colourQuiet, Family: "Calibri", Size: 11}, Alignment: top}},
		{&s.title, excelize.Style{Font: &excelize.Font{Bold: true, Color: colourHeader, Family: "Calibri", Size: 20}}},
		{&s.heading, excelize.Style{Font: &excelize.Font{Bold: true, Color: colourHeader, Family: "Calibri", Size: 13}, Alignment: &excelize.Alignment{Vertical: "bottom"}}},
		{&s.body, excelize.Style{Font: plain, Alignment: wrap}},
		{&s.accent, excelize.Style{Font: &excelize.Font{Bold: true, Family: "Calibri", Size: 11}, Alignment: top}},
	} {
		number, err := f.NewStyle(&want.style)
		if err != nil {
			return s, err
		}
		*want.number = number
	}
	return s, nil
}

// textFormat is the number format @: what is typed stays text.
const textFormat = 49

func solid(colour string) excelize.Fill {
	return excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{colour}}
}

// startSection is one part of the sheet Start here: a heading and its lines,
// each a label and a text.
type startSection struct {
	heading string
	lines   [][2]string
}

// startSections say how the workbook is used.
func startSections(a Account) []startSection {
	return []startSection{
		{"Account", [][2]string{{"Account", a.ID}, {"Currency", a.Currency}, {"Time zone", a.TimeZone}}},
		{"Filling it in", [][2]string{
			{"One row", "is one campaign, ad group or ad. Ad groups name their campaign; ads name their campaign and ad group."},
			{"Green headers", "must be filled in every row. Hold the mouse over any header to read what it takes."},
			{"A blank cell", "changes nothing: adsync leaves the setting as it is."},
			{"[clear]", "removes the setting."},
			{"Removing a row", "removes nothing. To end something, set its Status to archived; that cannot be undone."},
			{"Include: no", "leaves a row out. A row that begins with # is a remark; so are the example rows."},
			{"Key", "is your own short name for a row. It may stay blank; fill it in before you rename something."},
			{"Grey columns", "are filled by adsync and not read."},
			{"Your own", "columns and sheets are kept and not read. Begin a header with # if adsync takes it for one of its own."},
		}},
		{"Sending it", [][2]string{
			{"1. Save", "this workbook in the project's folder, beside adsync.yaml."},
			{"2. Check", "adsync validate lists every problem with its cell."},
			{"3. Look", "adsync plan shows what would change and what it may cost."},
			{"4. Send", "adsync apply sends the changes after asking, and writes a copy of this workbook with a result in each row."},
		}},
	}
}

// writeStart fills the sheet people see first.
func (b *bookWriter) writeStart() error {
	if err := b.file.SetColWidth(startTab, "A", "A", 20); err != nil {
		return err
	}
	if err := b.file.SetColWidth(startTab, "B", "B", 96); err != nil {
		return err
	}
	if err := b.startCell(1, 1, "Ads workbook", b.styles.title); err != nil {
		return err
	}
	row := 1
	for _, section := range startSections(b.account) {
		row += 2
		if err := b.startCell(1, row, section.heading, b.styles.heading); err != nil {
			return err
		}
		for _, line := range section.lines {
			row++
			if err := b.startCell(1, row, line[0], b.styles.accent); err != nil {
				return err
			}
			if err := b.startCell(2, row, line[1], b.styles.body); err != nil {
				return err
			}
		}
	}
	if err := b.file.SetPageLayout(startTab, &excelize.PageLayoutOptions{Orientation: new("landscape")}); err != nil {
		return err
	}
	return b.file.SetSheetView(startTab, 0, &excelize.ViewOptions{ShowGridLines: new(false)})
}

func (b *bookWriter) startCell(column, row int, text string, style int) error {
	cell, err := excelize.CoordinatesToCellName(column, row)
	if err != nil {
		return err
	}
	if err := b.file.SetCellStr(startTab, cell, text); err != nil {
		return err
	}
	return b.file.SetCellStyle(startTab, cell, cell, style)
}
