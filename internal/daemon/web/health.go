package web

import (
	"adsync/internal/daemon/roles"
	"net/http"
	"net/http/pprof"
)

// probes answers what watches the daemon.
type probes struct{ *replies }

func (h *probes) routes() []route {
	all := []route{
		{"GET", "/healthz", everybody, h.health},
		{"GET", "/readyz", everybody, h.ready},
		{"GET", "/metrics", viewers, h.metrics},
	}
	if h.Pprof {
		all = append(all,
			route{"GET", "/debug/pprof/", viewers, pprof.Index},
			route{"GET", "/debug/pprof/profile", viewers, pprof.Profile},
			route{"GET", "/debug/pprof/trace", viewers, pprof.Trace})
	}
	return all
}

// health reports whether the process lives and that its accounts move. Which does not is
// for those who may read.
func (h *probes) health(w http.ResponseWriter, r *http.Request) {
	if h.Alive != nil {
		if err := h.Alive(); err != nil {
			h.Log.Error("an account stands still", "error", err)
			said := map[string]any{"alive": false}
			if callerOf(r).may(roles.Viewer, "") {
				said["message"] = err.Error()
			}
			writeJSON(w, http.StatusServiceUnavailable, said)
			return
		}
	}
	writeJSON(w, http.StatusOK, map[string]any{"alive": true, "version": h.Version})
}

// ready reports whether each account had its first run. Which had none is for those
// who may read.
func (h *probes) ready(w http.ResponseWriter, r *http.Request) {
	waiting := []string{}
	for _, a := range h.desk.Own() {
		if a.State == "" {
			waiting = append(waiting, a.Name)
		}
	}
	status := http.StatusOK
	if len(waiting) > 0 {
		status = http.StatusServiceUnavailable
	}
	said := map[string]any{"ready": len(waiting) == 0}
	if callerOf(r).may(roles.Viewer, "") {
		said["waiting"] = waiting
	}
	writeJSON(w, status, said)
}

func (h *probes) metrics(w http.ResponseWriter, r *http.Request) {
	h.Metrics.Handler(h.desk.Own(), h.Version).ServeHTTP(w, r)
}
