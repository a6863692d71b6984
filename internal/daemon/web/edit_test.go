package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"adsync/internal/daemon"
	"adsync/internal/planview"
	"adsync/internal/words/catalogue"
)

// theDraft is what takes a run back: two values, of which one is money, and one that stays.
func theDraft(p *planview.Document) *daemon.Draft {
	return &daemon.Draft{
		Digest: "as shown", Plan: p, Problems: []string{},
		Values: []daemon.DraftValue{
			{At: "spring.xlsx:Campaigns!E7", Address: "campaign/boots", Name: "Hiking <Boots>",
				Attribute: "budget.daily", Was: "200.00", Is: "80.00"},
			{At: "spring.xlsx:Ad groups!C4", Address: "ad_group/boots/runners", Name: "Runners",
				Attribute: "status", Was: "active", Is: "paused"},
		},
		Left: []daemon.DraftLeft{{Address: "campaign/socks", Name: "Socks", Attribute: "name",
			Why: `the files say "Wool socks" since`}},
	}
}

const undoPath = "/accounts/shoes/runs/run-000042/undo"

// What an undo would write is shown by names, with money and cells, before anything is written; what was shown is
// what is ordered, with a reason, and by whom.
func TestAnUndoIsShownAndOrdered(t *testing.T) {
	a := ask(t, nil)
	a.login("Ann")
	for target, want := range map[string][]string{
		undoPath: {
			"Daily budget of campaign “Hiking &lt;Boots&gt;”: <b>80.00 USD</b>, in the place of 200.00 USD",
			"spring.xlsx:Campaigns!E7", "Status of ad group “Runners” of Hiking &lt;Boots&gt;: <b>paused</b>",
			`href="/accounts/shoes/runs/run-000042/undo?of=campaign%2Fboots"`, "Name of campaign “Socks”: ", "Wool socks",
			"Write it into the files", `name="draft" value="as shown"`, "Possible spend a day",
		},
		undoPath + "?of=campaign/boots": {"Of this alone", `name="of" value="campaign/boots"`},
		"/accounts/shoes/activity":      {`href="/accounts/shoes/runs/run-000042/undo"`},
		"/accounts/shoes/runs/run-000042": {`<a class="button" href="/accounts/shoes/runs/run-000042/undo">`,
			`href="/accounts/shoes/runs/run-000042/undo?of=`},
	} {
		body := text(t, a.get(target))
		for _, text := range want {
			if !strings.Contains(body, text) {
				t.Errorf("%s has no %q:\n%s", target, text, body)
			}
		}
	}
	answer := a.submit(undoPath, url.Values{"draft": {"as shown"}, "of": {"campaign/boots"}, "reason": {"too dear"}})
	wantStatus(t, answer, http.StatusOK)
	if body := text(t, answer); !strings.Contains(body, "spring (before 2026-11-22 1700).xlsx") {
		t.Errorf("the answer does not say what was written:\n%s", body)
	}
	want := daemon.EditOrder{Edit: daemon.Edit{Run: "run-000042", Of: "campaign/boots"}, Digest: "as shown",
		By: "Ann", From: "page 192.0.2.1", Reason: "too dear", Time: noon}
	if len(a.desk.edits) != 1 || a.desk.edits[0] != want {
		t.Errorf("ordered: %+v; want %+v", a.desk.edits, want)
	}
}

// conflicts is an account in which somebody changed what the files change, too.
func (d *fakeDesk) conflicts() {
	p := *d.plans["shoes"]
	p.Changes = slices.Clone(p.Changes[:1])
	c := &p.Changes[0]
	c.Fields = slices.Clone(c.Fields[:1])
	by := fmt.Sprintf(`{"live": 900000, "foreign": {"actor": "<b>Eve", "at": %d},
		"held": {"hazard": "conflict", "allow": "conflict=%s", "message": %q}}`, noon.Unix()-3600, c.Address,
		catalogue.Say("guard.conflict", "value", "1", "live", "2", "last", "3"))
	if err := json.Unmarshal([]byte(by), &c.Fields[0]); err != nil {
		panic(err)
	}
	d.plans["shoes"] = &p
	withAsks(&p)
}

