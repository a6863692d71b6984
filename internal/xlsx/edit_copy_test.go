package xlsx

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// notedParts are a workbook whose sheet has a note in two colours, a check box beside it, and a signature.
func notedParts() map[string]string {
	parts := plainParts(`<worksheet><cols><col min="1" max="16384" width="9.5" style="2"/></cols><sheetData>` +
		`<row r="1" ht="30"><c r="A1" s="1"><v>46000</v></c></row></sheetData><legacyDrawing r:id="d"/></worksheet>`)
	parts["xl/worksheets/_rels/sheet1.xml.rels"] = `<Relationships>` +
		`<Relationship Id="d" Type="t/vmlDrawing" Target="../drawings/boxes.vml"/>` +
		`<Relationship Id="n" Type="t/comments" Target="../notes.xml"/></Relationships>`
	parts["xl/notes.xml"] = `<comments><authors><author>Ann</author></authors><commentList>` +
		`<comment ref="A1" authorId="0"><text><r><rPr><b/></rPr><t>Ask</t></r><r><t> Bob</t></r></text></comment>` +
		`</commentList></comments>`
	parts["xl/drawings/boxes.vml"] = `<xml xmlns:v="v" xmlns:o="o" xmlns:x="x"><v:shapetype id="_x0000_t202"/>` +
		`<v:shape id="_x0000_s2051"><x:ClientData ObjectType="Checkbox"><x:Row>4</x:Row></x:ClientData></v:shape>` +
		`<v:shape id="_x0000_s2050"><x:ClientData ObjectType="Note"><x:Anchor>1, 15, 0, 2, 3, 15, 4, 4</x:Anchor>` +
		`<x:Row>0</x:Row><x:Column>0</x:Column></x:ClientData></v:shape></xml>`
	parts["[Content_Types].xml"] = strings.Replace(parts["[Content_Types].xml"], "</Types>",
		`<Default Extension="vml" ContentType="application/vnd.openxmlformats-officedocument.vmlDrawing"/></Types>`, 1)
	parts["_rels/.rels"] = strings.Replace(parts["_rels/.rels"], "</Relationships>",
		`<Relationship Id="s" Type="t/digital-signature/origin" Target="_xmlsignatures/origin.sigs"/></Relationships>`, 1)
	parts["_xmlsignatures/origin.sigs"], parts["_xmlsignatures/sig1.xml"] = "", "<Signature/>"
	return parts
}

func TestACopyKeepsWhatLiesBesideItsMarks(t *testing.T) {
	original := packed(t, notedParts())
	note := func(cell, text string) Note {
		row, column, _ := parseCellName(cell)
		return Note{Sheet: "Ads", At: At{row, column}, Author: "adsync", Text: text, Width: 320, Height: 60}
	}
	copied, err := Changes{
		Edits: []Edit{set("A1", Keep()), set("C3", Text("failed"))},
		Copy: &Copy{
			Notes:   []Note{note("A1", "too late"), note("B2", "a < b")},
			Widths:  []Width{{"Ads", 3, 70}},
			Heights: map[string]map[int]float64{"Ads": {1: 20, 3: 48}},
		},
	}.Rewrite(original, someLimits)
	must(t, err)
	for _, row := range []struct{ promise, part, holds string }{
		{"letters of a note stay as they look", "xl/notes.xml", `<r><rPr><b/></rPr><t>Ask</t></r><r><t> Bob</t></r><r>`},
		{"what is new stands beneath", "xl/notes.xml", "\n\nadsync: too late</t></r></text></comment>"},
		{"a note of its own", "xl/notes.xml", `<comment ref="B2" authorId="1"><text><t xml:space="preserve">a &lt; b<`},
		{"a check box stays", "xl/drawings/boxes.vml", `ObjectType="Checkbox"><x:Row>4</x:Row>`},
		{"the box of a note grows with it", "xl/drawings/boxes.vml", `<x:Anchor>1, 15, 0, 2, 3, 15, 7, 4<`},
		{"a box of its own, of a number that is free", "xl/drawings/boxes.vml", `<v:shape id="_x0000_s2052"`},
		{"columns beside keep their width", "xl/worksheets/sheet1.xml",
			`<col min="1" max="2" width="9.5" style="2"/><col customWidth="1" min="3" max="3" width="70" style="2"/>` +
				`<col min="4" max="16384" width="9.5" style="2"/>`},
		{"a row is not made lower", "xl/worksheets/sheet1.xml", `<row r="1" ht="30">`},
		{"a row is made higher", "xl/worksheets/sheet1.xml", `<row r="3" ht="48" customHeight="1">`},
	} {
		if got := memberText(t, copied, row.part); !strings.Contains(got, row.holds) {
			t.Errorf("%s: %s is\n%s\nwant in it %s", row.promise, row.part, got, row.holds)
		}
	}
	for name := range rawMembers(t, copied) {
		if strings.HasPrefix(name, "_xmlsignatures") {
			t.Errorf("part %q is there; want no signature of another workbook", name)
		}
	}
	if root := memberText(t, copied, "_rels/.rels"); strings.Contains(root, "signature") {
		t.Errorf("the package leads to a signature: %s", root)
	}
}

