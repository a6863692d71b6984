package sources_test

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"

	"adsync/internal/diag"
	"adsync/internal/kinds"
	"adsync/internal/resource"
	_ "adsync/internal/testing/drawn"
	"adsync/sources"
	"adsync/sources/bounded"
	"adsync/sources/config"
	"adsync/sources/tree"
	"adsync/sources/workbook"

	"pgregory.net/rapid"
)

// read reads contents as a project of their own.
func readContents(t testing.TB, p config.Project, contents map[string][]byte) *resource.Snapshot {
	t.Helper()
	d := sources.LoadContents(context.Background(), p, kinds.All(), contents)
	if diag.HasErrors(d.Problems) {
		t.Fatalf("LoadContents found\n%s", printed(d.Problems))
	}
	return d.Snapshot
}

// TestEveryFormatSaysTheSame goes from one format to the next: what a format
// says is what the next one says, until one cannot and says so.
func TestEveryFormatSaysTheSame(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	p := config.Project{Root: t.TempDir(), Account: dollars}
	env := resource.Env{Currency: "USD"}
	one := func(name string,
		write func(*bytes.Buffer, *resource.Snapshot) error) func(*resource.Snapshot) (map[string][]byte, error) {
		return func(s *resource.Snapshot) (map[string][]byte, error) {
			var b bytes.Buffer
			err := write(&b, s)
			return map[string][]byte{name: b.Bytes()}, err
		}
	}
	formats := []struct {
		name  string
		write func(*resource.Snapshot) (map[string][]byte, error)
	}{
		{"YAML", one("a.yaml", func(b *bytes.Buffer, s *resource.Snapshot) error {
			return workbook.WriteYAML(b, kinds.All(), s, env)
		})},
		{"workbook", one("a.xlsx", func(b *bytes.Buffer, s *resource.Snapshot) error {
			return workbook.WriteWorkbook(b, kinds.All(), s, dollars)
		})},
		{"YAML files", func(s *resource.Snapshot) (map[string][]byte, error) {
			return workbook.YAMLFiles(p, kinds.All(), s, env)
		}},
		{"CSV", one("a.csv", func(b *bytes.Buffer, s *resource.Snapshot) error {
			return workbook.WriteCSV(b, kinds.All(), s, dollars)
		})},
		{"CSV files", func(s *resource.Snapshot) (map[string][]byte, error) {
			return workbook.WriteCSVFiles(kinds.All(), s, dollars)
		}},
	}
	rapid.Check(t, func(rt *rapid.T) {
		want := drawSnapshot(rt, kinds.All())
		if want.Len() == 0 {
			return
		}
		have := want
		for _, format := range rapid.Permutation(formats).Draw(rt, "formats")[:3] {
			contents, err := format.write(have)
			if cannotSay(err) {
				continue
			}
			must(t, err)
			have = readContents(t, p, contents)
			if err := sources.Differs(kinds.All(), want, have); err != nil {
				rt.Fatalf("%s: %v", format.name, err)
			}
		}
	})
}

func TestYAMLFilesHoldTheBoundAndSayTheSame(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		want := drawSnapshot(rt, kinds.All())
		largest := int64(0)
		for r := range want.All() {
			one := &resource.Snapshot{}
			one.Add(r)
			var b bytes.Buffer
			must(t, workbook.WriteYAML(&b, kinds.All(), one, resource.Env{}))
			largest = max(largest, int64(b.Len()+8*strings.Count(b.String(), "\n")))
		}
		if want.Len() == 0 {
			return
		}
		limits := bounded.Defaults()
		limits.YAMLBytes = rapid.Int64Range(largest, largest*3).Draw(rt, "limit")
		p := config.Project{Root: t.TempDir(), Bounds: &limits}
		files, err := workbook.YAMLFiles(p, kinds.All(), want, resource.Env{})
		must(t, err)
		again, err := workbook.YAMLFiles(p, kinds.All(), want, resource.Env{})
		must(t, err)
		for name, content := range files {
			if int64(len(content)) > limits.YAMLBytes ||
				tree.NeverSource(path.Base(name)) || !bytes.Equal(content, again[name]) {
				rt.Fatalf("%s has %d bytes of %d, or is another the second time", name, len(content), limits.YAMLBytes)
			}
		}
		if err := sources.Differs(kinds.All(), want, readContents(t, p, files)); err != nil {
			rt.Fatal(err)
		}
	})
}

