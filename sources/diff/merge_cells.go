package diff

import (
	"fmt"
	"strconv"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/pattern"
	"adsync/internal/words/catalogue"
	"adsync/internal/xlsx"
	"adsync/sources/cellbook"
	"adsync/sources/celltext"
)

// valueFor makes an edit of a cell of theirs, or gives the reason why it cannot
// be carried over.
func (s *sheetMerge) valueFor(target, source int, wants optionalCell) (v xlsx.EditValue, reason string) {
	switch {
	case !wants.there:
		return xlsx.Clear(), ""
	case s.ours.CSV != nil:
		return xlsx.Text(wants.Text), s.notInCSV(target, source, wants)
	case wants.Meta != 0:
		return v, catalogue.Say("merge.picture")
	case wants.IsFormula:
		return s.formulaFor(target, source, wants)
	case wants.IsDay:
		day, finding := celltext.DayOfSerial(wants.Text, s.theirs.Book.Date1904)
		if finding == nil {
			return xlsx.DayOrText(day), ""
		}
		if s.theirs.Book.Date1904 != s.ours.Book.Date1904 {
			return v, catalogue.Say("merge.days")
		}
	}
	if wants.Form == xlsx.TextCell {
		return xlsx.Text(wants.Text), ""
	}
	return xlsx.Stored(wants.Cell), ""
}

// formulaFor carries a formula over. In another row it must read cells of its
// own row alone, in columns that stand where they stood.
func (s *sheetMerge) formulaFor(target, source int, wants optionalCell) (v xlsx.EditValue, reason string) {
	c := wants.Cell
	if c.Formula == "" {
		return v, catalogue.Say("merge.shared-formula")
	}
	if !s.columnsAlike() {
		return v, catalogue.Say("merge.formula-columns", "ours", s.sides.Ours)
	}
	moved, fits := moveFormula(c.Formula, source, target)
	if !fits {
		return v, catalogue.Say("merge.formula-rows", "ours", s.sides.Ours)
	}
	c.Formula = moved
	return xlsx.Stored(c), ""
}

// columnsAlike reports whether every column of theirs stands in the same place in ours.
func (s *sheetMerge) columnsAlike() bool {
	for number, name := range s.t.Columns {
		if name != "" && s.o.ColumnNumber(name) != number && s.o.ColumnNumber(name) != 0 {
			return false
		}
	}
	return true
}

var (
	quotedText    = pattern.Of(`"[^"]*"|'[^']*'!`)
	cellReference = pattern.Of(`(\$?[A-Za-z]{1,3})(\$?)([0-9]{1,7})\b`)
)

// moveFormula rewrites the references of a formula to its own row. It gives
// false where the formula reads another row, another sheet, or whatever it does
// not know, unless it stays where it was.
func moveFormula(formula string, source, target int) (moved string, fits bool) {
	if source == target {
		return formula, true
	}
	bare := quotedText.ReplaceAllString(formula, "")
	if strings.ContainsAny(bare, "![]{}:#@'") {
		return "", false
	}
	fits = true
	var b strings.Builder
	done := 0
	inText := quotedText.FindAllStringIndex(formula, -1)
	for _, m := range cellReference.FindAllStringSubmatchIndex(formula, -1) {
		switch {
		case within(inText, m[0]) || m[0] > 0 && isWordByte(formula[m[0]-1]) ||
			m[1] < len(formula) && formula[m[1]] == '(':
			continue
		case m[4] != m[5]: // $ before the row: the same cell wherever the formula stands
			continue
		case formula[m[6]:m[7]] != strconv.Itoa(source):
			fits = false
		}
		b.WriteString(formula[done:m[6]] + strconv.Itoa(target))
		done = m[7]
	}
	b.WriteString(formula[done:])
	return b.String(), fits
}

func within(spans [][]int, at int) bool {
	for _, span := range spans {
		if at >= span[0] && at < span[1] {
			return true
		}
	}
	return false
}

func isWordByte(c byte) bool {
	return c == '_' || c == '.' || c == '$' || c >= '0' && c <= '9' ||
		c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= 0x80
}

// beside holds what lies on cells against the base: pictures and notes are not
// merged, and one that theirs changed is said.
func (s *sheetMerge) beside() error {
	base, err := s.base.Beside(s.b, s.in.Bounds)
	if err != nil {
		return fmt.Errorf("base: %w", err)
	}
	ours, err := s.ours.Beside(s.o, s.in.Bounds)
	if err != nil {
		return fmt.Errorf("ours: %w", err)
	}
	theirs, err := s.theirs.Beside(s.t, s.in.Bounds)
	if err != nil {
		return fmt.Errorf("theirs: %w", err)
	}
	for _, place := range cellbook.SortedKeys(base, theirs) {
		if theirs[place] == base[place] || theirs[place] == ours[place] {
			continue
		}
		s.clash(Conflict{
			What: cellbook.SheetLabel(s.o.Name) + " " + place,
			Base: orNone(base[place]), Ours: orNone(ours[place]), Theirs: orNone(theirs[place]),
			Reason: catalogue.Say("merge.beside"),
		})
	}
	return nil
}

func orNone(text string) string {
	if text == "" {
		return catalogue.Say("shown.none")
	}
	return diag.Printable(text)
}
