package login

import (
	"encoding/json"
	"errors"
	"strings"
	"time"

	"adsync/internal/secret"

	"golang.org/x/oauth2"
)

// Tokens are what a login has led to.
type Tokens struct {
	Access  secret.Text
	Refresh secret.Text // Reveal is "" where the login cannot be renewed
	Scopes  []string
	Issued  time.Time
	Expires time.Time // of Access; zero where the server does not say
	Ended   string    // why a person has to log in again; "" while it is good

	server string // Mark of who issued them
}

// kept is the form in which tokens are kept.
type kept struct {
	Access  string    `json:"access_token"`
	Refresh string    `json:"refresh_token,omitempty"`
	Scopes  []string  `json:"scopes"`
	Issued  time.Time `json:"issued"`
	Expires time.Time `json:"expires,omitzero"`
	Ended   string    `json:"ended,omitempty"`
	Server  string    `json:"server"`
}

func (t Tokens) encode() ([]byte, error) {
	text, err := json.Marshal(kept{t.Access.Reveal(), t.Refresh.Reveal(), t.Scopes, t.Issued, t.Expires, t.Ended,
		t.server})
	return append(text, '\n'), err
}

// decode reads tokens. Its error quotes nothing of them.
func decode(text []byte) (Tokens, error) {
	var k kept
	if err := json.Unmarshal(text, &k); err != nil || k.Access == "" && k.Ended == "" {
		return Tokens{}, errors.New("holds no tokens of a login")
	}
	return Tokens{secret.New(k.Access), secret.New(k.Refresh), k.Scopes, k.Issued, k.Expires, k.Ended, k.Server}, nil
}

// margin is how long before its end a token is renewed: longer than a request takes.
const margin = 2 * time.Minute

// good reports whether the access token can be sent now; refused is one that the service did not take.
func (t Tokens) good(now time.Time, refused secret.Text) bool {
	if t.Ended != "" || t.Access.Reveal() == "" || t.Access.Reveal() == refused.Reveal() {
		return false
	}
	return t.Expires.IsZero() || now.Before(t.Expires.Add(-min(margin, t.Expires.Sub(t.Issued)/4)))
}

// issued are the tokens of an answer. What it leaves out is as it was asked for (RFC 6749, sections 5.1
// and 6).
func (s Server) issued(answer *oauth2.Token, now time.Time, asked []string) Tokens {
	t := Tokens{
		Access: secret.New(answer.AccessToken), Refresh: secret.New(answer.RefreshToken),
		Scopes: asked, Issued: now, server: s.Mark(),
	}
	if answer.ExpiresIn > 0 {
		t.Expires = now.Add(time.Duration(answer.ExpiresIn) * time.Second)
	}
	if text, ok := answer.Extra("scope").(string); ok && text != "" {
		t.Scopes = strings.Fields(text)
	}
	return t
}
