package web

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"adsync/internal/daemon/passkey"
	"adsync/internal/daemon/roles"
	"adsync/internal/testing/golden"
	"adsync/internal/testing/openidtest"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// control is something of a page that somebody can use, as testdata/walk/walk.js finds it.
type control struct {
	N                      int
	Tag, Type, Name, Words string
	Href, Action, Method   string
	Place                  string // in which part of the page
	Download, Safe         bool
	Here, Skips            bool // a link to a place of this page, and that to its content
	Live                   bool // it changes a part of the page, where that runs its script
	Loose                  bool // a button that sends nothing
}

// walker is somebody with a role who uses all that the pages have.
type walker struct {
	*tab
	*walked
	role  string
	mux   *http.ServeMux
	wants map[string]roles.Role // which role each route wants
	at    *sight                // for which the daemon is as it is
	dirty bool                  // it is that no more
}

// walked is what was used by now.
type walked struct {
	script string
	seen   map[string]map[string]string // by page and control: the roles that see it
	used   map[string]bool              // what led where it should
	passed int
	sights []sight
}

// walkerOf is somebody with a role; "" is nobody, where there is one token for all.
func walkerOf(t *testing.T, browser context.Context, w *walked, role string) *walker {
	t.Helper()
	hash := cheapHash(thePassword)
	p := open(t, browser, func(o *Options) {
		if role == "" {
			return
		}
		if role == "provided" {
			providing(t, o)
		}
		r := &roles.Rules{People: []roles.Person{{Name: "ann", Login: "ann", Password: hash,
			Grant: roles.Grant{Everywhere: roles.Of(role)}}}}
		o.Token, o.Rules = roles.Token{}, func() *roles.Rules { return r }
	})
	mux, wants := http.NewServeMux(), map[string]roles.Role{}
	for _, route := range p.server.routes {
		wants[route.method+" "+route.path] = route.for_.role()
		mux.HandleFunc(route.method+" "+route.path, func(http.ResponseWriter, *http.Request) {})
	}
	p.desk.full()
	return &walker{tab: p, walked: w, role: role, mux: mux, wants: wants}
}

