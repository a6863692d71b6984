// Package catalogue has the words of the daemon's page: english.txt is all of them, for a translator to read and to
// give in another language.
//
// It refuses to have markup in a text: what a link or a bold word stands around is a place, which a template fills. Its
// invariant: a key that is asked for is in the catalogue, with the places it is given; its tests read the templates and
// the code for that, and who looks at the page does not find out.
//
// catalogue.go reads and says, template.go puts texts into templates, plainly.go puts what engineers are told into the
// words of others.
package catalogue

import (
	_ "embed" // the texts
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"

	"golang.org/x/text/feature/plural"
	"golang.org/x/text/language"
)

//go:embed english.txt
var englishText string

// Catalogue has texts by their keys.
type Catalogue struct {
	language  language.Tag
	texts     map[string]forms
	otherwise func() []saidOtherwise
}

// forms are those of a text, one for each form of a count that it has. Most have "other" alone.
type forms []form

type form struct {
	count string // "one", as CLDR calls it
	text  text
}

// of is the text for a form of a count, or nil.
func (f forms) of(count string) text {
	for i := range f {
		if f[i].count == count {
			return f[i].text
		}
	}
	return nil
}

// text is what stands between places, and the places.
type text []part

// part is words, or a place with the words that stand in it.
type part struct {
	words, place string
	within       text
}

var english = sync.OnceValue(func() *Catalogue {
	c, err := parse("english.txt", englishText)
	if err != nil {
		panic(err) // each test would
	}
	return c
})

// said is what Use has put in the place of English.
var said atomic.Pointer[Catalogue]

func now() *Catalogue {
	if c := said.Load(); c != nil {
		return c
	}
	return english()
}

// Use has all that is said from now on in the words of another catalogue, until back is called.
func Use(c *Catalogue) (back func()) {
	former := said.Swap(c)
	return func() { said.Store(former) }
}

// Say returns a text with its places filled: pairs of a name and what stands there. What counts is called n.
func Say(key string, places ...any) string {
	texts := make([]string, len(places))
	for i, place := range places {
		if text, is := place.(string); is {
			texts[i] = text
		} else {
			texts[i] = fmt.Sprint(place)
		}
	}
	return Fill(key, texts...)
}

// Text is an error by the key of its text, which has no places: it is said in the words that are in use by then.
type Text string

func (t Text) Error() string { return Fill(string(t)) }

// Fill is Say of texts alone. It allocates what it returns and nothing else, for what is said thousands of times.
func Fill(key string, places ...string) string {
	c := now()
	all := c.texts[key]
	if all == nil {
		return "[" + key + "]"
	}
	of := all.of("other")
	if len(all) > 1 {
		if one := all.of(c.form(given(places, "n"))); one != nil {
			of = one
		}
	}
	if len(of) == 1 && of[0].place == "" {
		return of[0].words
	}
	var b strings.Builder
	b.Grow(of.size(places))
	of.write(&b, places)
	return b.String()
}

// Commas joins texts: a, b, c.
func Commas(texts []string) string {
	if len(texts) < 2 {
		return strings.Join(texts, "")
	}
	last := len(texts) - 1
	return Fill("list.comma", "list", Commas(texts[:last]), "last", texts[last])
}

// given is what stands in a place.
func given(places []string, name string) string {
	for i := 0; i+1 < len(places); i += 2 {
		if places[i] == name {
			return places[i+1]
		}
	}
	return ""
}

func (t text) size(places []string) (bytes int) {
	for i := range t {
		bytes += len(t[i].words) + len(given(places, t[i].place)) + t[i].within.size(places)
	}
	return bytes
}

func (t text) write(b *strings.Builder, places []string) {
	for i := range t {
		b.WriteString(t[i].words)
		b.WriteString(given(places, t[i].place))
		t[i].within.write(b, places)
	}
}

// countForms are what CLDR calls the forms of a count.
var countForms = [...]string{plural.Zero: "zero", plural.One: "one", plural.Two: "two", plural.Few: "few",
	plural.Many: "many", plural.Other: "other"}

func (c *Catalogue) form(count string) string {
	digits := strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, count)
	n, err := strconv.Atoi(digits)
	if err != nil {
		return "other"
	}
	return countForms[plural.Cardinal.MatchPlural(c.language, n, 0, 0, 0, 0)]
}

