package sources_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"adsync/internal/diag"
	"adsync/internal/xlsx"
	"adsync/sources/table"
	"adsync/sources/tree"

	"github.com/google/go-cmp/cmp"
)

// damageable is a whole workbook that can be damaged at every byte.
func damageable(t testing.TB) []byte {
	return []byte(rawBook(t, map[string]string{
		"xl/worksheets/sheet1.xml": `<worksheet xmlns="u"><dimension ref="A1:C3"/><sheetData><row r="1">` +
			cellOf("A1", 0) + cellOf("B1", 1) + `<c r="C1" t="inlineStr"><is><t>Daily budget</t></is></c></row>` +
			`<row r="2">` + cellOf("A2", 2) + cellOf("B2", 3) + `<c r="C2" s="1"><v>50</v></c></row><row r="3">` +
			cellOf("A3", 4) + cellOf("B3", 3) + `<c r="C3"><v>7.5</v></c></row></sheetData></worksheet>`,
		"xl/sharedStrings.xml": `<sst xmlns="u" count="6" uniqueCount="5"><si><t>Campaign</t></si><si><t>Bidding</t>` +
			`</si><si><t>Spring</t></si><si><t>clicks</t></si><si><r><t>Sum</t></r><r><t>mer</t></r></si></sst>`,
		"xl/styles.xml": `<styleSheet ` +
			`xmlns="u"><cellXfs><xf numFmtId="0"/><xf numFmtId="2"/></cellXfs></styleSheet>`,
	}))
}

func cellOf(name string, shared int) string {
	return fmt.Sprintf(`<c r="%s" t="s"><v>%d</v></c>`, name, shared)
}

// wantSameOrRefused holds that a damaged workbook is refused whole, or says
// exactly what the whole one says.
func wantSameOrRefused(t testing.TB, whole, damaged []byte, how string) (refused bool) {
	t.Helper()
	got := readBytes(damaged)
	if diag.HasErrors(got.Problems) {
		if len(got.Drafts) > 0 {
			t.Errorf("%s: %d drafts of a workbook that is refused, want none", how, len(got.Drafts))
		}
		return true
	}
	if diff := cmp.Diff(drafted(readBytes(whole).Drafts), drafted(got.Drafts)); diff != "" {
		t.Errorf("%s is not noticed:\n%s", how, diff)
	}
	return false
}

func TestW1EveryFlippedBitAndZeroedBlockIsNoticedOrHarmless(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	whole := damageable(t)
	random := rand.New(rand.NewPCG(1, 2))
	refused := 0
	for at := range whole {
		flipped := bytes.Clone(whole)
		flipped[at] ^= 1 << random.IntN(8)
		zeroed := bytes.Clone(whole)
		clear(zeroed[at:min(at+16, len(zeroed))])
		for how, damaged := range map[string][]byte{"a flipped bit": flipped, "a zeroed block": zeroed} {
			if wantSameOrRefused(t, whole, damaged, fmt.Sprintf("%s at byte %d", how, at)) {
				refused++
			}
		}
	}
	if refused < len(whole) {
		t.Errorf("%d of %d damaged workbooks are refused, want most", refused, 2*len(whole))
	}
}

func TestW2ASheetCutAtAnyByteIsRefused(t *testing.T) {
	cutEverywhere(t, "xl/worksheets/sheet1.xml")
}

