package sources_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"adsync/internal/kinds"
	"adsync/sources"
	"adsync/sources/bounded"
	"adsync/sources/config"
)

// measured is what reading a project took, in a process of its own.
type measured struct {
	PeakMiB   int
	Took      time.Duration // of the processor
	Unit      time.Duration // what unitOfWork took right after it
	Resources int
	Problems  int
	First     string
}

const measuresFolder = "ADSYNC_TEST_MEASURES"

// measure reads a folder in a process of its own.
func measure(t *testing.T, files map[string]string) measured {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestMeasuredInAProcessOfItsOwn$", "-test.v")
	child.Env = append(os.Environ(), measuresFolder+"="+folder(t, files), "GOGC=100", "GOMEMLIMIT=off")
	out, err := child.CombinedOutput()
	must(t, err)
	_, line, _ := bytes.Cut(out, []byte("measured "))
	var m measured
	must(t, json.NewDecoder(bytes.NewReader(line)).Decode(&m))
	return m
}

func TestMeasuredInAProcessOfItsOwn(t *testing.T) {
	dir := os.Getenv(measuresFolder)
	if dir == "" {
		dir = folder(t, map[string]string{"ads.yaml": springCampaign})
	}
	start := processorTime(t)
	p, _ := config.ReadProject(dir)
	d := sources.Load(context.Background(), p, kinds.All())
	m := measured{Took: processorTime(t) - start, Resources: d.Snapshot.Len(), Problems: len(d.Problems)}
	if len(d.Problems) > 0 {
		m.First = fmt.Sprintf("%.300s", d.Problems[0].String())
	}
	status, err := os.ReadFile("/proc/self/status")
	must(t, err)
	_, peak, _ := strings.Cut(string(status), "VmHWM:")
	_, err = fmt.Sscanf(peak, "%d kB", &m.PeakMiB)
	must(t, err)
	m.PeakMiB /= 1024
	m.Unit = unitOfWork(t)
	line, err := json.Marshal(m)
	must(t, err)
	fmt.Printf("measured %s\n", line)
}

// usualUnit is what unitOfWork takes on the machine whose times the bounds are.
const usualUnit = 300 * time.Millisecond

