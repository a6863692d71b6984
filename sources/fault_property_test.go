package sources_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"adsync/internal/csvfile"
	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/internal/xlsx"
	"adsync/sources"
	"adsync/sources/bounded"
	"adsync/sources/config"
	"adsync/sources/workbook"

	"pgregory.net/rapid"
	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// wrongWith returns what no reading may have, whatever the files hold: rows that do
// not add up, problems out of order, positions outside of the files, a failed
// row without an error. "" is none of it.
func wrongWith(files map[string]string, d sources.Desired) string {
	for _, s := range d.Sources {
		if s.Rows.Read != s.Rows.Used+s.Rows.Ignored+s.Rows.Failed {
			return fmt.Sprintf("rows of %s do not add up: %+v", s.File, s.Rows)
		}
		if s.Rows.Failed > 0 && !diag.HasErrors(d.Problems) {
			return fmt.Sprintf("rows of %s failed without an error: %+v", s.File, s.Rows)
		}
	}
	var list diag.List
	list.AddAll(d.Problems)
	if !slices.Equal(list.Sorted(), d.Problems) {
		return "problems are not sorted, or stand twice:\n" + printed(d.Problems)
	}
	for _, p := range d.Problems {
		if strings.Contains(p.Message, "runtime error") || strings.Contains(p.Message, "broke off") {
			return "a reader panics: " + p.String()
		}
		if outside := isOutside(files, p.Position); outside != "" {
			return fmt.Sprintf("%s of %q", outside, p)
		}
	}
	for r := range d.Snapshot.All() {
		if outside := isOutside(files, r.Position); outside != "" {
			return fmt.Sprintf("%s of %s", outside, r.Address)
		}
		for _, a := range r.Attributes {
			for i := range max(1, len(a.Value.Items())) {
				at := a.Value.Position
				if len(a.Value.Items()) > 0 {
					at = a.Value.ItemPosition(i)
				}
				if outside := isOutside(files, at); outside != "" {
					return fmt.Sprintf("%s of %s of %s", outside, a.Name, r.Address)
				}
			}
		}
	}
	return ""
}

