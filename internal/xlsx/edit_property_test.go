package xlsx

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	_ "adsync/internal/testing/drawn"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestOtherMembersKeepTheirCompressedBytes(t *testing.T) {
	before := richBook(t)
	after, err := rewrite(before, richEdits)
	must(t, err)
	was, is := rawMembers(t, before), rawMembers(t, after)
	// F2 was a formula: the workbook asks to be calculated.
	for _, changed := range []string{"xl/worksheets/sheet1.xml", "xl/workbook.xml"} {
		if was[changed] == is[changed] {
			t.Errorf("%s did not change", changed)
		}
		delete(was, changed)
		delete(is, changed)
	}
	if d := cmp.Diff(was, is); d != "" || len(was) < 15 {
		t.Errorf("%d other members (-before +after):\n%s", len(was), d)
	}
}

// drawnSheet is a sheet as some program may write it, and what its cells hold.
type drawnSheet struct {
	xml   string
	cells map[At]string
}

// drawSheet writes rows and cells with and without their places, styles, notes
// to themselves and elements nobody knows.
func drawSheet(t *rapid.T) drawnSheet {
	prefix := rapid.SampledFrom([]string{"", "x:"}).Draw(t, "prefix")
	d := drawnSheet{cells: map[At]string{}}
	var b strings.Builder
	fmt.Fprintf(&b, `<%[1]sworksheet><%[1]sdimension `+
		`ref="A1:C3"/><%[1]scols><%[1]scol min="2" max="3" style="2"/></%[1]scols>`, prefix)
	rows := rapid.IntRange(0, 6).Draw(t, "rows")
	if rows == 0 {
		fmt.Fprintf(&b, "<%[1]ssheetData/></%[1]sworksheet>", prefix)
		d.xml = b.String()
		return d
	}
	fmt.Fprintf(&b, "<%ssheetData>", prefix)
	row := 0
	for range rows {
		row += drawRow(t, &b, prefix, row, d.cells)
	}
	fmt.Fprintf(&b, "</%[1]ssheetData><%[1]sextLst><unknown/></%[1]sextLst></%[1]sworksheet>", prefix)
	d.xml = b.String()
	return d
}

func drawRow(t *rapid.T, b *strings.Builder, prefix string, after int, cells map[At]string) (step int) {
	step = rapid.IntRange(1, 3).Draw(t, "step")
	place := ""
	if step > 1 || rapid.Bool().Draw(t, "placed") {
		place = fmt.Sprintf(` r="%d"`, after+step)
	}
	place += rapid.SampledFrom([]string{"", ` spans="1:2"`,
		` s="1" customFormat="1"`, ` hidden="1"`}).Draw(t, "row says")
	fmt.Fprintf(b, "<%srow%s>", prefix, place)
	at := At{Row: after + step}
	for range rapid.IntRange(0, 4).Draw(t, "cells") {
		gap := rapid.IntRange(1, 3).Draw(t, "gap")
		at.Column += gap
		place := ""
		if gap > 1 || rapid.Bool().Draw(t, "placed") {
			place = fmt.Sprintf(` r="%s"`, at)
		}
		switch rapid.IntRange(0, 3).Draw(t, "sort") {
		case 0:
			fmt.Fprintf(b, `<%sc%s s="2"/>`, prefix, place)
		case 1:
			fmt.Fprintf(b, `<%[1]sc%[2]s s="1"><%[1]sv>7</%[1]sv></%[1]sc>`, prefix, place)
			cells[at] = "7"
		case 2:
			fmt.Fprintf(b, `<%[1]sc%[2]s t='inlineStr'> <%[1]sis><%[1]st>a</%[1]st></%[1]sis></%[1]sc>`, prefix, place)
			cells[at] = "a"
		case 3:
			fmt.Fprintf(b, `<%[1]sc%[2]s t="str"><%[1]sf>B1</%[1]sf><%[1]sv>f</%[1]sv></%[1]sc>`, prefix, place)
			cells[at] = "f"
		}
	}
	fmt.Fprintf(b, "</%srow>", prefix)
	return step
}

