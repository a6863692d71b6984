package web

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"adsync/internal/words/catalogue"

	"golang.org/x/net/html"
)

// accented is what a letter becomes in a language that nobody speaks: no letter of it is English.
func accented(r rune) rune {
	switch {
	case 'a' <= r && r <= 'z':
		return 'α' + (r-'a')%17
	case 'A' <= r && r <= 'Z':
		return 'Α' + (r-'A')%17
	}
	return r
}

var (
	goesOn  = regexp.MustCompile(`\n +`)
	oneText = regexp.MustCompile(`(?m)^([a-z][^#=\n]*) = (.*)$`)
	named   = regexp.MustCompile(`\{[a-z-]+`)
)

// inAnotherLanguage has the page in that language until the test ends: as a translator would, it puts other words in
// the place of those of english.txt.
func inAnotherLanguage(t *testing.T) {
	t.Helper()
	text := oneText.ReplaceAllStringFunc(goesOn.ReplaceAllString(english(t), " "), func(line string) string {
		key, text, _ := strings.Cut(line, " = ")
		if key == "language" {
			return line
		}
		var b strings.Builder
		at := 0
		for _, place := range named.FindAllStringIndex(text, -1) {
			b.WriteString(strings.Map(accented, text[at:place[0]]) + text[place[0]:place[1]])
			at = place[1]
		}
		return key + " = ⟦" + b.String() + strings.Map(accented, text[at:]) + "⟧"
	})
	other, err := catalogue.Read("other.txt", text)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(catalogue.Use(other))
}

// english are the texts of the catalogue, as its file has them.
func english(t *testing.T) string {
	t.Helper()
	content, err := os.ReadFile("../../words/catalogue/english.txt")
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// spoken are the attributes that somebody reads or hears.
var spoken = []string{"title", "aria-label", "placeholder", "alt", "aria-description", "label", "data-says"}

// sayings are the texts of a page that somebody reads or hears.
func sayings(t *testing.T, page string) (all []string) {
	t.Helper()
	root, err := html.ParseWithOptions(strings.NewReader(page), html.ParseOptionEnableScripting(false))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		switch {
		case n.Type == html.TextNode && n.Parent.Data != "style" && n.Parent.Data != "script":
			all = append(all, n.Data)
		case n.Type == html.ElementNode && n.Data == "input" && attribute(n, "type") == "submit":
			all = append(all, attribute(n, "value"))
		}
		for _, name := range spoken {
			all = append(all, attribute(n, name))
		}
	}
	return slices.DeleteFunc(all, func(text string) bool { return strings.TrimSpace(text) == "" })
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}
