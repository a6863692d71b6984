package sources_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"adsync/internal/diag"
	"adsync/internal/jsonschema"
	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/sources"
	"adsync/sources/bounded"
	"adsync/sources/config"
	"adsync/sources/draft"
	"adsync/sources/schema"
	"adsync/sources/workbook"
	"adsync/sources/yamlfile"
	"adsync/sources/yamlnode"

	judge "github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"
	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// judgeOf compiles a schema as any program would that reads it.
func judgeOf(t testing.TB, s *jsonschema.Schema) *judge.Schema {
	t.Helper()
	var text bytes.Buffer
	must(t, s.Write(&text))
	document, err := judge.UnmarshalJSON(&text)
	must(t, err)
	compiler := judge.NewCompiler()
	compiler.AssertFormat()
	must(t, compiler.AddResource("schema.json", document))
	compiled, err := compiler.Compile("schema.json")
	must(t, err)
	return compiled
}

// instances returns the documents of a text as an editor of YAML 1.2 has them.
func instances(t testing.TB, text string) []any {
	t.Helper()
	w := &yamlnode.Walker{Origin: diag.OriginOf("x.yaml", "")}
	var all []any
	for _, node := range w.Documents([]byte(text)) {
		all = append(all, instance(node))
	}
	if len(w.Problems) > 0 {
		t.Fatalf("%s\nof\n%s", printed(w.Problems), text)
	}
	return all
}

func instance(node *yaml.Node) any {
	switch node.Kind {
	case yaml.MappingNode:
		object := map[string]any{}
		for i := 0; i+1 < len(node.Content); i += 2 {
			object[node.Content[i].Value] = instance(node.Content[i+1])
		}
		return object
	case yaml.SequenceNode:
		list := make([]any, 0, len(node.Content))
		for _, item := range node.Content {
			list = append(list, instance(item))
		}
		return list
	}
	switch {
	case yamlnode.IsNull(node):
		return nil
	case node.Tag == "!!bool":
		return node.Value == "true"
	case (node.Tag == "!!int" || node.Tag == "!!float") && json.Valid([]byte(node.Value)):
		return json.Number(node.Value)
	case node.Tag == "!!int" && strings.Trim(node.Value, "0123456789") == "":
		return json.Number(cmp.Or(strings.TrimLeft(node.Value, "0"), "0"))
	}
	return node.Value
}

// refusal returns what the schema has against a text, "" where it takes it.
func refusal(t testing.TB, schema *judge.Schema, text string) string {
	t.Helper()
	for _, document := range instances(t, text) {
		if err := schema.Validate(document); err != nil {
			return err.Error()
		}
	}
	return ""
}

func TestTheSchemaTakesTheExamplesAndTheQuickStarts(t *testing.T) {
	ofYAML := judgeOf(t, schema.YAML(kinds.All()))
	project := judgeOf(t, schema.Project())
	seen := 0
	must(t, filepath.WalkDir("../examples", func(name string, entry os.DirEntry, err error) error {
		if entry != nil && entry.IsDir() && entry.Name() == "deploy" {
			return filepath.SkipDir // what runs adsync, no project; cmd/adsync holds it
		}
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".yaml") {
			return err
		}
		content, err := os.ReadFile(name)
		must(t, err)
		of := ofYAML
		if entry.Name() == config.ProjectFile {
			of = project
		}
		seen++
		if why := refusal(t, of, string(content)); why != "" {
			t.Errorf("%s: %s", name, why)
		}
		return nil
	}))
	for _, text := range []string{springCampaign, twoCampaigns} {
		if why := refusal(t, ofYAML, text); why != "" {
			t.Errorf("%s\nof\n%s", why, text)
		}
	}
	if seen < 2 {
		t.Errorf("found %d examples; want the quick start's", seen)
	}
}

