package sources

import (
	"fmt"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/synonyms"
	"adsync/internal/xlsx"
)

// Columns that are read and never written: amounts in micros, as the interface
// of the service says them, and an amount beside the column that says which of
// several settings it is, as its bulk input has them.

// alsoColumns follow from what the kind's attributes are called on the wire.
func alsoColumns(s *resource.Schema) []column {
	columns := selectColumns(s)
	for _, plain := range []bool{true, false} {
		for i := range s.Attributes {
			// Two attributes may share a wire field; the one that needs no leave of
			// the account is meant where nothing else is said.
			if a := &s.Attributes[i]; a.Type == resource.TypeMoney && (a.Bulk.Needs == "") == plain {
				columns = append(columns, microsColumn(s, a))
			}
		}
	}
	return columns
}

func microsColumn(s *resource.Schema, a *resource.Attribute) column {
	c := column{title: a.Name + " micros", attribute: a, micros: true}
	c.synonyms = append(c.synonyms, a.Header+" micros")
	for _, word := range synonyms.Of(s.Sheet, a.Header) {
		c.synonyms = append(c.synonyms, word.Text+" micros")
	}
	for _, wire := range []string{a.Wire.Path[strings.LastIndexByte(a.Wire.Path, '.')+1:],
		a.Bulk.Create, a.Bulk.Update} {
		if strings.HasSuffix(wire, "_micros") {
			c.synonyms = append(c.synonyms, wire)
		}
	}
	return c
}

// selectColumns are made for attributes that share an input field and differ in
// another: max_budget_micros is a day's budget or a lifetime's by budget_type.
func selectColumns(s *resource.Schema) []column {
	var columns []column
	told := map[string]bool{}
	for i := range s.Attributes {
		for key := range s.Attributes[i].Bulk.With {
			among := sharing(s, s.Attributes[i].Bulk.Create, key)
			if told[key] || len(among) < 2 {
				continue
			}
			told[key] = true
			title := strings.ReplaceAll(key, "_", " ")
			stem := strings.TrimSuffix(title, " type")
			columns = append(columns,
				column{title: strings.ToUpper(title[:1]) + title[1:], role: roleSelector, among: among, wire: key},
				column{
					title: stem, synonyms: []string{"max " + stem, stem + " amount"}, role: roleSelected, among: among,
				},
				column{
					title: stem + " micros", synonyms: []string{among[0].Bulk.Create, stem + " amount micros"},
					role: roleSelected, among: among, micros: true,
				},
			)
		}
	}
	return columns
}

func sharing(s *resource.Schema, create, key string) []*resource.Attribute {
	var among []*resource.Attribute
	for i := range s.Attributes {
		if a := &s.Attributes[i]; a.Bulk.Create == create && a.Bulk.With[key] != "" {
			among = append(among, a)
		}
	}
	return among
}

// named says that a header means the column.
func (c *column) named(folded string) bool {
	return resource.Fold(c.title) == folded || slices.ContainsFunc(c.synonyms, func(s string) bool {
		return resource.Fold(s) == folded
	})
}

// reselect gives the columns of an amount their meaning once the header has a
// column that selects it: beside Budget type, Budget is no longer the lifetime's.
func (h *headerRow) reselect(t *tab) {
	if h.columnOf(func(c *column) bool { return c.role == roleSelector }) == 0 {
		return
	}
	for number, written := range h.written {
		for i := range t.also {
			if c := &t.also[i]; c.role == roleSelected &&
				written != "" && (t.layout == nil || !t.layout.isOwn(written)) && c.named(foldedHeader(written)) {
				h.columns[number] = c
			}
		}
	}
}

// selection is an amount and what says which setting it is, in one row.
type selection struct {
	word    mark
	among   *column // the selector's column, nil where the row's cell is blank
	amount  xlsx.Cell
	column  *column // of the amount, nil where the row's cell is blank
	twice   bool
	written diag.Position
}

func (r *tabReader) readSelector(d *rowDraft, known *column, position diag.Position, c xlsx.Cell) {
	d.selected.among, d.selected.word = known, r.markOf(&d.draft, position, c)
}

func (d *rowDraft) noteSelected(known *column, position diag.Position, c xlsx.Cell) {
	d.selected.twice = d.selected.column != nil
	d.selected.column, d.selected.amount, d.selected.written = known, c, position
}

// readSelected reads the amount as the setting the row selects.
func (r *tabReader) readSelected(d *rowDraft, row int) {
	s := &d.selected
	number := r.header.columnOf(func(c *column) bool { return c.role == roleSelector })
	switch {
	case s.among == nil && s.column == nil:
		return
	case s.twice:
		r.fail(&d.draft, s.written, &resource.Finding{
			Code: diag.Conflicting, Message: "amount is in two columns of this row; want it in one",
		})
		return
	case s.among == nil:
		r.fail(&d.draft, r.at(row, number), &resource.Finding{
			Code: diag.Required, Message: fmt.Sprintf("%s is missing beside an amount; want %s",
				r.header.column(number).title, orWords(s.column)),
		})
		return
	case s.column == nil:
		r.fail(&d.draft, s.word.position, &resource.Finding{
			Code: diag.Required, Message: fmt.Sprintf("%s is %q without an amount; want the amount, or a blank cell",
				s.among.title, s.word.text),
		})
		return
	}
	if a := s.among.choose(s.word.text); a != nil {
		r.readValue(d, a, s.written, s.amount, s.column.micros)
		return
	}
	if s.word.text == "" {
		return // refused where it was read
	}
	r.fail(&d.draft, s.word.position, &resource.Finding{
		Code: diag.BadChoice, Message: fmt.Sprintf("%s is %q; want %s", s.among.title, s.word.text, orWords(s.among)),
		Hint: diag.DidYouMean(s.word.text, s.among.choices()),
	})
}

// choose finds the attribute a word selects: by its word on the wire, by what
// it caps, or by its header.
func (c *column) choose(word string) *resource.Attribute {
	folded := resource.Fold(word)
	for _, a := range c.among {
		for _, known := range []string{a.Bulk.With[c.wire], a.Per, a.Header} {
			if resource.Fold(known) == folded {
				return a
			}
		}
	}
	return nil
}

func (c *column) choices() []string {
	var words []string
	for _, a := range c.among {
		words = append(words, a.Per)
		for _, word := range a.Bulk.With {
			words[len(words)-1] = word
		}
	}
	return words
}

func orWords(c *column) string { return strings.Join(c.choices(), " or ") }

// microsText makes units of an amount in micros, which has no decimals.
func microsText(a *resource.Attribute, text string) (string, *resource.Finding) {
	digits := strings.TrimSuffix(trimmed(text), ".000000") // of a number a workbook stores as 5E7
	micros, ok := exactMicros(digits)
	if !ok {
		return "", &resource.Finding{
			Code: diag.BadMoney, Message: fmt.Sprintf("%s is %q under "+
				"a header that says micros; want whole micros such as 25000000", a.Name, text),
		}
	}
	return resource.FormatMoney(micros), nil
}

// exactMicros reads up to fifteen digits, which every program keeps.
func exactMicros(digits string) (int64, bool) {
	if digits == "" || len(digits) > maxExactDigits || strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	var n int64
	for _, d := range digits {
		n = n*10 + int64(d-'0')
	}
	return n, true
}
