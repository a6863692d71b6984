package journeys

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/xuri/excelize/v2"
)

// fill WORKBOOK SHEET HEADER=VALUE...: a new row, below the last one.
func fillRow(ts *testscript.TestScript, _ bool, args []string) {
	inSheet(ts, args, func(f *excelize.File, rows [][]string) {
		free := len(rows) + 1
		for free > 2 && (len(rows[free-2]) == 0 || rows[free-2][0] == "") { // the counters go on below
			free--
		}
		setCells(ts, f, args[1], rows[0], free, args[2:])
		ts.Check(f.Save())
	})
}

// edit WORKBOOK SHEET NAME HEADER=VALUE...: in the row of what is called so.
func editRow(ts *testscript.TestScript, _ bool, args []string) {
	inSheet(ts, args, func(f *excelize.File, rows [][]string) {
		setCells(ts, f, args[1], rows[0], rowOf(ts, rows, args[2]), args[3:])
		ts.Check(f.Save())
	})
}

// chooses WORKBOOK WORD: as somebody does on Start here, beside This workbook is.
func chooses(ts *testscript.TestScript, _ bool, args []string) {
	inSheet(ts, []string{args[0], "Start here"}, func(f *excelize.File, rows [][]string) {
		cell := fmt.Sprintf("B%d", rowOf(ts, rows, "This workbook is"))
		ts.Check(f.SetCellStr("Start here", cell, args[1]))
		ts.Check(f.Save())
	})
}

// reads WORKBOOK SHEET NAME HEADER=PATTERN...: what stands in the row of what is called so.
func rowReads(ts *testscript.TestScript, _ bool, args []string) {
	inSheet(ts, args, func(_ *excelize.File, rows [][]string) {
		if differs := rowDiffers(ts, rows[0], rows[rowOf(ts, rows, args[2])-1], args[3:]); differs != "" {
			ts.Fatalf("%s of %s", differs, args[2])
		}
	})
}

// rowDiffers returns which cell of a row is not as wanted, "" where all are.
func rowDiffers(ts *testscript.TestScript, headers, row, pairs []string) string {
	for _, pair := range pairs {
		header, pattern, _ := strings.Cut(pair, "=")
		text := ""
		if at := columnOf(ts, headers, header); at < len(row) {
			text = row[at]
		}
		if !regexp.MustCompile("^(?s:" + pattern + ")$").MatchString(text) {
			return fmt.Sprintf("%s is %q; want %q", header, text, pattern)
		}
	}
	return ""
}

// listed WORKBOOK SHEET PATTERN: some row reads so, its cells joined by " | ".
func textIsListed(ts *testscript.TestScript, neg bool, args []string) {
	inSheet(ts, args, func(_ *excelize.File, rows [][]string) {
		pattern := regexp.MustCompile(args[2])
		found := slices.ContainsFunc(rows, func(row []string) bool {
			return pattern.MatchString(strings.Join(row, " | "))
		})
		if found == neg {
			ts.Fatalf("a row of %s reads %q: %v\n%v", args[1], args[2], found, rows)
		}
	})
}

func inSheet(ts *testscript.TestScript, args []string, do func(f *excelize.File, rows [][]string)) {
	f, err := excelize.OpenFile(ts.MkAbs(args[0]))
	ts.Check(err)
	defer f.Close()
	rows, err := f.GetRows(args[1], excelize.Options{RawCellValue: true})
	ts.Check(err)
	if len(rows) == 0 {
		ts.Fatalf("%s has no headers", args[1])
	}
	do(f, rows)
}

// rowOf is the number of the only row in which a cell is the name.
func rowOf(ts *testscript.TestScript, rows [][]string, name string) int {
	found := 0
	for i, row := range rows {
		if !slices.Contains(row, name) {
			continue
		}
		if found > 0 {
			ts.Fatalf("rows %d and %d have %q; want one", found, i+1, name)
		}
		found = i + 1
	}
	if found == 0 {
		ts.Fatalf("no row has %q: %q", name, rows)
	}
	return found
}

// columnOf finds a header as it is read, with or without the star of a column that must
// be filled.
func columnOf(ts *testscript.TestScript, headers []string, name string) int {
	at := slices.IndexFunc(headers, func(header string) bool { return strings.TrimRight(header, "* ") == name })
	if at < 0 {
		ts.Fatalf("there is no column %q: %q", name, headers)
	}
	return at
}

func setCells(ts *testscript.TestScript, f *excelize.File, sheet string, headers []string, row int, pairs []string) {
	for _, pair := range pairs {
		header, text, _ := strings.Cut(pair, "=")
		at, err := excelize.CoordinatesToCellName(columnOf(ts, headers, header)+1, row)
		ts.Check(err)
		var value any = text
		if number, err := strconv.ParseFloat(text, 64); err == nil {
			value = number
		}
		if text == "" {
			value = nil
		}
		ts.Check(f.SetCellValue(sheet, at, value))
	}
}
