package sources_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"adsync/internal/kinds"
	"adsync/sources/config"
	"adsync/sources/diff"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"
)

var mergedAds = sheetOf{name: "Ads", rows: [][]any{
	{"Campaign", "Ad group", "Ad", "Title", "Body", "Target URL", "Image", "My note", "Key", "Result"},
	{"Spring launch", "Runners", "Hero A", "AAA", "Light.",
		"https://shop.example/", "a.png", "mine", "hero-a", "created"},
	{"Spring launch", "Runners", "Hero B", "BBB", "Light.", "https://shop.example/", "b.png", "", "hero-b", "created"},
	{"Spring launch", "Runners", "Hero C", "CCC", "Light.", "https://shop.example/", "c.png", "", "", "created"},
}}

func mergeBase(t testing.TB, change func(*excelize.File)) []byte {
	return bookWith(t, change, mergedAds, sheetOf{name: "My sum", rows: [][]any{{"Total", 5}, {"x"}}})
}

// typed changes cells as people do: sheet and cell, then the value.
func typed(t testing.TB, cells ...any) func(*excelize.File) {
	return func(f *excelize.File) {
		for i := 0; i < len(cells); i += 2 {
			sheet, cell, _ := strings.Cut(cells[i].(string), "!")
			must(t, f.SetCellValue(sheet, cell, cells[i+1]))
		}
	}
}

func mergeOf(t testing.TB, base, ours, theirs []byte) diff.Merged {
	t.Helper()
	m, err := diff.Merge(context.Background(), config.Project{}, base, ours, theirs, kinds.All())
	must(t, err)
	return m
}

// clashes shows the conflicts, a line each.
func clashes(m diff.Merged) []string {
	var lines []string
	for _, c := range m.Conflicts {
		line := c.What
		for _, said := range []string{c.Base, c.Ours, c.Theirs, c.Reason} {
			line += " | " + said
		}
		lines = append(lines, line)
	}
	return lines
}

func TestMergeTakesWhatOnlyTheirsChanged(t *testing.T) {
	base := mergeBase(t, nil)
	for _, c := range []struct {
		name         string
		ours, theirs func(*excelize.File)
		want         map[string]string // of ours, what changes
	}{
		{"two cells of one row", typed(t, "Ads!D2", "ours"),
			typed(t, "Ads!E2", "Theirs."), map[string]string{"Ads!E2": "Light. → Theirs."}},
		{"two rows", typed(t, "Ads!D2", "ours"), typed(t, "Ads!D3", "theirs"),
			map[string]string{"Ads!D3": "BBB → theirs"}},
		{"the same on both sides", typed(t, "Ads!D2", "same"), typed(t, "Ads!D2", "same"), map[string]string{}},
		{"a value that goes", typed(t, "Ads!D2", "ours"),
			typed(t, "Ads!H2", nil), map[string]string{"Ads!H2": "mine → "}},
		{"a row that moved", func(f *excelize.File) { must(t, f.InsertRows("Ads", 2, 2)) },
			typed(t, "Ads!D3", "theirs"), map[string]string{"Ads!D5": "BBB → theirs"}},
		{"a column that moved", func(f *excelize.File) { must(t, f.InsertCols("Ads", "B", 1)) },
			typed(t, "Ads!D3", "theirs"), map[string]string{"Ads!E3": "BBB → theirs"}},
		{"a row theirs added, with one of ours", typed(t, "Ads!C5", "Mine", "Ads!D5", "MMM", "Ads!B5", "Runners"),
			typed(t, "Ads!A5", "Spring launch", "Ads!B5", "Runners", "Ads!C5", "Hero D", "Ads!D5", "DDD"),
			map[string]string{"Ads!A6": " → Spring launch",
				"Ads!B6": " → Runners", "Ads!C6": " → Hero D", "Ads!D6": " → DDD"}},
		{"the same row added on both sides", typed(t, "Ads!B5", "Runners", "Ads!C5", "Hero D", "Ads!D5", "DDD"),
			typed(t, "Ads!B5", "Runners", "Ads!C5", "Hero D", "Ads!D5", "DDD"), map[string]string{}},
		{"a row theirs removed", typed(t, "Ads!D2", "ours"),
			func(f *excelize.File) { must(t, f.RemoveRow("Ads", 3)) }, map[string]string{
				"Ads!A3": "Spring launch → ", "Ads!B3": "Runners → ",
				"Ads!C3": "Hero B → ", "Ads!D3": "BBB → ", "Ads!E3": "Light. → ", "Ads!F3": "https://shop.example/ → ",
				"Ads!G3": "b.png → ", "Ads!I3": "hero-b → ", "Ads!J3": "created → "}},
		{"a row ours removed", func(f *excelize.File) { must(t, f.RemoveRow("Ads", 3)) },
			typed(t, "Ads!D2", "theirs"), map[string]string{"Ads!D2": "AAA → theirs"}},
		{"a column theirs added", typed(t, "Ads!K1", "Ours", "Ads!K2", "o"),
			typed(t, "Ads!K1", "Theirs", "Ads!K3", "t"), map[string]string{"Ads!L1": " → Theirs", "Ads!L3": " → t"}},
		{"a sheet of the user's own, by place", typed(t, "My sum!A1", "Sum"), typed(t,
			"My sum!B1", 6, "My sum!C4", true), map[string]string{"My sum!B1": "5 → 6", "My sum!C4": " → TRUE"}},
		{"what adsync fills stays", typed(t, "Ads!J2", "failed"),
			typed(t, "Ads!J2", "updated", "Ads!D3", "theirs"), map[string]string{"Ads!D3": "BBB → theirs"}},
		{"a formula that stands where it stood", nil, func(f *excelize.File) {
			must(t, f.SetCellFormula("My sum", "B2", "B1*2"))
		}, map[string]string{}},
		{"a renamed row with a key", typed(t, "Ads!C2", "Hero Z"),
			typed(t, "Ads!D2", "theirs"), map[string]string{"Ads!D2": "AAA → theirs"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			ours := mergeBase(t, c.ours)
			m := mergeOf(t, base, ours, mergeBase(t, c.theirs))
			if d := cmp.Diff(c.want, changedCells(t, ours, m.Content)); d != "" || len(m.Conflicts) > 0 {
				t.Errorf("conflicts %q; cells of ours (-want +got):\n%s", clashes(m), d)
			}
		})
	}
}

