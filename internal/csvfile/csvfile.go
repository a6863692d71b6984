// Package csvfile reads and writes what a CSV file stores: its encoding, its
// delimiter, its records and fields with their positions, below any meaning
// they have for an account.
//
// It refuses whatever reads two ways: a quote that is stray or not closed, bytes
// of no encoding, a delimiter that could be another, a text that was decoded
// wrongly, another format under the name of a CSV. encoding/csv is not used for
// reading: it refuses ="00123", which spreadsheet programs read and people
// write, and it cannot say where a quote that is never closed was opened.
//
// Its invariant is that every field knows the physical line and the character
// it begins at, and that what quote, Plain and Exact write, Walk and Read give
// back to the letter.
package csvfile

import (
	"fmt"

	"adsync/internal/diag"
	"adsync/internal/resource"
)

// Fault is why a file cannot be read, at a line and a column in characters; both
// are 0 where it is about the file as a whole.
type Fault struct {
	Line, Column int
	resource.Finding
}

// Error lets a fault end a walk.
func (f *Fault) Error() string { return f.Message }

func fault(code diag.Code, line, column int, hint, format string, args ...any) *Fault {
	return &Fault{line, column, resource.Finding{Code: code, Message: fmt.Sprintf(format, args...), Hint: hint}}
}

// Limits are the sizes beyond which a file is refused.
type Limits struct {
	Columns   int // of a row
	CellBytes int // of one field
}

// Delimiters are what may stand between two fields.
var Delimiters = []byte{',', ';', '\t'}

// DelimiterName is what people call a delimiter.
func DelimiterName(delimiter byte) string {
	switch delimiter {
	case ',':
		return "comma"
	case ';':
		return "semicolon"
	}
	return "tab"
}
