package web

import (
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// mostBytes is what a browser gets at most of script, style and fonts for one page.
const mostBytes = 150_000

// loaded is the number of bytes of script, style and fonts that a browser is led to by a page, with those in the page
// itself.
const loaded = `Promise.all([...document.querySelectorAll("script, style, link[rel=stylesheet], link[as=font]")].map(
	e => e.src || e.href ? fetch(e.src || e.href).then(r => r.blob()) : new Blob([e.textContent])
)).then(all => all.reduce((sum, part) => sum + part.size, 0))`

// axeFinds is what axe-core has to say of a page, a sentence for each element.
const axeFinds = `axe.run(document, {resultTypes: ["violations"], runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa",
	"wcag22aa", "best-practice"]}).then(found => found.violations.flatMap(v =>
	v.nodes.map(n => v.id + " (" + v.help + "): " + n.html.slice(0, 160) + " " + n.failureSummary)))`

// axeCore is the script of testdata/axe-core.
func axeCore(t *testing.T) string {
	t.Helper()
	packed, err := os.Open("testdata/axe-core/axe.min.js.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	script, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	return string(script) + "; true"
}

// audited returns what keeps somebody from using the page that a tab shows: as our own audit, and as axe-core finds it.
func (p *tab) audited(audit, axe string) []string {
	p.Helper()
	found := eval[[]string](p, audit)
	size, err := chromedp.Run(p.ctx, chromedp.Evaluate[int](loaded, chromedp.EvalAwaitPromise))
	if err != nil {
		p.Fatal(err)
	}
	if size > mostBytes || size < 10_000 {
		found = append(found, fmt.Sprintf("%d bytes of script and style; want some, and at most %d", size, mostBytes))
	}
	eval[bool](p, axe)
	more, err := chromedp.Run(p.ctx, chromedp.Evaluate[[]string](axeFinds, chromedp.EvalAwaitPromise))
	if err != nil {
		p.Fatal(err)
	}
	return append(found, more...)
}

// TestEveryPageIsForEverybody looks at each page on a phone, a desk and a wide screen, light and dark, with and without
// a session, as two auditors would; the second is not ours.
func TestEveryPageIsForEverybody(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	browser := chromium(t)
	audit, err := os.ReadFile("testdata/audit.js")
	if err != nil {
		t.Fatal(err)
	}
	axe := axeCore(t)
	for _, row := range []struct {
		scheme   string
		wide     int64
		loggedIn bool
	}{{"light", 320, false}, {"dark", 320, true}, {"light", 1280, true}, {"dark", 1280, false}, {"light", 1920, true}} {
		p := open(t, browser, nil)
		p.desk.full()
		if row.loggedIn {
			p.login("/accounts/shoes")
		}
		p.seen(row.wide, 800, row.scheme)
		look := func(name string) {
			for _, found := range p.audited(string(audit), axe) {
				t.Errorf("%s, %s, %d wide: %s", name, row.scheme, row.wide, found)
			}
		}
		for _, path := range looksOf {
			p.visit(path)
			look(path)
		}
		if row.loggedIn {
			p.stations(look)
		}
		eval[bool](p, `document.querySelector("main").append(new Image(9, 9)), true`)
		if found := p.audited(string(audit), axe); !slices.ContainsFunc(found, func(text string) bool {
			return strings.HasPrefix(text, "image-alt")
		}) {
			t.Errorf("axe-core finds %q; want a picture without words, which was put there", found)
		}
	}
}