func TestMergeListsWhatItCannotMerge(t *testing.T) {
	base := mergeBase(t, nil)
	for _, c := range []struct {
		name         string
		ours, theirs func(*excelize.File)
		want         []string
	}{
		{"one cell changed twice", typed(t, "Ads!D2", "ours"),
			typed(t, "Ads!D2", "theirs"), []string{`Ads!D2 [hero-a] Title | "AAA" | "ours" | "theirs" | `}},
		{"cleared here, changed there", typed(t, "Ads!H2", nil),
			typed(t, "Ads!H2", "yours"), []string{`Ads!H2 [hero-a] My note | "mine" | (blank) | "yours" | `}},
		{"removed here, changed there", func(f *excelize.File) { must(t, f.RemoveRow("Ads", 3)) },
			typed(t, "Ads!D3", "theirs"), []string{
				`Ads!3 [hero-b] |  |  | "Spring launch", ` +
					`"Runners", "Hero B", "theirs", "Light.", "https://shop.example/", ` +
					`"b.png", "hero-b", "created" | ours removed the row and theirs changed it; it stays removed`}},
		{"changed here, removed there", typed(t, "Ads!D3", "ours"), func(f *excelize.File) {
			must(t, f.RemoveRow("Ads", 3))
		}, []string{
			`Ads!3 [hero-b] |  | "Spring launch", "Runners", "Hero B", "ours", "Light.", "https://shop.example/", ` +
				`"b.png", "hero-b", "created" |  | theirs removed the row and ours changed it; it stays`}},
		{"the same row added differently", typed(t, "Ads!B5", "Runners", "Ads!C5", "Hero D", "Ads!D5", "DDD"),
			typed(t, "Ads!B5", "Runners", "Ads!C5", "Hero D", "Ads!D5", "EEE"),
			[]string{`Ads!D5 [Hero D] Title | (blank) | "DDD" | "EEE" | `}},
		{"a sheet theirs added", nil, func(f *excelize.File) { _, err := f.NewSheet("Plans"); must(t, err) },
			[]string{`sheet "Plans" |  |  |  | only theirs has it, and a sheet cannot be added by a merge`}},
		{"a sheet theirs removed", nil, func(f *excelize.File) { must(t, f.DeleteSheet("My sum")) },
			[]string{`sheet "My sum" |  |  |  | theirs removed it, and a merge removes no sheet; it stays`}},
		{"a sheet ours removed", func(f *excelize.File) { must(t, f.DeleteSheet("My sum")) }, typed(t, "My sum!B1", 6),
			[]string{`sheet "My sum" |  |  |  | ours removed it and theirs changed it; it stays removed`}},
		{"a formula that reads another row, and moved", func(f *excelize.File) { must(t, f.InsertRows("Ads", 2, 1)) },
			func(f *excelize.File) { must(t, f.SetCellFormula("Ads", "H3", "H2&H3")) }, []string{
				`Ads!H4 [hero-b] My note | (blank) ` +
					`| (blank) | =H2&H3 | it is ` +
					`a formula that reads other rows, and its row stands elsewhere in ours`}},
		{"cells that ours merged", func(f *excelize.File) { must(t, f.MergeCell("My sum", "A2", "B2")) },
			typed(t, "My sum!B2", "theirs"), []string{
				`My sum!B2 | (blank) | (blank) | "theirs" ` +
					`| cell B2 lies inside the merged cells A2:B2; want them unmerged`}},
		{"a note", nil, func(f *excelize.File) {
			must(t, f.AddComment("Ads", excelize.Comment{
				Cell: "D2", Author: "Ann", Paragraph: []excelize.RichTextRun{{Text: "why"}},
			}))
		}, []string{`Ads note on [hero-a] title | (none) | (none) | "why" | pictures and notes are not merged`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			ours := mergeBase(t, c.ours)
			m := mergeOf(t, base, ours, mergeBase(t, c.theirs))
			if d := cmp.Diff(c.want, clashes(m)); d != "" {
				t.Errorf("conflicts (-want +got):\n%s", d)
			}
			if changed := changedCells(t, ours, m.Content); len(changed) > 0 {
				t.Errorf("ours changed by %v; want it kept", changed)
			}
		})
	}
}