// isOutside returns how a position lies outside of the files, "" where it does not.
func isOutside(files map[string]string, at diag.Position) string {
	content, there := files[at.File()]
	switch {
	case at.IsZero() || at.Line() == 0 && there:
		return ""
	case !there:
		return fmt.Sprintf("%s is in no file", at)
	case path.Ext(at.File()) == ".xlsx":
		return isOutsideBook(content, at)
	}
	// those of YAML
	text, breaks := content, []string{"\r\n", "\n", "\r", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n"}
	isCSV := path.Ext(at.File()) == ".csv"
	if decoded, fault := csvfile.Decode([]byte(content)); isCSV && fault == nil {
		text = decoded.String()
	}
	if isCSV {
		breaks = breaks[:4]
	}
	lines := strings.Split(strings.NewReplacer(breaks...).Replace(text), "\n")
	if isCSV && strings.Contains(strings.ReplaceAll(text, "\r\n", ""), "\r") &&
		at.Line() > 0 && at.Line() <= len(lines) {
		return "" // whether a carriage return alone ends a line is told differently by every program
	}
	if at.Line() > len(lines) || at.Line() < 0 || at.Column() < 0 {
		return fmt.Sprintf("%s is behind the last of %d lines", at, len(lines))
	}
	if width := utf8.RuneCountInString(lines[at.Line()-1]); at.Column() > width+1 {
		return fmt.Sprintf("%s is behind the end of a line of %d characters", at, width)
	}
	return ""
}

func isOutsideBook(content string, at diag.Position) string {
	if at.Line() < 0 || at.Line() > xlsx.LastRow || at.Column() < 0 || at.Column() > xlsx.LastColumn {
		return at.String() + " is outside of any sheet"
	}
	parts, finding := xlsx.Open(context.Background(), []byte(content), bounded.Defaults().Workbook())
	if finding != nil {
		return at.String() + " is in a workbook that cannot be opened"
	}
	b, err := xlsx.ReadBook(parts)
	if err != nil || !slices.ContainsFunc(b.Sheets, func(s xlsx.Sheet) bool { return s.Name == at.Sheet() }) {
		return at.String() + " is in no sheet"
	}
	return ""
}

// checkReading loads files twice and holds what holds for any.
func checkReading(rt *rapid.T, t *testing.T, files map[string]string) sources.Desired {
	dir, err := os.MkdirTemp(t.TempDir(), "")
	must(t, err)
	for name, content := range files {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	p := config.Project{
		Root: dir, Sources: config.DefaultSources,
		State: ".adsync", Account: config.Account{Currency: "USD", TimeZone: "UTC"},
	}
	d := sources.Load(context.Background(), p, kinds.All())
	if wrong := wrongWith(files, d); wrong != "" {
		rt.Fatalf("%s\nof\n%s", wrong, shown(files))
	}
	again := sources.Load(context.Background(), p, kinds.All())
	if printed(again.Problems) != printed(d.Problems) ||
		again.Hash != d.Hash || snapshotText(t, again.Snapshot) != snapshotText(t, d.Snapshot) {
		rt.Fatalf("read again it says\n%s%s\nat first it said\n%s%s",
			snapshotText(t, again.Snapshot), printed(again.Problems), snapshotText(t, d.Snapshot), printed(d.Problems))
	}
	return d
}

func shown(files map[string]string) string {
	var b strings.Builder
	for name, content := range files {
		if path.Ext(name) != ".xlsx" {
			fmt.Fprintf(&b, "-- %s --\n%q\n", name, content)
		}
	}
	return b.String()
}

// spoiled are texts that take the place of a piece of a file.
var spoiled = []string{"", "\n", "\t", ":", "- ", "|",
	"~", "null", "[", "]", "{", "}", "'", `"`, "#", "&a ", "*a", "<<: ", "---\n", "é", "\u200b",
	"\x00", "\xff", "  ", "1e6", "010", "no", "kind: ad\n", "name: x\n", ",", ";", "=1+1", "\r", "\ufeff", "\u2028"}

// spoil changes a text at a few places.
func spoil(rt *rapid.T, text string) string {
	for range rapid.IntRange(1, 4).Draw(rt, "changes") {
		at := rapid.IntRange(0, len(text)).Draw(rt, "at")
		end := min(len(text), at+rapid.IntRange(0, 12).Draw(rt, "length"))
		text = text[:at] + rapid.SampledFrom(spoiled).Draw(rt, "text") + text[end:]
	}
	return text
}

func TestWhateverStandsInYAMLIsReadOrRefusedAtItsPlace(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var b strings.Builder
		must(t, workbook.WriteYAML(&b, kinds.All(), drawSnapshot(rt, kinds.All()), resource.Env{Currency: "USD"}))
		checkReading(rt, t, map[string]string{"a.yaml": spoil(rt, b.String()), "b.yaml": spoil(rt, accountOf(1))})
	})
}

func TestWhateverStandsInACSVIsReadOrRefusedAtItsPlace(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var b strings.Builder
		if err := workbook.WriteCSV(&b, kinds.All(), drawSnapshot(rt, kinds.All()), dollars); err != nil {
			return
		}
		checkReading(rt, t, map[string]string{"all.csv": spoil(rt, b.String()), "a.yaml": accountOf(1)})
	})
}

func accountOf(number int) string { return fmt.Sprintf(accountTree, number, number, number, number) }

// hostileCells are what a cell may store instead of what it should.
var hostileCells = []string{
	`t="e"><v>#REF!</v>`, `t="b"><v>1</v>`, `t="d"><v>2026-12-01T10:00:00</v>`,
	`><f>A1</f>`, `><f>A1</f><v>5</v>`, `t="str"><f>A1</f><v>x</v>`,
	`><v>-5</v>`, `><v>1E400</v>`, `><v>0.1234567</v>`, `><v>46357</v>`, `t="str"><v></v>`, `t="inlineStr"><is/>`,
	`t="str"><v>[clear]</v>`, `t="str"><v>#</v>`, `t="str"><v>yes</v>`,
	`t="str"><v>` + strings.Repeat("long ", 900) + `</v>`, `t="str"><v>a&#10;b</v>`, `t="str"><v>&#x200B;</v>`,
	`t="str"><v>[“US”</v>`, `t="str"><v>file: gone.txt</v>`, `t="str"><v>Spring / Runners</v>`,
}

