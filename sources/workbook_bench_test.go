package sources_test

import (
	"bytes"
	"fmt"
	"testing"

	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/sources/workbook"

	"github.com/xuri/excelize/v2"
)

// fullAccount is 15,000 resources with every column filled and 60,000 hints on
// their own sheet: one of each ad group's cannot stand in a cell with others.
func fullAccount() *resource.Snapshot {
	s := benchmarkSnapshot(5_000)
	number := 0
	for r := range s.All() {
		number++
		r.Set("tracking", resource.Text("utm_source=chat&utm_campaign={campaign_id}"))
		r.Set("status", resource.Text("active"))
		switch schema := kinds.All().Of(r.Address.Kind); schema.Sheet {
		case "Campaigns":
			r.Set("start", resource.Text("2026-12-01"))
			r.Set("end", resource.Text("2026-12-31"))
			r.Set("targeting.locations", resource.List([]string{"2000043", "3000194"}))
			r.Set("description", resource.Text("Ask Ann before changing the budget"))
		case "Ad groups":
			r.Set("bid.strategy", resource.Text("fixed_bid"))
			r.Set("description", resource.Text("Ask Ann before changing the bid"))
			hints := []string{"people who run\nin mud"}
			for i := range 11 {
				hints = append(hints, fmt.Sprintf("people of town "+
					"%d who compare shoes for muddy trails, number %d", number, i))
			}
			r.Set("context_hints", resource.List(hints))
		case "Ads":
			r.Set("name", resource.Text("Hero of "+r.Address.Key))
		}
	}
	return s
}

// The two are to be compared: an export of a full account, and the library's
// StreamWriter over the same cells without anything around them (goal: at most
// 1.5 times).
func BenchmarkWriteFullWorkbook(b *testing.B) {
	s := fullAccount()
	export := func() []byte {
		var out bytes.Buffer
		must(b, workbook.WriteWorkbook(&out, kinds.All(), s, dollars))
		return out.Bytes()
	}
	cells := cellsOf(b, export())
	b.Run("export", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			export()
		}
	})
	b.Run("StreamWriter", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			streamCells(b, cells)
		}
	})
}

// sheetCells are the cells of a sheet, row by row.
type sheetCells struct {
	name string
	rows [][]any
}

func cellsOf(t testing.TB, content []byte) []sheetCells {
	t.Helper()
	f := opened(t, content)
	var sheets []sheetCells
	for _, name := range f.GetSheetList() {
		rows, err := f.GetRows(name, excelize.Options{RawCellValue: true})
		must(t, err)
		s := sheetCells{name: name}
		for _, row := range rows {
			var cells []any
			for _, text := range row {
				var cell any // a blank cell is not written by either
				if text != "" {
					cell = text
				}
				cells = append(cells, cell)
			}
			s.rows = append(s.rows, cells)
		}
		sheets = append(sheets, s)
	}
	return sheets
}

func streamCells(t testing.TB, sheets []sheetCells) {
	t.Helper()
	f := excelize.NewFile()
	defer f.Close()
	for _, s := range sheets {
		_, err := f.NewSheet(s.name)
		must(t, err)
		stream, err := f.NewStreamWriter(s.name)
		must(t, err)
		for i, row := range s.rows {
			must(t, stream.SetRow(fmt.Sprintf("A%d", i+1), row))
		}
		must(t, stream.Flush())
	}
	var out bytes.Buffer
	must(t, f.Write(&out))
}
