package workbook

import (
	"fmt"
	"strings"

	"adsync/sources/catalog"
	"adsync/sources/config"
	"adsync/sources/draft"
	"adsync/sources/look"

	"github.com/xuri/excelize/v2"
)

// startSection is one part of the sheet Start here: a heading and its lines.
type startSection struct {
	heading string
	lines   []startLine
}

// startLine is a label and a text.
type startLine struct {
	label string
	text  string
	look  *look.Look // of the label where it shows a colour
	link  string     // sheet the label leads to

	choices []string // of a drop-down; nil where the text is not to be edited
}

// startSheet writes the sheet people see first.
type startSheet struct {
	Export
	file   *excelize.File
	styles *look.StyleBook
}

// startSections say how the workbook is used.
func (t *startSheet) startSections(sheets []*sheet) []startSection {
	return []startSection{
		{"Draft or ready", publishLines},
		{"Account", t.accountLines()},
		{"The sheets", t.sheetLines(sheets)},
		{"Filling it in", fillingLines},
		{"Sending it", sendingLines},
		{"Colours", colourLines()},
	}
}

// publishLines begin with the cell that says whether the workbook is to be published.
var publishLines = []startLine{
	{label: config.PublishLabel, text: draft.WordReady, choices: []string{draft.WordDraft, draft.WordReady}},
	{label: draft.WordReady, text: "What you save is checked, and sent once it may go."},
	{label: draft.WordDraft, text: "Nothing you save is sent until the cell says ready again: the last ready version " +
		"counts. Only a Status of paused goes at once."},
}

func (t *startSheet) accountLines() []startLine {
	var lines []startLine
	for _, line := range []startLine{
		{label: "Account", text: t.Account.ID}, {label: "Currency", text: t.Account.Currency},
		{label: "Time zone", text: t.Account.TimeZone}, {label: "Exported at", text: t.exportedAt()},
	} {
		if line.text != "" {
			lines = append(lines, line)
		}
	}
	if t.Figures != nil {
		for _, w := range t.Figures.Windows {
			lines = append(lines, startLine{label: "Figures " + w.Name, text: catalog.WindowHelp(w.Window)})
		}
	}
	if len(lines) == 0 {
		lines = []startLine{{label: "Account", text: "adsync.yaml of the folder says which one."}}
	}
	return lines
}

// sheetLines lead to the sheets, in the order they stand in.
func (t *startSheet) sheetLines(sheets []*sheet) []startLine {
	says := map[string]string{
		config.HintListsTab: "Lists of sentences that several ad groups share: one list a column.",
		PerformanceTab:      "What each campaign, ad group and ad did, with totals and charts. Not read.",
		DailyTab:            "What each ad did on each day. Not read: for pivot tables and charts.",
	}
	for _, s := range sheets {
		says[s.Title] = s.saysWhat()
	}
	var lines []startLine
	for _, title := range t.file.GetSheetList() {
		if says[title] != "" {
			lines = append(lines, startLine{label: title, text: says[title], link: title})
		}
	}
	return lines
}

// saysWhat is what one row of a sheet is.
func (s *sheet) saysWhat() string {
	if s.List != nil {
		return "One row is one entry: " + lowerFirst(s.List.Help)
	}
	var kinds []string
	for i := range s.parts {
		kinds = append(kinds, strings.ToLower(s.parts[i].Schema.Title))
	}
	text := "One row is one " + strings.Join(kinds, " or one ") + "."
	var above []string
	for _, c := range s.Columns {
		if c.Role == catalog.RoleParent {
			above = append(above, strings.ToLower(c.Title))
		}
	}
	if len(above) > 0 {
		text += " It names its " + strings.Join(above, " and its ") + "."
	}
	return text
}

func lowerFirst(text string) string {
	return strings.ToLower(text[:1]) + text[1:]
}

var fillingLines = []startLine{
	{label: "A blank cell", text: "changes nothing: adsync leaves the setting as it is."},
	{label: "[clear]", text: "removes the setting: no last day, no countries, no tracking."},
	{label: "Removing a row",
		text: "removes nothing. To end something, set its Status to archived; that cannot be undone."},
	{label: "Include: no", text: "leaves a row " +
		"out. A row that begins with # is a remark; so are the example rows. Delete them or leave them."},
	{label: "Key", text: "is your own short name " +
		"for a row. It may stay blank; fill it in before you rename something."},
	{label: "Help", text: "Hold the mouse over a " +
		"header: it says what the column takes, what a blank cell means, and shows an example."},
	{label: "Your own", text: "columns and sheets " +
		"are kept and not read. Begin a header, or the name of a sheet, with # to say so."},
}

