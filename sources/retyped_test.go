package sources_test

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/internal/testing/dialect"
	"adsync/internal/xlsx"
	"adsync/sources/bounded"
	"adsync/sources/catalog"
	"adsync/sources/draft"
	"adsync/sources/table"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"
)

// stamp takes the place of a header, and then of it another word is made.
const stamp = "Qzxstamp"

// retypedWords are the words of testdata/retyped.txt by what they stand for.
func retypedWords(t testing.TB) map[string][]string {
	words := map[string][]string{}
	for _, line := range strings.Split(strings.TrimSpace(string(fileBytes(t, "testdata/retyped.txt"))), "\n") {
		if title, list, ok := strings.Cut(line, ": "); ok && line[0] != '#' {
			if words[title] = strings.Split(list, " | "); len(words[title]) != 20 {
				t.Fatalf("%s has %d other words, want 20", title, len(words[title]))
			}
		}
	}
	return words
}

// book is one workbook or CSV file that is retyped.
type book struct {
	program string
	content []byte
	sheets  []dialect.Sheet // what it holds; their first rows are the headers
	head    int             // rows above the header
}

func (b *book) read(content []byte) draft.Result {
	if b.program == "CSV" {
		return table.ReadCSV(context.Background(), resource.Slug(b.sheets[0].Name)+".csv", content, workbookInput())
	}
	return readBytes(content)
}

// TestNothingRetypedIsDroppedUnsaid renames each known column of each sheet, as
// every program writes it, to 20 other words in three languages, and each sheet,
// with the columns in another order: what is no longer read is named in the report.
func TestNothingRetypedIsDroppedUnsaid(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	words, books := retypedWords(t), booksToRetype(t)
	t.Run("headers", func(t *testing.T) { retypeHeaders(t, words, books) })
	t.Run("sheets", func(t *testing.T) { retypeSheets(t, words["sheet"], books) })
}

// wholly are the programs whose workbooks get all 20 words; of others, and of all
// with -short, every column and sheet gets four.
var wholly = []string{"Excel", "LibreOffice", "Gnumeric", "openpyxl", "XlsxWriter", bulkSheet, "CSV"}

const bulkSheet = "the service's bulk sheet"

func (b *book) some(words []string, from int) []string {
	if slices.Contains(wholly, b.program) && !testing.Short() {
		return words
	}
	var some []string
	for i := from % 5; i < len(words); i += 5 {
		some = append(some, words[i])
	}
	return some
}

func retypeHeaders(t *testing.T, words map[string][]string, books []book) {
	cases, readAsBefore := 0, 0
	var group errgroup.Group
	group.SetLimit(4)
	var mutex sync.Mutex
	for _, b := range books {
		before := b.read(b.content)
		if diag.HasErrors(before.Problems) {
			t.Fatalf("%s: %q", b.program, said(before.Problems))
		}
		for _, sheet := range b.sheets {
			for number, header := range sheet.Rows[0] {
				written := header.(string)
				others := words[columnMeant(t, sheet.Name, written)]
				if others == nil {
					t.Fatalf("%s has no other words", written)
				}
				stamped := b.stamped(t, sheet.Name, number+1)
				group.Go(func() error {
					for _, word := range b.some(others, number) {
						same, fault := b.retyped(stamped, before, written, word)
						mutex.Lock()
						cases++
						if same {
							readAsBefore++
						}
						if fault != "" {
							t.Errorf("%s: %s: column %s renamed %s: %s", b.program, sheet.Name, written, word, fault)
						}
						mutex.Unlock()
					}
					return nil
				})
			}
		}
	}
	must(t, group.Wait())
	if cases < 5000 && !testing.Short() {
		t.Errorf("%d cases; want at least 5000", cases)
	}
	t.Logf("%d cases: %d read as before, %d with what is not read named", cases, readAsBefore, cases-readAsBefore)
}

