package look

import (
	"bytes"
	"encoding/xml"
	"fmt"

	"github.com/xuri/excelize/v2"
)

// Links are links within a workbook, each from a cell that has no other. The library looks through all links of a
// sheet for each new one; of these it has the first of each sheet alone, in whose place all are put as it is written.
type Links struct{ sheets map[string]*bytes.Buffer }

// Add has a cell lead to another, such as 'Ad groups'!C7.
func (l *Links) Add(f *excelize.File, sheet, cell, to string) error {
	all := l.sheets[sheet]
	if all == nil {
		if l.sheets == nil {
			l.sheets = map[string]*bytes.Buffer{}
		}
		all = &bytes.Buffer{}
		l.sheets[sheet] = all
		if err := f.SetCellHyperLink(sheet, cell, standIn(sheet), "Location"); err != nil {
			return err
		}
	}
	writeLink(all, cell, to)
	return nil
}

// standIn is what the first link of a sheet leads to until all are put in its place.
func standIn(sheet string) string { return "adsync links of " + sheet }

// writeLink writes a link as the library does.
func writeLink(b *bytes.Buffer, cell, to string) {
	fmt.Fprintf(b, `<hyperlink ref="%s" location="`, cell)
	_ = xml.EscapeText(b, []byte(to)) // a buffer refuses nothing
	b.WriteString(`"></hyperlink>`)
}

// fill puts all links of a sheet into the place of its first.
func (l *Links) fill(part *bytes.Buffer) *bytes.Buffer {
	if l == nil {
		return part
	}
	for sheet, all := range l.sheets {
		var first bytes.Buffer
		cell, _, _ := bytes.Cut(bytes.TrimPrefix(all.Bytes(), []byte(`<hyperlink ref="`)), []byte(`"`))
		writeLink(&first, string(cell), standIn(sheet))
		if before, after, found := bytes.Cut(part.Bytes(), first.Bytes()); found {
			return bytes.NewBuffer(bytes.Join([][]byte{before, all.Bytes(), after}, nil))
		}
	}
	return part
}
