package sources_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"adsync/internal/diag"
	"adsync/internal/xlsx"
	"adsync/sources/draft"
	"adsync/sources/table"
)

// rebuild writes a workbook anew with one of its parts changed; a nil edit
// leaves the part out.
func rebuild(t testing.TB, content []byte, part string, edit func([]byte) []byte) []byte {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	must(t, err)
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	found := false
	for _, member := range archive.File {
		r, err := member.Open()
		must(t, err)
		data, err := io.ReadAll(r)
		must(t, err)
		if member.Name == part {
			found = true
			if edit == nil {
				continue
			}
			data = edit(data)
		}
		out, err := w.Create(member.Name)
		must(t, err)
		_, err = out.Write(data)
		must(t, err)
	}
	if !found {
		t.Fatalf("workbook has no part %q", part)
	}
	must(t, w.Close())
	return b.Bytes()
}

// replaceCell puts XML in the place of a cell.
func replaceCell(t testing.TB, sheet []byte, name, xml string) []byte {
	t.Helper()
	cell := regexp.MustCompile(`<c r="` + name + `".*?</c>`)
	if !cell.Match(sheet) {
		t.Fatalf("sheet has no cell %s", name)
	}
	return cell.ReplaceAllLiteral(sheet, []byte(xml))
}

func replaced(from, to string) func([]byte) []byte {
	return func(data []byte) []byte {
		if !bytes.Contains(data, []byte(from)) {
			panic(fmt.Sprintf("%q is not in %q", from, data))
		}
		return bytes.Replace(data, []byte(from), []byte(to), 1)
	}
}

func TestDamagedWorkbookIsUsedForNothing(t *testing.T) {
	whole := bookOf(t, campaignsSheet, adGroupsSheet, adsSheet)
	const sheet, shared = "xl/worksheets/sheet1.xml", "xl/sharedStrings.xml"
	part := func(name string, edit func([]byte) []byte) []byte { return rebuild(t, whole, name, edit) }
	for _, c := range []struct {
		name    string
		content []byte
		want    string
	}{
		{"cut in the middle", whole[:len(whole)/2], "ADS1002"},
		{"cut by one byte", whole[:len(whole)-1], "ADS1002"},
		{"sheet cut inside a whole zip", part(sheet, func(b []byte) []byte { return b[:len(b)*2/3] }),
			"XML ends inside"},
		{"sheet emptied", part(sheet, func([]byte) []byte { return nil }), "XML has no element"},
		{"sheet missing", part(sheet, nil), `its part "xl/worksheets/sheet1.xml" is missing`},
		{"shared texts missing", part(shared, nil), `its part "xl/sharedstrings.xml" is missing`},
		{"shared texts cut", part(shared, func(b []byte) []byte { return b[:len(b)-20] }),
			"shared texts: XML ends inside"},
		{"a shared text gone", part(shared, func(b []byte) []byte { return wholeText.ReplaceAll(b, nil) }),
			"shared texts: 0 are written where"},
		{"a sheet nobody lists", part("xl/workbook.xml",
			func(b []byte) []byte { return listedSheet.ReplaceAll(b, nil) }), "is in no list of sheets"},
		{"shared text out of range", part(sheet, replaced(`t="s"><v>0</v>`, `t="s"><v>9999</v>`)),
			`names the shared text "9999"`},
		{"styles missing", part("xl/styles.xml", nil), `its part "xl/styles.xml" is missing`},
		{"style out of range", part(sheet, replaced(`<c r="A2"`, `<c s="999" r="A2"`)), "a cell has style 999"},
		{"rows out of order", part(sheet, replaced(`<row r="2"`, `<row r="1"`)), `row "1" follows row 1`},
		{"cells out of order", part(sheet, replaced(`r="B2"`, `r="A2"`)), `cell "A2" stands after column 1`},
		{"a cell of another row", part(sheet, replaced(`r="B2"`, `r="B3"`)), `cell "B3" stands after`},
		{"an entity", part(sheet, replaced(`<v>0</v>`, `<v>&xxe;</v>`)), `the entity "xxe"`},
		{"a document type", part(sheet, replaced("<worksheet",
			`<!DOCTYPE x [<!ENTITY xxe SYSTEM "file:///etc/passwd">]><worksheet`)), "has a document type"},
		{"UTF-16", part(sheet, func(b []byte) []byte {
			return append([]byte("\xff\xfe"), xlsx.UTF16LE(string(b))...)
		}), "is not UTF-8"},
		{"another encoding declared", part(sheet, replaced(`UTF-8`, `UTF-16`)), "encoding is not UTF-8"},
		{"a zeroed block", part(sheet, replaced(`<row r="2"`, "\x00\x00\x00\x00")), "control character 0x0"},
		{"bytes that are no UTF-8", part(shared, replaced("Spring", "Spr\xffing")), "shared texts: text is not UTF-8"},
		{"no root relationships", part("_rels/.rels", nil), "no part that lists its sheets"},
		{"a type of cell nobody knows", part(sheet, replaced(`t="s"`, `t="x"`)), `the type "x"`},
		{"merged cells that are none", part(sheet,
			replaced(`</sheetData>`, `</sheetData><mergeCells><mergeCell ref="B2:A1"/></mergeCells>`)), "B2:A1"},
		{"cells twice", part(sheet, replaced(`</sheetData>`, `</sheetData><sheetData/>`)), "has its cells twice"},
		{"a row outside", part(sheet, replaced(`</sheetData>`, `</sheetData><row r="9"/>`)),
			"stands outside the cells part"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := readBytes(c.content)
			wantProblems(t, got.Problems, c.want)
			if len(got.Drafts) > 0 || got.Rows != (draft.Rows{}) {
				t.Errorf("%d drafts and rows %+v of a damaged workbook, want none", len(got.Drafts), got.Rows)
			}
		})
	}
}

