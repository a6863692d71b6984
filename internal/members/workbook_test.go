package members

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"adsync/internal/xlsx"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"
)

var limits = xlsx.Limits{Zipped: 1 << 20, Unzipped: 16 << 20, Time: time.Minute}

func bookOf(t *testing.T, change func(*excelize.File), rows ...[]any) []byte {
	t.Helper()
	f := excelize.NewFile()
	defer f.Close()
	for i, row := range rows {
		cell, err := excelize.CoordinatesToCellName(1, i+1)
		if err == nil {
			err = f.SetSheetRow("Sheet1", cell, &row)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if change != nil {
		change(f)
	}
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestTheFirstSheetOfAWorkbook(t *testing.T) {
	book := bookOf(t, func(f *excelize.File) {
		if err := errors.Join(f.SetRowVisible("Sheet1", 3, false),
			f.SetCellFormula("Sheet1", "B7", `LOWER("x@y.example")`)); err != nil {
			t.Fatal(err)
		}
	},
		[]any{"Name", "E-mail"}, []any{"Ann", strings.ToUpper(ann)}, []any{"Bob", bob},
		[]any{"Nobody", nil}, []any{"Number", 4915112345678}, []any{"Yes", true}, []any{"Formula"})
	list, err := ReadWorkbook(t.Context(), book, Email, limits)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sorted(ann, bob), hashesOf(list)); diff != "" {
		t.Errorf("hashes (-want +got):\n%s", diff)
	}
	if want := (Counts{Read: 6, Used: 2, Blank: 1, Rejected: 3}); list.Counts != want || list.Hidden != 1 {
		t.Errorf("Counts = %+v and %d hidden, want %+v and 1", list.Counts, list.Hidden, want)
	}
	if diff := cmp.Diff([]Rejection{{numberCell, 1, []int{5}}, {errorCell, 1, []int{6}}, {formulaCell, 1, []int{7}}},
		list.Rejections); diff != "" {
		t.Errorf("Rejections (-want +got):\n%s", diff)
	}
	if list.Digest() != read(t, Email, ann+"\n"+bob+"\n").Digest() {
		t.Error("a workbook of the same people gives another digest")
	}
}

func TestWorkbooksThatCannotBeRead(t *testing.T) {
	whole := bookOf(t, nil, []any{"email"}, []any{canary})
	for name, content := range map[string][]byte{
		"cut": whole[:len(whole)/2], "no workbook": []byte(canary),
		"empty": bookOf(t, nil), "columns without names": bookOf(t, nil, []any{canary, "Ann"}),
	} {
		list, err := ReadWorkbook(t.Context(), content, Email, limits)
		var f *Fault
		if list != nil || !errors.As(err, &f) || strings.Contains(f.Message+f.Hint, "canary") {
			t.Errorf("%s: ReadWorkbook = %+v, want a fault that repeats nothing", name, err)
		}
	}
}
