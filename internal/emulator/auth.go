package emulator

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"adsync/internal/emulator/oauth"
	"adsync/internal/emulator/openpoint"
	"adsync/internal/emulator/service"
	"adsync/internal/emulator/wire"
	"adsync/internal/emulator/world"
)

// credential knows one kind of bearer credential. It reports false for a
// token it does not know.
type credential func(r *http.Request, token string) (service.Principal, bool)

// The OAuth scopes (interface, part 5).
const (
	scopeRead  = oauth.ScopeRead
	scopeWrite = oauth.ScopeWrite
)

// accountHeader selects an account for OAuth; with an API key it must not be sent (part 5, rule 6).
const accountHeader = "OpenAI-Ad-Account"

// authenticator finds who calls.
type authenticator struct {
	world  *world.World
	points *openpoint.Settings
}

func (a *authenticator) byAPIKey(_ *http.Request, token string) (service.Principal, bool) {
	bound, key, ok := a.world.ByKey(token)
	if !ok || key.Revoked {
		return service.Principal{}, false
	}
	return service.Principal{Actor: key.Actor, AccountID: bound.ID}, true
}

// byToken knows OAuth access tokens. The account is the one the header names, if
// the user reaches it.
func (a *authenticator) byToken(r *http.Request, token string) (service.Principal, bool) {
	t, ok := a.world.Directory.AccessToken(token, a.world.Clock.Now().Unix())
	if !ok {
		return service.Principal{}, false
	}
	p := service.Principal{Actor: t.UserID, OAuth: true, Scopes: t.Scopes, UserID: t.UserID, ClientID: t.ClientID}
	selected, reached := r.Header.Get(accountHeader), a.world.Reached(t.UserID)
	for _, one := range reached {
		if one.ID == selected {
			p.AccountID = one.ID
		}
	}
	if selected == "" && len(reached) == 1 && a.points.Is(openpoint.OAuthAccountHeader, "optional_for_one") {
		p.AccountID = reached[0].ID
	}
	return p, true
}

// authenticate finds who calls and whether the route is open to them.
func (a *authenticator) authenticate(c *service.Call) error {
	scheme, token, _ := strings.Cut(c.Request.Header.Get("Authorization"), " ")
	token = strings.TrimSpace(token)
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		return unauthorized("missing_api_key",
			"No API key was given. Send it as a bearer credential in the Authorization header.")
	}
	for _, known := range []credential{byStranger, a.byAPIKey, a.byToken} {
		if p, ok := known(c.Request, token); ok {
			c.Principal = p
			c.Account = a.world.Account(p.AccountID)
			return allowed(c)
		}
	}
	return unauthorized("invalid_api_key", "The credential is not known or no longer valid.")
}

func unauthorized(code, message string) error {
	err := wire.Refusef(http.StatusUnauthorized, code, "", "%s", message)
	err.Type = "authentication_error"
	return err
}

// allowed is the table of part 5.
func allowed(c *service.Call) error {
	p := c.Principal
	if !p.OAuth {
		if c.Request.Header.Get(accountHeader) != "" {
			return wire.Invalidf(accountHeader, "invalid_header",
				"The %s header must not be sent with an API key; a key belongs to one ad account.", accountHeader)
		}
		if c.Route.Auth == service.OAuthBoth || c.Route.Auth == service.OAuthRead {
			return forbidden("This endpoint does not accept API keys.")
		}
		return nil
	}
	switch c.Route.Auth {
	case service.KeyOnly:
		return forbidden("This endpoint accepts API keys only.")
	case service.Write, service.OAuthBoth:
		if !slices.Contains(p.Scopes, scopeWrite) {
			return forbidden("The token lacks the scope " + scopeWrite + ".")
		}
	}
	if !slices.Contains(p.Scopes, scopeRead) {
		return forbidden("The token lacks the scope " + scopeRead + ".")
	}
	selected := c.Request.Header.Get(accountHeader)
	if selected != "" && c.Account == nil {
		return forbidden("The user has no access to the ad account " + strconv.Quote(selected) + ".")
	}
	if c.Account == nil && needsAccount(c.Route) {
		return wire.Invalidf(accountHeader, "missing_required_parameter",
			"Name the ad account in the %s header.", accountHeader)
	}
	return nil
}

func needsAccount(rt *service.Route) bool {
	return !rt.NoAccount && rt.Auth != service.OAuthRead && rt.Auth != service.OAuthBoth
}

func forbidden(message string) error {
	err := wire.Refusef(http.StatusForbidden, "permission_denied", "", "%s", message)
	err.Type = "permission_error"
	return err
}
