package login

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"adsync/internal/secret"
)

// issuer is an authorization server that replaces each refresh token, and ends the login where one
// comes twice.
type issuer struct {
	*httptest.Server
	mu     sync.Mutex
	good   string // the refresh token that is good now
	issued int
	broken int // how many requests are answered 503 yet
}

func newIssuer(t *testing.T) *issuer {
	i := &issuer{good: "refresh-0"}
	i.Server = httptest.NewServer(i)
	t.Cleanup(i.Close)
	return i
}

func (i *issuer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	if i.broken > 0 {
		i.broken--
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	if r.FormValue("refresh_token") != i.good {
		i.good = ""
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `{"error":"invalid_grant","error_description":"`+r.FormValue("refresh_token")+`"}`)
		return
	}
	i.issued++
	i.good = fmt.Sprintf("refresh-%d", i.issued)
	_ = json.NewEncoder(w).Encode(map[string]any{
		"access_token": fmt.Sprintf("access-%d", i.issued), "refresh_token": i.good, "expires_in": 3600,
		"token_type": "Bearer",
	})
}

// hours is a clock that stands until it is moved.
type hours struct {
	mu  sync.Mutex
	now time.Time
}

func (h *hours) Now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now
}

func (h *hours) move(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now = h.now.Add(d)
}

