package journeys

import (
	"context"
	"strconv"
	"sync"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/rogpeppe/go-internal/testscript"
)

// tabs find the Chromium of a script.
var tabs sync.Map

// browser NAME: somebody starts Chromium, or comes to the one that runs, and logs in to the page of the daemon.
func startBrowser(ts *testscript.TestScript, _ bool, args []string) {
	if _, runs := tabs.Load(ts); !runs {
		openTab(ts)
	}
	ts.Check(chromedp.Do(tabOf(ts), chromedp.Navigate(ts.Getenv("PAGE")+"/login"),
		chromedp.SendKeys(chromedp.CSS("#name"), args[0]),
		chromedp.SendKeys(chromedp.CSS("#token"), ts.Getenv("ADSYNC_DAEMON_TOKEN")),
		chromedp.Click(chromedp.CSS(`form[action="/login"] button`)),
		chromedp.WaitVisible(chromedp.CSS(`form[action="/logout"]`))))
}

func openTab(ts *testscript.TestScript) {
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.NoSandbox, chromedp.DisableGPU, chromedp.ExecPath("chromium-headless-shell"),
		chromedp.Flag("disable-dev-shm-usage", true), chromedp.WSURLReadTimeout(patience))
	allocator, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	ts.Defer(cancel)
	tab, end := chromedp.NewContext(allocator)
	ts.Defer(end)
	tab, cancel = context.WithTimeout(tab, 10*time.Minute)
	ts.Defer(cancel)
	tabs.Store(ts, tab)
}

func tabOf(ts *testscript.TestScript) context.Context {
	tab, ok := tabs.Load(ts)
	if !ok {
		ts.Fatalf("nobody has started a browser")
	}
	return tab.(context.Context)
}

// eval evaluates an expression of the page.
func eval(ts *testscript.TestScript, expression string) {
	_, err := chromedp.Run(tabOf(ts), chromedp.Evaluate[bool](expression+", true"))
	ts.Check(err)
}

// ticks ACCOUNT NOTE: ticks every box of what waits, says why, and approves.
func tickAndApprove(ts *testscript.TestScript, _ bool, args []string) {
	page := ts.Getenv("PAGE") + "/accounts/" + args[0]
	ts.Check(chromedp.Do(tabOf(ts), chromedp.Navigate(page), chromedp.WaitVisible(chromedp.CSS("form.approve"))))
	eval(ts, `document.querySelectorAll("form.approve input[type=checkbox]").forEach(box => box.checked || box.click())`)
	ts.Check(chromedp.Do(tabOf(ts), chromedp.SendKeys(chromedp.CSS(`form.approve [name="note"]`), args[1]),
		chromedp.Click(chromedp.CSS("form.approve button")), chromedp.WaitVisible(chromedp.CSS("h1"))))
}

// drawPage has Chromium draw a page from what a selector finds first.
func drawPage(ts *testscript.TestScript, path, first string) []byte {
	ts.Check(chromedp.Do(tabOf(ts), chromedp.EmulateViewport(1100, 760),
		chromedp.Navigate(ts.Getenv("PAGE")+path), chromedp.WaitVisible(chromedp.CSS("h1"))))
	if first != "" {
		eval(ts, `document.querySelector(`+strconv.Quote(first)+`).scrollIntoView()`)
	}
	picture, err := chromedp.Run(tabOf(ts), chromedp.CaptureScreenshot())
	ts.Check(err)
	return picture
}
