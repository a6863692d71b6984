package web

import (
	"adsync/internal/planview"
	"bufio"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"adsync/internal/daemon"

	"github.com/google/go-cmp/cmp"
)

const heldRaise = "raises-spend=campaign/spring-launch"

func TestTheAPIShowsWhatTheDeskKnows(t *testing.T) {
	a := ask(t, nil)
	for target, want := range map[string]string{
		"/api/v1/accounts":                            `"name":"hats"`,
		"/api/v1/accounts/shoes":                      `"state":"held"`,
		"/api/v1/accounts/boots%20&%20bags":           `"daily":1220500000`,
		"/api/v1/accounts/shoes/plan":                 `"allow":"` + heldRaise + `"`,
		"/api/v1/accounts/shoes/runs":                 `"run":"run-000001"`,
		"/api/v1/accounts/shoes/runs/run-000042":      `"outcome":"failed"`,
		"/api/v1/accounts/shoes/exposures":            `"daily":1420000000`,
		"/api/v1/accounts/shoes/approvals":            `"by":"Ann Example"`,
		"/api/v1/accounts/boots%20&%20bags/runs":      `"runs":[]`,
		"/api/v1/accounts/boots%20&%20bags/exposures": `"exposures":[]`,
	} {
		answer := a.get(target)
		wantStatus(t, answer, http.StatusOK)
		body := text(t, answer)
		if !strings.Contains(body, want) || !strings.Contains(body, `"format_version":1`) || !json.Valid([]byte(body)) {
			t.Errorf("%s gives %.300s; want %s and a format_version", target, body, want)
		}
	}
	wantProblem(t, a.get("/api/v1/accounts/nobody"), 404, "no_account")
	wantProblem(t, a.get("/api/v1/accounts/shoes/runs/run-7"), 404, "no_run")
	wantProblem(t, a.get("/api/v1/accounts/hats/plan"), 404, "no_plan")
	wantProblem(t, a.get("/api/v1/nothing"), 404, "not_found")
	wantProblem(t, a.send("DELETE", "/api/v1/accounts/shoes", ""), 405, "method")
	if got := a.send("DELETE", "/api/v1/accounts", "").Header.Get("Allow"); got != "GET" {
		t.Errorf("Allow: %q; want GET", got)
	}
}

func TestAnApprovalIsOfWhatWasShown(t *testing.T) {
	a := ask(t, nil)
	hash := a.desk.plans["shoes"].PlanHash
	send := func(body string) *http.Response {
		return a.send("POST", "/api/v1/accounts/shoes/approvals", body, bearer, jsonBody)
	}
	wantProblem(t, send(`{"plan_hash":"c0ffee","allow":["`+heldRaise+`"],"by":"ann"}`), 409, "other_plan")
	wantProblem(t, send(`{"plan_hash":"","allow":["`+heldRaise+`"],"by":"ann"}`), 409, "other_plan")
	wantProblem(t, send(`{"plan_hash":"`+hash+`","allow":[],"by":"ann"}`), 400, "nothing_allowed")
	wantProblem(t, send(`{"plan_hash":"`+hash+`","allow":["raises-spend"],"by":"ann"}`), 400, "not_offered")
	wantProblem(t, send(`{"plan_hash":"`+hash+`","allow":["`+heldRaise+`"]}`), 400, "no_name")
	wantProblem(t, send(`{"plan_hash":"`+hash+`","alow":["`+heldRaise+`"],"by":"ann"}`), 400, "bad_request")
	wantProblem(t, send(`{"by":"ann"} {}`), 400, "bad_request")
	wantProblem(t, a.send("POST", "/api/v1/accounts/shoes/approvals", "{}", bearer, "Content-Type: text/plain"),
		415, "bad_request")
	for sent, said := range map[string]string{
		"": "there is no content type; want", "text/plain": `the content type is \"text/plain\"; want`,
		"/;": `the content type is \"/;\"; want`,
	} {
		answer := a.send("POST", "/api/v1/accounts/shoes/approvals", "{}", bearer, "Content-Type: "+sent)
		if body := text(t, answer); answer.StatusCode != 415 || !strings.Contains(body, said) {
			t.Errorf("the content type %q is answered with %d %s; want %q", sent, answer.StatusCode, body, said)
		}
	}
	wantProblem(t, a.send("POST", "/api/v1/accounts/hats/approvals",
		`{"plan_hash":"","allow":["x"],"by":"ann"}`, bearer, jsonBody), 409, "other_plan")
	a.desk.broken = daemon.ErrOtherPlan // it became another in this very moment
	wantProblem(t, send(`{"plan_hash":"`+hash+`","allow":["`+heldRaise+`"],"by":"ann"}`), 409, "other_plan")
	a.desk.broken = nil
	if n := len(a.desk.approvals); n != 1 {
		t.Fatalf("%d approvals; want that of before alone", n)
	}
	wantStatus(t, send(`{"plan_hash":"`+hash+`","allow":["`+
		heldRaise+`","`+heldRaise+`"],"by":" ann ","note":"agreed"}`), http.StatusCreated)
	shown := a.desk.askOf("shoes", heldRaise)
	want := daemon.Approval{
		PlanHash: hash, Allow: []string{heldRaise},
		Asks: []planview.Ask{shown}, Lineage: "lineage", Serial: 7, By: "ann", From: "API 192.0.2.1", Note: "agreed",
		Time: noon,
	}
	if d := cmp.Diff(want, a.desk.lastApproval()); d != "" {
		t.Error(d)
	}
	// Whatever else is another by now: what is named by itself is good while it is there.
	a.desk.plans["shoes"].PlanHash = "another"
	wantStatus(t, send(`{"items":["`+shown.Item+`"],"by":"bob"}`), http.StatusCreated)
	if got := a.desk.lastApproval(); got.By != "bob" ||
		got.PlanHash != "another" || len(got.Asks) != 1 || got.Asks[0].Item != shown.Item {
		t.Errorf("the approval by its item is %+v", got)
	}
	a.desk.plans["shoes"].Asks[0].Parts[0].Before = "what is live is another"
	a.desk.plans["shoes"].Asks[0].Item = a.desk.plans["shoes"].Asks[0].Digest()
	wantProblem(t, send(`{"items":["`+shown.Item+`"],"by":"bob"}`), 409, "other_plan")
	wantProblem(t, send(`{"items":["c0ffee"],"by":"bob"}`), 409, "other_plan")
}

