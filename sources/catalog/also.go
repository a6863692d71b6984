package catalog

import (
	"fmt"
	"slices"
	"strings"

	"adsync/internal/diag"
	"adsync/internal/resource"
	"adsync/internal/synonyms"
	"adsync/sources/celltext"
)

// Columns that are read and never written: amounts in micros, as the interface
// of the service says them, and an amount beside the column that says which of
// several settings it is, as its bulk input has them.

// alsoColumns follow from what the kind's attributes are called on the wire.
func alsoColumns(s *resource.Schema) []Column {
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

func microsColumn(s *resource.Schema, a *resource.Attribute) Column {
	c := Column{Title: a.Name + " micros", Attribute: a, Micros: true}
	c.Synonyms = append(c.Synonyms, a.Header+" micros")
	for _, word := range synonyms.Of(s.Sheet, a.Header) {
		c.Synonyms = append(c.Synonyms, word.Text+" micros")
	}
	for _, wire := range []string{a.Wire.Path[strings.LastIndexByte(a.Wire.Path, '.')+1:],
		a.Bulk.Create, a.Bulk.Update} {
		if strings.HasSuffix(wire, "_micros") {
			c.Synonyms = append(c.Synonyms, wire)
		}
	}
	return c
}

// selectColumns are made for attributes that share an input field and differ in
// another: max_budget_micros is a day's budget or a lifetime's by budget_type.
func selectColumns(s *resource.Schema) []Column {
	var columns []Column
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
				Column{Title: strings.ToUpper(title[:1]) + title[1:], Role: RoleSelector, among: among, wire: key},
				Column{
					Title: stem, Synonyms: []string{"max " + stem, stem + " amount"}, Role: RoleSelected, among: among,
				},
				Column{
					Title: stem + " micros", Synonyms: []string{among[0].Bulk.Create, stem + " amount micros"},
					Role: RoleSelected, among: among, Micros: true,
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

// Named reports whether a header means the column.
func (c *Column) Named(folded string) bool {
	return resource.Fold(c.Title) == folded || slices.ContainsFunc(c.Synonyms, func(s string) bool {
		return resource.Fold(s) == folded
	})
}

// Choose finds the attribute a word selects: by its word on the wire, by what
// it caps, or by its header.
func (c *Column) Choose(word string) *resource.Attribute {
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

// Choices returns the words a selecting column takes.
func (c *Column) Choices() []string {
	var words []string
	for _, a := range c.among {
		words = append(words, a.Per)
		for _, word := range a.Bulk.With {
			words[len(words)-1] = word
		}
	}
	return words
}

// OrWords returns those words as a sentence has them.
func OrWords(c *Column) string { return strings.Join(c.Choices(), " or ") }

// MicrosText makes units of an amount in micros, which has no decimals.
func MicrosText(a *resource.Attribute, text string) (string, *resource.Finding) {
	digits := strings.TrimSuffix(celltext.Trimmed(text), ".000000") // of a number a workbook stores as 5E7
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
	if digits == "" || len(digits) > celltext.MaxExactDigits || strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	var n int64
	for _, d := range digits {
		n = n*10 + int64(d-'0')
	}
	return n, true
}
