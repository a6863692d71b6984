package journeys

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"mime/quotedprintable"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"adsync/internal/testing/mailtest"
	"adsync/internal/testing/office"

	"github.com/chromedp/chromedp"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/xuri/excelize/v2"
)

// letters find the mail server of a script.
var letters sync.Map

// TestAMarketersWeek is what a marketer does from Monday to Friday with LibreOffice, a mail program and Chromium: no
// terminal, and no file but those that she downloads and sends.
func TestAMarketersWeek(t *testing.T) {
	for _, profile := range []string{"interface", "hostile"} {
		t.Run(profile, func(t *testing.T) {
			t.Parallel() // most of a week is waiting
			makeJourneys(t, "testdata/week", profile, "")
		})
	}
}

// postbox: a mail server takes letters at $MAIL_PORT; $NOW is this minute, as reports name it.
func openPostbox(ts *testscript.TestScript, _ bool, _ []string) {
	m := mailtest.Open(testOf(ts))
	letters.Store(ts, m)
	ts.Setenv("SSL_CERT_FILE", m.CA)
	ts.Setenv("MAIL_PASSWORD", mailtest.Password)
	ts.Setenv("MAIL_PORT", strconv.Itoa(m.Port))
	zone, err := time.LoadLocation("America/New_York")
	ts.Check(err)
	now := time.Now().In(zone)
	ts.Setenv("NOW", strings.ToLower(now.Weekday().String())+now.Format(" 15:04"))
}

// words FILE: $NAME in it is the value of what is called so.
func putWords(ts *testscript.TestScript, _ bool, args []string) {
	text := os.Expand(ts.ReadFile(args[0]), ts.Getenv)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
}

// letter PATTERN: a letter comes that reads so, its lines joined; $LINK is the part in brackets, if there is one.
func letterComes(ts *testscript.TestScript, _ bool, args []string) {
	m, _ := letters.Load(ts)
	select {
	case raw := <-m.(*mailtest.Server).Letters:
		text, err := io.ReadAll(quotedprintable.NewReader(strings.NewReader(raw)))
		ts.Check(err)
		found := regexp.MustCompile(args[0]).FindStringSubmatch(string(text))
		if found == nil {
			ts.Fatalf("the letter does not read %s:\n%s", args[0], text)
		}
		if len(found) > 1 {
			ts.Setenv("LINK", found[1])
		}
	case <-time.After(patience):
		ts.Fatalf("no letter comes; the daemon says\n%s", &find(ts, "daemon").said)
	}
}

// onPage finds an element by what somebody reads on it: of those that are shown, the first whose words, or whose name
// for who does not see it, begin so.
const onPage = `((kinds, words) => [...document.querySelectorAll(kinds)].find(e => e.getClientRects().length > 0 && (
	e.innerText.trim().startsWith(words) || (e.getAttribute("aria-label") || "").startsWith(words))))`

func quoted(text string) string {
	b, _ := json.Marshal(text) // a string always has a JSON form
	return string(b)
}

// acts counts what was done on pages.
var acts atomic.Int64

// act does something to an element of the page, once, as soon as it is there. Finding it and acting are one step, for
// the page puts parts of itself in anew at any time; and the tab keeps that it was done, for the answer is lost if it
// leads away.
func act(ts *testscript.TestScript, what, element, does string) {
	done := quoted(strconv.FormatInt(acts.Add(1), 10))
	page(ts, what, `sessionStorage.done === `+done+` || (e => e && (sessionStorage.done = `+done+
		`, e.scrollIntoView({block: "center"}), `+does+`, true))(`+element+`)`)
}

// page waits until an expression of the page is true, on this one or the one it leads to.
func page(ts *testscript.TestScript, what, expression string) {
	var is bool
	until(ts, func() string {
		said, _ := chromedp.Run(tabOf(ts), chromedp.Evaluate[string](`location.href + "\n" + document.body.innerText`))
		return what + "; the page reads\n" + said
	}, func() bool {
		is, _ = chromedp.Run(tabOf(ts),
			chromedp.Evaluate[bool](`document.readyState === "complete" && !document.querySelector(".htmx-request") && !!(`+
				expression+`)`)) // between two there is none
		return is
	})
}

// goes PATH, or an address.
func goTo(ts *testscript.TestScript, _ bool, args []string) {
	address := args[0]
	if strings.HasPrefix(address, "/") {
		address = ts.Getenv("PAGE") + address
	}
	ts.Check(chromedp.Do(tabOf(ts), chromedp.Navigate(address)))
}

