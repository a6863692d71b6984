package emulator_test

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"adsync/internal/emulator"
	"adsync/internal/testing/emulatortest"
)

const (
	readScope  = "ads.admin.all.read"
	writeScope = "ads.admin.all.write"
	verifier   = "a-verifier-that-is-long-enough-for-the-rule-of-43"
	redirect   = "http://127.0.0.1:40123/callback" // any port of the registered address
)

// oauthClient is a client of the authorization server.
type oauthClient struct {
	*emulatortest.Service
	root string
}

func newClient(s *emulatortest.Service) oauthClient {
	return oauthClient{s, strings.TrimSuffix(s.BaseURL, "/v1")}
}

// asked is a request for authorization with the given changes; "" takes a parameter away.
func asked(scope string, change ...string) url.Values {
	sum := sha256.Sum256([]byte(verifier))
	form := url.Values{
		"response_type": {"code"}, "client_id": {"adsync"},
		"redirect_uri": {redirect}, "scope": {scope}, "state": {"s t"},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"},
	}
	return changed(form, change...)
}

func changed(form url.Values, change ...string) url.Values {
	for i := 0; i+1 < len(change); i += 2 {
		form.Set(change[i], change[i+1])
		if change[i+1] == "" {
			form.Del(change[i])
		}
	}
	return form
}

// post sends a form and does not follow redirects.
func (c oauthClient) post(t testing.TB, path string, form url.Values) (*http.Response, emulatortest.Reply) {
	t.Helper()
	return c.send(t, "POST", path, form.Encode())
}

func (c oauthClient) send(t testing.TB, method, path, body string) (*http.Response, emulatortest.Reply) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, c.root+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	client := *c.Client
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	buf := new(strings.Builder)
	if err := resp.Write(buf); err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(buf.String(), "\r\n\r\n")
	return resp, emulatortest.Reply{Status: resp.StatusCode, Header: resp.Header, Body: []byte(text)}
}

// consent answers the consent page and gives what the client is told.
func (c oauthClient) consent(t testing.TB, form url.Values) url.Values {
	t.Helper()
	resp, reply := c.post(t, "/_oauth/authorize", form)
	to, err := url.Parse(resp.Header.Get("Location"))
	if err != nil || resp.StatusCode != http.StatusSeeOther || !strings.HasPrefix(to.String(), redirect) {
		t.Fatalf("consent = %d to %q %s, want 303 to the client",
			resp.StatusCode, resp.Header.Get("Location"), reply.Body)
	}
	if got := to.Query().Get("state"); got != "s t" {
		t.Errorf("state = %q, want what was sent", got)
	}
	return to.Query()
}

func codeForm(code string, change ...string) url.Values {
	return changed(url.Values{
		"grant_type": {"authorization_code"}, "client_id": {"adsync"},
		"redirect_uri": {redirect}, "code": {code}, "code_verifier": {verifier},
	}, change...)
}

func refreshForm(token string, change ...string) url.Values {
	return changed(url.Values{"grant_type": {"refresh_token"},
		"client_id": {"adsync"}, "refresh_token": {token}}, change...)
}

// tokens goes through the whole flow.
func (c oauthClient) tokens(t testing.TB, user, scope string) map[string]any {
	t.Helper()
	code := c.consent(t, changed(asked(scope), "user", user, "decision", "allow")).Get("code")
	_, reply := c.post(t, "/_oauth/token", codeForm(code))
	if reply.Status != 200 {
		t.Fatalf("token = %d %s", reply.Status, reply.Body)
	}
	return reply.Map(t)
}

// login is the Authorization header of a user.
func login(t testing.TB, s *emulatortest.Service, user, scope string) []string {
	t.Helper()
	return []string{"Authorization", fmt.Sprint("Bearer ", newClient(s).tokens(t, user, scope)["access_token"])}
}

// twoUsers are one with both accounts and one with the second only.
func twoUsers(o *emulator.Options) {
	twoAccounts(o)
	o.Users = []emulator.User{
		{ID: "usr_ada", Name: "Ada", AccountIDs: []string{emulatortest.AccountID, "adacct_other"}, Partner: true},
		{ID: "usr_bo", Name: "Bo", AccountIDs: []string{"adacct_other"}},
	}
}