// loginAt is a login whose first tokens are in the file already.
func loginAt(t *testing.T, i *issuer, h *hours, file string) *Login {
	t.Helper()
	l, err := New(Config{
		Server: Server{AuthorizeURL: i.URL, TokenURL: i.URL, ClientID: "c"}, Keep: InFile(file), Now: h.Now,
		Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func begun(t *testing.T) (*issuer, *hours, *Login) {
	i, h := newIssuer(t), &hours{now: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)}
	l := loginAt(t, i, h, filepath.Join(t.TempDir(), "tokens.json"))
	first := Tokens{Access: secret.New("access-0"), Refresh: secret.New("refresh-0"), Issued: h.now,
		Expires: h.now.Add(time.Hour), server: l.Server.Mark()}
	if err := l.Keeps(t.Context(), first); err != nil {
		t.Fatal(err)
	}
	return i, h, l
}

func wants(t *testing.T, l *Login, refused, want string) {
	t.Helper()
	got, err := l.Token(t.Context(), secret.New(refused))
	if err != nil || got.Reveal() != want {
		t.Fatalf("Token(refused %q) = %q, %v; want %q", refused, got.Reveal(), err, want)
	}
}

func TestATokenIsRenewedBeforeItEnds(t *testing.T) {
	_, h, l := begun(t)
	wants(t, l, "", "access-0")
	h.move(57 * time.Minute)
	wants(t, l, "", "access-0")
	h.move(time.Minute)
	wants(t, l, "", "access-1")
	wants(t, l, "access-0", "access-1") // refused before it was replaced: no second renewal
	wants(t, l, "access-1", "access-2")
}

func TestManyAtOnceRenewOnce(t *testing.T) {
	i, h, l := begun(t)
	h.move(2 * time.Hour)
	var all sync.WaitGroup
	for range 8 { // each stands for a process: it has opened the file and the lock itself
		other := loginAt(t, i, h, l.Keep.file)
		for range 4 {
			all.Go(func() {
				if got, err := other.Token(t.Context(), secret.Text{}); err != nil || got.Reveal() != "access-1" {
					t.Errorf("Token = %q, %v; want access-1", got.Reveal(), err)
				}
			})
		}
	}
	all.Wait()
	if i.issued != 1 {
		t.Errorf("%d renewals; want 1", i.issued)
	}
}

// Killed after the new tokens were written and before they were in their place: they are found.
func TestARenewalThatWasCutOffIsNotLost(t *testing.T) {
	i, h, l := begun(t)
	h.move(2 * time.Hour)
	wants(t, l, "", "access-1")
	if err := os.Rename(l.Keep.file, l.Keep.beside()); err != nil {
		t.Fatal(err)
	}
	old := Tokens{Access: secret.New("access-0"), Refresh: secret.New("refresh-0"), Issued: h.now.Add(-2 * time.Hour),
		Expires: h.now.Add(-time.Hour), server: l.Server.Mark()}
	text, err := old.encode()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(l.Keep.file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	wants(t, loginAt(t, i, h, l.Keep.file), "", "access-1")
	// And one that was cut off before that is put away.
	if err := os.WriteFile(l.Keep.beside(), text[:20], 0o600); err != nil {
		t.Fatal(err)
	}
	h.move(2 * time.Hour)
	wants(t, loginAt(t, i, h, l.Keep.file), "", "access-2")
}

// New tokens that cannot be written are not used, and are written as soon as they can be.
func TestNoTokenIsUsedBeforeItIsKept(t *testing.T) {
	_, h, l := begun(t)
	h.move(2 * time.Hour)
	blocked := l.Keep.file
	l.Config.OnSecret = func(token string) {
		if token == "access-1" { // issued: from here its place cannot be written
			_ = os.Remove(blocked)
			_ = os.MkdirAll(filepath.Join(blocked, "full"), 0o700)
		}
	}
	if got, err := l.Token(t.Context(), secret.Text{}); err == nil {
		t.Fatalf("Token = %q; want an error, as it is not kept", got.Reveal())
	}
	l.Config.OnSecret = nil
	if err := os.RemoveAll(blocked); err != nil {
		t.Fatal(err)
	}
	wants(t, l, "", "access-1")
	if held, err := l.Held(); err != nil || held.Refresh.Reveal() != "refresh-1" {
		t.Errorf("kept %q, %v; want refresh-1", held.Refresh.Reveal(), err)
	}
}

func TestAServerThatIsAwayEndsNothing(t *testing.T) {
	i, h, l := begun(t)
	h.move(59 * time.Minute) // it is time to renew, and the token is good for a minute yet
	i.broken = 2
	wants(t, l, "", "access-0")
	h.move(time.Hour)
	_, err := l.Token(t.Context(), secret.Text{})
	if err == nil || errors.As(err, new(*NeededError)) {
		t.Fatalf("Token while the server is away = %v; want an error that may pass", err)
	}
	wants(t, l, "", "access-1")
}

func TestARevokedLoginIsRememberedAndQuotesNothing(t *testing.T) {
	i, h, l := begun(t)
	i.good = ""
	h.move(2 * time.Hour)
	for range 2 {
		_, err := l.Token(t.Context(), secret.Text{})
		if !errors.As(err, new(*NeededError)) || !strings.Contains(err.Error(), "adsync login") ||
			strings.Contains(err.Error(), "refresh-0") {
			t.Fatalf("Token = %v; want to be told to log in, without the token", err)
		}
	}
	content, err := os.ReadFile(l.Keep.file)
	if err != nil || strings.Contains(string(content), "refresh-0") {
		t.Errorf("kept: %s, %v; want no token of the login that has ended", content, err)
	}
}

// Tokens are sent to the server that issued them alone, and read by their owner alone.
func TestTokensStayWhereTheyBelong(t *testing.T) {
	i, h, l := begun(t)
	elsewhere := newIssuer(t)
	if _, err := loginAt(t, elsewhere, h, l.Keep.file).Held(); !errors.As(err, new(*NeededError)) {
		t.Errorf("Held of another server = %v; want to be told to log in", err)
	}
	if err := os.Chmod(l.Keep.file, 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := loginAt(t, i, h, l.Keep.file).Held(); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("Held of a file that others read = %v; want it refused", err)
	}
}

// An answer without the state of this login is turned away, and the login goes on.
func TestAnotherAnswerDoesNotEndTheLogin(t *testing.T) {
	i, _, l := begun(t)
	tokens, err := l.Ask(t.Context(), 0, func(address string) {
		u, err := url.Parse(address)
		if err != nil {
			t.Error(err)
			return
		}
		q := u.Query()
		if q.Get("code_challenge_method") != "S256" || len(q.Get("code_challenge")) != 43 || len(q.Get("state")) < 20 {
			t.Errorf("asked by %v; want PKCE with S256, and a state", q)
		}
		for _, sent := range []struct {
			query string
			want  int
		}{{"code=evil", 400}, {"code=evil&state=x", 400}, {"state=" + q.Get("state"), 400},
			{"error=access_denied&state=" + q.Get("state"), 200}} {
			answer, err := http.Get(q.Get("redirect_uri") + "?" + sent.query)
			if err != nil || answer.StatusCode != sent.want {
				t.Errorf("%s: %v, %v; want %d", sent.query, answer, err, sent.want)
				return
			}
			_ = answer.Body.Close()
		}
	})
	if refused := (*RefusedError)(nil); !errors.As(err, &refused) || refused.Code != "access_denied" {
		t.Errorf("Ask = %v, %v; want what the answer with the state says", tokens, err)
	}
	if i.issued != 0 {
		t.Errorf("%d codes were exchanged; want none", i.issued)
	}
}
