package web

import (
	"encoding/json"
	"fmt"
	"html"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"adsync/internal/daemon"
	"adsync/internal/daemon/openid"
	"adsync/internal/daemon/passkey"
	"adsync/internal/daemon/roles"
	"adsync/internal/testing/openidtest"
	"adsync/internal/words/catalogue"
)

// eachView fetches each page that somebody sees, for every role, without a browser: those that an address leads to, and
// those that answer a form.
func eachView(t *testing.T, visit func(a *asker, name, page string)) {
	t.Helper()
	hash := cheapHash(thePassword)
	for i, s := range sights() {
		desk := theDesk(t)
		desk.full()
		if s.with != nil {
			s.with(desk)
		}
		for _, role := range []string{"operator", "approver", "editor", "viewer", ""} {
			if s.all && role != "operator" || s.with != nil && (role == "approver" || role == "editor") {
				continue // others see the same
			}
			a := ofRole(t, desk, role, hash)
			if answer := a.get(s.path); answer.StatusCode != http.StatusSeeOther {
				visit(a, fmt.Sprintf("%s %s (%d)", role, s.path, i), text(t, answer))
			}
		}
	}
	a := ask(t, func(o *Options) { o.Token = roles.Token{} })
	a.desk.full()
	visit(a, "read only", text(t, a.get("/accounts/shoes")))
	visit(a, "read only, pause", text(t, a.get("/accounts/shoes/pause")))
	a = ask(t, nil)
	a.desk.full()
	said := a.desk.heldByAll(t)
	page := text(t, a.get("/accounts/shoes"))
	visit(a, "all that holds a change", page)
	for _, one := range said {
		if !strings.Contains(page, html.EscapeString(one)) {
			t.Errorf("the page does not say %q; want each hold on it", one)
		}
	}
	for _, days := range []string{"from=77&to=77", "from=2026-11-01&to=2026-11-02T15", "from=2026-11-20&to=2026-11-02",
		"from=2026-11-01&to=2099-01-01", "from=1999-11-01&to=2026-11-02"} {
		page := text(t, a.get("/accounts/shoes/campaigns?"+days))
		if visit(a, days, page); !strings.Contains(page, "2026-11-0") {
			t.Errorf("%s: the page says nothing of the days", days)
		}
	}
	answers(t, visit)
	logins(t, visit)
}

// heldByAll has a plan in which a change waits for each text of what may hold one, and what may be slips. It returns
// what a page says of them.
func (d *fakeDesk) heldByAll(t *testing.T) (said []string) {
	t.Helper()
	changes, slips := []map[string]any{}, []map[string]any{}
	for _, key := range keysOf(t, "guard.", "saved.", "slip.") {
		var places []any
		for i, place := range key[1:] {
			places = append(places, place, 10+i)
		}
		message := catalogue.Say(key[0], places...)
		if strings.HasPrefix(key[0], "slip.") {
			slips = append(slips, map[string]any{"hazard": "series", "kind": "campaign", "message": message})
			continue
		}
		at := fmt.Sprintf("campaign/%d", len(changes))
		changes = append(changes, map[string]any{"address": at, "kind": "campaign", "action": "update", "name": at[9:],
			"fields": []map[string]any{{"name": "budget.daily", "live": 80_000_000, "desired": 200_000_000,
				"held": map[string]any{"hazard": "late", "message": message}}}})
		said = append(said, catalogue.Plainly(message))
	}
	written, err := json.Marshal(map[string]any{"changes": changes[:150], "accidents": slips[:25]})
	p := *d.plans["shoes"]
	if p.Changes = nil; err == nil {
		err = json.Unmarshal(written, &p)
	}
	if err != nil {
		t.Fatal(err)
	}
	d.plans["shoes"] = withAsks(&p)
	return said[:150]
}

// keysOf are those of the catalogue that begin so, each with its places.
func keysOf(t *testing.T, begins ...string) (keys [][]string) {
	t.Helper()
	for _, line := range oneText.FindAllStringSubmatch(goesOn.ReplaceAllString(english(t), " "), -1) {
		key, _, _ := strings.Cut(line[1], " [")
		if !slices.ContainsFunc(begins, func(b string) bool { return strings.HasPrefix(key, b) }) {
			continue
		}
		places := []string{key}
		for _, place := range named.FindAllString(line[2], -1) {
			if !slices.Contains(places, place[1:]) {
				places = append(places, place[1:])
			}
		}
		keys = append(keys, places)
	}
	return keys
}

