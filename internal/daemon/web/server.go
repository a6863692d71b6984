package web

import (
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"adsync/internal/daemon"
)

// Server answers who asks the daemon.
type Server struct {
	Options
	handler http.Handler
	routes  []route
	give    giver
	events  events

	linesMost int // connections at once
}

// New makes a Server of options that are safe.
func New(o Options, desk daemon.Desk) (*Server, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Metrics == nil {
		o.Metrics = NewMetrics()
	}
	s := &Server{Options: o, linesMost: linesMost}
	if o.Sessions == nil {
		s.Sessions = &memory{now: func() time.Time { return s.Now() }}
	}
	re := &replies{Options: &s.Options, desk: desk}
	s.give = giver{replies: re, looking: make(chan struct{}, looksAtOnce)}
	s.events = events{re, make(chan struct{}, watchersMost)}
	d := &door{replies: re}
	s.routes = slices.Concat(
		(&probes{re}).routes(), (&api{re, &s.give}).routes(), s.events.routes(),
		(&pages{re}).routes(), (&forms{re, &s.give}).routes(), d.routes())
	mux := http.NewServeMux()
	for _, route := range s.routes {
		mux.HandleFunc(route.method+" "+route.path, d.admits(route))
	}
	if o.Hooks != nil {
		mux.Handle("/hooks/", o.Hooks)
	}
	mux.HandleFunc("/", re.nothing(mux))
	s.handler = d.guarded(mux)
	return s, nil
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// audience is who a route answers.
type audience int

const (
	everybody audience = iota
	readers            // who has the token or, where only this machine reaches the daemon, anybody
	givers             // who has the token
)

// route is one address; docs/operate/api.yaml describes those for programs.
type route struct {
	method, path string
	for_         audience
	do           http.HandlerFunc
}

// nothing answers what no route does, with the methods of the path where it
// has others.
func (re *replies) nothing(mux *http.ServeMux) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var methods []string
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			other := r.Clone(r.Context())
			other.Method = method
			if _, pattern := mux.Handler(other); pattern != "/" {
				methods = append(methods, method)
			}
		}
		if len(methods) == 0 {
			re.refuse(w, r, problem{http.StatusNotFound, "not_found", "nothing is here"})
			return
		}
		w.Header().Set("Allow", strings.Join(methods, ", "))
		re.refuse(w, r, problem{http.StatusMethodNotAllowed,
			"method", "the method is " + printable(r.Method, 10) + "; want " + strings.Join(methods, " or ")})
	}
}
