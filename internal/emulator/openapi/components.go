package openapi

import (
	"maps"
	"strconv"
)

// refusals are the status codes the service refuses with, each with the
// published error body (interface, part 7).
var refusals = map[int]string{
	400: "A parameter or the body is wrong.",
	401: "There is no credential, or it is not good.",
	403: "The credential or the ad account may not do this.",
	404: "There is no such object, or the ad account does not have the feature.",
	405: "The path does not take this method.",
	409: "It conflicts with the object as it is, or with an earlier use of the key.",
	413: "The body, or the answer, is too large.",
	422: "The request is well-formed and cannot be done.",
	429: "Too many requests; Retry-After says when to come back.",
	503: "The service could not finish the request.",
}

func components() Components {
	schemas := map[string]*Schema{"Error": object(must("error", object(
		must("message", text()), must("type", text()), must("param", orNull(text())), must("code", orNull(text())),
	)))}
	for _, table := range []map[string]*Schema{
		campaignRecords(), adGroupRecords(), adRecords(), bulkRecords(), audienceRecords(),
		accountRecords(), spendRecords(), reportRecords(), conversionRecords(),
	} {
		maps.Copy(schemas, table)
	}
	responses := map[string]Response{}
	for status, why := range refusals {
		responses[strconv.Itoa(status)] = Response{Description: why, Content: json1(ref("Error"))}
	}
	return Components{Schemas: schemas, Responses: responses, SecuritySchemes: map[string]SecurityScheme{
		"ApiKeyAuth": {Type: "http", Scheme: "bearer", Description: "An API key; it belongs to one ad account."},
		"AdsOAuth": {Type: "oauth2", Flows: &Flows{Code: Flow{
			AuthorizationURL: "/_emulator/oauth/authorize",
			TokenURL:         "/_emulator/oauth/token", RefreshURL: "/_emulator/oauth/token",
			Scopes: map[string]string{readScope: "Read everything.", writeScope: "Change everything."},
		}}},
	}}
}
