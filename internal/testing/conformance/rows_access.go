package conformance

import (
	"adsync/internal/testing/conformance/rules"
	"strings"
)

const selector = "OpenAI-Ad-Account"

// rowsOfAccess are part 5, the conventions of part 1, and part 9. What holds of
// every endpoint is one row that asks them all.
var rowsOfAccess = []Row{
	{Rules: "5.1 5.2 5.3", Name: "no endpoint is open without a credential", Do: get("/me").as(nobody),
		Want: unauthorized(), Then: all("KRW", func(s Step) Step { return s.as(nobody).wants(unauthorized()) })},
	{Rules: "5.1 5.2 5.3", Name: "no endpoint is open to an unknown key", Do: get("/me").as(stranger),
		Want: unauthorized(), Then: all("KRW", func(s Step) Step { return s.as(stranger).wants(unauthorized()) })},
	{Rules: "5.1", Name: "reads take an API key", Do: get("/campaigns"),
		Want: gives(), Then: exactly("KR", func(s Step) Step { return s.wants(letIn()) })},
	{Rules: "5.1", Name: "reads take OAuth with the read scope",
		Given: given(signIn(readScope)), Do: owner(get("/campaigns")),
		Want: gives(), Then: exactly("KR", func(s Step) Step { return owner(s).wants(letIn()) })},
	{Rules: "5.1", Name: "reads do not take OAuth with the write scope alone",
		Given: given(signIn(writeScope)), Do: owner(get("/campaigns")),
		Want: forbidden(), Then: exactly("KR", func(s Step) Step { return owner(s).wants(forbidden()) })},
	{Rules: "5.2", Name: "writes take an API key", Do: post("/campaigns", campaign("Spring")),
		Want: gives(), Then: exactly("KW", func(s Step) Step { return s.wants(letIn()) })},
	{Rules: "5.2", Name: "writes take OAuth with both scopes",
		Given: given(signIn(bothScopes)), Do: owner(post("/campaigns", campaign("Spring"))),
		Want: gives(), Then: exactly("KW", func(s Step) Step { return owner(s).wants(letIn()) })},
	{Rules: "5.2", Name: "writes do not take OAuth with the read scope alone",
		Given: given(signIn(readScope)), Do: owner(post("/campaigns", campaign("Spring"))),
		Want: forbidden(), Then: exactly("KW", func(s Step) Step { return owner(s).wants(forbidden()) })},
	{Rules: "5.2", Name: "writes do not take OAuth with the write scope alone",
		Given: given(signIn(writeScope)), Do: owner(post("/campaigns", campaign("Spring"))),
		Want: forbidden(), Then: exactly("KW", func(s Step) Step { return owner(s).wants(forbidden()) })},
	{Rules: "5.3", Name: "audit logs do not take OAuth",
		Given: given(signIn(bothScopes)), Do: owner(get("/audit_logs")), Want: forbidden()},
	{Rules: "5.3", Name: "API keys are not made with OAuth",
		Given: given(signIn(bothScopes)), Do: owner(post("/api_keys", object{})), Want: forbidden()},
	{Rules: "5.3", Name: "audit logs take an API key", Do: get("/audit_logs"), Want: gives(is("object", "list"))},
	{Rules: "5.4 4.sessions", Name: "a session takes OAuth with both scopes",
		Given: given(signIn(bothScopes)), Do: newSession("k").as("token"), Want: gives(text("id"))},
	{Rules: "5.4", Name: "a session does not take an API key", Do: newSession("k"), Want: forbidden()},
	{Rules: "5.4", Name: "a session does not take the read scope alone",
		Given: given(signIn(readScope)), Do: newSession("k").as("token"), Want: forbidden()},
	{Rules: "4.sessions", Name: "a session without a key", Given: given(signIn(bothScopes)),
		Do:   post("/ad_account_creation_sessions", object{"account_name": "Fresh"}).as("token"),
		Want: invalid("Idempotency-Key")},
	{Rules: "4.sessions", Name: "a session without a body", Given: given(signIn(bothScopes)),
		Do: act("/ad_account_creation_sessions").as("token").keyed("k"), Want: answers(400, 422)},
	{Rules: "4.sessions", Name: "the key and body of a session again",
		Given: given(signIn(bothScopes), newSession("k").as("token").save("session", "id")),
		Do:    newSession("k").as("token"), Want: gives(is("id", "{session}"))},
	{Rules: "7.session_key", Name: "the key of a session with another body",
		Given: given(signIn(bothScopes), newSession("k").as("token")), Do: post("/ad_account_creation_sessions",
			object{"account_name": "Other"}).as("token").keyed("k"), Want: answers(400, 409, 422)},
	{Rules: "5.5 4.me", Name: "/me is the same at every call",
		Given: given(signIn(readScope), get("/me").as("token").save("me", "id")),
		Do:    get("/me").as("token"), Want: gives(text("id"), is("id", "{me}"))},
	{Rules: "5.5", Name: "/me does not take an API key", Do: get("/me"), Want: forbidden()},
	{Rules: "5.5", Name: "/me does not take the write scope alone",
		Given: given(signIn(writeScope)), Do: get("/me").as("token"), Want: forbidden()},
	{Rules: "4.me", Name: "/me does not tell the user's own id",
		Given: given(signIn(readScope)), Do: get("/me").as("token"), Want: gives(silent("usr_owner"))},
	{Rules: "5.6 1.account", Name: "a key with an account selector",
		Do: get("/campaigns").with(selector, "{account}"), Want: answers(400, 403)},
	{Rules: "5.6", Name: "a campaign of another account",
		Given: given(aCampaign), Do: get("/campaigns/{campaign}").as(other), Want: notFound()},
	{Rules: "5.6", Name: "a change of another account's campaign",
		Given: given(aCampaign), Do: post("/campaigns/{campaign}", object{"name": "Mine"}).as(other),
		Want: notFound(), Then: given(get("/campaigns/{campaign}").gives(is("name", "Spring")))},
	{Rules: "5.6 1.idempotency", Name: "another account's key is another key",
		Given: given(post("/campaigns", campaign("Spring")).keyed("k").save("campaign", "id")),
		Do:    post("/campaigns", campaign("Spring")).keyed("k").as(other), Want: gives(not("id", "{campaign}"))},
	{Rules: "5.7", Name: "a conversion key's secret is not in the audit logs",
		Given: given(post("/conversions/api_keys", object{"name": "Server"}).save("secret", "api_key")),
		Do:    get("/audit_logs"), Want: gives(silent("{secret}"))},
	{Rules: "5.7", Name: "a conversion key opens no endpoint",
		Given: given(post("/conversions/api_keys", object{"name": "Server"}).save("secret", "api_key")),
		Do:    get("/ad_account").as("secret"), Want: unauthorized()},
	{Rules: "4.api_keys", Name: "an API key works in its account",
		Given: given(post("/api_keys", object{"key_name": "Agent"}).save("fresh", "api_key")),
		Do:    get("/ad_account").as("fresh"), Want: gives(is("id", "{account}"))},
	{Rules: "4.api_keys", Name: "an API key is shown at its creation",
		Do: post("/api_keys", object{"key_name": "Agent"}), Want: gives(text("api_key"))},
	{Rules: "4.api_keys", Name: "an API key is not in the audit logs", Given: given(post("/api_keys",
		object{"key_name": "Agent"}).save("fresh", "api_key")), Do: get("/audit_logs"), Want: gives(silent("{fresh}"))},
	{Rules: "4.api_keys", Name: "an API key with an unknown field",
		Do: post("/api_keys", object{"scope": "all"}), Want: invalid("scope")},
	{Rules: "1.base 9.1", Name: "the same path under another version", Do: get("/v2/campaigns"), Want: notFound()},
	{Rules: "1.base 9.1", Name: "the path under /v1", Do: get("/v1/campaigns"), Want: gives(is("object", "list"))},
	{Rules: "9.2", Name: "the version of the description",
		Do: get("/_emulator/openapi.json"), Want: gives(is("info.version", "2.3.0"), is("openapi", "3.1.0"))},
	{Rules: "facts.errors", Name: "a path that is none", Do: get("/adverts"), Want: notFound()},
	{Rules: "facts.errors", Name: "an answer has a request id", Do: get("/campaigns"), Want: gives(requestID)},
	{Rules: "facts.errors", Name: "a refusal has a request id",
		Do: get("/campaigns/none"), Want: notFound().and(requestID)},
	{Rules: "1.mutations", Name: "an update by PUT", Given: given(aCampaign),
		Do: Step{Method: "PUT", Path: "/campaigns/{campaign}", Body: campaign("Spring")}, Want: answers(404, 405)},
	{Rules: "1.mutations", Name: "an update by PATCH", Given: given(aCampaign), Do: Step{Method: "PATCH",
		Path: "/campaigns/{campaign}", Body: object{"name": "Summer"}}, Want: answers(404, 405)},
	{Rules: "1.mutations", Name: "a deletion by DELETE",
		Given: given(aCampaign), Do: Step{Method: "DELETE", Path: "/campaigns/{campaign}"}, Want: answers(404, 405)},
	{Rules: "1.json", Name: "a body that is no JSON", Do: post("/campaigns", `{"name":`), Want: answers(400)},
	{Rules: "1.json", Name: "a body that is a list", Do: post("/campaigns", `[]`), Want: answers(400)},
	{Rules: "1.ids", Name: "an id stays when the name changes",
		Given: given(aCampaign, post("/campaigns/{campaign}", object{"name": "Summer"})),
		Do:    get("/campaigns/{campaign}"), Want: gives(is("id", "{campaign}"), is("name", "Summer"))},
}

func requestID(a Answer, _ *values) string {
	if id := a.Header["X-Request-Id"]; len(id) != 1 || id[0] == "" {
		return "want a header X-Request-Id"
	}
	return ""
}

// owner is the step with the token of the account's owner.
func owner(s Step) Step { return s.as("token").with(selector, "{account}") }

func newSession(key string) Step {
	return post("/ad_account_creation_sessions", object{"account_name": "Fresh"}).keyed(key)
}

// all asks every endpoint whose Auth has one of the letters; exactly those whose
// Auth is the text.
func all(letters string, change func(Step) Step) []Step {
	return ask(func(auth string) bool { return strings.ContainsAny(auth, letters) }, change)
}

func exactly(auth string, change func(Step) Step) []Step {
	return ask(func(of string) bool { return of == auth }, change)
}

// ask sends each endpoint an empty request about ids that nobody has.
func ask(wanted func(auth string) bool, change func(Step) Step) (steps []Step) {
	for _, e := range rules.Endpoints {
		if wanted(e.Auth) {
			steps = append(steps, change(Step{Method: e.Method, Path: e.Sample()}))
		}
	}
	return steps
}