func TestMergeCarriesDaysAndFormulasOfARow(t *testing.T) {
	base := bookOf(t, campaignsSheet)
	dated := func(f *excelize.File) {
		style, err := f.NewStyle(&excelize.Style{NumFmt: 14})
		must(t, err)
		must(t, f.SetCellValue("Campaigns", "E3", 46357))
		must(t, f.SetCellStyle("Campaigns", "E3", "E3", style))
		must(t, f.SetCellStr("Campaigns", "A3", "Winter"))
		must(t, f.SetCellFormula("Campaigns", "H3", `IF(D3>$D$2,"D3",D3*2)`))
		must(t, f.SetCellStr("Campaigns", "H1", "Mine"))
	}
	ours := bookWith(t, typed(t, "Campaigns!A3", "Autumn"), campaignsSheet)
	m := mergeOf(t, base, ours, bookWith(t, dated, campaignsSheet))
	f := opened(t, m.Content)
	for cell, want := range map[string]string{"A3": "Autumn", "A4": "Winter", "E4": "2026-12-01"} {
		if got, err := f.GetCellValue("Campaigns", cell); err != nil || got != want {
			t.Errorf("%s = %q, %v; want %q", cell, got, err, want)
		}
	}
	if got, err := f.GetCellFormula("Campaigns", "H4"); err != nil || got != `IF(D4>$D$2,"D3",D4*2)` {
		t.Errorf("formula of H4 = %q, %v; want it to read its own row", got, err)
	}
	if len(m.Conflicts) > 0 {
		t.Errorf("conflicts %q", clashes(m))
	}
}

func TestMergeWithoutABaseKeepsWhatDiffersApart(t *testing.T) {
	m := mergeOf(t, nil, mergeBase(t, typed(t, "Ads!D2", "ours")),
		mergeBase(t, typed(t, "Ads!D2", "theirs", "Ads!C6", "Hero X")))
	if got := clashes(m); len(got) != 1 ||
		!strings.Contains(got[0], `Ads!D2 [hero-a] Title | (blank) | "ours" | "theirs"`) || m.Added != 1 {
		t.Errorf("added %d, conflicts %q; want one row and one conflict", m.Added, got)
	}
}

func TestNothingIsMergedOfADamagedWorkbook(t *testing.T) {
	whole := mergeBase(t, nil)
	cut := whole[:len(whole)/2]
	for name, versions := range map[string][3][]byte{
		"base": {cut, whole, whole}, "ours": {whole, cut, whole}, "theirs": {whole, whole, cut},
	} {
		if m, err := diff.Merge(context.Background(), config.Project{}, versions[0], versions[1],
			versions[2], kinds.All()); err == nil || !strings.HasPrefix(err.Error(), name+": ") || m.Content != nil {
			t.Errorf("Merge with %s cut = %v, %v; want nothing but an error", name, m.Content != nil, err)
		}
	}
}

