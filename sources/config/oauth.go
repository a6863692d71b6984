package config

import (
	"adsync/internal/diag"

	yaml "sigs.k8s.io/yaml/goyaml.v3"
)

// OAuth says how a person logs in, and where the tokens of that are kept. It holds no token itself.
type OAuth struct {
	AuthorizeURL Setting
	TokenURL     Setting
	RevokeURL    Setting // "" where the server has none
	ClientID     Setting // "" where there is no login
	Scopes       []Setting
	Tokens       Setting // a file, or the word keyring; "" for a file of adsync's own
}

// InKeyring is the word for the keyring of the system.
const InKeyring = "keyring"

func (o *OAuth) read(w *settingReader, node *yaml.Node) {
	text := func(to *Setting, name string) func(*yaml.Node) {
		return func(n *yaml.Node) { *to = w.setting(n, "credentials.oauth."+name) }
	}
	problems := len(w.Problems)
	w.fields(node, "credentials.oauth", map[string]func(*yaml.Node){
		"authorize_url": text(&o.AuthorizeURL, "authorize_url"),
		"token_url":     text(&o.TokenURL, "token_url"),
		"revoke_url":    text(&o.RevokeURL, "revoke_url"),
		"client_id":     text(&o.ClientID, "client_id"),
		"scopes":        func(n *yaml.Node) { o.Scopes = w.settings(n, "credentials.oauth.scopes") },
		"tokens":        text(&o.Tokens, "tokens"),
	})
	if o.Tokens.Value != InKeyring {
		o.Tokens = w.beside(o.Tokens)
	}
	for _, needed := range []struct{ name, value string }{{"authorize_url", o.AuthorizeURL.Value},
		{"token_url", o.TokenURL.Value}, {"client_id", o.ClientID.Value}} {
		if needed.value == "" && len(w.Problems) == problems {
			w.Report(node, diag.BadProject, "credentials.oauth has no "+needed.name+"; want authorize_url, token_url "+
				"and client_id", "")
		}
	}
}
