package emulator_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"adsync/internal/emulator"
	"adsync/internal/testing/emulatortest"
)

func TestTokensOfTheCodeFlow(t *testing.T) { // RFC 6749, section 4.1
	c := newClient(emulatortest.Start(t))
	got := c.tokens(t, "usr_owner", "ads.admin.all.write ads.admin.all.read offline_access")
	for _, secret := range []string{"access_token", "refresh_token"} {
		if len(fmt.Sprint(got[secret])) < 40 {
			t.Errorf("%s = %v, want a secret", secret, got[secret])
		}
		delete(got, secret)
	}
	want := map[string]any{
		"token_type": "Bearer", "expires_in": "3600", "scope": "ads.admin.all.read ads.admin.all.write offline_access",
	}
	if diff := cmp.Diff(fmt.Sprint(want), fmt.Sprint(got)); diff != "" {
		t.Errorf("token answer (-want +got):\n%s", diff)
	}
	if got := c.tokens(t, "usr_owner", readScope); got["refresh_token"] != nil {
		t.Error("without offline_access there is a refresh token")
	}
}

func TestConsentPage(t *testing.T) {
	s := emulatortest.Start(t, twoUsers, func(o *emulator.Options) {
		o.Clients = []emulator.Client{{ID: "adsync", Name: `<b>adsync</b>`, RedirectURIs: []string{redirect}}}
	})
	resp, reply := newClient(s).send(t, "GET", "/_oauth/authorize?"+asked(readScope).Encode(), "")
	page := string(reply.Body)
	for _, want := range []string{"&lt;b&gt;adsync&lt;/b&gt;",
		"see your ad accounts", "usr_ada", "usr_bo", `name="code_challenge"`, `value="allow"`, `value="deny"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(page, "<b>") || strings.Contains(page, "spend money") {
		t.Errorf("the page shows raw markup or a scope nobody asked for:\n%s", page)
	}
	if got := resp.Header.Get("Content-Security-Policy"); !strings.Contains(got, "frame-ancestors 'none'") {
		t.Errorf("Content-Security-Policy = %q, want no framing", got)
	}
}

func TestRequestsThatNobodyIsSentBackFor(t *testing.T) { // RFC 6749, section 4.1.2.1
	c := newClient(emulatortest.Start(t))
	for _, change := range [][]string{
		{"client_id", "unknown"}, {"client_id", ""},
		{"redirect_uri", ""}, {"redirect_uri", "https://evil.example.com/callback"},
		{"redirect_uri", "http://127.0.0.1:1/other"},
		{"redirect_uri", "http://127.0.0.1:1/callback#x"}, {"redirect_uri", "https://127.0.0.1/callback"},
		{"redirect_uri", "http://x@127.0.0.1/callback"}, {"redirect_uri", "http://127.0.0.1.example.com/callback"},
		{"redirect_uri", "http://127.0.0.1/callback?next=1"},
	} {
		resp, _ := c.send(t, "GET", "/_oauth/authorize?"+asked(readScope, change...).Encode(), "")
		if resp.StatusCode != 400 || resp.Header.Get("Location") != "" {
			t.Errorf("%q = %d to %q, want 400 and no redirect", change, resp.StatusCode, resp.Header.Get("Location"))
		}
	}
	resp, _ := c.post(t, "/_oauth/authorize", asked(readScope, "user", "usr_none", "decision", "allow"))
	if resp.StatusCode != 400 {
		t.Errorf("consent of an unknown user = %d, want 400", resp.StatusCode)
	}
}

func TestRequestsThatAreSentBack(t *testing.T) {
	c := newClient(emulatortest.Start(t))
	for _, row := range []struct {
		want   string
		change []string
	}{
		{"unsupported_response_type", []string{"response_type", "token"}},
		{"invalid_request", []string{"code_challenge", ""}},
		{"invalid_request", []string{"code_challenge_method", "plain"}},
		{"invalid_request", []string{"code_challenge_method", ""}},
		{"invalid_request", []string{"code_challenge", strings.Repeat("a", 42)}},
		{"invalid_scope", []string{"scope", ""}},
		{"invalid_scope", []string{"scope", "ads.admin.all.delete"}},
		{"access_denied", []string{"decision", "deny"}},
	} {
		form := asked(readScope, append([]string{"user", "usr_owner", "decision", "allow"}, row.change...)...)
		if got := c.consent(t, form); got.Get("error") != row.want || got.Has("code") {
			t.Errorf("%q = %v, want %s", row.change, got, row.want)
		}
	}
	form := asked(readScope)
	form.Add("scope", writeScope)
	if got := c.consent(t, form); got.Get("error") != "invalid_request" {
		t.Errorf("two scopes parameters = %v, want invalid_request", got)
	}
}

func TestCodesAreJudged(t *testing.T) { // RFC 6749, section 4.1.3, and RFC 7636
	s := emulatortest.Start(t, frozen, func(o *emulator.Options) {
		o.Clients = []emulator.Client{
			{ID: "adsync", Name: "adsync", RedirectURIs: []string{redirect}},
			{ID: "other", Name: "Other", RedirectURIs: []string{redirect}},
		}
	})
	c := newClient(s)
	rows := []struct {
		name   string
		change []string
		status int
		want   string
	}{
		{"as issued", nil, 200, ""},
		{"another code", []string{"code", "oac_x"}, 400, "invalid_grant"},
		{"another verifier", []string{"code_verifier", strings.Repeat("b", 43)}, 400, "invalid_grant"},
		{"no verifier", []string{"code_verifier", ""}, 400, "invalid_grant"},
		{"another redirect", []string{"redirect_uri", "http://127.0.0.1:1/callback"}, 400, "invalid_grant"},
		{"another client", []string{"client_id", "other"}, 400, "invalid_grant"},
		{"an unknown client", []string{"client_id", "nobody"}, 401, "invalid_client"},
		{"another grant type", []string{"grant_type", "password"}, 400, "unsupported_grant_type"},
	}
	for _, row := range rows {
		code := c.consent(t, asked(readScope, "user", "usr_owner", "decision", "allow")).Get("code")
		_, reply := c.post(t, "/_oauth/token", codeForm(code, row.change...))
		if got, _ := reply.Map(t)["error"].(string); reply.Status != row.status || got != row.want {
			t.Errorf("%s = %d %s, want %d %q", row.name, reply.Status, reply.Body, row.status, row.want)
		}
		if got := reply.Header.Get("Cache-Control"); got != "no-store" {
			t.Errorf("%s: Cache-Control = %q, want no-store", row.name, got)
		}
	}
	late := c.consent(t, asked(readScope, "user", "usr_owner", "decision", "allow")).Get("code")
	s.Advance(t, 600)
	if _, reply := c.post(t, "/_oauth/token", codeForm(late)); reply.Map(t)["error"] != "invalid_grant" {
		t.Errorf("a code after ten minutes = %d %s, want invalid_grant", reply.Status, reply.Body)
	}
}

// bearer reads /me with an access token.
func (c oauthClient) bearer(t testing.TB, token any) int {
	t.Helper()
	return c.Do(t, "GET", "/me", nil, "Authorization", fmt.Sprint("Bearer ", token)).Status
}

func TestACodeUsedTwiceEndsItsTokens(t *testing.T) { // RFC 6749, section 4.1.2
	c := newClient(emulatortest.Start(t))
	code := c.consent(t, asked(readScope, "user", "usr_owner", "decision", "allow")).Get("code")
	_, first := c.post(t, "/_oauth/token", codeForm(code))
	token := first.Map(t)["access_token"]
	if got := c.bearer(t, token); got != 200 {
		t.Fatalf("token of the first use = %d, want 200", got)
	}
	if _, second := c.post(t, "/_oauth/token", codeForm(code)); second.Status != 400 {
		t.Errorf("second use = %d %s, want 400", second.Status, second.Body)
	}
	if got := c.bearer(t, token); got != 401 {
		t.Errorf("token after the second use = %d, want 401", got)
	}
}

func TestTokensExpireByTheEmulatorsClock(t *testing.T) {
	for life, seconds := range map[string]float64{"5m": 300, "1h": 3600, "24h": 86400} {
		s := emulatortest.Start(t, frozen, emulatortest.WithPoints(t, "oauth_token_lifetime="+life))
		c := newClient(s)
		got := c.tokens(t, "usr_owner", readScope)
		s.Advance(t, seconds-1)
		if status := c.bearer(t, got["access_token"]); status != 200 {
			t.Errorf("%s: a second before the end = %d, want 200", life, status)
		}
		s.Advance(t, 1)
		if status := c.bearer(t, got["access_token"]); status != 401 {
			t.Errorf("%s: at the end = %d, want 401", life, status)
		}
	}
}

func TestRefreshTokens(t *testing.T) { // RFC 6749, section 6
	const scope = readScope + " " + writeScope + " offline_access"
	for _, point := range []string{"replaced", "kept"} {
		s := emulatortest.Start(t, frozen, emulatortest.WithPoints(t, "oauth_refresh_token="+point))
		c := newClient(s)
		first := c.tokens(t, "usr_owner", scope)
		s.Advance(t, 3600)
		old := fmt.Sprint(first["refresh_token"])
		_, reply := c.post(t, "/_oauth/token", refreshForm(old))
		next := reply.Map(t)
		if c.bearer(t, next["access_token"]) != 200 || c.bearer(t, first["access_token"]) != 401 {
			t.Errorf("%s: after a refresh the new token = %d, the expired one = %d; want 200 and 401",
				point, c.bearer(t, next["access_token"]), c.bearer(t, first["access_token"]))
		}
		if kept := next["refresh_token"] == old; kept != (point == "kept") {
			t.Errorf("oauth_refresh_token=%s: the refresh token is kept = %v", point, kept)
		}
		_, reply = c.post(t, "/_oauth/token", refreshForm(fmt.Sprint(next["refresh_token"]), "scope", readScope))
		if got := reply.Map(t)["scope"]; got != readScope {
			t.Errorf("%s: refresh for fewer scopes gives %v", point, got)
		}
		fewer := c.tokens(t, "usr_owner", readScope+" offline_access")
		_, reply = c.post(t, "/_oauth/token", refreshForm(fmt.Sprint(fewer["refresh_token"]), "scope", scope))
		if got := reply.Map(t)["error"]; got != "invalid_scope" {
			t.Errorf("%s: refresh for more scopes than consented = %v, want invalid_scope", point, got)
		}
	}
}

func TestAReplacedRefreshTokenEndsItsGrant(t *testing.T) {
	c := newClient(emulatortest.Start(t))
	first := fmt.Sprint(c.tokens(t, "usr_owner", readScope+" offline_access")["refresh_token"])
	_, reply := c.post(t, "/_oauth/token", refreshForm(first))
	next := reply.Map(t)
	if _, again := c.post(t, "/_oauth/token", refreshForm(first)); again.Map(t)["error"] != "invalid_grant" {
		t.Errorf("the replaced token again = %s, want invalid_grant", again.Body)
	}
	if got := c.bearer(t, next["access_token"]); got != 401 {
		t.Errorf("access token of the ended grant = %d, want 401", got)
	}
	if _, again := c.post(t, "/_oauth/token", refreshForm(fmt.Sprint(next["refresh_token"]))); again.Status != 400 {
		t.Errorf("refresh token of the ended grant = %d, want 400", again.Status)
	}
}

func TestRevocation(t *testing.T) { // RFC 7009, and the control of the emulator
	const scope = readScope + " offline_access"
	s := emulatortest.Start(t)
	c := newClient(s)
	rows := []struct {
		name   string
		revoke func(tokens map[string]any) int
		access int
	}{
		{"the access token", func(m map[string]any) int { return c.revoke(t, m["access_token"], "adsync") }, 401},
		{"the refresh token", func(m map[string]any) int { return c.revoke(t, m["refresh_token"], "adsync") }, 401},
		{"by another client", func(m map[string]any) int { return c.revoke(t, m["access_token"], "other") }, 200},
		{"of nothing", func(map[string]any) int { return c.revoke(t, "oat_x", "adsync") }, 200},
		{"by the control, a token", func(m map[string]any) int {
			return s.Do(t, "POST", "/_emulator/credentials/revoke", object{"token": m["access_token"]}).Status
		}, 401},
		{"by the control, a grant", func(m map[string]any) int {
			return s.Do(t, "POST", "/_emulator/credentials/revoke", object{"token": m["refresh_token"]}).Status
		}, 401},
		{"by the control, a user", func(map[string]any) int {
			return s.Do(t, "POST", "/_emulator/credentials/revoke", object{"user": "usr_owner"}).Status
		}, 401},
	}
	for _, row := range rows {
		tokens := c.tokens(t, "usr_owner", scope)
		if got := row.revoke(tokens); got != 200 {
			t.Errorf("revocation %s = %d, want 200", row.name, got)
		}
		if got := c.bearer(t, tokens["access_token"]); got != row.access {
			t.Errorf("access token after the revocation %s = %d, want %d", row.name, got, row.access)
		}
	}
}

func (c oauthClient) revoke(t testing.TB, token any, client string) int {
	t.Helper()
	_, reply := c.post(t, "/_oauth/revoke", url.Values{"token": {fmt.Sprint(token)}, "client_id": {client}})
	return reply.Status
}

func TestARefreshTokenIsNoCredential(t *testing.T) {
	c := newClient(emulatortest.Start(t))
	tokens := c.tokens(t, "usr_owner", readScope+" offline_access")
	if got := c.bearer(t, tokens["refresh_token"]); got != 401 {
		t.Errorf("GET /me with a refresh token = %d, want 401", got)
	}
}

func TestAKilledEmulatorKeepsTokens(t *testing.T) {
	dir := t.TempDir()
	inDir := func(o *emulator.Options) { o.Dir = dir }
	s := emulatortest.Start(t, frozen, inDir)
	token := newClient(s).tokens(t, "usr_owner", readScope)["access_token"]
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if got := newClient(emulatortest.Start(t, frozen, inDir)).bearer(t, token); got != 200 {
		t.Errorf("token after a restart = %d, want 200", got)
	}
}

func TestAuthorizationServerMetadata(t *testing.T) { // RFC 8414
	c := newClient(emulatortest.Start(t))
	_, reply := c.send(t, "GET", "/.well-known/oauth-authorization-server", "")
	got := reply.Map(t)
	if reply.Status != http.StatusOK || got["issuer"] != c.root || got["token_endpoint"] != c.root+"/_oauth/token" {
		t.Errorf("metadata = %v", got)
	}
}
