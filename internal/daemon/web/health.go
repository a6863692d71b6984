package web

import "net/http"

// health says that the process lives and that its accounts move. Which does not is
// for those who may read.
func (s *Server) health(w http.ResponseWriter, r *http.Request) {
	if s.Alive != nil {
		if err := s.Alive(); err != nil {
			s.Log.Error("an account stands still", "error", err)
			said := map[string]any{"alive": false}
			if s.open() || callerOf(r).orders {
				said["message"] = err.Error()
			}
			writeJSON(w, http.StatusServiceUnavailable, said)
			return
		}
	}
	writeJSON(w, http.StatusOK, map[string]any{"alive": true, "version": s.Version})
}

// ready says whether each account had its first run. Which had none is for those
// who may read.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	waiting := []string{}
	for _, a := range s.desk.Accounts() {
		if a.State == "" {
			waiting = append(waiting, a.Name)
		}
	}
	status := http.StatusOK
	if len(waiting) > 0 {
		status = http.StatusServiceUnavailable
	}
	said := map[string]any{"ready": len(waiting) == 0}
	if s.open() || callerOf(r).orders {
		said["waiting"] = waiting
	}
	writeJSON(w, status, said)
}