// TestANoteOfTheSameAuthorIsReplaced: a copy of a copy says what is wrong once.
func TestANoteOfTheSameAuthorIsReplaced(t *testing.T) {
	content := packed(t, notedParts())
	for _, text := range []string{"first", "second"} {
		var err error
		content, err = Changes{Copy: &Copy{Notes: []Note{{Sheet: "Ads", At: At{2, 2}, Author: "adsync", Text: text}}},
			Edits: []Edit{set("A1", Number("1"))}}.Rewrite(content, someLimits)
		must(t, err)
	}
	b, err := openBook(content, someLimits)
	must(t, err)
	notes, err := b.NotesOn(b.Sheets[0].Part)
	must(t, err)
	if d := cmp.Diff(map[At]string{{1, 1}: "Ask Bob", {2, 2}: "second"}, notes); d != "" {
		t.Errorf("notes (-want +got):\n%s", d)
	}
}

// TestASheetWithConversationsGetsNoNotes: programs show the conversation, and what a note says of it is theirs.
func TestASheetWithConversationsGetsNoNotes(t *testing.T) {
	parts := notedParts()
	parts["xl/worksheets/_rels/sheet1.xml.rels"] = strings.Replace(parts["xl/worksheets/_rels/sheet1.xml.rels"],
		"</Relationships>", `<Relationship Id="c" Type="t/threadedComment" Target="../talk.xml"/></Relationships>`, 1)
	parts["xl/talk.xml"] = "<ThreadedComments/>"
	copied, err := Changes{Copy: &Copy{Notes: []Note{{Sheet: "Ads", At: At{2, 2}, Author: "adsync", Text: "wrong"}}},
		Edits: []Edit{set("A1", Number("1"))}}.Rewrite(packed(t, parts), someLimits)
	must(t, err)
	if got := memberText(t, copied, "xl/notes.xml"); got != parts["xl/notes.xml"] {
		t.Errorf("notes are\n%s\nwant them as they were", got)
	}
}