// retyped reads a workbook with another word in the place of the stamp, and says
// what is wrong with the report of it, "" where nothing is.
func (b *book) retyped(stamped unzipped, before draft.Result, written, word string) (same bool, fault string) {
	after := b.read(stamped.with(word))
	same = valuesOf(after) == valuesOf(before)
	if same && !diag.HasErrors(after.Problems) {
		return true, ""
	}
	for _, u := range after.Unread {
		if u.Column == word && u.Values > 0 {
			return same, ""
		}
	}
	title := columnTitle(written)
	for _, p := range after.Problems {
		if p.Severity == diag.Error && (strings.Contains(p.Message, `"`+word+`"`) ||
			strings.Contains(p.Message, `"`+title+`"`) || strings.Contains(p.Message, title+" ")) {
			return same, ""
		}
	}
	return same, fmt.Sprintf("the report does not name it\n%s\nnot read %v",
		strings.Join(said(after.Problems), "\n"), after.Unread)
}

// valuesOf is what a file says but for its problems.
func valuesOf(r draft.Result) string {
	r.Problems = nil
	return draft.MeaningOf(r)
}

func retypeSheets(t *testing.T, names []string, books []book) {
	cases := 0
	for _, b := range books {
		if b.program == "CSV" {
			continue // which is named in its folder
		}
		before := b.read(b.content)
		parts := unzip(t, b.content)
		for i, sheet := range b.sheets {
			for _, name := range b.some(names, i) {
				after := b.read(parts.renamed(sheet.Name, name).zipped())
				cases++
				named := slices.ContainsFunc(after.Unread, func(u diag.Unread) bool {
					return u.Sheet == name && u.Column == "" && u.Values > 0
				})
				if valuesOf(after) != valuesOf(before) && (!named || !diag.HasErrors(after.Problems)) {
					t.Errorf("%s: %s renamed %s: the report does not name it\n%s\nnot read %v",
						b.program, sheet.Name, name, strings.Join(said(after.Problems), "\n"), after.Unread)
				}
			}
		}
	}
	t.Logf("%d cases", cases)
}

// booksToRetype are the workbooks of all programs with their columns in another
// order, the service's own bulk sheet, and a CSV file a sheet.
func booksToRetype(t testing.TB) []book {
	ordered := dialect.Sheets
	defer func() { dialect.Sheets = ordered }()
	want := ""
	dialect.Sheets = withOtherOrder(ordered)
	var books []book
	for _, program := range dialect.Programs() {
		content, err := dialect.Write(program, t.TempDir())
		must(t, err)
		b := book{program: program, content: content, sheets: dialect.Sheets}
		if program == "Numbers" {
			b.head = 1
			b.sheets = slices.Clone(b.sheets)
			for i := range b.sheets {
				b.sheets[i].Name += " - Table 1"
			}
		}
		said := valuesOf(b.read(content))
		if want == "" {
			want = said
		}
		if diff := cmp.Diff(want, said); diff != "" {
			t.Errorf("%s, in another order (-%s +%s):\n%s", program, books[0].program, program, diff)
		}
		books = append(books, b)
	}
	books = append(books, book{program: bulkSheet, content: vendorBook(t), sheets: []dialect.Sheet{
		{Name: "campaigns", Rows: [][]any{{"campaign_name",
			"objective", "budget_type", "max_budget_micros", "start_date", "end_date", "target_countries", "status"}}},
	}, head: 3}, book{program: bulkSheet, content: vendorBook(t), sheets: []dialect.Sheet{
		{Name: "ads", Rows: [][]any{{"campaign_name",
			"ad_group_name", "ad_name", "title", "body", "target_url", "image_url", "status"}}},
	}})
	for _, sheet := range dialect.Sheets {
		books = append(books, book{program: "CSV", content: sheetAsCSV(sheet), sheets: []dialect.Sheet{sheet}})
	}
	return books
}

// withOtherOrder has the second to the sixth column of every sheet in reverse
// order. The first says what is an example; a link stands in the seventh.
func withOtherOrder(sheets []dialect.Sheet) []dialect.Sheet {
	var all []dialect.Sheet
	for _, s := range sheets {
		other := dialect.Sheet{Name: s.Name}
		for _, row := range s.Rows {
			row = slices.Clone(row)
			slices.Reverse(row[1:min(len(row), 6)])
			other.Rows = append(other.Rows, row)
		}
		all = append(all, other)
	}
	return all
}

