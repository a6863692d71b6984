package page

import (
	"fmt"
	"net"
	"net/http"
	"strings"
)

// CheckLocal refuses requests to this machine by other names than its own, and
// writes that another site's page makes a browser send. The first keeps out a site
// whose name is made to point here, the second one that sends its visitors' forms here.
func CheckLocal(r *http.Request) error {
	if !isLoopback(r.Host) {
		return fmt.Errorf("the host is %q; want localhost or a loopback address", r.Host)
	}
	var origin http.CrossOriginProtection
	if err := origin.Check(r); err != nil {
		return fmt.Errorf("the request was sent by another site: %w", err)
	}
	return nil
}

// guarded lets in what CheckLocal does, and keeps other sites from showing the page.
func guarded(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src "+
			"'none'; style-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if err := CheckLocal(r); err != nil {
			http.Error(w, err.Error(), http.StatusForbidden)
			return
		}
		next(w, r)
	}
}

func isLoopback(host string) bool {
	name := host
	if bare, _, err := net.SplitHostPort(host); err == nil {
		name = bare
	}
	name = strings.Trim(name, "[]")
	return name == "localhost" || net.ParseIP(name).IsLoopback()
}
