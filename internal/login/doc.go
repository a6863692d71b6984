// Package login asks the service in the name of a person who has let adsync in: OAuth 2.0, the
// authorization code flow on loopback with PKCE (RFC 6749, 7636, 8252).
//
// Open login.go first: Token, which hands out the access token and renews it. flow.go lets a person
// log in, store.go keeps the tokens in a file or in the system's keyring.
//
// It refuses to follow redirects of the authorization server, to send a token to another server than
// the one that issued it, and to repeat the words of an answer that may hold a token. Its invariant: a
// refresh token that was replaced is on the disk before its access token is used, and one process at a
// time renews.
package login