func TestYAMLFilesAreNamedForWhatIsInThem(t *testing.T) {
	s := &resource.Snapshot{}
	add := func(kind resource.Kind, key, name string) {
		r := &resource.Resource{Address: resource.Address{Kind: kind, Key: key}}
		r.Set("name", resource.Text(name))
		s.Add(r)
	}
	for _, key := range []string{"spring", "Spring",
		"adsync", "aux", "com1.x", ".hidden", "a.b", strings.Repeat("x", 150)} {
		add("campaign", key, "Campaign "+key)
	}
	add("ad_group", "gone/runners", "Runners")
	add("audience", "buyers", "Buyers")
	files, err := workbook.YAMLFiles(config.Project{}, kinds.All(), s, resource.Env{})
	must(t, err)
	var names []string
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	want := []string{
		"ad-groups/gone~~runners.yaml", "audiences.yaml", "campaigns/a.b.yaml",
		"campaigns/adsync~13b786b7.yaml", "campaigns/aux~bac20cb8.yaml", "campaigns/com1.x~9dfc6c90.yaml",
		"campaigns/hidden~3b71d5a1.yaml", "campaigns/spring.yaml",
		"campaigns/spring~6c92115f.yaml", "campaigns/" + strings.Repeat("x", 100) + "~7096bba4.yaml",
	}
	if got := fmt.Sprint(names); got != fmt.Sprint(want) {
		t.Errorf("files are\n%s\nwant\n%s", strings.Join(names, "\n"), strings.Join(want, "\n"))
	}
}

func TestManyTreesShareFiles(t *testing.T) {
	s := &resource.Snapshot{}
	for i := range 3 * 500 {
		r := &resource.Resource{Address: resource.Address{Kind: "campaign", Key: fmt.Sprintf("c%04d", i)}}
		r.Set("name", resource.Text(strings.Repeat("Name ", 100)+fmt.Sprint(i)))
		r.Set("bidding_type", resource.Text("clicks"))
		s.Add(r)
	}
	files, err := workbook.YAMLFiles(config.Project{}, kinds.All(), s, resource.Env{})
	must(t, err)
	if len(files) < 2 || len(files) > 5 || files["campaigns.yaml"] == nil || files["campaigns~2.yaml"] == nil {
		t.Errorf("%d campaigns are in %d files; want campaigns.yaml, campaigns~2.yaml and few more",
			s.Len(), len(files))
	}
	if err := sources.Differs(kinds.All(), s, readContents(t, config.Project{Root: t.TempDir()}, files)); err != nil {
		t.Error(err)
	}
}

func TestDiffersNamesTheAttribute(t *testing.T) {
	one := func(change func(*resource.Resource)) *resource.Snapshot {
		r := &resource.Resource{Address: resource.Address{Kind: "campaign", Key: "spring"}, ID: "cmpn_1"}
		r.Set("name", resource.Text("Spring"))
		r.Set("description", resource.Null())
		if change != nil {
			change(r)
		}
		s := &resource.Snapshot{}
		s.Add(r)
		return s
	}
	for want, have := range map[string]*resource.Snapshot{
		"<nil>": one(nil),
		`campaign/spring: name is "Spring" and would be read as "spring"`: one(func(r *resource.Resource) {
			r.Set("name", resource.Text("spring"))
		}),
		"campaign/spring: description is [clear] and would be read as (none)": one(func(r *resource.Resource) {
			r.Set("description", resource.Value{})
		}),
		"campaign/spring: status is (none) and would be read as paused": one(func(r *resource.Resource) {
			r.Set("status", resource.Text("paused"))
		}),
		`campaign/spring: id "cmpn_1" would be read as ""`: one(func(r *resource.Resource) {
			r.ID = ""
		}),
		"campaign/spring would not be read again": {},
	} {
		if got := fmt.Sprint(sources.Differs(kinds.All(), one(nil), have)); got != want {
			t.Errorf("Differs = %s, want %s", got, want)
		}
	}
}
