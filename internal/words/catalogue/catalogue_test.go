package catalogue

import (
	"html/template"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// other is a catalogue of these lines alone.
func other(t *testing.T, lines ...string) *Catalogue {
	t.Helper()
	c, err := parse("other.txt", "language = en\n"+strings.Join(lines, "\n"))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestWhatACatalogueMayNotBe(t *testing.T) {
	for _, row := range []struct{ name, content, want string }{
		{"no equals sign", "language = en\nhello", `other.txt:2: the line is "hello"; want a key and a text`},
		{"an open place", "language = en\n\n# x\na = b {name", `other.txt:4: a: a place is "{name"; want {name}`},
		{"a place of no name", "language = en\na = b {}", `other.txt:2: a: a place is "{}"`},
		{"words that do not end", "language = en\na = b {name: there", "other.txt:2: a: the place name has no end"},
		{"an end alone", "language = en\na = b}", "other.txt:2: a: there is a } without its {"},
		{"a key twice", "language = en\na = b\na = c", "other.txt:3: a is there twice"},
		{"a form of no language", "language = en\na [three] = c", `the form is "three"; want zero, one`},
		{"no usual form", "language = en\na [one] = c", `"a" has no form [other]`},
		{"no language", "a = b", `the language is ""; want one such as en`},
		{"a language that is none", "language = Neverland!\na = b", `the language is "Neverland!"`},
	} {
		if _, err := parse("other.txt", row.content); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v; want %s", row.name, err, row.want)
		}
	}
}

// A translation has what English has: no text less, none more, and the same places, in their own order.
func TestATranslationIsHeldToEnglish(t *testing.T) {
	windows := "\ufeff" + strings.ReplaceAll(englishText, "\n", "\r\n")
	shorter := strings.Replace(englishText, "held.hours [one] = {n} hour", "held.hours [one] = an hour", 1)
	for _, same := range []string{englishText, windows, shorter} {
		if _, err := Read("same.txt", same); err != nil {
			t.Error(err)
		}
	}
	const title = "\nactivity.title-of = Activity of {what}"
	for _, row := range []struct{ name, becomes, want string }{
		{"a text is missing", "", `"activity.title-of" is not there`},
		{"a text of its own", title + "\nmine = x", `"mine" is there; want only what`},
		{"a place is missing", "\nactivity.title-of = Activity", `places of "activity.title-of" are [] in the form [other]; want ["what"]`},
		{"another place", "\nactivity.title-of = Of {whom}", `are ["whom"] in the form [other]; want ["what"]`},
		{"a place is missing in a form", title + "\nactivity.title-of [one] = One", `are [] in the form [one]; want ["what"]`},
		{"words in a place", "\nactivity.title-of = Of {what: that}", `places of "activity.title-of"`},
	} {
		content := strings.Replace(englishText, title, row.becomes, 1)
		if _, err := Read("other.txt", content); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v; want %s", row.name, err, row.want)
		}
	}
}

// Whoever translates puts their file beside english.txt.
func TestEachTranslationIsWhole(t *testing.T) {
	files, err := filepath.Glob("*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err == nil {
			_, err = Read(file, string(content))
		}
		if err != nil {
			t.Error(err)
		}
	}
}

func TestTextsAreSaid(t *testing.T) {
	defer Use(other(t, "plain = Skip to", "  the {what}", "waits [one] = {n} change waits",
		"waits [other] = {n} changes wait"))()
	for want, got := range map[string]string{
		"Skip to the content": Say("plain", "what", "content"),
		"1 change waits":      Say("waits", "n", 1),
		"0 changes wait":      Say("waits", "n", 0),
		"1,001 changes wait":  Say("waits", "n", "1,001"),
		"[nothing]":           Say("nothing"),
	} {
		if got != want {
			t.Errorf("says %q; want %q", got, want)
		}
	}
}

