package web

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Lists are searched, sorted and turned in place: what is typed stays, the focus stays, the address is that of what is
// seen, and going back leads to what was there.
func TestListsAreSearchedInPlace(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	p := open(t, chromium(t), nil)
	p.desk.settings = threeSettings()
	p.login("/accounts/shoes")
	p.visit("/accounts/shoes/campaigns")
	rows := `document.querySelectorAll("#list tbody tr").length - 1`
	all := eval[int](p, rows)
	eval[bool](p, `window.stays = true`)
	p.tabTo("#q")
	p.press("zzz-nothing")
	p.wait(rows + ` === 0 && document.getElementById("stream").innerText.startsWith("0 of ")`)
	if !eval[bool](p, `window.stays && document.activeElement.id === "q" && document.activeElement.value === "zzz-nothing" `+
		`&& location.search.includes("q=zzz-nothing")`) {
		t.Errorf("after a search in place: %s", eval[string](p, `location.href + " " + document.activeElement.outerHTML`))
	}
	for range "zzz-nothing" {
		p.press(kb.Backspace)
	}
	p.wait(rows + ` === ` + strconv.Itoa(all))
	p.tabTo("#head1")
	p.press(kb.Enter)
	p.wait(`document.querySelector("#list th[aria-sort] a").id === "head1"`)
	if !eval[bool](p, `window.stays && document.activeElement.id === "head1"`) {
		t.Errorf("after sorting the focus is on %s", eval[string](p, `document.activeElement.outerHTML`))
	}
	sorted := eval[string](p, `new URLSearchParams(location.search).get("sort")`)
	p.do(chromedp.SetValue(chromedp.CSS("#span"), "30d"))
	eval[bool](p, `document.getElementById("span").dispatchEvent(new Event("input", {bubbles: true}))`)
	p.wait(`location.search.includes("span=30d")`)
	if now := eval[string](p, `new URLSearchParams(location.search).get("sort")`); now != sorted {
		t.Errorf("other dates are sorted by %q; want %q, as before", now, sorted)
	}
	if stored := eval[int](p, `localStorage.length + sessionStorage.length`); stored != 0 {
		t.Errorf("%d things are kept in the browser; want none: others may use it", stored)
	}
	p.do(chromedp.NavigateBack())
	p.wait(`!document.querySelector("#list th[aria-sort] a") || document.querySelector("#list th[aria-sort] a").id !== "head1"`)
}

// Whose session has ended is led to log in, and sees no piece of that page in the place of a list.
func TestAListOfNobodyLeadsToLogIn(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	p := open(t, chromium(t), func(o *Options) { o.Listen = "0.0.0.0:8787"; o.BehindProxy = true })
	p.visit("/login?back=/accounts/shoes/campaigns")
	p.do(chromedp.SendKeys(chromedp.CSS("#name"), "Ann"), chromedp.SendKeys(chromedp.CSS("#token"), theToken+kb.Enter))
	p.wait(`location.pathname === "/accounts/shoes/campaigns"`)
	_, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool](`fetch("/logout", {method: "POST", `+
		`headers: {"Content-Type": "application/x-www-form-urlencoded"}, body: "form=" + `+
		`document.querySelector('form[action="/logout"] [name=form]').value}).then(() => true)`, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatal(err)
	}
	p.do(chromedp.SendKeys(chromedp.CSS("#q"), "boots"))
	p.wait(`!document.getElementById("list") && !!document.querySelector('a[href^="/login"], #token')`)
}

// What is the same for all is asked for again, and not sent again.
func TestScriptsAreKept(t *testing.T) {
	a := ask(t, nil)
	for _, path := range []string{"/page.js", "/htmx.js", "/page.css"} {
		sum := a.get(path).Header.Get("ETag")
		if answer := a.send("GET", path, "", "If-None-Match: "+sum); sum == "" ||
			answer.StatusCode != http.StatusNotModified || strings.TrimSpace(text(t, answer)) != "" {
			t.Errorf("%s with the sum %s: %s; want that it is the same", path, sum, answer.Status)
		}
	}
}