func TestWhoMayCallWhat(t *testing.T) { // part 5, rules 1 to 6
	s := emulatortest.Start(t, twoUsers)
	w := newTree(t, s)
	account := []string{"OpenAI-Ad-Account", emulatortest.AccountID}
	reader := append(login(t, s, "usr_ada", readScope), account...)
	writer := append(login(t, s, "usr_ada", readScope+" "+writeScope), account...)
	onlyWrite := append(login(t, s, "usr_ada", writeScope), account...)
	session := []string{"Idempotency-Key", "k"}
	denied, missing := refusal{403, "permission_denied", ""}, bad("missing_required_parameter", "account_name")
	rows := []struct {
		name, method, path     string
		headers                []string
		key, read, both, write refusal // with an API key, the read scope, both scopes, the write scope only
	}{
		{"rule 1: reads", "GET", "/campaigns", nil, fine, fine, fine, denied},
		{"rule 1: reads", "GET", "/ad_account", nil, fine, fine, fine, denied},
		{"rule 2: campaigns", "POST", "/campaigns/" + w.campaign + "/pause", nil, fine, denied, fine, denied},
		{"rule 2: the ad account", "POST", "/ad_account/activate", nil, fine, denied, fine, denied},
		{"part 4: ad groups", "POST", "/ad_groups/" + w.adGroup + "/pause", nil, fine, denied, fine, denied},
		{"part 4: ads", "POST", "/ads/" + w.ad + "/pause", nil, fine, denied, fine, denied},
		{"rule 3: API keys", "POST", "/api_keys", nil, fine, denied, denied, denied},
		{"rule 3: audit logs", "GET", "/audit_logs", nil, fine, denied, denied, denied},
		{"rule 4: creation sessions", "POST", "/ad_account_creation_sessions",
			session, denied, denied, missing, denied},
		{"rule 5: me", "GET", "/me", nil, denied, fine, fine, denied},
	}
	for _, row := range rows {
		var body any
		if row.method == "POST" {
			body = "{}"
		}
		for _, try := range []struct {
			who     string
			headers []string
			want    refusal
		}{{"API key", nil, row.key}, {"read scope", reader, row.read},
			{"both scopes", writer, row.both}, {"write scope", onlyWrite, row.write}} {
			headers := append(append([]string{}, try.headers...), row.headers...)
			expect(t, row.name+", "+row.path+", "+try.who, s.Do(t, row.method, row.path, body, headers...), try.want)
		}
	}
}

func TestTheAccountOfAnOAuthRequest(t *testing.T) { // part 5, rule 6
	s := emulatortest.Start(t, twoUsers)
	ada, bo := login(t, s, "usr_ada", readScope), login(t, s, "usr_bo", readScope)
	read := func(headers []string, account string) emulatortest.Reply {
		return s.Do(t, "GET", "/ad_account",
			nil, append(append([]string{}, headers...), "OpenAI-Ad-Account", account)...)
	}
	for _, id := range []string{emulatortest.AccountID, "adacct_other"} {
		if got := read(ada, id).Map(t)["id"]; got != id {
			t.Errorf("account selected by the header = %v, want %s", got, id)
		}
	}
	expect(t, "an account of someone else", read(bo, emulatortest.AccountID), refusal{403, "permission_denied", ""})
	expect(t, "no such account", read(ada, "adacct_none"), refusal{403, "permission_denied", ""})
	expect(t, "no header", s.Do(t, "GET", "/ad_account", nil, ada...),
		bad("missing_required_parameter", "OpenAI-Ad-Account"))
	expect(t, "no header, one account", s.Do(t, "GET", "/ad_account", nil, bo...),
		bad("missing_required_parameter", "OpenAI-Ad-Account"))
	s.Must(t, "POST", "/_emulator/open_points", object{"oauth_account_header": "optional_for_one"})
	expect(t, "optional_for_one: two accounts", s.Do(t, "GET", "/ad_account", nil, ada...),
		bad("missing_required_parameter", "OpenAI-Ad-Account"))
	expect(t, "optional_for_one: one account", s.Do(t, "GET", "/ad_account", nil, bo...), fine)
	expect(t, "me needs no account", s.Do(t, "GET", "/me", nil, ada...), fine)
}

