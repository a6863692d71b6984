package bench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// performance.md: the floor of a full create, and what one page or job more than
// fits costs. Result pages count the parents that are repeated.
func TestBoundsOfACreate(t *testing.T) {
	for _, row := range []struct {
		shape       Shape
		jobs, pages int
	}{
		{Trees(15_000), 16, 151},
		{Of(1000, 5, 1, 3), 12, 112},
		{Of(10, 500, 1, 3), 11, 101},
		{Of(1, 5000, 1, 3), 11, 101},
		{Of(1, 1, 5000, 3), 6, 51},
		{Of(333, 1, 1, 3), 1, 10},
		{Of(334, 1, 1, 3), 2, 11},
		{Of(1, 1, 1, 3), 1, 1},
		{Shape{}, 0, 0},
	} {
		if jobs, pages := row.shape.Creates(); jobs != row.jobs || pages != row.pages {
			t.Errorf("%v.Creates() = %d jobs, %d pages; want %d, %d", row.shape, jobs, pages, row.jobs, row.pages)
		}
	}
}

func TestBoundsOfARefresh(t *testing.T) {
	for shape, want := range map[Shape]int{
		Trees(15_000): 30, Of(1, 5000, 1, 3): 21, {}: 3, Of(1, 1, 1, 0): 3, Of(501, 1, 1, 0): 6,
	} {
		if got := shape.Refresh(); got != want {
			t.Errorf("%v.Refresh() = %d pages; want %d", shape, got, want)
		}
	}
}

// Of 300 resources each request of a command was looked at and has its reason.
func TestBoundsOfCommands(t *testing.T) {
	shape := Trees(300)
	for name, row := range map[string][2]int{
		"a first plan": {Shape{}.Plan(), 5}, "a plan": {shape.Plan(), 6},
		"a full create": {shape.FullCreate(), 19}, "an export": {shape.Export(), 9},
		"a daemon's first run": {shape.FirstRun(), 8}, "an edit": {shape.Edit(), 16},
		"an edit of 15,000": {Trees(15_000).Edit(), 30 + 2 + 1 + 2 + 3 + 10 + 2 + 30 + 10},
	} {
		if row[0] != row[1] {
			t.Errorf("%s takes %d requests at the least; want %d", name, row[0], row[1])
		}
	}
}

// The same shape gives the same bytes, and one edit in a hundred is one.
func TestAccountsAreTheSameEachTime(t *testing.T) {
	shape := Trees(1_500)
	first, again := t.TempDir(), t.TempDir()
	for _, dir := range []string{first, again} {
		if _, err := shape.WriteYAML(dir, 100); err != nil {
			t.Fatal(err)
		}
		if _, err := shape.WriteCSV(dir); err != nil {
			t.Fatal(err)
		}
	}
	names, err := filepath.Glob(filepath.Join(first, "*"))
	if err != nil || len(names) != 5+2 {
		t.Fatalf("%d files, %v; want 5 of YAML, one of CSV and the project", len(names), err)
	}
	for _, name := range names {
		if read(t, name) != read(t, filepath.Join(again, filepath.Base(name))) {
			t.Errorf("%s differs from one time to the next", filepath.Base(name))
		}
	}
}

// Amounts that counted up would be held as a slip of the hand, in a workbook.
func TestAmountsDoNotCountUp(t *testing.T) {
	shape := Trees(15_000)
	for i := range shape.Campaigns - 3 {
		if step := uneven(i+1, 700) - uneven(i, 700); step == uneven(i+2, 700)-uneven(i+1, 700) &&
			step == uneven(i+3, 700)-uneven(i+2, 700) {
			t.Errorf("the budgets of campaigns %d to %d count by %d", i, i+3, step)
		}
	}
}

// One in a hundred of a kind is, however few the campaigns are.
func TestEditsOfOtherShapes(t *testing.T) {
	for shape, want := range map[Shape][3]int{
		Of(50, 100, 1, 3): {1, 50, 50}, Of(1, 5000, 1, 3): {0, 50, 50},
		Of(2, 1, 500, 3): {0, 0, 10}, Trees(15_000): {50, 50, 50},
	} {
		if c, g, a := shape.Edits(); [3]int{c, g, a} != want {
			t.Errorf("%v.Edits() = %d, %d, %d; want %v", shape, c, g, a, want)
		}
	}
}

func TestOneInAHundredIsEdited(t *testing.T) {
	shape, dir := Trees(1_500), t.TempDir()
	if _, err := shape.WriteYAML(dir, 0); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "part-0000.yaml")
	before := strings.Split(read(t, name), "\n")
	shape.Edited = true
	if _, err := shape.WriteYAML(dir, 0); err != nil {
		t.Fatal(err)
	}
	differ := 0
	for i, line := range strings.Split(read(t, name), "\n") {
		if line != before[i] {
			differ++
		}
	}
	if campaigns, groups, ads := shape.Edits(); campaigns != 5 || groups != 5 || ads != 5 || differ != 15 {
		t.Errorf("%d campaigns, %d ad groups and %d ads are edited and %d lines differ; want 5 of each of 1,500",
			campaigns, groups, ads, differ)
	}
}

// The floor writes what it is given, reads it again, and fails on a file that is
// not there.
func TestFloorsDoWhatTheySay(t *testing.T) {
	shape, dir := Trees(30), t.TempDir()
	paths, err := shape.WriteYAML(dir, 5)
	if err != nil || len(paths) != 2 {
		t.Fatalf("WriteYAML = %q, %v; want two files", paths, err)
	}
	book, err := shape.WriteWorkbook(dir)
	if err != nil {
		t.Fatal(err)
	}
	table, err := shape.WriteCSV(dir)
	if err != nil {
		t.Fatal(err)
	}
	answers := filepath.Join(dir, "pages.json")
	if err := os.WriteFile(answers, []byte(`{"data": [1]}{"data": []}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, of := range map[string][]string{
		"yaml-nodes": paths, "rows": {book}, "csv-records": {table}, "json-pages": {answers},
	} {
		if err := Floors[name](of...); err != nil {
			t.Errorf("the floor %s: %v", name, err)
		}
		if err := Floors[name](filepath.Join(dir, "gone")); err == nil {
			t.Errorf("the floor %s reads a file that is not there", name)
		}
	}
	for _, name := range []string{"sqlite-write", "sqlite-load"} {
		if err := Floors[name](paths[0]); err != nil {
			t.Errorf("the floor %s: %v", name, err)
		}
	}
	for name, prepare := range Timed {
		run, err := prepare(book)
		if err != nil {
			t.Fatalf("the floor %s: %v", name, err)
		}
		if err := run(); err != nil {
			t.Errorf("the floor %s: %v", name, err)
		}
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
