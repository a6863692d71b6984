package workbook

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"adsync/internal/resource"
	"adsync/internal/xlsx"
	"adsync/sources/catalog"
	"adsync/sources/celltext"
	"adsync/sources/look"

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
	if s.List != nil {
		return b.entryRows(s), nil
	}
	var rows []rowCells
	for i := range s.parts {
		p := &s.parts[i]
		for _, r := range b.byKind[p.Schema.Kind] {
			cells, err := b.resourceCells(s, p, r)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", r.Address, err)
			}
			rows = append(rows, cells)
		}
	}
	return rows, nil
}

// entryRows are the rows of a sheet of entries. They share their cells, which are
// written before the next row is made.
func (b *bookWriter) entryRows(s *sheet) []rowCells {
	var rows []rowCells
	shared := s.newCells()
	for i := range b.entries {
		if e := &b.entries[i]; e.list.Title == s.Title {
			rows = append(rows, func(int) []any {
				for k := range s.Columns {
					shared.set(k, s.styles[k], b.entryText(&s.Tab, &s.Columns[k], *e))
				}
				shared.guardRemark()
				return shared.row
			})
		}
	}
	return rows
}

// resourceCells makes one row. Every text is read again as the reader would, so
// that what is written is what loads.
func (b *bookWriter) resourceCells(s *sheet, p *part, r *resource.Resource) (rowCells, error) {
	cells := s.newCells()
	for i, at := range p.at {
		if at < 0 {
			continue
		}
		var err error
		switch c := &p.Columns[at]; {
		case c.Role == catalog.RoleAttribute:
			err = b.setAttribute(cells, i, s.styles[i], c.Attribute, r)
		case c.Ours == catalog.OursFigure:
			cells.setFigure(i, s.styles[i], b.figures.figureDigits(c.Figure, r.ID))
		case c.Ours != catalog.OursLength:
			cells.set(i, s.styles[i], b.plainText(&p.Tab, c, r))
		}
		if err != nil {
			return nil, err
		}
	}
	cells.guardRemark()
	return func(number int) []any {
		for i := range s.Columns {
			if c := &s.Columns[i]; c.Ours == catalog.OursLength {
				cells.row[i] = s.lengthCell(i, number, utf8.RuneCountInString(r.Value(c.Attribute.Name).Text()))
			}
		}
		return cells.row
	}, nil
}

// outRow is the cells of one row; nil is one that is not written.
type outRow struct {
	row   []any
	cells []excelize.Cell
}

func (s *sheet) newCells() *outRow {
	return &outRow{make([]any, len(s.Columns)), make([]excelize.Cell, len(s.Columns))}
}

// put writes a value.
func (c *outRow) put(i, style int, value any) {
	c.cells[i] = excelize.Cell{StyleID: style, Value: value}
	c.row[i] = &c.cells[i]
}

// set writes a text, or leaves the cell empty where there is none.
func (c *outRow) set(i, style int, text string) {
	if text == "" {
		c.row[i] = nil
		return
	}
	c.put(i, style, text)
}

// setFigure writes a figure's digits as a number, where a program that reads it
// as a binary fraction shows the same digits; a longer one is text.
func (c *outRow) setFigure(i, style int, digits string) {
	if n, err := strconv.ParseFloat(digits, 64); err == nil && len(digits) <= celltext.MaxExactDigits {
		c.put(i, style, n)
		return
	}
	c.set(i, style, digits)
}

// guardRemark keeps a name that begins with # from making its row a remark: a
// space before it is taken off on reading.
func (c *outRow) guardRemark() {
	for i := range c.row {
		if c.row[i] == nil {
			continue
		}
		if text, isText := c.cells[i].Value.(string); isText && strings.HasPrefix(text, "#") {
			c.cells[i].Value = " " + text
		}
		return
	}
}

// setAttribute writes a value, unless it stands elsewhere.
func (b *bookWriter) setAttribute(cells *outRow, i, style int, a *resource.Attribute, r *resource.Resource) error {
	v := r.Value(a.Name)
	if v.IsAbsent() {
		return nil
	}
	if number, ok := v.Number(); ok {
		style, err := b.amountStyle(style, a, number)
		cells.put(i, style, amountValue(a, number))
		return err
	}
	text, err := b.attributeText(a, r)
	if err != nil {
		return err
	}
	if a.Type == resource.TypeDay || a.Type == resource.TypeLast {
		if serial, ok := SerialOf(text); ok {
			cells.put(i, style, serial)
			return nil
		}
	}
	cells.set(i, style, text)
	return nil
}

// amountStyle is how an amount looks. In a currency without cents a whole
// amount shows none.
func (l *columnLooks) amountStyle(style int, a *resource.Attribute, number int64) (int, error) {
	if a.Type != resource.TypeMoney || l.cents {
		return style, nil
	}
	format := look.WholeFormat(l.currency)
	if number%resource.MicrosPerUnit != 0 {
		format = look.MoneyFormat(l.currency)
	}
	return l.styles.Number(look.Look{Line: true, Format: format, Side: "right"})
}

// amountValue is the number a cell stores. A program that reads it as a binary
// fraction shows the same digits up to fifteen of them; a longer amount is text.
func amountValue(a *resource.Attribute, number int64) any {
	text := a.Format(resource.Number(number))
	if n, err := strconv.ParseFloat(text, 64); err == nil && len(text) <= celltext.MaxExactDigits {
		return n
	}
	return text
}

// SerialOf is the number workbooks store for a day.
func SerialOf(day string) (int, bool) {
	date, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return 0, false
	}
	return int(date.Sub(time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)).Hours() / 24), true
}

// unwritable returns why no cell holds a text, "" where one does.
func unwritable(text string) string {
	if len(text) > maxCellText { // a text has no more units than bytes
		if n := len(utf16.Encode([]rune(text))); n > maxCellText {
			return fmt.Sprintf("has %d characters; a cell holds %d", n, maxCellText)
		}
	}
	if i := strings.IndexFunc(text, func(r rune) bool { return !xlsx.ValidChar(r) }); i >= 0 {
		return "holds a character no cell can hold"
	}
	return ""
}
