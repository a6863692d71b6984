package sources_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"adsync/internal/kinds"
	"adsync/sources/config"
	"adsync/sources/diff"

	"github.com/xuri/excelize/v2"
)

// TestRowsThatAreSortedAreSaid: cells go along to wherever their row stands in ours, whose order stays; that theirs has
// another one is said, and only that.
func TestRowsThatAreSortedAreSaid(t *testing.T) {
	const a, b, c = "One,active,10.00,,one", "Two,active,20.00,,two", "Three,active,30.00,,three"
	for _, row := range []struct {
		name         string
		ours, theirs []string
		sorted       bool
		want         []string
	}{
		{"theirs is sorted", []string{a, b, c}, []string{c, b, a}, true, []string{a, b, c}},
		{"theirs is sorted and edited, ours is edited", []string{a, edit(b), c}, []string{edit(c), a, b}, true,
			[]string{a, edit(b), edit(c)}},
		{"ours is sorted", []string{c, a, b}, []string{a, edit(b), c}, false, []string{c, a, edit(b)}},
		{"both are sorted alike", []string{c, a, b}, []string{c, a, edit(b)}, false, []string{c, a, edit(b)}},
		{"both are sorted, otherwise", []string{c, a, b}, []string{b, c, a}, true, []string{c, a, b}},
		{"neither is", []string{a, b, edit(c)}, []string{edit(a), b, c}, false, []string{edit(a), b, edit(c)}},
		{"theirs has no more of a row", []string{a, b, c}, []string{a, c}, false, []string{a, "", c}},
		{"ours has no more of the row that moved", []string{a, b}, []string{c, a, b}, false, []string{a, b}},
		{"theirs has a new row before the others", []string{a, b, c}, []string{"New,active,5.00,,new", a, b, c}, false,
			[]string{a, b, c, "New,active,5.00,,new"}},
		{"theirs has a blank row", []string{a, b, c}, []string{a, "", b, c}, false, []string{a, b, c}},
	} {
		for _, form := range []string{"campaigns.csv", "q4.xlsx"} {
			t.Run(row.name+" in "+form, func(t *testing.T) {
				write, read := csvOfRows, rowsOfCSV
				if form == "q4.xlsx" {
					write, read = bookOfRows, rowsOfBook
				}
				m, err := diff.MergeSides(t.Context(), config.Project{},
					write(t, []string{a, b, c}), write(t, row.ours), write(t, row.theirs),
					kinds.All(), diff.Sides{File: form, Ours: "ours", Theirs: "theirs"})
				must(t, err)
				want := []string(nil)
				if row.sorted {
					want = []string{map[string]string{"campaigns.csv": "campaigns.csv", "q4.xlsx": "Campaigns"}[form]}
				}
				if !slices.Equal(m.Sorted, want) {
					t.Errorf("sorted otherwise are %q; want %q", m.Sorted, want)
				}
				wants := slices.DeleteFunc(slices.Clone(row.want), func(line string) bool { return line == "" })
				if is := read(t, m.Content); !slices.Equal(is, wants) || len(m.Conflicts) > 0 {
					t.Errorf("merged are %q, conflicts %v; want %q", is, m.Conflicts, wants)
				}
			})
		}
	}
}

func edit(line string) string { return strings.Replace(line, ".00", ".50", 1) }

const campaignHeader = "Campaign,Status,Daily budget (USD),Notes,Key"

func csvOfRows(_ testing.TB, rows []string) []byte {
	return []byte(campaignHeader + "\n" + strings.Join(rows, "\n") + "\n")
}

func rowsOfCSV(_ testing.TB, content []byte) []string {
	_, rows, _ := strings.Cut(strings.TrimSpace(string(content)), "\n")
	return strings.Split(rows, "\n")
}

func bookOfRows(t testing.TB, rows []string) []byte {
	t.Helper()
	f := excelize.NewFile()
	defer f.Close()
	must(t, f.SetSheetName("Sheet1", "Campaigns"))
	for i, row := range append([]string{campaignHeader}, rows...) {
		for column, text := range strings.Split(row, ",") {
			if text != "" {
				must(t, f.SetCellStr("Campaigns", fmt.Sprintf("%c%d", 'A'+column, i+1), text))
			}
		}
	}
	var out bytes.Buffer
	must(t, f.Write(&out))
	return out.Bytes()
}

func rowsOfBook(t testing.TB, content []byte) (lines []string) {
	t.Helper()
	rows, err := opened(t, content).GetRows("Campaigns")
	must(t, err)
	for _, row := range rows[1:] {
		if len(row) > 0 {
			lines = append(lines, strings.Join(row, ","))
		}
	}
	return lines
}