func TestMergeWithItselfChangesNothing(t *testing.T) {
	for _, versions := range [][3]func(*excelize.File){{nil, nil, nil},
		{nil, typed(t, "Ads!D2", "x"), nil}, {nil, nil, nil}} {
		ours := mergeBase(t, versions[1])
		m := mergeOf(t, mergeBase(t, versions[0]), ours, mergeBase(t, versions[2]))
		if !slices.Equal(m.Content, ours) || len(m.Conflicts) > 0 {
			t.Errorf("conflicts %q; ours is %d bytes, merged %d; want ours byte for byte",
				clashes(m), len(ours), len(m.Content))
		}
	}
}

// Whoever merges may take theirs of a conflict that can be taken: a value, a row that one side removed. What cannot be
// taken stays a conflict. Messages call the sides as they are asked to, and formulas that adsync reads are named.
func TestMergeTakesWhatIsChosen(t *testing.T) {
	base := mergeBase(t, nil)
	for _, c := range []struct {
		name         string
		ours, theirs func(*excelize.File)
		want         map[string]string // of ours, what changes
		left         []string
	}{
		{"a value", typed(t, "Ads!D2", "ours"), typed(t, "Ads!D2", "theirs"),
			map[string]string{"Ads!D2": "ours → theirs"}, nil},
		{"a value that theirs cleared", typed(t, "Ads!H2", "ours"), typed(t, "Ads!H2", nil),
			map[string]string{"Ads!H2": "ours → "}, nil},
		{"a row that ours removed", func(f *excelize.File) { must(t, f.RemoveRow("Ads", 4)) },
			typed(t, "Ads!D4", "theirs"), map[string]string{"Ads!A4": " → Spring launch", "Ads!B4": " → Runners",
				"Ads!C4": " → Hero C", "Ads!D4": " → theirs", "Ads!E4": " → Light.",
				"Ads!F4": " → https://shop.example/", "Ads!G4": " → c.png", "Ads!J4": " → created"}, nil},
		{"a row that theirs removed", typed(t, "Ads!D4", "ours"), func(f *excelize.File) {
			must(t, f.RemoveRow("Ads", 4))
		}, map[string]string{"Ads!A4": "Spring launch → ", "Ads!B4": "Runners → ", "Ads!C4": "Hero C → ",
			"Ads!D4": "ours → ", "Ads!E4": "Light. → ", "Ads!F4": "https://shop.example/ → ", "Ads!G4": "c.png → ",
			"Ads!J4": "created → "}, nil},
		{"a sheet, which is not merged", nil, func(f *excelize.File) {
			_, err := f.NewSheet("Mine")
			must(t, err)
			must(t, f.SetCellValue("Mine", "A1", "x"))
		}, map[string]string{}, []string{
			`sheet "Mine" |  |  |  | only yours has it, and a sheet cannot be added by a merge`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			ours := mergeBase(t, c.ours)
			sides := diff.Sides{Ours: "today's", Theirs: "yours", Take: func(diff.Conflict) bool { return true }}
			m, err := diff.MergeSides(context.Background(), config.Project{}, base, ours, mergeBase(t, c.theirs),
				kinds.All(), sides)
			must(t, err)
			if d := cmp.Diff(c.want, changedCells(t, ours, m.Content)); d != "" || !slices.Equal(clashes(m), c.left) {
				t.Errorf("conflicts %q; cells of ours (-want +got):\n%s", clashes(m), d)
			}
			if c.left == nil && (len(m.Took) != 1 || !m.Took[0].Open) {
				t.Errorf("it took %+v; want that it was a conflict", m.Took)
			}
		})
	}
	calculated := mergeBase(t, func(f *excelize.File) { must(t, f.SetCellFormula("Ads", "E4", "D4")) })
	m, err := diff.MergeSides(context.Background(), config.Project{}, calculated, calculated, mergeBase(t,
		func(f *excelize.File) {
			must(t, f.SetCellFormula("Ads", "E4", "D4"))
			must(t, f.SetCellValue("Ads", "D4", "theirs"))
		}), kinds.All(), diff.Sides{Ours: "ours", Theirs: "theirs"})
	must(t, err)
	if len(m.Formulas) != 1 || !strings.HasPrefix(m.Formulas[0], "Ads!E4") {
		t.Errorf("formulas that keep their values are %q; want that of the body", m.Formulas)
	}
}
