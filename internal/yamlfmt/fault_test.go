package yamlfmt

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	goparser "go/parser"
	gotoken "go/token"
	"io"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// faultOf is what is said of a text, "" where the parser takes it.
func faultOf(text string) string {
	decoder := yaml.NewDecoder(bytes.NewReader(Accepted([]byte(text))))
	for {
		var document yaml.Node
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) {
			return ""
		}
		if err != nil {
			f := FaultOf(err, []byte(text))
			return fmt.Sprintf("%d:%d: %s [%s]", f.Line, f.Column, f.Message, f.Hint)
		}
	}
}

func TestWhatIsNoYAMLSaysWhereAndWhatToType(t *testing.T) {
	const keeps, oneColumn = "which YAML keeps for itself", "want keys of one level to begin in one column"
	for _, row := range []struct{ text, want string }{
		{"name: Spring: sale\n", `1:7: value is "Spring: sale", ` +
			`in which a colon and a space would begin another key; want it in quotes [write: name: "Spring: sale"]`},
		// lines as YAML counts them
		{"a: i\u2028b: 1\rc: d: e\n", `3:4: value is "d: e", in which a colon and a space`},
		{"a: i\u2028\x01\n", `2:1: text holds the character U+0001`},
		{"kind: ad\nads:\n  - title: Now: -20%  # sale\n", `3:12: value is "Now: -20%", ` +
			`in which a colon and a space would begin another key; want it in quotes [write: title: "Now: -20%"]`},
		{"name: Spring\n  bidding: clicks\n", `2:3: line is further right than the lines above let it be; ` +
			oneColumn + ` [the key above begins in column 1]`},
		{"name:Spring\nbidding: clicks\n",
			`1:1: "name:Spring" has no space behind its colon; want key: value [write: name: Spring]`},
		{"name: a\nbidding:clicks\nstatus: paused\n",
			`2:1: "bidding:clicks" has no space behind its colon; want key: value [write: bidding: clicks]`},
		{"name: \"Spring\nbidding: clicks\n", `1:7: a quote is opened here and not closed ` +
			`where the text ends; want both [close it at the end of the text; within double quotes write \" for "]`},
		{"name: \"Spring\ntitle: \"Shoes\"\n", `1:7: a quote is opened here and not closed ` +
			`where the text ends; want both [close it at the end of the text; within double quotes write \" for "]`},
		{"name: 'Spring\n", `1:7: a quote is opened here and not closed ` +
			`where the text ends; want both [close it at the end of the text; within single quotes write '' for ']`},
		{"name: 'Don't stop'\n", `1:7: text follows ` +
			`where the quote is closed: "'Don't stop'"; want the whole value in quotes [write: name: "Don't stop"]`},
		{"name: \"Best\" shoes\n", `1:7: text follows where the ` +
			`quote is closed: "\"Best\" shoes"; want the whole value in quotes [write: name: '"Best" shoes']`},
		{"name: [Best] shoes\n", `1:7: text follows where the ` +
			`bracket is closed: "[Best] shoes"; want the whole value in quotes [write: name: "[Best] shoes"]`},
		{"name: {keyword} shoes\n", `1:7: text follows where the ` +
			`brace is closed: "{keyword} shoes"; want the whole value in quotes [write: name: "{keyword} shoes"]`},
		{"budget: {daily: 5\nx: 1\n",
			`1:9: { is opened here, and } is missing, or a value within needs quotes: "{daily: 5"; want both`},
		{"hints: [a, b: c: d]\n", `1:8: [ is opened here, and ] is missing, or a value within needs quotes`},
		{"name: @shoes\n", `1:7: value begins with "@", ` +
			keeps + `: "@shoes"; want it in quotes [write: name: "@shoes"]`},
		{"name: `shoes`\n", "1:7: value begins with \"`\", " + keeps},
		{"name: %off\n", `1:7: value begins with "%", ` + keeps + `: "%off"; want it in quotes [write: name: "%off"]`},
		{"name: *best* shoes\n", `1:7: value begins with "*", ` +
			keeps + `: "*best* shoes"; want it in quotes [write: name: "*best* shoes"]`},
		{"a: 1\nname: *best\n", `2:7: value begins with "*", ` +
			keeps + `: "*best"; want it in quotes [write: name: "*best"]`},
		{"name: &\n", `1:7: value begins with "&", ` + keeps},
		{"name: !<x\n", `1:7: value begins with "!", ` + keeps},
		{"name: !x!y\n", `1:7: value begins with "!", ` + keeps},
		{"title: - 50% off\n", `1:8: value begins with a dash and a space, as an entry of a list ` +
			`does: "- 50% off"; want it in quotes, or each entry on a line of its own [write: title: "- 50% off"]`},
		{"title: ? what\n", `1:8: value begins with "?", ` +
			keeps + `: "? what"; want it in quotes [write: title: "? what"]`},
		{"title: > 50% off\n", `1:8: text stands behind >, which begins a text ` +
			`on the lines below: "> 50% off"; want it in quotes, or on the lines below [write: title: "> 50% off"]`},
		{"title: >0\n", `1:8: text stands behind >`},
		{"title: , x\n", `1:8: value begins with ",", ` + keeps + `: ", x"; want it in quotes [write: title: ", x"]`},
		{"title: ]\n", `1:8: value begins with "]", ` + keeps},
		{"path: \"C:\\shoes\"\n", `1:10: a backslash in double quotes begins a character ` +
			`that YAML does not know; want two of them, or the text in single quotes [write \\ for each \]`},
		{"path: \"\\xZZ\"\n", `a backslash in double quotes`},
		{"path: \"\\uD800\"\n", `a backslash in double quotes`},
		{"a:\n\tb: 1\n", `2:1: line is indented with a ` +
			`tab, which YAML does not take; want spaces [indent with spaces; adsync fix does it where that is clear]`},
		{"a:\n  \tb: 1\n", `2:3: line is indented with a tab`},
		{"a: |\n\tx\n", `2:1: line is indented with a tab`},
		{"a:\n  b: 1\n\u00a0\u00a0c: 1: 2\n", `3:1: line is indented with the ` +
			`character U+00A0, which is no space to YAML; want spaces [type the spaces again if they were pasted]`},
		{"groups:\n  - name: R\n   bid: 1\n", `3:4: line begins where entries of a list do, and ` +
			`has no dash; want a dash and a space before it, or another column [the key above begins in column 5]`},
		{"a: b\n- c\n", `2:1: line begins in a column where no line of its level does; ` + oneColumn},
		{"a: 1\nSpring sale\n", `2:1: line has ` +
			`no key: "Spring sale"; want key: value [put a text of several lines in quotes, or behind key: |]`},
		{"[a]\nb: 1\n", "; want "},
		{"a: 1\n...\nb: 1\nc\n---\n", `; want `},
		{"%FOO\na: 1\n", `1:1: line begins with %, ` +
			`as instructions to a YAML program do: "%FOO"; want none [put a text that begins with % in quotes]`},
		{"%YAML 2.0\n---\na: 1\n",
			`1:1: the version is "%YAML 2.0"; want %YAML 1.2, %YAML 1.1 or none [delete the line]`},
		{"%YAML x\n", `1:1: the version is "%YAML x"`},
		{"%YAML 1.1\n%YAML 1.1\n---\n", `line begins with %`},
		{"a: \"x\n--- \ny\"\n", `; want `},
		{"a: b\x07c\n", `1:5: text holds the character ` +
			`U+0007, which cannot be seen; want text without it [type the text again if it was pasted]`},
		{"a: b\xffc\n", `1:5: byte 0xff is not UTF-8; want UTF-8 text`},
		{"---\na: 1\n---\nb: c: d\n", `4:4: value is "c: d"`},
		{strings.Repeat("[", 20_000) + "\n", `nesting is too deep; want at most 10,000`},
		{"? \n: :\n  - x: y: z", `; want `},
		{"%YAML 1.2\n---\na: 1\n", ""},
		{"# first\n%YAML 1.2\n---\na: 1\n...\n%YAML 1.2\n---\nb: 1\n", ""},
		{"a: |\n %YAML 1.2\n", ""},
	} {
		if got := faultOf(row.text); !strings.Contains(got, row.want) || row.want == "" && got != "" {
			t.Errorf("%.40q: %s\nwant %s", row.text, got, row.want)
		}
	}
}