func TestWhateverStandsInAWorkbookIsReadOrRefusedAtItsPlace(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	whole := bookOf(t, campaignsSheet, adGroupsSheet, adsSheet, sheetOf{name: "Context hints",
		rows: [][]any{{"Campaign", "Ad group", "Hint", "Use"}, {"Spring launch", "Runners", "people in mud", "avoid"}}},
		sheetOf{name: "Hint lists", rows: [][]any{{"basics", "more"}, {"one", "two"}}})
	rapid.Check(t, func(rt *rapid.T) {
		book := whole
		for range rapid.IntRange(1, 5).Draw(rt, "changes") {
			sheet := fmt.Sprintf("xl/worksheets/sheet%d.xml", rapid.IntRange(1, 5).Draw(rt, "sheet"))
			hostile := rapid.SampledFrom(hostileCells).Draw(rt, "cell")
			row, column := rapid.IntRange(1, 2).Draw(rt, "row"), rapid.IntRange(1, 7).Draw(rt, "column")
			name := diag.ColumnName(column) + fmt.Sprint(row)
			book = rebuild(t, book, sheet, func(b []byte) []byte {
				if !strings.Contains(string(b), `<c r="`+name+`"`) {
					return b
				}
				return replaceCell(t, b, name, `<c r="`+name+`" `+hostile+`</c>`)
			})
		}
		checkReading(rt, t, map[string]string{"q4.xlsx": string(book), "a.yaml": accountOf(1)})
	})
}

// TestTheOrderOfKeysAndDocumentsChangesNothing shuffles every mapping, the
// documents, and the children in their lists.
func TestTheOrderOfKeysAndDocumentsChangesNothing(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		want := drawSnapshot(rt, kinds.All())
		var b strings.Builder
		must(t, workbook.WriteYAML(&b, kinds.All(), want, resource.Env{}))
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		decoder := yaml.NewDecoder(strings.NewReader(b.String()))
		var documents []string
		for {
			var node yaml.Node
			if decoder.Decode(&node) != nil {
				break
			}
			shuffle(random, &node)
			text, err := yaml.Marshal(&node)
			must(t, err)
			documents = append(documents, string(text))
		}
		random.Shuffle(len(documents), func(i, j int) { documents[i], documents[j] = documents[j], documents[i] })
		if want.Len() == 0 {
			return
		}
		got := loadYAML(t, strings.Join(documents, "---\n"))
		if a, b := snapshotText(t, want), snapshotText(t, got.Snapshot); a != b {
			rt.Fatalf("in another order it says\n%s%swant\n%s", b, printed(got.Problems), a)
		}
	})
}

func shuffle(random *rand.Rand, node *yaml.Node) {
	if node.Kind == yaml.MappingNode {
		random.Shuffle(len(node.Content)/2, func(i, j int) {
			node.Content[2*i], node.Content[2*j] = node.Content[2*j], node.Content[2*i]
			node.Content[2*i+1], node.Content[2*j+1] = node.Content[2*j+1], node.Content[2*i+1]
		})
	}
	if node.Kind == yaml.SequenceNode && len(node.Content) > 0 && node.Content[0].Kind == yaml.MappingNode {
		random.Shuffle(len(node.Content), func(i, j int) {
			node.Content[i], node.Content[j] = node.Content[j], node.Content[i]
		})
	}
	for _, child := range node.Content {
		shuffle(random, child)
	}
}