// clicks WORDS: on the link, button, box or fold that begins so.
func clickOn(ts *testscript.TestScript, _ bool, args []string) {
	act(ts, "nothing begins "+args[0], onPage+`("a, button, summary, label", `+quoted(args[0])+`)`, "e.click()")
}

// enters LABEL TEXT: types it into the field with the label, key by key.
func enterText(ts *testscript.TestScript, _ bool, args []string) {
	field := `(l => l && (l.control || l.querySelector("input, select, textarea")))(` + onPage + `("label", ` +
		quoted(args[0]) + `))`
	act(ts, "no field is called "+args[0], field, "e.focus(), e.select && e.select()")
	ts.Check(chromedp.Do(tabOf(ts), chromedp.KeyEvent(args[1])))
}

// seen PATTERN: the page comes to read so by itself, or is left for one that does; its lines are joined.
func comesToRead(ts *testscript.TestScript, neg bool, args []string) {
	page(ts, "never "+args[0], `new RegExp(`+quoted(args[0])+`).test(document.body.innerText.replace(/\s+/g, " ")) !== `+
		strconv.FormatBool(neg))
}

// reloads PATTERN: she loads the page again until it reads so: what figures are of comes with the next read of the
// account.
func reloadUntil(ts *testscript.TestScript, _ bool, args []string) {
	reads := `new RegExp(` + quoted(args[0]) + `).test(document.body.innerText.replace(/\s+/g, " "))`
	until(ts, func() string { return "never " + args[0] }, func() bool {
		ts.Check(chromedp.Do(tabOf(ts), chromedp.Reload()))
		is, err := chromedp.Run(tabOf(ts), chromedp.Evaluate[bool](reads))
		return err == nil && is
	})
}

// uploads FILE: drops it in the page of the account that is open.
func uploadFile(ts *testscript.TestScript, _ bool, args []string) {
	page(ts, "nothing can be dropped", `document.querySelector(".drop input[type=file]")`)
	ts.Check(chromedp.Do(tabOf(ts), chromedp.SetUploadFiles(chromedp.CSS(".drop input[type=file]"),
		[]string{ts.MkAbs(args[0])})))
	act(ts, "nothing can be sent", `document.querySelector(".drop button")`, "e.click()")
	page(ts, "it is never looked at", `document.querySelector("h1").innerText.startsWith("A look at")`)
}

// fetches WORDS FILE: what the link that begins so leads to.
func fetchFile(ts *testscript.TestScript, _ bool, args []string) {
	act(ts, "nothing begins "+args[0], onPage+`("a", `+quoted(args[0])+`)`, "sessionStorage.leadsTo = e.href")
	packed, err := chromedp.Run(tabOf(ts), chromedp.Evaluate[string](`fetch(sessionStorage.leadsTo).then(r => r.arrayBuffer())`+
		`.then(b => { let s = ""; for (const c of new Uint8Array(b)) s += String.fromCharCode(c); return btoa(s) })`,
		chromedp.EvalAwaitPromise))
	ts.Check(err)
	content, err := base64.StdEncoding.DecodeString(packed)
	ts.Check(err)
	ts.Check(os.MkdirAll(filepath.Dir(ts.MkAbs(args[1])), 0o755))
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), content, 0o644))
}

// ticked: ticks every box of what waits.
func tickAll(ts *testscript.TestScript, _ bool, _ []string) {
	act(ts, "nothing waits", `document.querySelector("form.approve:has(input[type=checkbox])")`,
		`e.querySelectorAll("input[type=checkbox]").forEach(box => box.checked || box.click())`)
}

// says-of WORKBOOK draft|ready: LibreOffice types it beside "This workbook is".
func typeStanding(ts *testscript.TestScript, _ bool, args []string) {
	const sheet = "Start here"
	f, err := excelize.OpenFile(ts.MkAbs(args[0]))
	ts.Check(err)
	defer f.Close()
	at, err := f.SearchSheet(sheet, "This workbook is")
	ts.Check(err)
	if len(at) != 1 {
		ts.Fatalf("%s says at %q how it stands; want one cell", args[0], at)
	}
	column, row, err := excelize.CellNameToCoordinates(at[0])
	ts.Check(err)
	beside, err := excelize.CoordinatesToCellName(column+1, row)
	ts.Check(err)
	ts.Check(office.Type(ts.MkAbs(args[0]), sheet, map[string]string{beside: args[1]}))
}

// single NAME: the answer has one that is called so.
func isThereOnce(ts *testscript.TestScript, _ bool, args []string) {
	if n := strings.Count(ts.ReadFile("answer.json"), quoted(args[0])); n != 1 {
		ts.Fatalf("the answer has %q %d times; want it once", args[0], n)
	}
}
