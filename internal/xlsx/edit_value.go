package xlsx

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"adsync/internal/pattern"
)

// EditValue is what an edit puts into a cell. The zero EditValue is none.
type EditValue struct {
	sort   editSort
	text   string
	stored Cell
}

type editSort uint8

const (
	noEdit editSort = iota
	keeps
	clears
	writesText
	writesNumber
	writesDay
	writesDayOrText
	writesStored
)

// Text is written as text whatever it begins with, never as a formula. Empty
// text clears the cell.
func Text(s string) EditValue {
	if s == "" {
		return Clear()
	}
	return EditValue{sort: writesText, text: s}
}

// Number is digits such as -12.50, stored as they are written.
func Number(digits string) EditValue { return EditValue{sort: writesNumber, text: digits} }

// NumberOrText is Number where a text is such digits, else Text.
func NumberOrText(s string) EditValue {
	if isPlainNumber(s) {
		return Number(s)
	}
	return Text(s)
}

// Day is a day such as 2026-12-01, stored as the number the workbook counts it
// by. The cell must have the format of a date, of its own or by Edit.Like.
func Day(day string) EditValue { return EditValue{sort: writesDay, text: day} }

// DayOrText is Day where the cell has the format of a date, else the day as text.
func DayOrText(day string) EditValue { return EditValue{sort: writesDayOrText, text: day} }

// Stored is what another cell holds, of whatever form, with its formula as it is
// written there and the last value of that.
func Stored(c Cell) EditValue {
	if c.IsFormula && !c.HasValue {
		c.Form, c.Text = NumberCell, ""
	}
	return EditValue{sort: writesStored, stored: c}
}

// Keep leaves what a cell holds: its looks alone change.
func Keep() EditValue { return EditValue{sort: keeps} }

// Clear removes a cell's value and formula and leaves its looks.
func Clear() EditValue { return EditValue{sort: clears} }

// maxCellText is how many UTF-16 units a cell holds in every program.
const maxCellText = 32_767

// longestNumber is how many characters a number has at most: the digits of the least and of the greatest that programs
// hold are fewer.
const longestNumber = 600

var plainNumber = pattern.Of(`^-?[0-9]+(\.[0-9]+)?$`)

func isPlainNumber(s string) bool { return len(s) <= longestNumber && plainNumber.MatchString(s) }

func (v EditValue) check() error {
	switch {
	case v.sort == noEdit:
		return fmt.Errorf("no value is given")
	case v.sort == writesText && !utf8.ValidString(v.text):
		return fmt.Errorf("text is not UTF-8")
	case v.sort == writesText && utf16Length(v.text) > maxCellText:
		return fmt.Errorf("text has %d characters; want at most %d", utf16Length(v.text), maxCellText)
	case v.sort == writesNumber && !isPlainNumber(v.text):
		return fmt.Errorf("number is %q; want digits such as -12.50", v.text)
	case v.sort == writesDay || v.sort == writesDayOrText:
		_, err := serialOf(v.text, false)
		return err
	case v.sort == writesStored:
		return v.stored.check()
	}
	return nil
}

var storedNumber = pattern.Of(`^[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]{1,4})?$`)

// check refuses a cell whose content is not in the cell alone, or that no
// program would store so.
func (c Cell) check() error {
	switch {
	case c.Meta != 0:
		return fmt.Errorf("a picture is placed in the cell; it cannot be copied")
	case c.IsFormula && c.Formula == "":
		return fmt.Errorf("the cell shares the formula of another; it cannot be copied")
	case c.Form == NumberCell && c.Text != "" && !(len(c.Text) <= longestNumber && storedNumber.MatchString(c.Text)):
		return fmt.Errorf("number is %q; want digits", c.Text)
	case c.Form == NumberCell && c.Text == "" && !c.IsFormula:
		return fmt.Errorf("the cell holds nothing")
	case c.Form == BooleanCell && c.Text != "0" && c.Text != "1":
		return fmt.Errorf("truth is %q; want 0 or 1", c.Text)
	case !utf8.ValidString(c.Text+c.Formula) || utf16Length(c.Text) > maxCellText ||
		utf16Length(c.Formula) > maxFormula:
		return fmt.Errorf("the cell holds more than a cell can, or no text")
	}
	return nil
}

// maxFormula is how many UTF-16 units a formula has at most.
const maxFormula = 8_192

func utf16Length(s string) int { return len(utf16.Encode([]rune(s))) }

// serialOf returns the number of a day. Days before March 1900 are refused: there
// programs disagree over a 29 February 1900 that never was.
func serialOf(day string, date1904 bool) (int, error) {
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return 0, fmt.Errorf("day is %q; want one such as 2026-12-01", day)
	}
	first, origin := time.Date(1900, 3, 1, 0, 0, 0, 0, time.UTC), time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	if date1904 {
		origin = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
		first = origin
	}
	if t.Before(first) {
		return 0, fmt.Errorf("day is %s; want %s or later", day, first.Format(time.DateOnly))
	}
	return int(t.Sub(origin).Hours() / 24), nil
}

// result returns what a cell of a style holds after the edit, and false where it
// holds nothing.
func (v EditValue) result(date1904 bool, style Style) (Cell, bool) {
	if v.sort == writesDayOrText && !style.Date {
		v.sort = writesText
	}
	switch v.sort {
	case writesStored:
		return v.stored, true
	case writesText:
		return Cell{Form: TextCell, Text: v.text, HasValue: true}, true
	case writesNumber:
		return Cell{Form: NumberCell, Text: v.text, HasValue: true}, true
	case writesDay, writesDayOrText:
		serial, err := serialOf(v.text, date1904)
		return Cell{Form: NumberCell, Text: fmt.Sprint(serial), HasValue: true}, err == nil
	}
	return Cell{}, false
}

// content returns the type and the children of a cell's element. Names of
// elements take the prefix the sheet uses.
func (c Cell) content(prefix string) (typ, children string) {
	if c.IsFormula {
		children = fmt.Sprintf("<%[1]sf>%[2]s</%[1]sf>", prefix, entities.Replace(c.Formula))
	}
	value := fmt.Sprintf("<%[1]sv>%[2]s</%[1]sv>", prefix, escapeText(c.Text))
	switch {
	case c.IsFormula && !c.HasValue:
		return "", children
	case c.IsFormula && c.Form == TextCell:
		return "str", children + value
	case c.Form != TextCell:
		return storedTypes[c.Form], children + value
	}
	return "inlineStr", fmt.Sprintf(`<%[1]sis><%[1]st xml:space="preserve">%[2]s</%[1]st></%[1]sis>`,
		prefix, escapeText(c.Text))
}

var (
	storedTypes = map[Form]string{NumberCell: "", BooleanCell: "b", ErrorCell: "e", DateCell: "d"}
	entities    = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\r", "&#13;")
)

// escapeText writes text as the t of a workbook: the entities of XML, and the
// _x000D_ form for what XML cannot hold or would change. Text that looks like
// that form gets its first character written so too.
func escapeText(text string) string {
	if utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool {
		return r == '&' || r == '<' || r == '>' || r == '_' || r == '\r' || !ValidChar(r)
	}) {
		return text
	}
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == '&':
			b.WriteString("&amp;")
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '\r' || !ValidChar(r) || r == '_' && startsEscape.MatchString(text[i:]):
			fmt.Fprintf(&b, "_x%04X_", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

var startsEscape = pattern.Of(`^_x[0-9A-Fa-f]{4}`)