func drawEdit(t *rapid.T, cells map[At]string) Edit {
	e := Edit{Sheet: "Ads", Row: rapid.IntRange(1, 20).Draw(t, "row"), Column: rapid.IntRange(1, 12).Draw(t, "column")}
	switch rapid.IntRange(0, 3).Draw(t, "edit") {
	case 0:
		text := rapid.StringOf(rapid.OneOf(rapid.Rune(),
			rapid.SampledFrom([]rune("_x00aF1=\r\n\t <&>'\"\x01")))).Draw(t, "text")
		e.Value = Text(text)
		cells[e.at()] = text
	case 1:
		e.Value = Number(rapid.StringMatching(`-?[0-9]{1,15}(\.[0-9]{1,6})?`).Draw(t, "number"))
		cells[e.at()] = e.Value.text
	case 2:
		e.Value, e.Like = Day("2026-12-01"), At{100, 100}
		cells[e.at()] = "46357"
	case 3:
		e.Value = Clear()
	}
	if e.Value.sort == clears {
		delete(cells, e.at())
	}
	return e
}

func TestRandomEditsReadBackAsTheModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		sheet := drawSheet(rt)
		// A row of dates to look like, far from the others.
		sheet.xml = strings.Replace(sheet.xml, "</sheetData>", `<row r="100"><c r="CV100" s="1"/></row></sheetData>`, 1)
		model := maps.Clone(sheet.cells)
		edits := map[At]Edit{}
		dated := strings.Contains(sheet.xml, "CV100")
		for range rapid.IntRange(0, 8).Draw(rt, "edits") {
			next := maps.Clone(model)
			e := drawEdit(rt, next)
			if e.Value.sort == writesDay && !dated {
				continue
			}
			model, edits[e.at()] = next, e
		}
		var list []Edit
		for _, e := range edits {
			list = append(list, e)
		}
		content := packed(t, plainParts(sheet.xml))
		got, err := rewrite(content, list)
		if err != nil {
			rt.Fatalf("Rewrite(…, %+v) = %v\n%s", list, err, sheet.xml)
		}
		if d := cmp.Diff(model, held(rt, got)); d != "" {
			rt.Fatalf("cells (-want +got):\n%s\n%s", d, sheet.xml)
		}
		again, err := rewrite(got, list)
		if err != nil || memberText(t, again, "xl/worksheets/sheet1.xml") != memberText(t,
			got, "xl/worksheets/sheet1.xml") {
			rt.Fatalf("the same edits again change the sheet, or %v", err)
		}
	})
}

// held reads the cells of the sheet Ads.
func held(t interface{ Fatalf(string, ...any) }, content []byte) map[At]string {
	b, err := openBook(content, someLimits)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	cells := map[At]string{}
	_, err = Walk(b, b.Sheets[0].Part, func(row *Row) error {
		for _, c := range row.Cells {
			cells[At{row.Number, c.Column}] = c.Text
		}
		return nil
	})
	if err != nil {
		t.Fatalf("walk: %v", err)
	}
	return cells
}

// FuzzRewrite gives the editor any XML for a sheet: it refuses, or what it
// writes has passed its own check; it never panics.
func FuzzRewrite(f *testing.F) {
	for _, sheet := range []string{
		`<worksheet><dimension ref="A1"/><sheetData><row r="1" ` +
			`spans="1:1"><c r="A1" s="1"><v>1</v></c></row></sheetData></worksheet>`,
		`<x:worksheet><x:cols><x:col min="1" max="2" style="1"/></x:cols><x:sheetData/></x:worksheet>`,
		`<worksheet><sheetData><row><c><f t="shared" ref="A1:B2" ` +
			`si="0">1</f></c></row></sheetData><mergeCells><mergeCell ref="A1:B2"/></mergeCells></worksheet>`,
		"\xef\xbb\xbf<?xml version=\"1.0\"?><worksheet><sheetData><row r='3'/><row><c " +
			"t='inlineStr'><is><t>a</t></is><extLst/></c><extLst/></row></sheetData></worksheet>",
	} {
		f.Add(sheet, 2, 2, "text")
	}
	f.Fuzz(func(t *testing.T, sheet string, row, column int, text string) {
		content := packed(t, plainParts(sheet))
		for _, v := range []EditValue{Text(text), Number(text), Day(text), Clear()} {
			got, err := rewrite(content, []Edit{{Sheet: "Ads", Row: row, Column: column, Value: v}})
			if err == nil && v.sort == writesText && held(t, got)[At{row, column}] != text {
				t.Errorf("cell holds %q; want %q", held(t, got)[At{row, column}], text)
			}
		}
	})
}
