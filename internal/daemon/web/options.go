package web

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"adsync/internal/daemon/openid"
	"adsync/internal/daemon/passkey"
	"adsync/internal/daemon/roles"
	"adsync/internal/daemon/web/metrics"
	"adsync/internal/resource"
)

// DefaultListen is where the daemon listens unless told otherwise.
const DefaultListen = "127.0.0.1:8787"

// Options say who may read and give orders, and from where.
type Options struct {
	Listen      string              // address and port, as net.Listen takes it
	Token       roles.Token         // of everybody; its zero value: nobody gives orders
	TLS         *tls.Config         // nil: connections come in without; see ReadTLS
	BehindProxy bool                // TLS ends at a proxy before this machine, which sets X-Forwarded-For
	Rules       func() *roles.Rules // who may what, as it is now; nil: whoever has the token
	OpenID      *openid.Provider    // logs people in; nil: none does
	Passkeys    *passkey.Party      // logs people in by passkeys; nil: none do
	UserHeader  string              // in which that proxy names who asks; "": people say their name
	Hosts       []string

	Sessions Sessions // nil: in memory, until the daemon ends

	Schemas resource.Schemas
	Version string
	Metrics *metrics.Counts  // nil: none of runs
	Hooks   http.Handler     // answers beneath /hooks/, by rules of its own; nil: nothing does
	Alive   func() error     // says which accounts stand still; nil: none ever does
	Pprof   bool             // show profiles beneath /debug/pprof/ to who may read
	Now     func() time.Time // nil: the clock of the machine
	Log     *slog.Logger     // nil: nothing is logged
	Looks   time.Duration    // how long a file that was dropped is kept, in memory; 0: a quarter of an hour
}

// Check returns what keeps these options from being safe.
func (o *Options) Check() error {
	if _, _, err := net.SplitHostPort(o.Listen); err != nil {
		return fmt.Errorf("listen is %q; want an address and a port, such as %s", o.Listen, DefaultListen)
	}
	var problems []error
	refuse := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	switch {
	case o.loopback() && !o.BehindProxy:
	case o.readOnly():
		refuse("listen is %q, which others reach, and there is no token; want a token, or login", o.Listen)
	case o.TLS == nil && !o.BehindProxy:
		refuse("listen is %q, which others reach, without TLS; want tls, or behind_proxy: true where a proxy ends it",
			o.Listen)
	}
	if o.Rules != nil && !o.Token.IsZero() {
		refuse("there is a token of everybody beside login or tokens; want one of them")
	}
	if o.Rules == nil && (o.OpenID != nil || o.Passkeys != nil) {
		refuse("people log in, and nobody has a role; want people or groups with roles")
	}
	if o.UserHeader != "" && !o.BehindProxy {
		refuse("names are taken from the header "+
			"%q, which anybody can send; want behind_proxy: true and a proxy that sets it", o.UserHeader)
	}
	return errors.Join(problems...)
}

// loopback reports whether only this machine reaches the listener.
func (o *Options) loopback() bool {
	host, _, err := net.SplitHostPort(o.Listen)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// open reports whether who reaches the listener may read without the token.
func (o *Options) open() bool { return o.loopback() && !o.BehindProxy && o.Rules == nil }

// rules are who may what now, nil where the token alone says so.
func (o *Options) rules() *roles.Rules {
	if o.Rules == nil {
		return nil
	}
	return o.Rules()
}

// readOnly reports whether nobody gives orders here.
func (o *Options) readOnly() bool { return o.Rules == nil && o.Token.IsZero() }

// secure reports whether browsers speak TLS.
func (o *Options) secure() bool { return o.TLS != nil || o.BehindProxy }

// knows reports whether a Host header names this daemon. A page of somebody else that
// points a name of its own here (DNS rebinding) does not know our names, and
// cannot use an address.
func (o *Options) knows(host string) bool {
	name := host
	if h, port, err := net.SplitHostPort(host); err == nil {
		if _, err := strconv.ParseUint(port, 10, 16); err != nil {
			return false
		}
		name = h
	}
	name = strings.TrimSuffix(strings.ToLower(strings.Trim(name, "[]")), ".")
	if name == "localhost" || net.ParseIP(name) != nil {
		return true
	}
	for _, own := range o.Hosts {
		if name == strings.ToLower(own) {
			return true
		}
	}
	return false
}
