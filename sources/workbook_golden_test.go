package sources_test

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/internal/testing/golden"
	"adsync/sources/marked"
	"adsync/sources/workbook"

	"github.com/xuri/excelize/v2"
)

// A workbook as text: everything a person would see or touch, sheet by sheet.
func TestWorkbooksAsTheyAreWritten(t *testing.T) {
	for name, write := range map[string]func(*bytes.Buffer) error{
		"template": func(b *bytes.Buffer) error { return workbook.WriteTemplate(b, kinds.All(), dollars) },
		"export": func(b *bytes.Buffer) error {
			return workbook.WriteExport(b, kinds.All(), shopSnapshot(t), workbook.Export{
				Account: dollars, At: time.Date(2026, 11, 21, 4, 5, 6, 0, time.UTC), Figures: shopFigures(),
			})
		},
		"marked": func(b *bytes.Buffer) error {
			return marked.WriteCopy(bookOf(t, campaignsSheet, adGroupsSheet, adsSheet), b, "q4.xlsx", someMarks())
		},
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			must(t, write(&b))
			got := bookText(t, opened(t, b.Bytes()))
			golden.File(t, "testdata/workbook/"+name+".golden", []byte(got))
		})
	}
}

// shopSnapshot is a campaign with an ad group and two ads, the second bare.
func shopSnapshot(t testing.TB) *resource.Snapshot {
	s := oneResource(t, "status", resource.Text("active"), "budget.daily", resource.Number(50_000_000),
		"start", resource.Text("2026-12-01"), "targeting.countries", resource.List([]string{"CA", "US"}))
	group := &resource.Resource{Address: resource.Address{Kind: kinds.AdGroup, Key: "spring/runners"}, ID: "adg_1"}
	group.Set("name", resource.Text("Runners"))
	group.Set("status", resource.Text("paused"))
	group.Set("bid.max", resource.Number(1_250_000))
	group.Set("context_hints", resource.List([]string{"people who run in mud", "people who hike"}))
	s.Add(group)
	for _, key := range []string{"hero", "plain"} {
		ad := &resource.Resource{
			Address: resource.Address{Kind: kinds.Ad, Key: "spring/runners/" + key}, ID: "ad_" + key,
		}
		ad.Set("title", resource.Text("Shoes for muddy trails"))
		ad.Set("body", resource.Text("Light, grippy trail shoes. Free returns."))
		ad.Set("target_url", resource.Text("https://shop.example/trail"))
		ad.Set("image", resource.Text("https://img.example/a.png"))
		s.Add(ad)
	}
	hero := s.Get(resource.Address{Kind: kinds.Ad, Key: "spring/runners/hero"})
	hero.Facts.Set("review", resource.Text("rejected: crawl_failed"))
	hero.Facts.Set("serving_issues", resource.Text("review_not_approved, ad_in_review"))
	return s
}

func shopFigures() *resource.Figures {
	week := resource.Window{Name: "7d", Since: "2026-11-14", Until: "2026-11-20"}
	return &resource.Figures{
		Windows: []resource.WindowFigures{
			{Window: week, ByID: map[string]resource.Measured{
				"cmp_1":   {"12345", "67", "89.10", "0.005427", "1.329851", "7.217", "0"},
				"adg_1":   {"12345", "67", "89.10", "0.005427", "1.329851", "7.217", "0"},
				"ad_hero": {"12345", "67", "89.10", "0.005427", "1.329851", "7.217", "0"},
			}, Rows: []resource.FigureRow{
				{Kind: "campaign", Path: []string{"Spring"}, ID: "cmp_1"},
				{Kind: "ad_group", Path: []string{"Spring", "Runners"}, ID: "adg_1"},
				{Kind: "ad", Path: []string{"Spring", "Runners", "Hero"}, ID: "ad_hero"},
			}},
			{Window: resource.Window{Name: "2026-11-01..2026-11-15", Since: "2026-11-01", Until: "2026-11-15"},
				ByID: map[string]resource.Measured{}},
		},
		Daily: resource.DailyFigures{Window: week, Rows: []resource.DayRow{
			{Day: "2026-11-14", Path: []string{"Spring", "Runners", "Hero"},
				ID: "ad_hero", Measured: resource.Measured{"345", "7", "9.10", "0.02029", "1.3", "26.377", "0"}},
			{Day: "2026-11-15", Path: []string{"Spring", "Runners", "Hero"},
				ID: "ad_hero", Measured: resource.Measured{"12000", "60", "80", "0.005", "1.333333", "6.667", "0"}},
		}},
	}
}

// bookText writes down what a workbook holds.
func bookText(t testing.TB, f *excelize.File) string {
	t.Helper()
	var b strings.Builder
	for _, name := range f.GetDefinedName() {
		if name.Name != "_xlnm._FilterDatabase" {
			fmt.Fprintf(&b, "name %s (%s) = %s\n", name.Name, name.Scope, name.RefersTo)
		}
	}
	for _, sheet := range f.GetSheetList() {
		sheetText(t, &b, f, sheet)
	}
	return b.String()
}

