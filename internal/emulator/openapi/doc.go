// Package openapi describes what the emulator serves below /v1 as an OpenAPI 3.1
// document, and holds requests and answers to it. Routes come from the table the
// server runs by; what a route takes and gives is data in the tables of this
// package, written apart from the handlers so that either can find the other
// wrong; only the attributes of ad groups are in one table for both. It
// refuses to guess: a route without an operation here is named, not
// described. Its invariant: the same routes give the same bytes.
//
// operations.go has an operation a route; campaign.go, adgroup.go, ad.go, audience.go and their
// like the forms; schema.go is their language.
package openapi

import (
	"encoding/json"
	"strconv"
	"strings"

	"adsync/internal/emulator/service"
)

// Document is an OpenAPI document. Maps are written in the order of their keys.
type Document struct {
	OpenAPI    string                           `json:"openapi"`
	Info       Info                             `json:"info"`
	Servers    []Server                         `json:"servers"`
	Paths      map[string]map[string]*Operation `json:"paths"` // by path, then by method in lower case
	Components Components                       `json:"components"`
}

// Info is the title of a document.
type Info struct {
	Title       string `json:"title"`
	Version     string `json:"version"`
	Description string `json:"description"`
}

// Server is where the paths begin.
type Server struct {
	URL string `json:"url"`
}

// Components are what operations name.
type Components struct {
	Schemas         map[string]*Schema        `json:"schemas"`
	Responses       map[string]Response       `json:"responses"`
	SecuritySchemes map[string]SecurityScheme `json:"securitySchemes"`
}

// Operation is one method of one path.
type Operation struct {
	ID          string                `json:"operationId"`
	Summary     string                `json:"summary"`
	Parameters  []Parameter           `json:"parameters,omitempty"`
	RequestBody *RequestBody          `json:"requestBody,omitempty"`
	Responses   map[string]Response   `json:"responses"` // by status code
	Security    []map[string][]string `json:"security"`
	Addition    bool                  `json:"x-addition,omitempty"` // published, and not in the interface
	// JudgedLater is set where a body that was taken can still be wrong in its parts.
	JudgedLater bool `json:"x-judged-later,omitempty"`
}

// Parameter is part of the path, the query or the header.
type Parameter struct {
	Name        string  `json:"name"`
	In          string  `json:"in"` // path, query, header
	Description string  `json:"description,omitempty"`
	Required    bool    `json:"required,omitempty"`
	Schema      *Schema `json:"schema"`
}

// RequestBody is what a request carries, by media type.
type RequestBody struct {
	Required bool             `json:"required"`
	Content  map[string]Media `json:"content"`
}

// Response is an answer, by media type, or a reference to one.
type Response struct {
	Ref         string           `json:"$ref,omitempty"`
	Description string           `json:"description,omitempty"`
	Content     map[string]Media `json:"content,omitempty"`
}

// Media is a body of one media type.
type Media struct {
	Schema *Schema `json:"schema"`
}

// SecurityScheme is a way to say who calls (interface, part 5).
type SecurityScheme struct {
	Type        string `json:"type"`
	Scheme      string `json:"scheme,omitempty"`
	Description string `json:"description,omitempty"`
	Flows       *Flows `json:"flows,omitempty"`
}

// Flows of OAuth; the emulator has the one with an authorization code.
type Flows struct {
	Code Flow `json:"authorizationCode"`
}

// Flow names the addresses of the authorization server, and the scopes.
type Flow struct {
	AuthorizationURL string            `json:"authorizationUrl"`
	TokenURL         string            `json:"tokenUrl"`
	RefreshURL       string            `json:"refreshUrl"`
	Scopes           map[string]string `json:"scopes"`
}

const title = "Advertising service, as the adsync emulator serves it"

// New describes routes, and names those that have no operation in the tables.
func New(routes []*service.Route) (d *Document, missing []string) {
	d = &Document{
		OpenAPI: "3.1.0",
		Info: Info{
			Title: title, Version: "2.3.0",
			Description: "Everything below /v1 with the published behaviour. What x-addition marks is published " +
				"and not in the interface. Open points can change bodies of errors, add fields and hide some.",
		},
		Servers:    []Server{{URL: "/v1"}},
		Paths:      map[string]map[string]*Operation{},
		Components: components(),
	}
	for _, rt := range routes {
		said, ok := operations()[rt.Method+" "+rt.Pattern]
		if !ok {
			missing = append(missing, rt.Method+" "+rt.Pattern)
			continue
		}
		if d.Paths[rt.Pattern] == nil {
			d.Paths[rt.Pattern] = map[string]*Operation{}
		}
		d.Paths[rt.Pattern][strings.ToLower(rt.Method)] = describe(rt, said)
	}
	return d, missing
}

// JSON is the document as it is served and kept in docs/develop/openapi.json.
func (d *Document) JSON() ([]byte, error) {
	text, err := json.MarshalIndent(d, "", "  ")
	return append(text, '\n'), err
}

func describe(rt *service.Route, said operation) *Operation {
	op := &Operation{
		ID: operationID(rt), Summary: said.summary, Parameters: parameters(rt, said), Responses: responses(rt, said),
		Security: security[rt.Auth], Addition: rt.Addition(), JudgedLater: said.judgedLater,
	}
	if len(said.body) > 0 {
		op.RequestBody = &RequestBody{Required: true, Content: said.body}
	}
	return op
}

// operationID is such as post_campaigns_campaign_id_pause.
func operationID(rt *service.Route) string {
	path := strings.NewReplacer("/", "_", "{", "", "}", "").Replace(rt.Pattern)
	return strings.ToLower(rt.Method) + path
}

func parameters(rt *service.Route, said operation) []Parameter {
	var all []Parameter
	for part := range strings.SplitSeq(rt.Pattern, "/") {
		if name, ok := strings.CutPrefix(part, "{"); ok {
			all = append(all, Parameter{
				Name: strings.TrimSuffix(name, "}"), In: "path", Required: true, Schema: textOf(1, 0),
			})
		}
	}
	all = append(all, said.query...)
	if rt.Key == service.KeyOptional || rt.Key == service.KeyRequired {
		all = append(all, Parameter{
			Name: "Idempotency-Key", In: "header", Required: rt.Key == service.KeyRequired, Schema: textOf(1, 255),
			Description: "Makes the request retry-safe; at least one character is not white space.",
		})
	}
	if rt.Auth == service.Read || rt.Auth == service.Write {
		all = append(all, Parameter{
			Name: "OpenAI-Ad-Account", In: "header", Schema: textOf(1, 0),
			Description: "The ad account, with OAuth; it must not be sent with an API key.",
		})
	}
	return all
}

// responses are the answer and the refusals: what each route can say, and what
// only writes or single objects can.
func responses(rt *service.Route, said operation) map[string]Response {
	status := said.status
	if status == 0 {
		status = 200
	}
	all := map[string]Response{
		strconv.Itoa(status): {Description: "Success.", Content: json1(said.answer)},
	}
	refusals := append([]int{400, 401, 403, 404, 413, 429, 503}, said.also...)
	if rt.Auth != service.Read && rt.Auth != service.OAuthRead && rt.Method != "GET" {
		refusals = append(refusals, 409, 422)
	}
	for _, code := range refusals {
		all[strconv.Itoa(code)] = Response{Ref: "#/components/responses/" + strconv.Itoa(code)}
	}
	return all
}
