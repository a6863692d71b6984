package xlsx

import (
	"bytes"
	"fmt"
	"strconv"
)

// readCell reads one cell and keeps it if it holds something.
func (w *sheetWalker) readCell() error {
	c, typ, err := w.cellHead()
	if err != nil {
		return err
	}
	var value string
	for {
		kind, err := w.next()
		switch {
		case err != nil:
			return err
		case kind == xmlClose:
			return w.keep(c, typ, value)
		case kind != xmlOpen:
			continue
		}
		switch string(w.name) {
		case "v":
			c.HasValue = true
			value, err = w.elementText()
		case "f":
			c.IsFormula = true
			c.Formula, err = w.elementText()
		case "is":
			c.HasValue = true
			value, err = w.richText("is")
		default:
			err = w.skipElement()
		}
		if err != nil {
			return err
		}
	}
}

func (w *sheetWalker) cellHead() (c Cell, typ string, err error) {
	c.Column = w.column + 1
	if r := w.attr("r"); r != nil {
		row, column, ok := parseCellName(string(r))
		if !ok || row != w.row.Number || column < c.Column {
			return c, "", fmt.Errorf("cell %q stands after column %d; want ascending cells of this row", r, w.column)
		}
		c.Column = column
	}
	w.column = c.Column
	if s := w.attr("s"); s != nil {
		if c.Style, err = strconv.Atoi(string(s)); err != nil {
			return c, "", fmt.Errorf("cell has style %q", s)
		}
	}
	if len(w.dated) > 0 && w.attr("s") == nil {
		c.Style = w.dateStyle(c.Column)
	}
	if _, err = w.book.StyleOf(c.Style); err != nil {
		return c, "", err
	}
	if vm := w.attr("vm"); vm != nil {
		if c.Meta, err = strconv.Atoi(string(vm)); err != nil || c.Meta < 1 {
			return c, "", fmt.Errorf("cell has the metadata %q", vm)
		}
	}
	return c, string(w.attr("t")), nil
}

// dateStyle is the style of a cell that names none: that of its column where days
// are shown there, as Gnumeric writes them, else the first.
func (w *sheetWalker) dateStyle(column int) int {
	for _, d := range w.dated {
		if d.from <= column && column <= d.to {
			return d.style
		}
	}
	return 0
}

// keep gives a cell its form and puts it in the row unless it is blank.
func (w *sheetWalker) keep(c Cell, typ, value string) error {
	var err error
	c.Text = value
	switch typ {
	case "s":
		c.Form = TextCell
		c.Text, err = w.shared(value, c.HasValue)
	case "str":
		c.Form = TextCell
		c.Text = unescapeX(value)
		c.HasValue = c.HasValue || c.IsFormula && value != ""
	case "inlineStr":
		c.Form = TextCell
	case "b":
		c.Form = BooleanCell
	case "e":
		c.Form = ErrorCell
	case "d":
		c.Form = DateCell
	case "", "n":
		c.Form = NumberCell
		c.Text = string(bytes.TrimSpace([]byte(value)))
		c.HasValue = c.Text != ""
	default:
		err = fmt.Errorf("a cell has the type %q", typ)
	}
	if len(c.Text) > maxStored {
		return beyond("put long lists of hints on the sheet Context hints, one a row",
			"", "a cell holds %d bytes of text; want at most %d", len(c.Text), maxStored)
	}
	if err == nil && (c.Text != "" || c.IsFormula || c.Meta > 0) {
		w.row.Cells = append(w.row.Cells, c)
	}
	return err
}

func (w *sheetWalker) shared(index string, hasValue bool) (string, error) {
	if !hasValue {
		return "", nil
	}
	i, err := strconv.Atoi(index)
	if err != nil || i < 0 || i >= len(w.book.strings) {
		return "", fmt.Errorf("a cell names the shared text %q of %d", index, len(w.book.strings))
	}
	return w.book.strings[i], nil
}
