package web

import (
	"log/slog"
	"net/http"
	"net/http/pprof"
	"strings"
	"time"

	"adsync/internal/daemon"
)

// Server answers who asks the daemon.
type Server struct {
	Options
	desk     daemon.Desk
	handler  http.Handler
	sessions sessions
	throttle throttle
	looks    looks
	watching chan struct{} // a place for each who follows the events
	looking  chan struct{} // a place for each file that is looked at

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
	s := &Server{
		Options: o, desk: desk, watching: make(chan struct{}, watchersMost),
		looking: make(chan struct{}, looksAtOnce), linesMost: linesMost,
	}
	mux := http.NewServeMux()
	for _, route := range s.routes() {
		do := route.do
		switch route.for_ {
		case readers:
			do = s.reads(do)
		case givers:
			do = s.orders(do)
		}
		mux.HandleFunc(route.method+" "+route.path, do)
	}
	if o.Hooks != nil {
		mux.Handle("/hooks/", o.Hooks)
	}
	mux.HandleFunc("/", s.nothing(mux))
	s.handler = s.guarded(mux)
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

type route struct {
	method, path string
	for_         audience
	do           http.HandlerFunc
}

// routes is all that is answered; docs/operate/api.yaml describes what is for programs.
func (s *Server) routes() []route {
	const account = "/api/v1/accounts/{account}"
	all := []route{
		{"GET", "/healthz", everybody, s.health},
		{"GET", "/readyz", everybody, s.ready},
		{"GET", "/metrics", readers, s.metrics},

		{"GET", "/api/v1/accounts", readers, s.getAccounts},
		{"GET", account, readers, s.getAccount},
		{"GET", account + "/plan", readers, s.getPlan},
		{"GET", account + "/runs", readers, s.getRuns},
		{"GET", account + "/runs/{run}", readers, s.getRun},
		{"GET", account + "/exposures", readers, s.getExposures},
		{"GET", account + "/approvals", readers, s.getApprovals},
		{"GET", account + "/acceptances", readers, s.getAcceptances},
		{"GET", account + "/looks/{look}/marked", givers, s.getMarked},
		{"GET", "/api/v1/events", readers, s.getEvents},
		{"POST", account + "/approvals", givers, s.program(s.postApproval)},
		{"POST", account + "/acceptances", givers, s.program(s.postAcceptance)},
		{"POST", account + "/wake", givers, s.program(s.postWake)},
		{"POST", account + "/suspend", givers, s.program(s.postSuspend)},
		{"POST", account + "/resume", givers, s.program(s.postResume)},
		{"POST", account + "/looks/{look}/commit", givers, s.program(s.postCommit)},
		{"POST", account + "/look", givers, s.program(s.postLook)},

		{"GET", "/{$}", readers, s.showAccounts},
		{"GET", "/accounts/{account}", readers, s.showAccount},
		{"GET", "/accounts/{account}/runs", readers, s.showRuns},
		{"GET", "/accounts/{account}/runs/{run}", readers, s.showRun},
		{"GET", "/accounts/{account}/looks/{look}/marked", givers, s.getMarked},
		{"POST", "/accounts/{account}/approve", givers, s.person(s.formApprove)},
		{"POST", "/accounts/{account}/accept", givers, s.person(s.formAccept)},
		{"POST", "/accounts/{account}/wake", givers, s.person(s.formWake)},
		{"POST", "/accounts/{account}/suspend", givers, s.person(s.formSuspend)},
		{"POST", "/accounts/{account}/resume", givers, s.person(s.formResume)},
		{"POST", "/accounts/{account}/looks/{look}/commit", givers, s.person(s.formCommit)},
		{"POST", "/accounts/{account}/look", givers, s.formLook},
		{"GET", "/login", everybody, s.showLogin},
		{"POST", "/login", everybody, s.formLogin},
		{"POST", "/logout", everybody, s.person(s.formLogout)},
		{"GET", "/page.css", everybody, asset("text/css; charset=utf-8", styleText())},
		{"GET", "/page.js", everybody, asset("text/javascript; charset=utf-8", scriptText())},
	}
	if s.Pprof {
		all = append(all,
			route{"GET", "/debug/pprof/", readers, pprof.Index},
			route{"GET", "/debug/pprof/profile", readers, pprof.Profile},
			route{"GET", "/debug/pprof/trace", readers, pprof.Trace})
	}
	return all
}

// nothing answers what no route does, and says whether it is the path or the
// method that is not there.
func (s *Server) nothing(mux *http.ServeMux) http.HandlerFunc {
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
			s.refuse(w, r, problem{http.StatusNotFound, "not_found", "nothing is here"})
			return
		}
		w.Header().Set("Allow", strings.Join(methods, ", "))
		s.refuse(w, r, problem{http.StatusMethodNotAllowed,
			"method", "the method is " + printable(r.Method, 10) + "; want " + strings.Join(methods, " or ")})
	}
}
