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
