package yamlfmt

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// campaigns is an order as a reader of campaigns would give it.
func campaigns(value func(string) string) *Order {
	hints := &Order{Keys: []string{"key", "name", "status", "hints"}, Last: []string{"ads"}}
	return map[string]*Order{"campaign": {
		Keys: []string{"kind", "key", "name", "status", "budget", "targeting"}, Last: []string{"ad_groups"},
		Below: map[string]*Order{
			"budget":    {Keys: []string{"daily", "lifetime"}},
			"targeting": {Keys: []string{"countries", "platforms"}}, "ad_groups": hints,
		},
	}}[value("kind")]
}

var style = Style{Order: campaigns, Quoted: func(s string) bool { return s == "clear" }}

// TestFormat holds each file NAME.yaml of testdata against NAME.want.yaml.
func TestFormat(t *testing.T) {
	names, err := filepath.Glob("testdata/*.in.yaml")
	if err != nil || len(names) == 0 {
		t.Fatalf("no testdata: %v", err)
	}
	for _, name := range names {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(strings.Replace(name, ".in.", ".want.", 1))
		if err != nil {
			t.Fatal(err)
		}
		got, err := Format(content, style)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		again, err := Format(got, style)
		if err != nil || string(again) != string(got) {
			t.Errorf("%s is not stable: %v\n%s", name, err, cmp.Diff(string(got), string(again)))
		}
	}
}
