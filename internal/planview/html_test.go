package planview

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"adsync/internal/cards"
	"adsync/internal/kinds"

	"golang.org/x/net/html"
)

// elements returns the names of all elements of a page, and every attribute that
// would load, run or lead somewhere.
func elements(t testing.TB, page string) (names, active []string) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		names = append(names, n.Data)
		for _, a := range n.Attr {
			if slices.Contains([]string{"src", "href", "action", "style", "srcset", "data"}, a.Key) ||
				strings.HasPrefix(a.Key, "on") {
				active = append(active, n.Data+" "+a.Key)
			}
		}
	}
	return names, active
}

// TestX5NothingForeignIsHTML: whatever is written somewhere, the page has the
// elements it has for a plain word.
func TestX5NothingForeignIsHTML(t *testing.T) {
	want, _ := elements(t, form(t, "html", hostile("plain")))
	for _, attack := range []string{
		"<script>alert(1)</script>", "</title></style></script><img src=x onerror=alert(1)>", `" onclick="alert(1)`,
		"'><svg onload=alert(1)>", "javascript:alert(1)", "--><b>", "{{.}}", "</textarea><a href=//x>", "&lt;b&gt;",
	} {
		names, active := elements(t, form(t, "html", hostile(attack)))
		if !slices.Equal(names, want) || len(active) > 0 {
			t.Errorf("%q makes other elements, or such as load or run: %q, %q", attack, names, active)
		}
	}
}

// TestThePageNeedsNoNetworkAndRunsItsOwnScriptAlone in a real browser: its
// policy lets the script run, so that copying and filtering are offered, and not
// what a name brings along.
func TestThePageNeedsNoNetworkAndRunsItsOwnScriptAlone(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	d := quarter(t)
	d.Changes[0].Name = `<script>document.title="run"</script><img src=x onerror="document.title='run'">`
	page := form(t, "html", d)
	if strings.Contains(page, "http-equiv=\"refresh\"") ||
		strings.Count(page, "<script") != 1 || strings.Contains(page, "<link") {
		t.Error("the page loads something, or has another script")
	}
	dom := rendered(t, page)
	switch {
	case !strings.Contains(dom, "<title>adsync plan: adacct_quickstart</title>"):
		t.Errorf("the title is another:\n%.600s", dom)
	case strings.Contains(dom, `type="button" data-copy="--allow archives=campaign/over" hidden`),
		strings.Contains(dom, `<p class="filter" hidden`):
		t.Error("the page's own script did not run: its policy forbids it, or it fails")
	}
}

// rendered returns a page as a browser has it after its script ran.
func rendered(t *testing.T, page string) string {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "plan.html")
	if err := os.WriteFile(file, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	c := exec.CommandContext(ctx, "chromium-headless-shell", "--headless", "--no-sandbox", "--disable-gpu",
		"--disable-dev-shm-usage",
		"--user-data-dir="+filepath.Join(dir, "profile"), "--virtual-time-budget=2000", "--dump-dom", "file://"+file)
	dom, err := c.Output()
	if err != nil {
		t.Fatalf("chromium, which make deps installs: %v", err)
	}
	return string(dom)
}

// TestAdsThatChangeAreDrawn: now and after, for engineers and for marketers, whose page
// names no address; nothing an ad says is markup, and a picture needs no network.
func TestAdsThatChangeAreDrawn(t *testing.T) {
	d := quarter(t)
	at := d.Changes[0].Address
	d.Drawn = map[string]Drawn{at: {
		Before: &cards.Card{Title: "Shoes <i>for</i> mud", Target: "https://shop.example/a", Left: "no file has it"},
		After:  &cards.Card{Title: "Boots", Picture: []byte("\x89PNG\r\n\x1a\n")},
	}}
	parts, err := HTMLParts(kinds.All(), d)
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range []string{form(t, "html", d), string(parts.Changes)} {
		for _, want := range []string{"<b>Now</b> · drawn by adsync", "Shoes &lt;i&gt;for&lt;/i&gt; mud",
			"<small>shop.example</small>", "no file has it", "<b>After</b>", `<img src="data:image/png;base64,`} {
			if !strings.Contains(page, want) {
				t.Errorf("the page lacks %q", want)
			}
		}
	}
	if page := form(t, "html", d); !strings.Contains(page, "img-src data:;") {
		t.Error("the page's policy lets no picture in")
	}
}
