// Package direct is the closed table of what changes the account outside apply: keys, accounts,
// operations on the people of a list, events. Who adds a verb adds a row to verbs and calls its
// four steps; cmd/adsync/internal/verbs does them for a command of a project:
//
//	verb := direct.Named("audience cancel")
//	d, err := verbs.Open(ctx, env, project, verb)  // state, and a client that can send this endpoint only
//	defer d.End()
//	err = d.Consent(ctx, yes, "Cancel the operation op_1 of audience/x?") // asks, --yes, or an allowance
//	err = d.Do(ctx, "audience/x", func(ctx context.Context) (string, error) {
//		path, err := verb.At("audience_1", "op_1")
//		if err != nil {
//			return "", errors.Join(direct.ErrNotDone, err)
//		}
//		answer, err := d.Client.Send(ctx, adsapi.Mutation{Path: path, IDField: "operation_id"})
//		return "operation " + answer.ID, err // what history says of it
//	})
//
// d.Client.Reader() reads what the verb names in Reads, before and after. A verb that is sent to
// another host than the service (Elsewhere) has no such client: Verb.Carry is a transport that
// lets one address pass, for an HTTP client of its own; Consent and Do are the same.
//
// It refuses to send anything but the endpoint of its row, to send without a word in the history
// first, and to put the service's words, secrets or people into that history. Its one invariant:
// whatever may have reached the service stands in the history before it is sent, as unknown until
// its answer is there.
package direct

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"adsync/internal/adsapi"
)

// The scopes of OAuth (interface, part 5).
const (
	ScopeRead  = "ads.admin.all.read"
	ScopeWrite = "ads.admin.all.write"
)

// Login says by which credentials a verb is taken (interface, part 5).
type Login string

// Which credentials an endpoint takes.
const (
	KeyOrOAuth Login = "an API key, or a login with the scope " + ScopeWrite
	KeyOnly    Login = "an API key"
	OAuthOnly  Login = "a login with the scope " + ScopeWrite
)

// Verb is one row of the table.
type Verb struct {
	Name   string // of its command: "keys create"
	Method string
	Path   string   // of the one endpoint it may send, below the base address; {id} is any id
	Reads  []string // what it may GET beside /ad_account
	Takes  Login
	Keyed  bool // the interface has an Idempotency-Key for it

	// Allowable says that an allowance of the operator's file may stand for the question.
	Allowable bool
	// Elsewhere says that it goes to an address of the operator's, and never with the API key;
	// its path is that address whole.
	Elsewhere bool
	Records   string // what history says it is for, besides who, when and what became of it
}

var verbs = []Verb{
	{Name: "keys create", Method: http.MethodPost, Path: "/api_keys", Takes: KeyOnly,
		Records: "the name of the key"},
	{Name: "accounts create", Method: http.MethodPost, Path: "/ad_account_creation_sessions",
		Reads: []string{"/ad_accounts"}, Takes: OAuthOnly, Keyed: true, Records: "the name of the account"},
	{Name: "audience cancel", Method: http.MethodPost, Path: "/custom_audiences/{id}/operations/{id}/cancel",
		Reads: audienceReads, Takes: KeyOrOAuth, Allowable: true, Records: "the list and the operation"},
	{Name: "audience resume", Method: http.MethodPost, Path: "/custom_audiences/{id}/operations/{id}/resume",
		Reads: audienceReads, Takes: KeyOrOAuth, Allowable: true, Records: "the list and the operation"},
	{Name: "conversions key create", Method: http.MethodPost, Path: "/conversions/api_keys", Takes: KeyOrOAuth,
		Records: "the name of the key"},
	{Name: "conversions send", Method: http.MethodPost, Elsewhere: true, Allowable: true,
		Reads: []string{"/conversions/events"}, Records: "the pixel, how many events, and the digest of the file"},
}

var audienceReads = []string{"/custom_audiences", "/custom_audiences/{id}", "/custom_audiences/{id}/operations",
	"/custom_audiences/{id}/operations/{id}"}

// Verbs returns every row.
func Verbs() []Verb { return slices.Clone(verbs) }

// Named returns the row of a name. One that is not there is a fault of the program.
func Named(name string) Verb {
	at := slices.IndexFunc(verbs, func(v Verb) bool { return v.Name == name })
	if at < 0 {
		panic(fmt.Sprintf("direct: no verb is called %q", name))
	}
	return verbs[at]
}

// At returns the path of the endpoint with ids in their places, in order.
func (v Verb) At(ids ...string) (string, error) {
	segments := strings.Split(strings.TrimPrefix(v.Path, "/"), "/")
	for i, segment := range segments {
		if segment != anyID {
			continue
		}
		if len(ids) == 0 {
			return "", fmt.Errorf("%s: an id is missing for %s", v.Name, v.Path)
		}
		segments[i], ids = ids[0], ids[1:]
	}
	if len(ids) > 0 {
		return "", fmt.Errorf("%s: %d ids too many for %s", v.Name, len(ids), v.Path)
	}
	return adsapi.JoinPath(segments...)
}

// Word is the verb in an allowance of the operator's file: direct=audience-cancel.
func (v Verb) Word() string { return AllowancePrefix + strings.ReplaceAll(v.Name, " ", "-") }

// AllowancePrefix begins the allowances of direct verbs.
const AllowancePrefix = "direct="

// CheckAllowance says what is wrong with an allowance of a direct verb, nil where nothing is.
func CheckAllowance(text string) error {
	var words []string
	for _, v := range verbs {
		if !v.Allowable {
			continue
		}
		if v.Word() == text {
			return nil
		}
		words = append(words, v.Word())
	}
	return fmt.Errorf("allowance is %q; want one of %s", text, strings.Join(words, ", "))
}