var sendingLines = []startLine{
	{label: "1. Save", text: "this workbook in the project's folder, beside adsync.yaml."},
	{label: "2. Check", text: "adsync validate " +
		"--marked checked writes a copy to the folder checked, with every problem red and explained."},
	{label: "3. Look", text: "adsync plan shows what would change and what it may cost."},
	{label: "4. Send", text: "adsync apply sends the " +
		"changes after asking, and writes a copy of this workbook with a result in each row."},
}

// colourLines show each colour and say what it means.
func colourLines() []startLine {
	header := look.Look{Font: look.ColourWhite, Bold: true, Fill: look.ColourHeader}
	required, readOnly := header, header
	required.Fill = look.ColourRequired
	readOnly.Font, readOnly.Fill = look.ColourQuiet, look.ColourReadOnly
	lines := []startLine{
		{label: "Header*", text: "Every row needs a value in this column.", look: &required},
		{label: "Header", text: "The column may stay blank.", look: &header},
		{label: "Header", text: "adsync fills the column; what you type there is not read.", look: &readOnly},
	}
	for _, s := range []struct {
		label, text string
		tone        look.Tone
	}{
		{"active", "It delivers, if everything above it does. In copies: created or updated.", look.ToneGood},
		{"paused", "It does not deliver. In copies: it waits for something.", look.ToneWaiting},
		{"archived", "It has ended.", look.ToneQuiet},
		{"too long", "The text is longer than the " +
			"service takes. In copies: this cell is what went wrong; its note says why.", look.ToneBad},
	} {
		lines = append(lines, startLine{
			label: s.label, text: s.text, look: &look.Look{Font: s.tone.Font, Fill: s.tone.Fill},
		})
	}
	return lines
}

// startWidth is the width of the texts of the sheet Start here, in characters.
const startWidth = 104

// writeStart fills the sheet people see first.
func (t *startSheet) writeStart(sheets []*sheet) error {
	for column, width := range map[string]float64{"A": 20, "B": startWidth} {
		if err := t.file.SetColWidth(startTab, column, column, width); err != nil {
			return err
		}
	}
	title := look.Look{Font: look.ColourHeader, Bold: true, Size: 20, Middle: true}
	if err := t.startCell("A1", "Ads workbook", title); err != nil {
		return err
	}
	if err := t.file.SetRowHeight(startTab, 1, 34); err != nil {
		return err
	}
	row := 1
	for _, section := range t.startSections(sheets) {
		row += 2
		if err := t.writeSection(section, &row); err != nil {
			return err
		}
	}
	if err := SetUpPrint(t.file, startTab, onePage); err != nil {
		return err
	}
	if err := ColourTab(t.file, startTab, look.ColourHeader); err != nil {
		return err
	}
	return t.file.SetSheetView(startTab, 0, &excelize.ViewOptions{ShowGridLines: new(false)})
}

func (t *startSheet) writeSection(section startSection, row *int) error {
	if err := t.startCell(fmt.Sprintf("A%d", *row),
		section.heading, look.Look{Font: look.ColourHeader, Bold: true, Size: 13}); err != nil {
		return err
	}
	for _, line := range section.lines {
		*row++
		label := look.Look{Bold: true}
		if line.look != nil {
			label = *line.look
		}
		cell := fmt.Sprintf("A%d", *row)
		if line.link != "" {
			label = look.Look{Font: look.ColourLink, Under: true}
			if err := t.file.SetCellHyperLink(startTab, cell, QuotedSheet(line.link)+"!A1", "Location"); err != nil {
				return err
			}
		}
		if err := t.startCell(cell, line.label, label); err != nil {
			return err
		}
		if err := t.startText(fmt.Sprintf("B%d", *row), line); err != nil {
			return err
		}
		if err := t.file.SetRowHeight(startTab, *row,
			float64(LineHeight*ShownLines(line.text, startWidth)+2)); err != nil {
			return err
		}
	}
	return nil
}

// startText writes the text beside a label, with a drop-down where it is a choice.
func (t *startSheet) startText(cell string, line startLine) error {
	if line.choices == nil {
		return t.startCell(cell, line.text, look.Look{Wrap: true})
	}
	if err := t.startCell(cell, line.text, look.Look{Bold: true, Line: true}); err != nil {
		return err
	}
	check := excelize.NewDataValidation(true)
	check.SetSqref(cell)
	check.SetError(excelize.DataValidationErrorStyleWarning, line.label,
		"adsync knows "+strings.Join(line.choices, " and ")+". Keep it all the same?")
	if err := check.SetDropList(line.choices); err != nil {
		return err
	}
	return t.file.AddDataValidation(startTab, check)
}

func (t *startSheet) startCell(cell, text string, l look.Look) error {
	style, err := t.styles.Number(l)
	if err != nil {
		return err
	}
	if err := t.file.SetCellStr(startTab, cell, text); err != nil {
		return err
	}
	return t.file.SetCellStyle(startTab, cell, cell, style)
}
