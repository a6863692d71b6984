package sources_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/sources/config"
	"adsync/sources/tidy"
	"adsync/sources/workbook"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// formatted puts the one file of a folder in order.
func formatted(t testing.TB, name, content string) tidy.Rewrite {
	t.Helper()
	files := map[string]string{name: content}
	if name != config.ProjectFile {
		files[config.ProjectFile] = dollarsFile
	}
	p, problems := config.ReadProject(folder(t, files))
	if name != config.ProjectFile && len(problems) > 0 {
		t.Fatal(problems)
	}
	all, err := tidy.FormatAll(p, context.Background(), kinds.All(), []string{name})
	must(t, err)
	return all[0]
}

func TestFormatOrdersKeysAsTheKindsHaveThem(t *testing.T) {
	for _, row := range []struct{ name, file, before, after string }{
		{"a campaign and what is beneath it", "ads.yaml",
			"ad_groups:\n- ads: []\n  bid: {max: 1}\n  name: A\n  key: a\nbudget: {daily: " +
				"5}\nmine: x\nuse: [t]\nstatus: paused\nkind: campaign\nname: 'Spring'\nid: \"007\"\nkey: spring\n",
			"kind: campaign\nkey: spring\nid: \"007\"\nname: Spring\nuse: [t]\nstatus: paused\n" +
				"budget: {daily: 5}\nmine: x\nad_groups:\n  - key: a\n    name: A\n    bid: {max: 1}\n    ads: []\n"},
		{"an ad that stands alone", "ads.yaml", "title: x\nad_group: r\ncampaign: s\nkind: ad\nname: Hero\n",
			"kind: ad\nname: Hero\ncampaign: s\nad_group: r\ntitle: x\n"},
		{"settings in a group", "ads.yaml", "targeting:\n  platforms: [web]\n  countries: [\"NO\"]\nkind: campaign\n",
			"kind: campaign\ntargeting:\n  countries: [\"NO\"]\n  platforms: [web]\n"},
		{"defaults", "ads.yaml", "ad: {tracking: 'a=b', status: active}\ncampaign: {status: active}\nkind: defaults\n",
			"kind: defaults\ncampaign: {status: active}\nad: {status: active, tracking: a=b}\n"},
		{"a list of hints", "ads.yaml", "hints: [a]\nkey: x\nkind: hint_list\n",
			"kind: hint_list\nkey: x\nhints: [a]\n"},
		{"a kind nobody knows", "ads.yaml", "b: 1\nkind: billboard\na: 2\n", "b: 1\nkind: billboard\na: 2\n"},
		{"texts that keep their quotes", "ads.yaml",
			"kind: campaign\nname: \"yes\"\nkey: '010'\ndescription: \"1e6\"\ntargeting: {countries: ['NO']}\n",
			"kind: campaign\nkey: \"010\"\nname: \"yes\"\ntargeting: {countries: [\"NO\"]}\ndescription: \"1e6\"\n"},
		{"the text clear in a list", "ads.yaml", "kind: ad_group\ncontext_hints: [\"clear\"]\n",
			"kind: ad_group\ncontext_hints: [\"clear\"]\n"},
		{"the project's own file",
			config.ProjectFile, "policy: {prune: keep, drift: report}\n# who\naccount: {timezone: UTC, id: a} # us\n",
			"# who\naccount: {id: a, timezone: UTC} # us\npolicy: {drift: report, prune: keep}\n"},
		{"line breaks of Windows", "ads.yaml", "kind: campaign\r\nname:   x\r\n", "kind: campaign\r\nname: x\r\n"},
		{"line breaks of both sorts", "ads.yaml", "kind: campaign\r\nname:   x\n", "kind: campaign\nname: x\n"},
		{"a byte order mark", "ads.yaml", "\ufeffkind: campaign\n", "kind: campaign\n"},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := formatted(t, row.file, row.before)
			if diff := cmp.Diff(row.after, string(r.After)); diff != "" || len(r.Problems) > 0 {
				t.Errorf("Format = %s(-want +got):\n%s", printed(r.Problems), diff)
			}
		})
	}
}

