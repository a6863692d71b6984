// Package look has the looks of what adsync puts into workbooks: styles, colours and number formats.
//
// Equal looks share one style of the workbook, of which programs take a limited number.
package look

import (
	"adsync/internal/resource"

	"github.com/xuri/excelize/v2"
	"golang.org/x/text/currency"
)

// Look is how a cell looks. Equal looks share one style of the workbook.
type Look struct {
	Format string // number format code, "" for none
	Font   string // colour, "" for black
	Fill   string // colour, "" for none
	Bold   bool
	Italic bool
	Wrap   bool
	Middle bool   // stands in the middle of the cell's height, not at its top
	Side   string // horizontal alignment, "" for the usual one
	Line   bool   // has a light line below
	Size   float64
	Under  bool // is a link
}

// The colours: dark for what is asked for, grey for what is not read.
const (
	ColourHeader   = "1F4E5F"
	ColourRequired = "0B7A75"
	ColourReadOnly = "F1F3F4"
	ColourQuiet    = "5F6B73"
	colourLine     = "DDE2E5"
	ColourWhite    = "FFFFFF"
	ColourLink     = "0563C1"
)

// Tone is a pair of colours that means something.
type Tone struct{ Font, Fill string }

var (
	ToneGood    = Tone{"1B5E20", "D7F0DA"}
	ToneWaiting = Tone{"7A4F01", "FFEBB5"}
	ToneQuiet   = Tone{"5F6B73", "DFE3E6"}
	ToneBad     = Tone{"9C0006", "FFC7CE"}
)

// StatusTones colour the words of a status wherever a kind has them.
var StatusTones = []struct {
	Word string
	Tone
}{
	{"active", ToneGood}, {"paused", ToneWaiting}, {"archived", ToneQuiet},
}

// bookFont is on every machine that has a spreadsheet program, or a font of the
// same widths in its place.
const bookFont = "Calibri"

// StyleBook makes the styles of one workbook, each once.
type StyleBook struct {
	File    *excelize.File
	Numbers map[Look]int
}

// Number returns the style of a look.
func (s *StyleBook) Number(l Look) (int, error) {
	if n, ok := s.Numbers[l]; ok {
		return n, nil
	}
	n, err := s.File.NewStyle(l.style())
	if err != nil {
		return 0, err
	}
	s.Numbers[l] = n
	return n, nil
}

func (l Look) style() *excelize.Style {
	size := l.Size
	if size == 0 {
		size = 11
	}
	s := &excelize.Style{
		Font:      &excelize.Font{Family: bookFont, Size: size, Bold: l.Bold, Italic: l.Italic, Color: l.Font},
		Alignment: &excelize.Alignment{Vertical: "top", WrapText: l.Wrap},
	}
	if l.Middle {
		s.Alignment.Vertical = "center"
	}
	if l.Side != "" {
		s.Alignment.Horizontal = l.Side
	}
	if l.Under {
		s.Font.Underline = "single"
	}
	if l.Fill != "" {
		s.Fill = Solid(l.Fill)
	}
	if l.Line {
		s.Border = []excelize.Border{{Type: "bottom", Color: colourLine, Style: 1},
			{Type: "right", Color: colourLine, Style: 1}}
	}
	switch l.Format {
	case "":
	case FormatText:
		s.NumFmt = 49
	default:
		s.CustomNumFmt = &l.Format
	}
	return s
}

// Solid returns the fill of one colour.
func Solid(colour string) excelize.Fill {
	return excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{colour}}
}

// The number formats. With the text format, what is typed stays text.
const (
	FormatText  = "@"
	FormatDay   = "yyyy-mm-dd"
	FormatCount = "#,##0"
	FormatShare = "0.00%"
)

// HasCents reports whether a currency has parts that prices are given in.
func HasCents(code string) bool {
	unit, err := currency.ParseISO(code)
	if err != nil {
		return true
	}
	scale, _ := currency.Standard.Rounding(unit)
	return scale > 0
}

// MoneyFormat shows amounts with the currency's symbol and every decimal they
// have, as many as six.
func MoneyFormat(code string) string { return symbolFormat(code) + "#,##0.00####" }

// PriceFormat shows what was spent, rounded as bills are.
func PriceFormat(code string) string {
	if HasCents(code) {
		return symbolFormat(code) + "#,##0.00"
	}
	return WholeFormat(code)
}

// WholeFormat shows amounts of a currency without cents.
func WholeFormat(code string) string { return symbolFormat(code) + "#,##0" }

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
