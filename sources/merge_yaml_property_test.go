package sources_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"adsync/internal/kinds"
	"adsync/sources/config"
	"adsync/sources/diff"

	"pgregory.net/rapid"
	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// drawnUnit is a resource that somebody writes.
type drawnUnit struct {
	key    string
	says   map[string]string // by attribute, as YAML has it in brackets
	groups []*drawnUnit      // beneath it
}

var drawnValues = map[string][]string{
	"name":                {`Spring`, `"A: b, c"`, `"yes"`, `"two\nlines"`, `Größe`},
	"status":              {`active`, `paused`},
	"budget.daily":        {`5`, `7.50`, `null`},
	"budget.lifetime":     {`50`, `75.00`},
	"targeting.countries": {`[US, CA]`, `[NO]`},
	"bid.max":             {`0.80`, `1`},
	"context_hints":       {`[people who run]`, `[a, "b: c"]`},
}

func drawUnit(t *rapid.T, who, key string, attributes, beneath []string) *drawnUnit {
	u := &drawnUnit{key: key, says: map[string]string{}}
	for _, attribute := range attributes {
		values := append([]string{""}, drawnValues[attribute]...)
		if said := rapid.SampledFrom(values).Draw(t, who+" "+key+" "+attribute); said != "" {
			u.says[attribute] = said
		}
	}
	for _, child := range beneath {
		if rapid.IntRange(0, 3).Draw(t, who+" has "+child) > 0 {
			u.groups = append(u.groups, drawUnit(t, who, child, []string{"name", "bid.max", "context_hints"}, nil))
		}
	}
	return u
}

func drawUnits(t *rapid.T, who string) (units []*drawnUnit) {
	for _, key := range []string{"a", "b", "c"} {
		if key == "a" || rapid.IntRange(0, 3).Draw(t, who+" has "+key) > 0 {
			units = append(units, drawUnit(t, who, key, []string{"name", "status", "budget.daily", "budget.lifetime",
				"targeting.countries"}, []string{key + "1", key + "2"}))
		}
	}
	return units
}

// yamlStyle is how somebody writes.
type yamlStyle struct {
	brackets, dashes, comments, windows, spread bool
}

func drawStyle(t *rapid.T, who string) yamlStyle {
	flag := func(what string) bool { return rapid.Bool().Draw(t, who+" "+what) }
	return yamlStyle{flag("brackets"), flag("dashes"), flag("comments"), flag("windows"), flag("spread")}
}

func (s yamlStyle) write(units []*drawnUnit) string {
	var documents []string
	for _, u := range units {
		documents = append(documents, "kind: campaign\n"+s.unit(u, "", ""))
	}
	text := strings.Join(documents, "---\n")
	if s.comments {
		text = "# Everything.\n" + text
	}
	if s.windows {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text
}

func (s yamlStyle) unit(u *drawnUnit, first, indent string) string {
	text := first + "key: " + u.key
	if s.comments {
		text += "   # called " + u.key
	}
	text += "\n"
	parts := map[string][]string{}
	for _, attribute := range slices.Sorted(maps.Keys(u.says)) {
		group, part, nested := strings.Cut(attribute, ".")
		if !nested {
			text += indent + attribute + ": " + s.list(u.says[attribute], indent) + "\n"
			continue
		}
		parts[group] = append(parts[group], part+": "+u.says[attribute])
	}
	for _, group := range slices.Sorted(maps.Keys(parts)) {
		if s.brackets {
			text += indent + group + ": {" + strings.Join(parts[group], ", ") + "}\n"
			continue
		}
		text += indent + group + ":\n" + indent + "  " + strings.Join(parts[group], "\n"+indent+"  ") + "\n"
	}
	for i, g := range u.groups {
		dash := indent
		if s.dashes {
			dash += "  "
		}
		if i == 0 {
			text += indent + "ad_groups:\n"
		}
		if s.comments {
			text += dash + "# about " + g.key + "\n"
		}
		text += s.unit(g, dash+"- ", dash+"  ")
	}
	return text
}

// list writes what stands in brackets one a line, if that is the style.
func (s yamlStyle) list(said, indent string) string {
	if inner, ok := strings.CutPrefix(said, "["); ok && s.spread {
		return "\n" + indent + "- " + strings.ReplaceAll(strings.TrimSuffix(inner, "]"), ", ", "\n"+indent+"- ")
	}
	return said
}

// flatYAML reads a file with nothing but the parser: what stands under each path, units by their keys.
func flatYAML(content []byte) (map[string]string, error) {
	flat := map[string]string{}
	decoder := yaml.NewDecoder(strings.NewReader(string(content)))
	for {
		var document map[string]any
		if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
			return flat, nil
		} else if err != nil {
			return nil, err
		}
		if document != nil {
			flatten(flat, document, "["+fmt.Sprint(document["key"])+"]")
		}
	}
}

