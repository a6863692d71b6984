package sources

import (
	"fmt"
	"strings"

	"adsync/internal/resource"

	"github.com/xuri/excelize/v2"
)

// dress adds notes, drop-downs, checks, colours, the filter and the print
// set-up, down to the last row that is made ready.
func (b *bookWriter) dress(s *sheet) error {
	last := max(readyRows, len(s.rows)) + 1
	for i := range s.columns {
		c, letter := &s.columns[i], letters(i)
		if err := b.addNote(s, letter+"1", c); err != nil {
			return err
		}
		cells := fmt.Sprintf("%s2:%s%d", letter, letter, last)
		if err := b.addCheck(s, c, cells); err != nil {
			return err
		}
		if err := b.addColours(s, i, cells); err != nil {
			return err
		}
	}
	end := fmt.Sprintf("%s%d", letters(len(s.columns)-1), last)
	if err := b.file.AutoFilter(s.title, "A1:"+end, nil); err != nil {
		return err
	}
	if err := b.setUpPrint(s.title, manyPages); err != nil {
		return err
	}
	return b.colourTab(s.title, tabColour(s))
}

// tabColour tells sheets to fill in from sheets of lists and of figures.
func tabColour(s *sheet) string {
	if s.list != nil {
		return "7FB3B0"
	}
	return colourRequired
}

func (b *bookWriter) colourTab(title, colour string) error {
	return b.file.SetSheetProps(title, &excelize.SheetPropsOptions{TabColorRGB: &colour, FitToPage: new(true)})
}

// How many pages a sheet may take when it is printed.
const (
	manyPages = 0
	onePage   = 1
)

// setUpPrint prints a sheet across, as wide as the page, with its name on every
// page, and with its header where there may be many.
func (b *bookWriter) setUpPrint(title string, pages int) error {
	return setUpPrint(b.file, title, pages)
}

func setUpPrint(file *excelize.File, title string, pages int) error {
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
		Name: "_xlnm.Print_Titles", RefersTo: quotedSheet(title) + "!$1:$1", Scope: title,
	})
}

// quotedSheet is a sheet's name as formulas and links write it.
func quotedSheet(title string) string { return "'" + strings.ReplaceAll(title, "'", "''") + "'" }

// addCheck warns while a cell is typed; it never refuses, because reading is
// more tolerant than any drop-down.
func (b *bookWriter) addCheck(s *sheet, c *column, cells string) error {
	check := excelize.NewDataValidation(true)
	check.SetSqref(cells)
	source := b.choicesOf(s, c)
	switch {
	case source != "":
		check.SetError(excelize.DataValidationErrorStyleWarning,
			c.title, "adsync may not know this value. Keep it all the same?")
		check.SetSqrefDropList(source)
	case c.role == roleAttribute && isCounted(c.attribute):
		check.SetError(excelize.DataValidationErrorStyleWarning,
			c.title, fmt.Sprintf("This is longer than %d characters. Keep it all the same?", c.attribute.Max))
		if err := check.SetRange(0, int(c.attribute.Max),
			excelize.DataValidationTypeTextLength, excelize.DataValidationOperatorBetween); err != nil {
			return err
		}
	default:
		return nil
	}
	return b.file.AddDataValidation(s.title, check)
}

// isCounted reports whether a text is short enough to be counted while it is typed.
func isCounted(a *resource.Attribute) bool {
	return a.Type == resource.TypeText && a.Max > 0 && a.Max <= maxCounted
}

// addColours turns statuses into their colours, and texts that are too long and
// their counters red.
func (b *bookWriter) addColours(s *sheet, i int, cells string) error {
	c := &s.columns[i]
	first, _, _ := strings.Cut(cells, ":")
	var rules []excelize.ConditionalFormatOptions
	switch {
	case c.role == roleAttribute && c.attribute.Spend == resource.Delivery:
		for _, status := range statusTones {
			format, err := b.conditional(status.tone)
			if err != nil {
				return err
			}
			rules = append(rules, excelize.ConditionalFormatOptions{
				Type: "cell", Criteria: "==", Value: `"` + status.word + `"`, Format: format,
			})
		}
	case c.role == roleAttribute && isCounted(c.attribute), c.ours == oursLength:
		format, err := b.conditional(toneBad)
		if err != nil {
			return err
		}
		counted := s.letterOf(c.attribute) + first[len(letters(i)):]
		rules = append(rules, excelize.ConditionalFormatOptions{
			Type: "formula", Criteria: fmt.Sprintf("LEN(%s)>%d", counted, c.attribute.Max), Format: format,
		})
	default:
		return nil
	}
	return b.file.SetConditionalFormat(s.title, cells, rules)
}

func (b *bookWriter) conditional(t tone) (*int, error) {
	format, err := b.file.NewConditionalStyle(&excelize.Style{Font: &excelize.Font{Color: t.font}, Fill: solid(t.fill)})
	return &format, err
}
