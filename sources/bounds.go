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
type bounds struct {
	files         int           // sources of an account
	folderDepth   int           // folders a source lies below the project's
	yamlBytes     int64         // one YAML file
	yamlDepth     int           // nesting of a YAML document
	workbookBytes int64         // one workbook, zipped
	unzippedBytes int64         // one workbook, unzipped
	csvBytes      int64         // one CSV file
	csvColumns    int           // columns of a CSV file
	csvCell       int           // bytes of one of its values
	sheetRows     int           // rows of a sheet, or of a CSV file
	hintRows      int           // rows of the sheet of context hints
	totalBytes    int64         // all sources of an account
	entries       int           // entries of lists that come from hint files and hint lists, in all
	problems      int           // problems that are listed of one file
	attachedBytes int64         // one image or hint file
	membersBytes  int64         // one members file, as the service takes it
	perFile       time.Duration // time to read one file
}

const mebibyte = 1 << 20

func defaultBounds() bounds {
	return bounds{
		files:         2_000,
		folderDepth:   64,
		yamlBytes:     mebibyte,
		yamlDepth:     64,
		workbookBytes: 20 * mebibyte,
		unzippedBytes: 128 * mebibyte,
		csvBytes:      20 * mebibyte,
		csvColumns:    1_000,
		csvCell:       mebibyte,
		sheetRows:     100_000,
		hintRows:      500_000,
		totalBytes:    512 * mebibyte,
		entries:       4_000_000,
		problems:      10_000,
		attachedBytes: 20 * mebibyte,
		membersBytes:  500_000_000,
		perFile:       30 * time.Second,
	}
}

// csv gives the bounds of one CSV file.
func (b bounds) csv() csvfile.Limits {
	return csvfile.Limits{Columns: b.csvColumns, CellBytes: b.csvCell}
}

// workbook gives the bounds of one workbook.
func (b bounds) workbook() xlsx.Limits {
	return xlsx.Limits{Zipped: b.workbookBytes, Unzipped: b.unzippedBytes, Time: b.perFile}
}

// tooManyRows is the error of a sheet, or a CSV file, with more rows than a bound
// has, by its name.
func (b bounds) tooManyRows(name string, rows, bound int) error {
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
