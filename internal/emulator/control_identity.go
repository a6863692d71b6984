package emulator

import (
	"fmt"
	page "html/template"
	"io"
	"net/http"
	"sync"

	"adsync/internal/emulator/identity"
	"adsync/internal/emulator/oauth"
	"adsync/internal/emulator/wire"
	"adsync/internal/emulator/world"
)

// identityControls are the addresses of who may do what.
type identityControls struct {
	world *world.World
	oauth *oauth.Server
}

// all are the addresses of the authorization server, of hosted
// account creation, and of the control of credentials and features.
func (c *identityControls) all() []control {
	const session = identity.SessionPath + "{session_id}"
	all := []control{
		{"GET /_emulator/credentials", controlled(c.showCredentials)},
		{"POST /_emulator/credentials/revoke", controlled(c.revokeCredential)},
		{"POST /_emulator/accounts/{account_id}/features", controlled(c.setFeatures)},
		{"GET " + session, c.showSession},
		{"POST " + session, c.completeSession},
	}
	for pattern, handle := range c.oauth.Routes() {
		all = append(all, control{pattern, handle})
	}
	return all
}

// shownKey is an API key without its secret.
type shownKey struct {
	AccountID string `json:"ad_account_id"`
	Actor     string `json:"actor"`
	Name      string `json:"name"`
	CreatedAt int64  `json:"created_at"`
	Revoked   bool   `json:"revoked"`
}

func (c *identityControls) showCredentials(*http.Request) (any, error) {
	keys := []shownKey{}
	for _, a := range c.world.Accounts() {
		err := a.View(func() error {
			for _, k := range a.APIKeys.All() {
				keys = append(keys, shownKey{a.ID, k.Actor, k.Name, k.CreatedAt, k.Revoked})
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	d := c.world.Directory
	var users []world.User
	var clients []world.OAuthClient
	err := d.View(func() error {
		users, clients = d.Users.All(), d.Clients.All()
		return nil
	})
	return map[string]any{"api_keys": keys, "users": users, "oauth_clients": clients}, err
}

// operator is the cause of what people change beside the service.
func operator(r *http.Request) world.Cause {
	return world.Cause{Actor: "operator", Endpoint: r.Method + " " + r.URL.Path}
}

// revokeCredential takes exactly one of {"api_key": SECRET}, {"actor": "key_…"},
// {"token": SECRET} (a refresh token ends its whole grant) and {"user": "usr_…"}
// (all tokens of the user).
func (c *identityControls) revokeCredential(r *http.Request) (any, error) {
	o, err := readControl(r)
	if err != nil {
		return nil, err
	}
	secret, actor := o.Text("api_key", 1, 0).V, o.Text("actor", 1, 0).V
	token, user := o.Text("token", 1, 0).V, o.Text("user", 1, 0).V
	if o.Len() != 1 {
		o.Fail("", "invalid_value", "Want exactly one of api_key, actor, token and user.")
	}
	if err := o.Err(); err != nil {
		return nil, err
	}
	n := 0
	if secret != "" || actor != "" {
		n, err = c.revokeKey(operator(r), world.HashKey(secret), actor)
	} else {
		n, err = c.revokeTokens(operator(r), world.HashKey(token), user)
	}
	if err == nil && n == 0 {
		err = wire.NotFoundf("No such credential.")
	}
	return map[string]int{"revoked": n}, err
}

func (c *identityControls) revokeKey(cause world.Cause, hash, actor string) (n int, err error) {
	for _, a := range c.world.Accounts() {
		err := a.Update(cause, func(tx *world.Tx) error {
			for _, k := range a.APIKeys.All() {
				if k.Hash == hash || k.Actor == actor {
					identity.RevokeKey(tx, k)
					n++
				}
			}
			return nil
		})
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

func (c *identityControls) revokeTokens(cause world.Cause, hash, user string) (n int, err error) {
	d := c.world.Directory
	err = d.Update(cause, func(tx *world.Tx) error {
		found := d.TokensOfUser.Of(user)
		if held, ok := d.Tokens.Get(hash); ok {
			found = append(found, held)
			if held.Refresh {
				found = d.TokensOf.Of(held.Grant)
			}
		}
		d.Revoke(tx, found...)
		n = len(found)
		return nil
	})
	return n, err
}

// setFeatures changes what an account may use: {"postpaid": false, …}. What is
// not named stays.
func (c *identityControls) setFeatures(r *http.Request) (any, error) {
	a := c.world.Account(r.PathValue("account_id"))
	if a == nil {
		return nil, wire.NotFoundf("No ad account found with id '%s'.", r.PathValue("account_id"))
	}
	o, err := readControl(r)
	if err != nil {
		return nil, err
	}
	var features world.Features
	err = a.Update(operator(r), func(tx *world.Tx) error {
		p := a.Profile()
		readFeatures(o, &p.Features)
		if err := o.Err(); err != nil {
			return err
		}
		features = p.Features
		a.Profiles.Put(tx, p)
		return nil
	})
	return features, err
}

// readControl is the body of a control as a strict object.
func readControl(r *http.Request) (*wire.Object, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, wire.Invalidf("", "invalid_body", "The body could not be read: %v.", err)
	}
	o, wrong := wire.ParseObject(body)
	if wrong != nil {
		return nil, wrong
	}
	return o, nil
}

// sessionPage is the hosted page on which a partner's user creates an account.
var sessionPage = sync.OnceValue(func() *page.Template {
	return page.Must(page.New("session").Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Create an ad account</title></head><body>
<h1>Create the ad account {{.Name}}</h1>
{{if .AccountID}}<p>It is there: <code>{{.AccountID}}</code>.</p>{{if .ReturnURL}}<p><a href="{{.ReturnURL}}">Go on</a></p>{{end}}
{{else}}<p>Currency {{.Currency}}, time zone {{.TimeZone}}.</p>
<form method="post"><button>Create</button></form>{{end}}
</body></html>
`))
})

func (c *identityControls) showSession(w http.ResponseWriter, r *http.Request) {
	d := c.world.Directory
	var held world.CreationSession
	err := d.View(func() error {
		var ok bool
		if held, ok = d.Sessions.Get(r.PathValue("session_id")); !ok {
			return wire.NotFoundf("No such session.")
		}
		return nil
	})
	sendPage(w, held, err)
}

func (c *identityControls) completeSession(w http.ResponseWriter, r *http.Request) {
	held, err := identity.Complete(c.world, r.PathValue("session_id"), operator(r))
	sendPage(w, held, err)
}

func sendPage(w http.ResponseWriter, held world.CreationSession, err error) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if err != nil {
		e := wire.AsError(err)
		w.WriteHeader(e.Status)
		fmt.Fprintf(w, "<!doctype html><p>%s</p>\n", page.HTMLEscapeString(e.Message))
		return
	}
	sessionPage().Execute(w, held)
}
