package emulator_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"adsync/internal/testing/emulatortest"
)

// controlWrites are the controls that change something, each with a body that
// a form of another site can send as text/plain.
var controlWrites = []struct{ method, path, body string }{
	{"POST", "/_emulator/clock", `{"advance_seconds":3600}`},
	{"POST", "/_emulator/faults", `{"faults":[{"action":{"key_ttl":{"for":"1s"}}}]}`},
	{"POST", "/_emulator/faults/release", `{"name":"x"}`},
	{"DELETE", "/_emulator/faults", ""},
	{"DELETE", "/_emulator/faults/x", ""},
	{"POST", "/_emulator/open_points", `{"key_ttl":"30m"}`},
	{"POST", "/_emulator/clicks", `{"ad_id":"x"}`},
	{"POST", "/_emulator/tracking", `{}`},
	{"POST", "/_emulator/credentials/revoke", `{"user":"usr_owner"}`},
	{"POST", "/_emulator/accounts/" + emulatortest.AccountID + "/features", `{"bulk":false}`},
	{"POST", "/_emulator/ad_account_creation_sessions/x", ""},
	{"POST", "/_emulator/page/clock", "amount=1&unit=hours"},
	{"POST", "/_oauth/authorize", ""},
	{"POST", "/_oauth/token", ""},
	{"POST", "/_oauth/revoke", ""},
}

// asBrowser sends a request as a page's script or form does.
func asBrowser(s *emulatortest.Service, method, path, body, host string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Host = host
	r.Header.Set("Content-Type", "text/plain")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	s.Server.ServeHTTP(w, r)
	return w
}

func TestAnotherSiteCannotDriveTheEmulator(t *testing.T) {
	const here = "127.0.0.1:8484"
	s := emulatortest.Start(t)
	before := string(s.Must(t, "GET", "/_emulator/open_points", nil).Body) +
		string(s.Must(t, "GET", "/_emulator/faults", nil).Body)
	for _, c := range controlWrites {
		for name, got := range map[string]*httptest.ResponseRecorder{
			"by another site's page":    asBrowser(s, c.method, c.path, c.body, here, "Sec-Fetch-Site", "cross-site"),
			"by another port's page":    asBrowser(s, c.method, c.path, c.body, here, "Sec-Fetch-Site", "same-site"),
			"by an old browser":         asBrowser(s, c.method, c.path, c.body, here, "Origin", "https://evil.example"),
			"without an origin":         asBrowser(s, c.method, c.path, c.body, here, "Origin", "null"),
			"under a name of elsewhere": asBrowser(s, c.method, c.path, c.body, "evil.example:8484"),
		} {
			if got.Code != http.StatusForbidden {
				t.Errorf("%s %s sent %s = %d %s, want 403", c.method, c.path, name, got.Code, got.Body)
			}
		}
	}
	if got := string(s.Must(t, "GET", "/_emulator/open_points", nil).Body) +
		string(s.Must(t, "GET", "/_emulator/faults", nil).Body); got != before {
		t.Errorf("after the refusals open points and faults are\n%s\nwant them as before:\n%s", got, before)
	}
	if got := s.World().Clock.Offset(); got != 0 {
		t.Errorf("after the refusals the clock is %v ahead, want 0s", got)
	}
}

func TestReadsOfControlsAreForThisMachine(t *testing.T) {
	s := emulatortest.Start(t)
	for _, path := range []string{"/_emulator/clock", "/_emulator/mutations", "/_emulator/requests",
		"/_emulator/credentials", "/_emulator/openapi.json", "/.well-known/oauth-authorization-server"} {
		for host, want := range map[string]int{
			"127.0.0.1:8484": 200, "localhost": 200,
			"[::1]:8484": 200, "evil.example": 403, "127.0.0.1.evil.example": 403, "": 403,
		} {
			if got := asBrowser(s, "GET", path, "", host); got.Code != want {
				t.Errorf("GET %s with Host %q = %d, want %d", path, host, got.Code, want)
			}
		}
	}
}

func TestThisMachineDrivesTheEmulator(t *testing.T) {
	s := emulatortest.Start(t)
	for name, headers := range map[string][]string{
		"a program": nil, "the emulator's own page": {"Sec-Fetch-Site",
			"same-origin", "Origin", "http://127.0.0.1:8484"},
	} {
		if got := asBrowser(s, "POST", "/_emulator/clock",
			`{"advance_seconds":1}`, "127.0.0.1:8484", headers...); got.Code != 200 {
			t.Errorf("the clock moved by %s = %d %s, want 200", name, got.Code, got.Body)
		}
	}
	if got := s.World().Clock.Offset().Seconds(); got != 2 {
		t.Errorf("the clock is %v s ahead, want 2", got)
	}
}

func TestEventsAreForEveryPage(t *testing.T) {
	s := emulatortest.Start(t)
	got := asBrowser(s, "OPTIONS", "/_events/v1/pixel",
		"", "127.0.0.1:8484", "Origin", "https://shop.example.com", "Sec-Fetch-Site", "cross-site")
	if got.Code != 204 || got.Header().Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("preflight of the pixel = %d with allowed origin %q, want 204 and *",
			got.Code, got.Header().Get("Access-Control-Allow-Origin"))
	}
}
