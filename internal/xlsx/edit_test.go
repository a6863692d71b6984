package xlsx

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

var someLimits = Limits{Zipped: 20 << 20, Unzipped: 128 << 20, Time: 30 * time.Second}

func rewrite(content []byte, edits []Edit) ([]byte, error) {
	return Rewrite(content, edits, someLimits)
}

// plainParts are a workbook of one sheet, Ads, with the XML given.
func plainParts(sheet string) map[string]string {
	return map[string]string{
		"[Content_Types].xml": `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
			`<Default Extension="xml" ContentType="application/xml"/><Default ` +
			`Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override ` +
			`PartName="/xl/workbook.xml" ` +
			`ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override ` +
			`PartName="/xl/calcChain.xml" ` +
			`ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.calcChain+xml"/></Types>`,
		"_rels/.rels": `<Relationships><Relationship ` +
			`Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" ` +
			`Target="xl/workbook.xml"/></Relationships>`,
		"xl/workbook.xml": `<workbook xmlns:r="r"><sheets><sheet ` +
			`name="Ads" sheetId="1" r:id="rId1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": `<Relationships><Relationship ` +
			`Id="rId1" Type="t/worksheet" Target="worksheets/sheet1.xml"/><Relationship ` +
			`Id="rId2" Type="t/styles" Target="styles.xml"/></Relationships>`,
		"xl/styles.xml": `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="yyyy-mm-dd"/>` +
			`</numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="49"/></cellXfs></styleSheet>`,
		"xl/worksheets/sheet1.xml": sheet,
	}
}

func packed(t testing.TB, parts map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		out, err := w.Create(name)
		must(t, err)
		_, err = io.WriteString(out, parts[name])
		must(t, err)
	}
	must(t, w.Close())
	return b.Bytes()
}

// rawMembers returns each member's compressed bytes.
func rawMembers(t testing.TB, content []byte) map[string]string {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	must(t, err)
	members := map[string]string{}
	for _, member := range archive.File {
		r, err := member.OpenRaw()
		must(t, err)
		data, err := io.ReadAll(r)
		must(t, err)
		members[member.Name] = string(data)
	}
	return members
}

func memberText(t testing.TB, content []byte, name string) string {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	must(t, err)
	r, err := archive.Open(name)
	must(t, err)
	data, err := io.ReadAll(r)
	must(t, err)
	return string(data)
}

func set(cell string, v EditValue) Edit {
	row, column, _ := parseCellName(cell)
	return Edit{Sheet: "Ads", Row: row, Column: column, Value: v}
}

func like(e Edit, cell string) Edit {
	e.Like.Row, e.Like.Column, _ = parseCellName(cell)
	return e
}

func TestRewriteChangesTheCellsNamedAndNothingElse(t *testing.T) {
	for _, c := range []struct {
		name, sheet string
		edits       []Edit
		want        string
	}{
		{"a cell that is there keeps its style and what nobody knows",
			`<worksheet><sheetData><row r="2" foo="1"><c r="B2" ` +
				`s="1" ph="1" t="str" vm="3"><f>A1</f><v>0</v><extLst><z/></extLst></c></row></sheetData></worksheet>`,
			[]Edit{set("B2", Number("1.50"))},
			`<worksheet><sheetData><row r="2" foo="1"><c r="B2" ` +
				`s="1" ph="1"><v>1.50</v><extLst><z/></extLst></c></row></sheetData></worksheet>`},
		{"text is text whatever it begins with, and keeps its spaces",
			`<worksheet><sheetData><row r="1"><c r="A1"><v>1</v></c></row></sheetData></worksheet>`,
			[]Edit{set("A1", Text("=1+1 <b> & _x0041_ \r"))},
			`<worksheet><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t xml:space="preserve">` +
				`=1+1 &lt;b&gt; &amp; _x005F_x0041_ _x000D_</t></is></c></row></sheetData></worksheet>`},
		{"clearing leaves the looks",
			`<worksheet><sheetData><row r="1"><c r="A1" s="2"><v>1</v></c></row></sheetData></worksheet>`,
			[]Edit{set("A1", Clear()), set("C9", Clear())},
			`<worksheet><sheetData><row r="1"><c r="A1" s="2"/></row></sheetData></worksheet>`},
		{"cells come in their order, rows in theirs, dimension and spans follow",
			`<worksheet><dimension ref="B2:D5"/><cols><col min="3" max="3" style="2"/></cols><sheetData><row r="2" ` +
				`spans="2:4"><c r="B2"/><!--x--><c r="D2"/><extLst/></row><row r="5"/></sheetData><z/></worksheet>`,
			[]Edit{set("F2", Number("6")), set("A2", Number("1")), set("C2", Number("3")),
				set("A5", Number("5")), set("C4", Number("4")), set("G7", Number("7")), set("A8", Number("8"))},
			`<worksheet><dimension ref="A2:G8"/><cols><col ` +
				`min="3" max="3" style="2"/></cols><sheetData><row r="2" spans="1:6"><c r="A2"><v>1</v></c><c ` +
				`r="B2"/><!--x--><c r="C2" s="2"><v>3</v></c><c r="D2"/><c r="F2"><v>6</v></c><extLst/></row>` +
				`<row r="4"><c r="C4" s="2"><v>4</v></c></row><row r="5"><c r="A5"><v>5</v></c></row><row r="7">` +
				`<c r="G7"><v>7</v></c></row><row r="8"><c r="A8"><v>8</v></c></row></sheetData><z/></worksheet>`},
		{"names of elements may have a prefix",
			`<x:worksheet><x:sheetData/></x:worksheet>`,
			[]Edit{set("B2", Text("a"))},
			`<x:worksheet><x:sheetData><x:row r="2"><x:c r="B2" t="inlineStr"><x:is><x:t ` +
				`xml:space="preserve">a</x:t></x:is></x:c></x:row></x:sheetData></x:worksheet>`},
		{"rows and cells may say nothing of their place",
			`<worksheet><sheetData><row><c><v>1</v>` +
				`</c><c><v>2</v></c></row><row><c><v>3</v></c></row></sheetData></worksheet>`,
			[]Edit{set("B1", Number("9")), set("B2", Number("8")), set("A4", Number("7"))},
			`<worksheet><sheetData><row><c><v>1</v></c><c r="B1"><v>9</v></c></row><row><c><v>3</v></c><c ` +
				`r="B2"><v>8</v></c></row><row r="4"><c r="A4"><v>7</v></c></row></sheetData></worksheet>`},
		{"a day is a number, in the looks of another cell",
			`<worksheet><sheetData><row r="1"><c r="A1" s="1"/></row></sheetData></worksheet>`,
			[]Edit{set("A1", Day("2026-12-01")), like(set("B1", Day("1900-03-01")), "A1")},
			`<worksheet><sheetData><row r="1"><c r="A1" ` +
				`s="1"><v>46357</v></c><c r="B1" s="1"><v>61</v></c></row></sheetData></worksheet>`},
		{"a row's looks go before a column's",
			`<worksheet><cols><col min="1" max="9" ` +
				`style="2"/></cols><sheetData><row r="1" s="1" customFormat="1"/></sheetData></worksheet>`,
			[]Edit{set("A1", Day("2026-12-01"))},
			`<worksheet><cols><col min="1" max="9" style="2"/></cols><sheetData><row r="1" ` +
				`s="1" customFormat="1"><c r="A1" s="1"><v>46357</v></c></row></sheetData></worksheet>`},
		{"a value inside one's own array, and the corner of merged cells",
			`<worksheet><sheetData><row r="1"><c r="A1" ` +
				`cm="1"><f t="array" ref="A1">SUM(1)</f><v>1</v></c></row></sheetData><mergeCells><mergeCell ` +
				`ref="A1:B1"/></mergeCells></worksheet>`,
			[]Edit{set("A1", Number("2"))},
			`<worksheet><sheetData><row r="1"><c r="A1"><v>2</v></c></row></sheetData><mergeCells><mergeCell ` +
				`ref="A1:B1"/></mergeCells></worksheet>`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := rewrite(packed(t, plainParts(c.sheet)), c.edits)
			must(t, err)
			if d := cmp.Diff(c.want, memberText(t, got, "xl/worksheets/sheet1.xml")); d != "" {
				t.Errorf("sheet (-want +got):\n%s", d)
			}
		})
	}
}

func TestRewriteWithoutEditsIsTheSameBytes(t *testing.T) {
	content := packed(t,
		plainParts(`<worksheet><sheetData><row r="1"><c r="A1"><v>1</v></c></row></sheetData></worksheet>`))
	got, err := rewrite(content, nil)
	if err != nil || !bytes.Equal(got, content) {
		t.Errorf("Rewrite(content, nil) changed the content, or %v", err)
	}
}

func TestRewriteCountsDaysAsTheWorkbookDoes(t *testing.T) {
	parts := plainParts(`<worksheet><sheetData><row r="1"><c r="A1" s="1"/></row></sheetData></worksheet>`)
	parts["xl/workbook.xml"] = strings.Replace(parts["xl/workbook.xml"],
		"<sheets>", `<workbookPr date1904="1"/><sheets>`, 1)
	got, err := rewrite(packed(t, parts), []Edit{set("A1", Day("2026-12-01"))})
	must(t, err)
	if text := memberText(t, got, "xl/worksheets/sheet1.xml"); !strings.Contains(text, "<v>44895</v>") {
		t.Errorf("2026-12-01 in a workbook of 1904 is %s; want 44895", text)
	}
}

func TestRewriteRefusesWhatWouldDamageOrLose(t *testing.T) {
	const row = `<worksheet><sheetData><row r="1">%</row></sheetData></worksheet>`
	for _, c := range []struct {
		name, cells string
		edit        Edit
		want        string
	}{
		{"a shared formula", `<c r="A1"><f t="shared" ref="A1:A9" si="0">B1</f><v>1</v></c>`,
			set("A1", Number("1")), "cell A1 holds the formula that the cells A1:A9 share"},
		{"an array", `<c r="A1"><f t="array" ref="A1:A9">B1:B9</f><v>1</v></c>`,
			set("A4", Number("1")), "cell A4 is part of the formula of A1, which fills A1:A9"},
		{"a day without a date format", `<c r="A1"/>`, set("A1", Day("2026-12-01")), "cell A1 has no date format"},
		{"a day that is none", ``, set("A1", Day("2026-02-30")), `day is "2026-02-30"`},
		{"a day programs disagree about", ``, set("A1", Day("1900-02-28")), `want 1900-03-01 or later`},
		{"a number that is none", ``, set("A1", Number("1e6")), `number is "1e6"`},
		{"text no cell can hold", ``, set("A1", Text(strings.Repeat("x", 32_768))),
			"text has 32768 characters; want at most 32767"},
		{"text that is not UTF-8", ``, set("A1", Text("\xff")), "text is not UTF-8"},
		{"no value", ``, Edit{Sheet: "Ads", Row: 1, Column: 1}, "no value is given"},
		{"no such sheet", ``, Edit{Sheet: "Other", Row: 1, Column: 1, Value: Number("1")},
			`workbook has no sheet "Other"`},
		{"a cell beyond the sheet", ``, Edit{Sheet: "Ads", Row: 1_048_577, Column: 1, Value: Number("1")},
			"row 1048577, column 1 is no cell"},
		{"looks of no cell", ``, Edit{Sheet: "Ads", Row: 1, Column: 1, Value: Number("1"), Like: At{1, 0}},
			"is no cell to look like"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := rewrite(packed(t, plainParts(strings.Replace(row, "%", c.cells, 1))), []Edit{c.edit})
			wantError(t, err, c.want)
		})
	}
	merged := plainParts(`<worksheet><sheetData/><mergeCells><mergeCell ref="A1:B2"/></mergeCells></worksheet>`)
	_, err := rewrite(packed(t, merged), []Edit{set("B1", Number("1"))})
	wantError(t, err, "cell B1 lies inside the merged cells A1:B2")
	_, err = rewrite(packed(t, merged), []Edit{set("D1", Number("1")), set("D1", Number("1"))})
	wantError(t, err, "cell D1: two edits of one cell")
	merged["_xmlsignatures/sig1.xml"] = "<Signature/>"
	_, err = rewrite(packed(t, merged), []Edit{set("D1", Number("1"))})
	wantError(t, err, "workbook is signed")
	_, err = rewrite([]byte("PK\x03\x04"), nil)
	wantError(t, err, "cut or damaged")
}

func wantError(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error is %v; want %q", err, want)
	}
}

func TestRewriteRefusesTheHeaderOfATable(t *testing.T) {
	parts := plainParts(`<worksheet><sheetData/></worksheet>`)
	parts["xl/worksheets/_rels/sheet1.xml.rels"] = `<Relationships><Relationship ` +
		`Id="r1" Type="t/table" Target="../tables/table1.xml"/></Relationships>`
	parts["xl/tables/table1.xml"] = `<table displayName="Plan" ref="A1:B9" totalsRowCount="1"/>`
	content := packed(t, parts)
	for cell, want := range map[string]string{
		"B1": `header or totals row of the table "Plan"`, "A9": `header or totals row`,
	} {
		_, err := rewrite(content, []Edit{set(cell, Text("x"))})
		wantError(t, err, want)
	}
	for _, cell := range []string{"C1", "A2", "C9"} {
		_, err := rewrite(content, []Edit{set(cell, Text("x"))})
		must(t, err)
	}
}

func TestOverwrittenFormulaLeavesTheCalculationChain(t *testing.T) {
	parts := plainParts(`<worksheet><sheetData><row r="1"><c r="A1"><f>B1</f><v>1</v></c><c ` +
		`r="B1"><v>1</v></c><c r="C1"><f>B1</f><v>1</v></c></row></sheetData></worksheet>`)
	parts["xl/calcChain.xml"] = `<calcChain><c r="A1" i="1"/><c r="C1"/></calcChain>`
	parts["xl/_rels/workbook.xml.rels"] = strings.Replace(parts["xl/_rels/workbook.xml.rels"],
		"</Rel", `<Relationship Id="rId9" Type="t/calcChain" Target="calcChain.xml"/></Rel`, 1)
	content := packed(t, parts)

	kept, err := rewrite(content, []Edit{set("B1", Number("2"))})
	must(t, err)
	if got := memberText(t, kept, "xl/calcChain.xml"); got != parts["xl/calcChain.xml"] {
		t.Errorf("calcChain = %s; want it as it was", got)
	}
	if got := memberText(t, kept, "xl/workbook.xml"); !strings.Contains(got,
		`</sheets><calcPr fullCalcOnLoad="1"/></workbook>`) {
		t.Errorf("workbook = %s; want it calculated when it is opened", got)
	}

	dropped, err := rewrite(content, []Edit{set("A1", Number("2"))})
	must(t, err)
	members := rawMembers(t, dropped)
	if _, there := members["xl/calcChain.xml"]; there {
		t.Error("calcChain names a formula that is no more")
	}
	for _, name := range []string{"xl/_rels/workbook.xml.rels", "[Content_Types].xml"} {
		if text := memberText(t, dropped, name); strings.Contains(text, "calcChain") || len(text) < 100 {
			t.Errorf("%s = %s; want no calcChain and all the rest", name, text)
		}
	}
}

func TestWorkbookWithCalculationSettingsKeepsThem(t *testing.T) {
	for given, want := range map[string]string{
		`<calcPr calcId="191029"/>`:                   `<calcPr fullCalcOnLoad="1" calcId="191029"/>`,
		`<calcPr calcId="1" fullCalcOnLoad="0"/>`:     `<calcPr calcId="1" fullCalcOnLoad="1"/>`,
		`<calcPr fullCalcOnLoad="true" iterate="1"/>`: `<calcPr fullCalcOnLoad="true" iterate="1"/>`,
	} {
		parts :=
			plainParts(`<worksheet><sheetData><row r="1"><c r="A1"><f>B1</f><v>1</v></c></row></sheetData></worksheet>`)
		parts["xl/workbook.xml"] = strings.Replace(parts["xl/workbook.xml"], "</workbook>", given+"</workbook>", 1)
		got, err := rewrite(packed(t, parts), []Edit{set("B1", Number("2"))})
		must(t, err)
		if text := memberText(t, got, "xl/workbook.xml"); !strings.Contains(text, want) {
			t.Errorf("workbook = %s; want %s", text, want)
		}
	}
}

func TestRewriteCopiesWhatAnotherCellStores(t *testing.T) {
	content := packed(t, plainParts(`<worksheet><sheetData><row r="1"><c r="A1" s="1"/></row></sheetData></worksheet>`))
	cells := []Cell{
		{Column: 1, Form: NumberCell, Text: "1.5E-3", HasValue: true},
		{Column: 2, Form: BooleanCell, Text: "1", HasValue: true},
		{Column: 3, Form: ErrorCell, Text: "#N/A", HasValue: true},
		{Column: 4, Form: DateCell, Text: "2026-12-01", HasValue: true},
		{Column: 5, Form: TextCell, Text: " a<b ", HasValue: true},
		{Column: 6, Form: NumberCell, Text: "3", IsFormula: true, Formula: `IF(A1<"x&",1,2)`, HasValue: true},
		{Column: 7, Form: TextCell, Text: "<", IsFormula: true, Formula: "B1", HasValue: true},
		{Column: 8, Form: NumberCell, IsFormula: true, Formula: "B1"},
	}
	var edits []Edit
	for _, c := range cells {
		edits = append(edits, Edit{Sheet: "Ads", Row: 1, Column: c.Column, Value: Stored(c)})
	}
	got, err := rewrite(content, edits)
	must(t, err)
	b, err := openBook(got, someLimits)
	must(t, err)
	_, err = Walk(b, b.Sheets[0].Part, func(row *Row) error {
		cells[0].Style = 1
		if d := cmp.Diff(cells, row.Cells); d != "" {
			t.Errorf("cells (-want +got):\n%s", d)
		}
		return nil
	})
	must(t, err)
	for want, c := range map[string]Cell{
		"shares the formula": {IsFormula: true}, "a picture is placed": {Meta: 1},
		`number is "x"`: {Text: "x"}, "truth is": {Form: BooleanCell, Text: "x"}, "holds nothing": {},
	} {
		_, err := rewrite(content, []Edit{{Sheet: "Ads", Row: 1, Column: 1, Value: Stored(c)}})
		wantError(t, err, want)
	}
}

func TestADayIsTextWhereNoCellHasDates(t *testing.T) {
	content := packed(t, plainParts(`<worksheet><sheetData><row r="1"><c r="A1" `+
		`s="1"/><c r="B1"/></row></sheetData></worksheet>`))
	got, err := rewrite(content, []Edit{set("A1", DayOrText("2026-12-01")), set("B1", DayOrText("2026-12-01"))})
	must(t, err)
	if d := cmp.Diff(map[At]string{{1, 1}: "46357", {1, 2}: "2026-12-01"}, held(t, got)); d != "" {
		t.Errorf("cells (-want +got):\n%s", d)
	}
}

func TestEveryRefusedCellIsNamed(t *testing.T) {
	content := packed(t, plainParts(`<worksheet><sheetData/><mergeCells><mergeCell `+
		`ref="A1:B2"/></mergeCells></worksheet>`))
	_, err := rewrite(content, []Edit{set("B1", Number("1")), set("C1", Number("1")), set("A2", Number("1"))})
	var refused *Refused
	if !errors.As(err, &refused) || len(refused.Cells) != 2 ||
		refused.Cells[0].At != (At{1, 2}) || refused.Cells[1].At != (At{2, 1}) {
		t.Errorf("error is %v; want B1 and A2 refused", err)
	}
}

func TestNotesAreReadByCell(t *testing.T) {
	b, err := openBook(richBook(t), someLimits)
	must(t, err)
	notes, err := b.NotesOn(b.Sheets[0].Part)
	must(t, err)
	if len(notes) != 1 || !strings.Contains(notes[At{2, 2}], "why?") {
		t.Errorf("notes are %q; want the one on B2", notes)
	}
}
