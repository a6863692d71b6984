package web

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"adsync/internal/comments"
	"adsync/internal/daemon"
	"adsync/internal/runview"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// chromium starts the browser that make deps installs, for the tests beneath t. Its folder is not theirs: processes of
// the browser write there when the tests have ended, and chromedp waits for them.
func chromium(t *testing.T) context.Context {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.NoSandbox, chromedp.DisableGPU, chromedp.ExecPath("chromium-headless-shell"),
		chromedp.Flag("disable-dev-shm-usage", true), chromedp.WSURLReadTimeout(time.Minute))
	allocator, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, end := chromedp.NewContext(allocator)
	t.Cleanup(end)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	return ctx
}

// tab is one page of the browser, and the daemon it shows.
type tab struct {
	*testing.T
	ctx  context.Context
	desk *fakeDesk
	root string

	server *Server
}

// open returns a tab of its own. What the browser complains of fails the test:
// what its policy stopped, what the script threw.
func open(t *testing.T, browser context.Context, change func(*Options)) *tab {
	t.Helper()
	o := theOptions(t)
	if change != nil {
		change(&o)
	}
	desk := theDesk(t)
	server, err := New(o, desk)
	if err != nil {
		t.Fatal(err)
	}
	listener := httptest.NewServer(server)
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	ctx, end := context.WithTimeout(ctx, 10*time.Minute)
	t.Cleanup(func() {
		end()
		cancel()
		listener.CloseClientConnections()
		listener.Close()
	})
	err = chromedp.Listen(ctx, func(event any) {
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			t.Errorf("the script threw: %s", e.ExceptionDetails.Text)
		case *log.EventEntryAdded:
			if e.Entry.Source == log.EntrySourceSecurity || e.Entry.Level == log.EntryLevelError &&
				!strings.Contains(e.Entry.URL, "favicon") && e.Entry.Source != log.EntrySourceNetwork {
				t.Errorf("the browser complains: %s %s", e.Entry.Text, e.Entry.URL)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return &tab{t, ctx, desk, listener.URL, server}
}

func (p *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	p.Helper()
	if err := chromedp.Do(p.ctx, actions...); err != nil {
		p.Fatal(err)
	}
}

func (p *tab) visit(path string) {
	p.Helper()
	p.do(chromedp.Navigate(p.root + path))
}

// eval returns the value of an expression.
func eval[T any](p *tab, expression string) T {
	p.Helper()
	value, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		p.Fatal(err)
	}
	return value
}

// press sends keys to what has the focus.
func (p *tab) press(keys string) {
	p.Helper()
	p.do(chromedp.KeyEvent(keys))
}

// tabTo presses the tab key until an element has the focus, and wants the focus
// to be seen wherever it comes by.
func (p *tab) tabTo(selector string) {
	p.Helper()
	for range 80 {
		p.press(kb.Tab)
		if unseen := eval[string](p,
			`(() => { const e = document.activeElement, s = getComputedStyle(e); return e === document.body `+
				`|| s.outlineStyle !== "none" && parseFloat(s.outlineWidth) `+
				`>= 2 ? "" : e.outerHTML })()`); unseen != "" {
			p.Fatalf("the focus is not seen on %.200s", unseen)
		}
		if eval[bool](p, `document.activeElement.matches(`+quoted(selector)+`)`) {
			return
		}
	}
	p.Fatalf("no way by keyboard to %s", selector)
}

func quoted(text string) string {
	b, _ := json.Marshal(text) // a string always has a JSON form
	return string(b)
}

// login gives name and token by keyboard, and wants to come back to a path.
func (p *tab) login(path string) {
	p.Helper()
	p.visit(path)
	p.tabTo(`a[href^="/login"]`)
	p.press(kb.Enter)
	p.wait(`!!document.querySelector("#token")`)
	p.tabTo("#name")
	p.press("Ann Example")
	p.tabTo("#token")
	p.press(theToken + kb.Enter)
	p.wait(`location.pathname === ` + quoted(path) + ``)
}

// wait wants an expression to become true, on this page or the one it leads to,
// once it is there whole.
func (p *tab) wait(expression string) {
	p.Helper()
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	for began := time.Now(); time.Since(began) < 30*time.Second; <-look.C {
		if yes, err := chromedp.Run(p.ctx,
			chromedp.Evaluate[bool](`document.readyState === "complete" && (`+expression+`)`)); err == nil && yes {
			return // an error: between two pages there is none to ask
		}
	}
	p.Fatalf("never %s; the page says: %.500s", expression, eval[string](p, `document.body.innerText`))
}

func (p *tab) says(words string) {
	p.Helper()
	p.wait(`document.body.innerText.includes(` + quoted(words) + `)`)
}

// TestByKeyboardAlone goes the ways of a person who has no mouse.
func TestByKeyboardAlone(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	browser := chromium(t)
	t.Run("approve what is held", func(t *testing.T) {
		p := open(t, browser, nil)
		p.login("/accounts/shoes")
		p.tabTo("#allow0")
		p.press(" ")
		p.tabTo("#note")
		p.press("agreed with Bob")
		p.tabTo("form.approve button")
		p.press(kb.Enter)
		p.says("Approved. The next run applies it.")
		if a := p.desk.lastApproval(); a.By != "Ann Example" || len(a.Allow) != 1 ||
			a.Allow[0] != heldRaise || a.Note != "agreed with Bob" || a.PlanHash != p.desk.plans["shoes"].PlanHash {
			t.Errorf("the approval is %+v", a)
		}
		p.says("agreed with Bob")
	})
	t.Run("have the service asked again", func(t *testing.T) {
		const again = "refused=ad/spring-launch/runners/hero-b=1f2e3d4c5b6a"
		p := open(t, browser, nil)
		held := `{"held": {"hazard": "refused", "message": ` +
			`"the service refused it on 2026-11-21 09:00 EST: \"title may not shout\"", "allow": "` + again + `"}}`
		if err := json.Unmarshal([]byte(held), &p.desk.plans["shoes"].Changes[1]); err != nil {
			t.Fatal(err)
		}
		withAsks(p.desk.plans["shoes"])
		p.login("/accounts/shoes")
		p.says("Try again: ad “Hero B” of")
		p.says("title may not shout")
		p.tabTo(`input[value="` + p.desk.askOf("shoes", again).Item + `"]`)
		p.press(" ")
		p.tabTo("form.approve button")
		p.press(kb.Enter)
		p.says("Approved. The next run applies it.")
		if a := p.desk.lastApproval(); a.By != "Ann Example" ||
			len(a.Allow) != 1 || a.Allow[0] != again || a.Time != noon {
			t.Errorf("the approval is %+v", a)
		}
		p.says("approved by Ann Example")
	})
	t.Run("suspend and resume", func(t *testing.T) {
		p := open(t, browser, nil)
		p.login("/accounts/shoes")
		p.tabTo(".order summary")
		p.press(kb.Enter)
		p.tabTo("#reason")
		p.press("the shop is down")
		p.tabTo("#for")
		p.press("1")
		p.tabTo(".order button")
		p.press(kb.Enter)
		p.says("the shop is down")
		if shoes, _ := p.desk.Account(context.Background(), "shoes"); shoes.Suspended == nil ||
			shoes.Suspended.By != "Ann Example" || !shoes.Suspended.Until.Equal(noon.Add(time.Hour)) {
			t.Errorf("suspended: %+v", shoes.Suspended)
		}
		p.tabTo(`form[action$="/resume"] button`)
		p.press(kb.Enter)
		p.says("Resumed.")
		if shoes, _ := p.desk.Account(context.Background(), "shoes"); shoes.Suspended != nil {
			t.Error("it is suspended still")
		}
	})
	t.Run("undo a run", func(t *testing.T) {
		p := open(t, browser, nil)
		p.login("/accounts/shoes/activity")
		p.tabTo(`a[href$="/undo"]`)
		p.press(kb.Enter)
		p.says("The files would say again")
		p.tabTo("#undo-reason")
		p.press("too dear")
		p.tabTo("form.stack button")
		p.press(kb.Enter)
		p.says("spring (before 2026-11-22 1700).xlsx")
		if len(p.desk.edits) != 1 || p.desk.edits[0].By != "Ann Example" || p.desk.edits[0].Reason != "too dear" ||
			p.desk.edits[0].Of != "" || p.desk.edits[0].Digest != p.desk.draft.Digest {
			t.Errorf("ordered: %+v; want all of the run, as it was shown", p.desk.edits)
		}
	})
	t.Run("pause and go on", func(t *testing.T) {
		p := open(t, browser, nil)
		p.desk.settings = threeSettings()
		p.login("/accounts/shoes")
		p.tabTo(`a[href$="/pause"]`)
		p.press(kb.Enter)
		p.says("Pause now")
		p.tabTo("#resource")
		p.press(kb.ArrowDown)
		p.tabTo("#pause-reason")
		p.press("the shop is down")
		p.tabTo("form.stack button")
		p.press(kb.Enter)
		p.says("Ordered. It is paused before anything else is sent.")
		shoes, _ := p.desk.Account(context.Background(), "shoes")
		if len(shoes.Pauses) != 1 || shoes.Pauses[0].Resource == "" || shoes.Pauses[0].Name == "" ||
			shoes.Pauses[0].By != "Ann Example" || shoes.Suspended != nil {
			t.Fatalf("pauses: %+v, suspended: %+v", shoes.Pauses, shoes.Suspended)
		}
		p.says("Paused: " + shoes.Pauses[0].Name)
		p.tabTo(`form[action$="/go-on"] button`)
		p.press(kb.Enter)
		p.says("Ann Example said Go on")
	})
}

func TestAWorkbookIsDroppedInTheBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	p := open(t, chromium(t), nil)
	file := filepath.Join(t.TempDir(), "spring.xlsx")
	if err := os.WriteFile(file, []byte("the bytes"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.login("/accounts/shoes")
	p.do(chromedp.SetUploadFiles(chromedp.CSS("#file"), []string{file}))
	p.tabTo(".drop button")
	p.press(kb.Enter)
	p.says("spring.xlsx:Ads!E17: title has 52 characters")
	p.says("Nothing of it was applied")
	if got := eval[string](p, `(() => { const r = new XMLHttpRequest(); `+
		`r.open("GET", document.querySelector("a.button").href, false); r.send(); return r.responseText })()`); got !=
		"the marked copy" {
		t.Errorf("the marked copy is %q", got)
	}
	if p.desk.looked[0] != "spring.xlsx: the bytes" {
		t.Errorf("read: %q", p.desk.looked)
	}
}

// TestThePageFollows: what happens is seen without loading the page anew, and
// what somebody is deciding on is not pulled away beneath them.
func TestThePageFollows(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	p := open(t, chromium(t), nil)
	p.login("/accounts/shoes")
	p.says("Shown as it happens.")
	p.do(chromedp.Click(chromedp.CSS("#allow0")))
	p.desk.change("shoes", func(a *daemon.Status) { a.Running = true })
	p.says("a run goes on")
	p.desk.change("shoes", func(a *daemon.Status) { a.Doing = "applying 3 of 14: Hiking <Boots>" })
	p.says("applying 3 of 14: Hiking <Boots>")
	p.desk.mu.Lock()
	other := *p.desk.plans["shoes"]
	other.PlanHash, other.Asks = "another", nil // what was ticked is not asked for any more
	p.desk.plans["shoes"] = &other
	newest := *p.desk.runs["shoes"][0]
	newest.Run = "run-000099"
	p.desk.runs["shoes"] = append([]*runview.Document{&newest}, p.desk.runs["shoes"]...)
	p.desk.mu.Unlock()
	p.desk.change("shoes", func(a *daemon.Status) { a.Running, a.Failures = false, 2 })
	p.says("The plan is another by now.")
	if !eval[bool](p, `document.querySelector("#allow0").checked `+
		`&& document.querySelector("[name=plan]").value !== "another"`) {
		t.Error("what was ticked is gone, or now means another plan")
	}
	p.wait(`document.getElementById("live-runs").innerText.includes("run-000099")`) // though a box is ticked elsewhere
	p.do(chromedp.Click(chromedp.CSS("form.approve button")))
	p.says("What was chosen is not as it was shown by now")
	if n := len(p.desk.approvals); n != 1 {
		t.Errorf("%d approvals; want that of before alone", n)
	}
}

// TestWhoStandsOnALinkSeesWhatHappens: the cards are those of now also beneath who goes
// through them by keyboard, and the focus stays where it was.
func TestWhoStandsOnALinkSeesWhatHappens(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	p := open(t, chromium(t), nil)
	p.visit("/")
	p.says("Shown as it happens.")
	p.tabTo(`.card a[href="/accounts/shoes"]`)
	p.desk.change("shoes", func(a *daemon.Status) { a.Running = true })
	p.says("a run goes on")
	if !eval[bool](p, `document.activeElement.matches('.card a[href="/accounts/shoes"]')`) {
		t.Errorf("the focus is on %s; want it on the link it was on",
			eval[string](p, `document.activeElement.outerHTML`))
	}
}

// seen sets how large the window is, and whether it is dark.
func (p *tab) seen(wide, high int64, scheme string) {
	p.Helper()
	p.do(chromedp.EmulateViewport(wide, high))
	media := emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	}
	if _, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, media); err != nil {
		p.Fatal(err)
	}
}

// looksOf are the pages, and how to come to each.
var looksOf = []string{"/", "/accounts/shoes", "/accounts/hats", "/accounts/shoes/files",
	"/accounts/boots%20&%20bags", "/accounts/shoes/runs", "/accounts/shoes/runs/run-000042",
	"/accounts/shoes/campaigns", "/accounts/shoes/campaigns?level=ad&span=30d&col=review&col=spend",
	"/accounts/shoes/campaigns?changed=7d&col=cell&col=paced", "/accounts/shoes/activity?of=campaign_0",
	"/accounts/shoes/ads", "/accounts/shoes/ads?order=best-ctr&delivery=yes&span=30d",
	"/accounts/shoes/activity", "/accounts/shoes/pause", "/accounts/shoes/runs/run-000042/undo",
	"/accounts/boots%20&%20bags/theirs?of=campaign/boots", "/sessions", "/login",
	"/nothing", "/accounts/shoes/comments?of=campaign/spring-launch"}

// full has an account of which all sections have something to show, and all of it
// long: a commit that waits to be accepted, others that were, a suspension.
func (d *fakeDesk) full() {
	word := strings.Repeat("averylongword", 20)
	d.change("boots & bags", func(a *daemon.Status) {
		a.Suspended = &daemon.Suspension{By: "Ann", Reason: word, Since: noon}
	})
	d.rewrite("shoes")
	d.change("shoes", func(a *daemon.Status) {
		a.Source, a.Message = "https://git.example/"+word+".git, branch main", word
		a.Rewritten.Subject, a.Rewritten.Author = word, word
	})
	for _, c := range []comments.Comment{{Address: ofSpring, By: "Ann Example", Text: word + "\n" + word},
		{Address: ofSpring, By: word, Text: "why?"}, {Run: "run-000042", By: word, Text: word}} {
		c.Time, c.About = noon, word
		if _, err := d.comments.Add(c); err != nil {
			panic(err)
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.settings = threeSettings()
	d.settings["ad"]["ad_8"] = daemon.Setting{Name: word, Status: word, Review: "rejected", Why: word, Do: word,
		Look: &daemon.Look{Title: word, Body: word, Price: word, Target: "https://" + word + ".example/", Image: word}}
	d.drawn()
	d.accepted = []daemon.Acceptance{{Commit: "4f1c0de5a2b3c4d5e6f708192a3b4c5d6e7f8091",
		Before: "81d2e0c5a2b3c4d5e6f708192a3b4c5d6e7f8091", By: "Ann Example", Note: word, Time: noon}}
	d.approvals = append(d.approvals, daemon.Approval{
		PlanHash: "507f9b3ca0445956", Allow: []string{"raises-spend=campaign/" + word},
		By: word, Note: word, Time: noon,
	})
}

// looks drops a file in the page of an account, and gives what it shows of it.
func (p *tab) looks(upload *daemon.Upload, file string) {
	p.Helper()
	p.desk.mu.Lock()
	p.desk.upload = upload
	p.desk.mu.Unlock()
	name := filepath.Join(p.TempDir(), file)
	if err := os.WriteFile(name, []byte("the bytes"), 0o600); err != nil {
		p.Fatal(err)
	}
	p.visit("/accounts/shoes")
	p.do(chromedp.SetUploadFiles(chromedp.CSS("#file"), []string{name}), chromedp.Click(chromedp.CSS(".drop button")))
	p.says("A look at ")
}

// stations are the pages of a person who is logged in that no address leads to, one
// after the other.
func (p *tab) stations(visit func(name string)) {
	p.Helper()
	word := strings.Repeat("averylongword", 12)
	p.looks(&daemon.Upload{Problems: []string{word + ".xlsx:Ads!E17: " +
		"title has 52 characters; want at most 50 (ADS1008)"}, Marked: []byte("x"), Name: "marked.xlsx"}, word+".xlsx")
	visit("a look at a file with problems")
	p.looks(&daemon.Upload{Plan: p.desk.plans["shoes"], Branch: "adsync/uploads-" + word}, "spring.xlsx")
	visit("a look at a file that may be committed")
	p.do(chromedp.Click(chromedp.CSS(".commit button")))
	p.says("Committed to ")
	visit("a file that was committed")
	p.looks(&daemon.Upload{Branch: "adsync/uploads", Into: word}, "spring.xlsx")
	visit("a look at a file that may be sent")
	p.desk.mu.Lock()
	p.desk.broken, p.desk.pulls = daemon.ErrNotOpened, "https://forge.example/"+word
	p.desk.mu.Unlock()
	p.do(chromedp.Click(chromedp.CSS(".commit button")))
	p.says("Not sent yet")
	visit("a file that the forge opened no pull request of")
	p.desk.mu.Lock()
	p.desk.broken = nil
	p.desk.mu.Unlock()
	p.do(chromedp.Click(chromedp.CSS(".commit button")))
	p.says("Sent as pull request 12")
	visit("a file that was sent")
	p.looks(mergeOf(word, false), "spring.xlsx")
	visit("a file that is to be merged")
	p.looks(&daemon.Upload{Base: "x", Merge: &daemon.Merge{Since: noon, Refused: word}}, "spring.csv")
	visit("a file that is not merged")
	p.desk.conflicts()
	p.visit("/accounts/shoes")
	p.says("whose value counts?")
	visit("a conflict")
}
