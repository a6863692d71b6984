package yamlfmt

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// untidy writes random YAML as badly as YAML allows: any indentation, any style,
// comments and blank lines wherever they may stand.
type untidy struct {
	t        *rapid.T
	lines    []string
	comments int
	below    int // a comment deeper than this would be part of the text before; -1: anything goes
}

func (u *untidy) pick(what string, n int) int { return rapid.IntRange(0, n-1).Draw(u.t, what) }

func (u *untidy) add(line string) {
	u.lines = append(u.lines, line)
	u.below = -1
}

// mark makes a comment that is like no other.
func (u *untidy) mark() string {
	u.comments++
	return "#" + rapid.SampledFrom([]string{"", " ", "  # ", "- ", " a: b ", "'", `"`, " é🙂 ", " [", " }"}).Draw(u.t,
		"comment") + fmt.Sprintf("c%d;", u.comments)
}

// side returns a comment behind a line, or nothing.
func (u *untidy) side() string {
	if u.pick("side", 4) > 0 {
		return ""
	}
	return strings.Repeat(" ", 1+u.pick("gap", 4)) + u.mark()
}

// between writes blank lines and comments at any indentation.
func (u *untidy) between() {
	for range u.pick("between", 4) {
		switch u.pick("line", 3) {
		case 0:
			u.lines = append(u.lines, rapid.SampledFrom([]string{"", "", "  "}).Draw(u.t, "blank"))
		case 1:
			indent := u.pick("indent", 9)
			if u.below >= 0 {
				indent = min(indent, u.below)
			}
			u.lines = append(u.lines, strings.Repeat(" ", indent)+u.mark())
		}
	}
}

var words = []string{"kind", "key", "name", "status",
	"budget", "targeting", "ad_groups", "a", "NO", "010", "it's", "a b", "x#y",
	"é🙂", "-1", "a,b", "[x", "{", "#", "- a", "a: b", "", "null", "~", "2026-12-01", "1e6", "clear", "two\nlines",
	"a\n\nb", " lead", "tail ", "%", "!a", "&a", "*a", "back\\slash", "tab\tx", `"q"`, "?", ":", "? a", ": a", "yes"}

// key draws keys that are no two alike in a mapping.
func (u *untidy) key(taken map[string]bool) string {
	key := rapid.SampledFrom(words).Filter(func(w string) bool { return !strings.Contains(w, "\n") }).Draw(u.t, "key")
	for taken[key] {
		key += "x"
	}
	taken[key] = true
	return key
}

// oneLine writes a text on one line, quoted in one way or another.
func (u *untidy) oneLine(text string, flow bool) string {
	switch u.pick("quotes", 3) {
	case 0:
		if !strings.Contains(text, "\n") {
			return "'" + strings.ReplaceAll(text, "'", "''") + "'"
		}
	case 1:
		return quote(text)
	}
	return Scalar(text, flow)
}

// flowValue writes a value between brackets; deep is how many more may nest.
func (u *untidy) flowValue(deep int) string {
	switch {
	case deep > 0 && u.pick("nest", 3) == 0:
		return u.flow(deep)
	}
	return u.oneLine(rapid.SampledFrom(words).Draw(u.t, "text"), true)
}

// flow writes a list or a mapping in brackets, perhaps over several lines; what
// it gives may hold line breaks and comments.
func (u *untidy) flow(deep int) string {
	spread := u.pick("spread", 2) == 0
	gap := func() string {
		if !spread {
			return rapid.SampledFrom([]string{"", " "}).Draw(u.t, "space")
		}
		switch u.pick("gap", 5) {
		case 0:
			return " " + u.mark() + "\n         "
		case 1:
			return "\n         " + u.mark() + "\n\n         "
		case 2:
			return "\n         "
		}
		return " "
	}
	var b strings.Builder
	list := u.pick("list", 2) == 0
	b.WriteString(map[bool]string{true: "[", false: "{"}[list])
	taken := map[string]bool{}
	for i := range u.pick("items", 4) {
		if i > 0 {
			b.WriteString("," + gap())
		}
		b.WriteString(gap())
		if !list {
			b.WriteString(u.oneLine(u.key(taken), true) + ": ")
		}
		b.WriteString(u.flowValue(deep-1) + gap())
	}
	b.WriteString(gap() + map[bool]string{true: "]", false: "}"}[list])
	return b.String()
}

// value writes a value behind `start`, which is a key or a dash at an indentation.
func (u *untidy) value(start string, indent, deep int) {
	choice := u.pick("value", 9)
	deeper := indent + 1 + u.pick("step", 4)
	pad := strings.Repeat(" ", deeper)
	switch {
	case choice == 0:
		u.add(start + u.side())
	case choice == 1:
		u.block(start, deeper)
	case choice == 2: // over several lines, in quotes or without
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{"one", "two's", "x#y", "a b"}), 2, 3).Draw(u.t, "parts")
		mark := rapid.SampledFrom([]string{"", `"`}).Draw(u.t, "mark")
		lines := strings.Split(start+" "+mark+
			strings.Join(parts, rapid.SampledFrom([]string{"\n" + pad, "\n\n" + pad}).Draw(u.t, "break"))+mark, "\n")
		u.lines = append(u.lines, lines[:len(lines)-1]...)
		u.add(lines[len(lines)-1] + u.side())
	case choice == 3:
		for _, line := range strings.Split(start+" "+u.flow(2)+u.side(), "\n") {
			u.add(line)
		}
	case choice <= 5 && deep > 0:
		u.add(start + u.side())
		u.between()
		u.mapping(deeper, deep-1)
	case choice == 6 && deep > 0:
		u.add(start + u.side())
		u.between()
		if strings.HasSuffix(start, ":") && u.pick("in column", 3) == 0 {
			deeper = indent
		}
		u.list(deeper, deep-1)
	case choice == 7: // below its key
		u.add(start + u.side())
		u.between()
		u.add(pad + u.oneLine("below", false) + u.side())
	default:
		u.add(start + " " + u.oneLine(rapid.SampledFrom(words).Draw(u.t, "text"), false) + u.side())
	}
}

