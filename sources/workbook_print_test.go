package sources_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"adsync/internal/kinds"
	"adsync/internal/testing/office"
	"adsync/sources/catalog"
	"adsync/sources/marked"
	"adsync/sources/workbook"
)

// What people see: LibreOffice lays every workbook out, no column is too narrow
// for its numbers, no header is cut, and a sheet of a few rows is a page or two.
func TestWorkbooksPrintWell(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	dir := t.TempDir()
	books := map[string][]byte{
		"template": writtenBy(t, func(w io.Writer) error { return workbook.WriteTemplate(w, kinds.All(), dollars) }),
		"export": writtenBy(t, func(w io.Writer) error {
			return workbook.WriteExport(w, kinds.All(),
				shopSnapshot(t), workbook.Export{Account: dollars, Figures: shopFigures()})
		}),
	}
	books["marked"] = writtenBy(t, func(w io.Writer) error {
		return marked.WriteCopy(books["export"], w, "q4.xlsx", someMarks())
	})
	var files []string
	for name, content := range books {
		file := filepath.Join(dir, name+".xlsx")
		must(t, os.WriteFile(file, content, 0o600))
		files = append(files, file)
	}
	must(t, office.Convert(office.AsPDF, dir, files...))
	for name := range books {
		t.Run(name, func(t *testing.T) { checkPrint(t, name, filepath.Join(dir, name+".pdf")) })
	}
}

func checkPrint(t *testing.T, name, pdf string) {
	text := printedBy(t, "pdftotext", "-layout", pdf, "-")
	if strings.Contains(text, "###") {
		t.Errorf("a column is too narrow for its numbers:\n%.2000s", text)
	}
	sheets := len(opened(t, writtenContent(t, pdf)).GetSheetList()) - 2 // without the hidden ones
	pages, err := strconv.Atoi(regexp.MustCompile(`Pages:\s+(\d+)`).FindStringSubmatch(printedBy(t, "pdfinfo", pdf))[1])
	must(t, err)
	if pages < sheets-1 || pages > sheets+3 {
		t.Errorf("%d sheets print on %d pages, want a page each, and few more", sheets, pages)
	}
	if name == "template" {
		checkHeadersPrinted(t, text)
	}
}

func writtenContent(t *testing.T, pdf string) []byte {
	t.Helper()
	content, err := os.ReadFile(strings.TrimSuffix(pdf, ".pdf") + ".xlsx")
	must(t, err)
	return content
}

// checkHeadersPrinted wants every word of every header, whole.
func checkHeadersPrinted(t *testing.T, text string) {
	t.Helper()
	words := map[string]bool{}
	for word := range strings.FieldsSeq(text) {
		words[word] = true
	}
	for _, f := range catalog.FormsOf(kinds.All()) {
		if f.Tabs[0].Schema.Extra {
			continue
		}
		for _, c := range f.Tabs[0].Columns {
			if c.Role == catalog.RoleAttribute && c.Attribute.Header == "" || c.Ours == catalog.OursResult {
				continue
			}
			for word := range strings.FieldsSeq(c.Title) {
				if !words[word] && !words[word+"*"] {
					t.Errorf("sheet %s: %q of the header %q is not printed whole", f.Title, word, c.Title)
				}
			}
		}
	}
}

func printedBy(t *testing.T, program string, args ...string) string {
	t.Helper()
	out, err := exec.Command(program, args...).Output()
	if err != nil {
		t.Fatalf("%s: %v", program, err)
	}
	return string(out)
}