func TestOrdersOfTheAPI(t *testing.T) {
	a := ask(t, nil)
	send := func(order, body string) *http.Response {
		return a.send("POST", "/api/v1/accounts/shoes/"+order, body, bearer, jsonBody)
	}
	wantStatus(t, send("wake", `{"by":"ann"}`), http.StatusAccepted)
	if d := cmp.Diff([]daemon.Trigger{daemon.Asked}, a.desk.woken); d != "" {
		t.Error(d)
	}
	wantProblem(t, send("suspend", `{"by":"ann"}`), 400, "no_reason")
	wantProblem(t, send("suspend", `{"by":"ann","reason":"x","for":"-2h"}`), 400, "bad_request")
	wantProblem(t, send("suspend", `{"by":"ann","reason":"x","for":"soon"}`), 400, "bad_request")
	wantStatus(t, send("suspend", `{"by":"ann","reason":"the shop is down","for":"2h"}`), http.StatusOK)
	shoes, _ := a.desk.Account(t.Context(), "shoes")
	if d := cmp.Diff(&daemon.Suspension{By: "ann", From: "API 192.0.2.1",
		Reason: "the shop is down", Since: noon, Until: noon.Add(2 * time.Hour)}, shoes.Suspended); d != "" {
		t.Error(d)
	}
	wantStatus(t, send("resume", `{"by":"ann"}`), http.StatusOK)
	if shoes, _ := a.desk.Account(t.Context(), "shoes"); shoes.Suspended != nil {
		t.Error("it is suspended still")
	}
	a.desk.broken = context.DeadlineExceeded
	wantProblem(t, send("wake", `{"by":"ann"}`), 500, "internal")
	if !strings.Contains(a.log.String(), "deadline exceeded") {
		t.Error("the log does not say why")
	}
}