// parserSentences are the texts the parser's own source gives as reasons.
func parserSentences(t *testing.T) []string {
	t.Helper()
	out, err := exec.Command("go", "list", "-f", "{{.Dir}}", "go.yaml.in/yaml/v3").Output()
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, name := range []string{"scannerc.go", "parserc.go", "readerc.go", "decode.go"} {
		file, err := goparser.ParseFile(gotoken.NewFileSet(),
			filepath.Join(strings.TrimSpace(string(out)), name), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			name, _ := call.Fun.(*ast.Ident)
			if name == nil || !strings.Contains(name.Name, "_error") && name.Name != "failf" {
				return true
			}
			ast.Inspect(call, func(n ast.Node) bool {
				if text, ok := n.(*ast.BasicLit); ok && text.Kind == gotoken.STRING {
					if s, err := strconv.Unquote(text.Value); err == nil && len(s) > 8 {
						said = append(said, s)
					}
				}
				return true
			})
			return false
		})
	}
	if len(said) < 60 {
		t.Fatalf("%d reasons were found in the parser, want all of them", len(said))
	}
	return said
}

// ours holds that a fault has a place and our words.
func ours(t rapid.TB, said []string, about string, f Fault) {
	t.Helper()
	if f.Line < 1 || f.Column < 1 || !strings.Contains(f.Message, "; want ") {
		t.Errorf("%s: %+v, want a place and what is wanted", about, f)
	}
	for _, s := range said {
		if strings.Contains(f.Message+f.Hint, s) {
			t.Errorf("%s: %q has the parser's words", about, f.Message)
		}
	}
}

