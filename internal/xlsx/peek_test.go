package xlsx

import (
	"bytes"
	"testing"

	"github.com/xuri/excelize/v2"
)

// TestASheetIsReadByItself: the texts of its cells lie in the sheet, or are shared.
func TestASheetIsReadByItself(t *testing.T) {
	f := excelize.NewFile()
	for _, name := range []string{"Ads", "_sync"} {
		if _, err := f.NewSheet(name); err != nil {
			t.Fatal(err)
		}
		if err := f.SetSheetRow(name, "A1", &[]any{"of " + name, 5}); err != nil {
			t.Fatal(err)
		}
	}
	write := func() *bytes.Reader {
		var b bytes.Buffer
		if err := f.Write(&b); err != nil {
			t.Fatal(err)
		}
		return bytes.NewReader(b.Bytes())
	}
	r := write()
	var texts []string
	part, err := PeekSheet(r, r.Size(), "_sync", 1<<20, func(row *Row) error {
		for _, c := range row.Cells {
			texts = append(texts, c.Text)
		}
		return nil
	})
	if err != nil || len(texts) != 2 || texts[0] != "of _sync" || texts[1] != "5" {
		t.Fatalf("PeekSheet = %q, %v; want the cells of _sync", texts, err)
	}
	for name, limit := range map[string]int64{"no such sheet": 1 << 20, "a bound": 10} {
		if none, err := PeekSheet(r, r.Size(), name, limit, nil); none != "" || (err != nil) != (limit == 10) {
			t.Errorf("PeekSheet of %s = %q, %v", name, none, err)
		}
	}
	sum := func(r *bytes.Reader) string {
		t.Helper()
		s, err := PartsSum(r, r.Size(), part)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	before := sum(r)
	if err := f.SetSheetRow("Ads", "A1", &[]any{"other"}); err != nil {
		t.Fatal(err)
	}
	if sum(r) != before || sum(write()) == before {
		t.Error("PartsSum is not that of the parts")
	}
}
