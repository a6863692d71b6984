package yamlfmt

import (
	"slices"
	"strings"
	"testing"

	_ "adsync/internal/testing/drawn"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestChange(t *testing.T) {
	for _, row := range []struct {
		name, before string
		edits        []Edit
		after        string
	}{
		{"a plain text", "a: old # c\nb:   x\n", []Edit{{Line: 1, Column: 4, Text: "new"}}, "a: new # c\nb:   x\n"},
		{"a text that needs quotes now", "a: old\n", []Edit{{Line: 1, Column: 4, Text: "yes"}}, "a: \"yes\"\n"},
		{"a text in quotes", "a: 'old'\n", []Edit{{Line: 1, Column: 4, Text: "new"}}, "a: \"new\"\n"},
		{"a number in quotes", "a: 010\n", []Edit{{Line: 1, Column: 4, Text: "010", Quoted: true}}, "a: \"010\"\n"},
		{"a day", "a: \"1 Dec\" # c\n", []Edit{{Line: 1, Column: 4, Text: "2026-12-01", Plain: true}},
			"a: 2026-12-01 # c\n"},
		{"two in one line, one a key", "{ab: [x, 'é🙂', y]}\n",
			[]Edit{{Line: 1, Column: 2, Text: "c"}, {Line: 1, Column: 10, Text: "a, b"}}, "{c: [x, \"a, b\", y]}\n"},
		{"between line breaks of Windows, behind a mark",
			"\ufeffa: x\r\nb: y\r\n", []Edit{{Line: 2, Column: 4, Text: "z"}}, "\ufeffa: x\r\nb: z\r\n"},
		{"not a text over several lines", "a: x\n  y\nb: |\n  z\n",
			[]Edit{{Line: 1, Column: 4, Text: "n"}, {Line: 3, Column: 4, Text: "n"}}, "a: x\n  y\nb: |\n  z\n"},
		{"not where nothing begins",
			"a: x\n", []Edit{{Line: 1, Column: 3, Text: "n"}, {Line: 9, Column: 1, Text: "n"}}, "a: x\n"},
		{"a document goes", "a: 1\n---\nb: 2\n\n---\nc: 3\n",
			[]Edit{{Line: 3, Column: 1, Drop: true}}, "a: 1\n---\nc: 3\n"},
		{"not the first document", "a: 1\n---\nb: 2\n", []Edit{{Line: 1, Column: 1, Drop: true}}, "a: 1\n---\nb: 2\n"},
		{"not a document in the line of its mark",
			"a: 1\n--- {b: 2}\n", []Edit{{Line: 2, Column: 5, Drop: true}}, "a: 1\n--- {b: 2}\n"},
		{"an item goes", "a:\n  - b: 1\n    c: 2\n  - b: 3\n",
			[]Edit{{Line: 2, Column: 5, Drop: true}}, "a:\n  - b: 3\n"},
		{"not the only item", "a:\n  - b: 1\n", []Edit{{Line: 2, Column: 5, Drop: true}}, "a:\n  - b: 1\n"},
		{"not an item in brackets", "a: [{b: 1}, {b: 2}]\n",
			[]Edit{{Line: 1, Column: 5, Drop: true}}, "a: [{b: 1}, {b: 2}]\n"},
		{"not an item with a remark", "a:\n  # mine\n  - b: 1\n  - b: 3\n",
			[]Edit{{Line: 3, Column: 5, Drop: true}}, "a:\n  # mine\n  - b: 1\n  - b: 3\n"},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, made, err := Change([]byte(row.before), row.edits)
			if diff := cmp.Diff(row.after, string(got)); diff != "" ||
				err != nil || (len(made) > 0) != (row.before != row.after) {
				t.Errorf("Change made %v, %v (-want +got):\n%s", made, err, diff)
			}
		})
	}
}

// TestChangeChangesOneText: whatever the text, an edit changes the one text it
// names, and every other character stays.
func TestChangeChangesOneText(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		u := &untidy{t: rt, below: -1}
		text := u.text()
		documents, err := parse(text)
		if err != nil {
			rt.Fatal(err)
		}
		var all []token
		first := map[int]int{}
		for _, d := range documents {
			for _, s := range d.scalars {
				first[len(all)] = d.first
				all = append(all, s)
			}
		}
		if len(all) == 0 {
			return
		}
		i := rapid.IntRange(0, len(all)-1).Draw(rt, "text")
		e := Edit{Line: first[i] + all[i].node.Line - 1, Column: all[i].node.Column, Text: "changed: #1"}
		got, made, err := Change([]byte(text), []Edit{e})
		if err != nil || len(made) == 0 {
			if string(got) != text {
				rt.Fatalf("nothing was made, %v, and the text is another:\n%s", err, got)
			}
			return
		}
		before, after := strings.Split(text, "\n"), strings.Split(string(got), "\n")
		if !slices.Equal(before[:e.Line-1], after[:e.Line-1]) ||
			!slices.Equal(before[e.Line:], after[e.Line:]) || !strings.Contains(after[e.Line-1], `"changed: #1"`) {
			rt.Fatalf("%+v changed\n%s\nto\n%s", e, text, got)
		}
		if _, err := decoded(string(got)); err != nil {
			rt.Fatalf("%+v made of\n%s\nno YAML: %v\n%s", e, text, err, got)
		}
	})
}
