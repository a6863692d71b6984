package sources_test

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/internal/testing/office"
	"adsync/sources/config"
	"adsync/sources/marked"
	"adsync/sources/workbook"

	"github.com/xuri/excelize/v2"
)

// node is an element of a workbook's part.
type node struct {
	XMLName  xml.Name
	Attrs    []xml.Attr `xml:",any,attr"`
	Children []node     `xml:",any"`
	Text     string     `xml:",chardata"`
}

func (n *node) attr(name string) string {
	for _, a := range n.Attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func (n *node) walk(visit func(*node)) {
	visit(n)
	for i := range n.Children {
		n.Children[i].walk(visit)
	}
}

// wholeBook holds a workbook to the rules of ECMA-376 whose breach makes a
// program offer to repair it.
type wholeBook struct {
	t      testing.TB
	parts  map[string][]byte
	styles int // cell formats
	dxfs   int
}

func checkWhole(t testing.TB, content []byte) {
	t.Helper()
	b := wholeBook{t: t, parts: map[string][]byte{}}
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	must(t, err)
	for _, member := range archive.File {
		if strings.HasPrefix(member.Name, "/") || b.parts[member.Name] != nil {
			t.Errorf("part %q is there twice, or has a slash before its name", member.Name)
		}
		r, err := member.Open()
		must(t, err)
		text, err := io.ReadAll(r)
		must(t, err)
		b.parts[member.Name] = text
	}
	b.checkTypes()
	b.checkRelations()
	b.checkStyles()
	b.checkNames()
	for name := range b.parts {
		if strings.HasPrefix(name, "xl/worksheets/sheet") {
			b.checkSheet(name)
		}
	}
}

func (b *wholeBook) read(name string) *node {
	b.t.Helper()
	var root node
	if err := xml.Unmarshal(b.parts[name], &root); err != nil {
		b.t.Fatalf("%s: %v", name, err)
	}
	return &root
}

// checkTypes wants a content type for every part, and none twice.
func (b *wholeBook) checkTypes() {
	endings, overrides := map[string]bool{}, map[string]bool{}
	for _, c := range b.read("[Content_Types].xml").Children {
		key := strings.ToLower(c.attr("Extension") + c.attr("PartName"))
		if endings[key] || overrides[key] {
			b.t.Errorf("content type of %s is there twice", key)
		}
		if c.XMLName.Local == "Default" {
			endings[key] = true
			continue
		}
		overrides[key] = true
		if b.parts[strings.TrimPrefix(c.attr("PartName"), "/")] == nil {
			b.t.Errorf("content type of %s, which is not there", c.attr("PartName"))
		}
	}
	for name := range b.parts {
		ending := strings.ToLower(strings.TrimPrefix(path.Ext(name), "."))
		if name != "[Content_Types].xml" && !endings[ending] && !overrides["/"+strings.ToLower(name)] {
			b.t.Errorf("%s has no content type", name)
		}
	}
}

// checkRelations wants every part that is named to be there.
func (b *wholeBook) checkRelations() {
	for name := range b.parts {
		if !strings.HasSuffix(name, ".rels") {
			continue
		}
		folder := path.Dir(path.Dir(name))
		seen := map[string]bool{}
		for _, r := range b.read(name).Children {
			if seen[r.attr("Id")] {
				b.t.Errorf("%s: relationship %s is there twice", name, r.attr("Id"))
			}
			seen[r.attr("Id")] = true
			target := r.attr("Target")
			if r.attr("TargetMode") == "External" {
				continue
			}
			if !strings.HasPrefix(target, "/") {
				target = path.Join(folder, target)
			}
			if b.parts[strings.TrimPrefix(target, "/")] == nil {
				b.t.Errorf("%s: %s is not there", name, target)
			}
		}
	}
}

var argb = regexp.MustCompile(`^[0-9A-Fa-f]{8}$`)

func (b *wholeBook) checkStyles() {
	root := b.read("xl/styles.xml")
	b.order("xl/styles.xml", root, "numFmts", "fonts",
		"fills", "borders", "cellStyleXfs", "cellXfs", "cellStyles", "dxfs", "tableStyles", "colors", "extLst")
	for i := range root.Children {
		c := &root.Children[i]
		switch c.XMLName.Local {
		case "cellXfs":
			b.styles = len(c.Children)
		case "dxfs":
			b.dxfs = len(c.Children)
		}
		if count := c.attr("count"); count != "" && count != fmt.Sprint(len(c.Children)) {
			b.t.Errorf("styles: %s has %d entries and says %s", c.XMLName.Local, len(c.Children), count)
		}
	}
	root.walk(func(n *node) {
		if rgb := n.attr("rgb"); rgb != "" && !argb.MatchString(rgb) {
			b.t.Errorf("styles: a colour is %q; want eight hexadecimal digits", rgb)
		}
	})
}

// order wants the children of an element in the sequence of its type.
func (b *wholeBook) order(where string, n *node, sequence ...string) {
	at := 0
	for _, c := range n.Children {
		i := slices.Index(sequence, c.XMLName.Local)
		if i < at {
			b.t.Errorf("%s: %s stands after %s, or is unknown", where, c.XMLName.Local, sequence[at])
			return
		}
		at = i
	}
}

var plainName = regexp.MustCompile(`^[\p{L}_\\][\p{L}\p{N}_.\\]*$`)
var cellName = regexp.MustCompile(`^(?i)([A-Z]{1,3}[0-9]+|R|C)$`)

func (b *wholeBook) checkNames() {
	book := b.read("xl/workbook.xml")
	sheets, seen := 0, map[string]bool{}
	book.walk(func(n *node) {
		switch n.XMLName.Local {
		case "sheet":
			sheets++
			name := n.attr("name")
			if seen["sheet "+strings.ToLower(name)] || len([]rune(name)) > 31 || strings.ContainsAny(name, `:\/?*[]`) {
				b.t.Errorf("sheet %q is there twice, or has a name it may not have", name)
			}
			seen["sheet "+strings.ToLower(name)] = true
		case "definedName":
			name, key := n.attr("name"), strings.ToLower(n.attr("name"))+" "+n.attr("localSheetId")
			if seen[key] || !plainName.MatchString(name) || cellName.MatchString(name) || n.Text == "" {
				b.t.Errorf("defined name %q is there twice, or may not be one", name)
			}
			seen[key] = true
			if id := n.attr("localSheetId"); id != "" && fmt.Sprint(min(atoi(id), sheets-1)) != id {
				b.t.Errorf("defined name %q is of sheet %s of %d", name, id, sheets)
			}
		}
	})
}

func atoi(text string) (n int) { fmt.Sscan(text, &n); return n }

// sheetOrder is the sequence of CT_Worksheet (ECMA-376 part 1, 18.3.1.99).
var sheetOrder = []string{
	"sheetPr", "dimension", "sheetViews", "sheetFormatPr",
	"cols", "sheetData", "sheetCalcPr", "sheetProtection", "protectedRanges", "scenarios", "autoFilter",
	"sortState", "dataConsolidate", "customSheetViews",
	"mergeCells", "phoneticPr", "conditionalFormatting", "dataValidations", "hyperlinks", "printOptions",
	"pageMargins", "pageSetup", "headerFooter", "rowBreaks",
	"colBreaks", "customProperties", "cellWatches", "ignoredErrors", "smartTags", "drawing",
	"legacyDrawing", "legacyDrawingHF", "drawingHF",
	"picture", "oleObjects", "controls", "webPublishItems", "tableParts", "extLst",
}

func (b *wholeBook) checkSheet(name string) {
	root := b.read(name)
	b.order(name, root, sheetOrder...)
	row, column := 0, 0
	root.walk(func(n *node) {
		switch n.XMLName.Local {
		case "sheetPr":
			b.order(name, n, "tabColor", "outlinePr", "pageSetUpPr")
		case "row":
			if at := atoi(n.attr("r")); at <= row || atoi(n.attr("r")) > 1_048_576 {
				b.t.Errorf("%s: row %d stands after row %d", name, at, row)
			}
			row, column = atoi(n.attr("r")), 0
		case "c":
			at, r, err := excelize.CellNameToCoordinates(n.attr("r"))
			if err != nil || r != row || at <= column || atoi(n.attr("s")) >= max(b.styles, 1) {
				b.t.Errorf("%s: cell %s stands after column %d of row %d, or has style %s of %d",
					name, n.attr("r"), column, row, n.attr("s"), b.styles)
			}
			column = at
		case "t", "v", "f":
			if len(utf16.Encode([]rune(n.Text))) > 32_767 {
				b.t.Errorf("%s: a text of row %d has over %d characters", name, row, 32_767)
			}
		case "dataValidations", "hyperlinks", "mergeCells":
			if count := n.attr("count"); count != "" && count != fmt.Sprint(len(n.Children)) {
				b.t.Errorf("%s: %s has %d entries and says %s", name, n.XMLName.Local, len(n.Children), count)
			}
		case "dataValidation":
			if len(n.attr("error")) > 225 || len(n.attr("errorTitle")) > 32 ||
				len(n.attr("promptTitle")) > 32 || len(n.attr("prompt")) > 255 {
				b.t.Errorf("%s: the message of the check of %s is too long", name, n.attr("sqref"))
			}
		case "formula1", "formula2":
			if len(n.Text) > 255 {
				b.t.Errorf("%s: a check has a list of %d characters; want at most 255", name, len(n.Text))
			}
		case "cfRule":
			if id := n.attr("dxfId"); id != "" && atoi(id) >= b.dxfs {
				b.t.Errorf("%s: a rule has format %s of %d", name, id, b.dxfs)
			}
		case "oddFooter", "oddHeader":
			if len(n.Text) > 255 {
				b.t.Errorf("%s: a footer of %d characters", name, len(n.Text))
			}
		}
	})
}

// writtenBy is what a writer writes.
func writtenBy(t testing.TB, write func(io.Writer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	must(t, write(&b))
	return b.Bytes()
}

// writtenBooks are all sorts of workbooks adsync writes, by name.
func writtenBooks(t testing.TB) map[string][]byte {
	t.Helper()
	books := map[string][]byte{
		"template": writtenBy(t, func(w io.Writer) error { return workbook.WriteTemplate(w, kinds.All(), dollars) }),
		"export": writtenBy(t, func(w io.Writer) error {
			return workbook.WriteExport(w, kinds.All(),
				shopSnapshot(t), workbook.Export{Account: dollars, Figures: shopFigures()})
		}),
		"yen": writtenBy(t, func(w io.Writer) error {
			return workbook.WriteWorkbook(w, kinds.All(), shopSnapshot(t), config.Account{Currency: "JPY"})
		}),
	}
	originals := map[string][]byte{
		"ours": books["export"], "small": bookOf(t, campaignsSheet, adGroupsSheet, adsSheet),
		"openpyxl": resaved(t, "openpyxl", books["export"]), "libreoffice": resaved(t, "libreoffice", books["export"]),
	}
	for name, original := range originals {
		copied := original
		for range 2 { // a copy, and a copy of the copy
			original := copied
			copied = writtenBy(t, func(w io.Writer) error {
				return marked.WriteCopy(original, w, "q4.xlsx", someMarks())
			})
		}
		books["marked "+name] = copied
	}
	return books
}

// someMarks are a failure, a hold, problems of cell, row and sheet, and a plan.
func someMarks() marked.Marks {
	campaign := resource.Address{Kind: "campaign", Key: "spring"}
	return marked.Marks{
		Outcomes: []marked.RowOutcome{
			{Address: campaign, Position: inCell("Campaigns", 2, 0),
				Result: "failed", Message: strings.Repeat("=SUM(1) the budget is too low; want 25.00. ", 4),
				Cell: inCell("Campaigns", 2, 1)},
			{Address: campaign, Position: inCell("Ads", 2, 0),
				Result: "held", Message: "@allow it", Cell: inCell("Ads", 2, 5)},
		},
		Problems: []diag.Problem{
			{Severity: diag.Error, Code: diag.BadChoice,
				Position: inCell("Ads", 2, 4), Message: "status is odd; want paused", Hint: "did you mean it?"},
			{Severity: diag.Warning, Code: diag.HiddenCells,
				Position: inCell("Ad groups", 0, 0), Message: "a row is hidden"},
			{Severity: diag.Error, Code: diag.HiddenCells,
				Position: inCell("Campaigns", 1, 1), Message: "the header is odd"},
		},
		Plan: []marked.PlannedChange{{Address: campaign,
			Action: "update", Name: "+Spring", Position: inCell("Campaigns",
				2, 0), Fields: []string{"-a: 1 → 2", "b: 3"}, Held: "no", Allow: "--allow x"}},
	}
}

// resaved is a workbook as another program writes it.
func resaved(t testing.TB, program string, content []byte) []byte {
	t.Helper()
	dir := t.TempDir()
	from, to := filepath.Join(dir, "in.xlsx"), filepath.Join(dir, "out", "in.xlsx")
	must(t, os.WriteFile(from, content, 0o600))
	must(t, os.Mkdir(filepath.Join(dir, "out"), 0o700))
	switch program {
	case "openpyxl":
		runPython(t, `import openpyxl, sys; openpyxl.load_workbook(sys.argv[1]).save(sys.argv[2])`, from, to)
	case "libreoffice":
		must(t, office.Convert(office.AsXLSX, filepath.Join(dir, "out"), from))
	}
	saved, err := os.ReadFile(to)
	must(t, err)
	return saved
}

// runPython runs openpyxl with every warning an error.
func runPython(t testing.TB, script string, args ...string) string {
	t.Helper()
	out, err := exec.Command("/usr/bin/python3", append([]string{"-W", "error", "-c", script}, args...)...).Output()
	if failed := new(exec.ExitError); errors.As(err, &failed) {
		t.Fatalf("openpyxl: %v\n%s", err, failed.Stderr)
	}
	must(t, err)
	return string(out)
}

func TestWorkbooksOpenWithoutRepair(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	for name, content := range writtenBooks(t) {
		t.Run(name, func(t *testing.T) {
			checkWhole(t, content)
			file := filepath.Join(t.TempDir(), "book.xlsx")
			must(t, os.WriteFile(file, content, 0o600))
			runPython(t, `
import openpyxl, re, sys
book = openpyxl.load_workbook(sys.argv[1])
ours = re.compile(r"=IF\(|=SUBTOTAL\(103,\$A\d+\)$")
for sheet in book:
    for row in sheet.iter_rows():
        for cell in row:
            if cell.data_type == "f" and not ours.match(cell.value):
                sys.exit("formula %r at %s!%s" % (cell.value, sheet.title, cell.coordinate))
`, file)
		})
	}
}