func TestFormatLeavesAndReportsWhatItCannotFollow(t *testing.T) {
	for _, row := range []struct{ name, content, want string }{
		{"a quote that is not closed", "kind: campaign\nname: \"x\n",
			"ads.yaml:2:7: a quote is opened here and not closed"},
		{"a second document that does not parse", "kind: campaign\n---\na: b: c\n", `ads.yaml:3:4: value is "b: c"`},
		{"an anchor", "kind: campaign\nbudget: &b {daily: 5}\n", "ads.yaml:2: an anchor or alias is written"},
		{"a tag", "kind: campaign\nname: !!str 5\n", "ads.yaml:2: tag !!str is written"},
		{"a directive", "%YAML 1.1\n---\nkind: campaign\n", "ads.yaml:1: a directive stands here"},
		{"a mapping for a key", "kind: campaign\n{a: b}: c\n", "ads.yaml:2: a key is a list or a mapping"},
		{"a line break only YAML knows", "kind: campaign\nname: a\u2028b\n",
			"ads.yaml:2: a line holds the character U+2028"},
		{"a file cut short", "kind: campaign\nbudget: {lifetime: 5",
			"ads.yaml:2:9: { is opened here, and } is missing"},
		{"an unfinished merge", "kind: campaign\n<<<<<<< HEAD\n",
			"ads.yaml:2:1: file has a mark of an unfinished merge"},
		{"an empty file", "", "ads.yaml: file is empty"},
		{"bytes that are no text", "kind: caf\xe9\n", "ads.yaml:1: byte 0xe9 is not UTF-8"},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := formatted(t, "ads.yaml", row.content)
			if r.Changes() || !strings.Contains(printed(r.Problems), row.want) {
				t.Errorf("Format changes: %v, and found\n%swant no change and %q",
					r.Changes(), printed(r.Problems), row.want)
			}
		})
	}
}

// TestWhatIsWrittenIsInOrder: an export has nothing for Format to do.
func TestWhatIsWrittenIsInOrder(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := drawSnapshot(rt, kinds.All())
		var out strings.Builder
		must(t, workbook.WriteYAML(&out, kinds.All(), s, resource.Env{Currency: "JPY", Zone: tokyo}))
		if s.Len() == 0 {
			return
		}
		if r := formatted(t, "ads.yaml", out.String()); len(r.Problems) > 0 || r.Changes() {
			rt.Fatalf("Format changes an export:\n%s%s",
				printed(r.Problems), cmp.Diff(string(r.Before), string(r.After)))
		}
	})
}

func TestTheExamplesAreInOrder(t *testing.T) {
	must(t, filepath.WalkDir("../examples", func(name string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(name) != ".yaml" {
			return err
		}
		content, err := os.ReadFile(name)
		must(t, err)
		if r := formatted(t, entry.Name(), string(content)); r.Changes() || len(r.Problems) > 0 {
			t.Errorf("%s: run adsync fmt\n%s%v", name, printed(r.Problems), r.Fixes)
		}
		return nil
	}))
}

func TestSaveKeepsTheFileOfSomebodyElse(t *testing.T) {
	dir := folder(t, map[string]string{"ads.yaml": "kind:   campaign\n"})
	name := filepath.Join(dir, "ads.yaml")
	must(t, os.Chmod(name, 0o640))
	p, _ := config.ReadProject(dir)
	all, err := tidy.FormatAll(p, context.Background(), kinds.All(), []string{"ads.yaml"})
	must(t, err)
	lock := filepath.Join(dir, ".~lock.ads.yaml#")
	must(t, os.WriteFile(lock, nil, 0o600))
	if err := tidy.Save(p, all[0]); err == nil || !strings.Contains(err.Error(), "open in an editor") {
		t.Errorf("Save = %v; want a refusal, as the file is open", err)
	}
	must(t, os.Remove(lock))
	must(t, os.WriteFile(name, []byte("kind: ad\n"), 0o640))
	if err := tidy.Save(p, all[0]); err == nil || !strings.Contains(err.Error(), "changed since it was read") {
		t.Errorf("Save = %v; want a refusal, as the file is another", err)
	}
	must(t, os.WriteFile(name, all[0].Before, 0o640))
	must(t, tidy.Save(p, all[0]))
	content, err := os.ReadFile(name)
	about, statErr := os.Stat(name)
	if err != nil || statErr != nil || string(content) != "kind: campaign\n" || about.Mode().Perm() != 0o640 {
		t.Errorf("file holds %q with mode %v; want it in order with 0640", content, about.Mode())
	}
}
