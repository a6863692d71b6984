package catalogue

import (
	"fmt"
	"html/template"
	"strings"
	"sync"

	"adsync/internal/pattern"
)

// sayAction is how a template asks for a text: {{say "key" "place" .Value}}.
var sayAction = pattern.Of(`\{\{(- )?say "([a-z0-9.-]+)"`)

// Pages returns the templates of these texts with the words of the catalogue in use. They are made once for each.
func Pages(texts ...string) func() *template.Template {
	var made sync.Map
	return func() *template.Template {
		c := now()
		if pages, is := made.Load(c); is {
			return pages.(*template.Template)
		}
		text, err := c.template(strings.Join(texts, ""))
		if err != nil {
			panic(err) // a test of the catalogue finds it first
		}
		pages := template.Must(template.New("").Funcs(template.FuncMap{"form": c.formOf}).Parse(text))
		made.Store(c, pages)
		return pages
	}
}

// formOf returns which form of a text a count wants: "one" or "other" in English.
func (c *Catalogue) formOf(count any) string { return c.form(fmt.Sprint(count)) }

// Template puts the words of the catalogue into the text of a template, before it is parsed: as they would stand in it.
// What fills a place is a value, which the template writes, or between backticks what a template may have, in which {}
// stands for the words of the place.
//
//	{{say "state.failed" "n" .Failures}}
//	{{say "look.start" "today" `<a href="{{.Path}}/files">{}</a>`}}
func Template(text string) (string, error) { return now().template(text) }

func (c *Catalogue) template(text string) (string, error) {
	var b strings.Builder
	for {
		at := sayAction.FindStringSubmatchIndex(text)
		if at == nil {
			b.WriteString(text)
			return b.String(), nil
		}
		key := text[at[4]:at[5]]
		b.WriteString(text[:at[0]])
		if at[2] >= 0 {
			b.WriteString("{{- /**/}}") // what stands before is trimmed, as it was asked for
		}
		given, rest, err := argumentsOf(text[at[1]:])
		if err != nil {
			return "", fmt.Errorf("%s: %w", key, err)
		}
		filled, err := c.filled(key, given)
		if err != nil {
			return "", fmt.Errorf("%s: %w", key, err)
		}
		b.WriteString(filled)
		text = rest
	}
}

// argumentsOf reads pairs of a place and what fills it, up to the end of the action.
func argumentsOf(text string) (given map[string]string, rest string, err error) {
	given = map[string]string{}
	name := ""
	for {
		text = strings.TrimLeft(text, " ")
		if rest, ends := strings.CutPrefix(text, "}}"); ends && name == "" {
			return given, rest, nil
		}
		end := argumentEnd(text)
		if end <= 0 {
			return nil, "", fmt.Errorf("after %q there is %.20q; want pairs of a place and what fills it", name, text)
		}
		argument := text[:end]
		text = text[end:]
		if name != "" {
			given[name], name = argument, ""
		} else if name = strings.Trim(argument, `"`); name == argument || name == "" {
			return nil, "", fmt.Errorf("a place is %s; want its name in quotes", argument)
		}
	}
}

// argumentEnd is where the first argument of a text ends; 0 where there is none.
func argumentEnd(text string) int {
	if text == "" {
		return 0
	}
	switch text[0] {
	case '"', '`':
		return 2 + strings.IndexByte(text[1:], text[0])
	case '(':
		depth := 0
		for i, c := range text {
			switch c {
			case '(':
				depth++
			case ')':
				if depth--; depth == 0 {
					return i + 1
				}
			}
		}
		return 0
	}
	return strings.IndexAny(text, " }")
}

// filled is a text as a template has it.
func (c *Catalogue) filled(key string, given map[string]string) (string, error) {
	all := c.texts[key]
	if all == nil {
		return "", fmt.Errorf("the catalogue does not have it")
	}
	places := all.places()
	for name := range given {
		if _, is := places[name]; !is {
			return "", fmt.Errorf("a template fills the place %q; the catalogue has none", name)
		}
	}
	last, err := c.inTemplate(all.of("other"), given)
	if len(all) == 1 || err != nil {
		return last, err
	}
	var b strings.Builder
	begin := "{{if"
	for _, form := range []string{"zero", "one", "two", "few", "many"} {
		counted := all.of(form)
		if counted == nil {
			continue
		}
		one, err := c.inTemplate(counted, given)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, `%s eq (form %s) "%s"}}%s`, begin, given["n"], form, one)
		begin = "{{else if"
	}
	return b.String() + "{{else}}" + last + "{{end}}", nil
}

var literal = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;")

func (c *Catalogue) inTemplate(t text, given map[string]string) (string, error) {
	var b strings.Builder
	for _, p := range t {
		b.WriteString(literal.Replace(p.words))
		if p.place == "" {
			continue
		}
		within, err := c.inTemplate(p.within, given)
		if err != nil {
			return "", err
		}
		fills, markup := strings.CutPrefix(given[p.place], "`")
		switch {
		case fills == "":
			return "", fmt.Errorf("nothing fills the place %q", p.place)
		case !markup && within == "":
			b.WriteString("{{" + strings.TrimSuffix(strings.TrimPrefix(fills, "("), ")") + "}}")
		case !markup || strings.Contains(fills, "{}") != (within != ""):
			return "", fmt.Errorf("the place %q has the words %q, and %s stands there", p.place, within, given[p.place])
		default:
			markup, err := c.template(strings.TrimSuffix(fills, "`"))
			if err != nil {
				return "", err
			}
			b.WriteString(strings.Replace(markup, "{}", within, 1))
		}
	}
	return b.String(), nil
}
