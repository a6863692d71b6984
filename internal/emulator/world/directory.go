package world

import (
	"slices"

	"adsync/internal/emulator/store"
)

// Directory is what belongs to no single account: users, OAuth clients, their
// codes and tokens, and sessions of account creation. It is read and changed as
// an account is; what it logs has no account id. Secrets are kept as hashes.
type Directory struct {
	*Account // without an id; of its tables only those below are there

	Users    *Table[User]
	Clients  *Table[OAuthClient]
	Codes    *Table[OAuthCode]
	Tokens   *Table[OAuthToken]
	Sessions *Table[CreationSession]

	TokensOf     *Index[OAuthToken] // by grant
	TokensOfUser *Index[OAuthToken]
}

// User is a person who may act in some ad accounts.
type User struct {
	ID         string   `json:"id"`
	Name       string   `json:"name"`
	AccountIDs []string `json:"account_ids"`
	Partner    bool     `json:"partner"` // may start hosted account creation
}

// reaching is the user with further accounts.
func (u User) reaching(more []string) User {
	all := slices.Clone(u.AccountIDs)
	for _, id := range more {
		if !slices.Contains(all, id) {
			all = append(all, id)
		}
	}
	u.AccountIDs = all
	return u
}

// OAuthClient is a program that users may let in. It has no secret: every client
// proves itself by PKCE.
type OAuthClient struct {
	ID           string   `json:"client_id"`
	Name         string   `json:"name"`
	RedirectURIs []string `json:"redirect_uris"`
}

// OAuthCode is an authorization code.
type OAuthCode struct {
	Hash        string   `json:"hash"`
	Grant       string   `json:"grant"`
	ClientID    string   `json:"client_id"`
	UserID      string   `json:"user_id"`
	RedirectURI string   `json:"redirect_uri"`
	Scopes      []string `json:"scopes"`
	Challenge   string   `json:"challenge"` // S256
	ExpiresAt   int64    `json:"expires_at"`
	Used        bool     `json:"used"`
}

// OAuthToken is an access token or a refresh token.
type OAuthToken struct {
	Hash      string   `json:"hash"`
	Refresh   bool     `json:"refresh"`
	Grant     string   `json:"grant"` // one consent of a user; its tokens end together
	ClientID  string   `json:"client_id"`
	UserID    string   `json:"user_id"`
	Scopes    []string `json:"scopes"`
	ExpiresAt int64    `json:"expires_at"` // Unix seconds; 0: never
	Revoked   bool     `json:"revoked"`
}

// CreationSession is a hosted ad account creation that a partner started.
type CreationSession struct {
	ID          string `json:"id"`
	UserID      string `json:"user_id"`
	ClientID    string `json:"client_id"`
	Key         string `json:"key"`
	BodySHA256  string `json:"body_sha256"`
	Name        string `json:"name"`
	Currency    string `json:"currency_code"`
	TimeZone    string `json:"timezone"`
	ReturnURL   string `json:"return_url"`
	CreatedAt   int64  `json:"created_at"`
	ExpiresAt   int64  `json:"expires_at"`
	CompletedAt int64  `json:"completed_at"` // 0: not yet
	AccountID   string `json:"ad_account_id"`
}

func newDirectory(w *World) *Directory {
	d := &Directory{Account: &Account{world: w}}
	d.Users = newTable(d.Account, "users", func(u User) string { return u.ID })
	d.Clients = newTable(d.Account, "oauth_clients", func(c OAuthClient) string { return c.ID })
	d.Codes = newTable(d.Account, "oauth_codes", func(c OAuthCode) string { return c.Hash })
	d.Tokens = newTable(d.Account, "oauth_tokens", func(t OAuthToken) string { return t.Hash })
	d.Sessions = newTable(d.Account, "creation_sessions", func(s CreationSession) string { return s.ID })
	d.TokensOf = d.Tokens.index(func(t OAuthToken) string { return t.Grant })
	d.TokensOfUser = d.Tokens.index(func(t OAuthToken) string { return t.UserID })
	return d
}

// AddUsers makes the users and OAuth clients that are not there yet. A user who
// is there gains the accounts that are new to him.
func (d *Directory) AddUsers(users []User, clients []OAuthClient) error {
	return d.Update(Cause{Actor: "seed", Endpoint: "seed"}, func(tx *Tx) error {
		for _, u := range users {
			if known, there := d.Users.Get(u.ID); there {
				u = known.reaching(u.AccountIDs)
			}
			d.Users.Put(tx, u)
		}
		for _, c := range clients {
			if _, there := d.Clients.Get(c.ID); !there {
				d.Clients.Put(tx, c)
			}
		}
		return nil
	})
}

// Join lets a user act in an account.
func (d *Directory) Join(tx *Tx, userID, accountID string) {
	if u, ok := d.Users.Get(userID); ok {
		d.Users.Put(tx, u.reaching([]string{accountID}))
	}
}

// Revoke ends tokens for good.
func (d *Directory) Revoke(tx *Tx, tokens ...OAuthToken) {
	for _, t := range tokens {
		t.Revoked = true
		d.Tokens.Put(tx, t)
	}
}

// User is the user of that id. It does not wait for durability.
func (d *Directory) User(id string) (u User, ok bool) {
	d.peek(func() { u, ok = d.Users.Get(id) })
	return u, ok
}

// AccessToken is the record of an access token that is still good at a Unix time.
func (d *Directory) AccessToken(secret string, now int64) (t OAuthToken, ok bool) {
	d.peek(func() { t, ok = d.Tokens.Get(HashKey(secret)) })
	return t, ok && !t.Refresh && !t.Revoked && now < t.ExpiresAt
}

// Reached are the accounts a user may act in, in order of their ids.
func (w *World) Reached(userID string) []*Account {
	u, _ := w.Directory.User(userID)
	return slices.DeleteFunc(w.Accounts(), func(a *Account) bool { return !slices.Contains(u.AccountIDs, a.ID) })
}

// AddKeys binds further API keys to an account; those that were ever there stay
// as they are.
func (a *Account) AddKeys(keys ...APIKey) error {
	return a.Update(Cause{Actor: "seed", Endpoint: "seed"}, func(tx *Tx) error {
		for _, k := range keys {
			if _, there := a.APIKeys.Get(k.Hash); !there {
				a.APIKeys.Put(tx, k)
			}
		}
		return nil
	})
}

func (w *World) loadDirectory(st *store.Store) error {
	w.Directory = newDirectory(w)
	return w.Directory.load(st)
}