func TestOAuthMutationsNameTheUser(t *testing.T) {
	s := emulatortest.Start(t, twoUsers)
	user := append(login(t, s, "usr_ada", readScope+" "+writeScope), "OpenAI-Ad-Account", emulatortest.AccountID)
	s.Must(t, "POST", "/campaigns", emulatortest.CampaignBody("Spring"), user...)
	_, list := logs(t, s, "actor_id=usr_ada")
	entries := list["data"].([]any)
	if len(entries) != 1 || entries[0].(map[string]any)["actor_type"] != "user" {
		t.Errorf("entries of the user = %v, want the create, by a user", entries)
	}
}

func TestMeIsStableForAnApplication(t *testing.T) {
	s := emulatortest.Start(t, twoUsers, func(o *emulator.Options) {
		o.Clients = []emulator.Client{
			{ID: "adsync", Name: "adsync", RedirectURIs: []string{"http://127.0.0.1/callback"}},
			{ID: "other", Name: "Other", RedirectURIs: []string{redirect}},
		}
	})
	me := func(headers []string) any { return s.Must(t, "GET", "/me", nil, headers...).Map(t)["id"] }
	first, again, bo := me(login(t, s, "usr_ada", readScope)),
		me(login(t, s, "usr_ada", readScope)), me(login(t, s, "usr_bo", readScope))
	if first != again || first == bo {
		t.Errorf("me = %v, then %v, and %v for another user; want the same, and another", first, again, bo)
	}
	c := newClient(s)
	code := c.consent(t, asked(readScope, "client_id", "other", "user", "usr_ada", "decision", "allow")).Get("code")
	_, reply := c.post(t, "/_oauth/token", codeForm(code, "client_id", "other"))
	if got := me([]string{"Authorization", fmt.Sprint("Bearer ", reply.Map(t)["access_token"])}); got == first {
		t.Errorf("me = %v for two applications, want one for each", got)
	}
}

func TestCreatedKeysWorkAtOnceUntilRevoked(t *testing.T) {
	s := emulatortest.Start(t)
	made := s.Must(t, "POST", "/api_keys", `{"key_name":"colleague"}`).Map(t)
	bearer := []string{"Authorization", fmt.Sprint("Bearer ", made["api_key"])}
	if got := s.Must(t, "GET", "/ad_account", nil, bearer...).Map(t)["id"]; got != emulatortest.AccountID {
		t.Errorf("account of the created key = %v", got)
	}
	s.Must(t, "POST", "/campaigns", emulatortest.CampaignBody("Spring"), bearer...)
	if got, _ := logs(t, s, fmt.Sprint("actor_id=", made["service_account_id"])); len(got) != 1 {
		t.Errorf("entries of the created key = %v, want its one create", got)
	}
	expect(t, "another body field", s.Do(t, "POST", "/api_keys", `{"name":"x"}`), bad("unknown_parameter", "name"))
	s.Must(t, "POST", "/_emulator/credentials/revoke", object{"api_key": made["api_key"]})
	expect(t, "revoked", s.Do(t, "GET", "/ad_account", nil, bearer...), refusal{401, "invalid_api_key", ""})
	expect(t, "the other key goes on", s.Do(t, "GET", "/ad_account", nil), fine)
	for _, body := range []string{`{}`, `{"api_key":"x","user":"y"}`, `{"key":"x"}`} {
		if got := s.Do(t, "POST", "/_emulator/credentials/revoke", body); got.Status != 400 {
			t.Errorf("revoke %s = %d, want 400", body, got.Status)
		}
	}
	expect(t, "revoke of nothing", s.Do(t, "POST", "/_emulator/credentials/revoke", `{"actor":"key_none"}`),
		refusal{404, "not_found", ""})
	actor := made["service_account_id"]
	if got, _ := logs(t, s, "limit=1"); got[0] != "revoke_api_key:colleague" {
		t.Errorf("last entry after the revocation of %v = %s", actor, got[0])
	}
}