// providing has a provider and passkeys log people in.
func providing(t *testing.T, o *Options) {
	t.Helper()
	keys, err := passkey.New("http://localhost", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	o.Passkeys, o.OpenID = keys, providerOf(t, &openidtest.Provider{At: "https://login.example.com"}, nil)
	rules := theRules(t)
	rules.Proxy = roles.Proxy{}
	o.Token, o.Rules = roles.Token{}, func() *roles.Rules { return rules }
}

// comes opens a page, logged in.
func (w *walker) comes(s *sight) {
	w.Helper()
	w.again(s)
	w.visit(s.path)
	const known = `!!document.querySelector('form[action="/logout"]')`
	if w.role != "" && w.role != "provided" && !eval[bool](w.tab, known) {
		w.visit("/login")
		w.do(chromedp.SendKeys(chromedp.CSS("#name"), "ann"), chromedp.SendKeys(chromedp.CSS("#password"), thePassword),
			chromedp.Click(chromedp.CSS("form.stack button")))
		w.wait(known)
		w.visit(s.path)
	}
	eval[bool](w.tab, w.script)
}

// page is what the page is called that is shown.
func (w *walker) page() string {
	w.Helper()
	return strings.TrimPrefix(w.route("GET", eval[string](w.tab, `location.href`)), "GET ")
}

// route is the pattern of an address, such as GET /accounts/{account}.
func (w *walker) route(method, address string) string {
	u, err := url.Parse(address)
	if err != nil {
		w.Fatal(err)
	}
	if u.Host != "" && u.Host != strings.TrimPrefix(w.root, "http://") {
		return "elsewhere"
	}
	method = cmp.Or(strings.ToUpper(method), "GET")
	_, pattern := w.mux.Handler(httptest.NewRequest(method, cmp.Or(u.EscapedPath(), "/"), nil))
	return cmp.Or(pattern, "nothing")
}

// sign is what a control is called, without what it is about.
func (w *walker) sign(c control) string {
	word, _, _ := strings.Cut(c.Words, " ")
	field, _, _ := strings.Cut(c.Name, "-") // what follows says of which of several it is
	switch {
	case c.Skips:
		return skips
	case c.Here:
		return "link to a place of this page, in " + c.Place
	case c.Tag == "a":
		return "link to " + w.route("GET", c.Href) + ", in " + c.Place
	case c.Tag == "summary":
		return "fold " + word + ", in " + c.Place
	case c.Tag == "button" && c.Loose:
		return "button " + c.Words + ", in " + c.Place
	case c.Tag == "button":
		return "button " + word + ": " + w.route(c.Method, c.Action) + ", in " + c.Place
	case c.Action != "":
		return c.Tag + " " + c.Type + " " + field + ": " + w.route(c.Method, c.Action)
	case c.Tag == "input":
		return c.Tag + " " + c.Type + " of the page"
	}
	return "" // what scrolls
}

// skips is the link to the content, which is there for who uses the keyboard alone.
const skips = "link to the content"

// first are the first of each kind of control of a page, by what they are called.
func (w *walker) first() map[string]control {
	w.Helper()
	all := map[string]control{}
	for _, c := range eval[[]control](w.tab, `walk.list()`) {
		if sign := w.sign(c); sign != "" && all[sign].Tag == "" {
			all[sign] = c
		}
	}
	return all
}

// widths are those of a phone, a desk and a wide screen.
var widths = []int64{390, 1280, 1920}

// walk uses what a page has that was not used on a page like it; fresh says that it is none like others. again comes
// back to the page.
func (w *walker) walk(name string, fresh bool, again func()) {
	w.Helper()
	said := func(format string, a ...any) {
		w.Errorf("%s, %s: %s", name, cmp.Or(w.role, "nobody"), fmt.Sprintf(format, a...))
	}
	if w.walked.seen[name] == nil {
		w.walked.seen[name] = map[string]string{}
	}
	for sign, c := range w.first() {
		wants := w.wants[w.route(c.Method, cmp.Or(c.Href, c.Action))]
		if slices.Contains(roles.Names, w.role) && roles.Of(w.role) < wants && !c.Skips {
			said("%s is shown, and is for %s", sign, wants)
		}
		by := w.walked.seen[name][sign]
		fresh = fresh || by == ""
		if role := cmp.Or(w.role, "nobody"); !slices.Contains(strings.Fields(by), role) {
			w.walked.seen[name][sign] = strings.TrimSpace(by + " " + role)
		}
	}
	if !fresh {
		return
	}
	for _, wide := range widths {
		w.tab.seen(wide, 900, "light")
		for _, found := range eval[[]string](w.tab, `walk.geometry()`) {
			said("%d wide: %s", wide, found)
		}
		stand := eval[string](w.tab, `walk.stand()`)
		w.tab.seen(wide, 900, "dark")
		if dark := eval[string](w.tab, `walk.stand()`); dark != stand {
			said("%d wide: what can be used stands elsewhere in the dark", wide)
		}
	}
	w.passed++
	w.hands(said)
	for _, sign := range slices.Sorted(maps.Keys(w.first())) {
		if w.used[sign] || again == nil {
			continue
		}
		w.used[sign] = true
		for _, scripts := range []bool{true, false} {
			w.runs(scripts)
			again()
			c, there := w.first()[sign]
			field := slices.Contains([]string{"input", "select", "textarea"}, c.Tag)
			switch {
			case !there && scripts:
				said("%s is not there any more", sign)
			case there && (!field || c.Live && scripts):
				w.uses(c, sign, scripts, said)
			}
			if field || c.Tag == "a" && !c.Live {
				break // what is typed, and where a link leads, does not depend on the script
			}
		}
		w.runs(true)
	}
}

// runs lets the page run its script, or keeps it from that.
func (w *walker) runs(scripts bool) {
	w.Helper()
	if _, err := chromedp.Call(w.ctx, emulation.SetScriptExecutionDisabled,
		emulation.SetScriptExecutionDisabledParams{Value: !scripts}); err != nil {
		w.Fatal(err)
	}
}

// hands points at each control at its place on one screen, and comes to it by keyboard on another; what the browser
// makes of it is noted and goes no further.
func (w *walker) hands(said func(string, ...any)) {
	w.Helper()
	eval[bool](w.tab, `walk.hold(), true`)
	defer func() { eval[bool](w.tab, `walk.free(), true`) }()
	scheme := []string{"light", "dark"}[w.passed%2]
	w.tab.seen(widths[w.passed%3], 900, scheme)
	controls := w.first()
	for sign, c := range controls {
		if sign == skips {
			continue
		}
		at := eval[struct{ X, Y float64 }](w.tab, fmt.Sprintf(`walk.at(%d)`, c.N))
		w.do(chromedp.MouseClickXY(at.X, at.Y))
		if !eval[bool](w.tab, fmt.Sprintf(`walk.took(%d)`, c.N)) {
			said("%s takes no click at %.0f, %.0f", sign, at.X, at.Y)
		}
	}
	w.tab.seen(widths[(w.passed+1)%3], 900, scheme)
	keys := map[string]string{"a": kb.Enter, "button": " ", "summary": kb.Enter, "select": kb.ArrowDown}
	for sign, c := range controls {
		key := cmp.Or(keys[c.Tag], map[string]string{"checkbox": " ", "radio": " ", "file": " "}[c.Type], "x")
		var options []chromedp.KeyOption
		if !eval[bool](w.tab, fmt.Sprintf(`walk.before(%d)`, c.N)) {
			options = append(options, chromedp.KeyModifiers(kb.ModifierShift))
		}
		is := ""
		for range 3 {
			w.do(chromedp.KeyEvent(kb.Tab, options...))
			if is = eval[string](w.tab, fmt.Sprintf(`walk.focused(%d)`, c.N)); is != "" {
				break
			}
		}
		if is != "seen" {
			said("%s by keyboard: %s", sign, cmp.Or(is, "Tab does not lead there"))
			continue
		}
		w.press(key)
		if !eval[bool](w.tab, fmt.Sprintf(`walk.took(%d)`, c.N)) {
			said("%s does not take %q", sign, key)
		}
	}
}

// usedElsewhere is what another test uses: by a device, and at a provider.
var usedElsewhere = map[string]string{
	"button Log: POST /login/passkey, in form": "TestAPasskeyLogsIn",
	"button Make: POST /passkey, in form":      "TestAPasskeyLogsIn",
	"link to GET /login/openid, in page":       "TestX13AnAnswerIsOfTheBrowserThatAsked",
}

// uses does what a control is for, and wants that it leads where there is no error.
func (w *walker) uses(c control, sign string, scripts bool, said func(string, ...any)) {
	w.Helper()
	switch {
	case strings.HasPrefix(sign, "link to elsewhere"):
		if !c.Safe || !strings.HasPrefix(c.Href, "https://") {
			said("%s leads to %s, and tells that page where it comes from", sign, c.Href)
		}
		return
	case c.Download:
		if status := w.fetches(c.Href); status != http.StatusOK {
			said("%s gives %d", sign, status)
		}
		return
	case c.Type == "file":
		return // the form is sent with a file
	case usedElsewhere[sign] != "":
		return
	}
	if c.Tag == "button" && !c.Loose {
		w.dirty = true
		if eval[bool](w.tab, `!!document.querySelector("input[type=file]")`) {
			w.do(chromedp.SetUploadFiles(chromedp.CSS("input[type=file]"), []string{w.file()}))
		}
		eval[bool](w.tab, fmt.Sprintf(`walk.fill(%d, {name: "ann", password: %q, token: %q}), true`,
			c.N, thePassword, theToken))
	}
	eval[bool](w.tab, fmt.Sprintf(`walk.remember(%d), true`, c.N))
	if sign == skips {
		w.do(chromedp.Focus(chromedp.CSS(".skip")))
		w.press(kb.Enter)
	} else {
		at := eval[struct{ X, Y float64 }](w.tab, fmt.Sprintf(`walk.at(%d)`, c.N))
		w.do(chromedp.MouseClickXY(at.X, at.Y))
	}
	switch {
	case c.Tag == "select":
		w.press(kb.Escape)
		w.press(kb.ArrowDown)
	case c.Tag == "input" && c.Type != "checkbox":
		w.press("x")
	}
	leads := c.Tag == "a" || c.Tag == "button" && !c.Loose // where the focus goes alone, nothing happened
	became := fmt.Sprintf(`(() => { const is = window.walked ? walk.state(%d) : "another page"; `+
		`return is === "focused" && %t ? "" : is })()`, c.N, leads)
	w.wait(became + ` !== ""`)
	if eval[string](w.tab, became) != "another page" {
		return
	}
	if status := eval[int](w.tab, `performance.getEntriesByType("navigation")[0].responseStatus`); status >= 400 {
		said("%s leads to %d (scripts: %t): %.300s", sign, status, scripts,
			eval[string](w.tab, `document.body.innerText`))
	}
}

// file is one that can be dropped in a page.
func (w *walker) file() string {
	name := filepath.Join(w.TempDir(), "spring.xlsx")
	if err := os.WriteFile(name, []byte("the bytes"), 0o600); err != nil {
		w.Fatal(err)
	}
	return name
}

// fetches returns what the page gets of an address.
func (w *walker) fetches(address string) int {
	w.Helper()
	return eval[int](w.tab, `(() => { const r = new XMLHttpRequest(); r.open("GET", `+quoted(address)+
		`, false); r.send(); return r.status })()`)
}

// sabotaged puts a cover over a link and a small button beside another, and wants that both are found.
func (w *walker) sabotaged() {
	w.Helper()
	w.visit("/login")
	eval[bool](w.tab, `(() => { const over = document.createElement("div"), small = document.createElement("button"),
		main = document.querySelector("main button"), home = document.querySelector(".home a").getBoundingClientRect();
		over.style.cssText = "position:absolute;height:30px;width:60px;top:" + home.top + "px;left:" + home.left + "px";
		small.style.cssText = "min-height:0;padding:0;width:9px;height:9px";
		document.body.append(over); main.before(small); return true })()`)
	eval[bool](w.tab, w.script)
	found := eval[[]string](w.tab, `walk.geometry()`)
	if len(found) != 2 || !strings.Contains(found[0], "a pointer at ") || !strings.Contains(found[1], "a target of ") {
		w.Errorf("the page was sabotaged; found is %q", found)
	}
}

// TestEveryControlAtEveryWidth uses each link, button, box, field, choice and fold that a page shows to anybody. On a
// phone, a desk and a wide screen each is held to be where a pointer meets it, large enough, and in the same place in
// the dark. Then one of each kind is clicked at its place, and reached and pressed by keyboard alone, each page on
// another of these screens, half of them in the dark: what the browser makes of that is a click, wherever it is. What
// a click leads to does not depend on the screen, so it is done once of each kind, with the page's script and without;
// TestEveryOrderAtEveryWidth does what gives orders on each.
// Which controls there are, and who sees them, is testdata/walk/controls.txt: another one is used when -update has
// taken it in.
func TestEveryControlAtEveryWidth(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test runs it")
	}
	script, err := os.ReadFile("testdata/walk/walk.js")
	if err != nil {
		t.Fatal(err)
	}
	browser := chromium(t)
	all := &walked{sights: sights(), script: string(script), seen: map[string]map[string]string{},
		used: map[string]bool{}}
	for _, role := range []string{"operator", "approver", "editor", "viewer", ""} {
		w := walkerOf(t, browser, all, role)
		for i := range all.sights {
			s := &all.sights[i]
			w.comes(s)
			w.walk(w.page(), s.all && role == "operator", func() { w.comes(s) })
		}
		if role == "operator" {
			w.stations(func(name string) {
				eval[bool](w.tab, w.script)
				w.walk(name, false, nil) // what leads on is used on the way
			})
		}
	}
	w := walkerOf(t, browser, all, "provided")
	for _, path := range []string{"/login", "/passkey"} {
		s := &sight{path: path}
		w.comes(s)
		w.walk(path, true, func() { w.comes(s) })
	}
	w.sabotaged()
	var lines []string
	for name, controls := range all.seen {
		for sign, roles := range controls {
			lines = append(lines, name+"\t"+sign+"\t"+roles+"\n")
		}
	}
	slices.Sort(lines)
	golden.File(t, "testdata/walk/controls.txt", []byte(strings.Join(lines, "")))
}
