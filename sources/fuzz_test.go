package sources

import (
	"context"
	"testing"
	"time"

	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/sources/bounded"
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
	in := input{
		schemas: kinds.All(), env: resource.Env{Currency: "USD", Zone: time.UTC},
		bounds: bounded.Defaults(), words: newVocabularies(kinds.All()),
	}
	in.attach = func(name string, at diag.Position) ([]byte, string, *resource.Finding) {
		return []byte("a\nb\n"), name, nil
	}
	tree, err := openTree(Project{Root: f.TempDir()})
	must(f, err)
	defer tree.close()
	f.Fuzz(func(t *testing.T, content []byte) {
		r := readYAML(context.Background(), "f.yaml", content, in)
		if r.rows.Read != r.rows.Used+r.rows.Ignored+r.rows.Failed {
			t.Errorf("rows = %+v, want a sum that holds", r.rows)
		}
		if r.rows.Read == 0 && len(r.problems) == 0 {
			t.Error("nothing was read and nothing is said; want a problem")
		}
		if r.rows.Failed > 0 && !diag.HasErrors(r.problems) {
			t.Errorf("%d rows failed without an error", r.rows.Failed)
		}
		checkCollected(t, newCollection(in.schemas, tree), r)
	})
}

// checkCollected holds that what a reader makes either has a place or a problem.
func checkCollected(t *testing.T, c *collection, r result) {
	t.Helper()
	d := c.collect([]file{{name: "f.yaml"}}, []result{r})
	if d.Snapshot.Len() < len(r.drafts) && !diag.HasErrors(d.Problems) {
		t.Errorf("%d drafts made %d resources and no error says why", len(r.drafts), d.Snapshot.Len())
	}
}