func TestW3SharedTextsCutMissingOrOutOfRangeAreRefused(t *testing.T) {
	cutEverywhere(t, "xl/sharedStrings.xml")
	whole := damageable(t)
	const sheet, shared = "xl/worksheets/sheet1.xml", "xl/sharedStrings.xml"
	for name, damaged := range map[string][]byte{
		"missing":               rebuild(t, whole, shared, nil),
		"emptied":               rebuild(t, whole, shared, func([]byte) []byte { return []byte("<sst/>") }),
		"one text less":         rebuild(t, whole, shared, replaced("<si><t>Bidding</t></si>", "")),
		"a number out of range": rebuild(t, whole, sheet, replaced("<v>4</v>", "<v>5</v>")),
		"a number below zero":   rebuild(t, whole, sheet, replaced("<v>4</v>", "<v>-1</v>")),
		"a number that is none": rebuild(t, whole, sheet, replaced("<v>4</v>", "<v>4.0</v>")),
		"no relationship to it": rebuild(t, whole,
			"xl/_rels/workbook.xml.rels", replaced("/sharedStrings", "/shared")),
		"a run that is not shut": rebuild(t, whole, shared, replaced("</t></r><r>", "</t><r>")),
	} {
		if !wantSameOrRefused(t, whole, damaged, name) {
			t.Errorf("%s: the workbook is read, want it refused", name)
		}
	}
}

// cutEverywhere cuts a part at every byte inside a zip that is whole.
func cutEverywhere(t *testing.T, part string) {
	t.Helper()
	whole := damageable(t)
	size := 0
	rebuild(t, whole, part, func(b []byte) []byte { size = len(b); return b })
	for end := range size {
		if damaged := rebuild(t, whole, part, func(b []byte) []byte { return b[:end] }); !wantSameOrRefused(t,
			whole, damaged, part) {
			t.Errorf("%s cut at byte %d is read, want it refused", part, end)
		}
	}
}

func TestW4RowsAndCellsAscend(t *testing.T) {
	whole := damageable(t)
	for name, edit := range map[string]func([]byte) []byte{
		"rows out of order":   replaced(`<row r="2">`, `<row r="4">`),
		"a row number twice":  replaced(`<row r="3">`, `<row r="2">`),
		"a row of zero":       replaced(`<row r="1">`, `<row r="0">`),
		"cells out of order":  replaced(`r="B2"`, `r="D2"`),
		"a cell twice":        replaced(`r="B2"`, `r="A2"`),
		"a cell of elsewhere": replaced(`r="B2"`, `r="B3"`),
		"a column too far":    replaced(`r="C2"`, `r="XFE2"`),
	} {
		if damaged := rebuild(t, whole, "xl/worksheets/sheet1.xml", edit); !wantSameOrRefused(t, whole, damaged, name) {
			t.Errorf("%s: the workbook is read, want it refused", name)
		}
	}
	unnumbered := rebuild(t, whole, "xl/worksheets/sheet1.xml", func(b []byte) []byte {
		for _, r := range []string{"1", "2", "3"} {
			b = bytes.ReplaceAll(b, []byte(` r="`+r+`"`), nil)
			for _, column := range []string{"A", "B", "C"} {
				b = bytes.ReplaceAll(b, []byte(` r="`+column+r+`"`), nil)
			}
		}
		return b
	})
	wantSameOrRefused(t, whole, unnumbered, "leaving the numbers out")
	wantProblems(t, readBytes(unnumbered).Problems)
}

func TestW5OtherEncodingsAndEntitiesAreRefused(t *testing.T) {
	whole := damageable(t)
	const declared = `<?xml version="1.0" encoding="%s"?>`
	prefix := func(text string) func([]byte) []byte {
		return func(b []byte) []byte { return append([]byte(text), b...) }
	}
	for name, edit := range map[string]func([]byte) []byte{
		"UTF-16 with a mark": func(b []byte) []byte { return append([]byte("\xff\xfe"), xlsx.UTF16LE(string(b))...) },
		"UTF-16 without":     func(b []byte) []byte { return xlsx.UTF16LE(string(b)) },
		"UTF-16 declared":    prefix(fmt.Sprintf(declared, "UTF-16")),
		"Latin-1 declared":   prefix(fmt.Sprintf(declared, "ISO-8859-1")),
		"a document type":    prefix(`<!DOCTYPE x>`),
		"an entity of its own": func(b []byte) []byte {
			return prefix(`<!DOCTYPE x [<!ENTITY e "Spring">]>`)(bytes.Replace(b, []byte("50"), []byte("&e;"), 1))
		},
		"an outside entity": prefix(`<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>`),
		"laughs":            prefix(`<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>`),
		"an unknown entity": func(b []byte) []byte { return bytes.Replace(b, []byte("50"), []byte("&e;"), 1) },
		"a byte of no letter": func(b []byte) []byte {
			return bytes.Replace(b, []byte("Daily"), []byte("Da\xffly"), 1)
		},
	} {
		if damaged := rebuild(t, whole, "xl/worksheets/sheet1.xml", edit); !wantSameOrRefused(t, whole, damaged, name) {
			t.Errorf("%s: the workbook is read, want it refused", name)
		}
	}
	marked := rebuild(t, whole, "xl/worksheets/sheet1.xml", prefix("\xef\xbb\xbf"+fmt.Sprintf(declared, "utf-8")))
	wantSameOrRefused(t, whole, marked, "a byte order mark")
	wantProblems(t, readBytes(marked).Problems)
}

