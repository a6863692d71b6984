package sources_test

import (
	"bytes"
	"context"
	"testing"

	"adsync/internal/kinds"
	"adsync/internal/testing/bench"
	"adsync/sources"
	"adsync/sources/config"
	"adsync/sources/workbook"
)

// BenchmarkWriteYAML is an account of 15,000 resources as a folder of files, and
// as what one file would hold: the writer alone, without its cuts.
func BenchmarkWriteYAML(b *testing.B) {
	dir, shape := b.TempDir(), bench.Trees(15_000)
	_, err := shape.WriteYAML(dir, 100)
	must(b, err)
	p, _ := config.ReadProject(dir)
	d := sources.Load(context.Background(), p, kinds.All())
	env, err := p.Env()
	must(b, err)
	b.Run("files", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if files, err := workbook.YAMLFiles(p, kinds.All(), d.Snapshot, env); err != nil || len(files) == 0 {
				b.Fatalf("%d files, %v", len(files), err)
			}
		}
	})
	b.Run("writer", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var out bytes.Buffer
			must(b, workbook.WriteYAML(&out, kinds.All(), d.Snapshot, env))
		}
	})
}