func sheetText(t testing.TB, b *strings.Builder, f *excelize.File, sheet string) {
	t.Helper()
	visible, err := f.GetSheetVisible(sheet)
	must(t, err)
	props, err := f.GetSheetProps(sheet)
	must(t, err)
	panes, err := f.GetPanes(sheet)
	must(t, err)
	page, err := f.GetPageLayout(sheet)
	must(t, err)
	footer, err := f.GetHeaderFooter(sheet)
	must(t, err)
	fmt.Fprintf(b, "\n== %s ==\nvisible %v, tab %s, frozen %d columns and %d rows\n",
		sheet, visible, said1(props.TabColorRGB), panes.XSplit, panes.YSplit)
	if page.Orientation != nil && footer != nil {
		fmt.Fprintf(b, "prints %s, %d page wide, %d high, fit %v, footer %s\n",
			*page.Orientation, *page.FitToWidth, *page.FitToHeight, *props.FitToPage, footer.OddFooter)
	}
	if filter := filterOf(f, sheet); filter != "" {
		fmt.Fprintf(b, "filter %s\n", filter)
	}
	columnsText(t, b, f, sheet)
	checksText(t, b, f, sheet)
	rows, err := f.GetRows(sheet)
	must(t, err)
	for i, row := range rows {
		if text := strings.TrimRight(strings.Join(row, " | "), " |"); text != "" {
			height, err := f.GetRowHeight(sheet, i+1)
			must(t, err)
			fmt.Fprintf(b, "row %d (%g): %s\n", i+1, height, strings.ReplaceAll(text, "\n", "⏎"))
		}
	}
}

func filterOf(f *excelize.File, sheet string) string {
	for _, name := range f.GetDefinedName() {
		if name.Name == "_xlnm._FilterDatabase" && name.Scope == sheet {
			return name.RefersTo
		}
	}
	return ""
}

func said1(text *string) string {
	if text == nil {
		return "none"
	}
	return *text
}

// columnsText writes width, number format, colour and note of each column.
func columnsText(t testing.TB, b *strings.Builder, f *excelize.File, sheet string) {
	t.Helper()
	notes := map[string]string{}
	comments, err := f.GetComments(sheet)
	must(t, err)
	for _, c := range comments {
		notes[c.Cell] = c.Text
	}
	rows, err := f.GetRows(sheet)
	must(t, err)
	for _, cell := range slices.Sorted(maps.Keys(notes)) {
		if !strings.HasSuffix(cell, "1") {
			fmt.Fprintf(b, "note %s on %s\n    %s\n",
				cell, styleText(t, f, sheet, cell), strings.ReplaceAll(notes[cell], "\n", "\n    "))
		}
	}
	for i := range rows[0] {
		letter := workbook.Letters(i)
		width, err := f.GetColWidth(sheet, letter)
		must(t, err)
		fmt.Fprintf(b, "column %s %q (%g): header %s; cells %s\n",
			letter, rows[0][i], width, styleText(t, f, sheet, letter+"1"), columnStyleText(t, f, sheet, letter))
		if note := notes[letter+"1"]; note != "" {
			fmt.Fprintf(b, "    %s\n", strings.ReplaceAll(note, "\n", "\n    "))
		}
	}
}

func styleText(t testing.TB, f *excelize.File, sheet, cell string) string {
	t.Helper()
	number, err := f.GetCellStyle(sheet, cell)
	must(t, err)
	return lookText(t, f, number)
}

func columnStyleText(t testing.TB, f *excelize.File, sheet, letter string) string {
	t.Helper()
	number, err := f.GetColStyle(sheet, letter)
	must(t, err)
	return lookText(t, f, number)
}

func lookText(t testing.TB, f *excelize.File, number int) string {
	t.Helper()
	s, err := f.GetStyle(number)
	must(t, err)
	var parts []string
	if s.Fill.Pattern == 1 {
		parts = append(parts, "on "+s.Fill.Color[0])
	}
	if s.Font != nil && s.Font.Color != "" {
		parts = append(parts, "in "+s.Font.Color)
	}
	if s.NumFmt == 49 {
		parts = append(parts, "text")
	}
	if s.CustomNumFmt != nil {
		parts = append(parts, *s.CustomNumFmt)
	}
	if s.Alignment != nil && s.Alignment.WrapText {
		parts = append(parts, "wrapped")
	}
	if len(s.Border) > 0 {
		parts = append(parts, "lined")
	}
	return strings.Join(parts, ", ")
}

// checksText writes the drop-downs, the checks while typing and the colours.
func checksText(t testing.TB, b *strings.Builder, f *excelize.File, sheet string) {
	t.Helper()
	checks, err := f.GetDataValidations(sheet)
	must(t, err)
	for _, c := range checks {
		fmt.Fprintf(b, "check %s: %s %s%s (%s: %s)\n",
			c.Sqref, c.Type, c.Formula1, " "+c.Formula2, said1(c.ErrorStyle), said1(c.Error))
	}
	formats, err := f.GetConditionalFormats(sheet)
	must(t, err)
	var lines []string
	for cells, rules := range formats {
		for _, rule := range rules {
			if rule.Format == nil {
				lines = append(lines, fmt.Sprintf("colour %s: %s from %s over %s to %s\n",
					cells, rule.Type, rule.MinColor, rule.MidColor, rule.MaxColor))
				continue
			}
			style, err := f.GetConditionalStyle(*rule.Format)
			must(t, err)
			lines = append(lines, fmt.Sprintf("colour %s: %s %s %s: on %s in %s\n",
				cells, rule.Type, rule.Criteria, rule.Value, style.Fill.Color[0], style.Font.Color))
		}
	}
	slices.Sort(lines)
	b.WriteString(strings.Join(lines, ""))
}