// TestNoSentenceOfTheParserComesThrough has an answer of ours for each reason the
// parser can give, and for those of another version.
func TestNoSentenceOfTheParserComesThrough(t *testing.T) {
	said := parserSentences(t)
	for _, s := range append(said, "a reason of another version") {
		for _, text := range []string{"name: Spring\n", "- a\n", "\n", "x: 'y\n", "x: [y\n", "\"a\": b\n"} {
			ours(t, said, s, FaultOf(errors.New("yaml: line 1: "+s), []byte(text)))
			ours(t, said, s, faultLine{before: []string{"a: 1"},
				number: 2, text: strings.TrimSuffix(text, "\n")}.explain(s))
		}
	}
	piece := rapid.SampledFrom([]string{"a", "a: ",
		"b: c", "\n", "\n  ", "\n- ", "'", `"`, "[", "]", "{", "}", ",", "&x", "*x", "!t ",
		"|", ">", "%", "@", "`", "#", " #", "? ", ": ", "---\n", "...\n", "\\", "\t", "ü", "%YAML 1.2\n", "\u00a0"})
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(rapid.SliceOfN(piece, 1, 14).Draw(rt, "pieces"), "")
		var document yaml.Node
		if err := yaml.Unmarshal([]byte(text), &document); err != nil {
			ours(rt, said, fmt.Sprintf("%q", text), FaultOf(err, []byte(text)))
		}
	})
}

// TestTheLineOfALongTextIsFound has each fault far down, below values of many lines.
func TestTheLineOfALongTextIsFound(t *testing.T) {
	block := "- name: Spring\n  description: \"first\n" +
		"    second\n    third\"\n  hints: [one,\n    two]\n  text: |\n    more: and more: and\n"
	text := strings.Repeat(block, 3_000) + "- name: Spring: sale\n" + strings.Repeat(block, 500)
	if got, want := faultOf(text),
		fmt.Sprintf(`%d:9: value is "Spring: sale"`, 3_000*8+1); !strings.HasPrefix(got, want) {
		t.Errorf("found %.100s, want %s", got, want)
	}
}