// Any description of columns: one column gets its width, and every other keeps what it had.
func TestAWidthIsOfOneColumn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := map[int]string{}
		var cols strings.Builder
		for from := rapid.IntRange(1, 4).Draw(t, "from"); from < 30; {
			to := from + rapid.IntRange(0, 6).Draw(t, "more")
			width := fmt.Sprint(rapid.IntRange(1, 40).Draw(t, "width"))
			form := rapid.SampledFrom([]string{`<col min="%d" max="%d" width="%s"/>`,
				`<col width="%[3]s" customWidth="1" max="%[2]d" min="%[1]d"></col>`}).Draw(t, "form")
			fmt.Fprintf(&cols, form, from, to, width)
			for column := from; column <= to; column++ {
				want[column] = width
			}
			from = to + rapid.IntRange(1, 4).Draw(t, "gap")
		}
		sheet := `<worksheet><sheetData><row r="1"><c r="A1"><v>1</v></c></row></sheetData></worksheet>`
		if cols.Len() > 0 {
			sheet = strings.Replace(sheet, "<sheetData>", "<cols>"+cols.String()+"</cols><sheetData>", 1)
		}
		wide := rapid.IntRange(1, 40).Draw(t, "wide")
		want[wide] = "70.5"
		p := &copyEdit{newPackageEdit(bookOfParts(t, plainParts(sheet)))}
		if err := p.widen(Width{"Ads", wide, 70.5}); err != nil {
			t.Fatal(err)
		}
		got := map[int]string{}
		last := 0
		err := elements(p.part(p.book.Sheets[0].Part), func(s *xmlScanner) error {
			if string(s.name) != "col" {
				return nil
			}
			var from, to int
			fmt.Sscan(string(s.attr("min")), &from)
			fmt.Sscan(string(s.attr("max")), &to)
			if from <= last || to < from {
				t.Fatalf("columns %d to %d stand after %d", from, to, last)
			}
			for last = from; last <= to; last++ {
				got[last] = string(s.attr("width"))
			}
			last = to
			return nil
		})
		if err != nil || !maps.Equal(got, want) {
			t.Fatalf("widths %v, %v; want %v", got, err, want)
		}
	})
}