func TestCreationSessions(t *testing.T) { // part 4, part 5 rule 4, part 7
	s := emulatortest.Start(t, frozen, twoUsers)
	ada := append(login(t, s, "usr_ada", readScope+" "+writeScope), "Idempotency-Key", "k1")
	const path, body = "/ad_account_creation_sessions",
		`{"account_name":"New","currency_code":"EUR","timezone":"Europe/Paris"}`
	expect(t, "without a key", s.Do(t, "POST", path, body, ada[:2]...),
		bad("missing_required_parameter", "Idempotency-Key"))
	expect(t, "without a body", s.Do(t, "POST", path, "", ada...), bad("invalid_json", ""))
	expect(t, "unknown zone", s.Do(t, "POST", path, `{"account_name":"New","timezone":"Mars/Base"}`, ada...),
		bad("invalid_value", "timezone"))
	made := s.Must(t, "POST", path, body, ada...).Map(t)
	if again := s.Must(t, "POST", path, body, ada...).Map(t); again["id"] != made["id"] {
		t.Errorf("the same key and body = %v, want the session %v", again["id"], made["id"])
	}
	expect(t, "the key with another body", s.Do(t, "POST", path, `{"account_name":"Other"}`, ada...),
		refusal{409, "idempotency_conflict", ""})
	bo := append(login(t, s, "usr_bo", readScope+" "+writeScope), "Idempotency-Key", "k1")
	expect(t, "a user of no partner", s.Do(t, "POST", path, body, bo...), refusal{403, "partner_required", ""})

	hosted := strings.TrimPrefix(made["url"].(string), newClient(s).root)
	if _, reply := newClient(s).send(t, "GET", hosted, ""); reply.Status != 200 ||
		!strings.Contains(string(reply.Body), "Create the ad account New") {
		t.Errorf("hosted page = %d %s", reply.Status, reply.Body)
	}
	newClient(s).post(t, hosted, nil)
	done := s.Must(t, "POST", path, body, ada...).Map(t)
	id := fmt.Sprint(done["ad_account_id"])
	if done["status"] != "completed" {
		t.Fatalf("session after the hosted creation = %v", done)
	}
	got := s.Must(t, "GET", "/ad_account", nil, append(ada[:2:2], "OpenAI-Ad-Account", id)...).Map(t)
	if got["legal_name"] != "New" || got["currency_code"] != "EUR" || got["timezone"] != "Europe/Paris" {
		t.Errorf("the created account = %v", got)
	}
	late := s.Must(t, "POST", path, body, append(ada[:2:2], "Idempotency-Key", "k2")...).Map(t)
	s.Advance(t, 24*3600)
	if _, reply := newClient(s).post(t, strings.TrimPrefix(late["url"].(string), newClient(s).root),
		nil); reply.Status != http.StatusGone {
		t.Errorf("completion after a day = %d, want 410", reply.Status)
	}
}

func TestKeysOfCreationSessionsAreForgotten(t *testing.T) { // part 1, Idempotency
	for points, want := range map[string]bool{"": false, "key_ttl=30m": true} {
		s := emulatortest.Start(t, frozen, twoUsers, emulatortest.WithPoints(t, points))
		start := func(name string) emulatortest.Reply {
			ada := append(login(t, s, "usr_ada", readScope+" "+writeScope), "Idempotency-Key", "k1")
			return s.Do(t, "POST", "/ad_account_creation_sessions", object{"account_name": name}, ada...)
		}
		first := start("New").ID(t)
		s.Advance(t, 1799)
		if again := start("New").ID(t); again != first {
			t.Errorf("%q: before its life ends the key gives %s, want the session %s", points, again, first)
		}
		s.Advance(t, 1)
		again := start("New").ID(t)
		if (again != first) != want {
			t.Errorf("%q: after 30 minutes the key gives %s after %s, want another session: %v",
				points, again, first, want)
		}
		if latest := start("New").ID(t); latest != again {
			t.Errorf("%q: the key gives %s, want the latest session %s", points, latest, again)
		}
		expect(t, points+": the key with another body", start("Other"), refusal{409, "idempotency_conflict", ""})
	}
}

func TestFeaturesCanBeSwitched(t *testing.T) {
	s := emulatortest.Start(t)
	features := "/_emulator/accounts/" + emulatortest.AccountID + "/features"
	expect(t, "postpaid", s.Do(t, "GET", windows, nil), fine)
	s.Must(t, "POST", features, `{"postpaid":false}`)
	expect(t, "prepaid", s.Do(t, "GET", windows, nil), refusal{403, "spend_limits_unavailable", ""})
	expect(t, "bulk stays", s.Do(t, "POST", "/bulk_mutation_jobs", job(campaignOp("k"))), refusal{status: 202})
	expect(t, "unknown feature", s.Do(t, "POST", features, `{"flying":true}`), bad("unknown_parameter", "flying"))
}
