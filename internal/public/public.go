// Package public says which hosts and addresses are of the public internet, and which
// could lead into a network of one's own: loopback, private, link-local, multicast and
// reserved addresses, and names that no public server has. public.go judges the address
// that a file or the service named, reach.go holds what the operator lets through beside.
//
// It resolves no name and opens no connection: internal/fetch does, and asks again for
// the address that it connects to.
package public

import (
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"golang.org/x/net/idna"
)

// hosts maps a host as browsers do: full stops and digits of other scripts become those of ASCII.
var hosts = idna.New(idna.MapForLookup(), idna.Transitional(false))

// Host returns the host of an address as a resolver is asked for it: small letters of
// ASCII, without the full stop at its end.
func Host(u *url.URL) string {
	host := u.Hostname()
	if mapped, _ := hosts.ToASCII(host); mapped != "" && !strings.Contains(host, ":") {
		host = mapped
	}
	return strings.TrimSuffix(strings.ToLower(host), ".")
}

// Refuse returns why an address cannot be one of the public internet, as "is …", or ""
// where nothing in it says so. What a name resolves to is another question.
func (r Reach) Refuse(address string) string {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return "is no http or https address"
	case u.User != nil:
		return "has a user name or a password in it"
	}
	return r.refuseHost(Host(u))
}

func (r Reach) refuseHost(host string) string {
	if ip, err := netip.ParseAddr(host); err == nil {
		return r.RefuseIP(ip)
	}
	if numeric(host) {
		return "is a number in the place of a host, which programs read in several ways"
	}
	if r.names[host] || !private(host) {
		return ""
	}
	return fmt.Sprintf("is at %q, a name that only a machine or a network of one's own has", host)
}

// RefuseIP returns why an IP address is none of the public internet, or "".
func (r Reach) RefuseIP(ip netip.Addr) string {
	if ip.Is4In6() {
		return fmt.Sprintf("is at %s, an IPv4 address in the form of IPv6", ip)
	}
	if r.guard().SafeAddr(ip) == nil {
		return ""
	}
	return fmt.Sprintf("is at %s, %s address", ip, sort(ip))
}

// sort names what an address is that is not public.
func sort(ip netip.Addr) string {
	switch {
	case ip.IsLoopback():
		return "a loopback"
	case ip.IsUnspecified():
		return "the unspecified"
	case ip.IsLinkLocalUnicast():
		return "a link-local"
	case ip.IsPrivate():
		return "a private"
	case ip.IsMulticast():
		return "a multicast"
	}
	return "a reserved"
}

// numeric reports whether a host ends as an IPv4 address does: 127.1, 2130706433, 0x7f.0.0.1
// and 0177.0.0.1 are all read as 127.0.0.1 by one program or another (WHATWG URL, 3.5).
func numeric(host string) bool {
	last := host[strings.LastIndexByte(host, '.')+1:]
	return strings.Trim(last, "0123456789") == "" ||
		strings.HasPrefix(last, "0x") && strings.Trim(last[2:], "0123456789abcdef") == ""
}

// private reports whether a name is none of the public DNS: special names (RFC 6761,
// RFC 6762, RFC 8375), that of private use, and those without a domain.
func private(host string) bool {
	if !strings.Contains(host, ".") {
		return true
	}
	for _, end := range []string{".localhost", ".local", ".internal", ".localdomain", ".home.arpa"} {
		if strings.HasSuffix(host, end) {
			return true
		}
	}
	return false
}