// TestTheOrderOfSheetsRowsAndColumnsChangesNothing writes a workbook anew with its
// sheets, rows and columns in another order. The first column stays, as a text there
// that begins with # makes a remark, and so do the rows of lists, which keep their order.
func TestTheOrderOfSheetsRowsAndColumnsChangesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	rapid.Check(t, func(rt *rapid.T) {
		want := drawSnapshot(rt, kinds.All())
		var b strings.Builder
		if err := workbook.WriteWorkbook(&b, kinds.All(), want, dollars); want.Len() == 0 || cannotSay(err) {
			return
		}
		content := []byte(b.String())
		parts, finding := xlsx.Open(t.Context(), content, bounded.Defaults().Workbook())
		if finding != nil {
			rt.Fatal(finding.Message)
		}
		book, err := xlsx.ReadBook(parts)
		must(t, err)
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 2))
		for _, sheet := range book.Sheets {
			if sheet.Name == "Context hints" || sheet.Name == "Hint lists" ||
				config.IsOurTab(sheet.Name) {
				continue
			}
			content = rebuild(t, content, sheet.Part, func([]byte) []byte {
				return []byte(reordered(t, random, book, sheet))
			})
		}
		content = rebuild(t, content, "xl/workbook.xml", func(b []byte) []byte {
			sheets := listedSheet.FindAllString(string(b), -1)
			before, after, _ := strings.Cut(string(b), strings.Join(sheets, ""))
			random.Shuffle(len(sheets), func(i, j int) { sheets[i], sheets[j] = sheets[j], sheets[i] })
			return []byte(before + strings.Join(sheets, "") + after)
		})
		got := loadWorkbook(t, content)
		if a, b := snapshotText(t, want), snapshotText(t, got.Snapshot); a != b {
			rt.Fatalf("in another order it says\n%s%swant\n%s", b, printed(got.Problems), a)
		}
	})
}

// reordered writes a sheet with its rows, below the header, and its columns,
// behind the first, in another order.
func reordered(t testing.TB, random *rand.Rand, book *xlsx.Book, sheet xlsx.Sheet) string {
	t.Helper()
	var all []xlsx.Row
	width := 0
	_, err := xlsx.Walk(book, sheet.Part, func(row *xlsx.Row) error {
		all = append(all, xlsx.Row{Cells: slices.Clone(row.Cells)})
		width = max(width, row.Cells[len(row.Cells)-1].Column)
		return nil
	})
	must(t, err)
	place := random.Perm(max(width-1, 0)) // of the columns from the second on
	random.Shuffle(len(all)-1, func(i, j int) { all[i+1], all[j+1] = all[j+1], all[i+1] })
	var b strings.Builder
	b.WriteString(`<worksheet><sheetData>`)
	for i, row := range all {
		for j, c := range row.Cells {
			if c.Column > 1 {
				row.Cells[j].Column = place[c.Column-2] + 2
			}
		}
		slices.SortFunc(row.Cells, func(a, b xlsx.Cell) int { return a.Column - b.Column })
		if first := &row.Cells[0]; i > 0 && first.Column > 1 &&
			first.Form == xlsx.TextCell && strings.HasPrefix(first.Text, "#") {
			first.Text = " " + first.Text // where the first column is empty, else a remark
		}
		fmt.Fprintf(&b, `<row r="%d">`, i+1)
		for _, c := range row.Cells {
			name := diag.ColumnName(c.Column) + fmt.Sprint(i+1)
			switch {
			case c.Form == xlsx.TextCell:
				fmt.Fprintf(&b, `<c r="%s" t="inlineStr"><is><t xml:space="preserve">%s</t></is></c>`,
					name, escapedText(c.Text))
			case c.IsFormula: // the length of a text, which is not read
			default:
				fmt.Fprintf(&b, `<c r="%s" s="%d"><v>%s</v></c>`, name, c.Style, c.Text)
			}
		}
		b.WriteString(`</row>`)
	}
	return b.String() + `</sheetData></worksheet>`
}

func escapedText(text string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", "\r", "&#13;", "_x", "_x005F_x").Replace(text)
}
