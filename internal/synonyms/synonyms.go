// Package synonyms is the one table of what others call the columns that adsync
// reads: other advertising tools, the service's own bulk sheet, and people.
//
// It refuses to read a cell: which column of a file a header becomes is for the
// reader of the file. A word that can mean two things is no synonym but a
// question, and stands in Questions.
//
// Its invariant is that a word has one meaning on a sheet: a column, a question,
// or nothing this service has.
package synonyms

import (
	"slices"
	"strings"
	"sync"

	"adsync/internal/resource"
)

// The tools whose words the table has, in the order of its columns.
const (
	Service   = "the service's bulk sheet"
	Google    = "Google Ads Editor"
	Microsoft = "Microsoft Advertising"
	Amazon    = "Amazon Ads"
	Meta      = "Meta Ads Manager"
	DV360     = "Display & Video 360"
	People    = "people"
)

// Tools are those of the table, in order.
var Tools = []string{Service, Google, Microsoft, Amazon, Meta, DV360, People}

// row is what others call one column. Words stand between commas and spaces.
type row struct {
	Sheet                                                   string // "" is every sheet that has the column
	Column                                                  string // its header
	Service, Google, Microsoft, Amazon, Meta, DV360, People string
}

// By returns what each of Tools calls the column.
func (r *row) By() []string {
	return []string{r.Service, r.Google, r.Microsoft, r.Amazon, r.Meta, r.DV360, r.People}
}

// Question is a header that can mean more than one column, or one column and
// something that adsync does not read.
type Question struct {
	Sheet string
	Words string
	Could []string // headers
	On    string   // the sheet that has them, "" is Sheet
	Why   string   // what tells them apart, or why none is meant; may be ""
	Alone bool     // asked only where the sheet has none of the columns
}

// unmatchedOf are the columns of a tool's exports that this service has nothing
// for.
type unmatchedOf struct {
	Tool  string
	Words string
}

// Split returns the words of a list of the table. A comma within a word has no
// space behind it.
func Split(list string) []string {
	if list == "" {
		return nil
	}
	return strings.Split(list, ", ")
}

// Word is what a tool calls a column.
type Word struct{ Text, Folded, Tool string }

// Of returns the words for a column of a sheet, those of the service first.
func Of(sheet, column string) []Word { return byColumn()[place(sheet, column)] }

func place(sheet, column string) string { return sheet + "\x00" + resource.Fold(column) }

// byColumn is made once: of Rows for the sheets they name, and of those for
// every sheet for all.
var byColumn = sync.OnceValue(func() map[string][]Word {
	words := map[string][]Word{}
	for i := range Rows {
		r := &Rows[i]
		sheets := []string{r.Sheet}
		if r.Sheet == "" {
			sheets = sheetsOfRows()
		}
		for t, list := range r.By() {
			for _, text := range Split(list) {
				for _, sheet := range sheets {
					at := place(sheet, r.Column)
					words[at] = append(words[at], Word{text, resource.Fold(text), Tools[t]})
				}
			}
		}
	}
	return words
})

// sheetsOfRows are the sheets that rows of every sheet are for.
func sheetsOfRows() []string {
	var sheets []string
	for i := range Rows {
		if s := Rows[i].Sheet; s != "" && !slices.Contains(sheets, s) {
			sheets = append(sheets, s)
		}
	}
	return sheets
}

// Ask returns the question a header is on a sheet, nil where it is none.
func Ask(sheet, header string) *Question {
	folded := resource.Fold(header)
	for i := range Questions {
		q := &Questions[i]
		if q.Sheet == sheet && slices.ContainsFunc(Split(q.Words), func(word string) bool {
			return resource.Fold(word) == folded
		}) {
			return q
		}
	}
	return nil
}

// HasNothing returns the tool whose exports have a column that this service has
// nothing for, "" where none is known.
func HasNothing(header string) string { return unmatched()[resource.Fold(header)] }

var unmatched = sync.OnceValue(func() map[string]string {
	tools := map[string]string{}
	for _, u := range Nothing {
		for _, word := range Split(u.Words) {
			if folded := resource.Fold(word); tools[folded] == "" {
				tools[folded] = u.Tool
			}
		}
	}
	return tools
})

// Meaning is what a header is on a sheet: a column, a question, or, on any
// sheet, a column of a tool that this service has nothing for.
type Meaning struct {
	Sheet    string
	Column   string
	Question *Question
	Tool     string // whose word it is; of a column's own header ""
}

// Find returns all that a header can be, in the order of the table.
func Find(header string) []Meaning {
	folded := resource.Fold(header)
	var found []Meaning
	for i := range Rows {
		if m, is := Rows[i].means(folded); is {
			found = append(found, m)
		}
	}
	for i := range Questions {
		if q := &Questions[i]; q == Ask(q.Sheet, header) {
			found = append(found, Meaning{Sheet: q.Sheet, Question: q})
		}
	}
	if tool := HasNothing(header); tool != "" {
		found = append(found, Meaning{Tool: tool})
	}
	return found
}

func (r *row) means(folded string) (Meaning, bool) {
	if resource.Fold(r.Column) == folded {
		return Meaning{Sheet: r.Sheet, Column: r.Column}, true
	}
	for t, list := range r.By() {
		for _, word := range Split(list) {
			if resource.Fold(word) == folded {
				return Meaning{Sheet: r.Sheet, Column: r.Column, Tool: Tools[t]}, true
			}
		}
	}
	return Meaning{}, false
}
