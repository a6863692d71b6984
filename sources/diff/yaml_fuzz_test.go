package diff_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"adsync/internal/kinds"
	"adsync/sources/config"
	"adsync/sources/diff"
)

// FuzzMergeYAML gives the three versions any text: it refuses, or what it writes has what it counts; it never panics.
func FuzzMergeYAML(f *testing.F) {
	spring, err := os.ReadFile("../../examples/quickstart/spring.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(spring), strings.Replace(string(spring), "1.25", "1.30", 1),
		strings.Replace(string(spring), "0.90", "0.95", 1))
	f.Add("kind: ad\nkey: a\n", "kind: ad\nkey: a\nname: >-\n  b\n  c\n", "kind: ad\nkey: a\nname: d # e\n")
	f.Add("kind: ad\nkey: a\n", "--- {kind: ad, key: a}\n", "kind: ad\nkey: a\nname: d\n---\nkind: x\nkey: y")
	f.Add("kind: campaign\nkey: a\nad_groups: [{key: b}]", "kind: campaign\nkey: a\nad_groups:\n-\n  key: b\n- key: c",
		"kind: campaign\nkey: a\nad_groups:\n  - {key: b, bid: {max: 1}}\n  - key: d")
	f.Add("\ufeffkind: ad\r\nkey: a\r\n", "kind: ad\r\nkey: a\r\nstatus:\r\n",
		"kind: ad\nkey: a\nstatus: active\n...\n")
	f.Fuzz(func(t *testing.T, base, ours, theirs string) {
		for _, take := range []bool{false, true} {
			sides := diff.Sides{File: "any.yaml", Take: func(diff.Conflict) bool { return take }}
			m, err := diff.MergeSides(context.Background(), config.Project{}, []byte(base), []byte(ours),
				[]byte(theirs), kinds.All(), sides)
			if err != nil {
				return
			}
			if len(m.Took) == 0 && string(m.Content) != ours {
				t.Errorf("nothing is taken, and of %q it is %q", ours, m.Content)
			}
			again, err := diff.MergeSides(context.Background(), config.Project{}, []byte(base), m.Content,
				[]byte(theirs), kinds.All(), diff.Sides{File: "any.yaml"})
			if err != nil || len(again.Took) > 0 {
				t.Errorf("of %q, %q, %q it is %q: merged again it takes %+v, %v", base, ours, theirs, m.Content,
					again.Took, err)
			}
		}
	})
}
