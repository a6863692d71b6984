package sources_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"adsync/internal/kinds"
	"adsync/internal/resource"
	"adsync/internal/yamlfmt"
	"adsync/sources/workbook"
	"adsync/sources/yamlfile"
	"adsync/sources/yamlnode"

	"pgregory.net/rapid"
	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// hostile are texts that YAML, a terminal or a careless writer would spoil.
var hostile = []string{
	"null", "~", "yes", "No", "on", "true", "NaN",
	".inf", "010", "0x1F", "1e6", "1_000", "1:30", "12:30:45", "2026-12-01", "<<", "=",
	"- a", "-", "-a", "? b", "?", ": c", ":", "a: b", "a:", "a #b",
	"#a", "a#b", "&a", "*a", "!a", "|", ">", "'a'", `"a"`, "%a", "@a", "`a", "[a]", "{a: b}", "a, b", "---", "...",
	"back\\slash", "tab\there", "line\nbreak", "trailing\\",
	"\u202eevil", "zero\u200bwidth", "nel\u0085", "ls\u2028ps\u2029",
	"bom\ufeffx", "emoji 👩‍👩‍👧", "ﬁ", "é", "\U0001F600", "\x7f", "a\u00a0b", "=HYPERLINK(1)", "\uffff",
}

// texts that are canonical: trimmed, and of the wanted length.
func canonicalText(a *resource.Attribute) *rapid.Generator[string] {
	any := rapid.OneOf(rapid.SampledFrom(hostile), rapid.String(), rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(hostile), 1, 4).Draw(t, "parts"),
			rapid.SampledFrom([]string{" ", "", "\n", "x"}).Draw(t, "joint"))
	}))
	return rapid.Custom(func(t *rapid.T) string {
		s := strings.ToValidUTF8(any.Draw(t, "text"), "?")
		v, finding := a.Parse(s, resource.Env{})
		if finding != nil || !v.IsSet() || yamlfile.Clears(&yaml.Node{Kind: yaml.ScalarNode, Value: v.Text()}, a) {
			return "plain text"
		}
		return v.Text()
	})
}

// attributeValue draws a value of any attribute; it may be absent.
func attributeValue(a *resource.Attribute) *rapid.Generator[resource.Value] {
	return rapid.Custom(func(t *rapid.T) resource.Value {
		choice := rapid.IntRange(0, 9).Draw(t, "absent, null or a value")
		if choice < 3 && !a.Required {
			return resource.Value{}
		}
		if choice == 3 && a.Clearable {
			return resource.Null()
		}
		return drawValue(t, a)
	})
}

func drawValue(t *rapid.T, a *resource.Attribute) resource.Value {
	switch a.Type {
	case resource.TypeChoice:
		return resource.Text(rapid.SampledFrom(a.Choices).Draw(t, a.Name).Value)
	case resource.TypeMoney:
		micros := rapid.Int64Range(a.Min, cmp.Or(a.Max, 1e15)).Draw(t, a.Name)
		if a.WholeCoins {
			micros -= micros % 10_000
		}
		return resource.Number(micros)
	case resource.TypeDay, resource.TypeLast:
		days := rapid.IntRange(0, 30_000).Draw(t, a.Name)
		return resource.Text(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, days).Format("2006-01-02"))
	case resource.TypeURL, resource.TypeImage:
		return resource.Text("https://shop.example/" + rapid.StringMatching(`[a-z0-9?&=#:,'!*%25-]{0,20}`).
			Filter(func(s string) bool { return !strings.Contains(s, "%") }).Draw(t, a.Name))
	case resource.TypeQuery:
		return resource.Text("a=" + rapid.StringMatching(`[a-z0-9&={}:,'!*\[\]-]{0,20}`).
			Filter(func(s string) bool { return !strings.ContainsAny(s, "{}") }).Draw(t, a.Name))
	case resource.TypeID:
		return resource.Text(rapid.StringMatching(`[!-.0-~]{1,12}`).Draw(t, a.Name))
	case resource.TypeMembers:
		return resource.Value{} // a file, which this account has none of
	case resource.TypeObject:
		return resource.Text(rapid.SampledFrom([]string{
			`{"product_feed_id":"fd_1"}`, `{"filters":[],"product_feed_id":"010"}`,
			`{"filters":[{"field":"brand","operator":"in","values":["x: ` +
				`y","# no","\u2028"]}],"product_feed_id":"fd_1"}`,
		}).Draw(t, a.Name))
	case resource.TypeText:
		return resource.Text(canonicalText(a).Draw(t, a.Name))
	}
	return drawList(t, a)
}

