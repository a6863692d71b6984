// Package identity is the room of credentials and of who calls: API keys,
// sessions of hosted account creation, and /me (interface, parts 4 and 5). It
// refuses to show a secret twice. Its invariant: no record and no log holds a
// secret, only its hash.
package identity

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"

	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/service"
	"adsync/internal/emulator/world"
)

// Room serves credentials.
type Room struct{ random io.Reader }

// NewRoom is the room; random makes secrets.
func NewRoom(random io.Reader) *Room { return &Room{random: random} }

// Routes of the room. Who may call what is part 5, rules 3 to 5.
func (r *Room) Routes() []service.Route {
	return []service.Route{
		{Method: http.MethodPost, Pattern: "/api_keys",
			Auth: service.KeyOnly, Body: service.JSONBody, Handle: r.createKey},
		{Method: http.MethodPost, Pattern: "/ad_account_creation_sessions",
			Auth: service.OAuthBoth, Key: service.KeyRequired, Body: service.JSONBody, Handle: createSession},
		{Method: http.MethodGet, Pattern: "/me", Auth: service.OAuthRead, Handle: me},
	}
}

// createdKey is the answer to the creation of a key (service facts 9.5); the
// secret is in it and nowhere else.
type createdKey struct {
	APIKey         string  `json:"api_key"`
	OrganizationID string  `json:"api_organization_id"`
	ServiceAccount string  `json:"service_account_id"` // the actor of the key in audit logs
	KeyName        *string `json:"key_name"`
	CreatedAt      int64   `json:"created_at"` // Unix seconds
}

// keyRecord is what the mutation log says of a key.
type keyRecord struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	CreatedAt int64  `json:"created_at"`
	Revoked   bool   `json:"revoked"`
}

// createKey makes a key that is bound to the account and works at once.
func (r *Room) createKey(c *service.Call) (any, error) {
	o, err := c.Object()
	if err != nil {
		return nil, err
	}
	name := o.Name(c.Points.Of(openpoint.APIKeyNameField), 1, maxName)
	if err := o.Err(); err != nil {
		return nil, err
	}
	secret, err := r.secret()
	if err != nil {
		return nil, err
	}
	key := world.NewAPIKey(name.V, secret, c.Now().Unix())
	err = c.Update(func(tx *world.Tx) error {
		c.Account.APIKeys.Put(tx, key)
		tx.Record(world.Mutation{Action: "create", Resource: "api_key", ResourceID: key.Actor}, nil, recordOf(key))
		return nil
	})
	return createdKey{
		APIKey: secret, OrganizationID: "org-" + digest("organization", c.Account.ID),
		ServiceAccount: key.Actor, KeyName: name.Ptr(), CreatedAt: key.CreatedAt,
	}, err
}

// maxName bounds the names of keys and accounts, in code points.
// assumption: the bound is not published; those of other names are 1,000.
const maxName = 1000

func recordOf(k world.APIKey) keyRecord { return keyRecord{k.Actor, k.Name, k.CreatedAt, k.Revoked} }

func (r *Room) secret() (string, error) {
	var b [32]byte
	if _, err := io.ReadFull(r.random, b[:]); err != nil {
		return "", fmt.Errorf("make a key: %w", err)
	}
	return "sk-" + base64.RawURLEncoding.EncodeToString(b[:]), nil
}

// RevokeKey ends a key of the account for good, inside its Update. A key that
// has ended is left alone.
func RevokeKey(tx *world.Tx, k world.APIKey) {
	if k.Revoked {
		return
	}
	before := recordOf(k)
	k.Revoked = true
	tx.Account.APIKeys.Put(tx, k)
	tx.Record(world.Mutation{Action: "revoke", Resource: "api_key", ResourceID: k.Actor}, before, recordOf(k))
}

// me is the user's identifier: the same at every call of one application, and
// another one for each application.
func me(c *service.Call) (any, error) {
	return map[string]string{"id": "user-" + digest("user", c.Principal.ClientID, c.Principal.UserID)}, nil
}

// digest is a stable name that says nothing of what it is made of.
func digest(parts ...string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", parts))
	return hex.EncodeToString(sum[:12])
}
