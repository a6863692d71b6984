package sources_test

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"adsync/internal/kinds"
	"adsync/sources/celltext"
	"adsync/sources/config"
	"adsync/sources/schema"
	"adsync/sources/workbook"

	"github.com/xuri/excelize/v2"
	"pgregory.net/rapid"
)

// sheetRows returns a workbook as its schema describes one. Headers lose the star
// and the currency, as reading takes them off.
func sheetRows(t testing.TB, f *excelize.File, sheets map[string]any) map[string]any {
	t.Helper()
	book := map[string]any{}
	for sheet := range sheets {
		rows, err := f.GetRows(sheet, excelize.Options{RawCellValue: true})
		if err != nil || len(rows) == 0 {
			continue
		}
		list := []any{}
		for _, cells := range rows[1:] {
			row := map[string]any{}
			for i, cell := range cells {
				header := strings.TrimRight(rows[0][i], "*")
				if m := celltext.Bracketed.FindStringSubmatch(rows[0][i]); m != nil {
					header = m[1]
				}
				if cell != "" {
					row[header] = dayOfCell(t, header, cell)
				}
			}
			if len(cells) == 0 || cells[0] == "" || strings.HasPrefix(cells[0], "#") {
				continue // a row that is ready to be filled in, or a remark
			}
			list = append(list, row)
		}
		book[sheet] = list
	}
	return book
}

// dayOfCell shows a day as people see it: it is stored as a number of days.
func dayOfCell(t testing.TB, header, cell string) string {
	t.Helper()
	serial, err := strconv.Atoi(cell)
	if err != nil || !slices.Contains([]string{"First day", "Last day", "Start date"}, header) {
		return cell
	}
	day, err := excelize.ExcelDateToTime(float64(serial), false)
	must(t, err)
	return day.Format(time.DateOnly)
}

func sheetsOfSchema() map[string]any {
	sheets := map[string]any{}
	for _, p := range schema.Workbook(kinds.All()).Properties {
		sheets[p.Name] = nil
	}
	return sheets
}

func TestTheWorkbookSchemaTakesWhatIsWritten(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	schema := judgeOf(t, schema.Workbook(kinds.All()))
	rapid.Check(t, func(rt *rapid.T) {
		var out bytes.Buffer
		if err := workbook.WriteWorkbook(&out, kinds.All(),
			drawSnapshot(rt, kinds.All()), config.Account{Currency: "USD"}); err != nil {
			return // a text no cell can say
		}
		f, err := excelize.OpenReader(&out)
		must(t, err)
		defer f.Close()
		book := sheetRows(t, f, sheetsOfSchema())
		if err := schema.Validate(book); err != nil {
			rt.Fatalf("%v\nof %v", err, book)
		}
	})
}

func TestTheWorkbookSchemaRefusesAWrongCell(t *testing.T) {
	schema := judgeOf(t, schema.Workbook(kinds.All()))
	row := func(header, cell string) map[string]any {
		cells := map[string]any{"Campaign": "Spring", "Bidding": "clicks"}
		cells[header] = cell
		if cell == "" {
			delete(cells, header)
		}
		return map[string]any{"Campaigns": []any{cells}}
	}
	for _, c := range []struct {
		header, cell string
		taken        bool
	}{
		{"Status", "Enabled", true}, {"Status", "sleeping", false}, {"Daily budget", "25.00", true},
		{"Daily budget", "1,000", false}, {"Last day", "[clear]", true}, {"Last day", "soon", false},
		{"Bidding", "", false}, {"Campaign", "", false}, {"Countries", "US, CA", true},
		{"Key", "spring launch", false}, {"My own column", "anything", true}, {"Conversion goal", "a b", false},
	} {
		if err := schema.Validate(row(c.header, c.cell)); (err == nil) != c.taken {
			t.Errorf("%s %q: the schema says %v; want taken: %v", c.header, c.cell, err, c.taken)
		}
	}
}
