package conformance

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// signIn goes through the authorization-code flow of an emulator's own server
// and saves the access token as token.
func (r *run) signIn(ctx context.Context, s Step) error {
	const verifier = "conformance-conformance-conformance-conformance"
	sum := sha256.Sum256([]byte(verifier))
	redirect := "http://127.0.0.1/callback"
	consent := url.Values{
		"response_type": {"code"}, "client_id": {"adsync"}, "redirect_uri": {redirect}, "scope": {s.scopes},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"},
		"user": {s.As}, "decision": {"allow"},
	}
	a, err := r.sendForm(ctx, "/_oauth/authorize", consent)
	if err != nil {
		return err
	}
	back, err := url.Parse(http.Header(a.Header).Get("Location"))
	if err != nil || back.Query().Get("code") == "" {
		return fmt.Errorf("sign in with %q = %d %.200s, want a code", s.scopes, a.Status, a.Body)
	}
	a, err = r.sendForm(ctx, "/_oauth/token", url.Values{
		"grant_type": {"authorization_code"}, "client_id": {"adsync"}, "redirect_uri": {redirect},
		"code": {back.Query().Get("code")}, "code_verifier": {verifier},
	})
	if err != nil {
		return err
	}
	_, err = r.judge(s, a)
	return err
}

func (r *run) sendForm(ctx context.Context, path string, fields url.Values) (Answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.address(path), strings.NewReader(fields.Encode()))
	if err != nil {
		return Answer{}, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return r.exchange(req)
}
