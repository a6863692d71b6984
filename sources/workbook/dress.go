package workbook

import (
	"fmt"
	"strings"

	"adsync/internal/resource"
	"adsync/internal/xlsx"
	"adsync/sources/bounded"
	"adsync/sources/catalog"
	"adsync/sources/look"

	"github.com/xuri/excelize/v2"
)

// dress adds notes, drop-downs, checks, colours, the filter and the print
// set-up. Drop-downs, checks and colours reach the end of the sheet: Gnumeric
// makes each an attribute of cells, and writes a cell for each row of a column of
// which another part has none.
func (b *bookWriter) dress(s *sheet) error {
	for i := range s.Columns {
		c, letter := &s.Columns[i], Letters(i)
		if err := b.addNote(s, letter+"1", c); err != nil {
			return err
		}
		cells := fmt.Sprintf("%s2:%s%d", letter, letter, xlsx.LastRow)
		if err := b.addCheck(s, c, cells); err != nil {
			return err
		}
		if err := b.addColours(s, i, cells); err != nil {
			return err
		}
	}
	end := fmt.Sprintf("%s%d", Letters(len(s.Columns)-1), max(boundOf(s), len(s.rows))+1)
	if err := b.file.AutoFilter(s.Title, "A1:"+end, nil); err != nil {
		return err
	}
	if err := SetUpPrint(b.file, s.Title, ManyPages); err != nil {
		return err
	}
	return ColourTab(b.file, s.Title, tabColour(s))
}

// boundOf is how many rows of a sheet are read.
func boundOf(s *sheet) int {
	if s.List != nil && s.List.Many {
		return bounded.Defaults().HintRows
	}
	return bounded.Defaults().SheetRows
}

// tabColour tells sheets to fill in from sheets of lists and of figures.
func tabColour(s *sheet) string {
	if s.List != nil {
		return "7FB3B0"
	}
	return look.ColourRequired
}

// ColourTab colours the tab of a sheet that is printed as wide as a page.
func ColourTab(file *excelize.File, title, colour string) error {
	colour = "FF" + colour // a workbook's colours begin with how opaque they are (ECMA-376 part 1, 18.18.86)
	return file.SetSheetProps(title, &excelize.SheetPropsOptions{TabColorRGB: &colour, FitToPage: new(true)})
}

// How many pages a sheet may take when it is printed.
const (
	ManyPages = 0
	onePage   = 1
)

// SetUpPrint prints a sheet across, as wide as the page, with its name on every
// page, and with its header where there may be many.
func SetUpPrint(file *excelize.File, title string, pages int) error {
	err := file.SetPageLayout(title, &excelize.PageLayoutOptions{
		Orientation: new("landscape"), FitToWidth: new(1), FitToHeight: &pages,
	})
	if err != nil {
		return err
	}
	if err := file.SetPageMargins(title, &excelize.PageLayoutMarginsOptions{
		Left: new(0.4), Right: new(0.4), Top: new(0.5), Bottom: new(0.6), Header: new(0.3), Footer: new(0.3),
	}); err != nil {
		return err
	}
	if err := file.SetHeaderFooter(title, &excelize.HeaderFooterOptions{OddFooter: "&L&A&C&F&RPage &P of &N"}); err !=
		nil || pages == onePage {
		return err
	}
	return file.SetDefinedName(&excelize.DefinedName{
		Name: "_xlnm.Print_Titles", RefersTo: QuotedSheet(title) + "!$1:$1", Scope: title,
	})
}

// QuotedSheet is a sheet's name as formulas and links write it.
func QuotedSheet(title string) string { return "'" + strings.ReplaceAll(title, "'", "''") + "'" }

// addCheck warns while a cell is typed; it never refuses, because reading is
// more tolerant than any drop-down.
func (b *bookWriter) addCheck(s *sheet, c *catalog.Column, cells string) error {
	check := excelize.NewDataValidation(true)
	check.SetSqref(cells)
	source := b.drop.choicesOf(s, c)
	switch {
	case source != "":
		check.SetError(excelize.DataValidationErrorStyleWarning,
			c.Title, "adsync may not know this value. Keep it all the same?")
		check.SetSqrefDropList(source)
	case c.Role == catalog.RoleAttribute && IsCounted(c.Attribute):
		check.SetError(excelize.DataValidationErrorStyleWarning,
			c.Title, fmt.Sprintf("This is longer than %d characters. Keep it all the same?", c.Attribute.Max))
		if err := check.SetRange(0, int(c.Attribute.Max),
			excelize.DataValidationTypeTextLength, excelize.DataValidationOperatorBetween); err != nil {
			return err
		}
	default:
		return nil
	}
	return b.file.AddDataValidation(s.Title, check)
}

// IsCounted reports whether a text is short enough to be counted while it is typed.
func IsCounted(a *resource.Attribute) bool {
	return a.Type == resource.TypeText && a.Max > 0 && a.Max <= catalog.MaxCounted
}

// addColours turns statuses into their colours, and texts that are too long and
// their counters red.
func (b *bookWriter) addColours(s *sheet, i int, cells string) error {
	c := &s.Columns[i]
	first, _, _ := strings.Cut(cells, ":")
	var rules []excelize.ConditionalFormatOptions
	switch {
	case c.Role == catalog.RoleAttribute && c.Attribute.Spend == resource.Delivery:
		for _, status := range look.StatusTones {
			format, err := conditional(b.file, status.Tone)
			if err != nil {
				return err
			}
			rules = append(rules, excelize.ConditionalFormatOptions{
				Type: "cell", Criteria: "==", Value: `"` + status.Word + `"`, Format: format,
			})
		}
	case c.Role == catalog.RoleAttribute && IsCounted(c.Attribute), c.Ours == catalog.OursLength:
		format, err := conditional(b.file, look.ToneBad)
		if err != nil {
			return err
		}
		counted := s.letterOf(c.Attribute) + first[len(Letters(i)):]
		rules = append(rules, excelize.ConditionalFormatOptions{
			Type: "formula", Criteria: fmt.Sprintf("LEN(%s)>%d", counted, c.Attribute.Max), Format: format,
		})
	default:
		return nil
	}
	return b.file.SetConditionalFormat(s.Title, cells, rules)
}

func conditional(file *excelize.File, t look.Tone) (*int, error) {
	format, err := file.NewConditionalStyle(&excelize.Style{
		Font: &excelize.Font{Color: t.Font}, Fill: look.Solid(t.Fill),
	})
	return &format, err
}
