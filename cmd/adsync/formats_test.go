package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"adsync/cmd/adsync/internal/session"
	"adsync/internal/kinds"
	"adsync/internal/resource"
	_ "adsync/internal/testing/drawn"
	"adsync/plan"
	"adsync/plan/compare"
	"adsync/sources"
	"adsync/sources/config"
	"adsync/sources/workbook"

	"pgregory.net/rapid"
)

// The same account in every format gives the same plan, byte for byte but for
// the positions.
func TestTheFormatDoesNotChangeThePlan(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		s := drawAccount(rt)
		account := config.Account{ID: "act_1", Currency: "USD", TimeZone: "UTC"}
		want := ""
		for _, format := range []struct {
			name  string
			write func(dir string) error
		}{
			{"YAML", func(dir string) error {
				return inFile(dir, "ads.yaml", func(b *bytes.Buffer) error {
					return workbook.WriteYAML(b, session.Schemas(), s, resource.Env{Currency: "USD"})
				})
			}},
			{"workbook", func(dir string) error {
				return inFile(dir, "ads.xlsx", func(b *bytes.Buffer) error {
					return workbook.WriteWorkbook(b, session.Schemas(), s, account)
				})
			}},
			{"CSV", func(dir string) error {
				return inFile(dir, "ads.csv", func(b *bytes.Buffer) error {
					return workbook.WriteCSV(b, session.Schemas(), s, account)
				})
			}},
			{"CSV files", func(dir string) error {
				files, err := workbook.WriteCSVFiles(session.Schemas(), s, account)
				for name, content := range files {
					if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
						return err
					}
				}
				return err
			}},
		} {
			dir, err := os.MkdirTemp(t.TempDir(), "")
			if err != nil {
				rt.Fatal(err)
			}
			if err := format.write(dir); err != nil {
				rt.Fatalf("%s: %v", format.name, err)
			}
			got := planOf(rt, dir)
			if want == "" {
				want = got
			}
			if got != want {
				rt.Fatalf("plan of %s =\n%s\nwant that of YAML\n%s", format.name, got, want)
			}
		}
	})
}

func inFile(dir, name string, write func(*bytes.Buffer) error) error {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name), b.Bytes(), 0o600)
}

// planOf is the JSON of the plan that makes an empty account what a folder says,
// without positions.
func planOf(t *rapid.T, dir string) string {
	project, problems := config.ReadProject(dir)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	d := sources.Load(context.Background(), project, session.Schemas())
	for _, p := range d.Problems {
		if p.Severity == "error" {
			t.Fatalf("problem: %s", p)
		}
	}
	raw, err := json.Marshal(compare.Diff(plan.Input{
		Schemas: session.Schemas(), Policy: plan.DefaultPolicy(),
		Desired: d.Snapshot, Live: &resource.Snapshot{}, Last: &resource.Snapshot{},
	}))
	if err != nil {
		t.Fatal(err)
	}
	var document any
	if err := json.Unmarshal(raw, &document); err != nil {
		t.Fatal(err)
	}
	stripped, err := json.MarshalIndent(withoutPositions(document), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(stripped)
}

func withoutPositions(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for _, key := range []string{"position", "file", "sheet", "cell", "line", "column"} {
			delete(value, key)
		}
		for key := range value {
			value[key] = withoutPositions(value[key])
		}
	case []any:
		for i := range value {
			value[i] = withoutPositions(value[i])
		}
	}
	return value
}

// drawAccount draws trees with texts that formats write each in its own way.
func drawAccount(t *rapid.T) *resource.Snapshot {
	texts := rapid.SampledFrom([]string{"Plain text", "00123", "=1+1 shoes",
		"'quoted", "Größe – 20 €", "two\nlines", `a "quoted" word`, "comma, semicolon; tab", "#hash tag", "1e6",
		"TRUE", "-5 degrees", "@home", "😀 שלום", "2026-12-01", "[clear] sky", "mar-5", "spaces  inside", "sep=;"})
	name := rapid.Custom(func(t *rapid.T) string {
		return fmt.Sprintf("%s %d", texts.Draw(t, "text"), rapid.IntRange(0, 999).Draw(t, "number"))
	})
	s := &resource.Snapshot{}
	add := func(r *resource.Resource, attributes ...any) *resource.Resource {
		for i := 0; i < len(attributes); i += 2 {
			r.Set(attributes[i].(string), attributes[i+1].(resource.Value))
		}
		s.Add(r)
		return r
	}
	for i := range rapid.IntRange(1, 3).Draw(t, "campaigns") {
		key := fmt.Sprintf("%s%d", rapid.SampledFrom([]string{"c", "0", "1e", "mar-"}).Draw(t, "key"), i)
		c := add(&resource.Resource{Address: resource.Address{Kind: kinds.Campaign, Key: key}},
			"name", resource.Text(name.Draw(t, "name")+strings.Repeat("x", i)),
			"bidding_type", resource.Text("clicks"), "status", resource.Text("paused"),
			"budget.daily", resource.Number(rapid.Int64Range(1_000_000, 1_000_000_000).Draw(t, "budget")),
			"start", resource.Text("2026-12-01"), "end", resource.Null(),
			"targeting.countries", resource.List([]string{"CA", "NO"}),
			"description", resource.Text(texts.Draw(t, "description")))
		for j := range rapid.IntRange(0, 2).Draw(t, "groups") {
			g := add(&resource.Resource{Address: c.Address.Down(kinds.AdGroup, fmt.Sprintf("%d", j))},
				"name", resource.Text(fmt.Sprintf("%s %d", name.Draw(t, "name"), j)),
				"bid.max", resource.Number(rapid.Int64Range(1, 5_000_000).Draw(t, "bid")),
				"context_hints", resource.List([]string{texts.Draw(t, "hint") + " a", texts.Draw(t, "hint") + " b"}))
			add(&resource.Resource{Address: g.Address.Down(kinds.Ad, "ad"), ID: fmt.Sprintf("00042%d%d", i, j)},
				"title", resource.Text("Title"), "body", resource.Text(texts.Draw(t, "body")), "target_url",
				resource.Text("https://shop.example/?a=1,2;3"), "image", resource.Text("https://img.example/a.png"))
		}
	}
	add(&resource.Resource{Address: resource.Address{Kind: kinds.DailySpendLimit, Key: "2026-12-01"}},
		"amount", resource.Number(400_000_000), "start", resource.Text("2026-12-01"))
	add(&resource.Resource{Address: resource.Address{Kind: kinds.SpendLimitWindow, Key: "december"}}, "amount",
		resource.Number(5_000_000_000), "start", resource.Text("2026-12-01"), "end", resource.Text("2026-12-31"))
	return s
}