func flatten(flat map[string]string, m map[string]any, path string) {
	flat[path] = "there"
	for key, value := range m {
		switch v := value.(type) {
		case map[string]any:
			for part, of := range v {
				flat[path+"."+key+"."+part] = fmt.Sprint(of)
			}
		case []any:
			if key != "ad_groups" {
				flat[path+"."+key] = fmt.Sprintf("%q", v)
				continue
			}
			for _, child := range v {
				g := child.(map[string]any)
				flatten(flat, g, path+"["+fmt.Sprint(g["key"])+"]")
			}
		default:
			flat[path+"."+key] = fmt.Sprint(v)
		}
	}
}

func mergeAny(t interface{ Fatalf(string, ...any) }, base, ours, theirs string, take bool) diff.Merged {
	m, err := diff.MergeSides(context.Background(), config.Project{Account: dollars}, []byte(base), []byte(ours),
		[]byte(theirs), kinds.All(), diff.Sides{File: "any.yaml", Ours: "ours", Theirs: "theirs",
			Take: func(diff.Conflict) bool { return take }})
	if err != nil {
		t.Fatalf("%v\nof base\n%s\nours\n%s\ntheirs\n%s", err, base, ours, theirs)
	}
	return m
}

// Of any three versions: what only one side changed is in the result, what both changed alike is no conflict, what each
// changed otherwise is in the list; and the comments of ours stay, but of what goes.
func TestAnyYAMLIsMergedAndNothingIsLost(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		base, ours, theirs := drawUnits(rt, "base"), drawUnits(rt, "ours"), drawUnits(rt, "theirs")
		style := drawStyle(rt, "base")
		b, x := style.write(base), drawStyle(rt, "theirs").write(theirs)
		o := drawStyle(rt, "ours").write(ours)
		if m := mergeAny(rt, b, o, b, false); string(m.Content) != o || len(m.Conflicts) > 0 {
			rt.Fatalf("where theirs is the base it is\n%s\n%q; want\n%s", m.Content, clashes(m), o)
		}
		if m := mergeAny(rt, x, o, x, true); string(m.Content) != o || len(m.Took) > 0 {
			rt.Fatalf("theirs is its base, and it is\n%s\n%q", m.Content, clashes(m))
		}
		for _, take := range []bool{false, true} {
			heldYAML(rt, b, o, x, mergeAny(rt, b, o, x, take), take)
			heldYAML(rt, b, b, x, mergeAny(rt, b, b, x, take), take)
		}
	})
}

// heldYAML holds a merged file against its versions.
func heldYAML(t *rapid.T, base, ours, theirs string, m diff.Merged, take bool) {
	var flats []map[string]string
	for _, text := range []string{base, ours, theirs, string(m.Content)} {
		flat, err := flatYAML([]byte(text))
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		flats = append(flats, flat)
	}
	said := strings.Join(clashes(m), "\n")
	for _, c := range m.Conflicts {
		if !c.Open && !strings.Contains(c.Reason, "comment") && !strings.Contains(c.Reason, "brackets") {
			t.Fatalf("%+v is left\nbase\n%s\nours\n%s\ntheirs\n%s", c, base, ours, theirs)
		}
	}
	for _, c := range m.Took {
		if c.Open {
			said += "\n" + c.What
		}
	}
	for _, path := range slices.Concat(slices.Collect(maps.Keys(flats[0])), slices.Collect(maps.Keys(flats[1])),
		slices.Collect(maps.Keys(flats[2])), slices.Collect(maps.Keys(flats[3]))) {
		b, o, x, got := flats[0][path], flats[1][path], flats[2][path], flats[3][path]
		wants := o
		if o == b {
			wants = x
		}
		if got == wants || mentionsUnit(said, path) && (got == o || got == x) {
			continue
		}
		t.Fatalf("%s: base %q, ours %q, theirs %q, merged %q; conflicts %s\nbase\n%s\nours\n%s\ntheirs\n%s\nmerged\n%s",
			path, b, o, x, got, said, base, ours, theirs, m.Content)
	}
}

// mentionsUnit reports whether a conflict names the unit of a path, or one above it.
func mentionsUnit(said, path string) bool {
	units, _, _ := strings.Cut(strings.ReplaceAll(path, "][", "]\x00["), ".")
	return slices.ContainsFunc(strings.Split(units, "\x00"), func(label string) bool {
		return strings.Contains(said, label)
	})
}