// TestW23NothingIsRunOrFetched gives a workbook every address a program might
// follow, and listens there.
func TestW23NothingIsRunOrFetched(t *testing.T) {
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer server.Close()
	const rel = `<Relationship Id="%s" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/%s" ` +
		`Target="%s"%s/>`
	outside := func(id, typ, target string) string {
		return fmt.Sprintf(rel, id, typ, target, ` TargetMode="External"`)
	}
	parts := map[string]string{
		"xl/workbook.xml": `<workbook xmlns:r="r"><sheets><sheet ` +
			`name="Campaigns" sheetId="1" r:id="rId1"/></sheets><externalReferences><externalReference ` +
			`r:id="rId4"/><externalReference r:id="rId5"/></externalReferences>` +
			`<definedNames><definedName name="Auto_Open">[1]Sheet1!$A$1</definedName></definedNames></workbook>`,
		"xl/_rels/workbook.xml.rels": `<Relationships>` + fmt.Sprintf(rel, "rId1", "worksheet", "worksheets/sheet1.xml",
			"") + fmt.Sprintf(rel, "rId4", "externalLink", "externalLinks/externalLink1.xml", "") +
			fmt.Sprintf(rel, "rId5", "externalLink", "externalLinks/externalLink2.xml", "") +
			outside("rId6", "attachedTemplate", server.URL+"/template.xltm") + `</Relationships>`,
		"xl/externalLinks/externalLink1.xml": `<externalLink xmlns:r="r"><externalBook ` +
			`r:id="rId1"><sheetNames><sheetName val="Sheet1"/></sheetNames></externalBook></externalLink>`,
		"xl/externalLinks/_rels/externalLink1.xml.rels": `<Relationships>` +
			outside("rId1", "externalLinkPath", server.URL+"/prices.xlsx") + `</Relationships>`,
		"xl/externalLinks/externalLink2.xml": `<externalLink><ddeLink ddeService="cmd" ` +
			`ddeTopic="/c calc"><ddeItems><ddeItem name="A0" advise="1"/></ddeItems></ddeLink></externalLink>`,
		"xl/embeddings/oleObject1.bin": "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
		"xl/worksheets/_rels/sheet1.xml.rels": `<Relationships>` + outside("rId1", "hyperlink",
			server.URL+"/link") + fmt.Sprintf(rel, "rId2", "oleObject", "../embeddings/oleObject1.bin", "") +
			outside("rId3", "image", server.URL+"/picture.png") + `</Relationships>`,
		"xl/worksheets/sheet1.xml": `<worksheet xmlns:r="r"><sheetData><row r="1">` +
			rawText("Campaign") + rawText("Bidding") + rawText("Description") + rawText("Daily budget") + `</row>` +
			`<row r="2">` + rawText("Spring") + rawText("clicks") +
			`<c t="str"><f>[1]Sheet1!A1</f><v>of another workbook</v></c></row>` +
			`<row r="3">` + rawText("Summer") + rawText("clicks") +
			`<c t="str"><f>WEBSERVICE("` + server.URL + `/function")</f><v>seen</v></c></row>` +
			`<row r="4">` + rawText("Autumn") + rawText("clicks") +
			`<c t="str"><v>x</v></c><c><f>[1]Sheet1!B1</f><v>5</v></c></row>` +
			`<row r="5">` + rawText("Winter") + rawText("clicks") +
			`<c t="str"><f>cmd|'/c calc'!A0</f><v>x</v></c></row></sheetData>` +
			`<hyperlinks><hyperlink ref="A2" r:id="rId1"/></hyperlinks><oleObjects><oleObject ` +
			`progId="Package" r:id="rId2"/></oleObjects></worksheet>`,
	}
	d := load(t, folder(t, map[string]string{"q4.xlsx": rawBook(t, parts)}))
	wantProblem(t, d, "q4.xlsx:Campaigns!D4: warning: amount is a formula, and its last value 5.00 is read")
	if len(d.Problems) != 1 {
		t.Errorf("Load found\n%swant the formula of an amount alone", printed(d.Problems))
	}
	for address, want := range map[string]string{
		"campaign/spring": `"of another workbook"`, "campaign/summer": `"seen"`, "campaign/winter": `"x"`,
	} {
		if got := valueOf(t, d, address, "description").String(); got != want {
			t.Errorf("description of %s = %s, want the last value %s", address, got, want)
		}
	}
	if n := asked.Load(); n > 0 {
		t.Errorf("%d requests were sent, want none", n)
	}
}

