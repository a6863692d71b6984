package web

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"adsync/internal/daemon"
	"adsync/internal/daemon/roles"
	"adsync/internal/daemon/sessions"
	"adsync/internal/daemon/web/conns"
	"adsync/internal/daemon/web/metrics"
	"adsync/internal/daemon/web/shown"
	"adsync/internal/words/catalogue"
)

// Server answers who asks the daemon.
type Server struct {
	Options
	handler http.Handler
	routes  []route
	give    giver
	events  events

	connsMost int // connections at once
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
		o.Metrics = metrics.New()
	}
	s := &Server{Options: o, connsMost: conns.Usual}
	if o.Sessions == nil {
		s.Sessions = sessions.InMemory(func() time.Time { return s.Now() })
	}
	re := &replies{Options: &s.Options, desk: desk}
	s.give = giver{replies: re, looking: make(chan struct{}, looksAtOnce)}
	s.events = events{re, make(chan struct{}, watchersMost)}
	d := &door{replies: re, proving: make(chan struct{}, provingMost)}
	s.routes = slices.Concat(
		(&probes{re}).routes(), (&api{re, &s.give}).routes(), s.events.routes(),
		(&pages{re}).routes(), (&gallery{re, make(chan struct{}, picturesAtOnce)}).routes(),
		(&forms{re, &s.give}).routes(), (&talks{&api{re, &s.give}}).routes(), d.routes())
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

// How long a connection may take for what. A client that sends its headers or its
// body a byte at a time holds a connection no longer than this.
const (
	headerTime = 5 * time.Second
	bodyTime   = 60 * time.Second
	answerTime = 2 * time.Minute // what follows the events sets its own
	idleTime   = 2 * time.Minute
	headerMost = 32 << 10 // bytes
	partTime   = 5 * time.Second
)

// Bind takes the address that is to be answered.
func (s *Server) Bind() (net.Listener, error) { return net.Listen("tcp", s.Listen) }

// Serve answers on a listener until the context ends; then it takes no more,
// ends who follows the events, and waits a little for the others.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	open := conns.To(s.connsMost)
	server := &http.Server{
		Handler: s, TLSConfig: s.TLS,
		ReadHeaderTimeout: headerTime, ReadTimeout: bodyTime,
		WriteTimeout: answerTime, IdleTimeout: idleTime, MaxHeaderBytes: headerMost,
		BaseContext: func(net.Listener) context.Context { return ctx },
		ErrorLog:    slog.NewLogLogger(s.Log.Handler(), slog.LevelDebug),
		ConnState:   open.Follow,
		ConnContext: open.Named,
	}
	ended := make(chan error, 1)
	go func() {
		if s.TLS != nil {
			ended <- server.ServeTLS(listener, "", "")
			return
		}
		ended <- server.Serve(listener)
	}()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	parting, cancel := context.WithTimeout(context.WithoutCancel(ctx), partTime)
	defer cancel()
	if err := server.Shutdown(parting); err != nil {
		_ = server.Close() // who is left took too long
	}
	if err := <-ended; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// audience is who a route answers.
type audience int

const (
	everybody audience = iota
	somebody           // who may see an account, whichever; what is shown is of those
	viewers            // this and those below: of the account that the path names, or of all where it names none
	editors
	approvers
	operators
)

// role is the lowest that is let in.
func (a audience) role() roles.Role { return roles.Role(max(0, a-somebody)) }

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
			re.refuse(w, r, problem{http.StatusNotFound, "not_found", catalogue.Say("problem.nothing-here")})
			return
		}
		w.Header().Set("Allow", strings.Join(methods, ", "))
		re.refuse(w, r, problem{http.StatusMethodNotAllowed,
			"method", catalogue.Say("problem.method",
				"method", shown.Text(r.Method, 10), "wanted", strings.Join(methods, ", "))})
	}
}
