package workbook

import (
	"fmt"
	"strconv"

	"adsync/internal/resource"
	"adsync/sources/catalog"
	"adsync/sources/look"

	"github.com/xuri/excelize/v2"
)

// lengthRows is how many rows of a fresh sheet have the formulas that count characters.
const lengthRows = 100

// rowCells gives the cells of a row by its number, which formulas name.
type rowCells func(number int) []any

// stream writes the cells of one sheet.
func (b *bookWriter) stream(s *sheet) error {
	stream, err := b.file.NewStreamWriter(s.Title)
	if err != nil {
		return err
	}
	if err := s.shape(stream); err != nil {
		return err
	}
	header, err := b.headerCells(s)
	if err != nil {
		return err
	}
	if err := stream.SetRow("A1", header, excelize.RowOpts{Height: b.headerHeight(s)}); err != nil {
		return err
	}
	number := 1
	if s.isEmpty() {
		number++
		cells, err := b.exampleCells(s)
		if err != nil {
			return err
		}
		if err := stream.SetRow("A2", cells, excelize.RowOpts{Height: s.rowHeight(cells)}); err != nil {
			return err
		}
	}
	for _, row := range s.rows {
		number++
		cells := row(number)
		if err := stream.SetRow("A"+strconv.Itoa(number),
			cells, excelize.RowOpts{Height: s.rowHeight(cells)}); err != nil {
			return err
		}
	}
	if err := s.lengthsBelow(stream, number); err != nil {
		return err
	}
	return stream.Flush()
}

// headerCells are the titles, the required ones marked.
func (b *bookWriter) headerCells(s *sheet) ([]any, error) {
	var cells []any
	for i := range s.Columns {
		style, err := b.styles.Number(headerLook(&s.Columns[i]))
		if err != nil {
			return nil, err
		}
		cells = append(cells, excelize.Cell{StyleID: style, Value: b.headerText(&s.Columns[i])})
	}
	return cells, nil
}

func (b *bookWriter) headerText(c *catalog.Column) string {
	text := c.Title
	if b.isMoney(c) && b.Account.Currency != "" {
		text += " (" + b.Account.Currency + ")"
	}
	if c.Required {
		text += "*"
	}
	return text
}

func (b *bookWriter) isMoney(c *catalog.Column) bool {
	if c.Figure != nil {
		return resource.Metrics[c.Figure.Metric].Form == resource.Units
	}
	return c.Role == catalog.RoleAttribute && c.Attribute.Type == resource.TypeMoney
}

// headerLook tells at a glance what must be filled, what may be, and what is not read.
func headerLook(c *catalog.Column) look.Look {
	l := look.Look{
		Font: look.ColourWhite, Fill: look.ColourHeader,
		Bold: true, Wrap: true, Middle: true, Line: true, Side: c.Side(),
	}
	switch {
	case c.Required:
		l.Fill = look.ColourRequired
	case IsReadOnly(c):
		l.Font, l.Fill = look.ColourQuiet, look.ColourReadOnly
	}
	return l
}

// lengthsBelow puts the counting formulas under the rows, for rows to come.
func (s *sheet) lengthsBelow(stream *excelize.StreamWriter, written int) error {
	counts := false
	for _, c := range s.Columns {
		counts = counts || c.Ours == catalog.OursLength
	}
	for number := written + 1; counts && number <= lengthRows+1; number++ {
		cells := make([]any, len(s.Columns))
		for i := range s.Columns {
			if s.Columns[i].Ours == catalog.OursLength {
				cells[i] = s.lengthCell(i, number, 0)
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
func (s *sheet) lengthCell(i, number, length int) any {
	counted := s.letterOf(s.Columns[i].Attribute)
	value := any("")
	if length > 0 {
		value = length
	}
	return excelize.Cell{
		StyleID: s.styles[i], Value: value,
		Formula: fmt.Sprintf(`IF(%s%d="","",LEN(%s%d))`, counted, number, counted, number),
	}
}

// letterOf returns the letters of an attribute's column.
func (s *sheet) letterOf(a *resource.Attribute) string {
	for i := range s.Columns {
		if c := &s.Columns[i]; c.Role == catalog.RoleAttribute && c.Attribute == a {
			return Letters(i)
		}
	}
	return ""
}

// Letters name the i-th column, counted from 0.
func Letters(i int) string {
	name, _ := excelize.ColumnNumberToName(i + 1)
	return name
}
