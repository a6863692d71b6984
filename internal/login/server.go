package login

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/oauth2"
)

// Server is an authorization server, and the client that adsync is there.
type Server struct {
	AuthorizeURL string
	TokenURL     string
	RevokeURL    string // "" where there is none (RFC 7009)
	ClientID     string
	Scopes       []string
}

// defaultScopes are what a login asks for where nothing else is said: to read, to write, and to renew.
var defaultScopes = []string{"ads.admin.all.read", "ads.admin.all.write", "offline_access"}

// Check says what is wrong with the addresses; a token goes over https, or to this machine.
func (s Server) Check() error {
	if s.ClientID == "" {
		return errors.New("client_id is missing; want the id under which adsync is registered")
	}
	for _, at := range []struct{ name, text string }{
		{"authorize_url", s.AuthorizeURL}, {"token_url", s.TokenURL}, {"revoke_url", s.RevokeURL},
	} {
		if at.text == "" && at.name == "revoke_url" {
			continue
		}
		u, err := url.Parse(at.text)
		switch {
		case err != nil || u.Host == "" || u.User != nil || u.Fragment != "":
			return fmt.Errorf("%s is no address of a server; want https://host/path", at.name)
		case u.Scheme != "https" && !(u.Scheme == "http" && loopback(u.Hostname())):
			return fmt.Errorf("%s has scheme %q; want https, or http on this machine", at.name, u.Scheme)
		}
	}
	return nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// Mark names the server and the client in the name of a file.
func (s Server) Mark() string {
	sum := sha256.Sum256([]byte(s.TokenURL + "\n" + s.ClientID))
	return hex.EncodeToString(sum[:6])
}

func (s Server) config() *oauth2.Config {
	return &oauth2.Config{
		ClientID: s.ClientID, Scopes: s.Scopes,
		// a program on people's machines keeps no secret (RFC 8252, section 8.5)
		Endpoint: oauth2.Endpoint{AuthURL: s.AuthorizeURL, TokenURL: s.TokenURL, AuthStyle: oauth2.AuthStyleInParams},
	}
}

// client asks the server: within a time, and nobody else.
func client(transport http.RoundTripper) *http.Client {
	return &http.Client{
		Transport: transport, Timeout: 30 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
