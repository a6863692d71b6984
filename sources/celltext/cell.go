// Package celltext reads what the text of one cell or header means, without the sheet around it.
// cell.go judges formulas, errors and words that clear, number.go reads the digits of numbers,
// amounts and days that workbooks store, list.go cuts a cell into entries, header.go folds headers
// and words messages. What a text is worth says package resource, for every format: an amount in
// internal/resource/money.go, a day such as 3/4/27 in internal/resource/day.go.
//
// Nothing is guessed: what reads two ways is a finding.
package celltext

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"adsync/internal/diag"
	"adsync/internal/pattern"
	"adsync/internal/resource"
	"adsync/internal/xlsx"
)

// TypeKey is the type of the column Key, which is no attribute's.
const TypeKey resource.Type = "key"

// exactTypes are taken from cells that hold the value itself: the last value of a
// formula may be out of date, or another row's. An amount is read all the same, with
// a note: people calculate budgets.
var exactTypes = []resource.Type{resource.TypeChoice, resource.TypeSet, resource.TypeID, resource.TypeIDs, TypeKey}

// fullestCell is how many characters a cell holds in most programs. What is longer
// was cut off there, without a word.
const fullestCell = 32_767

// CutCell refuses a text that is as long as a cell can be.
func CutCell(text string) *resource.Finding {
	if len(text) < fullestCell || utf8.RuneCountInString(text) != fullestCell &&
		len(utf16.Encode([]rune(text))) != fullestCell {
		return nil
	}
	return &resource.Finding{
		Code: diag.TooLong, Message: fmt.Sprintf("cell holds %d "+
			"characters, the most a cell can, so that its end was likely cut off; want the whole text", fullestCell),
		Hint: "put hints on the sheet Context hints, " +
			"one a row, or into a text file that the cell names: file: hints.txt",
	}
}

// ErrorWord is what programs show where a formula has failed. Pasted as a value,
// or saved as CSV, it is a text like any other.
var ErrorWord = pattern.Of(`^(#(REF|VALUE|` +
	`NUM|NULL|DIV/0|SPILL|CALC|FIELD|BLOCKED|CONNECT|BUSY|UNKNOWN|ERROR)!|#NAME\?|#N/A|#GETTING_DATA|Err:[0-9]{3})$`)

// ErrorText returns why a text is the error of a formula, nil where it is none.
func ErrorText(text string) *resource.Finding {
	if !ErrorWord.MatchString(text) {
		return nil
	}
	return &resource.Finding{
		Code: diag.CellError, Message: fmt.Sprintf("text is the error %s of a formula; want a value", text),
		Hint: "write the value itself",
	}
}

// BadFormula returns why the last value of a formula cannot be taken, nil where it can.
func BadFormula(c xlsx.Cell, typ resource.Type) *resource.Finding {
	switch {
	case slices.Contains(exactTypes, typ):
		return RefusedFormula(Expected(typ))
	case !c.HasValue:
		return uncalculated("formula has no value; want the value itself")
	case typ == resource.TypeMoney && isZero(c):
		return uncalculated("formula has 0 as its " +
			"last value, as programs store it that do not calculate; want the amount itself")
	case c.Form == xlsx.NumberCell && typ != resource.TypeDay && typ != resource.TypeLast && typ != resource.TypeMoney:
		return uncalculated(fmt.Sprintf("formula has the number %s as its last value; want %s", c.Text, Expected(typ)))
	}
	return nil
}

func isZero(c xlsx.Cell) bool {
	n, ok := Exact(c.Text)
	return c.Form == xlsx.NumberCell && ok && n.Sign() == 0
}

func uncalculated(message string) *resource.Finding {
	return &resource.Finding{
		Code: diag.FormulaNoValue, Message: message,
		Hint: "open the workbook in a spreadsheet program and save it once, or paste the value",
	}
}

// RefusedFormula returns the finding of a formula where a value has to stand.
func RefusedFormula(want string) *resource.Finding {
	return &resource.Finding{
		Code: diag.FormulaNoValue, Message: "cell holds a formula; want " +
			want + " itself, because a formula's last value may be out of date",
		Hint: "copy the cell and paste its value",
	}
}

// Expected returns what a cell of a type holds, for messages.
func Expected(typ resource.Type) string {
	switch typ {
	case resource.TypeMoney:
		return "the amount"
	case resource.TypeDay, resource.TypeLast:
		return "a day such as 2026-12-01"
	case resource.TypeChoice, resource.TypeSet:
		return "one of its choices"
	case resource.TypeID, resource.TypeIDs:
		return "the id"
	case TypeKey:
		return "the key"
	}
	return "text"
}

// Truth returns what programs show of a boolean.
func Truth(text string) string {
	if text == "1" {
		return "TRUE"
	}
	return "FALSE"
}

// IsoDay reads the dates of strict workbooks, which are written as text.
func IsoDay(text string, typ resource.Type) (string, *resource.Finding) {
	if typ != resource.TypeDay && typ != resource.TypeLast {
		return "", &resource.Finding{
			Code: diag.BadValue, Message: fmt.Sprintf("cell holds the date %s; want %s", text, Expected(typ)),
		}
	}
	day, time, timed := strings.Cut(text, "T")
	switch {
	case timed && strings.Trim(time, "0:.Z") == "":
		return day, nil // programs write days as midnights of a zone nobody chose
	case timed && strings.ContainsAny(time, "Z+-"):
		return "", &resource.Finding{
			Code:    diag.BadDate,
			Message: fmt.Sprintf("date is %q, which has a time of day; want a day alone, such as %s", text, day),
			Hint:    "give the cell the format Text, and type it again, if the time is meant",
		}
	}
	return text, nil
}

// IsForeign reports whether a symbol or code is of another currency.
func IsForeign(symbol, currency string) bool {
	_, finding := resource.ParseMoney("1 "+symbol, currency)
	return finding != nil
}

// clearWords ask for a value to be removed; plainClearWords do so where the
// column is not free text (formats.md section 1).
var (
	clearWords      = []string{"[clear]", "[]", "delete_value"}
	plainClearWords = []string{"clear", "remove_content"}
)

// AsksToClear reports whether a text asks for the value to be removed.
func AsksToClear(text string, typ resource.Type) bool {
	word := strings.ToLower(Trimmed(text))
	freeText := typ == resource.TypeText || typ == resource.TypeHints
	return slices.Contains(clearWords, word) || !freeText && slices.Contains(plainClearWords, word)
}

// Trimmed is a text as Attribute.Parse reads it.
func Trimmed(text string) string { return resource.Clean(text) }