func TestFileThatIsNoWorkbookIsNamed(t *testing.T) {
	zipOf := func(names ...string) []byte {
		var b bytes.Buffer
		w := zip.NewWriter(&b)
		for _, name := range names {
			_, err := w.Create(name)
			must(t, err)
		}
		must(t, w.Close())
		return b.Bytes()
	}
	ole := append([]byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), make([]byte, 600)...)
	for _, c := range []struct {
		name    string
		content []byte
		want    string
	}{
		{"nothing", nil, "file is empty"},
		{"an old workbook", append(bytes.Clone(ole), xlsx.UTF16LE("Workbook")...), "an old workbook (.xls)"},
		{"a workbook with a password", append(bytes.Clone(ole), xlsx.UTF16LE("EncryptedPackage")...),
			"a workbook with a password"},
		{"a binary workbook", zipOf("[Content_Types].xml", "xl/workbook.bin"), "a binary workbook (.xlsb)"},
		{"an OpenDocument sheet", zipOf("mimetype", "content.xml"), "an OpenDocument file (.ods)"},
		{"a workbook with macros", zipOf("[Content_Types].xml", "xl/workbook.xml", "xl/vbaProject.bin"),
			"with macros (.xlsm)"},
		{"a Word document", zipOf("[Content_Types].xml", "word/document.xml"), "a Word document"},
		{"some zip", zipOf("a.txt"), "a zip archive and not a workbook"},
		{"CSV", []byte("Campaign,Status\nSpring,paused\n"), "text such as CSV"},
		{"a web page", []byte("<html><table>"), "a web page"},
		{"a PDF", []byte("%PDF-1.7"), "a PDF"},
		{"an LFS pointer", []byte("version https://git-lfs.github.com/spec/v1\noid sha256:0\n"), "a Git LFS pointer"},
		{"a merge gone wrong", []byte("<<<<<<< HEAD\n"), "conflict marks"},
		{"noise", []byte{1, 2, 3, 0, 5}, "no workbook"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := readBytes(c.content)
			wantProblems(t, got.Problems, c.want)
			if len(got.Problems) == 1 && got.Problems[0].Code != diag.Unreadable {
				t.Errorf("code = %s, want %s", got.Problems[0].Code, diag.Unreadable)
			}
		})
	}
}

func TestBoundsHoldBeforeAnythingIsRead(t *testing.T) {
	bomb := func(size int) []byte {
		var b bytes.Buffer
		w := zip.NewWriter(&b)
		out, err := w.Create("xl/worksheets/sheet1.xml")
		must(t, err)
		zeros := make([]byte, 1<<20)
		for range size {
			_, err = out.Write(zeros)
			must(t, err)
		}
		must(t, w.Close())
		return b.Bytes()
	}
	wantProblems(t, readBytes(bomb(200)).Problems, "unzips to 200 MiB; want at most 128 MiB")

	in := workbookInput()
	in.Bounds.WorkbookBytes = 1000
	wantProblems(t, table.ReadWorkbook(t.Context(), "q4.xlsx", make([]byte, 1001), in).Problems,
		"has 1001 bytes; want at most 1000")

	in = workbookInput()
	in.Bounds.SheetRows = 2
	long := bookOf(t, sheetOf{
		name: "Campaigns", rows: [][]any{{"Campaign", "Bidding"}, {"One", "clicks"}, {"Two", "clicks"}},
	})
	wantProblems(t, table.ReadWorkbook(t.Context(), "q4.xlsx", long, in).Problems, "it has 3 rows; want at most 2")
}

// A bomb may lie about its size: the declared one is what is read.
func TestLyingSizesAreDamage(t *testing.T) {
	whole := bookOf(t, campaignsSheet)
	central := bytes.LastIndex(whole, []byte("PK\x01\x02"))
	lying := bytes.Clone(whole)
	lying[central+24] ^= 1 // uncompressed size of the last member
	got := readBytes(lying)
	if len(got.Drafts) > 0 || len(got.Problems) != 1 || got.Problems[0].Code != diag.Damaged {
		t.Errorf("a wrong size gives %q, want damage", said(got.Problems))
	}
}

func manyRows(count int) sheetOf {
	sheet := sheetOf{name: "Campaigns", rows: [][]any{{"Campaign", "Bidding", "Daily budget (USD)", "Description"}}}
	for i := range count {
		sheet.rows = append(sheet.rows,
			[]any{fmt.Sprintf("Campaign %d", i), "clicks", 10 + i, strings.Repeat("note ", i%7)})
	}
	return sheet
}

func FuzzReadWorkbook(f *testing.F) {
	f.Add(bookOf(f, campaignsSheet, adGroupsSheet, adsSheet))
	seeds, err := filepath.Glob("testdata/workbook/*.xlsx")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range seeds {
		content, err := os.ReadFile(name)
		must(f, err)
		f.Add(content)
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		got := readBytes(content)
		for _, p := range got.Problems {
			if strings.Contains(p.Message, "runtime error") {
				t.Fatalf("reading panics: %s", p)
			}
		}
		if got.Rows.Read != got.Rows.Used+got.Rows.Ignored+got.Rows.Failed {
			t.Fatalf("rows do not add up: %+v", got.Rows)
		}
	})
}
