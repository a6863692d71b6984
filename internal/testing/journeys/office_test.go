package journeys

import (
	"bytes"
	"image"
	"image/draw"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"adsync/internal/testing/office"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/xuri/excelize/v2"
)

// calc WORKBOOK SHEET NAME HEADER=VALUE...: LibreOffice types into the row of what is
// called so, or of the first free one for new, and saves the workbook.
func typeInLibreOffice(ts *testscript.TestScript, _ bool, args []string) {
	name := ts.MkAbs(args[0])
	typed := map[string]string{}
	inSheet(ts, args, func(_ *excelize.File, rows [][]string) {
		row := 1 + slices.IndexFunc(rows, func(cells []string) bool { return len(cells) == 0 || cells[0] == "" })
		if args[2] != "new" {
			row = rowOf(ts, rows, args[2])
		} else if row == 0 {
			row = len(rows) + 1
		}
		for _, pair := range args[3:] {
			header, text, _ := strings.Cut(pair, "=")
			at, err := excelize.CoordinatesToCellName(columnOf(ts, rows[0], header)+1, row)
			ts.Check(err)
			typed[at] = text
		}
	})
	before, err := os.Stat(name)
	ts.Check(err)
	ts.Check(office.Type(name, args[1], typed))
	if after, err := os.Stat(name); err != nil || after.ModTime().Equal(before.ModTime()) {
		ts.Fatalf("LibreOffice has not saved %s: %v", args[0], err)
	}
}

// run runs a program to its end.
func run(ts *testscript.TestScript, program string, args ...string) {
	if out, err := exec.Command(program, args...).CombinedOutput(); err != nil {
		ts.Fatalf("%s: %v\n%s", program, err, out)
	}
}

// awaits WORKBOOK SHEET NAME HEADER=PATTERN...: somebody opens it again until it reads so.
func awaitRow(ts *testscript.TestScript, _ bool, args []string) {
	said := "there is no " + args[0]
	until(ts, func() string { return args[2] + ": " + said + "\n" + find(ts, "daemon").said.String() }, func() bool {
		if _, err := os.Stat(ts.MkAbs(args[0])); err != nil {
			return false
		}
		inSheet(ts, args, func(_ *excelize.File, rows [][]string) {
			at := slices.IndexFunc(rows, func(row []string) bool { return slices.Contains(row, args[2]) })
			if said = "not there yet"; at >= 0 && slices.Contains(rows[0], "Result") {
				said = rowDiffers(ts, rows[0], rows[at], args[3:])
			}
		})
		return said == ""
	})
}

// drawSheet has LibreOffice lay out one sheet of a workbook, as PNG: the columns that are
// named, else those that hold something, without the row of the template's example.
func drawSheet(ts *testscript.TestScript, file, sheet string, headers []string) []byte {
	f, err := excelize.OpenFile(file)
	ts.Check(err)
	defer f.Close()
	showOnly(ts, f, sheet, headers)
	folder := ts.MkAbs("home/drawn")
	ts.Check(os.MkdirAll(folder, 0o700))
	ts.Check(f.SaveAs(filepath.Join(folder, "book.xlsx")))
	book := filepath.Join(folder, "book")
	ts.Check(office.Convert(office.AsPDF, folder, book+".xlsx"))
	run(ts, "pdftoppm", "-png", "-singlefile", "-r", dotsPerInch, book+".pdf", book)
	drawn, err := os.Open(filepath.Join(folder, "book.png"))
	ts.Check(err)
	defer drawn.Close()
	page, err := png.Decode(drawn)
	ts.Check(err)
	var picture bytes.Buffer
	ts.Check(png.Encode(&picture, trimmed(page)))
	return picture.Bytes()
}

const dotsPerInch = "150"

// showOnly hides what a picture of a sheet does not show.
func showOnly(ts *testscript.TestScript, f *excelize.File, sheet string, headers []string) {
	at, err := f.GetSheetIndex(sheet)
	ts.Check(err)
	f.SetActiveSheet(at)
	for _, other := range f.GetSheetList() {
		if other != sheet {
			ts.Check(f.SetSheetVisible(other, false))
		}
	}
	rows, err := f.GetRows(sheet)
	ts.Check(err)
	filled := make([]bool, len(rows[0]))
	for i, row := range rows[1:] {
		if len(row) == 0 || row[0] == "" || strings.HasPrefix(row[0], "#") {
			ts.Check(f.SetRowVisible(sheet, i+2, false))
			continue
		}
		for column := range filled {
			filled[column] = filled[column] || column < len(row) && row[column] != ""
		}
	}
	for column, is := range filled {
		letter, err := excelize.ColumnNumberToName(column + 1)
		ts.Check(err)
		if named := slices.Contains(headers, strings.TrimRight(rows[0][column], "* ")); len(headers) > 0 &&
			!named || !is {
			ts.Check(f.SetColVisible(sheet, letter, false))
		}
	}
	wide := 1
	ts.Check(f.SetPageLayout(sheet, &excelize.PageLayoutOptions{FitToWidth: &wide}))
	ts.Check(f.SetHeaderFooter(sheet, nil))
}

// trimmed is a page without the white around what is on it.
func trimmed(page image.Image) image.Image {
	const edge = 8
	var inked image.Rectangle
	for y := page.Bounds().Min.Y; y < page.Bounds().Max.Y; y++ {
		for x := page.Bounds().Min.X; x < page.Bounds().Max.X; x++ {
			if r, g, b, _ := page.At(x, y).RGBA(); min(r, g, b) < 0xf000 {
				inked = inked.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	inked = inked.Inset(-edge).Intersect(page.Bounds())
	cut := image.NewRGBA(image.Rectangle{Max: inked.Size()})
	draw.Draw(cut, cut.Bounds(), page, inked.Min, draw.Src)
	return cut
}
