package public

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"adsync/internal/pattern"

	"code.dny.dev/ssrf"
)

// Reach is what the operator lets through beside the public internet. The zero Reach lets nothing.
type Reach struct {
	names map[string]bool
	v4    []netip.Prefix
	v6    []netip.Prefix
}

var hostName = pattern.Of(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$`)

// Add lets an entry of the operator's list through: an IP address, a network such as
// 10.20.0.0/16, or the name of a host. A name alone opens no network: what it resolves
// to is public, or is listed too.
func (r *Reach) Add(entry string) error {
	prefix, err := netip.ParsePrefix(entry)
	if ip, wrong := netip.ParseAddr(entry); wrong == nil && ip.Zone() == "" {
		prefix, err = netip.PrefixFrom(ip, ip.BitLen()), nil
	}
	switch {
	case err == nil && prefix != prefix.Masked():
		return fmt.Errorf("%q is no network; want %s", entry, prefix.Masked())
	case err == nil && prefix.Addr().Is4():
		r.v4 = append(slices.Clone(r.v4), prefix)
	case err == nil && !prefix.Addr().Is4In6():
		r.v6 = append(slices.Clone(r.v6), prefix)
	case strings.Contains(entry, "/") || !hostName.MatchString(entry) || numeric(entry):
		return fmt.Errorf("%q is no address; want an IP address, "+
			"a network such as 10.20.0.0/16, or a host such as images.internal, in small letters", entry)
	default:
		names := map[string]bool{entry: true}
		for name := range r.names {
			names[name] = true
		}
		r.names = names
	}
	return nil
}

// guard is the list of what is not public, without what the operator lets through.
func (r Reach) guard() *ssrf.Guardian {
	return ssrf.New(ssrf.WithAllowedV4Prefixes(r.v4...), ssrf.WithAllowedV6Prefixes(r.v6...),
		ssrf.WithAnyNetwork(), ssrf.WithAnyPort())
}