// ofRole is somebody with a role, logged in; "" is nobody, where there is one token for all.
func ofRole(t *testing.T, desk *fakeDesk, role, hash string) *asker {
	t.Helper()
	o := theOptions(t)
	o.Log = slog.New(slog.DiscardHandler)
	if role != "" {
		r := &roles.Rules{People: []roles.Person{{Name: "ann", Login: "ann", Password: hash,
			Grant: roles.Grant{Everywhere: roles.Of(role)}}}}
		o.Token, o.Rules = roles.Token{}, func() *roles.Rules { return r }
	}
	server, err := New(o, desk)
	if err != nil {
		t.Fatal(err)
	}
	a := &asker{t: t, server: server, desk: desk}
	if role != "" {
		a.loginAs("ann", thePassword)
	}
	return a
}

// answers are the pages that answer what somebody orders.
func answers(t *testing.T, visit func(a *asker, name, page string)) {
	t.Helper()
	a := ask(t, nil)
	a.desk.full()
	a.login("ann")
	see := func(name string, u *daemon.Upload) (page string) {
		a.desk.upload = u
		page = text(t, a.upload("spring.xlsx", "the bytes"))
		visit(a, name, page)
		return page
	}
	send := func(name, page string) {
		visit(a, name, text(t, a.submit(commitOfLook.FindStringSubmatch(page)[1], url.Values{})))
	}
	see("a look with problems", a.desk.upload)
	send("committed", see("a look that may be committed",
		&daemon.Upload{Plan: a.desk.plans["shoes"], Branch: "adsync/uploads"}))
	saved := see("a look that is saved", &daemon.Upload{Saves: true, Base: "x"})
	see("a look that is new", &daemon.Upload{Saves: true, Source: "other.xlsx"})
	send("sent into the folder", saved)
	a.desk.accounts[0].PlanOnly = true
	see("a look of a planned account", &daemon.Upload{Saves: true, Base: "x"})
	visit(a, "a planned account", text(t, a.get("/accounts/shoes")))
	visit(a, "a planned account's pause", text(t, a.get("/accounts/shoes/pause")))
	a.desk.accounts[0].PlanOnly = false
	sent := see("a look that may be sent", &daemon.Upload{Branch: "adsync/uploads", Into: "main"})
	a.desk.pulls, a.desk.broken = "https://forge.example/", daemon.ErrNotOpened
	send("not sent yet", sent)
	visit(a, "not proposed yet", text(t, a.submit(undoPath,
		url.Values{"draft": {"as shown"}, "of": {"campaign/boots"}, "reason": {"too dear"}})))
	a.desk.broken = nil
	send("sent", sent)
	see("nothing to send", &daemon.Upload{Into: "main"})
	settle := settleOfLook.FindStringSubmatch(see("a merge", mergeOf("A1", false)))
	a.desk.upload = mergeOf("A1", true)
	visit(a, "a settled merge", text(t, a.submit(settle[1], url.Values{"all": {"yours"}})))
	a.desk.broken = daemon.ErrMoved
	send("not sent, as it moved", sent)
	a.desk.broken = nil
	see("no merge", &daemon.Upload{Base: "x", Merge: &daemon.Merge{Since: noon, Refused: "a reason"}})
	visit(a, "written", text(t, a.submit(undoPath,
		url.Values{"draft": {"as shown"}, "of": {"campaign/boots"}, "reason": {"too dear"}})))
	a.desk.edited = daemon.Edited{Branch: "adsync/undo", Commit: "4f1c0de"}
	visit(a, "put on a branch", text(t, a.submit(undoPath,
		url.Values{"draft": {"as shown"}, "of": {"campaign/boots"}, "reason": {"too dear"}})))
	a.desk.edited.Pull = &daemon.PullRequest{Number: 12, Address: "https://forge.example/12", Into: "main"}
	visit(a, "proposed", text(t, a.submit(undoPath,
		url.Values{"draft": {"as shown"}, "of": {"campaign/boots"}, "reason": {"too dear"}})))
	a.desk.draft.Branch, a.desk.draft.Problems = "adsync/undo", []string{"spring.xlsx:Ads!E17: a problem"}
	visit(a, "a draft for a branch", text(t, a.get(undoPath+"?of=campaign/boots")))
	a.desk.draft.Into = "main"
	visit(a, "a draft for a pull request", text(t, a.get(undoPath)))
	a.desk.draft.Refused = "a reason"
	visit(a, "a draft that is refused", text(t, a.get(undoPath)))
	a.desk.draft.Values = nil
	visit(a, "a draft of nothing", text(t, a.get(undoPath)))
	for did := range done {
		visit(a, "done "+did, text(t, a.get("/?done="+did)))
	}
	for _, class := range []daemon.Class{"", daemon.InSync, daemon.Applied, daemon.Held, daemon.Partial,
		daemon.Undecided, daemon.Input, daemon.Transient, daemon.Locked, daemon.Credentials, daemon.Misplaced,
		daemon.Suspended, daemon.Stopped, daemon.Internal} {
		a.desk.accounts[0].State = class
		a.desk.accounts[0].Woken = []daemon.Trigger{daemon.Started, daemon.Files, daemon.Push, daemon.Poll,
			daemon.Daily, daemon.Asked, daemon.Approved, daemon.Retried, daemon.Continued, daemon.Reviewed,
			daemon.Commented}
		a.desk.accounts[0].Rejected = 3
		visit(a, "class "+string(class), text(t, a.get("/")))
		visit(a, "account "+string(class), text(t, a.get("/accounts/shoes")))
	}
	a.desk.accounts[1].Told = &daemon.Told{Host: "host-1", By: "host-1", At: noon, Seen: noon, Lives: true}
	a.desk.accounts[2].Told = &daemon.Told{Host: "host-1", By: "host-1", At: noon, Seen: noon}
	visit(a, "told", text(t, a.get("/")))
	a.desk.plans["hats"] = nil
	delete(a.desk.plans, "hats")
	visit(a, "no plan", text(t, a.get("/accounts/hats")))
	a.desk.accounts[0].Reached = true
	visit(a, "reached", text(t, a.get("/accounts/shoes")))
	a.desk.accounts[0].Figures.Pending = 0
	visit(a, "reached, all", text(t, a.get("/accounts/shoes")))
	visit(a, "no figures", text(t, a.get("/accounts/shoes/campaigns?from=2025-01-01&to=2025-01-02")))
	visit(a, "no such lines", text(t, a.get("/accounts/shoes/campaigns?q=zzz")))
	visit(a, "no such ads", text(t, a.get("/accounts/shoes/ads?q=zzz")))
	visit(a, "nothing of it", text(t, a.get("/accounts/shoes/activity?of=campaign/none")))
	a.desk.files = nil
	visit(a, "no files", text(t, a.get("/accounts/hats/files")))
	visit(a, "no accounts so", text(t, a.get("/?q=zzz")))
	a.desk.accounts = nil
	visit(a, "no accounts", text(t, a.get("/")))
}

