package sources

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
			c.hasValue = true
			value, err = w.elementText()
		case "f":
			c.isFormula = true
			c.formula, err = w.elementText()
		case "is":
			c.hasValue = true
			value, err = w.richText("is")
		default:
			err = w.skipElement()
		}
		if err != nil {
			return err
		}
	}
}

func (w *sheetWalker) cellHead() (c cell, typ string, err error) {
	c.column = w.column + 1
	if r := w.attr("r"); r != nil {
		row, column, ok := parseCellName(string(r))
		if !ok || row != w.row.number || column < c.column {
			return c, "", fmt.Errorf("cell %q stands after column %d; want ascending cells of this row", r, w.column)
		}
		c.column = column
	}
	w.column = c.column
	if s := w.attr("s"); s != nil {
		if c.style, err = strconv.Atoi(string(s)); err != nil {
			return c, "", fmt.Errorf("cell has style %q", s)
		}
	}
	if _, err = w.book.styleOf(c.style); err != nil {
		return c, "", err
	}
	c.inPicture = w.attr("vm") != nil
	return c, string(w.attr("t")), nil
}

// keep gives a cell its form and puts it in the row unless it is blank.
func (w *sheetWalker) keep(c cell, typ, value string) error {
	var err error
	c.text = value
	switch typ {
	case "s":
		c.form = textCell
		c.text, err = w.shared(value, c.hasValue)
	case "str":
		c.form = textCell
		c.text = unescapeX(value)
		c.hasValue = c.hasValue || c.isFormula && value != ""
	case "inlineStr":
		c.form = textCell
	case "b":
		c.form = booleanCell
	case "e":
		c.form = errorCell
	case "d":
		c.form = dateCell
	case "", "n":
		c.form = numberCell
		c.text = string(bytes.TrimSpace([]byte(value)))
		c.hasValue = c.text != ""
	default:
		err = fmt.Errorf("a cell has the type %q", typ)
	}
	if err == nil && (c.text != "" || c.isFormula || c.inPicture) {
		w.row.cells = append(w.row.cells, c)
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
