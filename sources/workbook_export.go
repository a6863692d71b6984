package sources

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"adsync/internal/resource"
	"adsync/internal/xlsx"

	"github.com/xuri/excelize/v2"
)

// maxCellText is how many UTF-16 units a cell holds; more would be cut without
// a word.
const maxCellText = 32_767

// rowsOf makes the rows of a sheet. Making a kind's rows finds the lists that
// need the sheets of entries, which come after.
func (b *bookWriter) rowsOf(s *sheet) ([]rowCells, error) {
	if b.snapshot == nil {
		return nil, nil
	}
	if s.list != nil {
		return b.entryRows(s), nil
	}
	var rows []rowCells
	for i := range s.parts {
		p := &s.parts[i]
		for _, r := range b.byKind[p.schema.Kind] {
			cells, err := b.resourceCells(s, p, r)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", r.Address, err)
			}
			rows = append(rows, cells)
		}
	}
	return rows, nil
}

// entryRows are the rows of a sheet of entries.
func (b *bookWriter) entryRows(s *sheet) []rowCells {
	var rows []rowCells
	for _, e := range b.entries {
		if e.list.title != s.title {
			continue
		}
		cells := make([]any, len(s.columns))
		for i := range s.columns {
			cells[i] = textCell(s.styles[i], b.entryText(&s.tab, &s.columns[i], e))
		}
		guardRemark(cells)
		rows = append(rows, func(int) []any { return cells })
	}
	return rows
}

// resourceCells makes one row. Every text is read again as the reader would, so
// that what is written is what loads.
func (b *bookWriter) resourceCells(s *sheet, p *part, r *resource.Resource) (rowCells, error) {
	cells := make([]any, len(s.columns))
	lengths := map[int]int{}
	for i, at := range p.at {
		if at < 0 {
			continue
		}
		c := &p.columns[at]
		var err error
		switch {
		case c.role == roleAttribute:
			cells[i], err = b.attributeCell(s.styles[i], c.attribute, r)
		case c.ours == oursLength:
			lengths[i] = utf8.RuneCountInString(r.Value(c.attribute.Name).Text())
		case c.ours == oursFigure:
			cells[i] = b.figureCell(s.styles[i], c.figure, r.ID)
		default:
			cells[i] = textCell(s.styles[i], b.plainText(&p.tab, c, r))
		}
		if err != nil {
			return nil, err
		}
	}
	guardRemark(cells)
	return func(number int) []any {
		for i, length := range lengths {
			cells[i] = s.lengthCell(i, number, length)
		}
		return cells
	}, nil
}

// textCell is nil, an empty cell, where there is no text.
func textCell(style int, text string) any {
	if text == "" {
		return nil
	}
	return excelize.Cell{StyleID: style, Value: text}
}

// guardRemark keeps a name that begins with # from making its row a remark: a
// space before it is taken off on reading.
func guardRemark(cells []any) {
	for i, value := range cells {
		c, ok := value.(excelize.Cell)
		if !ok {
			continue
		}
		if text, isText := c.Value.(string); isText && strings.HasPrefix(text, "#") {
			c.Value = " " + text
			cells[i] = c
		}
		return
	}
}

// attributeCell makes the cell of a value, nil where it stands elsewhere.
func (b *bookWriter) attributeCell(style int, a *resource.Attribute, r *resource.Resource) (any, error) {
	text, err := b.attributeText(a, r)
	if err != nil {
		return nil, err
	}
	v := r.Value(a.Name)
	if number, ok := v.Number(); ok {
		return b.amountCell(style, a, number)
	}
	if serial, ok := serialOf(text); ok && (a.Type == resource.TypeDay || a.Type == resource.TypeLast) {
		return excelize.Cell{StyleID: style, Value: serial}, nil
	}
	return textCell(style, text), nil
}

// amountCell is an amount. In a currency without cents a whole amount shows none.
func (b *bookWriter) amountCell(style int, a *resource.Attribute, number int64) (any, error) {
	if a.Type != resource.TypeMoney || hasCents(b.Account.Currency) {
		return excelize.Cell{StyleID: style, Value: amountValue(a, number)}, nil
	}
	format := wholeFormat(b.Account.Currency)
	if number%resource.MicrosPerUnit != 0 {
		format = moneyFormat(b.Account.Currency)
	}
	style, err := b.styles.number(look{line: true, format: format, side: "right"})
	return excelize.Cell{StyleID: style, Value: amountValue(a, number)}, err
}

// amountValue is the number a cell stores. A program that reads it as a binary
// fraction shows the same digits up to fifteen of them; a longer amount is text.
func amountValue(a *resource.Attribute, number int64) any {
	text := a.Format(resource.Number(number))
	if n, err := strconv.ParseFloat(text, 64); err == nil && len(text) <= maxExactDigits {
		return n
	}
	return text
}

// serialOf is the number workbooks store for a day.
func serialOf(day string) (int, bool) {
	date, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return 0, false
	}
	return int(date.Sub(time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)).Hours() / 24), true
}

// unwritable says why no cell holds a text, "" where one does.
func unwritable(text string) string {
	if n := len(utf16.Encode([]rune(text))); n > maxCellText {
		return fmt.Sprintf("has %d characters; a cell holds %d", n, maxCellText)
	}
	if i := strings.IndexFunc(text, func(r rune) bool { return !xlsx.ValidChar(r) }); i >= 0 {
		return "holds a character no cell can hold"
	}
	return ""
}