// Read reads a catalogue of another language. It has each key of the English one, with the same places.
func Read(file, content string) (*Catalogue, error) {
	c, err := parse(file, content)
	if err != nil {
		return nil, err
	}
	for _, key := range slices.Sorted(maps.Keys(english().texts)) {
		if c.texts[key] == nil {
			return nil, fmt.Errorf("%s: %q is not there; want each text of english.txt", file, key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(c.texts)) {
		want := english().texts[key]
		if want == nil {
			return nil, fmt.Errorf("%s: %q is there; want only what english.txt has", file, key)
		}
		for _, each := range c.texts[key] {
			if is := (forms{each}).places(); !fits(each.count, is, want.places()) {
				return nil, fmt.Errorf("%s: the places of %q are %q in the form [%s]; want %q, as in english.txt", file,
					key, slices.Sorted(maps.Keys(is)), each.count, slices.Sorted(maps.Keys(want.places())))
			}
		}
	}
	return c, nil
}

// fits reports whether a form has the places that a text has: one count, such as one, may go without saying.
func fits(form string, is, want map[string]bool) bool {
	if form != "other" && !hasCount(is) && hasCount(want) {
		is = maps.Clone(is)
		is["n"] = want["n"]
	}
	return maps.Equal(is, want)
}

func hasCount(places map[string]bool) bool { _, has := places["n"]; return has }

// places are those of all forms, and whether words stand in them.
func (f forms) places() map[string]bool {
	all := map[string]bool{}
	for _, each := range f {
		each.text.places(all)
	}
	return all
}

func (t text) places(all map[string]bool) {
	for _, p := range t {
		if p.place != "" {
			all[p.place] = all[p.place] || p.within != nil
			p.within.places(all)
		}
	}
}

// parse reads lines of "key = text" and "key [one] = text". A line that begins with a space goes on with the one
// before; one that begins with # is for whoever translates.
func parse(file, content string) (*Catalogue, error) {
	type line struct {
		at   int
		text string
	}
	var lines []line
	for i, one := range strings.Split(strings.TrimPrefix(content, "\ufeff"), "\n") {
		switch said := strings.TrimSpace(one); {
		case said == "" || strings.HasPrefix(one, "#"):
		case unicode.IsSpace(rune(one[0])) && len(lines) > 0:
			lines[len(lines)-1].text += " " + said
		default:
			lines = append(lines, line{i + 1, said})
		}
	}
	c := &Catalogue{texts: make(map[string]forms, len(lines))}
	c.otherwise = sync.OnceValue(c.findOtherwise)
	for _, l := range lines {
		if err := c.put(l.text); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, l.at, err)
		}
	}
	var err error
	if c.language, err = language.Parse(c.texts["language"].plain()); err != nil {
		return nil, fmt.Errorf("%s: the language is %q; want one such as en", file, c.texts["language"].plain())
	}
	for _, l := range lines {
		if key, _ := keyOf(l.text); c.texts[key].of("other") == nil {
			return nil, fmt.Errorf("%s:%d: %q has no form [other]; want one", file, l.at, key)
		}
	}
	return c, nil
}

// plain is a text that has no place.
func (f forms) plain() string {
	if t := f.of("other"); len(t) == 1 {
		return t[0].words
	}
	return ""
}

// put takes in a line.
func (c *Catalogue) put(line string) error {
	key, count := keyOf(line)
	_, content, is := strings.Cut(line, " = ")
	switch {
	case !is:
		return fmt.Errorf("the line is %q; want a key and a text, such as time.never = never", line)
	case !slices.Contains(countForms[:], count):
		return fmt.Errorf("the form is %q; want zero, one, two, few, many or other", count)
	case c.texts[key].of(count) != nil:
		return fmt.Errorf("%s is there twice", key)
	}
	t, rest, err := textOf(content)
	if err == nil && rest != "" {
		err = errors.New("there is a } without its {")
	}
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	c.texts[key] = append(c.texts[key], form{count, t})
	return nil
}

// keyOf is the key of a line, and the form of a count that the line is for.
func keyOf(line string) (key, count string) {
	key, _, _ = strings.Cut(line, " = ")
	key, count, is := strings.Cut(strings.TrimSpace(key), " [")
	if !is {
		return key, "other"
	}
	return key, strings.TrimSuffix(count, "]")
}

// textOf reads a text up to the } that ends it, and returns what follows: "Ask {name} for {help: the {kind}}".
func textOf(content string) (t text, rest string, err error) {
	for content != "" && content[0] != '}' {
		until := strings.IndexAny(content, "{}")
		switch {
		case until < 0:
			return append(t, part{words: content}), "", nil
		case until > 0:
			t = append(t, part{words: content[:until]})
			content = content[until:]
			continue
		}
		end := strings.IndexAny(content, ":}")
		if end < 2 {
			return nil, "", fmt.Errorf("a place is %q; want {name} or {name: words}", content)
		}
		p := part{place: content[1:end]}
		if content = content[end:]; content[0] == ':' {
			p.within, content, err = textOf(strings.TrimPrefix(content[1:], " "))
			if err == nil && content == "" {
				err = fmt.Errorf("the place %s has no end; want a }", p.place)
			}
			if err != nil {
				return nil, "", err
			}
		}
		t, content = append(t, p), content[1:]
	}
	return t, content, nil
}
