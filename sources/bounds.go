package sources

import (
	"fmt"
	"time"

	"adsync/internal/csvfile"
	"adsync/internal/resource"
	"adsync/internal/xlsx"
)

// bounds are the sizes beyond which a source is refused at once (formats.md
// section 1).
type Limits struct {
	files         int           // sources of an account
	folderDepth   int           // folders a source lies below the project's
	YAMLBytes     int64         // one YAML file
	YAMLDepth     int           // nesting of a YAML document
	workbookBytes int64         // one workbook, zipped
	unzippedBytes int64         // one workbook, unzipped
	CSVBytes      int64         // one CSV file
	CSVColumns    int           // columns of a CSV file
	CSVCell       int           // bytes of one of its values
	sheetRows     int           // rows of a sheet, or of a CSV file
	hintRows      int           // rows of the sheet of context hints
	totalBytes    int64         // all sources of an account
	entries       int           // entries of lists that come from hint files and hint lists, in all
	problems      int           // problems that are listed of one file
	attachedBytes int64         // one image or hint file
	membersBytes  int64         // one members file, as the service takes it
	perFile       time.Duration // time to read one file
}

const MiB = 1 << 20

func Defaults() Limits {
	return Limits{
		files:         2_000,
		folderDepth:   64,
		YAMLBytes:     MiB,
		YAMLDepth:     64,
		workbookBytes: 20 * MiB,
		unzippedBytes: 128 * MiB,
		CSVBytes:      20 * MiB,
		CSVColumns:    1_000,
		CSVCell:       MiB,
		sheetRows:     100_000,
		hintRows:      500_000,
		totalBytes:    512 * MiB,
		entries:       4_000_000,
		problems:      10_000,
		attachedBytes: 20 * MiB,
		membersBytes:  500_000_000,
		perFile:       30 * time.Second,
	}
}

// csv gives the bounds of one CSV file.
func (b Limits) CSV() csvfile.Limits {
	return csvfile.Limits{Columns: b.CSVColumns, CellBytes: b.CSVCell}
}

// workbook gives the bounds of one workbook.
func (b Limits) workbook() xlsx.Limits {
	return xlsx.Limits{Zipped: b.workbookBytes, Unzipped: b.unzippedBytes, Time: b.perFile}
}

// tooManyRows is the error of a sheet, or a CSV file, with more rows than a bound
// has, by its name.
func (b Limits) tooManyRows(name string, rows, bound int) error {
	return &resource.Limit{
		Message: fmt.Sprintf("it has %d rows; want at most %d", rows, bound),
		Hint:    "split it into several files", Bound: resource.Enough(name, int64(rows)),
	}
}

// limit is the finding of what is larger than a bound that has a name.
func limit(hint, bound, format string, args ...any) resource.Finding {
	l := resource.Limit{Message: fmt.Sprintf(format, args...), Hint: hint, Bound: bound}
	return *l.Finding()
}