func bookOfParts(t *rapid.T, parts map[string]string) *Book {
	ps := Parts{content: map[string][]byte{}}
	for name, text := range parts {
		ps.content[partName(name)] = []byte(text)
	}
	b, err := ReadBook(ps)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestNotesAreWrittenOnWhatIsThere: whatever notes and their drawing are like, a copy is made, with those that there is
// a place for.
func TestNotesAreWrittenOnWhatIsThere(t *testing.T) {
	const notes, boxes, sheet = "xl/notes.xml", "xl/drawings/boxes.vml", "xl/worksheets/sheet1.xml"
	const list = "xl/worksheets/_rels/sheet1.xml.rels"
	for _, row := range []struct{ name, part, old, new, in, want string }{
		{"notes are no XML", notes, "<comments>", "comments", notes, "Ask"},
		{"notes without authors", notes, "<authors><author>Ann</author></authors>", "", notes, "Ask"},
		{"a note on no cell", notes, `ref="A1"`, `ref="$A$1"`, notes, "Ask"},
		{"notes are not there", list, "../notes.xml", "../gone.xml", sheet, "<legacyDrawing"},
		{"the drawing is not there", list, "../drawings/boxes.vml", "../gone.vml", notes, "Ask"},
		{"a drawing with a line end as of web pages", boxes, `<x:Row>4`, `<br><x:Row>4`, boxes,
			`</v:shape><v:shape xmlns:v="urn:schemas-microsoft-com:vml"`},
		{"a drawing that is cut", boxes, "</v:shape></xml>", "</v:sh", notes, "Ask"},
		{"how a text is spoken stands behind it", notes, `</text>`, `<rPh sb="0" eb="1"><t>a</t></rPh></text>`, notes,
			"adsync: wrong</t></r><rPh"},
		{"a text with nothing in it", notes, `<text><r><rPr><b/></rPr><t>Ask</t></r><r><t> Bob</t></r></text>`, `<text />`,
			notes, "<text ><r>"},
		{"a name of a relationship is taken", list, `Id="n" Type="t/comments" Target="../notes.xml"`,
			`Id="ridadsyncNotes" Type="t/hyperlink" Target="../notes.xml"`, list, `Id="rIdAdsyncNotes2"`},
	} {
		t.Run(row.name, func(t *testing.T) {
			parts := notedParts()
			if !strings.Contains(parts[row.part], row.old) {
				t.Fatalf("%s has no %s", row.part, row.old)
			}
			parts[row.part] = strings.Replace(parts[row.part], row.old, row.new, 1)
			copied, err := Changes{Edits: []Edit{set("A1", Keep())}, Copy: &Copy{Notes: []Note{
				{Sheet: "Ads", At: At{1, 1}, Author: "adsync", Text: "wrong", Width: 320, Height: 60},
				{Sheet: "Ads", At: At{2, 2}, Author: "adsync", Text: "odd", Width: 320, Height: 60},
			}}}.Rewrite(packed(t, parts), someLimits)
			must(t, err)
			if got := memberText(t, copied, row.in); !strings.Contains(got, row.want) {
				t.Errorf("%s is\n%s\nwant in it %s", row.in, got, row.want)
			}
		})
	}
}

// TestABareRowBecomesHigher: a row that says nothing of itself gets cells and a height.
func TestABareRowBecomesHigher(t *testing.T) {
	for bare, want := range map[string]string{
		`<x:row/>`:        `<x:row ht="60" customHeight="1"><x:c r="B1" t="b"><x:v>1</x:v></x:c></x:row>`,
		`<x:row></x:row>`: `<x:row ht="60" customHeight="1"><x:c r="B1" t="b"><x:v>1</x:v></x:c></x:row>`,
	} {
		sheet := `<x:worksheet><x:sheetData>` + bare + `</x:sheetData></x:worksheet>`
		copied, err := Changes{
			Edits: []Edit{set("B1", Stored(Cell{Form: BooleanCell, Text: "1", HasValue: true}))},
			Copy:  &Copy{Heights: map[string]map[int]float64{"Ads": {1: 60}}},
		}.Rewrite(packed(t, plainParts(sheet)), someLimits)
		must(t, err)
		if got := memberText(t, copied, "xl/worksheets/sheet1.xml"); !strings.Contains(got, want) {
			t.Errorf("%s became %s; want in it %s", bare, got, want)
		}
	}
}

// TestACopyOpensAtASheetThatIsSeen: whether the workbook says how it is seen, and whether its sheet was hidden.
func TestACopyOpensAtASheetThatIsSeen(t *testing.T) {
	for _, views := range []string{"", "<bookViews/>", "<bookViews></bookViews>",
		`<bookViews><workbookView activeTab="1"/></bookViews>`} {
		parts := plainParts(`<worksheet><sheetData/></worksheet>`)
		parts["xl/workbook.xml"] = `<workbook xmlns:r="r">` + views +
			`<sheets><sheet name="Ads" sheetId="1" state="hidden" r:id="rId1"/></sheets></workbook>`
		donor := packed(t, plainParts(`<worksheet><sheetData/></worksheet>`))
		copied, err := Changes{Add: donor, Copy: &Copy{Opens: "Ads"}}.Rewrite(packed(t, parts), someLimits)
		must(t, err)
		got := memberText(t, copied, "xl/workbook.xml")
		if strings.Count(got, "<bookViews") != 1 || !strings.Contains(got, `activeTab="0"`) ||
			strings.Contains(got, "hidden") {
			t.Errorf("of %q became %s; want one view of the sheet, which is seen", views, got)
		}
	}
}

// TestNothingIsLeftOfASheetThatAnotherReplaces: neither what it alone led to, nor its formulas in the chain of
// calculation, nor what says of which type the parts were; nor is anything left of a signature.
func TestNothingIsLeftOfASheetThatAnotherReplaces(t *testing.T) {
	parts := notedParts()
	parts["xl/worksheets/sheet1.xml"] = strings.Replace(parts["xl/worksheets/sheet1.xml"],
		"<v>46000</v>", "<f>1+1</f><v>2</v>", 1)
	parts["xl/calcChain.xml"] = `<calcChain><c r="A1" i="1"/></calcChain>`
	parts["xl/_rels/workbook.xml.rels"] = strings.Replace(parts["xl/_rels/workbook.xml.rels"], "</Relationships>",
		`<Relationship Id="c" Type="t/calcChain" Target="calcChain.xml"/></Relationships>`, 1)
	parts["xl/drawings/_rels/boxes.vml.rels"] = `<Relationships>` +
		`<Relationship Id="c" Type="t/chart" Target="../charts/chart1.xml"/></Relationships>`
	parts["xl/charts/chart1.xml"], parts["_xmlsignatures/cert.cer"] = "<chart/>", "cert"
	parts["[Content_Types].xml"] = strings.Replace(parts["[Content_Types].xml"], "</Types>",
		`<Override PartName="/xl/worksheets/_rels/sheet1.xml.rels" ContentType="a/b"/>`+
			`<Override PartName="/xl/charts/chart1.xml" ContentType="a/b"/></Types>`, 1)
	donor := packed(t, plainParts(`<worksheet><sheetData><row r="1"><c r="A1"><v>7</v></c></row></sheetData></worksheet>`))
	copied, err := Changes{Add: donor, Copy: &Copy{}}.Rewrite(packed(t, parts), someLimits)
	must(t, err)
	types := memberText(t, copied, "[Content_Types].xml")
	for _, gone := range []string{"xl/calcChain.xml", "xl/notes.xml", "xl/drawings/boxes.vml", "xl/charts/chart1.xml",
		"xl/drawings/_rels/boxes.vml.rels", "xl/worksheets/_rels/sheet1.xml.rels", "_xmlsignatures/cert.cer"} {
		if _, there := rawMembers(t, copied)[gone]; there || strings.Contains(types, `"/`+gone) {
			t.Errorf("%s is there still, or has a type: %s", gone, types)
		}
	}
}

// Any sheet and any marks: a copy is made, whose rows are as high as they have to be, and a copy of it is the same.
func TestAnySheetIsMarked(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		sheet := drawSheet(rt)
		at := func(label string) At {
			return At{rapid.IntRange(1, 12).Draw(rt, label), rapid.IntRange(1, 8).Draw(rt, label)}
		}
		changes := Changes{Copy: &Copy{Opens: "Ads", Heights: map[string]map[int]float64{"Ads": {}}}}
		texts, notes := map[At]string{}, map[At]string{}
		for range rapid.IntRange(0, 6).Draw(rt, "marks") {
			cell, noted, wide := at("cell"), at("note"), at("width")
			if texts[cell] == "" {
				texts[cell] = "failed"
				e := Edit{Sheet: "Ads", Row: cell.Row, Column: cell.Column, Value: Text("failed"), IfFree: true}
				changes.Edits = append(changes.Edits, e)
				changes.Copy.Heights["Ads"][cell.Row] = float64(rapid.IntRange(10, 99).Draw(rt, "height"))
			}
			changes.Copy.Widths = append(changes.Copy.Widths, Width{"Ads", wide.Column, 70})
			if notes[noted] == "" {
				notes[noted] = "wrong"
				changes.Copy.Notes = append(changes.Copy.Notes,
					Note{Sheet: "Ads", At: noted, Author: "adsync", Text: "wrong", Width: 320, Height: 60})
			}
		}
		var parts [2]map[string]string
		content := packed(t, plainParts(sheet.xml))
		for i := range parts {
			var err error
			if content, err = changes.Rewrite(content, someLimits); err != nil {
				rt.Fatalf("copy %d: %v\n%s", i+1, err, sheet.xml)
			}
			b, err := openBook(content, someLimits)
			if err != nil {
				rt.Fatal(err)
			}
			parts[i] = map[string]string{}
			for name := range rawMembers(t, content) {
				parts[i][name] = memberText(t, content, name)
			}
			got, err := b.NotesOn(b.Sheets[0].Part)
			if err != nil || len(changes.Edits) > 0 && !maps.Equal(got, notes) {
				rt.Fatalf("notes %v, %v; want %v", got, err, notes)
			}
		}
		if d := cmp.Diff(parts[0], parts[1]); d != "" && len(changes.Edits) > 0 {
			rt.Fatalf("a copy of the copy differs (-first +second):\n%s", d)
		}
	})
}