// logins are the pages of the door.
func logins(t *testing.T, visit func(a *asker, name, page string)) {
	t.Helper()
	a := ask(t, nil)
	visit(a, "login, no name", text(t, a.send("POST", "/login", "token=x", formBody)))
	visit(a, "login, wrong", text(t, a.send("POST", "/login", "name=ann&token=x", formBody)))
	for _, passwords := range []bool{true, false} {
		a = ask(t, func(o *Options) {
			keys, err := passkey.New("http://localhost", time.Now)
			if err != nil {
				t.Fatal(err)
			}
			o.Passkeys, o.OpenID = keys, providerOf(t, &openidtest.Provider{At: "https://login.example.com"}, nil)
			rules := theRules(t)
			rules.Proxy = roles.Proxy{}
			if !passwords {
				rules.People = nil
			}
			o.Token, o.Rules = roles.Token{}, func() *roles.Rules { return rules }
		})
		visit(a, fmt.Sprintf("login %t", passwords), text(t, a.get("/login?done=logout")))
		visit(a, fmt.Sprintf("passkey %t", passwords), text(t, a.get("/passkey")))
		for _, path := range []string{"/login/passkey", "/passkey"} {
			visit(a, "a stale answer to "+path, text(t, a.send("POST", path, "flight=x&answer=x", formBody)))
		}
		visit(a, "a stale login at the provider", text(t, a.get(openid.AnswerPath)))
	}
	a = ask(t, func(o *Options) {
		rules := theRules(t)
		rules.People = nil
		o.Token, o.Rules, o.BehindProxy = roles.Token{}, func() *roles.Rules { return rules }, true
	})
	visit(a, "login by the proxy", text(t, a.get("/login", "X-Secret: "+strings.TrimSpace(theSecret))))
}