func TestTheSchemaTakesWhatIsWritten(t *testing.T) {
	schema := judgeOf(t, schema.YAML(kinds.All()))
	rapid.Check(t, func(rt *rapid.T) {
		s := drawSnapshot(rt, kinds.All())
		var out strings.Builder
		must(t, workbook.WriteYAML(&out, kinds.All(), s, resource.Env{}))
		if s.Len() == 0 {
			return
		}
		if why := refusal(t, schema, out.String()); why != "" {
			rt.Fatalf("%s\nof\n%s", why, out.String())
		}
	})
}

// An editor must mark nothing wrong that adsync reads: of any value in any
// attribute, what the reader takes the schema takes.
func TestTheSchemaTakesWhatTheReaderTakes(t *testing.T) {
	schema := judgeOf(t, schema.YAML(kinds.All()))
	in := draft.Input{
		Schemas: kinds.All(), Env: resource.Env{Currency: "USD", Zone: time.UTC},
		Bounds: bounded.Defaults(), Words: draft.NewVocabularies(kinds.All()),
	}
	in.Attach = func(name string, _ diag.Position) ([]byte, string, *resource.Finding) {
		return []byte("a\n"), name, nil
	}
	written := append([]string{
		"Enabled", " paused ", "FIXED-BID", "e mail", "$25", "25 usd",
		"US$ 3.5", "0.000001", "30", "us", "Us", "Norway", "US, CA", "https://a.example", "HTTPS://a.example/x y",
		"2026-12-01", "2026-12-01T10:00:00+02:00", "{a: 1}", `'{"a": 1}'`, "[US, no]", "[]", "null",
		"[12, x]", "[web, IOS_App]", "CLEAR", "delete_value", "remove_content", "|\n  US\n  CA", "|\n  a text\n",
		"[a: b]", "[{file: x}, {list: y}, 5, true]", "5", "-5", "1e3", "true", "abc", "a/b",
		"ab", strings.Repeat("x", 51), `"` + strings.Repeat("x", 50) + ` "`, ">-\n  " + strings.Repeat("x", 100),
	}, hostile...)
	for _, v := range in.Words {
		for name, w := range v.Document.ByName {
			if w.Role == draft.IsKey {
				continue // what a key may hold is found where the tree is put together
			}
			for _, value := range written {
				checkTaken(t, schema, in, v, "kind: "+string(v.Schema.Kind)+"\n"+name+": "+value+"\n")
				if w.Group == nil {
					continue
				}
				for part := range w.Group.ByName {
					checkTaken(t, schema, in, v, "kind: "+
						string(v.Schema.Kind)+"\n"+name+":\n  "+part+": "+strings.ReplaceAll(value, "\n", "\n  ")+"\n")
				}
			}
		}
	}
}

func checkTaken(t *testing.T, schema *judge.Schema, in draft.Input, v *draft.Vocabulary, text string) {
	t.Helper()
	if v.Schema.Parent != "" && !strings.Contains(text, "\n"+string(v.Schema.Parent)+":") {
		text += string(v.Schema.Parent) + ": above\n"
	}
	r := yamlfile.Read(context.Background(), "x.yaml", []byte(text), in)
	if len(r.Problems) > 0 {
		return
	}
	why := refusal(t, schema, text)
	if strings.Contains(why, "got boolean, want") || strings.Contains(why, "got number, want") {
		return // true and 0.5 can be read as an id or a code, and nobody means one
	}
	if why != "" {
		t.Errorf("adsync reads this, and an editor would mark it:\n%s%s", text, why)
	}
}