// block writes a text behind | or >.
func (u *untidy) block(start string, deeper int) {
	header := rapid.SampledFrom([]string{"|", ">", "|-", ">-", "|+", ">+"}).Draw(u.t, "header")
	u.lines = append(u.lines, start+" "+header+u.side())
	pad := strings.Repeat(" ", deeper)
	u.lines = append(u.lines, pad+"first")
	for _, line := range rapid.SliceOfN(rapid.SampledFrom([]string{"text # no comment",
		"  deeper", "", "- x", "a: b", "   "}), 0, 3).Draw(u.t, "lines") {
		u.lines = append(u.lines, pad+line)
	}
	u.below = deeper - 1
}

func (u *untidy) mapping(indent, deep int) {
	taken := map[string]bool{}
	for range 1 + u.pick("entries", 4) {
		key := strings.Repeat(" ", indent) + u.oneLine(u.key(taken), false)
		u.value(key+rapid.SampledFrom([]string{":", ":", " :"}).Draw(u.t, "colon"), indent, deep)
		u.between()
	}
}

func (u *untidy) list(indent, deep int) {
	for range 1 + u.pick("items", 3) {
		start := strings.Repeat(" ", indent) + "-"
		if deep > 0 && u.pick("compact", 2) == 0 {
			line := len(u.lines)
			gap := 2 + u.pick("gap", 3)
			u.mapping(indent+gap, deep-1)
			u.lines[line] = start + u.lines[line][indent+1:]
		} else {
			u.value(start, indent, deep)
		}
		u.between()
	}
}

func (u *untidy) text() string {
	for i := range 1 + u.pick("documents", 3) {
		if i > 0 || u.pick("mark", 3) == 0 {
			u.add("---" + u.side())
		}
		u.between()
		if i == 0 || u.pick("empty", 4) > 0 {
			u.mapping(0, 3)
		}
		u.between()
	}
	return strings.Join(u.lines, "\n") + "\n"
}

var marks = regexp.MustCompile(`c[0-9]+;`)

// TestNothingIsLostOrChanged: the text in order says the same, has every comment
// once, is stable, and no text is refused.
func TestNothingIsLostOrChanged(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		u := &untidy{t: rt, below: -1}
		text := u.text()
		if _, err := decoded(text); err != nil {
			rt.Fatalf("the draw is not YAML: %v\n%s", err, text)
		}
		got, err := Format([]byte(text), style)
		if err != nil {
			rt.Fatalf("Format = %v, of\n%s", err, text)
		}
		checkFormatted(rt, text, string(got))
		if strings.Contains(string(got), "\n\n\n") && !strings.ContainsAny(text, "|>") {
			rt.Fatalf("Format leaves two blank lines:\n%s", got)
		}
		if found := marks.FindAllString(string(got), -1); len(found) != u.comments ||
			len(slices.Compact(slices.Sorted(slices.Values(found)))) != u.comments {
			rt.Fatalf("%d comments of %d are there:\n%s\nof\n%s", len(found), u.comments, got, text)
		}
	})
}

func checkFormatted(t interface{ Fatalf(string, ...any) }, text, got string) {
	before, _ := decoded(text)
	after, err := decoded(got)
	if err != nil {
		t.Fatalf("Format gives no YAML: %v\n%s\nof\n%s", err, got, text)
	}
	if diff := cmp.Diff(before, after); diff != "" {
		t.Fatalf("Format changes what the text says (-before +after):\n%s\nfrom\n%s\nto\n%s", diff, text, got)
	}
	again, err := Format([]byte(got), style)
	if err != nil || string(again) != got {
		t.Fatalf("Format is not stable: %v\n%s\nof\n%s", err, cmp.Diff(got, string(again)), text)
	}
}

// decoded returns every document as a program without this package has it.
func decoded(text string) ([]any, error) {
	decoder := yaml.NewDecoder(strings.NewReader(text))
	var all []any
	for {
		var one any
		err := decoder.Decode(&one)
		if err != nil && err.Error() == "EOF" {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
}

// FuzzFormat holds that no bytes make Format panic, and that what it gives says
// the same and is stable.
func FuzzFormat(f *testing.F) {
	for _, seed := range []string{"a: 1\n", "# c\na: [1, # d\n 2]\n",
		"a: |+\n b\n\n\nc: 'd'\n", "- - a\n  - b\n# c\n", "? a\n: b\n", "--- {a: b}\n...\n# c\n",
		"a: \"x\n  y\" # c\n", "\ufeffa: b\r\nc: d\r\n", "a: >2\n   x\n", "[a: b, c]\n", "a:\n- b\n# c\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := Format([]byte(text), style)
		if err != nil {
			return
		}
		if _, err := decoded(text); err == nil {
			checkFormatted(t, text, string(got))
		}
	})
}