// unitOfWork returns the processor time of work that is always the same: 16 MiB of
// fresh memory and 4 MiB of XML. A loaded machine needs more for each page and each
// instruction, here as in what is measured.
func unitOfWork(t testing.TB) time.Duration {
	t.Helper()
	start := processorTime(t)
	fresh := make([]byte, 16*bounded.MiB)
	for i := 0; i < len(fresh); i += os.Getpagesize() {
		fresh[i] = 1
	}
	tokens := xml.NewDecoder(strings.NewReader("<a>" + filled(4, `<b c="d">x</b>`) + "</a>"))
	for {
		if _, err := tokens.Token(); err == io.EOF {
			return processorTime(t) - start
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

func processorTime(t testing.TB) time.Duration {
	t.Helper()
	var used syscall.Rusage
	must(t, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// rawBook zips a workbook of one sheet from its parts, without a library.
func rawBook(t testing.TB, parts map[string]string) string {
	t.Helper()
	all := map[string]string{
		"[Content_Types].xml": `<?xml version="1.0" ` +
			`encoding="UTF-8"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default ` +
			`Extension="xml" ContentType="application/xml"/></Types>`,
		"_rels/.rels": `<Relationships xmlns="r"><Relationship ` +
			`Id="rId1" Type="http://x/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
		"xl/workbook.xml": `<workbook xmlns:r="r"><sheets><sheet ` +
			`name="Campaigns" sheetId="1" r:id="rId1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": `<Relationships xmlns="r"><Relationship ` +
			`Id="rId1" Type="http://x/worksheet" Target="worksheets/sheet1.xml"/><Relationship ` +
			`Id="rId2" Type="http://x/sharedStrings" Target="sharedStrings.xml"/><Relationship ` +
			`Id="rId3" Type="http://x/styles" Target="styles.xml"/></Relationships>`,
		"xl/worksheets/sheet1.xml": rawSheet(""),
		"xl/sharedStrings.xml":     `<sst/>`,
		"xl/styles.xml":            `<styleSheet><cellXfs><xf numFmtId="0"/></cellXfs></styleSheet>`,
	}
	for name, content := range parts {
		all[name] = content
	}
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, content := range all {
		out, err := w.Create(name)
		must(t, err)
		_, err = out.Write([]byte(content))
		must(t, err)
	}
	must(t, w.Close())
	return b.String()
}

// rawSheet is a sheet of campaigns with a header, a good row and what follows.
func rawSheet(rows string) string {
	return `<worksheet><sheetData><row r="1">` + rawText("Campaign") +
		rawText("Bidding") + rawText("Daily budget") + rawText("Description") + `</row><row r="2">` +
		rawText("Spring") + rawText("clicks") + `</row>` + rows + `</sheetData></worksheet>`
}

func rawText(text string) string { return `<c t="str"><v>` + text + `</v></c>` }

// filled repeats a text up to a size just below the bound of a workbook.
func filled(mib int, text string) string { return strings.Repeat(text, mib*bounded.MiB/len(text)) }

// nasty is an input that asks for more than it should get.
type nasty struct {
	name     string
	files    func() map[string]string
	mib      int           // the most memory reading it may take
	took     time.Duration // the most time of the processor, where a unit of work takes usualUnit
	problem  string        // part of the first problem; "" where there is none
	mostSaid int           // problems
}

func (n nasty) run(t *testing.T) {
	t.Run(n.name, func(t *testing.T) {
		withoutRaceDetector(t)
		m := measure(t, n.files())
		t.Logf("%d MiB, %v, unit %v, %d problems", m.PeakMiB, m.Took.Round(time.Millisecond), m.Unit, m.Problems)
		most := max(n.took, n.took/usualUnit*m.Unit)
		if m.PeakMiB > n.mib || m.Took > most {
			t.Errorf("reading takes %d MiB and %v, want at most %d MiB and %v", m.PeakMiB, m.Took, n.mib, most)
		}
		if !strings.Contains(m.First, n.problem) ||
			n.problem == "" && m.Problems > 0 || m.Problems > max(n.mostSaid, 1) {
			t.Errorf("reading finds %d problems, the first %q; want at most %d with %q",
				m.Problems, m.First, max(n.mostSaid, 1), n.problem)
		}
	})
}

// withoutRaceDetector leaves out what measures memory, time and allocations: the
// race detector, which runs with -short, takes its own.
func withoutRaceDetector(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("the race detector takes memory and time of its own")
	}
}

// inSheet, inStrings and inStyles make the files of a project with one raw
// workbook.
func inSheet(t testing.TB, rows string) map[string]string {
	return inBook(t, "xl/worksheets/sheet1.xml", rawSheet(rows))
}

func inBook(t testing.TB, part, content string) map[string]string {
	return map[string]string{"q4.xlsx": rawBook(t, map[string]string{part: content})}
}

// numbered repeats a form with the numbers from 0.
func numbered(count int, form string) string {
	var b strings.Builder
	for i := range count {
		fmt.Fprintf(&b, form, i)
	}
	return b.String()
}

// A process that reads nothing takes 25 MiB.
func TestW20ABombTakesLittle(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	for _, n := range []nasty{
		{name: "300 MB of rows", files: func() map[string]string { return inSheet(t, filled(300, "<row/>")) },
			mib: 60, took: time.Second, problem: "workbook unzips to 300 MiB; want at most 128 MiB", mostSaid: 0},
		{name: "elements in elements", files: func() map[string]string { return inSheet(t, filled(100, "<row><a>")) },
			mib: 300, took: 5 * time.Second, problem: "XML is nested more than 256 deep", mostSaid: 0},
	} {
		n.run(t)
	}
	wantProblems(t, readBytes([]byte(rawBook(t, map[string]string{
		"xl/worksheets/sheet1.xml": rawSheet(filled(30, "<row/>"))}))).Problems, "it has more than 1048576 rows")
}

func TestW21SparseSheetsAndManyStylesTakeLittle(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	const row = "campaign has no bidding_type"
	for _, n := range []nasty{
		{name: "a million rows of nothing", files: func() map[string]string {
			return inSheet(t, strings.Repeat("<row/>", 1_048_574))
		}, mib: 100, took: 2 * time.Second, problem: "", mostSaid: 0},
		{name: "the last row", files: func() map[string]string {
			return inSheet(t, `<row r="1048576"><c r="A1048576" t="str"><v>Last</v></c></row>`)
		}, mib: 60, took: 2 * time.Second, problem: row, mostSaid: 0},
		{name: "the last column", files: func() map[string]string {
			return inSheet(t, `<row r="3"><c r="XFD3" t="str"><v>Last</v></c></row>`)
		}, mib: 60, took: 2 * time.Second, problem: "column XFD has a value and no header", mostSaid: 0},
		{name: "a dimension that is not so", files: func() map[string]string {
			return inBook(t, "xl/worksheets/sheet1.xml",
				strings.Replace(rawSheet(""), "<sheetData>", `<dimension ref="A1:XFD1048576"/><sheetData>`, 1))
		}, mib: 60, took: 2 * time.Second, problem: "", mostSaid: 0},
		{name: "a million styles", files: func() map[string]string {
			return inBook(t, "xl/styles.xml", "<styleSheet><cellXfs>"+
				strings.Repeat(`<xf numFmtId="9"/>`, 1_000_000)+"</cellXfs></styleSheet>")
		}, mib: 150, took: 2 * time.Second, problem: "styles: there are more than 131072", mostSaid: 0},
		{name: "a million formats", files: func() map[string]string {
			return inBook(t, "xl/styles.xml", "<styleSheet><numFmts>"+
				numbered(1_000_000, `<numFmt numFmtId="%d" formatCode="0"/>`)+"</numFmts></styleSheet>")
		}, mib: 300, took: 4 * time.Second, problem: "styles: there are more than 131072", mostSaid: 0},
	} {
		n.run(t)
	}
}

// TestReadingStaysWithinItsBounds holds the memory and the time of the nastiest
// files that are within the bounds of their size.
func TestReadingStaysWithinItsBounds(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	cells := func(count int) string { return strings.Repeat(`<c t="str"><v>x</v></c>`, count) }
	for _, n := range []nasty{
		{name: "cells of one character", files: func() map[string]string {
			return inSheet(t, filled(100, "<row>"+cells(60)+"</row>"))
		}, mib: 650, took: 12 * time.Second, problem: "file has 216202 problems more", mostSaid: 10_001},
		{name: "rows as wide as they go", files: func() map[string]string {
			return inSheet(t, filled(60, "<row>"+cells(16_000)+"</row>"))
		}, mib: 500, took: 12 * time.Second, problem: "problems more; want fewer than 10000", mostSaid: 10_001},
		{name: "a problem in each cell", files: func() map[string]string {
			return inSheet(t, strings.Repeat("<row>"+strings.Repeat(`<c t="e"><v>x</v></c>`, 4)+"</row>", 50_000))
		}, mib: 300, took: 6 * time.Second, problem: "file has 190000 problems more", mostSaid: 10_001},
		{name: "shared texts of one character", files: func() map[string]string {
			return inBook(t, "xl/sharedStrings.xml", "<sst>"+filled(100, "<si><t>x</t></si>")+"</sst>")
		}, mib: 500, took: 6 * time.Second, problem: "", mostSaid: 0},
		{name: "a shared text in a million runs", files: func() map[string]string {
			return inBook(t, "xl/sharedStrings.xml", "<sst><si>"+filled(20, "<r><t>x</t></r>")+"</si></sst>")
		}, mib: 150, took: 3 * time.Second, problem: "", mostSaid: 0},
		{name: "a value in a million pieces", files: func() map[string]string {
			return inSheet(t, `<row><c t="str"><v>`+filled(20, "a<!---->")+"</v></c></row>")
		}, mib: 150, took: 3 * time.Second, problem: "a cell holds 2621440 bytes of text; want at most 131072",
			mostSaid: 0},
		{name: "a tag of 300,000 attributes", files: func() map[string]string {
			return inSheet(t, "<row "+numbered(300_000, `a%d="" `)+"></row>")
		}, mib: 100, took: time.Second, problem: "a tag with more than 256 attributes", mostSaid: 0},
		{name: "four million merges", files: func() map[string]string {
			return inBook(t, "xl/worksheets/sheet1.xml", strings.Replace(rawSheet(""), "</worksheet>",
				"<mergeCells>"+filled(100, `<mergeCell ref="A5:XFD6"/>`)+"</mergeCells></worksheet>", 1))
		}, mib: 300, took: 3 * time.Second, problem: "it has more than 100000 merged ranges", mostSaid: 0},
		{name: "sheets of one part", files: func() map[string]string {
			return inBook(t, "xl/workbook.xml", `<workbook xmlns:r="r"><sheets>`+
				numbered(300_000, `<sheet name="Campaign%d" r:id="rId1"/>`)+"</sheets></workbook>")
		}, mib: 100, took: time.Second, problem: `sheet "Campaign1" has the part of another`, mostSaid: 0},
		{name: "a million relationships", files: func() map[string]string {
			return inBook(t, "xl/_rels/workbook.xml.rels", "<Relationships>"+filled(70,
				`<Relationship Id="r" Type="/worksheet" Target="worksheets/sheet1.xml"/>`)+"</Relationships>")
		}, mib: 350, took: 3 * time.Second, problem: "there are more than 100000", mostSaid: 0},
		{name: "a header as wide as it goes", files: func() map[string]string {
			return inBook(t, "xl/worksheets/sheet1.xml", "<worksheet><sheetData>"+strings.Repeat("<row>"+
				strings.Repeat(rawText("Daily budgettt (USD)"), 16_000)+"</row>", 20)+"</sheetData></worksheet>")
		}, mib: 150, took: 4 * time.Second, problem: "sheet has no header in its first 20 rows", mostSaid: 0},
		{name: "hint lists of 3,000,000 strays", files: func() map[string]string {
			return map[string]string{
				"q4.xlsx": rawBook(t, map[string]string{
					"xl/workbook.xml": `<workbook xmlns:r="r"><sheets><sheet ` +
						`name="Hint lists" r:id="rId1"/></sheets></workbook>`,
					"xl/worksheets/sheet1.xml": rawSheet(filled(60, "<row>"+cells(16)+"</row>")),
				}),
			}
		}, mib: 500, took: 10 * time.Second, problem: "problems more; want fewer than 10000", mostSaid: 10_001},

		{name: "keys nobody knows", files: func() map[string]string {
			return map[string]string{"a.yaml": springCampaign + manyKeys(150_000, "k%x: 1\n")}
		}, mib: 400, took: 5 * time.Second, problem: "is no key of a campaign", mostSaid: 150_000},
		{name: "nodes of nothing", files: func() map[string]string {
			return map[string]string{"a.yaml": springCampaign + "status: [" + strings.Repeat("[],", 300_000) + "]\n"}
		}, mib: 200, took: 3 * time.Second, problem: "status is a list", mostSaid: 0},
		{name: "documents of nothing", files: func() map[string]string {
			return map[string]string{"a.yaml": springCampaign + strings.Repeat("--- {}\n", 140_000)}
		}, mib: 400, took: 5 * time.Second, problem: "document has no kind", mostSaid: 140_000},
		{name: "a list in every ad group", files: func() map[string]string {
			return map[string]string{"a.yaml": groupsWith("[{list: a}]") + listOf(2_000)}
		}, mib: 150, took: 4 * time.Second, problem: "", mostSaid: 0},
		{name: "a list and more in every ad group", files: func() map[string]string {
			return map[string]string{"a.yaml": groupsWith("[x, {list: a}]") + listOf(1_900)}
		}, mib: 650, took: 8 * time.Second, problem: "give more than 4000000 entries in all", mostSaid: 0},
		{name: "a list many times in every ad group", files: func() map[string]string {
			return map[string]string{"a.yaml": groupsWith("[{list: a}, {list: a}, {list: a}]") + listOf(40_000)}
		}, mib: 650, took: 12 * time.Second, problem: "give more than 4000000 entries in all", mostSaid: 0},
		{name: "a file of hints in every ad group", files: func() map[string]string {
			return map[string]string{"a.yaml": groupsWith("[{file: a.txt}]"), "a.txt": filled(1, "ab\n")}
		}, mib: 650, took: 12 * time.Second, problem: "give more than 4000000 entries in all", mostSaid: 0},
		{name: "parents nobody knows", files: func() map[string]string {
			files := map[string]string{}
			for i := range 5 {
				files[fmt.Sprintf("c%d.yaml", i)] = numbered(5_000,
					fmt.Sprintf("---\nkind: campaign\nname: Campaign %d-%%d\nbidding_type: clicks\n", i))
				files[fmt.Sprintf("g%d.yaml", i)] = numbered(5_000,
					fmt.Sprintf("---\nkind: ad_group\ncampaign: Campagne %d-%%d\nname: Group\n", i))
			}
			return files
		}, mib: 300, took: 6 * time.Second, problem: `campaign is "Campagne 0-0"`, mostSaid: 25_000},
		{name: "more than all sources may have", files: func() map[string]string {
			files := map[string]string{}
			for i := range 530 {
				files[fmt.Sprintf("%d.yaml", i)] = "# " + strings.Repeat("x", bounded.MiB-10) + "\n"
			}
			return files
		}, mib: 650, took: 4 * time.Second, problem: "sources are over 512 MiB with this file", mostSaid: 0},
	} {
		n.run(t)
	}
}

// groupsWith makes 9,000 ad groups with the same context hints.
func groupsWith(hints string) string {
	return springCampaign + "ad_groups:\n" + numbered(9_000, "  - {name: Group %d, context_hints: "+hints+"}\n")
}

func listOf(hints int) string {
	return "---\nkind: hint_list\nkey: a\nhints:\n" + numbered(hints, "- %d\n")
}