func drawList(t *rapid.T, a *resource.Attribute) resource.Value {
	one := rapid.StringMatching(`[!-.0-~]{1,8}`)
	switch {
	case a.Wire.Codec == resource.IDObjects:
		one = rapid.StringMatching(`[1-9][0-9]{0,8}`)
	case a.Type == resource.TypeHints:
		one = canonicalText(a)
	case a.Type == resource.TypeRegion:
		one = rapid.SampledFrom([]string{"US", "NO", "CA", "DE"})
	case a.Type == resource.TypeSet:
		one = rapid.Map(rapid.SampledFrom(a.Choices), func(c resource.Choice) string { return c.Value })
	}
	v, findings := a.ParseList(rapid.SliceOfN(one, 1, 5).Draw(t, a.Name))
	if len(findings) > 0 {
		return resource.Value{}
	}
	return v
}

// drawResource draws a resource that satisfies the rules of its schema.
func drawResource(t *rapid.T, schema *resource.Schema, address resource.Address) *resource.Resource {
	r := &resource.Resource{Address: address}
	for i := range schema.Attributes {
		a := &schema.Attributes[i]
		v := attributeValue(a).Draw(t, a.Name)
		r.Set(a.Name, v)
		for _, rule := range schema.Rules {
			if rule.Check(r.Value) != nil && !a.Required {
				r.Set(a.Name, resource.Value{})
			}
		}
	}
	return r
}

// keepAcross takes out what breaks a rule between the resource and those above it.
func keepAcross(s *resource.Snapshot, schemas resource.Schemas, r *resource.Resource) {
	see := resource.View{
		Value: r.Value,
		Above: func(kind resource.Kind, name string) resource.Value {
			up := s.Get(schemas.Ancestor(r.Address, kind))
			if up == nil {
				return resource.Value{}
			}
			return up.Value(name)
		},
		Live:      func(string) resource.Value { return resource.Value{} },
		AboveLive: func(resource.Kind, string) resource.Value { return resource.Value{} },
		Named:     func(string, string) resource.Value { return resource.Value{} },
		Zone:      time.UTC,
	}
	for _, rule := range schemas.Of(r.Address.Kind).Across {
		for _, f := range rule.Check(&see) {
			r.Set(f.Attribute, resource.Value{})
		}
	}
}

// drawSnapshot draws an account with names that are no two alike.
func drawSnapshot(t *rapid.T, schemas resource.Schemas) *resource.Snapshot {
	s := &resource.Snapshot{}
	var grow func(schema *resource.Schema, parent resource.Address)
	grow = func(schema *resource.Schema, parent resource.Address) {
		names := map[string]bool{}
		for range rapid.IntRange(1, 2).Draw(t, "children") {
			key := rapid.OneOf(rapid.StringMatching(`[a-zA-Z0-9._-]{1,12}`),
				rapid.SampledFrom([]string{"123", "yes", "1e6", "-", "null", "0x1"})).Draw(t, "key")
			r := drawResource(t, schema, parent.Down(schema.Kind, cmp.Or(schema.Only, key)))
			r.ID = rapid.SampledFrom([]string{"", "id_" + r.Address.Key, "7" + key}).Draw(t, "id")
			keepAcross(s, schemas, r)
			own := r.Value(schema.NameFrom[0])
			broken := false
			for _, rule := range schema.Rules {
				broken = broken || rule.Check(r.Value) != nil
			}
			if broken || own.IsSet() && names[own.Text()] || !s.Add(r) {
				continue
			}
			names[own.Text()] = true
			for _, child := range schemas.ChildrenOf(schema.Kind) {
				grow(child, r.Address)
			}
		}
	}
	for _, top := range schemas.ChildrenOf("") {
		grow(top, resource.Address{})
	}
	dropTwinIDs(s)
	return s
}

func dropTwinIDs(s *resource.Snapshot) {
	ids := map[string]bool{}
	for r := range s.All() {
		if ids[r.ID] {
			r.ID = ""
		}
		ids[r.ID] = true
	}
}

var tokyo = time.FixedZone("Asia/Tokyo", 9*60*60)

func TestWhatIsWrittenReadsBackTheSame(t *testing.T) {
	schemas := kinds.All()
	rapid.Check(t, func(rt *rapid.T) {
		want := drawSnapshot(rt, schemas)
		if want.Len() == 0 {
			return
		}
		var out strings.Builder
		if err := workbook.WriteYAML(&out, schemas, want, resource.Env{Currency: "JPY", Zone: tokyo}); err != nil {
			rt.Fatal(err)
		}
		got := loadYAML(t, out.String())
		if a, b := snapshotText(t, want), snapshotText(t, got.Snapshot); a != b {
			rt.Fatalf("load(WriteYAML(x)) =\n%s%swant\n%sof\n%s", b, printed(got.Problems), a, out.String())
		}
	})
}

