package page

import (
	"net"
	"net/http"
	"strings"
)

// guarded lets in requests to this machine by its own names, and forms of the
// page's own. The first keeps out a site whose name is made to point here, the
// second one that sends its visitors' forms here.
func guarded(next http.HandlerFunc) http.HandlerFunc {
	origin := http.NewCrossOriginProtection()
	return func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if !isLoopback(r.Host) {
			http.Error(w, "this page answers to localhost and loopback addresses only", http.StatusForbidden)
			return
		}
		if err := origin.Check(r); err != nil {
			http.Error(w, "this form was sent by another site: "+err.Error(), http.StatusForbidden)
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
