package report_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"adsync/internal/review"
	"adsync/internal/runview"
	"adsync/internal/testing/office"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
)

// ran returns what a program says, in a folder of its own.
func ran(t testing.TB, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute) // only so that it ends
	defer cancel()
	out, err := exec.CommandContext(ctx, name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s, which make deps installs: %v\n%s", name, err, out)
	}
	return string(out)
}

func written(t testing.TB, name string, content []byte) string {
	t.Helper()
	at := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(at, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return at
}

func pages(t testing.TB, pdf string) int {
	t.Helper()
	n, err := strconv.Atoi(regexp.MustCompile(`Pages:\s+(\d+)`).FindStringSubmatch(ran(t, "pdfinfo", pdf))[1])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// imagesIn is how many pictures the pages show.
func imagesIn(t testing.TB, pdf string) int {
	t.Helper()
	return strings.Count(ran(t, "pdfimages", "-list", pdf), " image ")
}

// TestTheWorkbookInLibreOffice: it opens, each sheet has the numbers of the report, and a text stays text.
func TestTheWorkbookInLibreOffice(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	t.Parallel()
	f := pictured(t, facts(t, []string{hostile, "Second", "Third"}), "Picture")
	book := written(t, "week.xlsx", form(t, made(t, f), "xlsx"))
	dir := filepath.Dir(book)
	for _, as := range []string{office.AsCSVs, office.AsPDF} {
		if err := office.Convert(as, dir, book); err != nil {
			t.Fatal(err)
		}
	}
	sheet := func(name string) [][]string {
		content, err := os.ReadFile(filepath.Join(dir, "week-"+name+".csv"))
		if err != nil {
			t.Fatal(err)
		}
		r := csv.NewReader(bytes.NewReader(content))
		r.FieldsPerRecord = -1
		rows, err := r.ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		return rows
	}
	for _, row := range []struct {
		sheet string
		line  int
		want  []string // what it begins with
	}{
		{"Summary", 4, []string{"2026-11-16 to 2026-11-22", "430.5", "42000", "490", "1.1667%", "0.878571", "10.25",
			"28", "15.375"}},
		{"Summary", 5, []string{"2026-11-09 to 2026-11-15", "346.5", "42007", "490", "1.1665%", "0.707143", "8.248625",
			"28"}},
		{"Summary", 6, []string{"Change", "24.2%", "0%", "0%"}},
		{"Days", 0, []string{"Day", "Spend", "Impressions"}},
		{"Days", 7, []string{"2026-11-22", "61.5", "6000", "70"}},
		{"Campaigns", 1, []string{"Third", "213.5", "21000", "315"}},
		{"Campaigns", 3, []string{`=1+1|<b>*x*</b>\n[a](http://x)`, "73.5"}},
		{"Campaigns", 4, []string{"Total", "430.5"}},
		{"Ads", 2, []string{"ad of Third", "Third › ad_group of Third", "", "213.5"}},
		{"Changes", 2, []string{"2026-11-19 09:00 EST", "ann@desk", "", "Created: campaign “c1”", "run-000002"}},
	} {
		rows := sheet(row.sheet)
		if len(rows) <= row.line || len(rows[row.line]) < len(row.want) {
			t.Errorf("%s has %q; want a line %d that begins with %q", row.sheet, rows, row.line, row.want)
			continue
		}
		if diff := cmp.Diff(row.want, rows[row.line][:len(row.want)]); diff != "" {
			t.Errorf("%s, line %d: %s", row.sheet, row.line, diff)
		}
	}
	if n := imagesIn(t, filepath.Join(dir, "week.pdf")); n != 3 {
		t.Errorf("the printed workbook has %d pictures; want those of 3 ads", n)
	}
}

// anchor is where a drawing begins and ends.
type anchor struct {
	From struct {
		Col int `xml:"col"`
		Row int `xml:"row"`
	} `xml:"from"`
	To struct {
		Col int `xml:"col"`
		Row int `xml:"row"`
	} `xml:"to"`
}

// TestTheChartsOfTheWorkbook, as its parts have them: native ones of the cells beside them, from zero, whose axes have
// a colour that can be read, and no two on the same cells.
func TestTheChartsOfTheWorkbook(t *testing.T) {
	content := form(t, made(t, facts(t, []string{"First", "Second", "Third"})), "xlsx")
	files, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	var drawn, series []string
	for _, file := range files.File {
		of, err := file.Open()
		if err != nil {
			t.Fatal(err)
		}
		part, err := io.ReadAll(of)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case strings.HasPrefix(file.Name, "xl/drawings/drawing"):
			var d struct {
				Anchors []anchor `xml:"twoCellAnchor"`
			}
			if err := xml.Unmarshal(part, &d); err != nil {
				t.Fatal(err)
			}
			for i, a := range d.Anchors {
				drawn = append(drawn, file.Name)
				for _, b := range d.Anchors[:i] {
					if a.From.Row <= b.To.Row && b.From.Row <= a.To.Row &&
						a.From.Col <= b.To.Col && b.From.Col <= a.To.Col {
						t.Errorf("%s: %+v lies on %+v", file.Name, a, b)
					}
				}
			}
		case strings.HasPrefix(file.Name, "xl/charts/chart"):
			var c struct {
				Values   []string `xml:"chart>plotArea>barChart>ser>val>numRef>f"`
				Lines    []string `xml:"chart>plotArea>lineChart>ser>val>numRef>f"`
				Smallest []struct {
					Val string `xml:"val,attr"`
				} `xml:"chart>plotArea>valAx>scaling>min"`
				Inks []struct {
					Val string `xml:"val,attr"`
				} `xml:"chart>plotArea>valAx>txPr>p>pPr>defRPr>solidFill>srgbClr"`
			}
			if err := xml.Unmarshal(part, &c); err != nil {
				t.Fatal(err)
			}
			series = append(append(series, c.Values...), c.Lines...)
			if len(c.Smallest) != 1 || c.Smallest[0].Val != "0" {
				t.Errorf("%s begins at %+v; want 0", file.Name, c.Smallest)
			}
			if len(c.Inks) != 1 || c.Inks[0].Val != "374151" {
				t.Errorf("%s has axes in %+v; want a dark grey", file.Name, c.Inks)
			}
		}
	}
	slices.Sort(series)
	want := []string{"Campaigns!$B$2:$B$4", "Days!$B$2:$B$8", "Days!$D$2:$D$8"}
	if diff := cmp.Diff(want, series); diff != "" || len(drawn) != len(want) {
		t.Errorf("charts in %q are of other cells (-want +got):\n%s", drawn, diff)
	}
}

// TestThePageIsTwoPagesAtMost on paper, however much the week had.
func TestThePageIsTwoPagesAtMost(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	t.Parallel()
	var names []string
	for n := range 40 {
		names = append(names, fmt.Sprintf("Campaign %02d %s", n, strings.Repeat("with a name that is long ", 8)))
	}
	f := facts(t, names)
	for n := range 60 {
		f.Runs = append([]runview.Head{head(fmt.Sprintf("run-%06d", 100+n), f.Now.AddDate(0, 0, -2), 9)}, f.Runs...)
	}
	for n := range 30 {
		f.Reviews.See(f.Now, review.Standing{Address: fmt.Sprintf("ad/c%d/g/x", n), ID: fmt.Sprint(n), Name: names[n],
			In: names[n], Said: "rejected", Reason: "crawl_failed"}, true)
		f.Waiting.Waits = append(f.Waiting.Waits, f.Waiting.Waits[0])
	}
	at := written(t, "week.html", form(t, made(t, pictured(t, f, "Picture")), "html"))
	pdf := strings.TrimSuffix(at, "html") + "pdf"
	ran(t, "chromium-headless-shell", "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
		"--user-data-dir="+filepath.Join(filepath.Dir(at), "profile"), "--no-pdf-header-footer", "--print-to-pdf="+pdf,
		"file://"+at)
	if n := pages(t, pdf); n > 2 {
		t.Errorf("the report is %d pages; want 2 at most", n)
	}
	if n := imagesIn(t, pdf); n != 10 {
		t.Errorf("the printed pages have %d pictures; want those of 10 ads", n)
	}
	text := ran(t, "pdftotext", "-layout", pdf, "-")
	for _, want := range []string{"and 30 more, which spent", "Campaign 39", "and 27 more", "and 28 more",
		"Made by adsync on"} {
		if !strings.Contains(text, want) {
			t.Errorf("the printed pages lack %q", want)
		}
	}
}

// TestThePageLoadsAndRunsNothing, whatever a name says: it has the elements that it has for a plain word, and its
// pictures stand in it.
func TestThePageLoadsAndRunsNothing(t *testing.T) {
	elements := func(name string) (names []string) {
		f := pictured(t, facts(t, []string{name, "Second"}), name)
		root, err := html.Parse(bytes.NewReader(form(t, made(t, f), "html")))
		if err != nil {
			t.Fatal(err)
		}
		for n := range root.Descendants() {
			if n.Type != html.ElementNode {
				continue
			}
			names = append(names, n.Data)
			for _, a := range n.Attr {
				if n.Data == "img" && a.Key == "src" && strings.HasPrefix(a.Val, "data:image/jpeg;base64,") {
					continue
				}
				if slices.Contains([]string{"src", "href", "action", "srcset", "data"}, a.Key) ||
					strings.HasPrefix(a.Key, "on") {
					t.Errorf("%q makes <%s %s=%q>", name, n.Data, a.Key, a.Val)
				}
			}
		}
		return names
	}
	want := elements("plain")
	if slices.Contains(want, "script") || slices.Contains(want, "link") || !slices.Contains(want, "img") {
		t.Errorf("the page has %q", want)
	}
	for _, attack := range []string{hostile, "<script>alert(1)</script>",
		"</title></style><img src=x onerror=alert(1)>", `" onclick="alert(1)`, "'><svg onload=alert(1)>", "{{.}}", "--><b>"} {
		if diff := cmp.Diff(want, elements(attack)); diff != "" {
			t.Errorf("%q makes other elements:\n%s", attack, diff)
		}
	}
}