func TestW23MacrosAreRefused(t *testing.T) {
	const types = `<Types><Override PartName="/xl/workbook.xml" ` +
		`ContentType="application/vnd.ms-excel.%s.main+xml"/></Types>`
	for name, parts := range map[string]map[string]string{
		"a macro part": {"xl/vbaProject.bin": "x"},
		"a macro part renamed": {"xl/vba.bin": "x", "[Content_Types].xml": `<Types><Default ` +
			`Extension="bin" ContentType="application/vnd.ms-office.vbaProject"/></Types>`},
		"a workbook of macros": {"[Content_Types].xml": fmt.Sprintf(types, "sheet.macroEnabled")},
		"a template of macros": {"[Content_Types].xml": fmt.Sprintf(types, "template.macroEnabled")},
		"an add-in":            {"[Content_Types].xml": fmt.Sprintf(types, "addin.macroEnabled")},
		"macros of before 1995": {"xl/macrosheets/sheet1.xml": "<macrosheet/>",
			"[Content_Types].xml": `<Types><Override ` +
				`PartName="/xl/macrosheets/sheet1.xml" ` +
				`ContentType="application/vnd.ms-excel.macrosheet+xml"/></Types>`},
	} {
		got := readBytes([]byte(rawBook(t, parts)))
		if len(got.Problems) != 1 || !strings.Contains(got.Problems[0].Message, "with macros (.xlsm)") ||
			len(got.Drafts) > 0 {
			t.Errorf("%s: problems %q and %d drafts; want it refused for its macros",
				name, said(got.Problems), len(got.Drafts))
		}
	}
	// A program that writes .xlsx may list the type of macros it has none of.
	f := opened(t, bookOf(t, campaignsSheet))
	name := filepath.Join(t.TempDir(), "q4.xlsx")
	must(t, f.SaveAs(name))
	saved, err := os.ReadFile(name)
	must(t, err)
	wantProblems(t, readBytes(saved).Problems)
	files := map[string]string{"spring.yaml": springCampaign}
	for end := range tree.OtherWorkbooks {
		files["q4"+end] = "x"
	}
	d := load(t, folder(t, files))
	for end, what := range tree.OtherWorkbooks {
		wantProblem(t, d, "q4"+end+": warning: file is "+what+" and is not read; want a workbook (.xlsx)")
	}
}

