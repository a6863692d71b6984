package sources_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"testing"

	"adsync/internal/kinds"
	"adsync/internal/testing/bench"
	"adsync/sources"
	"adsync/sources/config"

	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// writeAccount writes an account of n campaigns, each with one ad group and one
// ad, into files of at most so many campaigns, and gives their bytes.
func writeAccount(t testing.TB, dir string, campaigns, perFile int) [][]byte {
	t.Helper()
	paths, err := bench.Trees(3*campaigns).WriteYAML(dir, perFile)
	must(t, err)
	contents := make([][]byte, len(paths))
	for i, path := range paths {
		contents[i], err = os.ReadFile(path)
		must(t, err)
	}
	return contents
}

const accountTree = `---
kind: campaign
key: campaign-%d
name: Campaign %d
status: paused
bidding_type: clicks
budget: {lifetime: 1500.00}
targeting:
  countries: [US, CA]
ad_groups:
  - key: runners
    name: Runners %d
    status: active
    bid: {max: 1.25}
    context_hints:
      - people comparing trail running shoes
      - people who run in mud
    ads:
      - key: hero
        title: Shoes for muddy trails
        body: Light, grippy trail shoes. Free returns.
        target_url: https://shop.example/trail/%d
        image: https://cdn.example/images/hero.png
        status: active
`

// The goal of an offline plan is 180 allocations a resource, of which the YAML
// parser takes 90; they grow with the account and no faster.
func TestAllocationsAResource(t *testing.T) {
	withoutRaceDetector(t)
	perResource := func(campaigns int) float64 {
		dir := t.TempDir()
		writeAccount(t, dir, campaigns, 100)
		p, _ := config.ReadProject(dir)
		schemas := kinds.All()
		return testing.AllocsPerRun(1, func() { sources.Load(context.Background(), p, schemas) }) / float64(3*campaigns)
	}
	small, large := perResource(200), perResource(2_000)
	if large > 120 || large > small*1.1 {
		t.Errorf("Load takes %.0f allocations a resource "+
			"for 600 resources and %.0f for 6,000, want at most 120 and no growth", small, large)
	}
}

func BenchmarkLoad(b *testing.B) {
	dir := b.TempDir()
	writeAccount(b, dir, 5_000, 100)
	p, _ := config.ReadProject(dir)
	b.ReportAllocs()
	for b.Loop() {
		d := sources.Load(context.Background(), p, kinds.All())
		if d.Snapshot.Len() != 15_000 || len(d.Problems) > 0 {
			b.Fatalf("Load = %d resources, %v; want 15,000 and no problem", d.Snapshot.Len(), d.Problems)
		}
	}
}

// BenchmarkBareDecode is the floor: the same bytes as nodes, and nothing else.
func BenchmarkBareDecode(b *testing.B) {
	contents := writeAccount(b, b.TempDir(), 5_000, 100)
	b.ReportAllocs()
	for b.Loop() {
		for _, content := range contents {
			decodeAll(b, content)
		}
	}
}

func decodeAll(t testing.TB, content []byte) {
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	for {
		var node yaml.Node
		err := decoder.Decode(&node)
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