// What engineers read is known again in any language, amid other text, and said in the other words.
func TestEngineersTextsAreSaidPlainly(t *testing.T) {
	defer Use(other(t, "with = steht, weil {what} steht", "with.plain = wartet auf {what}",
		"with-part = steht, weil {what} steht, das es braucht", "with-part.plain = braucht {what}",
		"edit = von {from} auf {to} geändert; schreib das (oder nicht)", "edit.plain = jetzt {to} statt {from}",
		"again = {what}; plan noch einmal", "again.plain = {what}"))()
	for said, want := range map[string]string{
		"steht, weil campaign/x steht":                             "wartet auf campaign/x",
		"ad/y: steht, weil campaign/x steht; --allow z":            "ad/y: wartet auf campaign/x; --allow z",
		"steht, weil bid steht, das es braucht":                    "braucht bid",
		"von 4 auf 5 geändert; schreib das (oder nicht)":           "jetzt 5 statt 4",
		"jetzt: von 4 auf 5 geändert; schreib das (oder nicht); b": "jetzt: jetzt 5 statt 4; b",
		"steht, weil a steht; steht, weil b steht":                 "wartet auf a; wartet auf b",
		"war da; plan noch einmal":                                 "war da",
		"von 4 auf 5 geändert":                                     "von 4 auf 5 geändert",
	} {
		if got := Plainly(said); got != want {
			t.Errorf("%q is %q plainly; want %q", said, got, want)
		}
	}
}

// Other languages count otherwise: Polish has a form for 2 to 4, and another for 5.
func TestFormsAreThoseOfTheLanguage(t *testing.T) {
	c, err := parse("polish.txt", "language = pl\nn [one] = {n} zmiana\nn [few] = {n} zmiany\nn [many] = {n} zmian\n"+
		"n [other] = {n} zmiany")
	if err != nil {
		t.Fatal(err)
	}
	defer Use(c)()
	page := Pages(`{{range .}}{{say "n" "n" .}}, {{end}}`)()
	var b strings.Builder
	if err := page.Execute(&b, []any{1, 2, 5, 22, "1,112"}); err != nil {
		t.Fatal(err)
	}
	const want = "1 zmiana, 2 zmiany, 5 zmian, 22 zmiany, 1,112 zmian, "
	if b.String() != want || Say("n", "n", 5) != "5 zmian" {
		t.Errorf("%q, and %q; want %q", b.String(), Say("n", "n", 5), want)
	}
}

// A text is text wherever it stands, and the places of a sentence stand where its language wants them.
func TestTemplatesHaveTheWords(t *testing.T) {
	defer Use(other(t, `quote = <b>"Q&A"</b>`, "both = {what} by {who: {name}, the boss}."))()
	for _, row := range []struct{ text, want string }{
		{`<p title="{{say "quote"}}">{{say "quote"}}</p>`,
			`<p title="&lt;b&gt;&#34;Q&amp;A&#34;&lt;/b&gt;">&lt;b&gt;&#34;Q&amp;A&#34;&lt;/b&gt;</p>`},
		{"<p>\n  {{- say \"quote\" }}", "<p>&lt;b&gt;&#34;Q&amp;A&#34;&lt;/b&gt;"},
		{`{{say "both" "what" (printf "%d (%s)" .N .Name) "who" ` + "`<a href=\"/{{.Name}}\">{}</a>`" + ` "name" .Name}}`,
			`7 (&lt;i&gt;) by <a href="/%3ci%3e">&lt;i&gt;, the boss</a>.`},
	} {
		text, err := Template(row.text)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		err = template.Must(template.New("").Parse(text)).Execute(&b, map[string]any{"N": 7, "Name": "<i>"})
		if err != nil || b.String() != row.want {
			t.Errorf("%s becomes %s, %v; want %s", row.text, b.String(), err, row.want)
		}
	}
	for text, want := range map[string]string{
		`{{say "nothing"}}`:                                      "nothing: the catalogue does not have it",
		`{{say "both" "what" .N "name" .N}}`:                     `both: nothing fills the place "who"`,
		`{{say "quote" "what" .N}}`:                              `quote: a template fills the place "what"`,
		`{{say "quote" what .N}}`:                                "quote: a place is what; want its name in quotes",
		`{{say "quote" "what"`:                                   `quote: after "what" there is ""`,
		`{{say "quote" "what" }}`:                                `quote: after "what" there is "}}"`,
		`{{say "quote" "what" (x .N}}`:                           `quote: after "what" there is`,
		"{{say \"both\" \"what\" .N \"who\" `<b>` \"name\" .N}}": `both: the place "who" has the words`,
		`{{say "both" "what" .N "who" .N "name" .N}}`:            `both: the place "who" has the words`,
	} {
		if _, err := Template(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %s", text, err, want)
		}
	}
}