// The bytes say the account; how they are split over files and in which order
// they stand does not.
func TestTheSplitIntoFilesChangesNothing(t *testing.T) {
	schemas := kinds.All()
	rapid.Check(t, func(rt *rapid.T) {
		whole := drawSnapshot(rt, schemas)
		if whole.Len() == 0 {
			return
		}
		dir, err := os.MkdirTemp(t.TempDir(), "")
		must(t, err)
		for i, r := range rapid.Permutation(resourcesOf(whole)).Draw(rt, "order") {
			one := &resource.Snapshot{}
			one.Add(r)
			var out strings.Builder
			must(t, workbook.WriteYAML(&out, schemas, one, resource.Env{}))
			name := fmt.Sprintf("f%d.yaml", rapid.IntRange(0, 2).Draw(rt, "file"))
			appendDocument(t, filepath.Join(dir, name), out.String(), i)
		}
		if a, b := snapshotText(t, whole), snapshotText(t, load(t, dir).Snapshot); a != b {
			rt.Fatalf("Load of the parts =\n%swant\n%s", b, a)
		}
	})
}

func resourcesOf(s *resource.Snapshot) []*resource.Resource {
	var all []*resource.Resource
	for r := range s.All() {
		all = append(all, r)
	}
	return all
}

func appendDocument(t testing.TB, name, document string, number int) {
	t.Helper()
	f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	must(t, err)
	defer f.Close()
	_, err = fmt.Fprintf(f, "--- # %d\n%s", number, document)
	must(t, err)
}

// A text is quoted exactly where some reader would take it for something else
// or where a character of it does not show.
func TestQuotesStandWhereTheyAreNeeded(t *testing.T) {
	for _, s := range hostile {
		if wrong := quotedWrongly(s); wrong != "" {
			t.Error(wrong)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		s := rapid.OneOf(rapid.String(), rapid.StringMatching(`[-0-9a-f:.,# '"?!_]{0,6}`)).Draw(rt, "text")
		if wrong := quotedWrongly(strings.ToValidUTF8(s, "?")); wrong != "" {
			rt.Fatal(wrong)
		}
	})
}

func quotedWrongly(s string) string {
	for _, form := range []struct {
		flow          bool
		before, after string
	}{{false, "k: ", "\n"}, {false, "- ", "\n"}, {true, "k: [", ", z]\n"}} {
		written := yamlfmt.Scalar(s, form.flow)
		if got, tag := firstScalar(form.before + written + form.after); got != s || tag != yamlnode.StrTag {
			return fmt.Sprintf("%q is written %s and reads as %s %q", s, written, tag, got)
		}
		if written == s || form.flow || !yamlfmt.IsPlain(s) || yamlfmt.ReadsAsOther(s) {
			continue
		}
		if got, tag := firstScalar(form.before + s + form.after); got == s && tag == yamlnode.StrTag {
			return fmt.Sprintf("%q is written %s, want it plain", s, written)
		}
	}
	return ""
}

// firstScalar returns the first value of a mapping or list, as the parser has it.
func firstScalar(text string) (value, tag string) {
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(text), &document); err != nil || len(document.Content) == 0 {
		return fmt.Sprint(err), "error"
	}
	node := document.Content[0]
	for node.Kind != yaml.ScalarNode {
		switch {
		case len(node.Content) == 0:
			return "", "empty"
		case node.Kind == yaml.MappingNode:
			node = node.Content[1]
		default:
			node = node.Content[0]
		}
	}
	return node.Value, node.Tag
}

func TestLoadIsTheSameEveryTime(t *testing.T) {
	dir := t.TempDir()
	writeAccount(t, dir, 60, 3)
	write(t, filepath.Join(dir, "wrong.yaml"), "kind: campaign\nnmae: x\n---\nkind: ad\nad_group: nowhere\n")
	first := load(t, dir)
	for range 10 {
		again := load(t, dir)
		if printed(again.Problems) != printed(first.Problems) ||
			again.Hash != first.Hash || snapshotText(t, again.Snapshot) != snapshotText(t, first.Snapshot) {
			t.Fatalf("Load differs from one time to the next:\n%s\n%s",
				printed(first.Problems), printed(again.Problems))
		}
	}
}