func sheetAsCSV(s dialect.Sheet) []byte {
	var b bytes.Buffer
	for _, row := range s.Rows {
		fields := make([]string, len(row))
		for i, value := range row {
			if value != nil {
				fields[i] = fmt.Sprint(value)
				if strings.ContainsAny(fields[i][:1], "=+-@") {
					fields[i] = "'" + fields[i]
				}
			}
		}
		b.WriteString(`"` + strings.Join(mapped(fields,
			func(text string) string { return strings.ReplaceAll(text, `"`, `""`) }), `","`) + "\"\r\n")
	}
	return b.Bytes()
}

func mapped(texts []string, change func(string) string) []string {
	for i := range texts {
		texts[i] = change(texts[i])
	}
	return texts
}

// columnTitle is what adsync calls a column of the workbooks here.
func columnTitle(written string) string {
	title, _, _ := strings.Cut(written, " (")
	if of := map[string]string{
		"campaign_name": "Campaign", "objective": "Bidding", "budget_type": "Budget type",
		"max_budget_micros": "Budget type", "start_date": "Start date", "end_date": "Last day",
		"target_countries": "Countries", "status": "Status", "ad_group_name": "Ad group",
		"ad_name": "Ad", "title": "Title", "body": "Body", "target_url": "Target URL", "image_url": "Image",
	}[written]; of != "" {
		return of
	}
	return title
}

// columnMeant is under which title the other words of a column stand.
func columnMeant(t testing.TB, sheet, written string) string {
	if written == "max_budget_micros" {
		return "Budget in micros"
	}
	title := columnTitle(written)
	for _, tab := range catalog.TabsOf(kinds.All()) {
		if resource.Fold(tab.Title) == resource.Fold(strings.TrimSuffix(sheet, " - Table 1")) &&
			tab.ColumnNamed(title) == nil {
			t.Fatalf("%s has no column %s", sheet, title)
		}
	}
	return title
}

// stamped is the workbook with the stamp in the place of one header.
func (b *book) stamped(t testing.TB, sheet string, column int) unzipped {
	if b.program == "CSV" {
		header := strings.SplitN(string(b.content), "\r\n", 2)
		fields := strings.Split(header[0], ",")
		fields[column-1] = `"` + stamp + `"`
		return unzipped{"": strings.Join(fields, ",") + "\r\n" + header[1]}
	}
	bounds := bounded.Defaults()
	content, err := xlsx.Rewrite(b.content,
		[]xlsx.Edit{{Sheet: sheet, Row: b.head + 1, Column: column, Value: xlsx.Text(stamp)}}, bounds.Workbook())
	must(t, err)
	return unzip(t, content)
}

// unzipped are the parts of a workbook by name, or a CSV file under no name.
type unzipped map[string]string

func unzip(t testing.TB, content []byte) unzipped {
	archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	must(t, err)
	parts := unzipped{}
	for _, member := range archive.File {
		r, err := member.Open()
		must(t, err)
		part, err := io.ReadAll(r)
		must(t, err)
		parts[member.Name] = string(part)
	}
	return parts
}

// with puts a word in the place of the stamp.
func (u unzipped) with(word string) []byte {
	if text, ok := u[""]; ok {
		return []byte(strings.ReplaceAll(text, stamp, word))
	}
	changed := maps.Clone(u)
	for name, part := range changed {
		if strings.Contains(part, stamp) {
			changed[name] = strings.ReplaceAll(part,
				stamp, strings.NewReplacer("&", "&amp;", "<", "&lt;").Replace(word))
		}
	}
	return changed.zipped()
}

var sheetName = regexp.MustCompile(`\bname="([^"]*)"`)

func (u unzipped) renamed(from, to string) unzipped {
	changed := maps.Clone(u)
	for name, part := range changed {
		if strings.HasSuffix(name, "workbook.xml") {
			changed[name] = sheetName.ReplaceAllStringFunc(part, func(attribute string) string {
				return strings.Replace(attribute, `"`+from+`"`, `"`+to+`"`, 1)
			})
		}
	}
	return changed
}

func (u unzipped) zipped() []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(u)) {
		part, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err == nil {
			_, err = io.WriteString(part, u[name])
		}
		if err != nil {
			panic(err) // bytes.Buffer takes everything
		}
	}
	if err := w.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}