// Of what both sides changed there are three values and whose they are; one button has the files win, the other leads
// to what is written into them.
func TestAConflictShowsThreeValues(t *testing.T) {
	a := ask(t, nil)
	a.desk.conflicts()
	address := a.desk.plans["shoes"].Changes[0].Address
	theirs := "/accounts/shoes/theirs?of=" + strings.ToLower(url.QueryEscape(address))
	body := text(t, a.get("/accounts/shoes"))
	for _, want := range []string{`1.60 USD <span class="at">spring.yaml:17:16`, "0.90 USD", "by &lt;b&gt;Eve",
		"<dt>Applied last</dt><dd>1.25 USD"} {
		if !strings.Contains(body, want) {
			t.Errorf("the page has no %q:\n%s", want, body)
		}
	}
	if strings.Contains(body, "Keep mine: ") || strings.Contains(body, theirs) {
		t.Error("who is not logged in is offered to decide")
	}
	a.login("Ann")
	item := a.desk.askOf("shoes", "conflict="+address).Item
	body = text(t, a.get("/accounts/shoes"))
	if !strings.Contains(body, theirs) ||
		!strings.Contains(body, `name="item" value="`+item+`"><button aria-label="Keep`) {
		t.Errorf("whoever is logged in cannot decide:\n%s", body)
	}
	body = text(t, a.get(theirs))
	if !strings.Contains(body, "Take over what is live: ") || !strings.Contains(body, `action="/accounts/shoes/theirs"`) {
		t.Errorf("Take theirs leads to\n%s", body)
	}
	order := url.Values{"draft": {"as shown"}, "of": {address}, "reason": {"theirs is better"}}
	wantStatus(t, a.submit("/accounts/shoes/theirs", order), http.StatusOK)
	if len(a.desk.edits) != 1 || a.desk.edits[0].Run != "" || a.desk.edits[0].Of != address {
		t.Errorf("ordered: %+v; want what is live of %s", a.desk.edits, address)
	}
}

// What cannot be written says so, and why, and that the files go on asking.
func TestAnUndoThatIsNotWritten(t *testing.T) {
	for _, row := range []struct {
		name, digest, reason string
		broken               error
		status               int
		code, says           string
	}{
		{"no reason", "as shown", "  ", nil, 400, "no_reason", "want one"},
		{"the files say something else", "of before", "x", nil, 409, "moved", "nothing was written"},
		{"a file is open", "as shown", "x",
			fmt.Errorf("%w: spring.xlsx: file is open in an editor", daemon.ErrNotWritten), 409, "not_written",
			"go on asking for it: spring.xlsx: file is open in an editor"},
		{"it paused", "as shown", "x", fmt.Errorf("%w: it paused", daemon.ErrNoEdit), 409, "no_edit", "it paused"},
		{"another daemon's", "as shown", "x", daemon.ErrElsewhere, 409, "elsewhere", "another daemon"},
		{"no branch", "as shown", "x", daemon.ErrNoUploads, 404, "no_uploads", "no files be sent"},
	} {
		a := ask(t, nil)
		a.desk.broken = row.broken
		body := fmt.Sprintf(`{"by":"ann","digest":%q,"reason":%q}`, row.digest, row.reason)
		answer := a.send("POST", "/api/v1"+undoPath, body, bearer, jsonBody)
		var said struct{ Code, Message string }
		if err := json.Unmarshal([]byte(text(t, answer)), &said); err != nil {
			t.Fatal(err)
		}
		if answer.StatusCode != row.status || said.Code != row.code || !strings.Contains(said.Message, row.says) {
			t.Errorf("%s: %d %+v; want %d %s, %q", row.name, answer.StatusCode, said, row.status, row.code, row.says)
		}
		a.nothingDone()
	}
}

// From git it goes to a branch, and where the forge fails the same order asks again.
func TestAnUndoIsProposed(t *testing.T) {
	a := ask(t, nil)
	a.login("Ann")
	a.desk.draft.Branch = "adsync/uploads"
	if body := text(t, a.get(undoPath)); !strings.Contains(body, "Put it on a branch") ||
		!strings.Contains(body, "begins with adsync/uploads") {
		t.Errorf("without a forge the page says\n%s", body)
	}
	a.desk.draft.Into = "main"
	if body := text(t, a.get(undoPath)); !strings.Contains(body, "A pull request into main") {
		t.Errorf("with a forge the page says\n%s", body)
	}
	a.desk.edited = daemon.Edited{Files: []string{"spring.xlsx"}, Branch: "adsync/uploads-x", Commit: "4f1c0de5"}
	a.desk.broken = fmt.Errorf("%w; it is on adsync/uploads-x", daemon.ErrNotOpened)
	order := url.Values{"draft": {"as shown"}, "reason": {`"too" dear`}}
	answer := a.submit(undoPath, order)
	wantStatus(t, answer, http.StatusBadGateway)
	if body := text(t, answer); !strings.Contains(body, "Propose it again") ||
		!strings.Contains(body, `name="reason" value="&#34;too&#34; dear"`) ||
		!strings.Contains(body, `action="`+undoPath+`"`) {
		t.Errorf("where the forge fails the page says\n%s", body)
	}
	a.desk.broken = nil
	a.desk.edited.Pull = &daemon.PullRequest{Number: 12, Address: "https://x.example/12", Into: "main"}
	if body := text(t, a.submit(undoPath, order)); !strings.Contains(body, `<a href="https://x.example/12"`) {
		t.Errorf("the pull request is not named:\n%s", body)
	}
	a.desk.draft.Refused = "no branch is configured"
	if body := text(t, a.get(undoPath)); strings.Contains(body, "undo-reason") ||
		!strings.Contains(body, "no branch is configured. The files go on asking for it") {
		t.Errorf("where nothing can be written the page says\n%s", body)
	}
}
