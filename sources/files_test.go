package sources_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/sources"
	"adsync/sources/bounded"
	"adsync/sources/config"
)

func TestWhatIsASource(t *testing.T) {
	named := func(name string) string { return strings.ReplaceAll(springCampaign, "Spring", name) }
	dir := folder(t, map[string]string{
		"spring.yaml":            named("Spring"),
		"2026/q4/winter.yml":     named("Winter"),
		"notes.txt":              "not a source",
		".hidden.yaml":           "not: a source",
		".adsync/state.yaml":     "not: a source",
		".git/config.yaml":       "not: a source",
		"~$book.xlsx":            "an editor's lock",
		"spring.yaml.tmp":        "half written",
		"spring.yaml~":           "a backup",
		"#spring.yaml#":          "a backup",
		"ads.yaml.orig":          "a backup",
		"q4.result.xlsx":         "adsync's own copy",
		"A1B2C3D4":               "a save of Excel in progress",
		"other/adsync.yaml":      "account: {id: other}\n",
		"other/campaign.yaml":    named("Other"),
		"adsync.yaml":            "account: {id: acct_1, currency: USD, timezone: UTC}\n",
		"images/notes/README.md": "not a source",
	})
	d := load(t, dir)
	var files []string
	for _, s := range d.Sources {
		files = append(files, s.File)
	}
	if got := fmt.Sprint(files); got != "[2026/q4/winter.yml spring.yaml]" {
		t.Errorf("Load reads %s, want the two sources in order", got)
	}
	wantProblem(t, d, "other: warning: folder holds another adsync.yaml")
	if diag.HasErrors(d.Problems) {
		t.Errorf("Load found\n%swant no error", printed(d.Problems))
	}
}

func TestGlobsNameSourcesExactly(t *testing.T) {
	for _, row := range []struct {
		glob, name string
		want       bool
	}{
		{"ads.yaml", "ads.yaml", true},
		{"ads.yaml", "q4/ads.yaml", false},
		{"*.yaml", "q4/ads.yaml", false},
		{"**/*.yaml", "ads.yaml", true},
		{"**/*.yaml", "2026/q4/ads.yaml", true},
		{"2026/**", "2026/q4/ads.yaml", true},
		{"2026/*/ads.yaml", "2026/q4/ads.yaml", true},
		{"2026/*/ads.yaml", "2026/q4/old/ads.yaml", false},
		{"*.yaml", "ads copy.yml", false},
	} {
		g, err := bounded.NewGlob(row.glob)
		if err != nil {
			t.Fatal(err)
		}
		if got := g.Matches(row.name); got != row.want {
			t.Errorf("glob %q matches %q = %v, want %v", row.glob, row.name, got, row.want)
		}
		if folder := filepath.ToSlash(filepath.Dir(row.name)); row.want && !g.Reaches(folder) {
			t.Errorf("glob %q reaches %q = false, want true", row.glob, folder)
		}
	}
	for _, bad := range []string{"", "/etc/*.yaml", "../*.yaml", "a/../b.yaml", `a\*.yaml`, "[a.yaml", "a//b"} {
		if g, err := bounded.NewGlob(bad); err == nil {
			t.Errorf("newGlob(%q) = %v, want an error", bad, g)
		}
	}
}

func TestNothingIsNeverAnEmptySet(t *testing.T) {
	for _, row := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"no file", nil, "no source is there; want at " +
			"least one .yaml, .yml, .xlsx or .csv file in the project's folder (ADS1018)"},
		{"files without a resource", map[string]string{"lists.yaml": "kind: hint_list\nkey: a\nhints: [b]\n"},
			"the sources hold no resource; want at least one (ADS1018)"},
		{"a glob without a file", map[string]string{"adsync.yaml": "sources: [ads.yaml, gone/*.yaml]\n",
			"ads.yaml": springCampaign}, `adsync.yaml:1:21: sources has "gone/*.yaml", and no file is there`},
		{"a file of another format", map[string]string{"adsync.yaml": "sources: ['*.txt']\n", "ads.txt": "x"},
			"ads.txt: file is of no format this version reads"},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := load(t, folder(t, row.files))
			wantProblem(t, d, row.want)
			if !diag.HasErrors(d.Problems) {
				t.Error("Load found no error, want one")
			}
		})
	}
	if d := sources.Load(context.Background(), config.Project{
		Root: filepath.Join(t.TempDir(), "gone"), Sources: config.DefaultSources,
	},
		kinds.All()); !diag.HasErrors(d.Problems) || d.Snapshot == nil {
		t.Errorf("Load of a missing folder = %v, want an error and an empty snapshot", d.Problems)
	}
}

func TestAStopBetweenFilesIsAnError(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	p, _ := config.ReadProject(folder(t, map[string]string{"spring.yaml": springCampaign}))
	wantProblem(t, sources.Load(ctx, p, kinds.All()), "spring.yaml: reading was stopped before this file")
}

// A name that another system spells in capitals is not passed over in silence.
func TestASourceNamedInCapitalsIsSaid(t *testing.T) {
	dir := folder(t, map[string]string{
		"spring.yaml": springCampaign, "Q4.YAML": springCampaign,
		"EXPORT.XLSX": "x", "private/PEOPLE.CSV": "x", "README.MD": "x",
	})
	d := load(t, dir)
	wantProblem(t, d, "Q4.YAML: warning: file ends in .YAML and is not read; want .yaml")
	wantProblem(t, d, "EXPORT.XLSX: warning: file ends in .XLSX and is not read; want .xlsx")
	if len(d.Problems) != 2 {
		t.Errorf("Load found\n%swant the two sources alone", printed(d.Problems))
	}
	write(t, filepath.Join(dir, "adsync.yaml"), "sources: [Q4.YAML]\n")
	wantClean(t, load(t, dir))
}

// The name of a file may be of any bytes; a folder's has to be UTF-8, and is said.
func TestNamesThatAreNotUTF8(t *testing.T) {
	wantClean(t, load(t, folder(t, map[string]string{"caf\xe9.yaml": springCampaign})))
	d := load(t, folder(t, map[string]string{"spring.yaml": springCampaign, "bilder-\xe9/a.txt": "x"}))
	wantRefused(t, d, "folder has a name that is not UTF-8, and cannot be read; want one that is")
	wantClean(t, load(t, folder(t, map[string]string{
		"adsync.yaml": "sources: [spring.yaml]\n", "spring.yaml": springCampaign, "bilder-\xe9/a.txt": "x",
	})))
}