func TestTheSchemaRefusesAWrongShape(t *testing.T) {
	schema := judgeOf(t, schema.YAML(kinds.All()))
	for _, text := range []string{
		"name: no kind\n", "kind: billboard\n", "- kind: campaign\n",
		"kind: campaign\nnmae: x\n", "kind: campaign\nStatus: paused\n", "kind: campaign\nstatus: sleeping\n",
		"kind: campaign\nstatus: yes\n", "kind: campaign\nstatus: null\n", "kind: campaign\nstatus: [paused]\n",
		"kind: campaign\nbudget: 5\n", "kind: campaign\nbudget: {}\n", "kind: campaign\nbudget: {dayly: 5}\n",
		"kind: campaign\nbudget.daily: 5\n", "kind: campaign\nbudget: {daily: -5}\n", "kind: campaign\nbudget: " +
			"{daily: 0}\n", "kind: campaign\nbudget: {daily: 1,000}\n", "kind: campaign\nbudget: {daily: null}\n",
		"kind: campaign\nbudget: {daily: \"1,000\"}\n", "kind: campaign\nbudget: {daily: [5]}\n", "kind: campaign\n" +
			"start: 03/04/2026\n", "kind: campaign\nstart: 2026-13-01\n", "kind: campaign\nend:\n  a: b\n",
		"kind: campaign\ntargeting: {countries: [true]}\n",
		"kind: campaign\ntargeting: {countries: [UX]}\n", "kind: campaign\ntargeting: {countries: [USA1]}\n",
		"kind: campaign\nkey: 123\n", "kind: campaign\nkey: spring launch\n", "kind: campaign\nid: 0123\n",
		"kind: campaign\nname: null\n", "kind: campaign\nname: x\n", "kind: campaign\nuse: shoes\n",
		"kind: campaign\nad_groups: {name: x}\n", "kind: campaign\nad_groups: [runners]\n",
		"kind: campaign\nad_groups: [{kind: ad_group, name: x}]\n",
		"kind: campaign\nad_groups: [{campaign: x}]\n", "kind: campaign\nad_groups: [{ads: [{titel: x}]}]\n",
		"kind: ad_group\nname: Runners\n", "kind: ad\ncampaign: spring\n",
		"kind: ad\nad_group: x\ntitle: " + strings.Repeat("x", 51) + "\n", "kind: ad\nad_group: " +
			"x\ntarget_url: shop.example\n", "kind: ad_group\ncampaign: x\ncontext_hints: [{lst: x}]\n",
		"kind: ad_group\ncampaign: x\ncontext_hints: [a: b]\n",
		"kind: hint_list\nkey: a\n", "kind: hint_list\nkey: a\nhints: []\n",
		"kind: hint_list\nkey: a\nhints: [{list: b}]\n", "kind: template\nad: {status: active}\n",
		"kind: template\nkey: a\n", "kind: defaults\n",
		"kind: defaults\nad: {stauts: active}\n", "kind: defaults\nad: {key: x}\n",
		"kind: audience\nname: Buyers\nmembers: {file: 5}\n", "kind: event_setting\nevent_type: sold\n",
	} {
		if refusal(t, schema, text) == "" {
			t.Errorf("the schema takes what adsync does not read:\n%s", text)
		}
		if d := loadYAML(t, text); !diag.HasErrors(d.Problems) {
			t.Errorf("adsync reads what the schema refuses:\n%s", text)
		}
	}
}

// TestTheProjectSchemaIsInStep asks the reader itself what it knows: it names
// every key where one is wrong.
func TestTheProjectSchemaIsInStep(t *testing.T) {
	whole := schema.Project()
	for _, row := range []struct {
		yaml, where string
		described   jsonschema.Properties
	}{
		{"zzzzz: 1\n", "adsync.yaml has", whole.Properties},
		{"account: {zzzzz: 1}\n", "account has", whole.Properties.Of("account").Properties},
		{"policy: {zzzzz: 1}\n", "policy has", whole.Properties.Of("policy").Properties},
	} {
		_, problems := config.ReadProject(folder(t, map[string]string{config.ProjectFile: row.yaml}))
		_, known, found := strings.Cut(printed(problems), row.where+` "zzzzz"; want `)
		known, _, _ = strings.Cut(known, " (")
		if !found {
			t.Fatalf("no problem names the keys of %s\n%s", row.yaml, printed(problems))
		}
		for _, key := range strings.Split(known, ", ") {
			if row.described.Of(key) == nil && key != "allow" { // allow is read to be refused
				t.Errorf("%s %q, which the schema does not know", row.where, key)
			}
		}
		for _, p := range row.described {
			if !strings.Contains(", "+known+",", ", "+p.Name+",") {
				t.Errorf("the schema knows %s %q, which the reader does not", row.where, p.Name)
			}
		}
	}
}

