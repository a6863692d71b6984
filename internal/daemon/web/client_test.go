package web

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// asker sends requests to a Server as somebody would.
type asker struct {
	t      *testing.T
	server *Server
	desk   *fakeDesk
	log    *strings.Builder
	cookie string
}

// ask begins with a server of these options.
func ask(t *testing.T, change func(*Options)) *asker {
	t.Helper()
	o := theOptions(t)
	if change != nil {
		change(&o)
	}
	a := &asker{t: t, desk: theDesk(t), log: &strings.Builder{}}
	o.Log = slog.New(slog.NewTextHandler(a.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	server, err := New(o, a.desk)
	if err != nil {
		t.Fatal(err)
	}
	a.server = server
	return a
}

// send sends a request; headers are "Name: value".
func (a *asker) send(method, target, body string, headers ...string) *http.Response {
	a.t.Helper()
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Host = "localhost:8787"
	if a.cookie != "" {
		r.AddCookie(&http.Cookie{Name: a.server.cookieName(), Value: a.cookie})
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
		if name == "Host" {
			r.Host = value
		}
		if name == "From" {
			r.RemoteAddr = value
		}
	}
	w := httptest.NewRecorder()
	a.server.ServeHTTP(w, r)
	return w.Result()
}

const (
	bearer   = "Authorization: Bearer " + theToken
	jsonBody = "Content-Type: application/json"
	formBody = "Content-Type: application/x-www-form-urlencoded"
)

func (a *asker) get(target string, headers ...string) *http.Response {
	a.t.Helper()
	return a.send("GET", target, "", headers...)
}

// submit sends a form with what proves that it is of this page.
func (a *asker) submit(target string, fields url.Values) *http.Response {
	a.t.Helper()
	fields.Set("form", a.form())
	return a.send("POST", target, fields.Encode(), formBody, "Sec-Fetch-Site: same-origin")
}

// login gives the token in the form, and keeps the cookie.
func (a *asker) login(name string) {
	a.t.Helper()
	answer := a.send("POST", "/login", url.Values{"name": {name}, "token": {theToken}}.Encode(),
		formBody, "Sec-Fetch-Site: same-origin")
	if answer.StatusCode != http.StatusSeeOther || len(answer.Cookies()) != 1 {
		a.t.Fatalf("login gives %s and %d cookies", answer.Status, len(answer.Cookies()))
	}
	a.cookie = answer.Cookies()[0].Value
}

var formField = regexp.MustCompile(`name="form" value="([0-9a-f]{64})"`)

// form is what the forms of this session hold.
func (a *asker) form() string {
	a.t.Helper()
	found := formField.FindStringSubmatch(text(a.t, a.get("/")))
	if found == nil {
		a.t.Fatal("the page has no form of a session")
	}
	return found[1]
}

func text(t *testing.T, r *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// wantProblem is an answer of the API that refuses, in its one form.
func wantProblem(t *testing.T, r *http.Response, status int, code string) {
	t.Helper()
	body := text(t, r)
	var p map[string]string
	err := json.Unmarshal([]byte(body), &p)
	if r.StatusCode != status || err != nil || p["code"] != code ||
		p["message"] == "" || len(p) != 2 || r.Header.Get("Content-Type") != "application/json" {
		t.Errorf("%d %s; want %d with the code %s and a message", r.StatusCode, body, status, code)
	}
}

func wantStatus(t *testing.T, r *http.Response, status int) {
	t.Helper()
	if r.StatusCode != status {
		t.Errorf("%s %.300s; want %d", r.Status, text(t, r), status)
	}
}
