// Package resultcopy knows the workbooks in which adsync says what became of the rows of
// a user's workbook: what tells one from every other workbook, whether somebody edited it
// since, under which name it lies, and how many are kept.
//
// It marks no cell and reads no row of a kind; package sources does both. It puts a copy
// in the place of nothing but an earlier copy that nobody has saved since.
//
// Its invariant is that what it puts down is never taken for a source.
package resultcopy

import (
	"bytes"
	"io"

	"adsync/internal/xlsx"
)

// tab is the very hidden sheet in which a workbook of adsync's says what it is.
const tab = "_sync"

// role is what the sheet says of a copy with results.
const role = "results"

// maxPart is how many bytes of one part are read to tell a copy from other workbooks.
const maxPart = 64 << 20

// Copy is what a copy with results says of itself.
type Copy struct {
	Of     string // slash path of the workbook it is a copy of
	Says   string // sum of what it was made from: the same sum gives the same copy
	Open   bool   // something in it is left to do
	Edited bool   // it was saved since adsync wrote it
}

// The words of the sheet.
const (
	wordRole  = "role"
	wordOf    = "copy of"
	wordSays  = "says"
	wordOpen  = "left to do"
	wordParts = "as written"
)

// Unsealed stands in a copy for its seal until all its parts are there.
const Unsealed = "adsync-unsealed-0000000000000000000000000000000000000000000000000000"

// Lines are the rows of the sheet that tell a copy from other workbooks.
func (c Copy) Lines() [][2]string {
	lines := [][2]string{{wordRole, role}, {wordOf, c.Of}, {wordParts, Unsealed}}
	if c.Says != "" {
		lines = append(lines, [2]string{wordSays, c.Says})
	}
	if c.Open {
		lines = append(lines, [2]string{wordOpen, "yes"})
	}
	return lines
}

// IsLine reports whether a row of the sheet is one that Lines writes anew.
func IsLine(word string) bool {
	switch word {
	case wordRole, wordOf, wordSays, wordOpen, wordParts:
		return true
	}
	return false
}

// Read reads what a workbook says of itself; false where it is no copy with results, or
// cannot be read.
func Read(file io.ReaderAt, size int64) (Copy, bool) {
	said := map[string]string{}
	part, err := xlsx.PeekSheet(file, size, tab, maxPart, func(row *xlsx.Row) error {
		if len(row.Cells) == 2 {
			said[row.Cells[0].Text] = row.Cells[1].Text
		}
		return nil
	})
	if err != nil || said[wordRole] != role {
		return Copy{}, false
	}
	sum, err := xlsx.PartsSum(file, size, part)
	c := Copy{Of: said[wordOf], Says: said[wordSays], Open: said[wordOpen] != ""}
	c.Edited = err != nil || sum != said[wordParts]
	return c, true
}

// ReadBytes is Read of a workbook in memory.
func ReadBytes(content []byte) (Copy, bool) {
	return Read(bytes.NewReader(content), int64(len(content)))
}