func TestTheProjectSchemaTakesWhatIsReadAndNoOther(t *testing.T) {
	schema := judgeOf(t, schema.Project())
	for text, taken := range map[string]bool{
		"account: {id: acct_1, currency: EUR, timezone: Europe/Paris}\nsources: [ads/**/*.yaml]\n" +
			"service: emulator\nstate: var/state\npolicy: {drift: revert, prune: pause}\n": true,
		"account: {currency: euro}\n": false, "account: {timezone: Local}\n": false,
		"acount: {}\n": false, "policy: {prun: pause}\n": false,
		"policy: {prune: delete}\n": false, "policy: {allow: [activates]}\n": false,
		"sources: [../other/*.yaml]\n": false, "sources: []\n": false, "state: ../../etc\n": false,
		"service: https://evil.example\n": false, "api_key: x\n": false, "- a\n": false,
	} {
		_, problems := config.ReadProject(folder(t, map[string]string{config.ProjectFile: text}))
		if read, why := !diag.HasErrors(problems), refusal(t, schema, text); read != taken || (why == "") != taken {
			t.Errorf("%sis read: %v; the schema says %q; want %v", text, read, why, taken)
		}
	}
}

// ofShape are the codes of problems a schema can see.
var ofShape = []diag.Code{diag.UnknownKey, diag.BadChoice,
	diag.BadDate, diag.BadURL, diag.BadMoney, diag.NotClearable, diag.TooLong}

// An editor marks each problem of shape where validate reports it.
func TestTheSchemaFindsEachProblemOfShape(t *testing.T) {
	schema := judgeOf(t, schema.YAML(kinds.All()))
	p, _ := config.ReadProject("testdata/problems")
	found := 0
	for _, problem := range sources.Load(context.Background(), p, kinds.All()).Problems {
		if !slices.Contains(ofShape, problem.Code) ||
			problem.Severity != diag.Error || strings.Contains(problem.Message, `country is "Cannada"`) {
			continue // the names of countries are too many for a schema
		}
		content, err := os.ReadFile(filepath.Join("testdata/problems", problem.Position.File()))
		must(t, err)
		w := &yamlnode.Walker{Origin: diag.OriginOf(problem.Position.File(), "")}
		for _, document := range w.Documents(content) {
			path, within := pathAt(document, problem.Position, nil)
			if !within {
				continue
			}
			found++
			if places := markedBy(schema.Validate(instance(document))); !slices.Contains(places, path) {
				t.Errorf("%s\nthe schema marks %q; want %q among them", problem, places, path)
			}
		}
	}
	if found < 8 {
		t.Errorf("%d problems of shape were looked for; want those of testdata/problems", found)
	}
}

// pathAt returns the JSON pointer of the value at a position, of the object where
// the position is a key's.
func pathAt(node *yaml.Node, at diag.Position, path []string) (string, bool) {
	if node.Line == at.Line() && node.Column == at.Column() && node.Kind == yaml.ScalarNode {
		return strings.Join(path, "/"), true
	}
	for i, child := range node.Content {
		inner := append(slices.Clone(path), fmt.Sprint(i))
		if node.Kind == yaml.MappingNode {
			inner = path
			if i%2 == 1 {
				inner = append(slices.Clone(path), node.Content[i-1].Value)
			}
		}
		if found, ok := pathAt(child, at, inner); ok {
			return found, true
		}
	}
	return "", false
}

// markedBy returns the JSON pointers of what a schema refuses.
func markedBy(err error) []string {
	var refused *judge.ValidationError
	if !errors.As(err, &refused) {
		return nil
	}
	places := []string{strings.Join(refused.InstanceLocation, "/")}
	for _, cause := range refused.Causes {
		places = append(places, markedBy(cause)...)
	}
	return places
}
