// Package bounded reads what a file holds within bounds, and refuses what is beyond them.
// bounds.go has the sizes, regular.go opens and reads a file, text.go judges whether
// text is whole, glob.go matches the patterns of sources, scratch.go keeps large parts.
//
// Nothing is cut silently: what is larger, no regular file or broken text is an error.
package bounded

import (
	"fmt"
	"time"

	"adsync/internal/csvfile"
	"adsync/internal/resource"
	"adsync/internal/xlsx"
)

// Limits are the sizes beyond which a source is refused at once (formats.md
// section 1).
type Limits struct {
	Files         int           // sources of an account
	FolderDepth   int           // folders a source lies below the project's
	YAMLBytes     int64         // one YAML file
	YAMLDepth     int           // nesting of a YAML document
	WorkbookBytes int64         // one workbook, zipped
	UnzippedBytes int64         // one workbook, unzipped
	CSVBytes      int64         // one CSV file
	CSVColumns    int           // columns of a CSV file
	CSVCell       int           // bytes of one of its values
	SheetRows     int           // rows of a sheet, or of a CSV file
	HintRows      int           // rows of the sheet of context hints
	TotalBytes    int64         // all sources of an account
	Entries       int           // entries of lists that come from hint files and hint lists, in all
	Problems      int           // problems that are listed of one file
	AttachedBytes int64         // one image or hint file
	MembersBytes  int64         // one members file, as the service takes it
	PerFile       time.Duration // time to read one file
}

const MiB = 1 << 20

// Defaults returns the bounds that hold where the operator sets none.
func Defaults() Limits {
	return Limits{
		Files:         2_000,
		FolderDepth:   64,
		YAMLBytes:     MiB,
		YAMLDepth:     64,
		WorkbookBytes: 20 * MiB,
		UnzippedBytes: 128 * MiB,
		CSVBytes:      20 * MiB,
		CSVColumns:    1_000,
		CSVCell:       MiB,
		SheetRows:     100_000,
		HintRows:      500_000,
		TotalBytes:    512 * MiB,
		Entries:       4_000_000,
		Problems:      10_000,
		AttachedBytes: 20 * MiB,
		MembersBytes:  500_000_000,
		PerFile:       30 * time.Second,
	}
}

// CSV returns the bounds of one CSV file.
func (b Limits) CSV() csvfile.Limits {
	return csvfile.Limits{Columns: b.CSVColumns, CellBytes: b.CSVCell}
}

// OfSource returns how large a source may be, by its name.
func (b Limits) OfSource(name string) int64 {
	switch BoundOf(name) {
	case "workbook":
		return b.WorkbookBytes
	case "csv":
		return b.CSVBytes
	}
	return b.YAMLBytes
}

// Workbook returns the bounds of one workbook.
func (b Limits) Workbook() xlsx.Limits {
	return xlsx.Limits{Zipped: b.WorkbookBytes, Unzipped: b.UnzippedBytes, Time: b.PerFile}
}

// TooManyRows is the error of a sheet, or a CSV file, with more rows than a bound
// has, by its name.
func (b Limits) TooManyRows(name string, rows, bound int) error {
	return &resource.Limit{
		Message: fmt.Sprintf("it has %d rows; want at most %d", rows, bound),
		Hint:    "split it into several files", Bound: resource.Enough(name, int64(rows)),
	}
}

// Limit is the finding of what is larger than a bound that has a name.
func Limit(hint, bound, format string, args ...any) resource.Finding {
	l := resource.Limit{Message: fmt.Sprintf(format, args...), Hint: hint, Bound: bound}
	return *l.Finding()
}
