package workbook

import (
	"math"
	"strings"
	"unicode/utf8"

	"adsync/internal/resource"
	"adsync/sources/catalog"
	"adsync/sources/look"

	"github.com/xuri/excelize/v2"
)

// columnLooks are how the cells of columns look in one currency.
type columnLooks struct {
	styles   look.StyleBook
	currency string
	cents    bool // of the currency
}

// shapeColumns gives the cells of every column their look, number format and width.
func (l *columnLooks) shapeColumns(s *sheet) error {
	for i := range s.Columns {
		n, err := l.styles.Number(l.columnLook(&s.Columns[i]))
		if err != nil {
			return err
		}
		width := widthOf(&s.Columns[i])
		s.styles, s.widths, s.wraps = append(s.styles, n),
			append(s.widths, width.characters), append(s.wraps, width.wraps)
	}
	return nil
}

func (l *columnLooks) columnLook(c *catalog.Column) look.Look {
	shown := look.Look{Line: true, Wrap: widthOf(c).wraps, Side: c.Side()}
	switch {
	case c.Figure != nil:
		shown.Format = l.metricFormat(c.Figure.Metric)
	case c.Role == catalog.RoleKey || c.Role == catalog.RoleID || c.Role == catalog.RoleItem:
		shown.Format = look.FormatText
	case c.Role == catalog.RoleAttribute:
		shown.Format = l.attributeFormat(c.Attribute)
	}
	if IsReadOnly(c) {
		shown.Font, shown.Fill = look.ColourQuiet, look.ColourReadOnly
	}
	return shown
}

// IsReadOnly reports whether adsync fills the column and does not read it.
func IsReadOnly(c *catalog.Column) bool {
	return c.Role == catalog.RoleID || c.Role == catalog.RoleOurs &&
		c.Ours != catalog.OursNotes && c.Ours != catalog.OursName
}

func (l *columnLooks) attributeFormat(a *resource.Attribute) string {
	switch a.Type {
	case resource.TypeMoney:
		if l.cents {
			return look.MoneyFormat(l.currency)
		}
		return "" // what is typed may have decimals all the same
	case resource.TypeDay, resource.TypeLast:
		return look.FormatDay
	case resource.TypeID, resource.TypeIDs:
		return look.FormatText
	}
	return ""
}

func (l *columnLooks) metricFormat(metric int) string {
	switch resource.Metrics[metric].Form {
	case resource.Units:
		return look.PriceFormat(l.currency)
	case resource.Ratio:
		return look.FormatShare
	}
	return look.FormatCount
}

// columnWidth is a width in characters, and whether longer texts go on below.
type columnWidth struct {
	characters float64
	wraps      bool
}

// typeWidths are those of columns that follow from the type alone.
var typeWidths = map[resource.Type]columnWidth{
	resource.TypeMoney: {13, false}, resource.TypeDay: {12, false}, resource.TypeLast: {12, false},
	resource.TypeRegion: {14, true}, resource.TypeID: {16, false},
	resource.TypeIDs: {16, true}, resource.TypeFactors: {28, true}, resource.TypeSet: {16, true},
	resource.TypeHints: {40, true}, resource.TypeURL: {30, true},
	resource.TypeQuery: {30, true}, resource.TypeImage: {26, true},
	resource.TypeMembers: {26, true}, resource.TypeObject: {20, true},
}

func widthOf(c *catalog.Column) columnWidth {
	switch {
	case c.Figure != nil:
		return columnWidth{13, false}
	case c.Ours == catalog.OursLength:
		return columnWidth{9, false}
	case c.Role == catalog.RoleInclude:
		return columnWidth{10, false}
	case c.Role == catalog.RoleUse:
		return columnWidth{12, false}
	case c.Role == catalog.RoleKind:
		return columnWidth{14, false}
	case c.Role == catalog.RoleItem:
		return columnWidth{60, true}
	case c.Role == catalog.RoleKey:
		return columnWidth{18, false}
	case c.Role == catalog.RoleID:
		return columnWidth{27, false}
	case c.Ours == catalog.OursFact:
		return columnWidth{25, true}
	case c.Role == catalog.RoleAttribute:
		return attributeWidth(c.Attribute)
	}
	return columnWidth{22, true}
}

func attributeWidth(a *resource.Attribute) columnWidth {
	if width, ok := typeWidths[a.Type]; ok {
		return width
	}
	switch {
	case a.Type == resource.TypeChoice:
		longest := 0
		for _, choice := range a.Choices {
			longest = max(longest, len(choice.Value))
		}
		return columnWidth{float64(max(11, longest+3)), false}
	case !a.Required && a.Max > 0 && a.Max <= 100:
		return columnWidth{18, true}
	case a.Max > 50 && a.Max <= catalog.MaxCounted:
		return columnWidth{38, true}
	case a.Max > 1000:
		return columnWidth{30, true}
	}
	return columnWidth{26, true}
}

// LineHeight is the height of a line of text in points.
const LineHeight = 15

// headerHeight has room for the longest header, and for the button of the filter
// beside it.
func (b *bookWriter) headerHeight(s *sheet) float64 {
	lines := 2
	for i := range s.Columns {
		lines = max(lines, linesOf(b.headerText(&s.Columns[i]), s.widths[i]-4))
	}
	return float64(lines*LineHeight + 4)
}

// linesOf counts the lines a text takes in a width when words are kept whole. A
// width counts digits, which are wider than letters are on average.
func linesOf(text string, width float64) int {
	lines, used := 1, 0.0
	for word := range strings.FieldsSeq(text) {
		length := float64(utf8.RuneCountInString(word))
		switch {
		case used > 0 && used+1+length > width:
			lines++
			used = length
		case used > 0:
			used += 1 + length
		default:
			used = length
		}
		if over := math.Ceil(used/width) - 1; over > 0 {
			lines += int(over)
			used = math.Mod(used, width)
		}
	}
	return lines
}

// maxLines is how many lines of a long text a row shows.
const maxLines = 6

// rowHeight shows every line of the longest text of a row, up to maxLines. It is
// 0 for a row of one line, which is as high as the program makes it.
func (s *sheet) rowHeight(cells []any) float64 {
	lines := 1
	for i, value := range cells {
		c, ok := value.(*excelize.Cell)
		if !ok || !s.wraps[i] {
			continue
		}
		text, ok := c.Value.(string)
		if ok && lines < maxLines && (len(text) > int(s.widths[i]) || strings.Contains(text, "\n")) {
			lines = max(lines, ShownLines(text, s.widths[i]))
		}
	}
	if lines == 1 {
		return 0
	}
	return float64(lines * LineHeight)
}

// ShownLines counts the lines of a text of several, up to maxLines.
func ShownLines(text string, width float64) int {
	lines := 0
	for line := range strings.Lines(text) {
		if lines += linesOf(line, width*1.05); lines >= maxLines {
			return maxLines
		}
	}
	return lines
}

// shape sets widths, formats and the frozen panes.
func (s *sheet) shape(stream *excelize.StreamWriter) error {
	for i := range s.Columns {
		if err := stream.SetColWidth(i+1, i+1, s.widths[i]); err != nil {
			return err
		}
		if err := stream.SetColStyle(i+1, i+1, s.styles[i]); err != nil {
			return err
		}
	}
	return stream.SetPanes(&excelize.Panes{
		Freeze: true, XSplit: 1, YSplit: 1, TopLeftCell: "B2", ActivePane: "bottomRight",
	})
}