// TestW24CraftedWorkbooksNeitherCrashNorHang reads what made other readers
// panic, each beside a good one.
func TestW24CraftedWorkbooksNeitherCrashNorHang(t *testing.T) {
	whole := damageable(t)
	const sheet = "xl/worksheets/sheet1.xml"
	for name, crafted := range map[string][]byte{
		"a merge of nothing": rebuild(t, whole,
			sheet, replaced("</sheetData>", `</sheetData><mergeCells><mergeCell/></mergeCells>`)),
		"a merge without an end": rebuild(t, whole,
			sheet, replaced("</sheetData>", `</sheetData><mergeCells><mergeCell ref="A1:"/></mergeCells>`)),
		"a cell name of digits":   rebuild(t, whole, sheet, replaced(`r="C2"`, `r="2"`)),
		"a cell name of letters":  rebuild(t, whole, sheet, replaced(`r="C2"`, `r="C"`)),
		"a cell name that is not": rebuild(t, whole, sheet, replaced(`r="C2"`, `r=""`)),
		"a row number too long":   rebuild(t, whole, sheet, replaced(`<row r="3"`, `<row r="99999999999999999999"`)),
		"a row number below zero": rebuild(t, whole, sheet, replaced(`<row r="3"`, `<row r="-3"`)),
		"a style below zero":      rebuild(t, whole, sheet, replaced(`s="1"`, `s="-1"`)),
		"a style too long":        rebuild(t, whole, sheet, replaced(`s="1"`, `s="99999999999999999999"`)),
		"a drawing of nothing": rebuild(t, whole,
			sheet, replaced("</sheetData>", `</sheetData><drawing r:id="rId9"/>`)),
		"columns of nonsense": rebuild(t, whole, sheet,
			replaced("<sheetData>", `<cols><col min="-5" max="999999999999999999999" hidden="1"/></cols><sheetData>`)),
		"a sheet of a sheet": rebuild(t, whole,
			sheet, replaced("<sheetData>", `<worksheet><sheetData/></worksheet><sheetData>`)),
		"relationships of itself": rebuild(t, whole,
			"xl/_rels/workbook.xml.rels", replaced(`worksheets/sheet1.xml`, `workbook.xml`)),
		"a way out of the zip": rebuild(t, whole,
			"xl/_rels/workbook.xml.rels", replaced(`worksheets/sheet1.xml`, `../../../../etc/passwd`)),
		"no sheets": rebuild(t, whole, "xl/workbook.xml", func([]byte) []byte {
			return []byte("<workbook/>")
		}),
		"styles of nothing": rebuild(t, whole, "xl/styles.xml", func([]byte) []byte {
			return []byte("<styleSheet/>")
		}),
		"nothing but a zip": {'P', 'K', 5, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
	} {
		start := time.Now()
		d := load(t, folder(t, map[string]string{
			"q4.xlsx": string(crafted), "spring.yaml": strings.ReplaceAll(springCampaign, "Spring", "Good"),
		}))
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%s takes %v, want at most 5 s", name, took)
		}
		for _, p := range d.Problems {
			if strings.Contains(p.Message, "runtime error") || strings.Contains(p.Message, "broke off") {
				t.Errorf("%s: reading panics: %s", name, p)
			}
		}
		if d.Snapshot.Len() == 0 {
			t.Errorf("%s: the file beside it is not read", name)
		}
	}
}

func TestW24ALimitOfTimeEndsInAProblem(t *testing.T) {
	content := bookOf(t, manyRows(5_000))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	got := table.ReadWorkbook(ctx, "q4.xlsx", content, workbookInput())
	wantProblems(t, got.Problems, "reading took longer than 30s, and was stopped; want a file that reads in less")
	in := workbookInput()
	in.Bounds.PerFile = time.Nanosecond
	if got = table.ReadWorkbook(context.Background(), "q4.xlsx", content, in); len(got.Drafts) > 0 ||
		len(got.Problems) != 1 {
		t.Errorf("beyond its time a workbook gives %d drafts and %q, want none and a problem",
			len(got.Drafts), said(got.Problems))
	}
}
