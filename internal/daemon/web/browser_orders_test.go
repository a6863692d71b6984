package web

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"adsync/internal/comments"
	"adsync/internal/daemon"
	"adsync/internal/orders"

	"github.com/chromedp/chromedp"
	"github.com/google/go-cmp/cmp"
)

// effects are what was ordered of the daemon by now.
func (d *fakeDesk) effects(t *testing.T) map[string]int {
	t.Helper()
	kept, err := d.comments.All()
	if err != nil {
		t.Fatal(err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	all := map[string]int{"comments": len(kept), "wakes": len(d.woken), "approvals": len(d.approvals),
		"acceptances": len(d.accepted), "looks": len(d.looked), "files": len(d.handed), "edits": len(d.edits),
		"resumes": len(d.resumed), "suspended": 0, "pauses": 0, "going on": 0}
	for i := range d.accounts {
		if d.accounts[i].Suspended != nil {
			all["suspended"]++
		}
		for _, p := range d.accounts[i].Pauses {
			if all["pauses"]++; p.GoOn != nil {
				all["going on"]++
			}
		}
	}
	return all
}

// ordering is a button that gives an order, and what of the daemon it moves.
type ordering struct {
	sign  string
	on    sight
	sends *daemon.Upload // the page is that of a look at a file; of one sent again, where the forge refused it
	again bool
	moves map[string]int
}

// orderings are all of the page.
func orderings() []ordering {
	const form = ", in form"
	shoes := "/accounts/shoes"
	stopped := sight{path: shoes, with: func(d *fakeDesk) {
		d.accounts[0].Suspended = &daemon.Suspension{By: "Ann", Reason: "the sale", Since: noon}
		d.accounts[0].Pauses = []daemon.Pause{{Settled: true, Paused: 1, First: []string{"Spring"},
			Pause: orders.Pause{ID: "0001", By: "Ann", Reason: "why", Since: noon, Resource: "c", Name: "Spring"}}}
	}}
	said := sight{path: shoes + "/runs/run-000042", with: func(d *fakeDesk) {
		mine := comments.Comment{Run: "run-000042", By: "ann", Text: "mine", Time: noon}
		if _, err := d.comments.Add(mine); err != nil {
			panic(err)
		}
	}}
	one := func(what string) map[string]int { return map[string]int{what: 1} }
	const post, account = "POST /accounts/{account}/", "POST /accounts/{account}"
	look := &daemon.Upload{Branch: "adsync/uploads"}
	pull := &daemon.Upload{Branch: "adsync/uploads", Into: "main"}
	settled, merged := ": "+post+"looks/{look}/merge", mergeOf("x", false)
	return []ordering{
		{sign: "button Run: " + post + "wake, in orders", on: sight{path: shoes}, moves: one("wakes")},
		{sign: "button Suspend: " + post + "suspend, in orders", on: sight{path: shoes}, moves: one("suspended")},
		{sign: "button Resume: " + post + "resume, in orders", on: stopped,
			moves: map[string]int{"resumes": 1, "suspended": -1}},
		{sign: "button Go: " + post + "pauses/{pause}/go-on" + form, on: stopped, moves: one("going on")},
		{sign: "button Pause: " + post + "pause" + form, on: sight{path: shoes + "/pause"},
			moves: map[string]int{"pauses": 1, "suspended": 1}},
		{sign: "button Approve: " + post + "approve" + form, on: sight{path: shoes}, moves: one("approvals")},
		{sign: "button Keep: " + post + "approve, in orders",
			on: sight{path: shoes, with: (*fakeDesk).conflicts}, moves: one("approvals")},
		{sign: "button Accept: " + post + "accept" + form, on: sight{path: shoes}, moves: one("acceptances")},
		{sign: "button Write: " + account + "/runs/{run}/undo" + form,
			on: sight{path: shoes + "/runs/run-000042/undo"}, moves: one("edits")},
		{sign: "button Write: " + post + "theirs" + form,
			on: sight{path: "/accounts/boots%20&%20bags/theirs?of=campaign/boots"}, moves: one("edits")},
		{sign: "button Comment: " + post + "comments" + form,
			on: sight{path: shoes + "/comments?of=" + ofSpring}, moves: map[string]int{"comments": 1, "wakes": 1}},
		{sign: "button Take: " + post + "comments/{comment}/delete, in talk", on: said,
			moves: map[string]int{"comments": -1}},
		{sign: "button Look: " + post + "look" + form, on: sight{path: shoes}, moves: one("looks")},
		{sign: "button Commit: " + post + "looks/{look}/commit" + form, sends: look, moves: one("files")},
		{sign: "button Send: " + post + "looks/{look}/commit" + form, sends: pull, moves: one("files")},
		{sign: "button Send: " + post + "looks/{look}/commit" + form, sends: pull, again: true, moves: one("files")},
		{sign: "button Merge" + settled + form, sends: merged, moves: one("looks")},
		{sign: "button Yours" + settled + ", in orders", sends: merged, moves: one("looks")},
		{sign: "button Today" + settled + ", in orders", sends: merged, moves: one("looks")},
	}
}

// stands brings the page with the button.
func (w *walker) stands(o *ordering) {
	w.Helper()
	w.dirty = true
	on := o.on
	if o.sends != nil {
		on.path = "/accounts/shoes"
	}
	w.comes(&on)
	if o.sends != nil {
		w.looks(o.sends, "spring.xlsx")
	}
	if o.again {
		w.desk.mu.Lock()
		w.desk.broken, w.desk.pulls = daemon.ErrNotOpened, "https://forge.example/x"
		w.desk.mu.Unlock()
		w.click(".commit button")
		w.says("Not sent yet")
		w.desk.mu.Lock()
		w.desk.broken = nil
		w.desk.mu.Unlock()
	}
}

// presses clicks a button at its place until the page has sent its form, and waits for the page that answers.
func (w *walker) presses(o *ordering) error {
	w.Helper()
	const watch = `(() => { if (!window.watched) { window.watched = true; ` +
		`addEventListener("submit", () => window.sent = true, true) } return true })()`
	eval[bool](w.tab, watch)
	look := time.NewTicker(100 * time.Millisecond)
	defer look.Stop()
	for began := time.Now(); ; <-look.C {
		is, err := chromedp.Run(w.ctx, chromedp.Evaluate[string](
			`!window.watched ? (document.readyState === "complete" ? "there" : "") : window.sent ? "" : "here"`))
		switch {
		case err == nil && is == "there":
			if status := eval[int](w.tab,
				`performance.getEntriesByType("navigation")[0].responseStatus`); status >= 400 {
				return fmt.Errorf("leads to %d: %.200s", status, eval[string](w.tab, `document.body.innerText`))
			}
			return nil
		case err == nil && is == "here":
			eval[bool](w.tab, w.script) // what is found may have been put in anew
			c, there := w.first()[o.sign]
			if !there {
				return fmt.Errorf("is not there; there are %q", slices.Sorted(maps.Keys(w.first())))
			}
			if eval[bool](w.tab, `!!document.querySelector("input[type=file]")`) {
				w.do(chromedp.SetUploadFiles(chromedp.CSS("input[type=file]"), []string{w.file()}))
			}
			eval[bool](w.tab, fmt.Sprintf(`walk.fill(%d, {}), true`, c.N))
			at := eval[struct {
				X, Y float64
				Own  bool
			}](w.tab, fmt.Sprintf(`walk.at(%d)`, c.N))
			if at.Own {
				w.do(chromedp.MouseClickXY(at.X, at.Y))
			}
		}
		if time.Since(began) > time.Minute {
			return fmt.Errorf("no click at its place sends its form")
		}
	}
}

// TestEveryOrderAtEveryWidth clicks each button that gives an order, on a phone, a desk and a wide screen, at the place
// where it stands there, and wants of the daemon exactly what the button says, once.
func TestEveryOrderAtEveryWidth(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	script, err := os.ReadFile("testdata/walk/walk.js")
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	w := walkerOf(t, chromium(t), &walked{script: string(script)}, "operator")
	ways := orderings()
	for i, wide := range widths {
		w.tab.seen(wide, 900, []string{"light", "dark"}[i%2])
		for k := range ways {
			o := &ways[k]
			w.stands(o)
			before := w.desk.effects(t)
			if err := w.presses(o); err != nil {
				t.Errorf("%d wide: %s %v", wide, o.sign, err)
				continue
			}
			moved := map[string]int{}
			for what, n := range w.desk.effects(t) {
				if d := n - before[what]; d != 0 {
					moved[what] = d
				}
			}
			if d := cmp.Diff(o.moves, moved); d != "" {
				t.Errorf("%d wide: %s (-want +moved):\n%s", wide, o.sign, d)
			}
		}
	}
	t.Logf("%d orders in %s", len(widths)*len(ways), time.Since(began).Round(time.Second))
	everyOrder(t, ways)
}

// everyOrder wants the orders to be all of the buttons that the walk knows.
func everyOrder(t *testing.T, ways []ordering) {
	t.Helper()
	known := map[string]bool{}
	for i := range ways {
		known[ways[i].sign] = true
	}
	controls, err := os.ReadFile("testdata/walk/controls.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(controls)) {
		_, rest, _ := strings.Cut(line, "\t")
		sign, _, _ := strings.Cut(rest, "\t")
		if strings.HasPrefix(sign, "button ") && strings.Contains(sign, ": POST /accounts/") && !known[sign] {
			t.Errorf("%s is pressed at no width; want it among the orders", sign)
		}
	}
}
