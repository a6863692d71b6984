package web

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"adsync/internal/words/catalogue"
)

var (
	action    = regexp.MustCompile(`\{\{.*?\}\}`)
	ownWords  = regexp.MustCompile(`"[A-Za-z]+ [^"]*"`)
	ofProgram = regexp.MustCompile(`\b(adsync|daemon FOLDER|pause-all|reconcile|STOP|passkeys|daemon\.yaml)\b|` +
		`--[a-z-]+|figures: false|/api/v1/sessions`)
)

// A branch of a template that no view shows has no words of its own either.
func TestTemplatesHaveNoWordsOfTheirOwn(t *testing.T) {
	inAnotherLanguage(t)
	text, err := catalogue.Template(templateText())
	if err != nil {
		t.Fatal(err)
	}
	for _, said := range action.FindAllString(text, -1) {
		if own := ownWords.FindString(said); own != "" {
			t.Errorf("%s says %s; want a text of the catalogue", said, own)
		}
	}
	said := sayings(t, action.ReplaceAllString(text, " "))
	for _, one := range said {
		if letters.MatchString(ofProgram.ReplaceAllString(one, "")) {
			t.Errorf("a template says %q; want a text of the catalogue", strings.TrimSpace(one))
		}
	}
	if len(said) < 300 {
		t.Errorf("the templates have %d texts; want hundreds", len(said))
	}
}

// forPrograms are the files whose problems no page shows.
var forPrograms = []string{"api.go", "api_orders.go", "events.go", "page_list.go"}

// A problem that a page shows is a text of the catalogue, whichever test makes it happen.
func TestProblemsAreTextsOfTheCatalogue(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") || slices.Contains(forPrograms, file) {
			continue
		}
		set := token.NewFileSet()
		tree, err := parser.ParseFile(set, file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			made, is := n.(*ast.CompositeLit)
			if !is || len(made.Elts) != 3 {
				return true
			}
			if of, is := made.Type.(*ast.Ident); !is || of.Name != "problem" {
				return true
			}
			found++
			ast.Inspect(made.Elts[2], func(n ast.Node) bool {
				if text, is := n.(*ast.BasicLit); is && strings.Count(text.Value, " ") > 1 {
					t.Errorf("%s: a problem says %s; want a text of the catalogue", set.Position(n.Pos()), text.Value)
				}
				return true
			})
			return true
		})
	}
	if found < 40 {
		t.Errorf("%d problems are found; want all", found)
	}
}
