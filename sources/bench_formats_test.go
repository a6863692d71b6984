package sources_test

import (
	"context"
	"path/filepath"
	"testing"

	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/internal/testing/bench"
	"adsync/sources"
	"adsync/sources/config"
)

// The accounts of the benchmarks say the same in every format, and nothing of them
// is wrong, so that their figures are of the same work.
func TestBenchmarkAccountsAreTheSameInEveryFormat(t *testing.T) {
	for _, shape := range []bench.Shape{bench.Trees(90),
		{Campaigns: 2, AdGroups: 20, Ads: 2, Hints: 60}, {Campaigns: 30, AdGroups: 2, Ads: 1, Hints: 3, Edited: true}} {
		dir := t.TempDir()
		loaded := map[string]*resource.Snapshot{}
		for format, write := range map[string]func(string) error{
			"one file":   func(dir string) error { _, err := shape.WriteYAML(dir, 0); return err },
			"many files": func(dir string) error { _, err := shape.WriteYAML(dir, 7); return err },
			"workbook":   func(dir string) error { _, err := shape.WriteWorkbook(dir); return err },
			"CSV":        func(dir string) error { _, err := shape.WriteCSV(dir); return err },
		} {
			folder := filepath.Join(dir, format)
			must(t, write(folder))
			p, problems := config.ReadProject(folder)
			d := sources.Load(context.Background(), p, kinds.All())
			if len(problems)+len(d.Problems) > 0 || d.Snapshot.Len() != shape.Resources() {
				t.Errorf("%s of %s = %d resources, %v%s; want %d and no problem",
					format, shape, d.Snapshot.Len(), problems, printed(d.Problems), shape.Resources())
			}
			loaded[format] = d.Snapshot
		}
		for format, s := range loaded {
			if err := sources.Differs(kinds.All(), loaded["one file"], s); err != nil {
				t.Errorf("%s of %s: %v", format, shape, err)
			}
		}
	}
}
