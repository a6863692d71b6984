package sources

import (
	"fmt"
	"strings"

	"adsync/internal/resource"

	"github.com/xuri/excelize/v2"
)

// The rows a fresh sheet is made ready for.
const (
	readyRows  = 1_000 // drop-downs and formats reach this far, or further with the rows
	lengthRows = 200   // formulas that count characters
)

// streamTab writes the cells of one sheet.
func (b *bookWriter) streamTab(t *tab, rows []rowCells) error {
	stream, err := b.file.NewStreamWriter(t.title)
	if err != nil {
		return err
	}
	if err := b.shape(stream, t); err != nil {
		return err
	}
	if err := stream.SetRow("A1", b.headerCells(t), excelize.RowOpts{Height: 32}); err != nil {
		return err
	}
	number := 1
	if b.snapshot == nil {
		number++
		if err := stream.SetRow("A2", b.exampleCells(t)); err != nil {
			return err
		}
	}
	for _, row := range rows {
		number++
		if err := stream.SetRow(fmt.Sprintf("A%d", number), row(number)); err != nil {
			return err
		}
	}
	if err := b.lengthsBelow(stream, t, number); err != nil {
		return err
	}
	return stream.Flush()
}

// rowCells gives the cells of a row by its number, which formulas name.
type rowCells func(number int) []any

// headerCells are the titles, the required ones marked.
func (b *bookWriter) headerCells(t *tab) []any {
	var cells []any
	for i := range t.columns {
		c := &t.columns[i]
		cells = append(cells, excelize.Cell{StyleID: b.headerStyle(c), Value: b.headerText(c)})
	}
	return cells
}

func (b *bookWriter) headerText(c *column) string {
	text := c.title
	if c.role == roleAttribute && c.attribute.Type == resource.TypeMoney && b.account.Currency != "" {
		text += " (" + b.account.Currency + ")"
	}
	if c.required {
		text += "*"
	}
	return text
}

func (b *bookWriter) headerStyle(c *column) int {
	switch {
	case c.required:
		return b.styles.required
	case c.role == roleOurs && c.title != "Notes" || c.role == roleID:
		return b.styles.readOnlyHeader
	}
	return b.styles.header
}

// columnStyle is the look and the number format of a column's cells.
func (b *bookWriter) columnStyle(c *column) int {
	switch {
	case c.role == roleKey:
		return b.styles.exact
	case c.role == roleID || c.role == roleOurs && c.title != "Notes":
		return b.styles.readOnly
	case c.role == roleItem:
		return b.styles.exact
	case c.role != roleAttribute:
		return b.styles.text
	}
	switch c.attribute.Type {
	case resource.TypeMoney:
		return b.styles.money
	case resource.TypeDay, resource.TypeLast:
		return b.styles.day
	case resource.TypeID, resource.TypeIDs:
		return b.styles.exact
	case resource.TypeHints:
		return b.styles.wrapped
	}
	return b.styles.text
}

// widthOf is a column's width in characters.
func widthOf(c *column) float64 {
	switch {
	case c.role == roleItem, c.role == roleAttribute && c.attribute.Type == resource.TypeHints:
		return 48
	case c.role == roleOurs && c.attribute != nil, c.role == roleInclude, c.role == roleUse:
		return 13
	case c.role == roleAttribute && (c.attribute.Type == resource.TypeURL || c.attribute.Type == resource.TypeQuery || c.attribute.Type == resource.TypeImage || c.attribute.Max > maxCounted/4 && c.attribute.Max <= maxCounted):
		return 40
	case c.role == roleAttribute && c.attribute.Type == resource.TypeChoice:
		return 14
	case c.role == roleAttribute && (c.attribute.Type == resource.TypeMoney || c.attribute.Type == resource.TypeDay || c.attribute.Type == resource.TypeLast):
		return 16
	}
	return 24
}

// shape sets widths, formats and the frozen panes.
func (b *bookWriter) shape(stream *excelize.StreamWriter, t *tab) error {
	for i := range t.columns {
		if err := stream.SetColWidth(i+1, i+1, widthOf(&t.columns[i])); err != nil {
			return err
		}
		if err := stream.SetColStyle(i+1, i+1, b.columnStyle(&t.columns[i])); err != nil {
			return err
		}
	}
	return stream.SetPanes(&excelize.Panes{Freeze: true, XSplit: 1, YSplit: 1, TopLeftCell: "B2", ActivePane: "bottomRight"})
}

// lengthsBelow puts the counting formulas under the rows, for rows to come.
func (b *bookWriter) lengthsBelow(stream *excelize.StreamWriter, t *tab, written int) error {
	counts := false
	for _, c := range t.columns {
		counts = counts || c.role == roleOurs && c.attribute != nil
	}
	for number := written + 1; counts && number <= lengthRows+1; number++ {
		cells := make([]any, len(t.columns))
		for i := range t.columns {
			if c := &t.columns[i]; c.role == roleOurs && c.attribute != nil {
				cells[i] = b.lengthCell(t, i, number, 0)
			}
		}
		if err := stream.SetRow(fmt.Sprintf("A%d", number), cells); err != nil {
			return err
		}
	}
	return nil
}

// lengthCell counts the text beside it. The value is stored as well, so that a
// program that does not calculate shows it.
func (b *bookWriter) lengthCell(t *tab, i, number, length int) any {
	counted := lettersOf(t, t.columns[i].attribute)
	value := any("")
	if length > 0 {
		value = length
	}
	return excelize.Cell{
		StyleID: b.styles.readOnly, Value: value,
		Formula: fmt.Sprintf(`IF(%s%d="","",LEN(%s%d))`, counted, number, counted, number),
	}
}

// lettersOf gives the letters of an attribute's column.
func lettersOf(t *tab, a *resource.Attribute) string {
	for i, c := range t.columns {
		if c.role == roleAttribute && c.attribute == a {
			name, _ := excelize.ColumnNumberToName(i + 1)
			return name
		}
	}
	return ""
}

// noteText is what a header's note says.
func noteText(c *column) string {
	var b strings.Builder
	b.WriteString(c.help)
	if c.role == roleAttribute {
		if len(c.attribute.Choices) > 0 {
			var values []string
			for _, choice := range c.attribute.Choices {
				values = append(values, choice.Value)
			}
			fmt.Fprintf(&b, "\nChoices: %s.", strings.Join(values, ", "))
		}
		if c.attribute.Example != "" {
			fmt.Fprintf(&b, "\nExample: %s", c.attribute.Example)
		}
	}
	if c.required {
		b.WriteString("\nEvery row needs it.")
	}
	return b.String()
}
