package sources_test

import (
	"context"
	"testing"
	"time"

	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/sources"
	"adsync/sources/bounded"
	"adsync/sources/config"
	"adsync/sources/draft"
	"adsync/sources/tree"
	"adsync/sources/yamlfile"
)

// FuzzYAML holds that no bytes make the reader panic, run without an end or
// lose a row: every document is used, or failed with a problem that says why.
func FuzzYAML(f *testing.F) {
	for _, seed := range []string{
		springCampaign, twoCampaigns, standAloneAd,
		accountTree, "kind: defaults\nad: {status: active}\n", "kind: template\nkey: a\nad: {status: active}\n",
		"kind: hint_list\nkey: a\nhints: [{file: a}, {list: b}, ~]\n",
		"a: &a [*a]\n", "<<: {}\n", "? {}\n: x\n", "kind: [[[[]]]]\n", "!!binary x\n", "--- |\n x\n...\n",
		springCampaign + "product_set: {a: [1, .5, x], b: ~}\nbudget: {daily: 010}\n",
		"kind: ad_group\nproduct_set: {a: {b: 0x1}}\n",
		"\ufeffkind: ad\n", "%YAML 1.1\n---\nkind: ad\n", "kind: ad\ncampaign: \nad_group: []\nuse: x\n",
	} {
		f.Add([]byte(seed))
	}
	in := draft.Input{
		Schemas: kinds.All(), Env: resource.Env{Currency: "USD", Zone: time.UTC},
		Bounds: bounded.Defaults(), Words: draft.NewVocabularies(kinds.All()),
	}
	in.Attach = func(name string, at diag.Position) ([]byte, string, *resource.Finding) {
		return []byte("a\nb\n"), name, nil
	}
	opened, err := tree.Open(config.Project{Root: f.TempDir()})
	must(f, err)
	defer opened.Close()
	f.Fuzz(func(t *testing.T, content []byte) {
		r := yamlfile.Read(context.Background(), "f.yaml", content, in)
		if r.Rows.Read != r.Rows.Used+r.Rows.Ignored+r.Rows.Failed {
			t.Errorf("rows = %+v, want a sum that holds", r.Rows)
		}
		if r.Rows.Read == 0 && len(r.Problems) == 0 {
			t.Error("nothing was read and nothing is said; want a problem")
		}
		if r.Rows.Failed > 0 && !diag.HasErrors(r.Problems) {
			t.Errorf("%d rows failed without an error", r.Rows.Failed)
		}
		checkCollected(t, sources.Collect(in.Schemas, opened, []tree.File{{Name: "f.yaml"}}, []draft.Result{r}), r)
	})
}

// checkCollected holds that what a reader makes either has a place or a problem.
func checkCollected(t *testing.T, d sources.Desired, r draft.Result) {
	t.Helper()
	if d.Snapshot.Len() < len(r.Drafts) && !diag.HasErrors(d.Problems) {
		t.Errorf("%d drafts made %d resources and no error says why", len(r.Drafts), d.Snapshot.Len())
	}
}
