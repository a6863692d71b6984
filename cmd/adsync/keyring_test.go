package main

import (
	"bytes"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"adsync/cmd/adsync/internal/console"
	"adsync/cmd/adsync/internal/session"
	"adsync/internal/emulator"

	"github.com/zalando/go-keyring"
)

// ringUser is a person who runs commands that keep a login in the keyring of the system.
type ringUser struct {
	*testing.T
	folder, base string
	shown        bytes.Buffer // all that any command printed
	answered     bool         // the address that login printed was opened
}

// loginAddress is the address that login prints.
var loginAddress = regexp.MustCompile(`http://\S+/_oauth/authorize\?\S+`)

// Write takes what is printed, and lets adsync in where it asks for that.
func (u *ringUser) Write(p []byte) (int, error) {
	n, err := u.shown.Write(p)
	address := loginAddress.FindString(string(p))
	if address == "" || u.answered {
		return n, err
	}
	u.answered = true
	go func() { // as the browser of a person, who has the address while adsync waits
		at, err := url.Parse(address)
		if err != nil {
			u.Error(err)
			return
		}
		form := at.Query()
		form.Set("user", "usr_owner")
		form.Set("decision", "allow")
		at.RawQuery = ""
		answer, err := http.PostForm(at.String(), form)
		if err != nil {
			u.Error(err)
			return
		}
		_ = answer.Body.Close()
	}()
	return n, err
}

func (u *ringUser) runs(want int, args ...string) string {
	u.Helper()
	u.answered = false
	from := u.shown.Len()
	env := &session.Env{}
	env.In, env.Out, env.Err, env.Getenv = strings.NewReader(""), u, u, func(name string) string {
		return map[string]string{"HOME": u.folder, session.EnvBaseURL: u.base + "/v1", "NO_COLOR": "1",
			"ADSYNC_OPERATOR": filepath.Join(u.folder, "operator.yaml")}[name]
	}
	code := execute(u.Context(), env, append(args, filepath.Join(u.folder, "shop")))
	said := u.shown.String()[from:]
	if code != want {
		u.Fatalf("adsync %s ends with %d; want %d:\n%s", strings.Join(args, " "), code, want, said)
	}
	return said
}

// A login is kept in the keyring, renewed there, and taken away from there; no file and no output has a
// token, and a keyring that is locked is said.
func TestALoginInTheKeyring(t *testing.T) {
	keyring.MockInit()
	service, err := emulator.Open(emulator.Options{Accounts: []emulator.Account{{ID: "adacct_ring", Name: "Ring",
		Currency: "USD", TimeZone: "America/New_York", Key: "sk-ring-key", Features: emulator.AllFeatures()}}})
	noError(t, err)
	known := &secrets{known: map[string]string{}}
	line := httptest.NewServer(known.listening(service))
	t.Cleanup(func() { line.Close(); noError(t, service.Close()) })
	u := &ringUser{T: t, folder: t.TempDir(), base: line.URL}
	saveFile(t, filepath.Join(u.folder, "operator.yaml"), "credentials:\n  oauth: {authorize_url: "+line.URL+
		"/_oauth/authorize, token_url: "+line.URL+"/_oauth/token, revoke_url: "+line.URL+
		"/_oauth/revoke, client_id: adsync, tokens: keyring}\n")
	saveFile(t, filepath.Join(u.folder, "shop", "adsync.yaml"),
		"account: {id: adacct_ring, currency: USD, timezone: America/New_York}\n")
	saveFile(t, filepath.Join(u.folder, "shop", "spring.yaml"), springAt("50.00"))

	if said := u.runs(console.ExitPermission, "plan"); !strings.Contains(said, "log in: adsync login") {
		t.Errorf("before the login plan says %q", said)
	}
	if said := u.runs(console.ExitDone, "login", "--no-browser"); !strings.Contains(said,
		"the tokens are in the keyring of the system") {
		t.Errorf("login says %q", said)
	}
	u.runs(console.ExitDone, "plan")
	held := u.holds()
	if known.in([]byte(held)) == "" {
		t.Error("the keyring holds no token of the service")
	}
	u.tokenEnds()
	u.runs(console.ExitDone, "plan")
	if renewed := u.holds(); renewed == held {
		t.Error("the keyring holds the login of before; want the renewed one")
	}
	keyring.MockInitWithError(errors.New("the keyring is locked"))
	for _, command := range [][]string{{"plan"}, {"whoami"}} {
		if said := u.runs(console.ExitUsage, command...); !strings.Contains(said, "the keyring is locked") {
			t.Errorf("with a locked keyring %s says %q", command, said)
		}
	}
	keyring.MockInit()
	u.runs(console.ExitDone, "login", "--no-browser")
	if said := u.runs(console.ExitDone, "logout"); !strings.Contains(said,
		"The tokens are no longer in the keyring of the system") {
		t.Errorf("logout says %q", said)
	}
	if held := u.holds(); held != "" {
		t.Error("after logout the keyring holds a login")
	}
	u.runs(console.ExitPermission, "plan")

	shown := u.shown.Bytes()
	noError(t, filepath.WalkDir(u.folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(name)
		shown = append(shown, content...)
		return err
	}))
	if found := known.in(shown); found != "" {
		t.Errorf("what was printed, or a file, has %s", found)
	}
}

// tokenEnds moves the clock of the service past the end of the token in use.
func (u *ringUser) tokenEnds() {
	u.Helper()
	answer, err := http.Post(u.base+"/_emulator/clock", "application/json",
		strings.NewReader(`{"advance_seconds": 4000}`))
	noError(u.T, err)
	noError(u.T, answer.Body.Close())
}

// holds returns what the keyring holds, "" for nothing; beside it only a file lies that is locked.
func (u *ringUser) holds() string {
	u.Helper()
	locks, err := filepath.Glob(filepath.Join(u.folder, ".local/state/adsync/login-*"))
	if err != nil || len(locks) != 1 {
		u.Fatalf("the state folder of the user holds %q, %v; want one lock", locks, err)
	}
	text, err := keyring.Get("adsync", strings.TrimSuffix(filepath.Base(locks[0]), ".lock"))
	if err != nil && !errors.Is(err, keyring.ErrNotFound) {
		u.Fatal(err)
	}
	return text
}
