package sources

import (
	"adsync/internal/resource"

	"github.com/xuri/excelize/v2"
	"golang.org/x/text/currency"
)

// look is how a cell looks. Equal looks share one style of the workbook.
type look struct {
	format string // number format code, "" for none
	font   string // colour, "" for black
	fill   string // colour, "" for none
	bold   bool
	italic bool
	wrap   bool
	middle bool   // stands in the middle of the cell's height, not at its top
	side   string // horizontal alignment, "" for the usual one
	line   bool   // has a light line below
	size   float64
	under  bool // is a link
}

// The colours: dark for what is asked for, grey for what is not read.
const (
	colourHeader   = "1F4E5F"
	colourRequired = "0B7A75"
	colourReadOnly = "F1F3F4"
	colourQuiet    = "5F6B73"
	colourLine     = "DDE2E5"
	colourWhite    = "FFFFFF"
	colourLink     = "0563C1"
)

// tone is a pair of colours that means something.
type tone struct{ font, fill string }

var (
	toneGood    = tone{"1B5E20", "D7F0DA"}
	toneWaiting = tone{"7A4F01", "FFEBB5"}
	toneQuiet   = tone{"5F6B73", "DFE3E6"}
	toneBad     = tone{"9C0006", "FFC7CE"}
)

// statusTones colour the words of a status wherever a kind has them.
var statusTones = []struct {
	word string
	tone
}{
	{"active", toneGood}, {"paused", toneWaiting}, {"archived", toneQuiet},
}

// bookFont is on every machine that has a spreadsheet program, or a font of the
// same widths in its place.
const bookFont = "Calibri"

// styleBook makes the styles of one workbook, each once.
type styleBook struct {
	file    *excelize.File
	numbers map[look]int
}

// number returns the style of a look.
func (s *styleBook) number(l look) (int, error) {
	if n, ok := s.numbers[l]; ok {
		return n, nil
	}
	n, err := s.file.NewStyle(l.style())
	if err != nil {
		return 0, err
	}
	s.numbers[l] = n
	return n, nil
}

func (l look) style() *excelize.Style {
	size := l.size
	if size == 0 {
		size = 11
	}
	s := &excelize.Style{
		Font:      &excelize.Font{Family: bookFont, Size: size, Bold: l.bold, Italic: l.italic, Color: l.font},
		Alignment: &excelize.Alignment{Vertical: "top", WrapText: l.wrap},
	}
	if l.middle {
		s.Alignment.Vertical = "center"
	}
	if l.side != "" {
		s.Alignment.Horizontal = l.side
	}
	if l.under {
		s.Font.Underline = "single"
	}
	if l.fill != "" {
		s.Fill = solid(l.fill)
	}
	if l.line {
		s.Border = []excelize.Border{{Type: "bottom", Color: colourLine, Style: 1},
			{Type: "right", Color: colourLine, Style: 1}}
	}
	switch l.format {
	case "":
	case formatText:
		s.NumFmt = 49
	default:
		s.CustomNumFmt = &l.format
	}
	return s
}

func solid(colour string) excelize.Fill {
	return excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{colour}}
}

// The number formats. With the text format, what is typed stays text.
const (
	formatText  = "@"
	formatDay   = "yyyy-mm-dd"
	formatCount = "#,##0"
	formatShare = "0.00%"
)

// hasCents reports whether a currency has parts that prices are given in.
func hasCents(code string) bool {
	unit, err := currency.ParseISO(code)
	if err != nil {
		return true
	}
	scale, _ := currency.Standard.Rounding(unit)
	return scale > 0
}

// moneyFormat shows amounts with the currency's symbol and every decimal they
// have, as many as six.
func moneyFormat(code string) string { return symbolFormat(code) + "#,##0.00####" }

// priceFormat shows what was spent, rounded as bills are.
func priceFormat(code string) string {
	if hasCents(code) {
		return symbolFormat(code) + "#,##0.00"
	}
	return wholeFormat(code)
}

// wholeFormat shows amounts of a currency without cents.
func wholeFormat(code string) string { return symbolFormat(code) + "#,##0" }

func symbolFormat(code string) string {
	if code == "" {
		return ""
	}
	symbol := resource.Symbol(code)
	if len([]rune(symbol)) > 1 {
		symbol += " "
	}
	return "[$" + symbol + "]"
}
