package openid

import (
	"context"
	"encoding/json"

	"adsync/internal/words/catalogue"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// mailClaim names somebody by an address of mail, which others can have entered: it counts once it is verified.
const mailClaim = "email"

// personOf reads who it is: in the ID token, and in what the provider says of the user where the token leaves it out.
func (p *Provider) personOf(ctx context.Context, f *found, token *oidc.IDToken, tokens *oauth2.Token) (Person, error) {
	var claims map[string]json.RawMessage
	if err := token.Claims(&claims); err != nil {
		return Person{}, refused("failed.token-claims")
	}
	if f.userinfo && (claims[p.Name] == nil || p.Groups != "" && claims[p.Groups] == nil) {
		if err := p.complete(ctx, f, token, tokens, claims); err != nil {
			return Person{}, err
		}
	}
	var who Person
	if json.Unmarshal(claims[p.Name], &who.Login) != nil || who.Login == "" {
		return Person{}, refused("failed.no-claim", "claim", p.Name)
	}
	if verified := string(claims["email_verified"]); p.Name == mailClaim && verified != `true` && verified != `"true"` {
		return Person{}, refused("failed.mail")
	}
	if p.Groups != "" && claims[p.Groups] == nil && claims["_claim_names"] != nil {
		return Person{}, refused("failed.groups-many")
	}
	if p.Groups == "" {
		return who, nil
	}
	groups, is := groupsOf(claims[p.Groups])
	if !is {
		return Person{}, refused("failed.groups-form")
	}
	who.Groups = groups
	return who, nil
}

// complete adds what the provider says of the user beside the ID token.
func (p *Provider) complete(ctx context.Context, f *found, token *oidc.IDToken, tokens *oauth2.Token,
	claims map[string]json.RawMessage) error {
	about, err := f.provider.UserInfo(ctx, oauth2.StaticTokenSource(tokens))
	if err != nil {
		return &Error{Away, catalogue.Say("failed.userinfo", "host", p.Host())}
	}
	var more map[string]json.RawMessage
	if about.Claims(&more) != nil || about.Subject != token.Subject {
		return refused("failed.userinfo-other")
	}
	for _, name := range []string{p.Name, p.Groups, "email_verified", "_claim_names"} {
		if claims[name] == nil && more[name] != nil {
			claims[name] = more[name]
		}
	}
	return nil
}

// groupsOf reads a list of groups, or one.
func groupsOf(claim json.RawMessage) (groups []string, is bool) {
	if claim == nil || json.Unmarshal(claim, &groups) == nil {
		return groups, true
	}
	var one string
	is = json.Unmarshal(claim, &one) == nil
	return []string{one}, is
}