func TestALookAtAFile(t *testing.T) {
	a := ask(t, nil)
	answer := a.send("POST", "/api/v1/accounts/shoes/look?name=..%2F..%2Fspring.xlsx", "the bytes", bearer)
	wantStatus(t, answer, http.StatusOK)
	var d struct {
		Name, Marked string
		Problems     []string
		Plan         any
	}
	if err := json.NewDecoder(answer.Body).Decode(&d); err != nil {
		t.Fatal(err)
	}
	if len(d.Problems) != 1 || d.Plan == nil || d.Name != "spring.xlsx" ||
		a.desk.looked[0] != "spring.xlsx: the bytes" {
		t.Errorf("%+v; want a problem, a plan and a bare name, and %q read", d, a.desk.looked)
	}
	marked := a.get(d.Marked, bearer)
	if got := text(t, marked); got != "the marked copy" ||
		marked.Header.Get("Content-Disposition") != `attachment; filename=marked-spring.xlsx` {
		t.Errorf("the marked copy is %q, %q", got, marked.Header.Get("Content-Disposition"))
	}
	wantProblem(t, a.get(strings.Replace(d.Marked, "shoes", "hats", 1), bearer), 404, "no_look")
	wantProblem(t, a.get(d.Marked), 401, "token")
	wantProblem(t, a.send("POST", "/api/v1/accounts/shoes/look?name=x.csv", "", bearer), 400, "no_file")
	wantProblem(t, a.send("POST", "/api/v1/accounts/shoes/look", "x", bearer), 400, "no_name")
	wantProblem(t, a.send("POST", "/api/v1/accounts/shoes/look?name=x.csv", strings.Repeat("x", fileMost+1), bearer),
		413, "too_large")
	a.server.Now = func() time.Time { return noon.Add(lookLasts) }
	wantProblem(t, a.get(d.Marked, bearer), 404, "no_look")
	for range looksAtOnce {
		a.server.give.looking <- struct{}{}
	}
	wantProblem(t, a.send("POST", "/api/v1/accounts/shoes/look?name=x.csv", "x", bearer), 503, "busy")
}

// TestEventsCome: what happens is told as it happens, in a stream that beats, for
// as long as its reader or the daemon wants.
func TestEventsCome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := ask(t, nil)
		listener := newPipes()
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- a.server.Serve(ctx, listener) }()
		c := listener.dial()
		go c.Write([]byte("GET /api/v1/events?account=shoes HTTP/1.1\r\nHost: localhost\r\n\r\n"))
		answer, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil || answer.Header.Get("Content-Type") != "text/event-stream" {
			t.Fatalf("%v %v", answer, err)
		}
		lines := bufio.NewScanner(answer.Body)
		next := func() string {
			for lines.Scan() {
				if lines.Text() != "" {
					return lines.Text()
				}
			}
			return "the end"
		}
		if got := next(); got != "retry: 5000" {
			t.Errorf("first %q", got)
		}
		began := time.Now()
		if got := next(); got != ": still here" || time.Since(began) != heartbeat {
			t.Errorf("%q after %s; want a heartbeat after %s", got, time.Since(began), heartbeat)
		}
		// a stream outlasts what other requests may take
		for next() == ": still here" && time.Since(began) < bodyTime+answerTime {
		}
		a.desk.events <- daemon.Event{Account: "hats", Kind: "status"}
		a.desk.events <- daemon.Event{
			Account: "shoes", Kind: "run", Data: map[string]any{"name": "x\n\nevent: evil\u202e"},
		}
		var got string
		for got = next(); strings.HasPrefix(got, ": "); got = next() {
		}
		if data := next(); got != "event: run" || !strings.Contains(data, `"account":"shoes"`) ||
			!strings.Contains(data, `x\n\nevent: evil\u202e`) {
			t.Errorf("%q %q; want the event of shoes, on one line", got, data)
		}
		cancel()
		for got = next(); strings.HasPrefix(got, ": "); got = next() {
		}
		if got != "the end" {
			t.Errorf("%q after the end of the daemon", got)
		}
		if err := <-ended; err != nil {
			t.Error(err)
		}
		c.Close()
	})
}

func TestOnlySoManyFollowTheEvents(t *testing.T) {
	a := ask(t, nil)
	for range watchersMost {
		a.server.events.watching <- struct{}{}
	}
	wantProblem(t, a.get("/api/v1/events"), 503, "busy")
	wantProblem(t, a.get("/api/v1/events?account=nobody"), 404, "no_account")
	wantStatus(t, a.send("HEAD", "/api/v1/events", ""), 200) // takes no place, and ends
}

// pipes is a listener whose connections are in memory, so that time is the
// test's.
type pipes struct {
	in     chan net.Conn
	closed chan struct{}
}

func newPipes() *pipes { return &pipes{make(chan net.Conn), make(chan struct{})} }

func (p *pipes) dial() net.Conn {
	mine, theirs := net.Pipe()
	p.in <- theirs
	return mine
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.in:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	select {
	case <-p.closed:
	default:
		close(p.closed)
	}
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8787} }
